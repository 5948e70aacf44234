import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { Authenticator, type Spoiled } from "../../support/authenticator";
import { eventsOf } from "../../support/events";
import { done, expectRefused, expectStatus, statuses } from "../../support/expectations";
import { newUser } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { turnOn } from "../two-factor/support";
import {
  type Holder,
  listed,
  newAuthenticator,
  newHolder,
  register,
  requestOptions,
  signInBy,
  verify,
} from "./support";

/** Signing in with a passkey alone, and every way in which it is refused. */

let server: TestServer;
let holder: Holder;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  holder = await newHolder(server);
});
afterAll(() => server.stop());

const refusals = (id: string) =>
  eventsOf(server, id, "passkey_refused").map(({ error_message, status, resource_id }) => ({
    ...{ error_message, status, resource_id },
  }));

/** Everything that a sign-in may change. */
const state = ({ id }: { id: string }) => ({
  sessions: rows(server, "SELECT id FROM sessions WHERE user_id = ? ORDER BY id", id),
  passkeys: rows(server, "SELECT * FROM passkeys WHERE user_id = ? ORDER BY id", id),
  user: rows(server, "SELECT * FROM users WHERE id = ?", id),
});

describe("a passkey", () => {
  test("opens a session without a name or a password", async () => {
    const answer = done(await signInBy(server, holder.authenticator));
    expect(answer).toMatchObject({
      ...{ user_id: holder.id, username: holder.username, email: holder.email },
      ...{ requires_2fa: false, provider: "passkey" },
    });
    const { sessions } = done(await server.get("/v1/users/me/sessions", { token: answer.session_token }));
    expect(sessions[0]).toMatchObject({
      ...{ id: answer.session_id, provider: "passkey", provider_name: "Passkey", is_current: true },
    });
    const [stored] = rows<{ amr: string }>(
      server,
      "SELECT amr FROM sessions WHERE id = ?",
      answer.session_id,
    );
    expect(JSON.parse(stored?.amr ?? "")).toEqual(["hwk", "mfa"]);
  });

  test("leaves its events, and its last use", async () => {
    const user = await newHolder(server);
    expect((await listed(server, user.token))[0].last_used_at).toBeNull();
    const { session_id } = done(await signInBy(server, user.authenticator));
    const written = eventsOf(server, user.id, "login", "passkey_login");
    expect(
      written.map(({ event_type, resource_id, metadata }) => ({ event_type, resource_id, metadata })),
    ).toEqual([
      { event_type: "login", resource_id: session_id, metadata: { provider: "passkey" } },
      {
        ...{ event_type: "passkey_login", resource_id: user.passkey },
        metadata: { session_id, second_factor: false },
      },
    ]);
    expect(
      Math.abs(Date.parse((await listed(server, user.token))[0].last_used_at) - server.time),
    ).toBeLessThan(MINUTE);
  });

  test("counts as both factors where codes are on", async () => {
    const user = await turnOn(server, await newHolder(server));
    const answer = done(await signInBy(server, user.authenticator));
    expect(answer.requires_2fa).toBe(false);
    expect(answer.session_token).toStartWith("ses_");
  });

  test("of an authenticator that counts nothing, and is copied, signs in again and again", async () => {
    const user = await newHolder(server);
    const copied = newAuthenticator(server, { counts: false, isCopied: true });
    await register(server, user.token, copied);
    const answer = done(await signInBy(server, copied));
    done(await signInBy(server, copied));
    const [stored] = rows<{ amr: string }>(
      server,
      "SELECT amr FROM sessions WHERE id = ?",
      answer.session_id,
    );
    expect(JSON.parse(stored?.amr ?? "")).toEqual(["swk", "mfa"]);
    expect((await listed(server, user.token))[0]).toMatchObject({ is_backed_up: true });
  });

  test("leaves the platform of the last sign-in as it was", async () => {
    await signInBy(server, holder.authenticator);
    const profile = done(await server.get(`/v1/users/${holder.id}/profile`, { token: holder.token }));
    expect(profile.provider).not.toBe("passkey");
    // A session that the identity web app opens is of that platform too.
    const expires = new Date(server.time + MINUTE).toISOString();
    expectStatus(
      await server.post("/v1/sessions", { token: server.systemKey, body: { userId: holder.id, expires } }),
      201,
    );
  });

  test("works while sign-in by email is switched off: it is no part of that platform", async () => {
    const switchTo = async (enabled: boolean) =>
      done(
        await server.patch("/v1/platforms/email/enabled", { token: await server.admin(), body: { enabled } }),
      );
    await switchTo(false);
    try {
      done(await signInBy(server, holder.authenticator));
    } finally {
      await switchTo(true);
    }
  });
});

