import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ResendStandIn } from "../../stand-ins/resend";
import { isAccepted, login } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { statuses } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { mailsTo, newestMail } from "../../support/mail";
import {
  externalUser,
  newPerson,
  newUser,
  type Person,
  pending,
  register,
  registered,
  type User,
  verifyRegistration,
} from "../../support/people";
import { filesWith, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";
import { completeReset, PASSWORDS, registrationState, verifyEmail } from "./support";

/** Registration up to the email (rules A1 to A3 and P5). Confirming it: verify-email.test.ts. */

let server: TestServer;
let anna: User;
beforeAll(async () => {
  server = await TestServer.start({ hashes: "full" });
  anna = await newUser(server);
});
afterAll(() => server.stop());

const registrationsOf = ({ email, username }: Person, on = server) =>
  rows<{ password_hash: string; email: string; username: string }>(
    on,
    "SELECT * FROM verifications WHERE kind = 'registration' AND (email = ? OR username = ?)",
    email.toLowerCase(),
    username.toLowerCase(),
  );

/** Expects the status, and that nothing was left behind, no email either. */
async function expectRefusal(body: Record<string, unknown>, status: number, path?: string, on = server) {
  const [before, events] = [registrationState(on), auditRows(on).length];
  const answer = await register(on, body);
  expect(answer.status).toBe(status);
  if (path) {
    expect(answer.body.error).toBe("ValidationError");
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  } else expect(answer.body.error).toBe(status === 409 ? "Conflict" : "BadRequest");
  expect(registrationState(on)).toEqual(before);
  expect(auditRows(on).length).toBe(events);
  return answer;
}

describe("POST /v1/auth/register", () => {
  test("keeps a pending registration for 24 hours, sends one email, and creates no account", async () => {
    const person = newPerson();
    const users = rows(server, "SELECT id FROM users").length;
    const { status, body } = await register(server, person);
    expect(status).toBe(200);
    expect(body).toEqual({ message: expect.any(String), expires_at: expect.any(String) });
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 24 * HOUR)).toBeLessThan(MINUTE);

    const mails = await mailsTo(server, person.email);
    expect(mails).toMatchObject([{ kind: "registration", to: person.email, locale: "en" }]);
    const [mail] = mails;
    expect(mail?.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(mail?.link).toContain(mail?.token ?? "");
    expect(mail?.text).toContain(mail?.link ?? "");
    expect(rows(server, "SELECT id FROM users").length).toBe(users);
    for (const identifier of [person.username, person.email])
      expect((await login(server, identifier, person.password)).status).toBe(401);
  });

  test("stores the password as argon2id with its parameters (rule C2)", async () => {
    const person = newPerson();
    await register(server, person);
    const stored = registrationsOf(person).map(({ password_hash }) => password_hash);
    expect(stored).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)]);
  });

  test("keeps username and address in lower case, and signs in with either in any case", async () => {
    const { username, email, password } = newPerson();
    const answer = await register(server, {
      username: username.toUpperCase(),
      email: email.toUpperCase(),
      password,
    });
    expect(answer.status).toBe(200);
    const { token } = await newestMail(server, email);
    expect((await verifyRegistration(server, token)).body).toMatchObject({ username, email });
    for (const identifier of [username, email].flatMap((name) => [name, name.toUpperCase()]))
      expect((await login(server, identifier, password)).body.username).toBe(username);
  });

  test.each(["abc", "x".repeat(30), "___", "007", "Skipper_1"])("takes the username %p", async (username) => {
    expect((await register(server, newPerson({ username }))).status).toBe(200);
  });

  test.each(["ab", "x".repeat(31), "", "a-b", "a b", "a.b", "bjørn", "a@b.de", "abc\n", " abc", "ａｂｃ"])(
    "refuses the username %p",
    async (username) => {
      await expectRefusal({ ...newPerson(), username }, 400, "/username");
    },
  );

  test.each(PASSWORDS)("password: %p for %s", async (fits, _, password) => {
    if (!fits) return void (await expectRefusal({ ...newPerson({ password }) }, 400, "/password"));
    const user = await registered(server, newPerson({ password }));
    expect((await login(server, user.username, password)).status).toBe(200);
  });

  test.each(["", "nobody", "@example.org", "a@", "a b@example.org", "a@b@c", "a@-b.de", "a@exämple.org"])(
    "refuses the address %p",
    async (email) => {
      await expectRefusal({ ...newPerson(), email }, 400, "/email");
    },
  );

  test("takes an address of 254 characters and none of 255", async () => {
    const domain = `${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(57)}.org`;
    const email = (length: number) => `${"l".repeat(length - domain.length - 1)}@${domain}`;
    expect([email(254).length, email(254).indexOf("@")]).toEqual([254, 64]);
    expect((await register(server, newPerson({ email: email(254) }))).status).toBe(200);
    await expectRefusal({ ...newPerson(), email: email(255) }, 400, "/email");
  });

  test.each(["email", "username", "password"])(
    "refuses a request without %s, or with no string",
    async (field) => {
      for (const value of [undefined, null, 12345678, ["abcdefgh"]])
        await expectRefusal({ ...newPerson(), [field]: value }, 400, `/${field}`);
    },
  );

  test("ignores challenge_token while bot protection is off, and fields that it doesn't know", async () => {
    const person = newPerson();
    const asked = { challenge_token: "anything", id: "x", role: "role_admin", roles: ["role_admin"] };
    const { status } = await register(server, { ...person, ...asked });
    expect(status).toBe(200);
    const { token } = await newestMail(server, person.email);
    const { user_id } = (await verifyRegistration(server, token)).body;
    const roles = rows(server, "SELECT role_id FROM user_roles WHERE user_id = ?", user_id);
    expect(roles).toEqual([{ role_id: "role_user" }]);
  });

  test.each([
    ["de", "de"],
    ["de-CH, en;q=0.8", "de"],
    ["en-GB, de;q=0.9", "en"],
    ["fr", "en"],
  ])("writes the email in the language that %p asks for", async (header, locale) => {
    const person = newPerson();
    await register(server, person, { "accept-language": header });
    const mail = await newestMail(server, person.email);
    expect(mail.locale).toBe(locale);
    expect(mail.text).toContain(locale === "de" ? `Hallo ${person.username},` : `Hello ${person.username},`);
  });
});

