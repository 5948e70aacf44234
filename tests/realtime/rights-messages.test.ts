import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandLineKey } from "../support/credentials";
import { done } from "../support/expectations";
import { newUser } from "../support/people";
import { assign, grant, newRole, revoke, unassign } from "../support/roles";
import { onDatabase } from "../support/rows";
import { TestServer } from "../support/server";
import { Client, type Message } from "../support/socket";
import { fix } from "../tracking/support";

/**
 * Messages of changed rights, and the subscriptions that end with them (rules R5, W3 and W5). In JSON,
 * permissionsUpdated and rolePermissionsChanged carry no timestamp.
 */
const OWN = ["two_factor:read", "two_factor:write"];
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const open = (token: string) => Client.open(server, { token });
const watchAll = async () => (await open(admin)).subscribe("admin:accounts");
const deleteRole = async (id: string) => done(await server.delete(`/v1/roles/${id}`, { token: admin }));

const rolesUpdated = (user: { id: string }, ...held: { id: string; name: string }[]) => ({
  type: "rolesUpdated",
  userId: user.id,
  roles: held.map(({ name }) => name),
  roleIds: held.map(({ id }) => id),
  timestamp: ISO,
});
const permissionsUpdated = (user: { id: string }, ...permissions: string[]) => ({
  type: "permissionsUpdated",
  userId: user.id,
  permissions,
});
const rolePermissionsChanged = (role: { id: string; name: string }) => ({
  type: "rolePermissionsChanged",
  roleId: role.id,
  roleName: role.name,
});
const USER = { id: "role_user", name: "User" };
const lost = (channel: string) => ({ type: "error", message: `Access to channel ended: ${channel}` });

/** Takes the expected number of messages, then expects these and that nothing follows. */
async function expectHeard(client: Client, ...messages: object[]): Promise<void> {
  const heard: Message[] = [];
  for (const _ of messages) heard.push(await client.next());
  expect(heard).toEqual(messages);
  expect(await client.heard()).toEqual([]);
}

/** A user with two connections, a connection of another user, and one that watches all accounts. */
async function audience(user: { token: string }) {
  const [one, two, bystander, watcher] = [
    await open(user.token),
    await open(user.token),
    await open((await newUser(server)).token),
    await watchAll(),
  ];
  return {
    /** Expects these messages for the user and for the watcher of all accounts, and none for the others. */
    async hears(...messages: object[]) {
      for (const client of [one, two, watcher]) await expectHeard(client, ...messages);
      expect(await bystander.heard()).toEqual([]);
    },
    close: () => Promise.all([one, two, bystander, watcher].map((client) => client.close())),
  };
}

describe("a role that a user gets and loses", () => {
  test("is told to all of the user's sessions and to admin:accounts, and to nobody else", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server);
    const { hears, close } = await audience(user);
    await assign(server, user.id, role.id);
    await hears(rolesUpdated(user, role, USER), permissionsUpdated(user, "gps:read", ...OWN));
    await unassign(server, user.id, role.id);
    await hears(rolesUpdated(user, USER), permissionsUpdated(user, ...OWN));
    await close();
  });

  test("that is assigned again, or was refused, is told to nobody", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server, role.id);
    const [own, watcher] = [[await open(user.token), await open(user.token)], await watchAll()];
    await assign(server, user.id, role.id);
    const clerk = await newUser(server, (await newRole(server, "users:write")).id);
    const path = `/v1/users/${user.id}/roles`;
    for (const role_id of ["role_super_admin", "role_admin", "role_none"]) {
      const { status } = await server.post(path, { token: clerk.token, body: { role_id } });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect((await server.delete(`${path}/role_moderator`, { token: admin })).status).toBe(404);
    // The silent ones hear of the next change first; the watcher has heard of the clerk as well.
    await assign(server, user.id, "role_moderator");
    const moderator = { id: "role_moderator", name: "Moderator" };
    for (const client of own) await expectHeard(client, rolesUpdated(user, role, moderator, USER));
    const about = (await watcher.heard()).filter(({ userId }) => userId === user.id);
    expect(about).toEqual([rolesUpdated(user, role, moderator, USER)]);
    await Promise.all([...own, watcher].map((client) => client.close()));
  });

  test("that grants nothing new changes the roles alone", async () => {
    const [empty, same] = [await newRole(server), await newRole(server, ...OWN)];
    const user = await newUser(server);
    const { hears, close } = await audience(user);
    await assign(server, user.id, empty.id);
    await hears(rolesUpdated(user, empty, USER));
    await assign(server, user.id, same.id);
    await hears(rolesUpdated(user, same, empty, USER));
    await unassign(server, user.id, "role_user");
    await hears(rolesUpdated(user, same, empty));
    await unassign(server, user.id, same.id);
    await hears(rolesUpdated(user, empty), permissionsUpdated(user));
    await close();
  });

  test("changes no permissions of a super admin, but becoming one does", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server);
    const { hears, close } = await audience(user);
    const superAdmin = { id: "role_super_admin", name: "Super Admin" };
    const heldFirst = async () =>
      done(await server.get(`/v1/users/${user.id}/roles`, { token: admin })).roles as (typeof USER)[];
    await assign(server, user.id, superAdmin.id);
    await hears(rolesUpdated(user, ...(await heldFirst())), permissionsUpdated(user, "*:*"));
    await assign(server, user.id, role.id);
    await hears(rolesUpdated(user, ...(await heldFirst())));
    done(await grant(server, role.id, "trips:read"));
    await hears(rolePermissionsChanged(role));
    await deleteRole(role.id);
    await hears(rolesUpdated(user, ...(await heldFirst())));
    await unassign(server, user.id, superAdmin.id);
    await hears(rolesUpdated(user, USER), permissionsUpdated(user, ...OWN));
    await close();
  });

  test("changes what nobody may do who holds a wildcard for it", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server, "role_admin");
    const client = await open(user.token);
    await assign(server, user.id, role.id);
    done(await grant(server, role.id, "trips:read"));
    expect((await client.heard()).map(({ type }) => type)).toEqual([
      "rolesUpdated",
      "rolePermissionsChanged",
    ]);
    await client.close();
  });

  test("is told twice to a client on both channels, once for each", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server, (await newRole(server, "admin:read")).id);
    const client = await (await open(user.token)).subscribe("admin:accounts");
    await assign(server, user.id, role.id);
    const heard = [await client.next(), await client.next(), await client.next(), await client.next()];
    const types = heard.map(({ type }) => type).sort();
    expect(types).toEqual(["permissionsUpdated", "permissionsUpdated", "rolesUpdated", "rolesUpdated"]);
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});

