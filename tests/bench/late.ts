import type { Load, LoadOrder } from "./load";
import type { Place } from "./prepare";
import { Helper, type Server, startFairlead } from "./processes";
import { LATE } from "./scenarios";

/** The wait of other requests while a buffer of late fixes comes in: nobody should notice it. */

/** Fixes of the buffer, and the apps that send it. */
const BUFFER = 100_000;
const CONNECTIONS = 2;

/** The longest that another request should wait (milliseconds). */
export const WAIT_WITHIN = 50;

/** Milliseconds between two requests of the same kind that are timed. */
const EVERY = 20;
/** Seconds of a round. */
const ROUND = 5;

/** Times of one kind of request, in milliseconds. */
export interface Waits {
  name: string;
  requests: number;
  p99: number;
  longest: number;
}

export interface Late {
  fixes: number;
  fixesPerSecond: number;
  /** With nothing else to do, and while the buffer comes in. */
  alone: Waits[];
  meanwhile: Waits[];
}

/** Times requests of both kinds until the end is called. */
export function watch({ port, fixture }: Server): () => Promise<Waits[]> {
  const authorization = `Bearer ${fixture.key}`;
  const url = `http://127.0.0.1:${port}/v1/gps`;
  const kinds: Record<string, () => Promise<Response>> = {
    "GET /v1/gps/current": () =>
      fetch(`${url}/current?device_id=${fixture.deviceId}`, { headers: { authorization } }),
    "POST /v1/gps": () =>
      fetch(url, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({
          ...{ latitude: 54.2, longitude: 13.5, timestamp: Math.floor(Date.now() / 1_000) },
          ...{ speed_kmh: 0, speed_mps: 0, speed_mph: 0, speed_knots: 0 },
        }),
      }),
  };
  let isOver = false;
  const watched = Object.entries(kinds).map(async ([name, ask]): Promise<Waits> => {
    const times: number[] = [];
    while (!isOver) {
      const began = performance.now();
      const answer = await ask();
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${text}`);
      times.push(performance.now() - began);
      await Bun.sleep(EVERY);
    }
    times.sort((a, b) => a - b);
    const at = (part: number) => times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0;
    return { name, requests: times.length, p99: at(0.99), longest: at(1) };
  });
  return () => {
    isOver = true;
    return Promise.all(watched);
  };
}

/** Sends the buffer, and tells how long others waited. */
export async function measureLate(place: Place): Promise<Late> {
  // The system still writes gigabytes of the prepared database: each commit would wait for the disk.
  Bun.spawnSync(["sync"]);
  // A credential may have 4 MiB of large answers in a second, and the sender shares that of the others.
  const server = await startFairlead(place, {
    watched: true,
    settings: { FAIRLEAD_RATE_LIMIT_ENABLED: "false" },
  });
  const sender = new Helper<LoadOrder, Load>("load.ts");
  const { port, fixture } = server;
  const order = { scenario: LATE.name, fixture, port, connections: CONNECTIONS, pause: 0 };
  // The first requests of each kind compile what they run.
  const warmUp = watch(server);
  await Bun.sleep(ROUND * 1_000);
  await warmUp();
  const ofAlone = watch(server);
  await Bun.sleep(ROUND * 1_000);
  const alone = await ofAlone();
  const ofMeanwhile = watch(server);
  let [fixes, seconds] = [0, 0];
  while (fixes < BUFFER) {
    const round = { ...fixture, points: fixture.points - fixes };
    const load = await sender.ask({ ...order, fixture: round, seconds: ROUND });
    fixes += load.sent * LATE.size;
    seconds += load.seconds;
  }
  return { fixes, fixesPerSecond: fixes / seconds, alone, meanwhile: await ofMeanwhile() };
}
