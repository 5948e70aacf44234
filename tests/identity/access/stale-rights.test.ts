import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { done, expectRefused } from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { externalLogin, externalUser, newPerson, newUser, staff, type User } from "../../support/people";
import { holdCommits } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { accountsOf } from "../accounts/support";
import { verifyEmail } from "../auth/support";
import {
  type Actor,
  adminRequests,
  ban,
  bodilessRequests,
  demote,
  everything,
  forceDelete,
  logout,
  newActor,
  ownRequests,
  recordsOf,
  remove,
  shown,
  trackingRequests,
} from "./stale-rights-support";

/**
 * Rights that end between a request's admission and its commit, and between a request and the use of the
 * token that it made (rules C7, R3 and R6). Rights that end while a body is on its way:
 * held-requests.test.ts.
 */
let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "metrics.enabled": "true" } });
  admin = await server.admin();
});
afterAll(() => server.stop());

const assign = (id: string, role_id: string, token = admin) =>
  server.post(`/v1/users/${id}/roles`, { token, body: { role_id } });
const takeRole = (id: string, role: string, token = admin) =>
  server.delete(`/v1/users/${id}/roles/${role}`, { token });
const rolesOf = async (id: string): Promise<string[]> =>
  (await server.get(`/v1/users/${id}/roles`, { token: admin })).body.roles.map(
    (role: { id: string }) => role.id,
  );

