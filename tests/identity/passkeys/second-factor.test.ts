import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Spoiled } from "../../support/authenticator";
import { signIn } from "../../support/credentials";
import { eventsOf } from "../../support/events";
import { done, expectRefused, expectStatus, statuses } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import {
  challenge,
  check,
  type Guarded,
  guarded,
  nextCode,
  verifyLogin,
  wrongCode,
} from "../two-factor/support";
import { completeBy, newHolder, requestOptions, secondOptions, verify, withPasskey } from "./support";

/** A passkey beside a password, in place of a code. */

let server: TestServer;
type Holder = Guarded & {
  passkey: string;
  authenticator: Awaited<ReturnType<typeof newHolder>>["authenticator"];
};
let holder: Holder;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  holder = await withPasskey(server, await guarded(server));
});
afterAll(() => server.stop());

const verifySecond = (temp_token: string, credential: object) =>
  server.post("/v1/auth/2fa/passkey/verify", { body: { temp_token, credential } });

describe("the first step", () => {
  test("tells that a passkey completes the sign-in, where there is one", async () => {
    expect(done(await signIn(server, holder)).second_factors).toEqual(["code", "passkey"]);
    expect(done(await signIn(server, await guarded(server)))).not.toHaveProperty("second_factors");
  });

  test("asks for none where two-factor authentication is off: a passkey doesn't switch it on", async () => {
    const user = await newHolder(server);
    expect(done(await signIn(server, user))).toMatchObject({ requires_2fa: false });
  });
});

describe("a passkey", () => {
  test("completes the sign-in with a password, and keeps its provider", async () => {
    const answer = done(await completeBy(server, holder.authenticator, await challenge(server, holder)));
    expect(answer).toMatchObject({ user_id: holder.id, provider: "email", requires_2fa: false });
    const [stored] = rows<{ amr: string }>(
      server,
      "SELECT amr FROM sessions WHERE id = ?",
      answer.session_id,
    );
    expect(JSON.parse(stored?.amr ?? "")).toEqual(["pwd", "hwk", "mfa"]);
    expect(eventsOf(server, holder.id, "2fa_verified").at(-1)).toMatchObject({
      ...{ status: "success", metadata: { used: "passkey" } },
    });
    expect(eventsOf(server, holder.id, "passkey_login").at(-1)).toMatchObject({
      ...{ resource_id: holder.passkey, metadata: { session_id: answer.session_id, second_factor: true } },
    });
  });

  test("completes a sign-in elsewhere", async () => {
    const { temp_token } = done(await check(server, { user_id: holder.id, oauth_provider: "discord" }));
    const answer = done(await completeBy(server, holder.authenticator, temp_token));
    expect(answer.provider).toBe("discord");
    const [stored] = rows<{ amr: string }>(
      server,
      "SELECT amr FROM sessions WHERE id = ?",
      answer.session_id,
    );
    expect(JSON.parse(stored?.amr ?? "")).toEqual(["hwk", "mfa"]);
  });

  test("uses the token up, as a code does", async () => {
    const token = await challenge(server, holder);
    done(await completeBy(server, holder.authenticator, token));
    expectRefused(await secondOptions(server, token), 401, "Unauthorized");
    expectRefused(
      await verifyLogin(server, token, await nextCode(server, holder.secret)),
      401,
      "Unauthorized",
    );
  });

  test("is asked for by those of this user alone", async () => {
    const { public_key } = done(await secondOptions(server, await challenge(server, holder)));
    expect(public_key.allowCredentials).toEqual([
      { type: "public-key", id: holder.authenticator.id, transports: ["internal", "hybrid"] },
    ]);
    const without = await guarded(server);
    expectRefused(await secondOptions(server, await challenge(server, without)), 409, "Conflict");
  });

  test("completes the sign-in once among requests that come together", async () => {
    const token = await challenge(server, holder);
    const credentials = [];
    for (let at = 0; at < 4; at++) {
      const { public_key } = done(await secondOptions(server, token));
      credentials.push(await holder.authenticator.get(public_key));
    }
    const answers = await Promise.all(credentials.map((credential) => verifySecond(token, credential)));
    expect(statuses(answers)).toEqual([200, 401, 401, 401]);
  });
});

