import { createSocket } from "node:dgram";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt, { type MqttClient } from "mqtt";
import { Box } from "./fleet";
import { openPage } from "./page";
import { freePort, remember, removeAtEnd, type Server } from "./processes";
import type { Besides, Counts } from "./soak";
import { Receiver } from "./storms";

/**
 * All that an installation may have at once, beside the requests of a soak: apps at each door, a receiver of its own, boxes, a
 * broker, alerts, and the page in a browser. Each part counts what it has done; whatever fails is told, and is counted too.
 */

/** Milliseconds between two fixes of an app, of the receiver and of the publisher. */
const FIX_EVERY = 1_000;
/** Milliseconds between two pushes of a box, and the fixes of each. The server closes a connection that rests for ten seconds. */
const PUSH_EVERY = 7_000;
const FIXES_OF_PUSH = 3;
/** Milliseconds in which the boat that is watched goes too fast, and then lies still. */
const ALERT_EVERY = 20_000;
const FAST = 12;
const LIMIT = 8;

/** The parts that must be there before the server. */
interface Surroundings {
  brokerUrl: string;
  /** The port at which the server hears its receiver. */
  receiverPort: number;
}

/** Starts mosquitto, which ends with the bench. Throws where it isn't installed. */
async function startBroker(): Promise<string> {
  const [port, directory] = [freePort(), mkdtempSync(join(tmpdir(), "fairlead-broker-"))];
  removeAtEnd(directory);
  const file = join(directory, "mosquitto.conf");
  writeFileSync(file, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\nlog_type none\n`);
  remember(Bun.spawn(["mosquitto", "-c", file], { stdio: ["ignore", "ignore", "inherit"] }));
  return `mqtt://127.0.0.1:${port}`;
}

/** Starts the broker, and returns the server's settings with the function that starts all else. */
export async function prepareEverything(boxTokens: readonly string[]): Promise<Besides> {
  const brokerUrl = await startBroker();
  const receiverPort = freePort();
  return {
    settings: {
      FAIRLEAD_MQTT_URL: brokerUrl,
      FAIRLEAD_MQTT_OWNTRACKS: "true",
      FAIRLEAD_POSITION_SOURCE: "nmea",
      FAIRLEAD_POSITION_URL: `udp://127.0.0.1:${receiverPort}`,
      FAIRLEAD_POSITION_ALLOW_FROM: "127.0.0.1",
    },
    start: (server) => startEverything(server, { brokerUrl, receiverPort }, boxTokens),
  };
}

/** A boat that sails a circle of its own. */
class Boat {
  readonly #at = Math.random() * 2 * Math.PI;

  get fix() {
    const angle = this.#at + Date.now() / 300_000;
    return {
      latitude: 54.3 + 0.02 * Math.sin(angle),
      longitude: 13.4 + 0.03 * Math.cos(angle),
      seconds: Math.floor(Date.now() / 1_000),
    };
  }
}

type Fix = Boat["fix"];

const feature = ({ latitude, longitude, seconds }: Fix) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [longitude, latitude] },
  properties: { timestamp: new Date(seconds * 1_000).toISOString(), speed: 3 },
});

interface App {
  format: string;
  send: (base: string, token: string, fix: Fix) => Promise<Response>;
}

const postJson = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

const query = ({ latitude, longitude, seconds }: Fix): string =>
  `lat=${latitude}&lon=${longitude}&timestamp=${seconds}`;

const APPS: readonly App[] = [
  {
    format: "owntracks",
    send: (base, token, { latitude, longitude, seconds }) =>
      postJson(`${base}/owntracks/${token}`, {
        ...{ _type: "location", lat: latitude, lon: longitude, tst: seconds, tid: "bo" },
      }),
  },
  { format: "osmand", send: (base, token, fix) => fetch(`${base}/osmand/${token}?${query(fix)}&speed=3`) },
  {
    format: "overland",
    send: (base, token, fix) => postJson(`${base}/overland/${token}`, { locations: [feature(fix)] }),
  },
  {
    format: "gpslogger",
    send: (base, token, fix) =>
      postJson(`${base}/dawarich/api/v1/overland/batches?api_key=${token}`, { locations: [feature(fix)] }),
  },
  {
    format: "gpslogger",
    send: (base, token, fix) => fetch(`${base}/gpslogger/${token}?${query(fix)}&speed_mps=3`),
  },
  {
    format: "generic",
    send: (base, token, { latitude, longitude, seconds }) =>
      postJson(`${base}/generic/${token}`, { latitude, longitude, timestamp: seconds, speed_mps: 3 }),
  },
];

/** A sentence of NMEA 0183 with its checksum. */
function sentence({ latitude, longitude, seconds }: Fix): string {
  const minutes = (degrees: number, digits: number) =>
    `${String(Math.floor(degrees)).padStart(digits, "0")}${((degrees % 1) * 60).toFixed(4).padStart(7, "0")}`;
  const time = new Date(seconds * 1_000).toISOString();
  const clock = time.slice(11, 19).replaceAll(":", "");
  const day = `${time.slice(8, 10)}${time.slice(5, 7)}${time.slice(2, 4)}`;
  const body = `GPRMC,${clock}.00,A,${minutes(latitude, 2)},N,${minutes(longitude, 3)},E,6.0,45.0,${day},,,A`;
  const sum = [...body].reduce((bits, letter) => bits ^ letter.charCodeAt(0), 0);
  return `$${body}*${sum.toString(16).toUpperCase().padStart(2, "0")}\r\n`;
}

