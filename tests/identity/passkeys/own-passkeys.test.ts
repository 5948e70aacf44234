import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import type { Spoiled } from "../../support/authenticator";
import { eventsOf } from "../../support/events";
import {
  done,
  expectInvalid,
  expectRefused,
  expectStatus,
  statuses,
  UNKNOWN,
} from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { externalUser, newUser, type User } from "../../support/people";
import { freePort } from "../../support/program";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import {
  add,
  creationOptions,
  listed,
  newAuthenticator,
  newHolder,
  originOf,
  register,
  signInBy,
} from "./support";

/** A user's own passkeys: added, listed, renamed, removed. */

let server: TestServer;
let user: User;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  user = await newUser(server);
});
afterAll(() => server.stop());

const path = "/v1/users/me/passkeys";
const remove = (token: Token, id: string) => server.delete(`${path}/${id}`, { token });
const mailsOf = ({ id }: { id: string }) =>
  rows<{ kind: string }>(
    server,
    "SELECT kind FROM outbox WHERE lane = 'email' AND user_id = ? AND kind LIKE 'passkey%' ORDER BY id",
    id,
  ).map(({ kind }) => kind);

describe("a new passkey", () => {
  test("is shown with all but its key, and told of by email and in the audit log", async () => {
    const owner = await newUser(server);
    const authenticator = newAuthenticator(server, { aaguid: "fbfc3007-154e-4ecc-8c0b-6e020557d7bd" });
    const credential = await authenticator.create(await creationOptions(server, owner.token));
    const answer = expectStatus(await add(server, owner.token, { credential }), 201);
    const { id } = answer.body.data;
    expect(answer.headers.get("location")).toBe(`${path}/${id}`);
    expect(answer.body.data).toEqual({
      ...{ id, name: "Apple Passwords", authenticator: "Apple Passwords" },
      ...{ created_at: expect.any(String), last_used_at: null, is_backed_up: false },
      ...{ transports: ["internal", "hybrid"], aaguid: "fbfc3007-154e-4ecc-8c0b-6e020557d7bd" },
    });
    const page = done(await server.get(path, { token: owner.token }));
    expect(page).toMatchObject({ data: [answer.body.data], pagination: { total: 1, limit: 20 } });
    expect(eventsOf(server, owner.id, "passkey_added")).toMatchObject([
      { resource_type: "passkey", resource_id: id, status: "success" },
    ]);
    const mail = await newestMail(server, owner.email);
    expect(mail).toMatchObject({ kind: "passkey_added" });
    expect(mail.text).toContain("Apple Passwords");
  });

  test("has the name that its user gives, and none of a stranger's transports", async () => {
    const authenticator = newAuthenticator(server);
    const credential = await authenticator.create(await creationOptions(server, user.token));
    credential.response.transports = ["usb", "carrier-pigeon", "usb"];
    const { data } = done(await add(server, user.token, { credential, name: "Key on the ring" }));
    expect(data).toMatchObject({ name: "Key on the ring", transports: ["usb"], authenticator: null });
  });

  test("is asked for as a passkey that finds its user, on this host, without those that there are", async () => {
    const holder = await newHolder(server);
    const { public_key, expires_at } = done(await server.post(`${path}/options`, { token: holder.token }));
    expect(public_key).toMatchObject({
      ...{ rp: { id: "localhost", name: "Fairlead" }, attestation: "none", timeout: 300_000 },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [{ type: "public-key", id: holder.authenticator.id }],
    });
    expect(public_key.user).toEqual({
      ...{ id: holder.authenticator.userHandle, name: holder.username, displayName: holder.username },
    });
    // The handle tells nobody who it is.
    expect(Buffer.from(public_key.user.id, "base64url").toString()).not.toContain(holder.id);
    expect(public_key.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)).toEqual([-8, -7, -257]);
    expect(Math.abs(Date.parse(expires_at) - server.time - 5 * MINUTE)).toBeLessThan(MINUTE);
  });

  const SPOILED: Record<string, { spoiled: Spoiled; words: string }> = {
    "for another origin": { spoiled: { origin: "https://evil.example" }, words: "another origin" },
    "for another host": { spoiled: { rpId: "evil.example" }, words: "another host" },
    "without a verified user": { spoiled: { isVerified: false }, words: "not verified" },
    "that answers another question": { spoiled: { type: "webauthn.get" }, words: "another question" },
    "with a challenge of nobody": { spoiled: { challenge: "AAAA" }, words: "its challenge" },
    "with another identifier": { spoiled: { id: "AAAA" }, words: "cannot be read" },
    "of a form that asks others": { spoiled: { format: "android-key" }, words: "attestation" },
    "of an unknown form": { spoiled: { format: "nonsense" }, words: "attestation" },
  };
  test.each(Object.entries(SPOILED))("%s is refused, and stores nothing", async (_, { spoiled, words }) => {
    const before = await listed(server, user.token);
    const credential = await newAuthenticator(server).create(
      await creationOptions(server, user.token),
      spoiled,
    );
    const answer = await add(server, user.token, { credential });
    expectInvalid(answer, "/credential");
    expect(answer.body.message).toContain(words);
    expect(await listed(server, user.token)).toEqual(before);
  });

  test("of garbage is refused as what it is", async () => {
    const right = await newAuthenticator(server).create(await creationOptions(server, user.token));
    const { response } = right;
    const nested = Buffer.alloc(40_000, 0x81).toString("base64url");
    const deep = Buffer.alloc(40_000, 0xa1).toString("base64url");
    for (const attestationObject of ["AA", "oA", "AAAA".repeat(1_000), nested, deep, "gA"])
      expectInvalid(
        await add(server, user.token, {
          credential: { ...right, response: { ...response, attestationObject } },
        }),
        "/credential",
      );
    expectInvalid(
      await add(server, user.token, {
        credential: { ...right, response: { ...response, attestationObject: "A".repeat(65_537) } },
      }),
      "/credential/response/attestationObject",
    );
    expectInvalid(await add(server, user.token, { credential: right, name: "" }), "/name");
    expectInvalid(await add(server, user.token, {}), "/credential");
  });

  test("answers its challenge once, in its session, within five minutes", async () => {
    const options = await creationOptions(server, user.token);
    done(await add(server, user.token, { credential: await newAuthenticator(server).create(options) }));
    const again = await newAuthenticator(server).create(options);
    expectInvalid(await add(server, user.token, { credential: again }), "/credential");
    const other = await newUser(server);
    const foreign = await newAuthenticator(server).create(await creationOptions(server, user.token));
    expectInvalid(await add(server, other.token, { credential: foreign }), "/credential");
    const late = await newAuthenticator(server).create(await creationOptions(server, other.token));
    await server.advance(5 * MINUTE);
    expectInvalid(await add(server, other.token, { credential: late }), "/credential");
  });

  test("answers its challenge once among requests that come together", async () => {
    const owner = await newUser(server);
    const options = await creationOptions(server, owner.token);
    const made = [];
    for (let at = 0; at < 6; at++) made.push(await newAuthenticator(server).create(options));
    const answers = await Promise.all(made.map((credential) => add(server, owner.token, { credential })));
    expect(statuses(answers)).toEqual([201, ...Array(5).fill(400)]);
  });

  test("that is registered already is refused, whosever it is, and so is its challenge afterwards", async () => {
    const holder = await newHolder(server);
    const other = await newUser(server);
    for (const { token } of [holder, other]) {
      const handle = holder.authenticator.userHandle;
      const credential = await holder.authenticator.create(await creationOptions(server, token));
      holder.authenticator.userHandle = handle;
      expectRefused(await add(server, token, { credential }), 409, "Conflict");
      expectInvalid(await add(server, token, { credential }), "/credential");
    }
    done(await signInBy(server, holder.authenticator));
  });

  test("is the twentieth at most", async () => {
    const owner = await newUser(server);
    for (let at = 0; at < 19; at++) await register(server, owner.token, newAuthenticator(server));
    const [first, second] = [
      await newAuthenticator(server).create(await creationOptions(server, owner.token)),
      await newAuthenticator(server).create(await creationOptions(server, owner.token)),
    ];
    const answers = await Promise.all(
      [first, second].map((credential) => add(server, owner.token, { credential })),
    );
    expect(statuses(answers)).toEqual([201, 409]);
    expectRefused(await server.post(`${path}/options`, { token: owner.token }), 409, "Conflict");
    expect(await listed(server, owner.token)).toHaveLength(20);
  });
});

