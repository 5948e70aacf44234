import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { create } from "qrcode";
import type { Answer, Token } from "../../support/api";
import { auditRows, eventsAbout, withoutAudit } from "../../support/events";
import { done, expectInvalid, expectRefused, statuses, UNKNOWN } from "../../support/expectations";
import { mailsTo } from "../../support/mail";
import { externalUser, newUser } from "../../support/people";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import {
  codeIn,
  disable,
  enable,
  fromBase32,
  type Guarded,
  guarded,
  nextCode,
  pixelsOf,
  regenerate,
  setUp,
  signInWithBoth,
  status,
  stored,
  toStepStart,
  turnOn,
  wrongCode,
} from "./support";

/**
 * The status, set-up and management of a second factor (rules C3, C6 and A6). Sign-in:
 * tests/identity/auth/two-factor-login.test.ts; management of others: access.test.ts.
 */
const BACKUP_CODE = /^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

const statusOf = async (token: Token) => done(await status(server, token));
const kindsOf = async (user: { email: string }) =>
  (await mailsTo(server, user.email)).map(({ kind }) => kind).filter((kind) => kind !== "registration");
const platformId = (slug: string) =>
  rows<{ id: string }>(server, "SELECT id FROM platforms WHERE slug = ?", slug)[0]?.id as string;

/** Expects a refusal that leaves the user's second factor as it was. */
async function expectNothingDone(
  user: { id: string },
  answer: () => Promise<Answer>,
  expected: [status: number, error: string],
): Promise<Answer> {
  const before = stored(server, user.id);
  const refused = await answer();
  expectRefused(refused, ...expected);
  expect(stored(server, user.id)).toEqual(before);
  return refused;
}

const WRONG: [400, "ValidationError"] = [400, "ValidationError"];
const REFUSED: [400, "BadRequest"] = [400, "BadRequest"];

describe("the status", () => {
  test("says that it is off, while it is being set up too", async () => {
    const user = await newUser(server);
    const off = {
      enabled: false,
      enabled_at: null,
      backup_codes_remaining: 0,
      setup_platform: null,
      platform_slug: null,
    };
    expect(await statusOf(user.token)).toEqual(off);
    done(await setUp(server, user.token));
    expect(await statusOf(user.token)).toEqual(off);
  });

  test("says since when it is on, from which platform, and how many backup codes are left", async () => {
    const user = await guarded(server);
    const body = await statusOf(user.token);
    expect(body).toEqual({
      enabled: true,
      enabled_at: expect.any(String),
      backup_codes_remaining: 10,
      setup_platform: "email",
      platform_slug: "email",
    });
    expect(Math.abs(Date.parse(body.enabled_at) - server.time)).toBeLessThan(MINUTE);
    done(await signInWithBoth(server, user, user.backupCodes[0]));
    expect((await statusOf(user.token)).backup_codes_remaining).toBe(9);
  });
});

