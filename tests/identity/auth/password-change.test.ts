import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { isAccepted, login } from "../../support/credentials";
import { audited, withoutAudit } from "../../support/events";
import { statuses } from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { externalUser, newPerson, newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  changePassword,
  completeReset,
  PASSWORDS,
  registrationState,
  requestEmailChange,
  resetToken,
  verifyEmail,
} from "./support";

/** POST /v1/users/me/password: a new password ends the other sessions (rule A5). Its limit: limits.test.ts. */
const NEW = "a new passphrase";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ hashes: "full" });
});
afterAll(() => server.stop());

const signIn = async ({ username, password }: User) =>
  (await login(server, username, password)).body as { session_token: string; session_id: string };

/** Expects the status, and that everything stayed as it was. */
async function expectRefusal(ask: () => Promise<Answer>, status: number, path?: string) {
  const before = registrationState(server);
  const answer = await ask();
  expect(answer.status).toBe(status);
  if (path) {
    expect(answer.body.error).toBe("ValidationError");
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  }
  expect(registrationState(server)).toEqual(before);
  return answer;
}

test("sets the password, keeps the session that asks, and ends the user's others alone", async () => {
  const [user, bystander] = [await newUser(server), await newUser(server)];
  const others = [await signIn(user), await signIn(user)];
  const { status, body } = await changePassword(server, user.token, user.password, NEW);
  expect([status, body]).toEqual([200, { message: expect.any(String) }]);
  expect((await login(server, user.email, user.password)).status).toBe(401);
  expect((await login(server, user.email, NEW)).status).toBe(200);
  for (const { session_token } of others) expect(await isAccepted(server, session_token)).toBe(false);
  for (const token of [user.token, bystander.token]) expect(await isAccepted(server, token)).toBe(true);
  const [stored] = rows<{ hash: string }>(server, "SELECT hash FROM passwords WHERE user_id = ?", user.id);
  expect(stored?.hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
});

test("makes reset links and a pending change of address useless", async () => {
  const user = await newUser(server);
  const reset = await resetToken(server, user);
  const change = await requestEmailChange(server, user, newPerson().email);
  expect((await changePassword(server, user.token, user.password, NEW)).status).toBe(200);
  await expectRefusal(() => completeReset(server, reset, "yet another passphrase"), 400);
  await expectRefusal(() => verifyEmail(server, change), 400);
  expect((await login(server, user.email, NEW)).status).toBe(200);
});

test("takes its own new password for the next change", async () => {
  const user = await newUser(server);
  expect((await changePassword(server, user.token, user.password, NEW)).status).toBe(200);
  await expectRefusal(() => changePassword(server, user.token, user.password, NEW), 400, "/current_password");
  expect((await changePassword(server, user.token, NEW, user.password)).status).toBe(200);
  expect((await login(server, user.email, user.password)).status).toBe(200);
});

test("refuses a wrong present password with 400, and nothing changes", async () => {
  const [user, other] = [await newUser(server), await newUser(server)];
  const session = await signIn(user);
  for (const wrong of ["not the password", other.password, user.password.toUpperCase(), ` ${user.password}`])
    await expectRefusal(() => changePassword(server, user.token, wrong, NEW), 400, "/current_password");
  for (const token of [user.token, session.session_token]) expect(await isAccepted(server, token)).toBe(true);
  expect((await login(server, user.email, user.password)).status).toBe(200);
  expect((await login(server, user.email, NEW)).status).toBe(401);
});

test.each(PASSWORDS)("new password: %p for %s", async (fits, _, password) => {
  const user = await newUser(server);
  const change = () => changePassword(server, user.token, user.password, password);
  if (!fits) return void (await expectRefusal(change, 400, "/new_password"));
  expect((await change()).status).toBe(200);
  expect((await login(server, user.email, password)).status).toBe(200);
});

test.each(["current_password", "new_password"])(
  "refuses a request without %s, or with no string",
  async (field) => {
    const user = await newUser(server);
    for (const value of [undefined, null, "", 12345678]) {
      const body = { current_password: user.password, new_password: NEW, [field]: value };
      const ask = () => server.post("/v1/users/me/password", { token: user.token, body });
      await expectRefusal(ask, 400, `/${field}`);
    }
  },
);

test("needs a session token: 401 for a key and for nothing", async () => {
  const key = await server.key("*:*");
  const body = { current_password: "correct horse battery", new_password: NEW };
  for (const token of [key, server.systemKey, "ses_wrong", undefined]) {
    const options = token === undefined ? { body } : { body, token };
    const answer = await expectRefusal(() => server.post("/v1/users/me/password", options), 401);
    expect(answer.body.error).toBe("Unauthorized");
  }
});

test("refuses an account without a password, and takes one that got it by an email link", async () => {
  const user = await externalUser(server);
  await expectRefusal(() => changePassword(server, user.token, "some passphrase", NEW), 400);
  const { email, password } = newPerson();
  const body = { email, password };
  await server.post(`/v1/users/${user.id}/email-link/request`, { token: user.token, body });
  await verifyEmail(server, (await newestMail(server, email)).token);
  expect((await changePassword(server, user.token, password, NEW)).status).toBe(200);
  expect((await login(server, email, NEW)).body.user_id).toBe(user.id);
});

describe("the audit log", () => {
  test("has password_changed, and session_revoked for each session that ended, without a secret", async () => {
    const user = await newUser(server);
    const other = await signIn(user);
    const events = await audited(server, () => changePassword(server, user.token, user.password, NEW));
    const common = { user_id: user.id, actor_id: null, ip_address: "127.0.0.1", status: "success" };
    expect(events).toHaveLength(2);
    const [changed] = events.filter((event) => event.event_type === "password_changed");
    expect(changed).toMatchObject({ ...common, resource_type: "user", resource_id: user.id });
    expect(JSON.parse(changed?.metadata ?? "")).toEqual({ by: "change" });
    const [revoked] = events.filter((event) => event.event_type === "session_revoked");
    expect(revoked).toMatchObject({ ...common, resource_type: "session", resource_id: other.session_id });
    for (const secret of [NEW, user.password, user.email, user.username, other.session_token.slice(4)])
      expect(JSON.stringify(events)).not.toContain(secret);
  });

  test("commits with the change: without it nothing is changed", async () => {
    for (const event of ["password_changed", "session_revoked"]) {
      const user = await newUser(server);
      const { session_token: other } = await signIn(user);
      await withoutAudit(server, event, () =>
        expectRefusal(() => changePassword(server, user.token, user.password, NEW), 500),
      );
      for (const token of [user.token, other]) expect(await isAccepted(server, token)).toBe(true);
      expect((await login(server, user.email, user.password)).status).toBe(200);
    }
  });
});

describe("at once", () => {
  test("of changes from one present password, one succeeds", async () => {
    const user = await newUser(server);
    const { session_token: other } = await signIn(user);
    const passwords = ["passphrase of racer 0", "passphrase of racer 1", "passphrase of racer 2"];
    const answers = await Promise.all(
      passwords.map((password, at) =>
        changePassword(server, at === 1 ? other : user.token, user.password, password),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // 401 for a session that the winner ended before the request was let in.
    for (const { status } of answers) expect([200, 400, 401]).toContain(status);
    const signedIn = await Promise.all(passwords.map((password) => login(server, user.email, password)));
    expect(signedIn.map(({ status }) => status === 200)).toEqual(answers.map(({ status }) => status === 200));
    expect(statuses(signedIn)).toEqual([200, 401, 401]);
  });

  test("no sign-in with the old password outlives the change", async () => {
    const user = await newUser(server);
    const signIns: Promise<Answer>[] = [];
    let changed: Answer | undefined;
    const changing = changePassword(server, user.token, user.password, NEW).then((answer) => {
      changed = answer;
    });
    // Sign-ins go on all the time, so that some begin while the new hash is computed and end after it is
    // stored.
    while (!changed) {
      signIns.push(login(server, user.email, user.password));
      await Bun.sleep(15);
    }
    await changing;
    expect(changed.status).toBe(200);
    for (const { status, body } of await Promise.all(signIns)) {
      expect([200, 401]).toContain(status);
      if (status === 200) expect(await isAccepted(server, body.session_token)).toBe(false);
    }
    expect(await isAccepted(server, user.token)).toBe(true);
  });
});