describe("a passkey", () => {
  test("is renamed by its user, at any time", async () => {
    const holder = await newHolder(server);
    await server.advance(11 * MINUTE);
    const rename = (body: object, token = holder.token) =>
      server.patch(`${path}/${holder.passkey}`, { token, body });
    const { data } = done(await rename({ name: "Tablet at the helm" }));
    expect(data).toMatchObject({ id: holder.passkey, name: "Tablet at the helm" });
    expectInvalid(await rename({ name: "x".repeat(201) }), "/name");
    expectStatus(await rename({}), 400);
    expectRefused(await rename({ name: "Mine" }, user.token), 404, "NotFound");
    expect((await listed(server, holder.token))[0].name).toBe("Tablet at the helm");
    expect(eventsOf(server, holder.id, "passkey_updated")).toHaveLength(1);
  });

  test("is removed by its user alone, who is told", async () => {
    const holder = await newHolder(server);
    const { token } = await newUser(server);
    expectRefused(await remove(token, holder.passkey), 404, "NotFound");
    expectRefused(await remove(holder.token, UNKNOWN), 404, "NotFound");
    expectStatus(await remove(holder.token, holder.passkey), 204);
    expect(await listed(server, holder.token)).toEqual([]);
    expect(eventsOf(server, holder.id, "passkey_removed")).toMatchObject([{ resource_id: holder.passkey }]);
    expect(mailsOf(holder)).toEqual(["passkey_added", "passkey_removed"]);
    // The session that it opened before, if any, is its user's to end.
    expectStatus(await server.get("/v1/users/me", { token: holder.token }), 200);
  });

  test("can't be seen or changed by a key of its user", async () => {
    const key = await server.key("*:*");
    for (const answer of [
      await server.get(path, { token: key }),
      await server.post(`${path}/options`, { token: key }),
      await add(server, key, { credential: {} }),
      await server.patch(`${path}/${UNKNOWN}`, { token: key, body: { name: "x" } }),
      await remove(key, UNKNOWN),
    ])
      expectRefused(answer, 401, "Unauthorized");
  });
});