describe("the set-up", () => {
  test("answers a secret, its address and its picture, for 10 minutes, and turns nothing on", async () => {
    const user = await newUser(server);
    const body = done(await setUp(server, user.token));
    expect(Object.keys(body).sort()).toEqual([
      "expires_at",
      "platform_slug",
      "qr_code_image",
      "qr_code_url",
      "secret",
    ]);
    expect(fromBase32(body.secret)).toHaveLength(20);
    expect(body.platform_slug).toBe("email");
    const lifetime = Date.parse(body.expires_at) - server.time;
    expect(lifetime).toBeGreaterThan(9 * MINUTE);
    expect(lifetime).toBeLessThanOrEqual(10 * MINUTE);
    const url = new URL(body.qr_code_url);
    expect(`${url.protocol}//${url.host}`).toBe("otpauth://totp");
    expect(decodeURIComponent(url.pathname)).toBe(`/Fairlead (localhost):${user.username}`);
    expect(url.searchParams.get("secret")).toBe(body.secret);
    expect(url.searchParams.get("issuer")).toBe("Fairlead (localhost)");
    expect((await statusOf(user.token)).enabled).toBe(false);
    expect(await kindsOf(user)).toEqual([]);
  });

  test("draws a picture that holds the address and nothing else, with its margin", async () => {
    const user = await newUser(server);
    const { qr_code_url, qr_code_image } = done(await setUp(server, user.token));
    const { size, data } = create(qr_code_url, { errorCorrectionLevel: "M" }).modules;
    const pixels = pixelsOf(qr_code_image);
    // As many pixels as give each of the modules and of the margin's 4 on either side a whole number, or nearly.
    expect(pixels).toHaveLength(pixels[0]?.length ?? 0);
    const scale = pixels.length / (size + 8);
    expect(scale).toBeGreaterThan(3);
    const middle = (module: number) => Math.floor((module + 4.5) * scale);
    for (let y = -4; y < size + 4; y++)
      for (let x = -4; x < size + 4; x++) {
        const inside = x >= 0 && y >= 0 && x < size && y < size;
        const dark = inside && data[y * size + x] === 1;
        if (pixels[middle(y)]?.[middle(x)] !== dark) throw new Error(`module ${x}, ${y} is wrong`);
      }
  });

  test("takes an empty body, and none", async () => {
    const user = await newUser(server);
    for (const body of [undefined, {}]) expect((await setUp(server, user.token, body)).status).toBe(200);
  });

  test("can be begun from another platform, which the answers and the status then name", async () => {
    const user = await newUser(server);
    const { secret, platform_slug } = done(
      await setUp(server, user.token, { platform_id: platformId("discord") }),
    );
    expect(platform_slug).toBe("discord");
    const on = done(await enable(server, user.token, { code: await nextCode(server, secret) }));
    expect(on.platform_slug).toBe("discord");
    const { setup_platform, platform_slug: slug } = await statusOf(user.token);
    expect([setup_platform, slug]).toEqual(["discord", "discord"]);
    const { backup_codes, platform_slug: again } = done(
      await regenerate(server, user.token, { code: await nextCode(server, secret) }),
    );
    expect(again).toBe("discord");
    expect((await mailsTo(server, user.email)).at(-1)?.kind).toBe("backup_codes_regenerated");
    done(await disable(server, user.token, { code: backup_codes[0] }));
    const mails = await mailsTo(server, user.email);
    for (const kind of ["two_factor_enabled", "two_factor_disabled"])
      expect(mails.find((mail) => mail.kind === kind)?.text).toContain("Discord");
  });

  test("refuses a platform that there isn't, that doesn't support it, and no identifier", async () => {
    const user = await newUser(server);
    await expectNothingDone(user, () => setUp(server, user.token, { platform_id: UNKNOWN }), [
      404,
      "NotFound",
    ]);
    for (const platform_id of ["email", "", 5, null])
      expectInvalid(
        await expectNothingDone(user, () => setUp(server, user.token, { platform_id }), WRONG),
        "/platform_id",
      );
    write(server, "UPDATE platforms SET two_factor_supported = 0 WHERE slug = 'github'");
    const github = { platform_id: platformId("github") };
    const { body } = await expectNothingDone(user, () => setUp(server, user.token, github), REFUSED);
    expect(body.message).toContain("GitHub");
  });

  test("that is repeated replaces the one before, whose codes no longer count", async () => {
    const user = await newUser(server);
    const former = done(await setUp(server, user.token));
    const latter = done(await setUp(server, user.token));
    expect(latter.secret).not.toBe(former.secret);
    const old = await nextCode(server, former.secret);
    await expectNothingDone(user, () => enable(server, user.token, { code: old }), WRONG);
    done(await enable(server, user.token, { code: await nextCode(server, latter.secret) }));
  });

  test("expires after 10 minutes, and can then be repeated", async () => {
    const user = await newUser(server);
    const { secret } = done(await setUp(server, user.token));
    await server.advance(10 * MINUTE);
    const code = codeIn(server, secret, 0);
    await expectNothingDone(user, () => enable(server, user.token, { code }), REFUSED);
    expect((await statusOf(user.token)).enabled).toBe(false);
    const again = done(await setUp(server, user.token));
    await server.advance(10 * MINUTE - 15_000);
    done(await enable(server, user.token, { code: codeIn(server, again.secret, 0) }));
  });

  test("leaves nothing behind of an account that is deleted meanwhile", async () => {
    for (let times = 0; times < 3; times++) {
      const user = await newUser(server);
      const erase = `/v1/admin/users/${user.id}/force-delete`;
      const [, erased] = await Promise.all([
        setUp(server, server.systemKey, { user_id: user.id }),
        server.post(erase, { token: server.systemKey, body: {} }),
      ]);
      done(erased);
      expect(stored(server, user.id).app).toEqual([]);
    }
  });

  test("is refused when it is on already, and stays as it was", async () => {
    const user = await guarded(server);
    await expectNothingDone(user, () => setUp(server, user.token), REFUSED);
    const code = await nextCode(server, user.secret);
    await expectNothingDone(user, () => enable(server, user.token, { code }), REFUSED);
    // The code of the refused request was not used up.
    done(await regenerate(server, user.token, { code }));
  });
});