describe("refused alike, and told apart in the audit log alone, is", () => {
  const SPOILED: Record<string, { spoiled: Spoiled; why: string }> = {
    "an answer made for another origin": {
      spoiled: { origin: "https://evil.example" },
      why: "it was made for another origin",
    },
    "one made on another port": {
      spoiled: { origin: "http://localhost:1" },
      why: "it was made for another origin",
    },
    "one made in a frame of another page": {
      spoiled: { crossOrigin: true },
      why: "it was made for another origin",
    },
    "one made for another host": { spoiled: { rpId: "evil.example" }, why: "it was made for another host" },
    "the answer to a challenge that was never given": {
      spoiled: { challenge: Buffer.alloc(64, 7).toString("base64url") },
      why: "its challenge is wrong, was used, or has ended",
    },
    "one whose challenge is no text of ours": {
      spoiled: { challenge: "short" },
      why: "its challenge is wrong, was used, or has ended",
    },
    "the answer to another question": {
      spoiled: { type: "webauthn.create" },
      why: "it answers another question",
    },
    "one without a verified user": { spoiled: { isVerified: false }, why: "the user was not verified" },
    "one without a user": { spoiled: { isPresent: false }, why: "the user was not present" },
    "one with the signature of another key": { spoiled: { foreignKey: true }, why: "its signature is wrong" },
    "one that names another account": {
      spoiled: { userHandle: Buffer.from("somebody else").toString("base64url") },
      why: "it names another account",
    },
    "one that names no account": { spoiled: { userHandle: null }, why: "it names another account" },
    "one whose counter went back": { spoiled: { counter: 1 }, why: "its counter went back" },
  };

  const bodies = new Set<string>();
  const expectAlike = (answer: Answer) => {
    expectRefused(answer, 401, "Unauthorized");
    bodies.add(JSON.stringify(answer.body));
    expect(bodies.size).toBe(1);
  };

  test.each(Object.entries(SPOILED))("%s", async (_, { spoiled, why }) => {
    // The counter is above 1 before it goes back.
    done(await signInBy(server, holder.authenticator));
    done(await signInBy(server, holder.authenticator));
    const before = state(holder);
    expectAlike(await signInBy(server, holder.authenticator, spoiled));
    expect(state(holder)).toEqual(before);
    expect(refusals(holder.id).at(-1)).toEqual({
      ...{ error_message: why, status: "failure", resource_id: holder.passkey },
    });
    // And nothing is lost for the right answer.
    done(await signInBy(server, holder.authenticator));
  });

  test("an unknown passkey", async () => {
    const unknown = newAuthenticator(server);
    const { challenge, rpId } = await requestOptions(server);
    await unknown.create({ challenge, rp: { id: rpId }, user: { id: "bm9ib2R5" } });
    expectAlike(await verify(server, await unknown.get({ challenge, rpId })));
    const [last] = rows<{ user_id: string | null; error_message: string }>(
      server,
      "SELECT user_id, error_message FROM audit_events WHERE event_type = 'passkey_refused' ORDER BY id DESC LIMIT 1",
    );
    expect(last).toEqual({ user_id: null, error_message: "it is unknown" });
  });

  test("one that was removed", async () => {
    const user = await newHolder(server);
    expectStatus(await server.delete(`/v1/users/me/passkeys/${user.passkey}`, { token: user.token }), 204);
    expectAlike(await signInBy(server, user.authenticator));
  });

  test("that of a deleted user", async () => {
    const user = await newHolder(server);
    expectStatus(await server.delete(`/v1/users/${user.id}`, { token: await server.admin() }), 204);
    expectAlike(await signInBy(server, user.authenticator));
    expect(refusals(user.id)[0]?.error_message).toBe("its user was deleted");
  });
});