describe("the last way in", () => {
  const withoutPassword = ({ id }: { id: string }) =>
    write(server, `DELETE FROM passwords WHERE user_id = '${id}'`);

  test("stays: the only passkey of an account without a password", async () => {
    const holder = await newHolder(server);
    withoutPassword(holder);
    expectRefused(await remove(holder.token, holder.passkey), 409, "Conflict");
    done(await signInBy(server, holder.authenticator));
    const second = newAuthenticator(server);
    const { id } = await register(server, holder.token, second);
    const both = await Promise.all([remove(holder.token, id), remove(holder.token, holder.passkey)]);
    expect(statuses(both)).toEqual([204, 409]);
  });

  test("may go where there is an account elsewhere, unless its platform is switched off", async () => {
    const person = await externalUser(server);
    const { id } = await register(server, person.token, newAuthenticator(server));
    const token = await server.admin();
    const switchTo = async (enabled: boolean) =>
      done(await server.patch("/v1/platforms/discord/enabled", { token, body: { enabled } }));
    await switchTo(false);
    try {
      expectRefused(await remove(person.token, id), 409, "Conflict");
    } finally {
      await switchTo(true);
    }
    expectStatus(await remove(person.token, id), 204);
  });

  test("stays where sign-in by email is switched off, so that the password opens nothing", async () => {
    const holder = await newHolder(server);
    const token = await server.admin();
    const switchTo = async (enabled: boolean) =>
      done(await server.patch("/v1/platforms/email/enabled", { token, body: { enabled } }));
    await switchTo(false);
    try {
      expectRefused(await remove(holder.token, holder.passkey), 409, "Conflict");
    } finally {
      await switchTo(true);
    }
    expectStatus(await remove(holder.token, holder.passkey), 204);
  });
});