describe("refused is", () => {
  const SPOILED: Record<string, Spoiled> = {
    "another origin": { origin: "https://evil.example" },
    "another host": { rpId: "evil.example" },
    "another challenge": { challenge: "AAAA" },
    "no verified user": { isVerified: false },
    "another key": { foreignKey: true },
    "another account's handle": { userHandle: "AAAA" },
    "a counter that went back": { counter: 1 },
  };
  test.each(Object.entries(SPOILED))("%s", async (_, spoiled) => {
    done(await completeBy(server, holder.authenticator, await challenge(server, holder)));
    done(await completeBy(server, holder.authenticator, await challenge(server, holder)));
    const token = await challenge(server, holder);
    expectRefused(await completeBy(server, holder.authenticator, token, spoiled), 401, "Unauthorized");
    expect(eventsOf(server, holder.id, "passkey_refused").at(-1)).toMatchObject({ status: "failure" });
    done(await completeBy(server, holder.authenticator, token));
  });

  test("another user's passkey, and the challenge of a sign-in without a password", async () => {
    const other = await newHolder(server);
    const token = await challenge(server, holder);
    expectRefused(await completeBy(server, other.authenticator, token), 401, "Unauthorized");
    expect(eventsOf(server, other.id, "passkey_refused")).toEqual([]);
    const foreign = await holder.authenticator.get(await requestOptions(server));
    expectRefused(await verifySecond(token, foreign), 401, "Unauthorized");
    const { public_key } = done(await secondOptions(server, token));
    expectRefused(await verify(server, await holder.authenticator.get(public_key)), 401, "Unauthorized");
    // Nor does the challenge of another sign-in of the same user do.
    const { public_key: elsewhere } = done(await secondOptions(server, await challenge(server, holder)));
    expectRefused(await verifySecond(token, await holder.authenticator.get(elsewhere)), 401, "Unauthorized");
  });

  test("an unknown token, and one of ten minutes ago", async () => {
    expectRefused(await secondOptions(server, "2fa_unknown"), 401, "Unauthorized");
    const token = await challenge(server, holder);
    const { public_key } = done(await secondOptions(server, token));
    const credential = await holder.authenticator.get(public_key);
    expectRefused(await verifySecond("2fa_unknown", credential), 401, "Unauthorized");
    await server.advance(10 * MINUTE);
    expectRefused(await secondOptions(server, token), 401, "Unauthorized");
  });

  test("everything after five refusals, and no code is locked by them", async () => {
    const token = await challenge(server, holder);
    for (let at = 0; at < 5; at++)
      expectRefused(
        await completeBy(server, holder.authenticator, token, { foreignKey: true }),
        401,
        "Unauthorized",
      );
    expectRefused(await secondOptions(server, token), 401, "Unauthorized");
    expectStatus(
      await verifyLogin(server, await challenge(server, holder), await nextCode(server, holder.secret)),
      200,
    );
    const [row] = rows<{ failures: number }>(
      server,
      "SELECT failures FROM two_factor WHERE user_id = ?",
      holder.id,
    );
    expect(row?.failures).toBe(0);
  });

  test("a user who was banned meanwhile: the sign-in that waits has ended", async () => {
    const user = await withPasskey(server, await guarded(server));
    const token = await challenge(server, user);
    const { public_key } = done(await secondOptions(server, token));
    done(await server.post(`/v1/users/${user.id}/ban`, { token: await server.admin(), body: {} }));
    const answer = await verifySecond(token, await user.authenticator.get(public_key));
    expectRefused(answer, 401, "Unauthorized");
  });

  test("a platform that was switched off meanwhile", async () => {
    const token = await challenge(server, holder);
    const { public_key } = done(await secondOptions(server, token));
    const admin = await server.admin();
    const switchTo = async (enabled: boolean) =>
      done(await server.patch("/v1/platforms/email/enabled", { token: admin, body: { enabled } }));
    await switchTo(false);
    try {
      const answer = await verifySecond(token, await holder.authenticator.get(public_key));
      expectRefused(answer, 403, "Forbidden");
      expect(eventsOf(server, holder.id, "passkey_refused").at(-1)?.error_message).toContain("switched off");
    } finally {
      await switchTo(true);
    }
  });
});

test("limits count challenges and answers together with codes", async () => {
  const limited = await TestServer.start({
    settings: { "rate_limit.two_factor": "4/60" },
    clock: "movable",
  });
  const user = await withPasskey(limited, await guarded(limited));
  const token = await challenge(limited, user);
  await limited.stop();
  const settings = { "rate_limit.enabled": "true", "rate_limit.two_factor": "4/60" };
  const again = await TestServer.start({ dataDir: limited.dataDir, settings });
  try {
    const ask = () => again.post("/v1/auth/2fa/passkey/options", { body: { temp_token: token } });
    expect(statuses([await ask(), await ask(), await ask()])).toEqual([200, 200, 200]);
    expectStatus(await verifyLogin(again, token, wrongCode(limited, user.secret)), 401);
    expectRefused(await ask(), 429, "TooManyRequests");
  } finally {
    await again.stop();
  }
});