describe("turning it on", () => {
  test("answers ten backup codes, and tells the user by email", async () => {
    const user = await newUser(server);
    const { secret } = done(await setUp(server, user.token));
    const body = done(await enable(server, user.token, { code: await nextCode(server, secret) }));
    expect(body).toEqual({
      success: true,
      backup_codes: expect.any(Array),
      message: expect.any(String),
      platform_slug: "email",
    });
    expect(body.backup_codes).toHaveLength(10);
    expect(new Set(body.backup_codes).size).toBe(10);
    for (const code of body.backup_codes) expect(code).toMatch(BACKUP_CODE);
    expect((await statusOf(user.token)).enabled).toBe(true);

    expect(await kindsOf(user)).toEqual(["two_factor_enabled"]);
    const mail = (await mailsTo(server, user.email)).at(-1);
    const { enabled_at } = await statusOf(user.token);
    const time = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
    expect(mail?.text.replaceAll("\n", " ")).toContain(time.format(new Date(enabled_at)));
    expect(mail?.text).toContain("from Email");
    expect(mail).toMatchObject({ token: null, link: null });
    for (const secretText of [secret, ...body.backup_codes])
      expect(JSON.stringify(mail)).not.toContain(secretText);
  });

  test("writes 2fa_enabled, and nothing at all when that can't be written", async () => {
    const user = await newUser(server);
    const { secret } = done(await setUp(server, user.token));
    const code = await nextCode(server, secret);
    const failing = () => withoutAudit(server, "2fa_enabled", () => enable(server, user.token, { code }));
    await expectNothingDone(user, failing, [500, "InternalServerError"]);
    done(await enable(server, user.token, { code }));
    const events = eventsAbout(server, user.id).filter(({ event_type }) => event_type.startsWith("2fa"));
    expect(events).toMatchObject([
      {
        event_type: "2fa_enabled",
        actor_id: null,
        resource_type: "two_factor",
        resource_id: user.id,
        ip_address: "127.0.0.1",
        status: "success",
      },
    ]);
  });

  test("is refused without a set-up", async () => {
    const user = await newUser(server);
    await expectNothingDone(user, () => enable(server, user.token, { code: "123456" }), REFUSED);
  });

  test("refuses a wrong code, which is audited and ends nothing", async () => {
    const user = await newUser(server);
    const { secret } = done(await setUp(server, user.token));
    const wrong = wrongCode(server, secret);
    for (let times = 0; times < 6; times++)
      expectInvalid(
        await expectNothingDone(user, () => enable(server, user.token, { code: wrong }), WRONG),
        "/code",
      );
    const failures = eventsAbout(server, user.id, "2fa_verified");
    expect(failures).toHaveLength(6);
    expect(failures[0]).toMatchObject({
      status: "failure",
      error_message: "wrong code",
      ip_address: "127.0.0.1",
    });
    done(await enable(server, user.token, { code: await nextCode(server, secret) }));
  });

  test("takes six digits alone", async () => {
    const user = await newUser(server);
    const { secret } = done(await setUp(server, user.token));
    const code = await nextCode(server, secret);
    for (const bad of [
      `${code}0`,
      code.slice(1),
      ` ${code}`,
      "abcdef",
      "",
      "12 456",
      Number(code),
      null,
      [code],
    ])
      expectInvalid(
        await expectNothingDone(user, () => enable(server, user.token, { code: bad }), WRONG),
        "/code",
      );
    expectInvalid(await enable(server, user.token, {}), "/code");
    expect((await statusOf(user.token)).enabled).toBe(false);
  });

  test("of parallel requests with one code, succeeds once", async () => {
    const user = await newUser(server);
    const { secret } = done(await setUp(server, user.token));
    const code = await nextCode(server, secret);
    const answers = await Promise.all(Array.from({ length: 6 }, () => enable(server, user.token, { code })));
    expect(statuses(answers)).toEqual([200, 400, 400, 400, 400, 400]);
    expect((await statusOf(user.token)).backup_codes_remaining).toBe(10);
    const codes = answers.find((answer) => answer.status === 200)?.body.backup_codes;
    done(await disable(server, user.token, { code: codes[0] }));
  });

  test("takes a code of the step before and of the step after, and none further off", async () => {
    for (const [steps, expected] of [
      [-2, 400],
      [-1, 200],
      [1, 200],
      [2, 400],
    ] as const) {
      const user = await newUser(server);
      const { secret } = done(await setUp(server, user.token));
      await toStepStart(server);
      const answer = await enable(server, user.token, { code: codeIn(server, secret, steps) });
      expect([steps, answer.status]).toEqual([steps, expected]);
    }
  });

  test("works for a user without an email address, who gets no email", async () => {
    const user = await turnOn(server, await externalUser(server, { email: null }));
    expect((await statusOf(user.token)).enabled).toBe(true);
    expect(stored(server, user.id).emails).toEqual([]);
  });
});

