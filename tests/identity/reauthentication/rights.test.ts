import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { commandLineKey, createKey, isAccepted } from "../../support/credentials";
import { eventsOf } from "../../support/events";
import { done, expectInvalid, expectRefused } from "../../support/expectations";
import { mailsTo, nextMail } from "../../support/mail";
import { externalUser, newUser, type User } from "../../support/people";
import { newRole, permissionId } from "../../support/roles";
import { rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";

import { guarded, nextCode } from "../two-factor/support";

/**
 * A stolen credential is not to live on in rights for another account, nor in somebody else's key or mailbox:
 * handing these out asks a session for a recent sign-in, and a user's key for a proof.
 */

let server: TestServer;
let thief: User;
/** Lets its holders have keys. */
let keyRole: string;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "auth.reauthentication_minutes": "10" },
  });
  keyRole = (await newRole(server, "api_keys:read", "api_keys:write")).id;
  thief = await newUser(server);
});
afterAll(() => server.stop());

const grownOld = () => server.advance(11 * 60_000);
const expectAsked = (answer: Answer) => expectRefused(answer, 403, "ReauthenticationRequired");

const state = () => ({
  holders: rows(server, "SELECT * FROM user_roles ORDER BY 1, 2"),
  grants: rows(server, "SELECT * FROM role_permissions ORDER BY 1, 2"),
  keys: rows(server, "SELECT id, key_hash, scopes, is_active, expires_at FROM api_keys ORDER BY id"),
  keyRoles: rows(server, "SELECT * FROM api_key_roles ORDER BY 1, 2"),
  addresses: rows(server, "SELECT user_id, email FROM platform_accounts ORDER BY 1, 2"),
  clients: rows(
    server,
    "SELECT id, secret_hash, redirect_uris, client_type, is_first_party FROM oauth_clients ORDER BY id",
  ),
  asked: rows(server, "SELECT id, user_id, email FROM verifications ORDER BY 1"),
});

/** A request by whoever `token` belongs to, with these fields besides. */
type Doing = (token: Token, more: object) => Promise<Answer>;

const keyOfAnother = async (): Promise<string> => {
  const { token } = await newUser(server, keyRole);
  return (await createKey(server, token, [])).id;
};

const clientOfAnother = async (): Promise<string> => {
  const { token } = await newUser(server);
  const body = { name: "Crew app", redirect_uris: ["https://app.example/callback"] };
  return done(await server.post("/v1/oauth/clients", { token, body })).client.id;
};

const GRANTS: Record<string, () => Promise<Doing>> = {
  "POST /v1/users/{id}/roles": async () => {
    const { id } = await newUser(server);
    return (token, more) =>
      server.post(`/v1/users/${id}/roles`, { token, body: { role_id: "role_super_admin", ...more } });
  },
  "POST /v1/roles/{id}/permissions": async () => {
    const { id } = await newRole(server);
    const permission_id = permissionId(server, "gps:read");
    return (token, more) =>
      server.post(`/v1/roles/${id}/permissions`, { token, body: { permission_id, ...more } });
  },
  "POST /v1/api-keys/{id}/regenerate, a system key": async () => {
    const { id } = await commandLineKey(server, { system: true });
    return (token, body) => server.post(`/v1/api-keys/${id}/regenerate`, { token, body });
  },
  "POST /v1/api-keys/{id}/regenerate, another user's": async () => {
    const id = await keyOfAnother();
    return (token, body) => server.post(`/v1/api-keys/${id}/regenerate`, { token, body });
  },
  "PATCH /v1/api-keys/{id}, the end of a system key": async () => {
    const { id } = await commandLineKey(server, { system: true });
    return (token, more) =>
      server.patch(`/v1/api-keys/${id}`, { token, body: { expires_at: "2099-01-01T00:00:00Z", ...more } });
  },
  "PATCH /v1/api-keys/{id}, another user's scopes": async () => {
    const id = await keyOfAnother();
    return (token, more) =>
      server.patch(`/v1/api-keys/${id}`, { token, body: { scopes: ["gps:read"], ...more } });
  },
  "POST /v1/api-keys/{id}/roles, another user's": async () => {
    const id = await keyOfAnother();
    return (token, more) =>
      server.post(`/v1/api-keys/${id}/roles`, { token, body: { role_id: "role_user", ...more } });
  },
  "POST /v1/oauth/clients/{id}/regenerate-secret": async () => {
    const id = await clientOfAnother();
    return (token, body) => server.post(`/v1/oauth/clients/${id}/regenerate-secret`, { token, body });
  },
  "PATCH /v1/oauth/clients/{id}, the redirect addresses": async () => {
    const id = await clientOfAnother();
    let asked = 0;
    return (token, more) =>
      server.patch(`/v1/oauth/clients/${id}`, {
        token,
        body: { redirect_uris: [`https://thief.example/${++asked}`], ...more },
      });
  },
  "PATCH /v1/oauth/clients/{id}, as the installation's own": async () => {
    const ids = [await clientOfAnother(), await clientOfAnother()];
    const isOurs = (id: string) =>
      rows(server, "SELECT 1 FROM oauth_clients WHERE id = ? AND is_first_party", id).length > 0;
    return (token, more) =>
      server.patch(`/v1/oauth/clients/${ids.find((id) => !isOurs(id))}`, {
        token,
        body: { is_first_party: true, ...more },
      });
  },
  "POST /v1/oauth/clients, as the installation's own": async () => (token, more) =>
    server.post("/v1/oauth/clients", {
      token,
      body: { name: "x", redirect_uris: ["https://thief.example/"], is_first_party: true, ...more },
    }),
  "PATCH /v1/oauth/clients/{id}, the type": async () => {
    const id = await clientOfAnother();
    const isPublic = () =>
      rows(server, "SELECT 1 FROM oauth_clients WHERE id = ? AND client_type = 'public'", id).length > 0;
    return (token, more) =>
      server.patch(`/v1/oauth/clients/${id}`, {
        token,
        body: { client_type: isPublic() ? "confidential" : "public", ...more },
      });
  },
  // Whoever has the mailbox has the account, by a reset of the password.
  "PATCH /v1/users/{id}, another user's address": async () => {
    const { id } = await newUser(server);
    let asked = 0;
    return (token, more) =>
      server.patch(`/v1/users/${id}`, {
        token,
        body: { email: `thief_${++asked}@example.net`, ...more },
      });
  },
  "POST /v1/users/{id}/email/request-change, another user's": async () => {
    const { id } = await newUser(server);
    return (token, more) =>
      server.post(`/v1/users/${id}/email/request-change`, {
        token,
        body: { email: "waiting@example.net", ...more },
      });
  },
};

