import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { WebhookStandIn } from "../../stand-ins/webhook";
import {
  done,
  eventually,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { staff } from "../../support/people";
import { rows, write } from "../../support/rows";
import { command, TestServer } from "../../support/server";
import { DAY, MINUTE, SECOND } from "../../support/time";
import { change, deliveriesTo, newTarget, newWebhook, PATH, readTarget, tried } from "../targets/support";
import { putDeliveries } from "./support";

/** Deliveries of a running server. */

const hook = new WebhookStandIn();
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "notifications.allowed_hosts": "127.0.0.1", "metrics.enabled": "true" },
  });
});
afterAll(async () => {
  await server.stop();
  await hook.stop();
});

type Tail<List> = List extends [unknown, unknown, ...infer Rest] ? Rest : never;
const put = (target: string, ...more: Tail<Parameters<typeof putDeliveries>>) =>
  putDeliveries(server, target, ...more);

// biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
const newest = async (target: string): Promise<any> => (await deliveriesTo(server, target)).data[0];
const retry = async (id: string, token?: string) =>
  server.post(`/v1/deliveries/${id}/retry`, { token: token ?? (await server.admin()) });

describe("the deliveries of a target", () => {
  test("are the newest 200, newest first, in pages", async () => {
    const { id } = await newWebhook(server, hook.url, { is_active: false });
    const ids = put(id, 205, { status: "delivered" }).toReversed();
    const first = await deliveriesTo(server, id);
    expect(first.pagination).toEqual({ page: 1, limit: 20, total: 200, total_pages: 10 });
    const shown = [];
    for (let page = 1; page <= 3; page++)
      shown.push(...(await deliveriesTo(server, id, `?limit=100&page=${page}`)).data);
    expect(shown.map((delivery) => delivery.id)).toEqual(ids.slice(0, 200));
    const unknown = await server.get(`${PATH}/${UNKNOWN}/deliveries`, { token: await server.admin() });
    expectRefused(unknown, 404, "NotFound");
  });

  test("are sent by a server that finds them, also after a restart", async () => {
    const { id } = await newWebhook(server, hook.url);
    const [delivery = ""] = put(id);
    await eventually(async () => (await newest(id)).status === "delivered");
    expect(hook.received.at(-1)?.id).toBe(delivery);
  });

  test("are tried again on demand, from the first pause on", async () => {
    const { id } = await newWebhook(server, hook.url);
    const failed = { status: "failed", attempts: 30, step: 29, response_status: 500, error: "status 500" };
    const [delivery = ""] = put(id, 1, failed);
    expect(expectStatus(await retry(delivery), 200).body.data).toMatchObject({
      id: delivery,
      status: "waiting",
    });
    await eventually(async () => (await newest(id)).status === "delivered");
    expect(await newest(id)).toMatchObject({ attempts: 31, error: null });
    expectRefused(await retry(delivery), 409, "Conflict");
    expectRefused(await retry(UNKNOWN), 404, "NotFound");
    await expectPermission(server, "alerts:write", 409, (token) =>
      server.post(`/v1/deliveries/${delivery}/retry`, { ...(token && { token }) }),
    );
  });

  test("of a test that failed bring on demand what the test would have brought", async () => {
    hook.answer(() => new Response(null, { status: 500 }));
    const { id } = await newWebhook(server, hook.url);
    expect(await tried(server, id)).toMatchObject({ status: "failed", response_status: 500 });
    hook.answer();
    expectStatus(await retry((await newest(id)).id), 200);
    await eventually(async () => (await newest(id)).status === "delivered");
    const [first, second] = hook.received.slice(-2);
    expect(second?.raw).toBe(first?.raw ?? "");
  });

  test("of a target that is off are not tried, and given up where it is switched off", async () => {
    hook.answer(() => new Response(null, { status: 500 }));
    const { id } = await newWebhook(server, hook.url);
    const [delivery = ""] = put(id);
    await eventually(async () => (await newest(id)).attempts > 0);
    hook.answer();
    done(await change(server, id, { is_active: false }));
    await eventually(async () => (await newest(id)).status === "cancelled");
    expectRefused(await retry(delivery), 409, "Conflict");
    write(server, `UPDATE outbox SET status = 'failed' WHERE id = '${delivery}'`);
    expectRefused(await retry(delivery), 409, "Conflict");
  });

  test("that later news of their alert have overtaken are not tried again", async () => {
    const { id } = await newWebhook(server, hook.url);
    const told = (kind: string, status: string, alert_id: string) =>
      put(id, 1, { ...{ kind, status, alert_id }, next_attempt_at: server.time + DAY })[0] ?? "";
    for (const [kind, status] of [
      ["alert.cleared", "delivered"],
      ["alert.cleared", "waiting"],
      ["alert.cleared", "failed"],
      ["alert.acknowledged", "delivered"],
    ] as const) {
      const alert = Bun.randomUUIDv7();
      const raised = told("alert.raised", "failed", alert);
      told(kind, status, alert);
      expectRefused(await retry(raised), 409, "Conflict");
    }
    for (const status of ["failed", "waiting"]) {
      const alert = Bun.randomUUIDv7();
      const raised = told("alert.raised", "failed", alert);
      told("alert.acknowledged", status, alert);
      expectStatus(await retry(raised), 200);
    }
  });

  test("that failed are tried at once when their target is changed", async () => {
    const closed = "http://127.0.0.1:1/";
    const { id } = await newWebhook(server, closed);
    put(id);
    await eventually(async () => (await newest(id)).attempts > 0);
    expect(await newest(id)).toMatchObject({ status: "waiting", error: "the connection was refused" });
    done(await change(server, id, { url: hook.url }));
    await eventually(async () => (await newest(id)).status === "delivered");
  });

  test("to a mailbox go through the outbox of emails, once, under their own identifier", async () => {
    const { id } = await newTarget(server, { kind: "email", to: "skipper@example.org" });
    const [delivery = ""] = put(id, 1, {}, { title: "Anchor drags", body: "First.\nSecond." });
    await eventually(async () => (await newest(id)).status === "delivered");
    expect(readdirSync(join(server.dataDir, "outbox"))).toContain(`${delivery}.json`);
    const mail = await newestMail(server, "skipper@example.org");
    expect(mail).toMatchObject({ kind: "alert", subject: "Anchor drags", locale: "en", link: null });
    expect(mail.text).toContain("Anchor drags\n\nFirst.\n\nSecond.");
  });
});