/** Ways to prove a second factor in a signed-in operation, beside turning it on. */
const byApp = (user: Guarded) => nextCode(server, user.secret);
const byBackupCode = async (user: Guarded) => user.backupCodes[0] as string;

describe("turning it off", () => {
  test.each([
    ["a code of the app", byApp],
    ["a backup code", byBackupCode],
    [
      "a backup code in lower case without its hyphen",
      async (user: Guarded) => (await byBackupCode(user)).toLowerCase().replace("-", ""),
    ],
  ])("takes %s, forgets everything and alerts the user", async (_, codeOf) => {
    const user = await guarded(server);
    const pending = await server.post("/v1/auth/login", {
      body: { identifier: user.username, password: user.password },
    });
    expect(pending.body.requires_2fa).toBe(true);
    const body = done(await disable(server, user.token, { code: await codeOf(user) }));
    expect(body).toEqual({ success: true, message: expect.any(String) });
    expect((await statusOf(user.token)).enabled).toBe(false);
    const { app, codes, challenges } = stored(server, user.id);
    expect([app, codes, challenges]).toEqual([[], [], []]);
    const { requires_2fa } = (await server.login(user.username, user.password)) as unknown as {
      requires_2fa: boolean;
    };
    expect(requires_2fa).toBe(false);
    expect(await kindsOf(user)).toEqual(["two_factor_enabled", "two_factor_disabled"]);
    expect((await mailsTo(server, user.email)).at(-1)?.text).toContain("Email");
    expect(eventsAbout(server, user.id, "2fa_disabled")).toMatchObject([
      { actor_id: null, resource_type: "two_factor", resource_id: user.id, status: "success" },
    ]);
  });

  test("refuses a wrong code, which is audited, and a missing one", async () => {
    const user = await guarded(server);
    for (const code of [wrongCode(server, user.secret), "AAAAA-AAAAA", "nonsense"])
      expectInvalid(
        await expectNothingDone(user, () => disable(server, user.token, { code }), WRONG),
        "/code",
      );
    expect(eventsAbout(server, user.id, "2fa_verified")).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: "failure" })),
    );
    for (const body of [undefined, {}, { code: "" }, { code: 5 }])
      await expectNothingDone(user, () => disable(server, user.token, body), WRONG);
    expect(await kindsOf(user)).toEqual(["two_factor_enabled"]);
  });

  test("refuses somebody else's backup code and code of the app", async () => {
    const [user, other] = [await guarded(server), await guarded(server)];
    for (const code of [other.backupCodes[0], await nextCode(server, other.secret)])
      await expectNothingDone(user, () => disable(server, user.token, { code }), WRONG);
    // Neither was used up.
    done(await disable(server, other.token, { code: other.backupCodes[0] }));
  });

  test("is refused when it is off already, while it is being set up too", async () => {
    const user = await newUser(server);
    await expectNothingDone(user, () => disable(server, user.token, { code: "123456" }), REFUSED);
    const { secret } = done(await setUp(server, user.token));
    const code = await nextCode(server, secret);
    await expectNothingDone(user, () => disable(server, user.token, { code }), REFUSED);
    done(await enable(server, user.token, { code }));
  });

  test("does nothing at all when it can't be audited", async () => {
    const user = await guarded(server);
    const code = await nextCode(server, user.secret);
    const failing = () => withoutAudit(server, "2fa_disabled", () => disable(server, user.token, { code }));
    await expectNothingDone(user, failing, [500, "InternalServerError"]);
    done(await disable(server, user.token, { code }));
  });

  test.each([
    ["code of the app", byApp],
    ["backup code", byBackupCode],
  ])("of parallel requests with one %s, succeeds once", async (_, codeOf) => {
    const user = await guarded(server);
    const code = await codeOf(user);
    const answers = await Promise.all(Array.from({ length: 5 }, () => disable(server, user.token, { code })));
    expect(statuses(answers)).toEqual([200, 400, 400, 400, 400]);
    expect(eventsAbout(server, user.id, "2fa_disabled")).toHaveLength(1);
  });

  test("makes room for a new set-up with another secret", async () => {
    const user = await guarded(server);
    done(await disable(server, user.token, { code: user.backupCodes[0] }));
    const again = await turnOn(server, user);
    expect(again.secret).not.toBe(user.secret);
    await expectNothingDone(user, () => disable(server, user.token, { code: user.backupCodes[1] }), WRONG);
    done(await disable(server, user.token, { code: again.backupCodes[0] }));
  });
});