describe("what is taken", () => {
  const conflicts = async (person: Person) => {
    await expectRefusal({ ...person }, 409);
    await expectRefusal({ ...person, email: person.email.toUpperCase() }, 409);
    await expectRefusal({ ...person, username: person.username.toUpperCase() }, 409);
  };

  test("a user's name or address can't be registered, in any case", async () => {
    await conflicts(newPerson({ username: anna.username }));
    await conflicts(newPerson({ email: anna.email }));
    expect(await mailsTo(server, anna.email)).toHaveLength(1);
  });

  test("nor can those of a pending registration, whose token goes on working", async () => {
    const person = newPerson();
    const token = await pending(server, person);
    await conflicts(newPerson({ username: person.username }));
    await conflicts(newPerson({ email: person.email }));
    await conflicts(person);
    expect(await mailsTo(server, person.email)).toHaveLength(1);
    expect((await verifyRegistration(server, token)).status).toBe(201);
    await conflicts(person);
  });

  test("nor those of a deleted user", async () => {
    const user = await newUser(server);
    await server.delete(`/v1/users/${user.id}`, { token: await server.admin() });
    await conflicts(newPerson({ username: user.username }));
    await conflicts(newPerson({ email: user.email }));
  });

  test("nor an address that another platform vouches for", async () => {
    const user = await externalUser(server);
    await conflicts(newPerson({ email: user.email }));
    await conflicts(newPerson({ username: user.username }));
  });

  const racers: [string, (person: Person) => Person[]][] = [
    ["name and address", (person) => Array.from({ length: 5 }, () => person)],
    [
      "name",
      (person) => ["a", "b", "c"].map((prefix) => ({ ...person, email: `${prefix}.${person.email}` })),
    ],
    [
      "address",
      (person) => ["a", "b", "c"].map((prefix) => ({ ...person, username: prefix + person.username })),
    ],
  ];
  test.each(racers)("of registrations of one %s at once, one succeeds", async (_, make) => {
    const people = make(newPerson());
    const answers = await Promise.all(people.map((person) => register(server, person)));
    expect(statuses(answers)).toEqual([200, ...people.slice(1).map(() => 409)]);
    const winner = people[answers.findIndex(({ status }) => status === 200)] as Person;
    expect(registrationsOf(winner)).toMatchObject([{ email: winner.email, username: winner.username }]);
    const addresses = [...new Set(people.map(({ email }) => email))];
    const mails = (await Promise.all(addresses.map((address) => mailsTo(server, address)))).flat();
    expect(mails.map(({ to }) => to)).toEqual([winner.email]);
    expect((await verifyRegistration(server, mails[0]?.token)).body.username).toBe(winner.username);
  });
});

