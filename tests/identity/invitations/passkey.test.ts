import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Spoiled } from "../../support/authenticator";
import { eventsOf } from "../../support/events";
import { done, expectInvalid, expectRefused, expectStatus, statuses } from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { freshEmail, newPerson } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { listed, newAuthenticator, register, signInBy } from "../passkeys/support";
import { newInvitation, PATH } from "./support";

/** Invitations that are accepted with a passkey in place of a password. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

const optionsFor = (token: string, username: string) =>
  server.post(`${PATH}/${token}/passkey/options`, { body: { username } });
const accept = (token: string, body: object) => server.post(`${PATH}/${token}/accept`, { body });

/** An answer to an invitation's challenge. */
async function passkeyFor(token: string, username: string, spoiled: Spoiled = {}) {
  const authenticator = newAuthenticator(server);
  const { public_key } = done(await optionsFor(token, username));
  return { authenticator, passkey: { credential: await authenticator.create(public_key, spoiled) } };
}

/** Makes an account that has nothing but a passkey. */
async function accepted() {
  const { token } = await newInvitation(server);
  const { username, email } = newPerson();
  const { authenticator, passkey } = await passkeyFor(token, username);
  const session = expectStatus(await accept(token, { username, email, passkey }), 201).body;
  return { authenticator, session, username, email };
}

describe("an invitation", () => {
  test("is accepted with a username and a passkey, which then signs in", async () => {
    const { authenticator, session, username } = await accepted();
    expect(session).toMatchObject({ username, provider: "passkey", requires_2fa: false });
    expect(rows(server, "SELECT 1 FROM passwords WHERE user_id = ?", session.user_id)).toEqual([]);
    expect(
      eventsOf(server, session.user_id)
        .map(({ event_type }) => event_type)
        .sort(),
    ).toEqual([...["invitation_accepted", "passkey_added", "session_created", "user_created"]]);
    expect(done(await signInBy(server, authenticator)).user_id).toBe(session.user_id);
    const passkeys = await listed(server, session.session_token);
    expect(passkeys).toHaveLength(1);
    // It is the last way in, until there is another one.
    const path = `/v1/users/me/passkeys/${passkeys[0].id}`;
    expectRefused(await server.delete(path, { token: session.session_token }), 409, "Conflict");
    const second = newAuthenticator(server);
    await register(server, session.session_token, second);
    expect(second.userHandle).toBe(authenticator.userHandle);
    expectStatus(await server.delete(path, { token: session.session_token }), 204);
    done(await signInBy(server, second));
  });

  test("that was sent by email proves the address, with a passkey too", async () => {
    const email = freshEmail();
    await newInvitation(server, { email });
    const { token } = await newestMail(server, email);
    const { username } = newPerson();
    const { passkey } = await passkeyFor(token, username);
    const session = expectStatus(await accept(token, { username, passkey }), 201).body;
    expect(session.email).toBe(email);
  });

  test("shows the username in the passkey, in lower case", async () => {
    const { token } = await newInvitation(server);
    const { public_key } = done(await optionsFor(token, "Anna_B"));
    expect(public_key.user).toMatchObject({ name: "anna_b", displayName: "anna_b" });
    expect(public_key.excludeCredentials).toEqual([]);
  });

  test("takes a password or a passkey, not both and not neither", async () => {
    const { token } = await newInvitation(server);
    const { username, email, password } = newPerson();
    const { passkey } = await passkeyFor(token, username);
    expectInvalid(await accept(token, { username, email, password, passkey }), "/password");
    expectInvalid(await accept(token, { username, email }), "/password");
    expectInvalid(await accept(token, { username, email, passkey: {} }), "/passkey/credential");
    expectStatus(await accept(token, { username, email, passkey }), 201);
  });

  const SPOILED: Record<string, Spoiled> = {
    "for another origin": { origin: "https://evil.example" },
    "without a verified user": { isVerified: false },
    "with another challenge": { challenge: "AAAA" },
  };
  test.each(Object.entries(SPOILED))("stays open after a passkey %s", async (_, spoiled) => {
    const { token } = await newInvitation(server);
    const { username, email } = newPerson();
    const wrong = await passkeyFor(token, username, spoiled);
    expectInvalid(await accept(token, { username, email, passkey: wrong.passkey }), "/passkey/credential");
    const { passkey } = await passkeyFor(token, username);
    expectStatus(await accept(token, { username, email, passkey }), 201);
  });

  test("takes no passkey for another invitation, none that came too late, and none that is another account's", async () => {
    const [one, other] = [await newInvitation(server), await newInvitation(server)];
    const { username, email } = newPerson();
    const foreign = await passkeyFor(other.token, username);
    expectInvalid(
      await accept(one.token, { username, email, passkey: foreign.passkey }),
      "/passkey/credential",
    );
    const late = await passkeyFor(one.token, username);
    await server.advance(5 * MINUTE);
    expectInvalid(await accept(one.token, { username, email, passkey: late.passkey }), "/passkey/credential");
    const { authenticator } = await accepted();
    const { public_key } = done(await optionsFor(one.token, username));
    const taken = { credential: await authenticator.create(public_key) };
    expectRefused(await accept(one.token, { username, email, passkey: taken }), 409, "Conflict");
    expect(rows(server, "SELECT 1 FROM users WHERE username = ?", username)).toEqual([]);
    const { passkey } = await passkeyFor(one.token, username);
    expectStatus(await accept(one.token, { username, email, passkey }), 201);
    expectRefused(await optionsFor(one.token, username), 404, "NotFound");
    expectRefused(await optionsFor("unknown", username), 404, "NotFound");
  });

  test("makes one account of passkeys that come together", async () => {
    const { token } = await newInvitation(server);
    const { username, email } = newPerson();
    const made = [];
    for (let at = 0; at < 3; at++) made.push((await passkeyFor(token, username)).passkey);
    const answers = await Promise.all(made.map((passkey) => accept(token, { username, email, passkey })));
    expect(statuses(answers)[0]).toBe(201);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(rows(server, "SELECT 1 FROM users WHERE username = ?", username)).toHaveLength(1);
  });
});