describe("a session that was signed in more than ten minutes ago", () => {
  const reauthenticate = (token: Token, body: object) =>
    server.post("/v1/auth/reauthenticate", { token, body });
  const changes = (token: Token, id: string): Record<string, () => Promise<Answer>> => ({
    options: () => server.post(`${path}/options`, { token }),
    remove: () => remove(token, id),
  });
  const expectAsked = (answer: Answer) => expectRefused(answer, 403, "ReauthenticationRequired");

  test("adds and removes none, whatever else is configured, until its user has proved who they are", async () => {
    const holder = await newHolder(server);
    const credential = await newAuthenticator(server).create(await creationOptions(server, holder.token));
    await server.advance(10 * MINUTE);
    for (const change of Object.values(changes(holder.token, holder.passkey))) expectAsked(await change());
    expectAsked(await add(server, holder.token, { credential }));
    expect(await listed(server, holder.token)).toHaveLength(1);
    done(await reauthenticate(holder.token, { password: holder.password }));
    await register(server, holder.token, newAuthenticator(server));
    expectStatus(await remove(holder.token, holder.passkey), 204);
  });

  const prove = async (
    token: Token,
    holder: Awaited<ReturnType<typeof newHolder>>,
    spoiled: Spoiled = {},
  ) => {
    const { public_key } = done(await server.post("/v1/auth/reauthenticate/options", { token }));
    return reauthenticate(token, { passkey: await holder.authenticator.get(public_key, spoiled) });
  };

  test("is renewed by a passkey", async () => {
    const holder = await newHolder(server);
    await server.advance(10 * MINUTE);
    const { authenticated_at, expires_at } = done(await prove(holder.token, holder));
    expect(Math.abs(Date.parse(authenticated_at) - server.time)).toBeLessThan(MINUTE);
    expect(expires_at).toBeNull();
    expect(eventsOf(server, holder.id, "reauthenticated")).toMatchObject([{ status: "success" }]);
    const [stored] = rows<{ amr: string }>(server, "SELECT amr FROM sessions WHERE id = ?", holder.sessionId);
    expect(JSON.parse(stored?.amr ?? "")).toEqual(["hwk", "mfa"]);
    expectStatus(await remove(holder.token, holder.passkey), 204);
  });

  test("is not renewed by one that isn't right, or isn't its user's", async () => {
    const holder = await newHolder(server);
    const other = await newHolder(server);
    await server.advance(10 * MINUTE);
    const wrong = [
      await prove(holder.token, holder, { foreignKey: true }),
      await prove(holder.token, holder, { isVerified: false }),
      await prove(holder.token, other),
      await prove(holder.token, holder, { challenge: "AAAA" }),
    ];
    for (const answer of wrong) expectInvalid(answer, "/passkey");
    expect(new Set(wrong.map(({ body }) => body.message)).size).toBe(1);
    expect(eventsOf(server, holder.id, "passkey_refused").map(({ error_message }) => error_message)).toEqual([
      "its signature is wrong",
      "the user was not verified",
      "it is another user's",
      "its challenge is wrong, was used, or has ended",
    ]);
    expect(eventsOf(server, other.id, "passkey_refused")).toEqual([]);
    expectAsked(await remove(holder.token, holder.passkey));
    // A challenge of another session of the same user is none, either.
    const { session_token } = done(await signInBy(server, holder.authenticator));
    const { public_key } = done(
      await server.post("/v1/auth/reauthenticate/options", { token: session_token }),
    );
    const passkey = await holder.authenticator.get(public_key);
    expectInvalid(await reauthenticate(holder.token, { passkey }), "/passkey");
    // A password that is sent beside it would go unread.
    expectInvalid(await reauthenticate(holder.token, { passkey, password: holder.password }), "/passkey");
  });

  test("is asked for a passkey where the account has nothing else", async () => {
    const person = await externalUser(server);
    expectRefused(
      await server.post("/v1/auth/reauthenticate/options", { token: person.token }),
      409,
      "Conflict",
    );
    await register(server, person.token, newAuthenticator(server));
    expectInvalid(await reauthenticate(person.token, {}), "/passkey");
  });

  test("has less time where less is configured, and no more where more is", async () => {
    for (const [minutes, allowed] of [
      ["5", 5],
      ["60", 10],
    ] as const) {
      const other = await TestServer.start({
        clock: "movable",
        settings: { "auth.reauthentication_minutes": minutes },
      });
      try {
        const { token } = await newUser(other);
        await other.advance(allowed * MINUTE - 30_000);
        expectStatus(await other.post(`${path}/options`, { token }), 200);
        await other.advance(30_000);
        expectAsked(await other.post(`${path}/options`, { token }));
      } finally {
        await other.stop();
      }
    }
  });
});