describe("registration that is switched off", () => {
  const setPlatform = async (settings: object, slug = "email") => {
    const token = await server.admin();
    const answer = await server.patch(`/v1/platforms/${slug}/settings`, { token, body: settings });
    expect(answer.status).toBe(200);
  };

  test.each([
    ["for the email platform", { registration_enabled: false }, { registration_enabled: true }],
    ["with the email platform", { enabled: false }, { enabled: true }],
  ])("%s is refused, and possible again afterwards", async (_, off, on) => {
    const person = newPerson();
    await setPlatform(off);
    try {
      await expectRefusal({ ...person }, 400);
      expect(await isAccepted(server, anna.token)).toBe(true);
    } finally {
      await setPlatform(on);
    }
    expect(await mailsTo(server, person.email)).toEqual([]);
    expect((await register(server, person)).status).toBe(200);
  });

  test("for the email platform alone leaves its users' sign-in", async () => {
    await setPlatform({ registration_enabled: false });
    try {
      expect((await login(server, anna.username, anna.password)).status).toBe(200);
    } finally {
      await setPlatform({ registration_enabled: true });
    }
  });

  test("for another platform makes no difference", async () => {
    await setPlatform({ registration_enabled: false, enabled: false }, "discord");
    try {
      expect((await register(server, newPerson())).status).toBe(200);
    } finally {
      await setPlatform({ registration_enabled: true, enabled: true }, "discord");
    }
  });

  test("by registration.enabled = false is refused, whatever the platform says", async () => {
    const closed = await TestServer.start({ settings: { "registration.enabled": "false" } });
    try {
      const person = newPerson();
      await expectRefusal({ ...person }, 400, undefined, closed);
      expect(await mailsTo(closed, person.email)).toEqual([]);
      expect(await isAccepted(closed, await closed.admin())).toBe(true);
    } finally {
      await closed.stop();
    }
  });
});