describe("a permission that a role gets and loses", () => {
  test("is told to all holders and to admin:accounts, and to nobody else", async () => {
    const role = await newRole(server, "trips:read");
    const user = await newUser(server, role.id);
    const { hears, close } = await audience(user);
    done(await grant(server, role.id, "gps:read"));
    await hears(rolePermissionsChanged(role), permissionsUpdated(user, "gps:read", "trips:read", ...OWN));
    done(await revoke(server, role.id, "gps:read"));
    await hears(rolePermissionsChanged(role), permissionsUpdated(user, "trips:read", ...OWN));
    await close();
  });

  test("that was there already, or was refused, is told to nobody", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server, role.id);
    const { hears, close } = await audience(user);
    done(await grant(server, role.id, "gps:read"));
    expect((await grant(server, role.id, "gps:write", await server.key("roles:write"))).status).toBe(403);
    expect((await revoke(server, role.id, "trips:read")).status).toBe(404);
    done(
      await server.patch(`/v1/roles/${role.id}`, {
        token: admin,
        body: { description: "d", requires_two_factor: true },
      }),
    );
    done(await grant(server, role.id, "trips:read"));
    await hears(rolePermissionsChanged(role), permissionsUpdated(user, "gps:read", "trips:read", ...OWN));
    await close();
  });

  test("changes what nobody may do who has it by another role", async () => {
    const [role, other] = [await newRole(server), await newRole(server, "gps:read")];
    const [both, one] = [await newUser(server, role.id, other.id), await newUser(server, role.id)];
    const [hasIt, getsIt, watcher] = [await open(both.token), await open(one.token), await watchAll()];
    const expectTold = async (...permissions: string[]) => {
      await expectHeard(hasIt, rolePermissionsChanged(role));
      const told = [rolePermissionsChanged(role), permissionsUpdated(one, ...permissions)];
      await expectHeard(getsIt, ...told);
      // One message for the role, and one for each user whose permissions changed.
      await expectHeard(watcher, ...told);
    };
    done(await grant(server, role.id, "gps:read"));
    await expectTold("gps:read", ...OWN);
    done(await revoke(server, role.id, "gps:read"));
    await expectTold(...OWN);
    await Promise.all([hasIt, getsIt, watcher].map((client) => client.close()));
  });
});