test("a banned user is told of the ban once the passkey is right, as with the right password", async () => {
  const user = await newHolder(server);
  const token = await server.admin();
  done(await server.post(`/v1/users/${user.id}/ban`, { token, body: { reason: "Too loud" } }));
  const wrong = await signInBy(server, user.authenticator, { foreignKey: true });
  expectRefused(wrong, 401, "Unauthorized");
  const right = await signInBy(server, user.authenticator);
  expectRefused(right, 403, "AccountBanned");
  expect(right.body.message).toContain("Too loud");
  const told = { status: "failure", resource_id: user.passkey };
  expect(refusals(user.id)).toEqual([
    { error_message: "its signature is wrong", ...told },
    { error_message: "its user is banned", ...told },
  ]);
  done(await server.delete(`/v1/users/${user.id}/ban`, { token }));
  done(await signInBy(server, user.authenticator));
});

describe("a challenge", () => {
  test("counts once", async () => {
    const options = await requestOptions(server);
    done(await verify(server, await holder.authenticator.get(options)));
    expectRefused(await verify(server, await holder.authenticator.get(options)), 401, "Unauthorized");
  });

  test("counts no second time after an answer that was refused", async () => {
    const options = await requestOptions(server);
    const wrong = await holder.authenticator.get(options, { foreignKey: true });
    expectRefused(await verify(server, wrong), 401, "Unauthorized");
    expectRefused(await verify(server, await holder.authenticator.get(options)), 401, "Unauthorized");
  });

  test("counts once for answers that come at the same time", async () => {
    const user = await newHolder(server);
    const options = await requestOptions(server);
    const answers = [];
    for (let at = 0; at < 8; at++) answers.push(await user.authenticator.get(options));
    const all = await Promise.all(answers.map((credential) => verify(server, credential)));
    expect(statuses(all)).toEqual([200, ...Array(7).fill(401)]);
    const sessions = rows(server, "SELECT id FROM sessions WHERE user_id = ?", user.id);
    expect(sessions).toHaveLength(2);
  });

  test("counts for one answer that is sent again and again at the same time", async () => {
    const user = await newHolder(server);
    const credential = await user.authenticator.get(await requestOptions(server));
    const all = await Promise.all(Array.from({ length: 8 }, () => verify(server, credential)));
    expect(statuses(all)).toEqual([200, ...Array(7).fill(401)]);
  });

  test("ends after five minutes", async () => {
    const options = await requestOptions(server);
    await server.advance(5 * MINUTE - 30_000);
    done(await verify(server, await holder.authenticator.get(options)));
    const late = await requestOptions(server);
    await server.advance(5 * MINUTE);
    expectRefused(await verify(server, await holder.authenticator.get(late)), 401, "Unauthorized");
  });

  test("for something else is none", async () => {
    const fresh = await newHolder(server);
    const { public_key } = done(await server.post("/v1/auth/reauthenticate/options", { token: fresh.token }));
    expectRefused(await verify(server, await fresh.authenticator.get(public_key)), 401, "Unauthorized");
  });

  test("of another installation is none", async () => {
    const other = await TestServer.start();
    try {
      const options = await requestOptions(other);
      expectRefused(await verify(server, await holder.authenticator.get(options)), 401, "Unauthorized");
    } finally {
      await other.stop();
    }
  });

  test("that was used stays so over a restart; one that wasn't can still be answered", async () => {
    const first = await TestServer.start();
    const settings = { "server.port": new URL(first.url).port };
    const user = await newHolder(first);
    const [used, open] = [await requestOptions(first), await requestOptions(first)];
    done(await verify(first, await user.authenticator.get(used)));
    await first.stop();
    const second = await TestServer.start({ dataDir: first.dataDir, settings });
    try {
      expectRefused(await verify(second, await user.authenticator.get(used)), 401, "Unauthorized");
      done(await verify(second, await user.authenticator.get(open)));
    } finally {
      await second.stop();
    }
  });
});

