import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Clients } from "./clients";
import { type Delivery, deliver, middle } from "./comparisons";
import { type Ratio, spread } from "./figures";
import type { Options } from "./options";
import { type Place, Preparation } from "./prepare";
import { type Server, startFairlead } from "./processes";
import { progress } from "./progress";
import { fixed, latencies, mark, orDash, perSecond, table, whole } from "./report";
import { FAN_OUTS, ZONES } from "./scenarios";

/** The numbered feed: what it costs those who follow it, and what one costs who missed much. */

/** The least ratio of deliveries/s with cursors to those without that is wanted. */
const RATIO = 0.85;
/** Changes that a socket missed. */
const MISSED = 1_000_000;
/** The longest that another request should wait meanwhile (milliseconds). */
const LONGEST = 50;
/** The most that a resume may take. */
const MOST_SECONDS = 300;

interface Following {
  name: string;
  followed: Delivery;
  plain: Delivery;
  ratio: Ratio;
  isMet: boolean;
}

/** Other requests meanwhile, one after the other, reads and posts (milliseconds). */
interface Waits {
  requests: number;
  p50: number;
  p99: number;
  longest: number;
}

interface Resume {
  missed: number;
  /** Bytes of the database that each of these changes takes. */
  bytesEach: number;
  seconds: number;
  /** Resident memory of the server before, and the most from then on; null where the system doesn't tell. */
  megabytes: { before: number; most: number } | null;
  waits: Waits;
  /** The same on the idle server, which shows what the machine adds. */
  idle: Waits;
  isMet: boolean;
}

export interface Feed {
  following: Following[];
  resume: Resume;
}

const EPOCH = "00000000000000be";

/** Gives a stopped server's feed changes of its points, one after the other. Returns the bytes that each takes. */
function addMissed({ directory }: Place): number {
  const database = new Database(join(directory, "fairlead.db"));
  const size = () =>
    database
      .query<{ bytes: number }, []>(
        "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
      )
      .get()?.bytes ?? 0;
  const before = size();
  database.run("INSERT INTO feed_state VALUES (?)", [EPOCH]);
  database.run(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${MISSED - 1})
     INSERT INTO changes (kind, record, device_id, made_at)
     SELECT 0, id, device_id, unixepoch() * 1000 FROM n
     JOIN gps_points ON gps_points.rowid = 1 + i % (SELECT max(rowid) FROM gps_points)`,
  );
  const bytesEach = (size() - before) / MISSED;
  database.close();
  return bytesEach;
}

function megabytes(pid: number, line: "VmRSS" | "VmHWM"): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  } catch {
    return null;
  }
}

/** Makes requests until `isOver`, with pauses. */
async function waitsUntil({ port, fixture }: Server, isOver: () => boolean): Promise<Waits> {
  const took: number[] = [];
  const headers = { authorization: `Bearer ${fixture.key}` };
  const place = { latitude: 54.1, longitude: 13.4, altitude: 1, heading: 1 };
  const speeds = { speed_kmh: 0, speed_mps: 0, speed_mph: 0, speed_knots: 0 };
  while (!isOver()) {
    const body = { ...place, ...speeds, timestamp: Math.floor(Date.now() / 1_000) };
    const began = performance.now();
    const isPost = took.length % 2 === 1;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/gps${isPost ? "" : "?limit=1"}`, {
      ...(isPost && { method: "POST", body: JSON.stringify(body) }),
      headers: { ...headers, "content-type": "application/json" },
    });
    await answer.arrayBuffer();
    took.push(performance.now() - began);
    if (answer.status > 201) throw new Error(`a request beside the resume answered ${answer.status}`);
    await Bun.sleep(2);
  }
  took.sort((a, b) => a - b);
  const quantile = (part: number) => took[Math.floor((took.length - 1) * part)] ?? 0;
  return { requests: took.length, p50: quantile(0.5), p99: quantile(0.99), longest: quantile(1) };
}

