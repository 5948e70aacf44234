import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import dns from "node:dns/promises";
import { deliveriesOf, supersede } from "../../../src/alerts/deliveries/outbox";
import { outcomesOf } from "../../../src/alerts/deliveries/service";
import { deliveriesState } from "../../../src/alerts/deliveries/state";
import { cancelStray, deleteOldDeliveries } from "../../../src/alerts/deliveries/sweep";
import { DAYS, type StoredSchedule } from "../../../src/alerts/schedules/days";
import { notificationTargets } from "../../../src/alerts/targets/table";
import { newId } from "../../../src/kernel/crypto/id";
import { db, sqlite } from "../../../src/kernel/db/connection";
import { transact } from "../../../src/kernel/db/transactions";
import { log } from "../../../src/kernel/logs/log";
import { now, setClock } from "../../../src/kernel/time/clock";
import { endImpossibleWaits } from "../../../src/outbox/queue";
import { type OutboxRow, outbox } from "../../../src/outbox/table";
import { deliverDue } from "../../../src/outbox/worker";
import { setSystemValue } from "../../../src/runtime-settings/service";
import { verify, WebhookStandIn } from "../../stand-ins/webhook";
import { eventually } from "../../support/expectations";
import { temporaryDirectory } from "../../support/server";
import { DAY, HOUR, MINUTE, SECOND } from "../../support/time";
import { advance, openOutbox, PAYLOAD, SECRET, statusOf, stored, target, tell } from "./in-process";

let hook: WebhookStandIn;
let stop: () => Promise<void>;
/** The log, which holds no error but those of deliveries that are given up. */
const errors = spyOn(log, "error").mockImplementation(() => {});
afterAll(() => {
  const messages = new Set(errors.mock.calls.map(([message]) => message));
  errors.mockRestore();
  expect([...messages]).toEqual(["a notification is given up"]);
});
beforeAll(async () => {
  hook = new WebhookStandIn();
  stop = await openOutbox(temporaryDirectory());
});
afterAll(async () => {
  await stop();
  await hook.stop();
  setClock();
});
afterEach(() => {
  hook.answer();
  hook.received.length = 0;
  sqlite.run("DELETE FROM outbox");
  sqlite.run("DELETE FROM notification_targets");
});

/** A quiet time without an end. */
const ALWAYS: StoredSchedule = {
  timezone: "UTC",
  windows: [{ days: [...DAYS], from: "00:00", to: "00:00" }],
};

const settled = async (...ids: string[]) => outcomesOf(ids, 10_000);
const FAIL = () => new Response("why it failed", { status: 500 });
const contentOf = (row?: OutboxRow) => JSON.parse(row?.message ?? "null");
const typesOf = () => hook.bodies.map(({ type }) => type);
/** Lets time pass, and the worker look. */
const pass = async (milliseconds: number) => {
  advance(milliseconds);
  deliverDue();
  await Bun.sleep(20);
};

describe("what is put into the outbox", () => {
  test("is sent after the commit, as Standard Webhooks describes it", async () => {
    const id = target(hook.url);
    const alertId = newId();
    const [delivery = ""] = await tell([id], { alertId });
    const [outcome] = await settled(delivery);
    expect(outcome).toMatchObject({
      ...{ id: delivery, target_id: id, target_name: "target", alert_id: alertId, type: "alert.raised" },
      ...{ severity: "alarm", status: "delivered", attempts: 1, next_attempt_at: null, response_status: 204 },
      ...{ error: null, duration_ms: expect.any(Number), finished_at: expect.any(String) },
    });
    const [received] = hook.received;
    if (!received) throw new Error("nothing came");
    expect(verify(SECRET, received)).toEqual({
      type: "alert.raised",
      timestamp: outcome?.created_at,
      data: PAYLOAD,
    });
    expect(received.id).toBe(delivery);
    expect(received.headers["content-type"]).toBe("application/json");
    expect(received.headers["user-agent"]).toMatch(/^Fairlead\/\d/);
    expect(stored()[0]?.message).toBeNull();
    expect(deliveriesOf(alertId).map(({ id }) => id)).toEqual([delivery]);
  });

  test("is not sent if its transaction fails", async () => {
    const id = target(hook.url);
    const failing = tell([id], {
      text: () => {
        throw new Error("no words");
      },
    });
    expect(failing).rejects.toThrow("no words");
    await Bun.sleep(50);
    expect([stored(), hook.received]).toEqual([[], []]);
  });

  test("is in the language of each target", async () => {
    hook.answer(FAIL);
    await tell([target(hook.url), target(hook.url, { locale: "de" })]);
    expect(stored().map(contentOf)).toMatchObject([{ title: "Alert" }, { title: "Alarm" }]);
  });

  test("goes once to each target that is named, known and switched on", async () => {
    const [on, off] = [target(hook.url), target(hook.url, { is_active: false })];
    expect(await tell([on, off, on, newId()])).toHaveLength(1);
    expect(await tell([])).toEqual([]);
  });

  test("has texts of bounded length, without control characters", async () => {
    const id = target(hook.url);
    const text = () => ({ title: `a\nb\u0000c${"x".repeat(300)}`, body: "y".repeat(5_000) });
    hook.answer(FAIL);
    await tell([id], { text });
    const { title, body } = contentOf(stored()[0]);
    expect(title).toStartWith("a b cxx");
    expect([[...title].length, [...body].length]).toEqual([200, 4_000]);
  });
});