describe("requests that wait for the same commit", () => {
  /** Waits until a change waits for its commit: a request sent later may overtake it on another connection. */
  async function untilOneWaits(): Promise<void> {
    for (;;) {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      if (/^fairlead_queue_length\{queue="transactions"\} [1-9]/m.test(metrics)) return;
    }
  }

  /** Sends requests one after the other, all of them before the first is committed. */
  async function inOneCommit(asks: (() => Promise<Answer>)[]): Promise<Answer[]> {
    const release = holdCommits(server);
    const answers: Promise<Answer>[] = [];
    for (const ask of asks) {
      answers.push(ask());
      if (answers.length === 1) await untilOneWaits();
      // This answer proves that the earlier requests have been admitted.
      await server.get("/health/live");
    }
    release();
    return Promise.all(answers);
  }

  /**
   * Sends all of an actor's requests after the request that ends the rights; expects this status for each,
   * and no effect.
   */
  async function expectAllRefused(
    actor: Actor,
    end: (server: TestServer, actor: Actor) => Promise<Answer>,
    status: number,
    events: string[],
  ): Promise<void> {
    const asks = [
      ...ownRequests(actor),
      ...adminRequests(actor),
      ...trackingRequests(actor).filter(({ token }) => token === actor.token),
      ...bodilessRequests(actor),
    ];
    const [before, records] = [auditRows(server).length, recordsOf(server)];
    const [ended, ...answers] = await inOneCommit([
      () => end(server, actor),
      ...asks.map(
        ({ method, path, token, body }) =>
          () =>
            server.request(method, path, { token, body }),
      ),
    ]);
    expect(ended?.status).toBeLessThan(300);
    expect(answers.map((answer, at) => [asks.map(shown)[at], answer.status])).toEqual(
      asks.map((ask) => [shown(ask), status]),
    );
    expect(recordsOf(server)).toEqual(records);
    // Any other change leaves an event, in the same transaction.
    const written = auditRows(server).slice(before);
    expect(written.map(({ event_type }) => event_type).sort()).toEqual(events);
  }

  test.each([
    ["a logout", logout, ["logout"]],
    ["a ban", ban, ["session_revoked", "user_banned"]],
    ["a deletion", remove, ["api_key_revoked", "session_revoked", "user_deleted"]],
    ["a forced deletion", forceDelete, ["api_key_revoked", "session_revoked", "user_deleted"]],
  ])("are refused with 401 behind %s, and change nothing", async (_, end, events) => {
    await expectAllRefused(await newActor(server), end, 401, events);
  });

  test("are refused with 403 behind the removal of a role, and change nothing", async () => {
    const actor = await newActor(server);
    await expectAllRefused(actor, demote, 403, ["role_removed"]);
    // The credential itself stays valid, with the remaining rights.
    const change = { token: actor.token, body: { privacy_mode: true } };
    expect((await server.patch(`/v1/users/${actor.id}`, change)).status).toBe(200);
  });

  test("give nobody back the role that is being taken", async () => {
    const actor = await newActor(server);
    const [taken, given, again] = await inOneCommit([
      () => demote(server, actor),
      () => assign(actor.id, "role_admin", actor.token),
      () => assign(actor.id, "role_admin", actor.token),
    ]);
    expect(taken?.status).toBe(200);
    for (const answer of [given, again]) expectRefused(answer as Answer, 403, "Forbidden");
    expect(await rolesOf(actor.id)).toEqual(["role_user"]);
  });

  test("link no address to an account whose session ends while the password is hashed", async () => {
    const user = await externalUser(server);
    const path = `/v1/users/${user.id}/email-link/request`;
    const body = { email: newPerson().email, password: "a long passphrase" };
    const [ended, asked] = await inOneCommit([
      () => server.post("/v1/auth/logout", { token: user.token }),
      () => server.post(path, { token: user.token, body }),
    ]);
    expect(ended?.status).toBe(200);
    expectRefused(asked as Answer, 401, "Unauthorized");
    const pending = await server.get(`/v1/users/${user.id}/email-link/pending`, { token: admin });
    expect(pending.body).toEqual({ pending: false, email: null, expires_at: null });
  });

  test("of a system key that is switched off sign nobody in and write no event", async () => {
    const user = await externalUser(server);
    const { id, key: token } = await commandLineKey(server, { system: true });
    const event = { event_type: "too_late", resource_type: "user", status: "success", metadata: null };
    const late = [
      ["/v1/sessions", { userId: user.id, expires: "2099-01-01T00:00:00Z" }],
      ["/v1/users/oauth", externalLogin()],
      ["/v1/users/oauth", { ...externalLogin(), oauthProviderId: user.providerId, name: "Renamed" }],
      ["/v1/auth/2fa/check", { user_id: user.id }],
      ["/v1/internal/audit", { ...event, user_id: user.id, source_service: "api" }],
    ] as const;
    const socket = await Client.open(server, { bearer: token });
    const kept = () =>
      everything(server).filter(([table]) => table !== "api_keys" && table !== "audit_events");
    const before = kept();
    const events = auditRows(server).length;
    const [ended, ...answers] = await inOneCommit([
      () => server.patch(`/v1/api-keys/${id}`, { token: admin, body: { is_active: false } }),
      ...late.map(
        ([path, body]) =>
          () =>
            server.post(path, { token, body }),
      ),
    ]);
    expect(ended?.status).toBe(200);
    for (const answer of answers) expectRefused(answer, 401, "Unauthorized");
    expect(kept()).toEqual(before);
    expect(auditRows(server).slice(events)).toMatchObject([{ event_type: "api_key_updated" }]);
    expect((await socket.closed).code).toBe(4401);
  });
});

test("who loses a role and gives it back to the own account at the same moment has lost it", async () => {
  const actor = await newActor(server);
  for (let round = 0; round < 10; round++) {
    const give = () => assign(actor.id, "role_admin", actor.token);
    const answers = await Promise.all([give(), give(), takeRole(actor.id, "role_admin"), give(), give()]);
    expect(answers[2]?.status).toBeLessThan(300);
    expect(await rolesOf(actor.id)).toEqual(["role_user"]);
    done(await assign(actor.id, "role_admin"));
  }
});

// --- Addresses that somebody else requested ------------------------------------------------------------------

interface Asked {
  /** The requester, who may change users. */
  clerk: User;
  /** The owner of the account. */
  user: { id: string; token: Token };
  email: string;
  /** All ways to apply it. */
  ways: (() => Promise<Answer>)[];
}

/** A clerk requests another address for a user. */
async function changeAsked(): Promise<Asked> {
  return asked(await newUser(server), "email/request-change", "/v1/users/email/verify");
}

