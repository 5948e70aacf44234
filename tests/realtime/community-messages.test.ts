import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { link } from "../identity/accounts/support";
import { done, expectRefused } from "../support/expectations";
import { externalLogin, externalUser, newUser, signInExternally, upsert } from "../support/people";
import { milliseconds, read, subscribeInBinary } from "../support/protobuf";
import { assign, grant, newRole, revoke, unassign } from "../support/roles";
import { onDatabase, rows } from "../support/rows";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";

/**
 * Messages to community bots about users who have an account on their platform (rule W3). Nobody else hears
 * them, and none is in JSON: both-formats.test.ts.
 */
const OWN = ["two_factor:read", "two_factor:write"];

let server: TestServer;
let admin: string;
let bot: Client;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  bot = await subscribeInBinary(
    await Client.open(server, { bearer: await server.key("community:sync") }),
    "community",
  );
});
afterAll(async () => {
  await bot.close();
  await server.stop();
});

interface Payload {
  discordId: string;
  userId: string;
  timestamp: object;
  [field: string]: unknown;
}

/** The bot's next message: its type and its payload, whose time must be the present one. */
async function heard(from = bot): Promise<Record<string, unknown>> {
  const { type, ...payloads } = read(await from.next());
  const [[name, payload] = ["", {}]] = Object.entries(payloads);
  const { timestamp, ...fields } = payload as Payload;
  expect(Math.abs(milliseconds(timestamp) - Date.now())).toBeLessThan(60_000);
  return { type, [name]: fields };
}

const linked = (discordId: string, userId: string, discordUsername: string, avatarUrl: string | null) => ({
  type: 70,
  discordUserLinked: { discordId, userId, discordUsername, ...(avatarUrl !== null && { avatarUrl }) },
});
const unlinked = (discordId: string, userId: string) => ({
  type: 71,
  discordUserUnlinked: { discordId, userId },
});
const mayNow = (discordId: string, userId: string, ...permissions: string[]) => ({
  type: 72,
  discordPermissionChanged: { discordId, userId, ...(permissions.length > 0 && { permissions }) },
});

/** Expects that the bot has heard nothing more. */
const expectSilence = async () => expect(await bot.heard()).toEqual([]);

/** A user with an account on Discord, whose message the bot has received. */
async function member() {
  const user = await externalUser(server);
  await heard();
  return user;
}

/** A user with an address and an account on Discord, whose message the bot has received. */
async function linkedUser() {
  const user = await newUser(server);
  const accountId = await link(server, user, "discord");
  const { discordUserLinked } = await heard();
  return { ...user, accountId, discordId: (discordUserLinked as Payload).discordId };
}

describe("an account that is linked", () => {
  test("with a new user is told once the user is there, rights and all", async () => {
    const body = externalLogin({ name: "Jürgen ⚓" });
    const signingIn = signInExternally(server, body);
    const message = await heard();
    const { userId } = message.discordUserLinked as Payload;
    const { permissions } = done(await server.get(`/v1/users/${userId}/permissions`, { token: admin }));
    expect(permissions).toEqual(OWN);
    expect(userId).toBe((await signingIn).id);
    expect(message).toEqual(linked(body.oauthProviderId, userId, "Jürgen ⚓", body.image));
    await expectSilence();
  });

  test("without a picture is told without one", async () => {
    const body = externalLogin({ image: null });
    const { id } = await signInExternally(server, body);
    expect(await heard()).toEqual(linked(body.oauthProviderId, id, body.name, null));
  });

  test("to a user who is there already is told of that user", async () => {
    const user = await newUser(server);
    const body = externalLogin({ email: user.email });
    await signInExternally(server, body);
    expect(await heard()).toEqual(linked(body.oauthProviderId, user.id, body.name, body.image));
    await expectSilence();
  });

  test("is told no second time at the next sign-in, whatever is new of it", async () => {
    const body = externalLogin();
    await signInExternally(server, body);
    await heard();
    await signInExternally(server, body);
    await signInExternally(server, { ...body, name: "Another name", image: null });
    await expectSilence();
  });

  test("elsewhere, or refused, is told to no bot", async () => {
    const user = await newUser(server);
    for (const platform of ["twitch", "youtube", "google", "github"]) await link(server, user, platform);
    expectRefused(
      await upsert(server, externalLogin({ email: user.email, email_verified: false })),
      409,
      "Conflict",
    );
    expectRefused(await upsert(server, { ...externalLogin(), name: undefined }), 400, "ValidationError");
    await expectSilence();
  });
});