describe("a delivery that fails", () => {
  test("is tried again with the same identifier and another signature", async () => {
    let fails = 2;
    hook.answer(() => (fails-- > 0 ? FAIL() : new Response()));
    const id = target(hook.url);
    const [delivery = ""] = await tell([id]);
    await eventually(() => stored()[0]?.attempts === 1);
    const [row] = stored();
    expect(row).toMatchObject({
      status: "waiting",
      response_status: 500,
      error: "status 500 in place of 2xx",
    });
    const pause = (row?.next_attempt_at ?? 0) - now();
    expect(pause).toBeGreaterThan(4_000);
    expect(pause).toBeLessThan(6_000);
    await pass(6 * SECOND);
    await eventually(() => stored()[0]?.attempts === 2);
    await pass(30 * SECOND);
    await pass(6 * SECOND);
    expect(await settled(delivery)).toMatchObject([{ status: "delivered", attempts: 3 }]);
    expect(new Set(hook.received.map((received) => received.id))).toEqual(new Set([delivery]));
    expect(new Set(hook.received.map(({ raw }) => raw)).size).toBe(1);
  });

  test("is given up in the end", async () => {
    hook.answer(FAIL);
    const [delivery = ""] = await tell([target(hook.url)], { severity: "info" });
    await eventually(() => stored()[0]?.attempts === 1);
    await pass(3 * DAY);
    await eventually(() => stored()[0]?.attempts === 2);
    expect(statusOf(delivery)).toBe("waiting");
    await pass(4 * HOUR);
    await eventually(() => statusOf(delivery) === "failed");
    expect(contentOf(stored()[0]).data).toEqual(PAYLOAD);
  });

  test("holds the later ones of its alert back, but none of other alerts and targets", async () => {
    const other = new WebhookStandIn();
    hook.answer(({ body }) => (body.data.alert.id === "bad" ? FAIL() : new Response()));
    const [one, two] = [target(hook.url), target(other.url)];
    const bad = { alertId: newId(), payload: { alert: { id: "bad" } } };
    const [raised = ""] = await tell([one], bad);
    await eventually(() => stored()[0]?.attempts === 1);
    const [acknowledged = ""] = await tell([one], { ...bad, type: "alert.acknowledged" });
    const fine = [...(await tell([one])), ...(await tell([two], { alertId: bad.alertId }))];
    expect((await settled(...fine)).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    expect([statusOf(raised), statusOf(acknowledged)]).toEqual(["waiting", "waiting"]);
    hook.answer();
    await pass(6 * SECOND);
    await settled(raised, acknowledged);
    const ids = hook.received.map(({ id }) => id);
    expect(ids.indexOf(acknowledged)).toBeGreaterThan(ids.lastIndexOf(raised));
    await other.stop();
  });

  test("is tried at once when any other delivery succeeds after an outage", async () => {
    const port = hook.port;
    const [one, two] = [target(hook.url), target(`http://127.0.0.1:1/`)];
    await hook.stop();
    const first = await tell([one], { severity: "info" });
    const second = await tell([two], { severity: "info" });
    for (const [tried, wait] of [0, 6 * SECOND, 35 * SECOND, 2.5 * MINUTE, 12 * MINUTE].entries()) {
      await pass(wait);
      await eventually(() => stored().every(({ attempts }) => attempts > tried));
    }
    expect(stored().map(({ error }) => error)).toEqual(new Array(2).fill("the connection was refused"));
    const [before] = stored();
    hook = new WebhookStandIn(port);
    db.update(notificationTargets)
      .set({ settings: { url: hook.url } })
      .run();
    // The next attempts are due in an hour. Another target answers now.
    await pass(10 * SECOND);
    expect(hook.received).toEqual([]);
    const third = await tell([target(hook.url)], { severity: "info" });
    expect((await settled(...first, ...second, ...third)).map(({ status }) => status)).toEqual(
      new Array(3).fill("delivered"),
    );
    expect((before?.next_attempt_at ?? 0) - now()).toBeGreaterThan(5 * MINUTE);
  });

  test("is not left behind by an outage that ended right after its attempt", async () => {
    const [delivery = ""] = await tell([target("http://127.0.0.1:1/")], { severity: "info" });
    for (const [tried, wait] of [0, 6 * SECOND, 35 * SECOND, 2.5 * MINUTE].entries()) {
      await pass(wait);
      await eventually(() => stored()[0]?.attempts === tried + 1);
    }
    await settled(...(await tell([target(hook.url)])));
    await eventually(() => (stored()[0]?.next_attempt_at ?? 0) - now() <= 5 * SECOND);
    expect(statusOf(delivery)).toBe("waiting");
  });

  test("many times is tried every two minutes at most by the success of others", async () => {
    await tell([target("http://127.0.0.1:1/")], { severity: "info" });
    await eventually(() => stored()[0]?.attempts === 1);
    db.update(outbox)
      .set({ attempts: 20, step: 9, next_attempt_at: now() + 3 * HOUR })
      .run();
    await settled(...(await tell([target(hook.url)])));
    await eventually(() => (stored()[0]?.next_attempt_at ?? 0) - now() <= 2 * MINUTE);
    expect((stored()[0]?.next_attempt_at ?? 0) - now()).toBeGreaterThan(MINUTE);
  });

  test("waits as long as the other side asks for, and with it the whole target", async () => {
    hook.answer(() => new Response(null, { status: 429, headers: { "retry-after": "120" } }));
    const id = target(hook.url);
    await tell([id]);
    await eventually(() => stored()[0]?.attempts === 1);
    expect((stored()[0]?.next_attempt_at ?? 0) - now()).toBeGreaterThan(118 * SECOND);
    hook.answer();
    await tell([id]);
    await pass(SECOND);
    expect(hook.received).toHaveLength(1);
    await pass(121 * SECOND);
    await settled(...stored().map((row) => row.id));
    expect(hook.received).toHaveLength(3);
  });

  test("is tried every two minutes if it is an alarm's, whatever wait the other side asks for", async () => {
    hook.answer(() => new Response(null, { status: 429, headers: { "retry-after": "3600" } }));
    const id = target(hook.url);
    await tell([id]);
    await eventually(() => stored()[0]?.attempts === 1);
    await pass(121 * SECOND);
    await eventually(() => stored()[0]?.attempts === 2);
    await tell([target(hook.url)], { severity: "info" });
    await eventually(() => stored()[1]?.attempts === 1);
    expect((stored()[1]?.next_attempt_at ?? 0) - now()).toBeGreaterThan(58 * MINUTE);
  });

  test("because of what the maker may not see any more is not tried again", async () => {
    const id = target(hook.url, { api_key_id: null });
    const [outcome] = await settled(...(await tell([id])));
    expect(outcome).toMatchObject({
      status: "failed",
      error: "whoever said where the target leads may not read alerts any more",
    });
    expect(hook.received).toEqual([]);
  });

  test.each(["http://169.254.169.254/", "http://localhost/", "http://192.168.1.1/"])(
    "for an address that is not permitted is not tried again: %s",
    async (url) => {
      const [outcome] = await settled(...(await tell([target(url)])));
      expect(outcome).toMatchObject({ status: "failed", attempts: 1, response_status: null });
      expect(outcome?.error).toMatch(/^the address leads to .*notifications\./);
    },
  );

  test("for what a name resolves to is tried again: the net of a harbour may lie for a while", async () => {
    const lookup = spyOn(dns, "lookup").mockImplementation((async () => [
      { address: "169.254.169.254", family: 4 },
    ]) as never);
    const [delivery = ""] = await tell([target("http://boat.example/")]);
    await eventually(() => stored()[0]?.attempts === 1);
    lookup.mockRestore();
    expect(statusOf(delivery)).toBe("waiting");
    expect(stored()[0]?.error).toStartWith("the address leads to an address of a cloud's metadata service");
  });
});

describe("the end of an alert", () => {
  test("supersedes what of it still waits", async () => {
    hook.answer(FAIL);
    const alertId = newId();
    const id = target(hook.url);
    await tell([id], { alertId });
    await eventually(() => stored()[0]?.attempts === 1);
    await tell([id], { alertId, type: "alert.acknowledged" });
    hook.answer();
    hook.received.length = 0;
    const [cleared = ""] = await tell([id], { alertId, type: "alert.cleared" });
    await settled(cleared);
    expect(stored().map(({ status }) => status)).toEqual(["superseded", "superseded", "delivered"]);
    await pass(10 * MINUTE);
    expect(typesOf()).toEqual(["alert.cleared"]);
  });

  test("waits for what is on its way, which counts as delivered", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hook.answer(async ({ body }) => {
      if (body.type === "alert.raised") await promise;
      return new Response();
    });
    const alertId = newId();
    const id = target(hook.url);
    const raised = await tell([id], { alertId });
    await eventually(() => hook.received.length === 1);
    const cleared = await tell([id], { alertId, type: "alert.cleared" });
    await Bun.sleep(50);
    expect(typesOf()).toEqual(["alert.raised"]);
    resolve();
    await settled(...cleared);
    await eventually(() => statusOf(raised[0] ?? "") === "delivered");
    expect(typesOf()).toEqual(["alert.raised", "alert.cleared"]);
  });

  test("supersedes nothing of other alerts, and no test", async () => {
    hook.answer(FAIL);
    const alertId = newId();
    const quiet = target(hook.url);
    await tell([quiet]);
    await transact(() => supersede(alertId));
    expect(stored().map(({ status }) => status)).toEqual(["waiting"]);
  });
});

