import { readFileSync } from "node:fs";
import { type Waits, watch } from "./late";
import type { Place } from "./prepare";
import { type Server, startFairlead } from "./processes";

/** Tracks of a device that has a position every ten seconds, and the wait of others meanwhile. */

/** Devices that share the positions: of ten million, one has a million. */
export const SHARING = 10;
/** Positions of a day. */
const OF_DAY = 8_640;
/** Milliseconds of processor time that a track may take. */
export const WITHIN = { day: 15, whole: 1_500 };

/** A kind of request, asked some times over. */
export interface Asked {
  name: string;
  /** Milliseconds of the server's processor time for one. */
  processor: number;
  /** Milliseconds until one is there. */
  time: number;
  bytes: number;
  /** Milliseconds of processor time that are wanted; null for none. */
  within: number | null;
}

export interface Tracks {
  positions: number;
  asked: Asked[];
  /** Waits of others while the whole track is read again and again, and with nothing else to do. */
  meanwhile: Waits[];
  alone: Waits[];
}

/** Milliseconds of processor time that a process has used, from proc(5): in steps of ten. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Milliseconds of watching the server do nothing. */
const IDLE = 10_000;
const MOST_OF_SECOND = 2 * 1024 * 1024;
const DAYS = { from: "2000-01-01", to: "2100-01-01" };

/** Measures the tracks of the first device of a place. */
export async function measureTracks(place: Place): Promise<Tracks> {
  const server = await startFairlead(place);
  const { deviceId } = server.fixture;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${server.fixture.key}`;
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { authorization, "accept-encoding": "identity", ...headers },
    });
    const bytes = (await answer.arrayBuffer()).byteLength;
    if (!answer.ok && answer.status !== 304) throw new Error(`${path} answered ${answer.status}`);
    return { bytes, etag: answer.headers.get("etag") ?? "" };
  };
  const track = (query: Record<string, string>) =>
    `/v1/devices/${deviceId}/track?${new URLSearchParams({ ...DAYS, gap_seconds: "86400", ...query })}`;
  const newest = await newestOf(server);
  const day = {
    from: new Date(newest - (OF_DAY - 1) * 10_000).toISOString(),
    to: new Date(newest).toISOString(),
  };
  const { etag } = await get(track({}));
  const pages = Array.from(
    { length: Math.ceil(OF_DAY / 100) },
    (_, at) =>
      `/v1/gps?${new URLSearchParams({ ...day, device_id: deviceId, limit: "100", page: String(at + 1) })}`,
  );
  const askOften = async (times: number, ask: () => Promise<number>) => {
    let [bytes, time] = [0, 0];
    for (let at = 0; at < times; at++) {
      // One credential gets four megabytes of large answers a second.
      if ((at + 1) * bytes > MOST_OF_SECOND && at % Math.ceil(MOST_OF_SECOND / bytes) === 0)
        await Bun.sleep(1_100);
      const began = performance.now();
      bytes = await ask();
      time += performance.now() - began;
    }
    return { bytes, time };
  };
  // The server's timers run while the bench waits between requests.
  await get(pages[0] ?? "");
  await Bun.sleep(5_000);
  const before = processorTime(server.pid);
  await Bun.sleep(IDLE);
  const idle = (processorTime(server.pid) - before) / IDLE;
  const measure = async (name: string, times: number, within: number | null, ask: () => Promise<number>) => {
    // Three times as often, unmeasured: the runtime compiles what runs often, on threads of its own.
    await askOften(Math.min(3 * times, 300), ask);
    const [began, used] = [performance.now(), processorTime(server.pid)];
    const { bytes, time } = await askOften(times, ask);
    const processor = processorTime(server.pid) - used - idle * (performance.now() - began - time);
    return { name, bytes, within, processor: processor / times, time: time / times };
  };
  const asked = [
    await measure("a day, 8,640 positions", 100, WITHIN.day, async () => (await get(track(day))).bytes),
    await measure(
      "the same, compressed (zstd)",
      100,
      null,
      async () => (await get(track(day), { "accept-encoding": "zstd" })).bytes,
    ),
    await measure("the day as 87 pages of GET /v1/gps", 20, null, async () => {
      let bytes = 0;
      for (const page of pages) bytes += (await get(page)).bytes;
      return bytes;
    }),
    await measure("all positions to 5,000 points", 5, WITHIN.whole, async () => (await get(track({}))).bytes),
    await measure(
      "all of them, known by their ETag",
      500,
      null,
      async () => (await get(track({}), { "if-none-match": etag })).bytes,
    ),
    await measure("all positions as GPX", 2, null, async () => (await get(track({ format: "gpx" }))).bytes),
  ];
  const ofAlone = watch(server);
  await Bun.sleep(5_000);
  const alone = await ofAlone();
  const ofMeanwhile = watch(server);
  for (let at = 0; at < 5; at++) await get(track({ max_points: String(5_000 + at) }));
  return { positions: place.fixture.points / SHARING, asked, alone, meanwhile: await ofMeanwhile() };
}

/** The time of the newest position of the first device, in epoch milliseconds. */
async function newestOf({ port, fixture }: Server): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/gps/current?device_id=${fixture.deviceId}`, {
    headers: { authorization: `Bearer ${fixture.key}` },
  });
  const { data } = (await answer.json()) as { data: { timestamp: string } };
  return Date.parse(data.timestamp);
}