/** Starts all of it beside a server; `counts` tells what has happened so far, `stop` ends it. */
async function startEverything(
  server: Server,
  { brokerUrl, receiverPort }: Surroundings,
  boxTokens: readonly string[],
): Promise<{ counts: () => Counts; stop: () => Promise<void> }> {
  const { port, fixture } = server;
  const base = `http://127.0.0.1:${port}`;
  const counts: Counts = {};
  const count = (name: string, by = 1) => {
    counts[name] = (counts[name] ?? 0) + by;
  };
  const fail = (name: string, error: unknown) => {
    count(`${name} failed`);
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
  };
  const create = async (path: string, body: object) => {
    const answer = await fetch(`${base}/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.session}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`POST /v1/${path} was answered ${answer.status}`);
    return ((await answer.json()) as { data: { id: string; token: string } }).data;
  };
  const timers: Timer[] = [];
  const every = (milliseconds: number, name: string, work: () => Promise<unknown>) => {
    timers.push(
      setInterval(() => {
        work().then(
          () => count(name),
          (error) => fail(name, error),
        );
      }, milliseconds),
    );
  };
  const sound = async (answer: Promise<Response>) => {
    const { ok, status } = await answer;
    if (!ok) throw new Error(`it was answered ${status}`);
  };

  for (const [at, { format, send }] of APPS.entries()) {
    const device = await create("devices", { name: `Phone ${at + 1}` });
    const { token } = await create(`devices/${device.id}/trackers`, {
      ...{ name: format, format, base_url: "https://boat.example.org" },
    });
    const boat = new Boat();
    every(FIX_EVERY, `fixes by ${format}`, () => sound(send(`${base}/v1/ingest`, token, boat.fix)));
  }

  const batch = await create("devices", { name: "Logger" });
  const logger = new Boat();
  every(PUSH_EVERY, "batches", () => {
    const { latitude, longitude, seconds } = logger.fix;
    const positions = Array.from({ length: 10 }, (_, at) => ({
      ...{ latitude, longitude, timestamp: seconds - at, speed_mps: 3 },
    }));
    const headers = { authorization: `Bearer ${fixture.session}`, "content-type": "application/json" };
    const body = JSON.stringify({ device_id: batch.id, positions });
    return sound(fetch(`${base}/v1/gps/batch`, { method: "POST", headers, body }));
  });

  const socket = createSocket("udp4");
  const vessel = new Boat();
  every(FIX_EVERY, "sentences", async () => socket.send(sentence(vessel.fix), receiverPort, "127.0.0.1"));

  await create("devices", { name: "By the broker", external_id: "crew/phone" });
  const client: MqttClient = await mqtt.connectAsync(brokerUrl);
  client.on("message", () => count("messages of the broker"));
  await client.subscribeAsync("fairlead/#");
  const publisher = new Boat();
  every(FIX_EVERY, "fixes by the broker", async () => {
    const { latitude, longitude, seconds } = publisher.fix;
    const body = { _type: "location", lat: latitude, lon: longitude, tst: seconds };
    await client.publishAsync("owntracks/crew/phone", JSON.stringify(body), { qos: 1 });
  });

  const boxes = boxTokens.map((token) => new Box(server, token));
  for (const box of boxes) await box.begin();
  for (const box of boxes) every(PUSH_EVERY, "pushes", () => box.tell(FIXES_OF_PUSH, Date.now()));

  const receiver = new Receiver();
  const target = await create("notification-targets", { name: "Hook", kind: "webhook", url: receiver.url });
  const watched = await create("devices", { name: "Watched" });
  await create("alert-rules", {
    ...{ name: "Too fast", severity: "alarm", condition: { type: "speed", above_knots: LIMIT } },
    ...{ device_ids: [watched.id], cooldown_seconds: 0, target_ids: [target.id] },
  });
  const racer = new Boat();
  every(FIX_EVERY, "fixes of the watched one", () => {
    const { latitude, longitude, seconds } = racer.fix;
    const knots = Math.floor(Date.now() / ALERT_EVERY) % 2 === 0 ? FAST : 0;
    const headers = { authorization: `Bearer ${fixture.session}`, "content-type": "application/json" };
    const positions = [{ latitude, longitude, timestamp: seconds, speed_knots: knots }];
    const body = JSON.stringify({ device_id: watched.id, positions });
    return sound(fetch(`${base}/v1/gps/batch`, { method: "POST", headers, body }));
  });

  const page = await openPage(server, (message) => fail("the page", message));
  return {
    counts: () => ({ ...counts, "occasions of alerts": receiver.heard }),
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await page.close();
      await client.endAsync();
      socket.close();
      await receiver.stop();
    },
  };
}