describe("an account that is unlinked", () => {
  test("is told by its identifiers, and can then be linked again", async () => {
    const { id, token, email, accountId, discordId } = await linkedUser();
    done(await server.delete(`/v1/users/${id}/accounts/${accountId}`, { token }));
    expect(await heard()).toEqual(unlinked(discordId, id));
    await signInExternally(
      server,
      externalLogin({ email, oauthProviderId: discordId, name: "Back", image: null }),
    );
    expect(await heard()).toEqual(linked(discordId, id, "Back", null));
    await expectSilence();
  });

  test("elsewhere, or not for good reason, is told to no bot", async () => {
    const user = await linkedUser();
    const github = await link(server, user, "github");
    const path = `/v1/users/${user.id}/accounts`;
    done(await server.delete(`${path}/${github}`, { token: user.token }));
    done(await server.put(`${path}/${user.accountId}/primary`, { token: user.token }));
    expectRefused(await server.delete(`${path}/${user.accountId}`, { token: user.token }), 409, "Conflict");
    await expectSilence();
  });

  test("by the deletion of its user for good is told, by a soft one not", async () => {
    const user = await member();
    done(await server.delete(`/v1/users/${user.id}`, { token: admin }));
    await expectSilence();
    done(await server.post(`/v1/admin/users/${user.id}/force-delete`, { token: admin, body: {} }));
    expect(await heard()).toEqual(unlinked(user.providerId, user.id));
    await expectSilence();
  });
});

describe("what a user with an account may do", () => {
  test("is told whenever it changes, with all that is permitted then", async () => {
    const user = await member();
    const role = await newRole(server, "gps:read");
    const told = async (...permissions: string[]) =>
      expect(await heard()).toEqual(mayNow(user.providerId, user.id, ...permissions));
    await assign(server, user.id, role.id);
    await told("gps:read", ...OWN);
    done(await grant(server, role.id, "trips:read"));
    await told("gps:read", "trips:read", ...OWN);
    done(await revoke(server, role.id, "gps:read"));
    await told("trips:read", ...OWN);
    done(await server.delete(`/v1/roles/${role.id}`, { token: admin }));
    await told(...OWN);
    await assign(server, user.id, "role_super_admin");
    await told("*:*");
    await unassign(server, user.id, "role_super_admin");
    await told(...OWN);
    await unassign(server, user.id, "role_user");
    await told();
    await expectSilence();
  });

  test("is told of no other change: of roles, bans, pictures and addresses", async () => {
    const user = await member();
    const role = await newRole(server, ...OWN);
    await assign(server, user.id, role.id);
    const rename = { token: admin, body: { name: `${role.name} again` } };
    done(await server.patch(`/v1/roles/${role.id}`, rename));
    await unassign(server, user.id, role.id);
    const { token } = user;
    done(await server.patch(`/v1/users/${user.id}`, { token, body: { avatars_enabled: false } }));
    done(await server.post(`/v1/users/${user.id}/ban`, { token: admin, body: {} }));
    done(await server.delete(`/v1/users/${user.id}/ban`, { token: admin }));
    await expectSilence();
  });

  test("is told of nobody who has no account on Discord, or none any more", async () => {
    const stranger = await newUser(server);
    await assign(server, stranger.id, "role_admin");
    await link(server, stranger, "twitch");
    await unassign(server, stranger.id, "role_admin");
    const { id, token, accountId, discordId } = await linkedUser();
    done(await server.delete(`/v1/users/${id}/accounts/${accountId}`, { token }));
    expect(await heard()).toEqual(unlinked(discordId, id));
    await assign(server, id, "role_admin");
    await expectSilence();
  });

  test("is told once for each of two accounts", async () => {
    const user = await member();
    // The API links one account of a platform; an older database may hold two.
    onDatabase(server, (database) =>
      database.run(
        `INSERT INTO platform_accounts (id, user_id, platform_id, platform_user_id, username, created_at, updated_at)
         SELECT ?, user_id, platform_id, ?, 'second', 0, 0 FROM platform_accounts WHERE user_id = ?`,
        [Bun.randomUUIDv7(), `${user.providerId}-2`, user.id],
      ),
    );
    await assign(server, user.id, (await newRole(server, "gps:read")).id);
    for (const discordId of [user.providerId, `${user.providerId}-2`])
      expect(await heard()).toEqual(mayNow(discordId, user.id, "gps:read", ...OWN));
    done(await server.post(`/v1/admin/users/${user.id}/force-delete`, { token: admin, body: {} }));
    const last = [await heard(), await heard()];
    expect(last).toEqual([unlinked(user.providerId, user.id), unlinked(`${user.providerId}-2`, user.id)]);
  });
});

