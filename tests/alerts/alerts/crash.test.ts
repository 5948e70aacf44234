import { expect, test } from "bun:test";
import { WebhookStandIn } from "../../stand-ins/webhook";
import { done, eventually, expectStatus } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { createZone, fix, northOf } from "../../tracking/support";
import { ALERTS, alertsOf, newRule, type Sender } from "../support";
import { newWebhook } from "../targets/support";

/** Number of times that the server is killed; many more by hand. */
const KILLS = Number(process.env.KILLS ?? 4);

/** Longest life of a server once it is at work, in milliseconds. */
const LONGEST_LIFE = 600;

const WRITERS = 8;
const HERE = { latitude: fix().latitude, longitude: fix().longitude };
const AWAY = northOf(HERE, 5);

/** A device that goes to and fro over the border of the zone. */
interface Walker {
  device: Sender;
  /** Positions that the server has acknowledged. */
  steps: number;
}

const settings = (hook: WebhookStandIn) => ({ "notifications.allowed_hosts": hook.host });

test(
  "kill -9 at any moment of raising, delivering and acknowledging loses no alert, and each is told at least once",
  async () => {
    const hook = new WebhookStandIn();
    let answers = 0;
    hook.answer(() => new Response(null, { status: ++answers % 40 === 0 ? 503 : 204 }));
    let server = await TestServer.start({ settings: settings(hook) });
    let token = await server.admin();
    const target = await newWebhook(server, hook.url);
    const { id: zone } = await createZone(server, HERE);
    const condition = { type: "zone", event: "enter", geofence_ids: [zone] };
    await newRule(server, condition, { cooldown_seconds: 0, target_ids: [target.id] });
    const walkers: Walker[] = [];
    for (let count = 0; count < WRITERS; count++) walkers.push({ device: await server.device(), steps: 0 });
    /** Alerts whose acknowledgement the server has answered. */
    const acknowledged = new Set<string>();

    /** Goes on with a walk until the server is gone. One step more often than it is acknowledged does no harm. */
    async function walk(walker: Walker): Promise<void> {
      for (;;) {
        const place = walker.steps % 2 === 0 ? HERE : AWAY;
        const body = { ...fix(), ...place, timestamp: Math.floor(Date.now() / 1_000) };
        expectStatus(await server.post("/v1/gps", { token: walker.device.key, body }), 201);
        walker.steps++;
      }
    }

    async function acknowledge(): Promise<void> {
      for (;;) {
        const open = done(await server.get(`${ALERTS}?status=open`, { token })).data;
        for (const { id } of open.slice(0, 3)) {
          done(await server.post(`${ALERTS}/${id}/acknowledge`, { token }));
          acknowledged.add(id);
        }
      }
    }

    let gone = 0;
    const untilGone = (work: Promise<void>) =>
      work.catch((error) => {
        if (!/socket|connect|ECONN/i.test(String(error))) throw error;
        gone++;
      });
    for (let kill = 0; kill < KILLS; kill++) {
      const work = [...walkers.map(walk), acknowledge()].map(untilGone);
      await Bun.sleep(Math.random() * LONGEST_LIFE);
      await server.stop("SIGKILL");
      await Promise.all(work);
      server = await TestServer.start({ settings: settings(hook), dataDir: server.dataDir });
      token = await server.admin();
      // One alert of a device is open if it is inside, none if it is outside.
      for (const { device } of walkers) {
        const inside = done(await server.get(`/v1/geofences/${zone}/devices?limit=100`, { token })).data;
        const isInside = inside.some(({ device_id }: { device_id: string }) => device_id === device.id);
        const open = (await alertsOf(server, `&device_id=${device.id}`)).filter(
          ({ status }) => status !== "cleared",
        );
        expect(open).toHaveLength(isInside ? 1 : 0);
      }
    }
    expect(gone).toBe(KILLS * (WRITERS + 1));
    hook.answer();
    await eventually(
      () => rows(server, "SELECT 1 FROM outbox WHERE lane <> 'email' AND status = 'waiting'").length === 0,
    );

    const raised = rows<{
      id: string;
      count: number;
      status: string;
      device_id: string;
      acknowledged_at: number | null;
    }>(server, "SELECT id, count, status, device_id, acknowledged_at FROM alerts");
    const entered = rows<{ device_id: string; n: number }>(
      server,
      "SELECT device_id, count(*) AS n FROM geofence_events WHERE event = 'enter' GROUP BY device_id",
    );
    let enters = 0;
    for (const { device, steps } of walkers) {
      const ofDevice = raised.filter(({ device_id }) => device_id === device.id);
      const count = ofDevice.reduce((sum, each) => sum + each.count, 0);
      const crossed = entered.find(({ device_id }) => device_id === device.id)?.n ?? 0;
      enters += crossed;
      expect(count).toBe(crossed);
      expect(crossed).toBeGreaterThanOrEqual(Math.ceil(steps / 2));
    }
    const heard = new Map<string, Set<string>>();
    for (const { type, data } of hook.bodies)
      heard.set(data.alert.id, (heard.get(data.alert.id) ?? new Set()).add(type));
    const lost = raised.filter(
      ({ id, status }) => !heard.get(id)?.has(status === "cleared" ? "alert.cleared" : "alert.raised"),
    );
    expect(lost).toEqual([]);
    expect([...heard.keys()].filter((id) => !raised.some((each) => each.id === id))).toEqual([]);
    const forgotten = [...acknowledged].filter(
      (id) => raised.find((each) => each.id === id)?.acknowledged_at === null,
    );
    expect(forgotten).toEqual([]);
    // Acknowledgements among them: whatever was not superseded by an end has arrived, and nothing was sent without a commit.
    const deliveries = rows<{ id: string; status: string }>(
      server,
      "SELECT id, status FROM outbox WHERE lane <> 'email'",
    );
    const arrived = new Set(hook.received.map(({ id }) => id));
    expect(
      deliveries.filter(({ id, status }) =>
        status === "delivered" ? !arrived.has(id) : status !== "superseded",
      ),
    ).toEqual([]);
    const stored = new Set(deliveries.map(({ id }) => id));
    expect([...arrived].filter((id) => !stored.has(id))).toEqual([]);
    if (process.env.KILLS)
      process.stdout.write(
        `${KILLS} kills, ${enters} entries, ${raised.length} alerts, ${acknowledged.size} acknowledged, ${hook.received.length} requests\n`,
      );
    await server.stop();
    await hook.stop();
  },
  60_000 + KILLS * 10_000,
);