describe("an account with nothing but a passkey", () => {
  test("answers a sign-in with a password as an unknown one does", async () => {
    const { username } = await accepted();
    const signIn = (identifier: string) =>
      server.post("/v1/auth/login", { body: { identifier, password: "a long passphrase" } });
    const [known, unknown] = [await signIn(username), await signIn("nobody_here")];
    expectRefused(known, 401, "Unauthorized");
    expect(known.body).toEqual(unknown.body);
  });

  test("schedules its deletion in a session of the last ten minutes", async () => {
    const { session, authenticator } = await accepted();
    const token = session.session_token;
    const schedule = () => server.post("/v1/users/me/deletion", { token, body: {} });
    await server.advance(10 * MINUTE);
    expectRefused(await schedule(), 403, "ReauthenticationRequired");
    const { public_key } = done(await server.post("/v1/auth/reauthenticate/options", { token }));
    const passkey = await authenticator.get(public_key);
    done(await server.post("/v1/auth/reauthenticate", { token, body: { passkey } }));
    expect(done(await schedule()).is_scheduled_for_deletion).toBe(true);
  });

  test("gets a password by a reset, if its authenticator is lost", async () => {
    const { username, email, authenticator } = await accepted();
    done(await server.post("/v1/auth/reset-password", { body: { email } }));
    const { token } = await newestMail(server, email);
    const new_password = "found again by email";
    done(await server.post("/v1/auth/reset-password/complete", { body: { token, new_password } }));
    const body = { identifier: username, password: new_password };
    done(await server.post("/v1/auth/login", { body }));
    // The address is proved now, by somebody who may be another one than who made the passkey.
    expectRefused(await signInBy(server, authenticator), 401, "Unauthorized");
  });

  test("keeps its passkey through a reset if the address was proved before", async () => {
    const email = freshEmail();
    await newInvitation(server, { email });
    const invited = await newestMail(server, email);
    const { username } = newPerson();
    const { authenticator, passkey } = await passkeyFor(invited.token, username);
    expectStatus(await accept(invited.token, { username, passkey }), 201);
    done(await server.post("/v1/auth/reset-password", { body: { email } }));
    const { token } = await newestMail(server, email);
    const body = { token, new_password: "found again by email" };
    done(await server.post("/v1/auth/reset-password/complete", { body }));
    done(await signInBy(server, authenticator));
  });
});