describe("whatever else is sent", () => {
  const credential = async () => holder.authenticator.get(await requestOptions(server));

  test("is refused as what it is, and never a fault of the server", async () => {
    const right = await credential();
    const { response } = right;
    const junk = "AAAA".repeat(100);
    const nested = Buffer.alloc(6_000, 0x81).toString("base64url");
    const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const strange: [object, number][] = [
      [{}, 400],
      [{ credential: null }, 400],
      [{ credential: [] }, 400],
      [{ credential: { ...right, id: "" } }, 400],
      [{ credential: { ...right, id: "with=padding" } }, 400],
      [{ credential: { ...right, type: "password" } }, 400],
      [{ credential: { ...right, response: { ...response, clientDataJSON: 7 } } }, 400],
      [{ credential: { ...right, response: { ...response, signature: "é" } } }, 400],
      [{ credential: { ...right, response: { ...response, authenticatorData: "A".repeat(16_385) } } }, 400],
      [{ credential: { ...right, response: { ...response, userHandle: "A".repeat(129) } } }, 400],
      [{ credential: { ...right, response: { ...response, clientDataJSON: junk } } }, 401],
      [{ credential: { ...right, response: { ...response, clientDataJSON: json(null) } } }, 401],
      [{ credential: { ...right, response: { ...response, clientDataJSON: json([]) } } }, 401],
      [{ credential: { ...right, response: { ...response, clientDataJSON: json({ challenge: {} }) } } }, 401],
      [{ credential: { ...right, response: { ...response, authenticatorData: "AA" } } }, 401],
      [{ credential: { ...right, response: { ...response, authenticatorData: junk } } }, 401],
      [{ credential: { ...right, response: { ...response, authenticatorData: nested } } }, 401],
      [{ credential: { ...right, response: { ...response, signature: "AA" } } }, 401],
    ];
    for (const [body, status] of strange) {
      const answer = await server.post("/v1/auth/passkeys/verify", { body });
      expect([body, answer.status]).toEqual([body, status]);
    }
  });
});

describe("limits", () => {
  let limited: TestServer;
  beforeAll(async () => {
    limited = await TestServer.start({
      settings: {
        ...{ "rate_limit.enabled": "true", "rate_limit.login": "3/60" },
        "server.max_body_bytes": "16384",
      },
    });
  });
  afterAll(() => limited.stop());

  test("hold back sign-ins together with those with a password, and challenges apart", async () => {
    const ask = () => limited.post("/v1/auth/passkeys/options");
    expect(statuses([await ask(), await ask(), await ask()])).toEqual([200, 200, 200]);
    expectRefused(await ask(), 429, "TooManyRequests");
    const authenticator = new Authenticator("http://localhost");
    await authenticator.create({ challenge: "AA", rp: { id: "localhost" }, user: { id: "AA" } });
    const credential = await authenticator.get({ challenge: "AA", rpId: "localhost" });
    const wrong = () => verify(limited, credential);
    expect(statuses([await wrong(), await wrong()])).toEqual([401, 401]);
    const body = { identifier: "nobody", password: "wrong" };
    expectRefused(await limited.post("/v1/auth/login", { body }), 401, "Unauthorized");
    expectRefused(await wrong(), 429, "TooManyRequests");
  });

  test("hold back bodies that are larger than any answer", async () => {
    const session = await newUser(limited);
    const huge = await limited.post("/v1/users/me/passkeys", {
      token: session.token,
      raw: `{"credential":"${"A".repeat(20_000)}"}`,
      headers: { "content-type": "application/json" },
    });
    expectRefused(huge, 413, "PayloadTooLarge");
  });
});