describe("alarms", () => {
  test("go before the rest", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hook.answer(async () => {
      await promise;
      return new Response();
    });
    const id = target(hook.url);
    const filling = [];
    for (let at = 0; at < 8; at++) filling.push(...(await tell([id], { severity: "info" })));
    await eventually(() => hook.received.length === 8);
    const infos = [];
    for (let at = 0; at < 20; at++) infos.push(...(await tell([id], { severity: "warning" })));
    const alarms = [...(await tell([id])), ...(await tell([id]))];
    resolve();
    await settled(...infos, ...alarms, ...filling);
    const order = hook.received.slice(8).map((received) => received.id);
    expect(order.slice(0, 2).toSorted()).toEqual(alarms.toSorted());
  });

  test("go out in a quiet time, and the rest at its end", async () => {
    const id = target(hook.url, { quiet: ALWAYS });
    const alarm = await tell([id]);
    const [info = ""] = await tell([id], { severity: "info" });
    await settled(...alarm);
    const midnight = (Math.floor(now() / DAY) + 1) * DAY;
    expect(stored()[1]).toMatchObject({ status: "waiting", attempts: 0, next_attempt_at: midnight });
    expect(deliveriesState()).toMatchObject({ waiting: 0, isUp: true });
    // Quiet again at once: it is held for another day, and sent when the quiet time is taken away.
    await pass(midnight - now() + MINUTE);
    await eventually(() => stored()[1]?.next_attempt_at === midnight + DAY);
    expect(statusOf(info)).toBe("waiting");
    db.update(notificationTargets).set({ quiet: null }).run();
    await pass(DAY);
    expect(await settled(info)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });
});