describe("a role that is deleted", () => {
  test("is told to each holder as a change of roles, and of permissions where those changed", async () => {
    const [role, other] = [await newRole(server, "gps:read"), await newRole(server, "gps:read")];
    const [loser, keeper, bystander] = [
      await newUser(server, role.id),
      await newUser(server, role.id, other.id),
      await newUser(server, other.id),
    ];
    const [loses, keeps, stranger, watcher] = [
      await open(loser.token),
      await open(keeper.token),
      await open(bystander.token),
      await watchAll(),
    ];
    await deleteRole(role.id);
    const told = [rolesUpdated(loser, USER), permissionsUpdated(loser, ...OWN)];
    await expectHeard(loses, ...told);
    await expectHeard(keeps, rolesUpdated(keeper, other, USER));
    expect(await stranger.heard()).toEqual([]);
    const all = [await watcher.next(), await watcher.next(), await watcher.next()];
    const about = ({ id }: { id: string }) => all.filter(({ userId }) => userId === id);
    expect(about(loser)).toEqual(told);
    expect(about(keeper)).toEqual([rolesUpdated(keeper, other, USER)]);
    expect(await watcher.heard()).toEqual([]);
    await Promise.all([loses, keeps, stranger, watcher].map((client) => client.close()));
  });

  test("that grants nothing changes the roles alone", async () => {
    const role = await newRole(server);
    const user = await newUser(server, role.id);
    const { hears, close } = await audience(user);
    await deleteRole(role.id);
    await hears(rolesUpdated(user, USER));
    await close();
  });
});

describe("a live socket", () => {
  /**
   * A user subscribed, on one connection, to everything that the role opens, and the messages that it hears
   * of a change.
   */
  async function listener() {
    const role = await newRole(server, "gps:read", "geofences:read", "admin:read");
    const user = await newUser(server, role.id);
    const device = await server.device();
    const lostChannels = ["gps", `gps:${device.id}`, "vessels", "geofence", "admin:accounts"];
    const client = await (await open(user.token)).subscribe(...lostChannels, "public:news");
    return { role, user, device, client, channels: lostChannels };
  }
  /** Sends a message on each of the lost channels. */
  async function sendAll(device: { key: string }) {
    done(await server.post("/v1/gps", { token: device.key, body: fix() }));
    await assign(server, (await newUser(server)).id, "role_moderator");
  }

  const WAYS: [
    what: string,
    act: (role: string, user: string) => Promise<unknown>,
    messages: (role: { id: string; name: string }, user: { id: string }) => object[],
  ][] = [
    [
      "when the role is taken from the user",
      (role, user) => unassign(server, user, role),
      (_, user) => [rolesUpdated(user, USER), permissionsUpdated(user, ...OWN)],
    ],
    [
      "when the role is deleted",
      (role) => deleteRole(role),
      (_, user) => [rolesUpdated(user, USER), permissionsUpdated(user, ...OWN)],
    ],
  ];
  test.each(WAYS)("loses its channels at once %s, and hears no more of them", async (_, act, messages) => {
    const { role, user, device, client, channels } = await listener();
    await act(role.id, user.id);
    // The channels end before any message on them: only the own channel tells of the change.
    await expectHeard(client, ...channels.map(lost), ...messages(role, user));
    await sendAll(device);
    expect(await client.heard()).toEqual([]);
    for (const channel of channels)
      expect(await client.ask({ type: "subscribe", channel })).toMatchObject({ type: "error" });
    expect((await client.ask({ type: "subscribe", channel: "public" })).type).toBe("message");
    await client.close();
  });

  test("loses the channels of one permission that its role loses, and keeps the rest", async () => {
    const { role, user, device, client } = await listener();
    const rest = ["admin:read", "geofences:read", ...OWN];
    done(await revoke(server, role.id, "gps:read"));
    const told = [rolePermissionsChanged(role), permissionsUpdated(user, ...rest)];
    const gone = ["gps", `gps:${device.id}`, "vessels"].map(lost);
    // On the own channel and on admin:accounts, which it may still hear.
    const heard = await client.heard();
    while (heard.length < gone.length + 2 * told.length) heard.push(await client.next());
    expect(heard.slice(0, gone.length)).toEqual(gone);
    const byType = (messages: Message[]) =>
      messages.toSorted((a, b) => String(a.type).localeCompare(String(b.type)));
    expect(byType(heard.slice(gone.length))).toEqual(byType([...told, ...told]));
    done(await server.post("/v1/gps", { token: device.key, body: fix() }));
    expect(await client.heard()).toEqual([]);
    await client.close();
  });

  test("doesn't hear on admin:accounts of the very change that ends it", async () => {
    const { role, user, client, channels } = await listener();
    done(await revoke(server, role.id, "admin:read"));
    await expectHeard(
      client,
      lost("admin:accounts"),
      rolePermissionsChanged(role),
      permissionsUpdated(user, "geofences:read", "gps:read", ...OWN),
    );
    expect(channels).toContain("admin:accounts");
    await client.close();
  });

  test("of a key loses its channels with the role of its owner, of its own, or the role's permission", async () => {
    const device = await server.device();
    const [ownerRole, keyRole] = [await newRole(server, "gps:read"), await newRole(server, "gps:read")];
    const user = await newUser(server, ownerRole.id);
    const { key } = await commandLineKey(server, { owner: user.username, scopes: ["gps:read"] });
    const ofAdmin = [await server.createKey(), await server.createKey()];
    for (const { id } of ofAdmin) {
      const body = { role_id: keyRole.id };
      done(await server.post(`/v1/api-keys/${id}/roles`, { token: admin, body }));
    }
    const [byOwner, first, second] = await Promise.all(
      [key, ...ofAdmin.map((made) => made.key)].map(async (bearer) =>
        (await Client.open(server, { bearer })).subscribe("gps"),
      ),
    );
    await unassign(server, user.id, ownerRole.id);
    expect(await byOwner?.heard()).toEqual([lost("gps")]);
    const path = `/v1/api-keys/${ofAdmin[0]?.id}/roles/${keyRole.id}`;
    done(await server.delete(path, { token: admin }));
    expect(await first?.heard()).toEqual([lost("gps")]);
    expect(await second?.heard()).toEqual([]);
    done(await revoke(server, keyRole.id, "gps:read"));
    expect(await second?.heard()).toEqual([lost("gps")]);
    done(await server.post("/v1/gps", { token: device.key, body: fix() }));
    for (const client of [byOwner, first, second]) {
      expect(await client?.heard()).toEqual([]);
      await client?.close();
    }
  });

  test("may hear more at once when rights are gained", async () => {
    const role = await newRole(server);
    const user = await newUser(server, role.id);
    const client = await open(user.token);
    expect((await client.ask({ type: "subscribe", channel: "gps" })).type).toBe("error");
    done(await grant(server, role.id, "gps:read"));
    await expectHeard(client, rolePermissionsChanged(role), permissionsUpdated(user, "gps:read", ...OWN));
    await client.subscribe("gps");
    await client.close();
  });
});

