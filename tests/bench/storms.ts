import { join } from "node:path";
import { type Waits, watch } from "./late";
import type { Options } from "./options";
import { Preparation } from "./prepare";
import { processorSeconds, type Server, startFairlead } from "./processes";
import { progress } from "./progress";
import { fixed, mark, waitsTable, whole } from "./report";
import { ZONES } from "./scenarios";

/** Storms of alerts: how soon a webhook has heard of all of them, and how long others wait meanwhile. */

/** Alerts of a storm, each of another device, which are raised in a second. */
const ALERTS = 1_000;
/** Milliseconds between two posts of some positions at once. */
const EVERY = 20;
const AT_ONCE = (ALERTS * EVERY) / 1_000;

/** Seconds from the first alert of a storm in which the webhook should have heard of all. */
const WITHIN = 10;
/** Longest wait for a storm to be told, in milliseconds: then the bench fails. */
const PATIENCE = 120_000;

/** Milliseconds in which the requests that are timed have nothing beside them. */
const ALONE = 5_000;

interface Storm {
  /** Seconds from the first position until all are answered, so that all alerts are raised. */
  raised: number;
  /** Seconds from the first position until the webhook has heard of all. */
  told: number;
  /** Seconds of the server's processor time until then, for other requests too; null where the system doesn't tell. */
  processor: number | null;
}

export interface Storms {
  alerts: number;
  storms: Storm[];
  /** Waits of others with nothing else to do, and while storms are raised, told and cleared. */
  alone: Waits[];
  meanwhile: Waits[];
}

/** A receiver of webhooks, which counts the alerts that it hears of. */
export class Receiver {
  readonly #heard = new Set<string>();
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { type, data } = (await request.json()) as { type: string; data: { alert: { id: string } } };
      this.#heard.add(`${type} ${data.alert.id}`);
      return new Response(null, { status: 204 });
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }

  /** The number of occasions that it has heard of. */
  get heard(): number {
    return this.#heard.size;
  }

  /** Waits until it has heard of so many alerts, each once for each occasion. Throws if that takes too long. */
  async hears(number: number): Promise<void> {
    const end = performance.now() + PATIENCE;
    while (this.#heard.size < number) {
      if (performance.now() > end)
        throw new Error(`the webhook heard of ${this.#heard.size} of ${number} occasions`);
      await Bun.sleep(5);
    }
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }
}

/** Makes storms on a database with as many devices as a storm has alerts. */
export async function measureStorms(
  { points, rounds }: Options,
  directory: string,
): Promise<Storms & { points: number }> {
  const preparation = await Preparation.start(join(directory, "prepared"), points);
  await preparation.growPoints(points);
  await preparation.growZones(ZONES);
  // The first device posts what others wait for.
  const [, ...deviceIds] = await preparation.growDevices(ALERTS + 1);
  const server = await startFairlead(preparation.finish());
  const receiver = new Receiver();
  const post = postTo(server);
  const target = await post("notification-targets", { name: "Hook", kind: "webhook", url: receiver.url });
  await post("alert-rules", {
    ...{ name: "Too fast", severity: "alarm", condition: { type: "speed", above_knots: 5 } },
    ...{ cooldown_seconds: 0, target_ids: [target.id] },
  });

  /** Posts a position of each device in a second, and returns how long that took and the telling of it. */
  async function blow(speed_knots: number, occasions: number): Promise<Storm> {
    // Each position has to be newer than the one before, by the second.
    await Bun.sleep(1_000);
    const before = processorSeconds(server.pid);
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1_000;
    const timestamp = Math.floor(Date.now() / 1_000);
    const sent: Promise<unknown>[] = [];
    for (let at = 0; at < deviceIds.length; at += AT_ONCE) {
      for (const device_id of deviceIds.slice(at, at + AT_ONCE))
        sent.push(post("gps", { ...HERE, device_id, timestamp, speed_knots }));
      await Bun.sleep(Math.max(0, ((at + AT_ONCE) / AT_ONCE) * EVERY - seconds() * 1_000));
    }
    await Promise.all(sent);
    const raised = seconds();
    await receiver.hears(occasions);
    const told = seconds();
    const after = processorSeconds(server.pid);
    return { raised, told, processor: before === null || after === null ? null : after - before };
  }

  // The first requests of each kind, and the first storm, compile what the next ones run.
  const warmUp = watch(server);
  await blow(FAST, ALERTS);
  await blow(0, 2 * ALERTS);
  await warmUp();
  const ofAlone = watch(server);
  await Bun.sleep(ALONE);
  const alone = await ofAlone();
  const storms: Storm[] = [];
  const ofMeanwhile = watch(server);
  for (let storm = 1; storm <= rounds; storm++) {
    progress(`storm ${storm} of ${rounds}`);
    storms.push(await blow(FAST, (2 * storm + 1) * ALERTS));
    await blow(0, (2 * storm + 2) * ALERTS);
  }
  const meanwhile = await ofMeanwhile();
  await receiver.stop();
  return { points, alerts: ALERTS, storms, alone, meanwhile };
}

/** Knots at which the alert is raised. */
const FAST = 10;
const HERE = { latitude: 54.2, longitude: 13.5, speed_kmh: 0, speed_mps: 0, speed_mph: 0 };

const postTo =
  ({ port, fixture }: Server) =>
  async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.session}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { data } = (await answer.json()) as { data: { id: string } };
    if (answer.status !== 201) throw new Error(`POST /v1/${path} answered ${answer.status}`);
    return data;
  };

/** The report on storms of alerts. */
export function describeStorms({
  machine,
  points,
  alerts,
  storms,
  alone,
  meanwhile,
}: Storms & { machine: string; points: number }): string {
  const slowest = Math.max(...storms.map(({ told }) => told));
  const processor = storms.map((storm) => storm.processor ?? Number.NaN);
  const lines = [
    `Storms of alerts, told to a webhook (${machine})`,
    `${whole(points)} stored positions, ${whole(ZONES)} zones; ${storms.length} storms of ${whole(alerts)} alerts, each of another device`,
    "",
    `raised in ${fixed(Math.max(...storms.map(({ raised }) => raised)))} s at most; the webhook had heard of all ${fixed(slowest)} s after the first at most (within ${WITHIN} s: ${mark(slowest <= WITHIN)})`,
    `processor time of the server for a storm: ${fixed(Math.max(...processor))} s at most`,
    "",
    "Others meanwhile, while alerts are cleared too",
    "",
    waitsTable(alone, meanwhile),
  ];
  return `${lines.join("\n")}\n`;
}