describe("where no browser would let the server have passkeys", () => {
  test.each([
    ["an address of numbers", "https://192.168.1.10"],
    ["plain http", "http://boat.local:3000"],
    ["the loopback address", "http://127.0.0.1:3000"],
  ])("by %s, every door says so, and what to set", async (_, url) => {
    const plain = await TestServer.start({
      settings: { "server.public_url": url, "server.port": String(freePort()) },
    });
    try {
      const { token } = await newUser(plain);
      const authenticator = newAuthenticator(server);
      const credential = await authenticator.create({
        challenge: "AA",
        rp: { id: "boat.local" },
        user: { id: "AA" },
      });
      const assertion = await authenticator.get({ challenge: "AA", rpId: "boat.local" });
      for (const answer of [
        await plain.post("/v1/auth/passkeys/options"),
        await plain.post("/v1/auth/passkeys/verify", { body: { credential: assertion } }),
        await plain.post(`${path}/options`, { token }),
        await plain.post(path, { token, body: { credential } }),
      ]) {
        expectRefused(answer, 409, "PasskeysUnavailable");
        expect(answer.body.message).toContain("server.public_url");
      }
      const headers = { "x-fairlead-page": "1" };
      expect(done(await plain.get("/bridge/session", { headers })).passkey_origins).toEqual([]);
    } finally {
      await plain.stop();
    }
  });

  test("further origins may be allowed, on the same host or below it", async () => {
    const origins = "https://boat.local,https://app.boat.local:8443";
    const both = await TestServer.start({
      settings: {
        "server.public_url": "http://boat.local:3000",
        "server.port": String(freePort()),
        "webauthn.origins": origins,
      },
    });
    try {
      const holder = await newUser(both);
      const authenticator = newAuthenticator(both);
      const options = await creationOptions(both, holder.token);
      expect(options.rp.id).toBe("boat.local");
      const make = (origin: string) => authenticator.create(options, { origin });
      expectInvalid(
        await add(both, holder.token, { credential: await make("http://boat.local:3000") }),
        "/credential",
      );
      expectStatus(
        await add(both, holder.token, { credential: await make("https://app.boat.local:8443") }),
        201,
      );
      expect(originOf(both)).toStartWith("http://localhost");
    } finally {
      await both.stop();
    }
  });
});
