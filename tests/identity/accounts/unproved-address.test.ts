import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { createKey, isAccepted, signsIn } from "../../support/credentials";
import { changesOf } from "../../support/events";
import { done, eventually, expectRefused, expectStatus } from "../../support/expectations";
import { mailsTo, nextMail } from "../../support/mail";
import { externalLogin, newUser, signInExternally, staff, type User, upsert } from "../../support/people";
import { newRole } from "../../support/roles";
import { TestServer } from "../../support/server";
import { HOUR } from "../../support/time";
import { accountsOf, accountsState } from "./support";

/**
 * An address that an administrator set is unproved: no external sign-in links by it until its user proves it.
 */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

let addresses = 0;
/** A user whose address somebody with `users:write` has set, and that address. */
async function withSetAddress(token?: Token): Promise<{ user: User; email: string }> {
  const user = await newUser(server);
  const email = `set-${++addresses}@example.net`;
  const change = { token: token ?? server.systemKey, body: { email } };
  expectStatus(await server.patch(`/v1/users/${user.id}`, change), 200);
  return { user, email };
}

/** An account that waits for its address's owner: its maker keeps a key, or an account on another platform. */
async function planted(kept: "key" | "account") {
  const rights = await newRole(server, "users:write", "api_keys:write");
  const user = await newUser(server, rights.id);
  const elsewhere = externalLogin({ email: user.email });
  if (kept === "account") await signInExternally(server, elsewhere);
  const key = kept === "key" ? (await createKey(server, user.token, [])).key : ("" as Token);
  const email = `planted-${++addresses}@example.net`;
  done(await server.patch(`/v1/users/${user.id}`, { token: user.token, body: { email } }));
  return { user, email, key, elsewhere };
}

let resets = 0;
async function reset(email: string, revoke_api_keys: boolean): Promise<void> {
  done(await server.post("/v1/auth/reset-password", { body: { email } }));
  const sent = async () => (await mailsTo(server, email)).filter(({ kind }) => kind === "password_reset");
  const seen = used.get(email) ?? 0;
  await eventually(async () => (await sent()).length > seen);
  const emails = await sent();
  used.set(email, emails.length);
  const body = { token: emails.at(-1)?.token, new_password: `another one ${++resets}`, revoke_api_keys };
  done(await server.post("/v1/auth/reset-password/complete", { body }));
}
/** Reset emails that were used already, by address. */
const used = new Map<string, number>();

const platformsOf = async (id: string): Promise<string[]> =>
  (await accountsOf(server, id)).map((account: { platform_slug: string }) => account.platform_slug);

/** Expects that a sign-in elsewhere with the address is refused, and leaves everything as it was. */
async function expectNoLink(user: User, email: string): Promise<void> {
  const before = accountsState(server);
  for (const address of [email, email.toUpperCase()])
    expectRefused(await upsert(server, externalLogin({ email: address })), 409, "Conflict");
  expect(accountsState(server)).toEqual(before);
  expect(await platformsOf(user.id)).toEqual(["email"]);
}

async function expectLink(user: User, email: string): Promise<void> {
  expect((await signInExternally(server, externalLogin({ email }))).id).toBe(user.id);
  expect(await platformsOf(user.id)).toEqual(["discord", "email"]);
}

/**
 * The holder of a mailbox who signs in elsewhere doesn't get an account to which somebody set that address.
 */
describe("an address that was set", () => {
  test("by a system key, a session or a key with users:write links nothing", async () => {
    const clerk = await staff(server, "users:write");
    for (const token of [server.systemKey, clerk.token, await server.key("users:write", "two_factor:*")]) {
      const { user, email } = await withSetAddress(token);
      await expectNoLink(user, email);
    }
  });

  test("by an administrator for the own account links nothing either", async () => {
    const user = await newUser(server, "role_admin");
    const email = "own@example.net";
    done(await server.patch(`/v1/users/${user.id}`, { token: user.token, body: { email } }));
    await expectNoLink(user, email);
  });

  test("links nothing while the user's other account vouches for another one", async () => {
    const { user, email } = await withSetAddress();
    const own = await server.post("/v1/users/oauth", {
      token: server.systemKey,
      body: externalLogin({ email, oauthProvider: "github", email_verified: false }),
    });
    expectRefused(own, 409, "Conflict");
    await expectNoLink(user, email);
  });

  test("is as good as any other for everything else", async () => {
    const { user, email } = await withSetAddress();
    expect(await signsIn(server, email, user.password)).toBe(true);
    const found = await server.get(`/v1/users/email/${email}`, { token: server.systemKey });
    expect(done(found).data).toMatchObject({ id: user.id, email });
    const registration = { email, username: "somebody_else", password: "a long passphrase" };
    expectRefused(await server.post("/v1/auth/register", { body: registration }), 409, "Conflict");
    const other = await newUser(server);
    const taken = { token: server.systemKey, body: { email } };
    expectRefused(await server.patch(`/v1/users/${other.id}`, taken), 409, "Conflict");
    // No account elsewhere takes it over.
    const elsewhere = externalLogin();
    await signInExternally(server, elsewhere);
    expect((await signInExternally(server, { ...elsewhere, email })).email).toBe(elsewhere.email);
  });
});