describe.each(Object.entries(GRANTS))("%s", (_, prepare) => {
  let doing: Doing;
  let admin: Token;
  let key: Token;
  beforeAll(async () => {
    doing = await prepare();
    key = (await commandLineKey(server, { owner: ADMIN.username, scopes: ["*:*"] })).key;
    admin = (await server.login(ADMIN.username, ADMIN.password)).session_token;
    await grownOld();
  });

  test("is refused to an old session of a super admin and to a key, and changes nothing", async () => {
    const before = state();
    for (const token of [admin, key]) {
      expectAsked(await doing(token, {}));
      expectInvalid(await doing(token, { password: "not the password" }), "/password");
    }
    expect(state()).toEqual(before);
  });

  test("is done by the key with the password, and by a session just signed in", async () => {
    const before = state();
    expect((await doing(key, { password: ADMIN.password })).status).toBeOneOf([200, 201]);
    expect(state()).not.toEqual(before);
    // A key has no sign-in that the proof could have renewed.
    expectAsked(await doing(key, {}));
    const { session_token } = await server.login(ADMIN.username, ADMIN.password);
    expect((await doing(session_token, {})).status).toBeOneOf([200, 201]);
  });
});

describe("rights", () => {
  test("are handed out with a code where two-factor authentication is on, and not with the password", async () => {
    const admin = await guarded(server, "role_super_admin");
    await grownOld();
    const give = (more: object) =>
      server.post(`/v1/users/${thief.id}/roles`, {
        token: admin.token,
        body: { role_id: "role_moderator", ...more },
      });
    expectAsked(await give({ password: admin.password }));
    expect(eventsOf(server, thief.id, "role_assigned")).toEqual([]);
    done(await give({ code: await nextCode(server, admin.secret) }));
    expect(eventsOf(server, thief.id, "role_assigned")).toHaveLength(1);
  });

  test("are handed out by a system key without a proof, and taken away by an old session", async () => {
    const { id } = await newUser(server);
    const role = await newRole(server);
    const permission_id = permissionId(server, "gps:read");
    const admin = (await server.login(ADMIN.username, ADMIN.password)).session_token;
    await grownOld();
    const token = server.systemKey;
    done(await server.post(`/v1/roles/${role.id}/permissions`, { token, body: { permission_id } }));
    done(await server.post(`/v1/users/${id}/roles`, { token, body: { role_id: role.id } }));
    done(await server.delete(`/v1/users/${id}/roles/${role.id}`, { token: admin }));
    done(await server.delete(`/v1/roles/${role.id}/permissions/${permission_id}`, { token: admin }));
  });

  test("say for whom there is no user or role before they ask for a proof", async () => {
    const admin = (await server.login(ADMIN.username, ADMIN.password)).session_token;
    await grownOld();
    const nobody = "01890000-0000-7000-8000-000000000000";
    const roles = { token: admin, body: { role_id: "role_user" } };
    expectRefused(await server.post(`/v1/users/${nobody}/roles`, roles), 404, "NotFound");
    const permissions = { token: admin, body: { permission_id: permissionId(server, "gps:read") } };
    expectRefused(await server.post(`/v1/roles/${nobody}/permissions`, permissions), 404, "NotFound");
  });
});