describe("a receiver that answers 410", () => {
  test("gets nothing more: its target is switched off, and what waits is given up", async () => {
    const id = target(hook.url);
    hook.answer(FAIL);
    const [waiting = ""] = await tell([id], { severity: "info" });
    await eventually(() => stored()[0]?.attempts === 1);
    hook.answer(() => new Response(null, { status: 410 }));
    const [last] = await settled(...(await tell([id])));
    expect(last).toMatchObject({ status: "failed", response_status: 410 });
    await eventually(() => statusOf(waiting) === "cancelled");
    expect(db.select().from(notificationTargets).get()?.is_active).toBe(false);
    expect(await tell([id])).toEqual([]);
    const events = sqlite.query("SELECT event_type, resource_id FROM audit_events").all();
    expect(events).toEqual([{ event_type: "notification_target_updated", resource_id: id }]);
  });
});

describe("a test", () => {
  test("that goes through the outbox is not tried again, and goes out in a quiet time", async () => {
    hook.answer(FAIL);
    const id = target(hook.url);
    const [outcome] = await settled(...(await tell([id], { type: "alert.test", alertId: null })));
    expect(outcome).toMatchObject({ status: "failed", attempts: 1, response_status: 500 });
  });
});

describe("housekeeping", () => {
  test("deletes old deliveries, and gives up what waited as long", async () => {
    hook.answer(FAIL);
    const old = await tell([target(hook.url)]);
    await eventually(() => stored()[0]?.attempts === 1);
    hook.answer();
    const done = await tell([target(hook.url)]);
    await settled(...done);
    advance(29 * DAY);
    await deleteOldDeliveries();
    expect(stored()).toHaveLength(2);
    advance(2 * DAY);
    await transact(() => setSystemValue("alerts.delivery_retention_days", 0));
    await deleteOldDeliveries();
    expect(stored()).toHaveLength(2);
    await transact(() => setSystemValue("alerts.delivery_retention_days", 30));
    await deleteOldDeliveries();
    expect(stored()).toEqual([]);
    expect(old).toHaveLength(1);
  });

  test("lets nothing wait for a clock that was set back", async () => {
    hook.answer(FAIL);
    const [delivery = ""] = await tell([target(hook.url)]);
    await eventually(() => stored()[0]?.attempts === 1);
    hook.answer();
    advance(-90 * DAY);
    await endImpossibleWaits();
    deliverDue();
    expect(await settled(delivery)).toMatchObject([{ status: "delivered" }]);
    advance(90 * DAY);
  });

  test("gives up what waits for a target that is gone", async () => {
    hook.answer(FAIL);
    const [delivery = ""] = await tell([target(hook.url)]);
    await eventually(() => stored()[0]?.attempts === 1);
    sqlite.run("DELETE FROM notification_targets");
    await cancelStray();
    expect(await outcomesOf([delivery], 0)).toMatchObject([{ status: "cancelled", target_name: null }]);
  });
});

