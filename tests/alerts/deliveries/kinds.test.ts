import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { cutToBytes } from "../../../src/alerts/deliveries/kinds/ntfy";
import { signatures } from "../../../src/alerts/deliveries/kinds/webhook";
import { visibleTo } from "../../../src/alerts/deliveries/payload";
import { PermissionSet } from "../../../src/identity/access/permissions";
import { NtfyStandIn } from "../../stand-ins/ntfy";
import { decodeQuotedPrintable, SmtpStandIn } from "../../stand-ins/smtp";
import { TelegramStandIn } from "../../stand-ins/telegram";
import { verify, WebhookStandIn } from "../../stand-ins/webhook";
import {
  done,
  eventually,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { externalUser } from "../../support/people";
import { assign, newRole } from "../../support/roles";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { change, deliveriesTo, newTarget, newWebhook, PATH, readTarget, tried } from "../targets/support";
import { putDeliveries } from "./support";

/** Each way to reach somebody, tried by POST /v1/notification-targets/{id}/test. */

const hook = new WebhookStandIn();
const ntfy = new NtfyStandIn();
const telegram = new TelegramStandIn();
let smtp: SmtpStandIn;
let server: TestServer;
beforeAll(async () => {
  smtp = await SmtpStandIn.start();
  server = await TestServer.start({
    clock: "movable",
    settings: {
      ...telegram.settings,
      ...smtp.settings(),
      "notifications.allowed_hosts": `${hook.host},${ntfy.host}`,
      "rate_limit.enabled": "true",
    },
  });
});
afterAll(async () => {
  await server.stop();
  await Promise.all([hook.stop(), ntfy.stop(), telegram.stop(), smtp.stop()]);
});
afterEach(() => {
  hook.answer();
  hook.received.length = 0;
});

const DELIVERED = {
  ...{ status: "delivered", response_status: 200, error: null, note: null },
  duration_ms: expect.any(Number),
};
const failed = (response_status: number | null, error: string) => ({
  ...{ status: "failed", response_status, error, note: null, duration_ms: expect.any(Number) },
});

describe("a webhook", () => {
  test("gets a signed test, which is shown with its deliveries", async () => {
    const { id, secret } = await newWebhook(server, hook.url);
    expect(await tried(server, id)).toEqual({ ...DELIVERED, response_status: 204 });
    const [received] = hook.received;
    if (!received) throw new Error("nothing came");
    const empty = { alert: null, rule: null, device: null, position: null, zone: null };
    expect(verify(secret, received)).toMatchObject({ type: "alert.test", data: empty });
    const { data } = await deliveriesTo(server, id);
    expect(data).toMatchObject([
      { id: received.id, type: "alert.test", status: "delivered", attempts: 1, alert_id: null },
    ]);
  });

  test("tells what went wrong, and nothing of what the other side said", async () => {
    const { id } = await newWebhook(server, hook.url);
    hook.answer(() => new Response("the secret of the cellar", { status: 500 }));
    const answer = await server.post(`${PATH}/${id}/test`, { token: await server.admin() });
    expect(answer.body).toEqual(failed(500, "status 500 in place of 2xx"));
    hook.answer(() => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }));
    expect(await tried(server, id)).toEqual(failed(302, "status 302: redirects are not followed"));
    hook.answer((received) => new Response(received.raw.repeat(3_000)));
    expect(await tried(server, id)).toEqual(DELIVERED);
    const closed = await newWebhook(server, "https://no.such.host.invalid/");
    expect(await tried(server, closed.id)).toMatchObject({ status: "failed", response_status: null });
    expect(JSON.stringify((await deliveriesTo(server, id)).data)).not.toContain("cellar");
    expect(server.output).not.toContain("cellar");
  });

  test("is signed with both secrets for a day after a rotation", async () => {
    const { id, secret: former } = await newWebhook(server, hook.url);
    const token = await server.admin();
    const { secret } = done(await server.post(`${PATH}/${id}/rotate-secret`, { token })).data;
    await tried(server, id);
    const [both] = hook.received;
    if (!both) throw new Error("nothing came");
    for (const each of [secret, former]) expect(verify(each, both)).toMatchObject({ type: "alert.test" });
    expect(both.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    hook.received.length = 0;
    await server.advance(DAY);
    await tried(server, id);
    const [one] = hook.received;
    expect(one?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    // The library takes signatures of the last minutes alone: the server's clock is a day ahead.
    await server.advance(-DAY);
  });

  test("is signed with each former secret for its own day, however soon another rotation follows", async () => {
    const { id } = await newWebhook(server, hook.url);
    const token = await server.admin();
    const signaturesNow = async () => {
      await tried(server, id);
      return hook.received.pop()?.headers["webhook-signature"]?.split(" ").length;
    };
    const ends: string[] = [];
    for (const expected of [2, 3]) {
      const { data } = done(await server.post(`${PATH}/${id}/rotate-secret`, { token }));
      ends.push(data.former_secret_until);
      expect(await signaturesNow()).toBe(expected);
      await server.advance(DAY / 2);
    }
    expect((await readTarget(server, id)).former_secret_until).toBe(ends[1]);
    expect(await signaturesNow()).toBe(2);
    await server.advance(DAY / 2);
    expect(await signaturesNow()).toBe(1);
    expect((await readTarget(server, id)).former_secret_until).toBeNull();
    await server.advance(-1.5 * DAY);
  });

  test("has five former secrets at most, and is verified with any of them", async () => {
    const { id, secret: first } = await newWebhook(server, hook.url);
    const token = await server.admin();
    const answers = await Promise.all(
      Array.from({ length: 7 }, () => server.post(`${PATH}/${id}/rotate-secret`, { token })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    for (const answer of refused) {
      expectRefused(answer, 409, "Conflict");
      expect(answer.body.message).toMatch(/^The secret was rotated 5 times in 24 hours; .* from \d{4}-/);
    }
    await tried(server, id);
    const [received] = hook.received;
    if (!received) throw new Error("nothing came");
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.secret);
    for (const secret of [first, ...made])
      expect(verify(secret, received)).toMatchObject({ type: "alert.test" });
  });

  test("is switched off by 410", async () => {
    const { id } = await newWebhook(server, hook.url);
    hook.answer(() => new Response(null, { status: 410 }));
    expect(await tried(server, id)).toEqual(failed(410, "status 410: the receiver wants no more deliveries"));
    expect((await readTarget(server, id)).is_active).toBe(false);
  });

  test("is signed as the standard's example is", () => {
    expect(
      signatures(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        '{"test": 2432232314}',
      ),
    ).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("tells the parts that the target's maker may see", () => {
    const payload = { alert: 1, rule: 2, device: 3, position: 4, zone: 5, more: 6 };
    const seen = (...held: string[]) => visibleTo(new PermissionSet(held), payload);
    expect(seen("*:*")).toEqual(payload);
    expect(seen("alerts:read")).toEqual({ ...payload, device: null, position: null, zone: null } as never);
    expect(seen("alerts:read", "gps:read", "geofences:*")).toEqual({ ...payload, device: null } as never);
  });
});

describe("ntfy", () => {
  test("gets a message with title and tags, and a token where one is set", async () => {
    const { id } = await newTarget(server, { kind: "ntfy", server_url: ntfy.url, topic: "private-boat" });
    expect(await tried(server, id)).toEqual(failed(403, "status 403 in place of 2xx"));
    done(await change(server, id, { token: ntfy.token, name: "Annas Telefon", locale: "de" }));
    expect(await tried(server, id)).toEqual(DELIVERED);
    expect(ntfy.published.at(-1)).toEqual({
      topic: "private-boat",
      title: "Test von Fairlead",
      message: "Das ist ein Test des Benachrichtigungsziels „Annas Telefon“. So werden Alarme ankommen.",
      priority: 3,
      tags: ["wave"],
    });
    ntfy.limitNext();
    expect(await tried(server, id)).toEqual(failed(429, "status 429 in place of 2xx"));
    expect(server.output).not.toContain(ntfy.token);
  });

  test("gets messages of 4,096 bytes at most, cut between characters", () => {
    for (const text of ["a".repeat(5_000), "ä".repeat(3_000), "⚓".repeat(2_000), "🚢".repeat(2_000)]) {
      const cut = cutToBytes(text, 4_096);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4_096);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(4_080);
      expect(cut).toEndWith("…");
      expect(cut).not.toContain("\ufffd");
    }
    expect(cutToBytes("ä".repeat(2_048), 4_096)).toHaveLength(2_048);
  });
});

describe("Telegram", () => {
  test("gets a message to the chat, by the operator's address, which may be on this machine", async () => {
    const fields = { kind: "telegram", bot_token: telegram.token, chat_id: telegram.chat };
    const { id } = await newTarget(server, { ...fields, name: "crew" });
    expect(await tried(server, id)).toEqual(DELIVERED);
    expect(telegram.sent.at(-1)).toMatchObject({
      chat_id: telegram.chat,
      text: "Test of Fairlead\n\nThis is a test of the notification target “crew”. Alerts will arrive like this.",
    });
  });

  test("tells of a wrong token, a wrong chat, too many messages, and an answer that isn't Telegram's", async () => {
    const wrong = `${telegram.token.slice(0, -1)}X`;
    const { id } = await newTarget(server, { kind: "telegram", bot_token: wrong, chat_id: telegram.chat });
    expect(await tried(server, id)).toEqual(failed(401, "status 401 in place of 2xx"));
    done(await change(server, id, { bot_token: telegram.token, chat_id: "-5" }));
    expect(await tried(server, id)).toEqual(failed(400, "status 400 in place of 2xx"));
    done(await change(server, id, { chat_id: telegram.chat }));
    telegram.floodNext(3);
    expect(await tried(server, id)).toEqual(failed(429, "status 429 in place of 2xx"));
    telegram.breakNext();
    expect(await tried(server, id)).toEqual(failed(200, "status 200, but no confirmation of Telegram"));
    for (const token of [wrong, telegram.token]) expect(server.output).not.toContain(token);
  });
});

test("news that are good make no sound: whom an alarm has woken, its end doesn't wake again", async () => {
  const onPhone = await newTarget(server, { kind: "ntfy", server_url: ntfy.url, topic: "night" });
  const inChat = await newTarget(server, {
    ...{ kind: "telegram", bot_token: telegram.token, chat_id: telegram.chat },
  });
  for (const kind of ["alert.raised", "alert.acknowledged", "alert.cleared"])
    for (const { id } of [onPhone, inChat]) {
      putDeliveries(server, id, 1, { kind });
      await eventually(async () => (await deliveriesTo(server, id)).data[0].status === "delivered");
    }
  const priorities = ntfy.published.filter(({ topic }) => topic === "night").map(({ priority }) => priority);
  expect(priorities).toEqual([5, 2, 2]);
  expect(telegram.sent.slice(-3).map(({ disable_notification: silent }) => silent)).toEqual([
    false,
    true,
    true,
  ]);
});

describe("an email", () => {
  const newest = () => {
    const { to, raw = "" } = smtp.emails.at(-1) ?? { to: [] };
    const [headers = "", ...body] = raw.split("\r\n\r\n");
    return { to, headers, text: decodeQuotedPrintable(body.join("\r\n\r\n")).replaceAll("\r\n", "\n") };
  };

  /** A user whose address a platform vouches for: no email has to be read. */
  async function externalMaker() {
    const user = await externalUser(server);
    await assign(server, user.id, (await newRole(server, "alerts:read", "alerts:write")).id);
    return user;
  }

  test("to an address that nobody proved names who asked for it", async () => {
    const maker = await externalMaker();
    const { id } = await newTarget(
      server,
      { kind: "email", to: "crew@example.org", name: "crew" },
      { token: maker.token },
    );
    expect(await tried(server, id)).toEqual({ ...DELIVERED, response_status: null });
    const { to, headers, text } = newest();
    expect(to).toEqual(["crew@example.org"]);
    expect(headers).toContain("Subject: Test of Fairlead");
    expect(text).toContain("This is a test of the notification target “crew”.");
    expect(text).toContain(`${maker.username} entered this address for alerts of Fairlead on localhost`);
  });

  test("to the maker's own address says so, in the target's language", async () => {
    const maker = await externalMaker();
    const fields = { kind: "email", to: maker.email.toUpperCase(), name: "ich", locale: "de" };
    const { id } = await newTarget(server, fields, { token: maker.token });
    await tried(server, id);
    const { headers, text } = newest();
    expect(headers).toContain("Subject: Test von Fairlead");
    expect(text).toContain("weil deine Adresse für Alarme von Fairlead");
    expect(text).not.toContain(maker.username);
  });

  test("of a system key's target names the key", async () => {
    const token = server.systemKey;
    const { id } = await newTarget(server, { kind: "email", to: "crew@example.org" }, { token });
    await tried(server, id);
    expect(newest().text).toContain("The API key “tests” entered this address");
  });

  test("that the mail server refuses fails, and the reason quotes nothing", async () => {
    const { id } = await newTarget(server, { kind: "email", to: "gone@example.org" });
    smtp.refuseNext("RCPT", 550);
    expect(await tried(server, id)).toEqual(failed(null, "smtp: 550 at RCPT TO"));
  });
});

test("an email that is written to a file, for lack of a mail server, says so wherever it shows as delivered", async () => {
  const own = await TestServer.start();
  const token = await own.admin();
  const { id } = await newTarget(own, { kind: "email", to: "crew@example.org", is_default: true });
  const note = expect.stringMatching(/^email\.transport is outbox: .* nobody got it$/);
  const written = { status: "delivered", response_status: null, error: null, note };
  expect(await tried(own, id)).toEqual({ ...written, duration_ms: expect.any(Number) });
  const device = await own.device();
  const drop = { latitude: 54, longitude: 13, radius_m: 50 };
  done(await own.put(`/v1/devices/${device.id}/anchor`, { token, body: drop }));
  const anchor = done(await own.post(`/v1/devices/${device.id}/anchor/test`, { token }));
  expect(anchor.data.deliveries).toMatchObject([written]);
  expect((await deliveriesTo(own, id)).data).toMatchObject([written, written]);
  await own.stop();
});

describe("a test", () => {
  test("needs alerts:write, and a target", async () => {
    const { id } = await newWebhook(server, hook.url);
    await expectPermission(server, "alerts:write", 200, (token) =>
      server.post(`${PATH}/${id}/test`, { ...(token && { token }) }),
    );
    const token = await server.admin();
    expectRefused(await server.post(`${PATH}/${UNKNOWN}/test`, { token }), 404, "NotFound");
  });

  test("goes to a target that is switched off too", async () => {
    const { id } = await newWebhook(server, hook.url, { is_active: false });
    expect((await tried(server, id)).status).toBe("delivered");
  });

  test("is limited: each is a request to somebody else", async () => {
    const token = await server.key("alerts:write");
    const { id } = await newWebhook(server, hook.url);
    const answers = [];
    for (let at = 0; at < 61; at++) answers.push(await server.post(`${PATH}/${id}/test`, { token }));
    expect(answers.slice(0, 60).every(({ status }) => status === 200)).toBe(true);
    expectStatus(answers[60] as (typeof answers)[0], 429);
  });
});