test("an old session changes what leads nowhere else of an OAuth client, and sends the rest along unchanged", async () => {
  const user = await newUser(server);
  const body = { name: "Crew app", redirect_uris: ["https://app.example/callback"], client_type: "public" };
  const { id } = done(await server.post("/v1/oauth/clients", { token: user.token, body })).client;
  await grownOld();
  const change = { token: user.token, body: { ...body, name: "Night watch", is_active: false } };
  expect(done(await server.patch(`/v1/oauth/clients/${id}`, change)).data.name).toBe("Night watch");
});

describe("a system key that gets a new value", () => {
  const news = async (address: string) =>
    (await mailsTo(server, address)).filter(({ kind }) => kind === "api_key_regenerated");

  test("is told to the super admin who acts, though it belongs to nobody", async () => {
    const boss = await newUser(server, "role_super_admin");
    const { id, key } = await commandLineKey(server, { system: true });
    const answer = await server.post(`/v1/api-keys/${id}/regenerate`, { token: boss.token });
    const { key: changed, key_prefix } = done(answer);
    expect(await isAccepted(server, key)).toBe(false);
    const { text } = await nextMail(server, boss.email, "api_key_regenerated");
    expect(text).toContain("system key");
    expect(text).toContain(key_prefix);
    expect(text).not.toContain(changed);
  });

  test("is told to its owner and to who acts, once each", async () => {
    const [boss, owner] = [
      await newUser(server, "role_super_admin"),
      await newUser(server, "role_super_admin"),
    ];
    const { id } = await commandLineKey(server, { system: true, owner: owner.username });
    done(await server.post(`/v1/api-keys/${id}/regenerate`, { token: boss.token }));
    for (const { email } of [boss, owner]) {
      await nextMail(server, email, "api_key_regenerated");
      expect(await news(email)).toHaveLength(1);
    }
    done(await server.post(`/v1/api-keys/${id}/regenerate`, { token: owner.token }));
    const queued = () =>
      rows(
        server,
        "SELECT id FROM outbox WHERE lane = 'email' AND user_id = ? AND kind = 'api_key_regenerated'",
        owner.id,
      ).length;
    expect(queued()).toBe(2);
  });

  test("is told however many emails about other keys went out", async () => {
    const boss = await newUser(server, "role_super_admin");
    for (let count = 0; count < 21; count++) await createKey(server, boss.token, []);
    const { id } = await commandLineKey(server, { system: true });
    done(await server.post(`/v1/api-keys/${id}/regenerate`, { token: boss.token }));
    await nextMail(server, boss.email, "api_key_regenerated");
  });
});

test("a key gives nobody else an address and a password to sign in with without a code", async () => {
  const admin = await guarded(server, "role_super_admin");
  const { key } = await commandLineKey(server, { owner: admin.username, scopes: ["*:*"] });
  const user = await externalUser(server);
  const link = (token: Token, more: object = {}) =>
    server.post(`/v1/users/${user.id}/email-link/request`, {
      token,
      body: { email: "linked.by.key@example.net", password: "a long passphrase", ...more },
    });
  const before = state();
  expectAsked(await link(key));
  expect(state()).toEqual(before);
  done(await link(key, { code: await nextCode(server, admin.secret) }));
  done(await link(server.systemKey));
});

test("tries of passwords in these bodies are counted", async () => {
  const limited = await TestServer.start({
    settings: {
      "auth.reauthentication_minutes": "10",
      "rate_limit.enabled": "true",
      "rate_limit.login": "3/3600",
    },
  });
  try {
    const { token, id } = await newUser(limited, "role_super_admin");
    const permission_id = permissionId(limited, "gps:read");
    const tries = [
      () =>
        limited.post(`/v1/users/${id}/roles`, { token, body: { role_id: "role_user", password: "wrong" } }),
      () =>
        limited.post("/v1/roles/role_user/permissions", {
          token,
          body: { permission_id, password: "wrong" },
        }),
    ];
    const statuses = [];
    for (const attempt of [0, 1, 0, 1, 0]) statuses.push((await tries[attempt]?.())?.status);
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
  } finally {
    await limited.stop();
  }
});

test("by default a key hands out rights and gives a system key a new value, and no proof is looked at", async () => {
  const usual = await TestServer.start();
  try {
    const { key } = await commandLineKey(usual, { owner: ADMIN.username, scopes: ["*:*"] });
    const { id } = await newUser(usual);
    const system = await commandLineKey(usual, { system: true });
    const body = { role_id: "role_moderator", password: "wrong", code: "wrong" };
    expect((await usual.post(`/v1/users/${id}/roles`, { token: key, body })).status).toBe(200);
    expect((await usual.post(`/v1/api-keys/${system.id}/regenerate`, { token: key })).status).toBe(200);
  } finally {
    await usual.stop();
  }
});