describe("a role with hundreds of holders", () => {
  const HOLDERS = 500;

  /**
   * Users beside the running server who hold a role; every second one is on Discord, with the same
   * identifier.
   */
  function crew(roleId: string): string[] {
    const [discord] = rows<{ id: string }>(server, "SELECT id FROM platforms WHERE slug = 'discord'");
    return onDatabase(server, (database) =>
      Array.from({ length: HOLDERS }, (_, at) => {
        const id = Bun.randomUUIDv7();
        database.run("INSERT INTO users (id, username, created_at, updated_at) VALUES (?, ?, 0, 0)", [
          id,
          `crew_${at}`,
        ]);
        database.run("INSERT INTO user_roles (user_id, role_id) VALUES (?, ?)", [id, roleId]);
        if (at % 2 === 0)
          database.run(
            `INSERT INTO platform_accounts (id, user_id, platform_id, platform_user_id, username, created_at, updated_at)
             VALUES (?, ?, ?, ?, 'crew', 0, 0)`,
            [Bun.randomUUIDv7(), id, discord?.id ?? "", `on-discord-${id}`],
          );
        return id;
      }),
    );
  }

  test("is told of each who is on Discord, once, though none of them listens", async () => {
    const role = await newRole(server, "gps:read");
    const onDiscord = crew(role.id).filter((_, at) => at % 2 === 0);
    const answers = await Promise.all([
      grant(server, role.id, "trips:read"),
      ...Array.from({ length: 10 }, () => server.get("/v1/trips?limit=1", { token: admin })),
    ]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const told = [];
    while (told.length < onDiscord.length) told.push(await heard());
    expect(told.map((message) => JSON.stringify(message)).sort()).toEqual(
      onDiscord.map((id) => JSON.stringify(mayNow(`on-discord-${id}`, id, "gps:read", "trips:read"))).sort(),
    );
    await expectSilence();
  });
});

describe("a bot", () => {
  test("hears in binary also when it subscribed in text, and nothing once it left", async () => {
    const bearer = await server.key("community:sync");
    const second = await (await Client.open(server, { bearer })).subscribe("community");
    const user = await externalUser(server);
    const message = await heard();
    expect(await heard(second)).toEqual(message);
    await second.ask({ type: "unsubscribe", channel: "community" });
    await assign(server, user.id, "role_admin");
    await heard();
    expect(await second.heard()).toEqual([]);
    await second.close();
  });

  test("hears nothing more once its key lost community:sync", async () => {
    const { id, key } = await server.createKey("community:sync");
    const second = await subscribeInBinary(await Client.open(server, { bearer: key }), "community");
    done(await server.patch(`/v1/api-keys/${id}`, { token: admin, body: { scopes: ["community:read"] } }));
    expect(read(await second.next())).toEqual({
      type: 20,
      error: { message: "Access to channel ended: community" },
    });
    await member();
    expect(await second.heard()).toEqual([]);
    await second.close();
  });
});