describe("regenerating the backup codes", () => {
  test("replaces all of them by ten others, and tells the user by email", async () => {
    const user = await guarded(server);
    const body = done(await regenerate(server, user.token, { code: await nextCode(server, user.secret) }));
    expect(body).toEqual({
      success: true,
      backup_codes: expect.any(Array),
      message: expect.any(String),
      platform_slug: "email",
    });
    expect(body.backup_codes).toHaveLength(10);
    for (const code of body.backup_codes) expect(code).toMatch(BACKUP_CODE);
    expect(new Set([...body.backup_codes, ...user.backupCodes]).size).toBe(20);
    expect((await statusOf(user.token)).backup_codes_remaining).toBe(10);
    for (const code of user.backupCodes.slice(0, 9))
      expect((await signInWithBoth(server, user, code)).status).toBe(401);
    for (const code of body.backup_codes.slice(0, 2))
      expect((await signInWithBoth(server, user, code)).status).toBe(200);
    expect(await kindsOf(user)).toEqual(["two_factor_enabled", "backup_codes_regenerated"]);
    expect(eventsAbout(server, user.id, "2fa_backup_codes_regenerated")).toMatchObject([
      { actor_id: null, resource_type: "two_factor", resource_id: user.id, status: "success" },
    ]);
  });

  test("refuses a backup code", async () => {
    const user = await guarded(server);
    const [code] = user.backupCodes;
    expectInvalid(
      await expectNothingDone(user, () => regenerate(server, user.token, { code }), WRONG),
      "/code",
    );
    done(await disable(server, user.token, { code }));
  });

  test("refuses a wrong code, which is audited, and a missing one", async () => {
    const user = await guarded(server);
    const code = wrongCode(server, user.secret);
    expectInvalid(
      await expectNothingDone(user, () => regenerate(server, user.token, { code }), WRONG),
      "/code",
    );
    expect(eventsAbout(server, user.id, "2fa_verified")).toMatchObject([{ status: "failure" }]);
    expectInvalid(await expectNothingDone(user, () => regenerate(server, user.token, {}), WRONG), "/code");
  });

  test("refuses a code that was used before, as at turning it on", async () => {
    const user = await newUser(server);
    const { secret } = done(await setUp(server, user.token));
    const code = await nextCode(server, secret);
    done(await enable(server, user.token, { code }));
    await expectNothingDone(user, () => regenerate(server, user.token, { code }), WRONG);
  });

  test("is refused when it is off", async () => {
    const user = await newUser(server);
    await expectNothingDone(user, () => regenerate(server, user.token, { code: "123456" }), REFUSED);
  });

  test("does nothing at all when it can't be audited", async () => {
    const user = await guarded(server);
    const code = await nextCode(server, user.secret);
    const failing = () =>
      withoutAudit(server, "2fa_backup_codes_regenerated", () => regenerate(server, user.token, { code }));
    await expectNothingDone(user, failing, [500, "InternalServerError"]);
    done(await regenerate(server, user.token, { code }));
  });

  test("of parallel requests with one code, succeeds once", async () => {
    const user = await guarded(server);
    const code = await nextCode(server, user.secret);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => regenerate(server, user.token, { code })),
    );
    expect(statuses(answers)).toEqual([200, 400, 400, 400, 400]);
    expect((await statusOf(user.token)).backup_codes_remaining).toBe(10);
  });
});