describe("an email that can't be sent", () => {
  /** Expects that a registration answers 500 and leaves nothing. */
  async function expectRolledBack(on: TestServer, person: Person) {
    const before = registrationState(on);
    const failed = await register(on, person);
    expect([failed.status, failed.body.error]).toEqual([500, "InternalServerError"]);
    const requestId = failed.headers.get("x-request-id");
    expect(requestId).toMatch(/^[\w.-]{1,64}$/);
    expect(failed.body.message).toEndWith(`the request id is ${requestId}`);
    expect(failed.body.message).not.toContain(person.email);
    expect(registrationState(on)).toEqual(before);
  }

  test("undoes the registration when the outbox can't be written", async () => {
    const own = await TestServer.start();
    try {
      const person = newPerson();
      const outbox = join(own.dataDir, "outbox");
      writeFileSync(outbox, "no directory");
      await expectRolledBack(own, person);
      rmSync(outbox);
      await pending(own, person);
      expect(await mailsTo(own, person.email)).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });

  test("undoes it when the mail service refuses, breaks or isn't there, and logs no address or token", async () => {
    const resend = new ResendStandIn();
    const own = await TestServer.start({ settings: { ...resend.settings, "log.level": "debug" } });
    const [refused, broken, unreachable] = [newPerson(), newPerson(), newPerson()];
    resend.failNext({ status: 422, name: "validation_error" });
    await expectRolledBack(own, refused);
    expect((await register(own, refused)).status).toBe(200);
    resend.failNext("broken");
    await expectRolledBack(own, broken);
    expect((await register(own, broken)).status).toBe(200);
    expect(resend.emails.map(({ to }) => to)).toEqual([[refused.email], [broken.email]]);
    await resend.stop();
    await expectRolledBack(own, unreachable);
    await expectRolledBack(own, unreachable);

    const output = await outputOfWholeRun(own);
    expect(output).toContain("/v1/auth/register");
    expect(output).toContain("resend: 422 validation_error");
    const tokens = resend.emails.map(({ text }) => /#token=(\S{43})\s/.exec(text)?.[1] ?? "");
    for (const { email, password } of [refused, broken, unreachable]) tokens.push(email, password);
    expect(tokens.every((secret) => secret !== "")).toBe(true);
    for (const secret of tokens) expect(output).not.toContain(secret);
  });
});

describe("a registration that a crash cut off", () => {
  test("blocks nobody after 5 minutes, and its link works if it arrived", async () => {
    const resend = new ResendStandIn();
    const before = await TestServer.start({ settings: resend.settings });
    const [lost, arrived] = [newPerson(), newPerson()];
    // The service takes the emails and never answers.
    resend.holdAnswers();
    for (const person of [lost, arrived]) {
      const taken = resend.nextEmail();
      register(before, person).catch(() => {});
      await taken;
    }
    await before.stop("SIGKILL");
    const text = resend.emails.find(({ to }) => to[0] === arrived.email)?.text ?? "";
    await resend.stop();

    const after = await TestServer.start({ clock: "movable", dataDir: before.dataDir });
    try {
      expect(registrationsOf(lost, after)).toHaveLength(1);
      await expectRefusal({ ...lost }, 409, undefined, after);
      const token = /#token=(\S+)/.exec(text)?.[1];
      expect((await verifyRegistration(after, token)).body.username).toBe(arrived.username);

      await after.advance(6 * MINUTE);
      expect((await register(after, lost)).status).toBe(200);
      expect(registrationsOf(lost, after)).toHaveLength(1);
      const mails = await mailsTo(after, lost.email);
      expect(mails).toHaveLength(1);
      expect((await verifyRegistration(after, mails[0]?.token)).status).toBe(201);
      // A registration whose email was sent holds its name beyond the 5 minutes.
      const person = newPerson();
      await pending(after, person);
      await after.advance(6 * MINUTE);
      await expectRefusal({ ...person }, 409, undefined, after);
    } finally {
      await after.stop();
    }
  });
});

test("neither tokens nor passwords stand in the database or in the server's output", async () => {
  const own = await TestServer.start({ settings: { "log.level": "debug" } });
  const [unproved, user] = [newPerson(), newPerson()];
  const tokens = [await pending(own, unproved), await pending(own, user)];
  await verifyEmail(own, tokens[1]);
  await verifyRegistration(own, tokens[1]);
  const session = (await login(own, user.username, user.password)).body.session_token;
  await completeReset(own, tokens[0], "another passphrase");
  const typed = "sent with a comma too many";
  await own.post("/v1/auth/register", {
    raw: `{"password":"${typed}",}`,
    headers: { "content-type": "application/json" },
  });
  await register(own, { ...newPerson(), username: typed, password: "short" });

  const secrets = [
    ...tokens,
    session.slice(4),
    unproved.password,
    user.password,
    "another passphrase",
    typed,
  ];
  const search = () =>
    secrets.flatMap((secret) => filesWith(own, secret)).filter((file) => !file.includes("/outbox/"));
  // The search can find them: it finds the username, which is stored.
  expect(filesWith(own, user.username)).not.toEqual([]);
  expect(search()).toEqual([]);
  const output = await outputOfWholeRun(own);
  expect(output).toContain("/v1/auth/register/verify");
  for (const secret of [...secrets, user.email, unproved.email]) expect(output).not.toContain(secret);
  expect(search()).toEqual([]);
});