/** A socket that missed a million changes, and the requests beside it. */
async function measureResume(clients: Clients, server: Server): Promise<Omit<Resume, "bytesEach">> {
  const until = (end: number) => () => performance.now() > end;
  // Hot paths are compiled first.
  await waitsUntil(server, until(performance.now() + 2_000));
  const before = megabytes(server.pid, "VmRSS");
  progress(`resume over ${whole(MISSED)} changes`);
  const began = performance.now();
  let isOver = false;
  const [waits] = await Promise.all([
    waitsUntil(server, () => isOver),
    clients
      .subscribe(server, 1, `${EPOCH}-0`)
      .then(() => clients.hear(server, MISSED, MOST_SECONDS).catch(tooMany))
      .finally(() => {
        isOver = true;
      }),
  ]);
  const seconds = (performance.now() - began) / 1_000;
  const most = megabytes(server.pid, "VmHWM");
  await clients.unsubscribe(server, 1);
  const idle = await waitsUntil(server, until(performance.now() + seconds * 1_000));
  return {
    ...{ missed: MISSED, seconds, waits, idle },
    megabytes: before === null || most === null ? null : { before, most },
    isMet: waits.longest <= LONGEST,
  };
}

/** The posts beside it are told to the socket too, behind what it missed. */
function tooMany(error: unknown): void {
  const found = /got (\d+) messages/.exec(String(error))?.[1];
  if (found === undefined || Number(found) < MISSED) throw error;
}

export async function measureFeed(options: Options, directory: string): Promise<Feed> {
  const preparation = await Preparation.start(join(directory, "prepared"), options.points);
  await preparation.growPoints(options.points);
  await preparation.growZones(ZONES);
  const [one, two, missed] = ["plain", "followed", "missed"].map((name) =>
    preparation.copyTo(join(directory, name)),
  ) as [Place, Place, Place];
  preparation.finish();
  const bytesEach = addMissed(missed);

  const clients = new Clients(options);
  const resume = await measureResume(clients, await startFairlead(missed));
  const [plain, followed] = [await startFairlead(one), await startFairlead(two)];
  const following: Following[] = [];
  for (const scenario of FAN_OUTS) {
    const rounds = await deliver(clients, scenario, [plain, followed], options.rounds, [followed]);
    const [ofPlain = [], ofFollowed = []] = rounds;
    const ratio = spread(
      ofFollowed.map((it, at) => it.deliveriesPerSecond / (ofPlain[at]?.deliveriesPerSecond ?? 1)),
    );
    const figures = { followed: middle(ofFollowed), plain: middle(ofPlain) };
    following.push({ name: scenario.name, ...figures, ratio, isMet: ratio.median >= RATIO });
  }
  return { following, resume: { ...resume, bytesEach } };
}

/** The report, for a person. */
export function describeFeed({ machine, following, resume }: Feed & { machine: string }): string {
  const deliveries = following.map(({ name, followed, plain, ratio, isMet }) => [
    name,
    ...[perSecond(followed.deliveriesPerSecond), perSecond(plain.deliveriesPerSecond)],
    ...[ratio.median, ratio.min, ratio.max, RATIO].map(fixed),
    mark(isMet),
    ...[latencies(followed), latencies(plain)],
    ...[orDash(followed.processorMicroseconds), orDash(plain.processorMicroseconds)],
  ]);
  const head = ["with since", "without", "ratio", "min", "max", "target", "", "p50/p99 ms", "without"];
  const { missed, bytesEach, seconds, megabytes: memory, waits, idle, isMet } = resume;
  const waitsOf = (name: string, { requests, p50, p99, longest }: Waits, wanted: string[]) => [
    name,
    ...[whole(requests), fixed(p50), fixed(p99), fixed(longest), ...wanted],
  ];
  return [
    `The numbered feed (${machine})`,
    "",
    table([["", ...head, "CPU µs", "without"], ...deliveries]),
    "",
    `a socket that missed ${whole(missed)} changes got them in ${seconds.toFixed(1)} s, ${perSecond(missed / seconds)};`,
    `each takes ${whole(bytesEach)} bytes of the database;`,
    memory === null
      ? "the memory of the server is not known on this system"
      : `the server had ${memory.before.toFixed(0)} MB before, and at most ${memory.most.toFixed(0)} MB`,
    "",
    table([
      ["other requests, one after the other", "number", "p50 ms", "p99 ms", "longest", "wanted", ""],
      waitsOf("meanwhile", waits, [String(LONGEST), mark(isMet)]),
      waitsOf("afterwards, for as long", idle, ["", ""]),
    ]),
    "",
  ].join("\n");
}