describe("deleting the own account", () => {
  const remove = (user: Guarded, body: object) =>
    server.post("/v1/users/me/deletion", { token: user.token, body: { password: user.password, ...body } });
  const isScheduled = async (user: Guarded) =>
    done(await server.get("/v1/users/me/deletion", { token: user.token })).is_scheduled_for_deletion;

  test("needs a code, which a wrong password doesn't use up", async () => {
    const user = await guarded(server);
    const code = await nextCode(server, user.secret);
    for (const body of [{}, { code: null }, { code: "" }])
      expectInvalid(await expectNothingDone(user, () => remove(user, body), WRONG), "/code");
    for (const wrong of [wrongCode(server, user.secret), "AAAAA-AAAAA"])
      expectInvalid(await expectNothingDone(user, () => remove(user, { code: wrong }), WRONG), "/code");
    expect(eventsAbout(server, user.id, "2fa_verified")).toMatchObject([
      { status: "failure" },
      { status: "failure" },
    ]);
    expectInvalid(
      await expectNothingDone(user, () => remove(user, { code, password: "not it" }), WRONG),
      "/password",
    );
    expect(await isScheduled(user)).toBe(false);
    done(await remove(user, { code }));
    expect(await isScheduled(user)).toBe(true);
  });

  test("takes a backup code, once", async () => {
    const user = await guarded(server);
    const [code] = user.backupCodes;
    done(await remove(user, { code }));
    expect((await statusOf(user.token)).backup_codes_remaining).toBe(9);
    done(await server.delete("/v1/users/me/deletion", { token: user.token }));
    await expectNothingDone(user, () => remove(user, { code }), WRONG);
    expect(await isScheduled(user)).toBe(false);
  });
});

test("keeps the second factor through a password change and a password reset", async () => {
  const user = await guarded(server);
  const before = stored(server, user.id);
  const changed = await server.post("/v1/users/me/password", {
    token: user.token,
    body: { current_password: user.password, new_password: "another passphrase" },
  });
  expect(changed.status).toBe(200);
  done(await server.post("/v1/auth/reset-password", { body: { email: user.email } }));
  const token = (await mailsTo(server, user.email)).find(({ kind }) => kind === "password_reset")?.token;
  done(
    await server.post("/v1/auth/reset-password/complete", { body: { token, new_password: user.password } }),
  );
  const after = stored(server, user.id);
  expect([after.app, after.codes]).toEqual([before.app, before.codes]);
  expect((await signInWithBoth(server, user)).status).toBe(200);
});

test("names no code and no secret in any audit event", async () => {
  const user = await guarded(server);
  const typed = ["AAAAA-AAAAA", wrongCode(server, user.secret)];
  for (const code of typed) await disable(server, user.token, { code });
  done(await disable(server, user.token, { code: user.backupCodes[0] }));
  const about = auditRows(server).filter(({ user_id }) => user_id === user.id);
  expect(about.length).toBeGreaterThan(3);
  const log = JSON.stringify(about.map(({ metadata, error_message }) => [metadata, error_message]));
  for (const secret of [...typed, user.secret, ...user.backupCodes]) expect(log).not.toContain(secret);
});