describe("it links once its user has proved it", () => {
  test("by a password reset", async () => {
    const { user, email } = await withSetAddress();
    await server.post("/v1/auth/reset-password", { body: { email } });
    const { token } = await nextMail(server, email, "password_reset");
    await expectNoLink(user, email);
    done(
      await server.post("/v1/auth/reset-password/complete", { body: { token, new_password: "another one" } }),
    );
    await expectLink(user, email);
  });

  test("by a password reset not while somebody else may still open the account: by a key", async () => {
    const { user, email, key } = await planted("key");
    const anothers = externalLogin({ email, oauthProvider: "google" });
    await reset(email, false);
    expectRefused(await upsert(server, anothers), 409, "Conflict");
    expect(await isAccepted(server, key)).toBe(true);
    // Once the keys are off, it is the reader's of the mailbox alone.
    await reset(email, true);
    expect(await isAccepted(server, key)).toBe(false);
    expect((await signInExternally(server, anothers)).id).toBe(user.id);
  });

  test("by a password reset not while somebody else may still open the account: by another platform", async () => {
    const { user, email, elsewhere } = await planted("account");
    await reset(email, true);
    expectRefused(await upsert(server, externalLogin({ email, oauthProvider: "google" })), 409, "Conflict");
    expect((await signInExternally(server, elsewhere)).id).toBe(user.id);
    expect(await platformsOf(user.id)).toEqual(["discord", "email"]);
  });

  test("by a verified change to the same address, which writes what changed", async () => {
    const { user, email } = await withSetAddress();
    const path = `/v1/users/${user.id}/email/request-change`;
    done(await server.post(path, { token: user.token, body: { email } }));
    const { token } = await nextMail(server, email, "email_change");
    await expectNoLink(user, email);
    done(await server.post("/v1/users/email/verify", { token: user.token, body: { token } }));
    expect(changesOf(server, user.id)).toEqual([["email"], ["email_change_requested"], ["email_verified"]]);
    expectRefused(await server.post(path, { token: user.token, body: { email } }), 409, "Conflict");
    await expectLink(user, email);
  });

  test("by a verified change to another one, which then is the one", async () => {
    const { user, email } = await withSetAddress();
    const proved = `proved-${email}`;
    const path = `/v1/users/${user.id}/email/request-change`;
    done(await server.post(path, { token: user.token, body: { email: proved } }));
    const { token } = await nextMail(server, proved, "email_change");
    done(await server.post("/v1/users/email/verify", { token: user.token, body: { token } }));
    await expectLink(user, proved);
  });

  test("and no longer once it is set anew", async () => {
    const user = await newUser(server);
    const set = `again-${user.email}`;
    done(await server.patch(`/v1/users/${user.id}`, { token: server.systemKey, body: { email: set } }));
    await expectNoLink(user, set);
    // The address that was proved before is free now.
    expect((await signInExternally(server, externalLogin({ email: user.email }))).id).not.toBe(user.id);
  });
});

describe("notices", () => {
  const MOST = 8;
  const tell = async (user: User, times: number) => {
    for (let n = 0; n < times; n++) await createKey(server, user.token, []);
  };
  const told = async (email: string) =>
    (await mailsTo(server, email)).filter(({ kind }) => kind === "api_key_created").length;
  const setAddress = async (user: User, email: string) =>
    done(await server.patch(`/v1/users/${user.id}`, { token: server.systemKey, body: { email } }));
  const maker = async () => newUser(server, (await newRole(server, "api_keys:write")).id);

  test("to an address that nobody proved are eight an hour, whatever the account; then they go on", async () => {
    const email = "stranger@example.net";
    const [first, second] = [await maker(), await maker()];
    await setAddress(first, email);
    await tell(first, MOST - 1);
    await setAddress(first, "elsewhere@example.net");
    await setAddress(second, email);
    await tell(second, 3);
    expect(await told(email)).toBe(MOST);
    await server.advance(HOUR);
    await tell(second, 1);
    expect(await told(email)).toBe(MOST + 1);
  });

  test("to a proved one are all sent, after it was proved as well", async () => {
    const proved = await maker();
    await tell(proved, MOST + 2);
    expect(await told(proved.email)).toBe(MOST + 2);
    const user = await maker();
    const email = "proved-later@example.net";
    await setAddress(user, email);
    await tell(user, MOST + 1);
    expect(await told(email)).toBe(MOST);
    await server.post(`/v1/users/${user.id}/email/request-change`, { token: user.token, body: { email } });
    const { token } = await nextMail(server, email, "email_change");
    done(await server.post("/v1/users/email/verify", { token: user.token, body: { token } }));
    await tell(user, 2);
    expect(await told(email)).toBe(MOST + 2);
  });
});