/** A clerk requests an address and a password for a user who signs in elsewhere. */
async function linkAsked(): Promise<Asked> {
  return asked(await externalUser(server), "email-link/request", "/v1/users/email-link/verify");
}

async function asked(user: Asked["user"], path: string, verify: string): Promise<Asked> {
  const clerk = await staff(server, "users:write");
  const { email } = newPerson();
  const body = path.startsWith("email-link") ? { email, password: "the clerk's passphrase" } : { email };
  done(await server.post(`/v1/users/${user.id}/${path}`, { token: clerk.token, body }));
  const { token } = await newestMail(server, email);
  const by = (credential: Token) => () => server.post(verify, { token: credential, body: { token } });
  return { clerk, user, email, ways: [by(user.token), by(admin), () => verifyEmail(server, token)] };
}

const addressesOf = async (id: string): Promise<string[]> =>
  (await accountsOf(server, id)).map((account: { email: string }) => account.email);

async function expectRefusedByAllWays({ ways }: Asked, status: number, error: string): Promise<void> {
  const before = everything(server);
  for (const way of ways) expectRefused(await way(), status, error);
  expect(everything(server)).toEqual(before);
}

describe.each([
  ["a change of address", changeAsked],
  ["a link of an address", linkAsked],
])("%s that a clerk asked for", (_, ask) => {
  test("is applied by each way while nothing has changed", async () => {
    for (const at of [0, 1, 2]) {
      const { user, email, ways } = await ask();
      expect((await ways[at]?.())?.status).toBe(200);
      expect(await addressesOf(user.id)).toContain(email);
    }
  });

  test("is applied no longer once the user may do more than the clerk; then it is again", async () => {
    const request = await ask();
    done(await assign(request.user.id, "role_admin"));
    await expectRefusedByAllWays(request, 400, "BadRequest");
    expect(await addressesOf(request.user.id)).not.toContain(request.email);
    done(await takeRole(request.user.id, "role_admin"));
    expect((await request.ways[2]?.())?.status).toBe(200);
    expect(await addressesOf(request.user.id)).toContain(request.email);
  });

  test("is applied no longer once the clerk is banned, and then deleted", async () => {
    const request = await ask();
    done(await server.post(`/v1/users/${request.clerk.id}/ban`, { token: admin, body: {} }));
    await expectRefusedByAllWays(request, 400, "BadRequest");
    done(await server.delete(`/v1/users/${request.clerk.id}/ban`, { token: admin }));
    done(await server.delete(`/v1/users/${request.clerk.id}`, { token: admin }));
    await expectRefusedByAllWays(request, 400, "BadRequest");
  });

  test("is applied no longer once the clerk may not change users any more", async () => {
    const request = await ask();
    for (const role of await rolesOf(request.clerk.id))
      if (role !== "role_user") done(await takeRole(request.clerk.id, role));
    await expectRefusedByAllWays(request, 400, "BadRequest");
  });
});

describe("the own pending address of a banned user", () => {
  test.each([
    ["email/request-change", newUser, {}],
    ["email-link/request", externalUser, { password: "a long passphrase" }],
  ] as const)("waits until the ban ends: %s", async (path, make, more) => {
    const user = await make(server);
    const { email } = newPerson();
    done(await server.post(`/v1/users/${user.id}/${path}`, { token: user.token, body: { email, ...more } }));
    const { token } = await newestMail(server, email);
    const verify = path.replace(/\/request.*/, "/verify");
    done(await server.post(`/v1/users/${user.id}/ban`, { token: admin, body: {} }));
    const before = everything(server);
    const byAdmin = await server.post(`/v1/users/${verify}`, { token: admin, body: { token } });
    for (const answer of [byAdmin, await verifyEmail(server, token)])
      expectRefused(answer, 403, "AccountBanned");
    expect(everything(server)).toEqual(before);
    done(await server.delete(`/v1/users/${user.id}/ban`, { token: admin }));
    expect((await verifyEmail(server, token)).status).toBe(200);
    expect(await addressesOf(user.id)).toContain(email);
  });
});