test("a maker that may not see positions or devices tells none; one that may read alerts no more tells nothing", async () => {
  const maker = await staff(server, "alerts:read", "alerts:write", "geofences:read");
  const { id } = await newTarget(server, { kind: "webhook", url: hook.url }, { token: maker.token });
  const data = { alert: 1, rule: 2, device: 3, position: 4, zone: 5 };
  put(id, 1, {}, { data });
  await eventually(async () => (await newest(id)).status === "delivered");
  expect(hook.bodies.at(-1).data).toEqual({ alert: 1, rule: 2, device: null, position: null, zone: 5 });
  write(server, `DELETE FROM user_roles WHERE user_id = '${maker.id}'`);
  put(id, 1, {}, { data });
  await eventually(async () => (await newest(id)).status === "failed");
  expect((await newest(id)).error).toContain("may not read alerts any more");
});

describe("outside, the outbox", () => {
  test("shows in /health and /metrics what waits, and its age", async () => {
    const { id } = await newWebhook(server, "http://127.0.0.1:1/");
    put(id);
    await eventually(async () => (await newest(id)).attempts > 0);
    const before = done(await server.get("/health"));
    expect(before).toMatchObject({
      status: "healthy",
      services: { notifications: { status: "up", waiting: 1 } },
    });
    await server.advance(10 * MINUTE);
    const { status, services } = done(await server.get("/health"));
    expect(status).toBe("degraded");
    expect(services.notifications).toMatchObject({ status: "down", waiting: 1 });
    expect(services.notifications.oldest_seconds).toBeGreaterThanOrEqual(600);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^fairlead_queue_length\{queue="notifications"\} 1$/m);
    expect(metrics).toMatch(/^fairlead_notifications_oldest_seconds 6\d\d$/m);
    expect(metrics).toMatch(/^fairlead_notifications_total\{outcome="delivered"\} \d+$/m);
    const doctor = await command(["doctor", "--json"], { settings: { "data.dir": server.dataDir } });
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      check: "notifications",
      verdict: "warning",
      message: expect.stringMatching(/^1 has not been delivered yet/),
      translations: { de: expect.stringMatching(/^1 ist noch nicht zugestellt/) },
    });
    done(await server.delete(`${PATH}/${id}`, { token: await server.admin() }));
    await eventually(async () => done(await server.get("/health")).services.notifications.waiting === 0);
    await server.advance(-10 * MINUTE);
  });

  test("makes no account's data outlive it: its targets go, and what waits for them", async () => {
    const maker = await staff(server, "alerts:read", "alerts:write");
    const { id } = await newTarget(
      server,
      { kind: "webhook", url: "http://127.0.0.1:1/" },
      { token: maker.token },
    );
    const [delivery] = put(id);
    const token = await server.admin();
    done(await server.post(`/v1/admin/users/${maker.id}/force-delete`, { token, body: {} }));
    expectRefused(await server.get(`${PATH}/${id}`, { token }), 404, "NotFound");
    await server.advance(SECOND);
    await eventually(
      () =>
        rows<{ status: string }>(server, "SELECT status FROM outbox WHERE id = ?", delivery ?? "")[0]
          ?.status !== "waiting",
    );
  });
});

test("a master key that is another one is told of, and a new token mends it", async () => {
  const { id } = await newTarget(server, { kind: "ntfy", topic: "a", server_url: hook.url, token: "tk_1" });
  write(server, `UPDATE notification_targets SET secret = 'AAAA' WHERE id = '${id}'`);
  put(id);
  await eventually(async () => (await newest(id)).attempts > 0);
  expect((await newest(id)).error).toBe("the secret can't be decrypted: is the master key another one?");
  done(await change(server, id, { token: "tk_2" }));
  expect((await readTarget(server, id)).has_token).toBe(true);
});