describe("the state", () => {
  test("is known while there is a target or something waits, and tells of what fails", async () => {
    expect(deliveriesState()).toBeNull();
    const id = target(hook.url);
    expect(deliveriesState()).toEqual({ isUp: true, waiting: 0, oldestSeconds: null });
    hook.answer(FAIL);
    await tell([id]);
    await eventually(() => stored()[0]?.attempts === 1);
    advance(60 * SECOND);
    const age = () => Math.floor((now() - (stored()[0]?.created_at ?? 0)) / SECOND);
    const youngest = age();
    const { oldestSeconds, ...state } = deliveriesState() ?? {};
    expect(state).toEqual({ isUp: true, waiting: 1 });
    expect(youngest).toBeGreaterThanOrEqual(60);
    expect(oldestSeconds).toBeGreaterThanOrEqual(youngest);
    expect(oldestSeconds).toBeLessThanOrEqual(age());
    advance(5 * MINUTE);
    expect(deliveriesState()).toMatchObject({ isUp: false, waiting: 1 });
  });

  test("is no fault for what a quiet time held before its first attempt", async () => {
    hook.answer(FAIL);
    const [delivery = ""] = await tell([target(hook.url, { quiet: ALWAYS })], { severity: "info" });
    await Bun.sleep(50);
    advance(10 * HOUR);
    db.update(notificationTargets).set({ quiet: null }).run();
    db.update(outbox).set({ next_attempt_at: now() }).run();
    deliverDue();
    await eventually(() => stored()[0]?.attempts === 1);
    expect(statusOf(delivery)).toBe("waiting");
    expect(deliveriesState()).toMatchObject({ isUp: true, waiting: 1 });
  });
});

test("many deliveries to one webhook go out by several connections, and in order for each alert", async () => {
  const id = target(hook.url);
  const alerts = Array.from({ length: 40 }, newId);
  // In order for each alert, four occasions each.
  const { promise, resolve } = Promise.withResolvers<void>();
  hook.answer(async () => {
    await promise;
    return new Response();
  });
  for (let round = 0; round < 4; round++)
    for (const alertId of alerts)
      await tell([id], { alertId, severity: "warning", payload: { alert: { id: alertId, round } } });
  resolve();
  const waiting = sqlite.query("SELECT 1 FROM outbox WHERE lane <> 'email' AND status = 'waiting' LIMIT 1");
  await eventually(() => waiting.get() === null);
  expect(hook.received).toHaveLength(4 * alerts.length);
  expect(new Set(hook.received.map(({ port }) => port)).size).toBeGreaterThan(1);
  const rounds = new Map<string, number[]>();
  for (const { data } of hook.bodies)
    rounds.set(data.alert.id, [...(rounds.get(data.alert.id) ?? []), data.alert.round]);
  expect([...rounds.values()].filter((order) => order.join() !== "0,1,2,3")).toEqual([]);
});