describe("a role with hundreds of holders", () => {
  const HOLDERS = 700;

  /** Users beside the running server who hold a role. */
  function crew(roleId: string): string[] {
    return onDatabase(server, (database) =>
      Array.from({ length: HOLDERS }, (_, at) => {
        const id = Bun.randomUUIDv7();
        database.run("INSERT INTO users (id, username, created_at, updated_at) VALUES (?, ?, 0, 0)", [
          id,
          `crew_${at}_${id.slice(-4)}`,
        ]);
        for (const role of ["role_user", roleId])
          database.run("INSERT INTO user_roles (user_id, role_id) VALUES (?, ?)", [id, role]);
        return id;
      }),
    );
  }

  test("tells each of them, and answers other requests meanwhile", async () => {
    const role = await newRole(server, "gps:read");
    const crewIds = crew(role.id);
    const member = await newUser(server, role.id);
    const [client, watcher] = [await open(member.token), await watchAll()];
    const everybody = [...crewIds, member.id].sort();
    const toldOf = async (count: number) => {
      const messages: Message[] = [];
      while (messages.length < count) messages.push(await watcher.next());
      expect(await watcher.heard()).toEqual([]);
      return messages;
    };

    const answers = await Promise.all([
      grant(server, role.id, "trips:read"),
      ...Array.from({ length: 20 }, () => server.get("/v1/trips?limit=1", { token: admin })),
    ]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const granted = await toldOf(1 + everybody.length);
    expect(granted[0]).toEqual(rolePermissionsChanged(role));
    expect(
      granted
        .slice(1)
        .map(({ userId }) => userId)
        .sort(),
    ).toEqual(everybody);
    for (const message of granted.slice(1))
      expect(message).toEqual(permissionsUpdated({ id: message.userId }, "gps:read", "trips:read", ...OWN));

    const [, ...others] = await Promise.all([
      deleteRole(role.id),
      ...Array.from({ length: 20 }, () => server.get("/v1/trips?limit=1", { token: admin })),
    ]);
    expect(others.every(({ status }) => status === 200)).toBe(true);
    const deleted = await toldOf(2 * everybody.length);
    for (const type of ["rolesUpdated", "permissionsUpdated"])
      expect(
        deleted
          .filter((message) => message.type === type)
          .map(({ userId }) => userId)
          .sort(),
      ).toEqual(everybody);
    // Of each user: first the roles, then the permissions.
    const seen = new Set<string>();
    for (const { type, userId } of deleted)
      if (type === "rolesUpdated") seen.add(userId);
      else expect(seen.has(userId)).toBe(true);

    expect((await client.heard()).map(({ type }) => type)).toEqual([
      "rolePermissionsChanged",
      "permissionsUpdated",
      "rolesUpdated",
      "permissionsUpdated",
    ]);
    await Promise.all([client.close(), watcher.close()]);
  });
});
