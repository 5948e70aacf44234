import { Database } from "bun:sqlite";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { databaseOf } from "../releases/releases";
import { type Cage, leaveTheCore, oneCore, smallCage, type Weight } from "./cage";
import { Clients } from "./clients";
import { median } from "./figures";
import { type Waits, watch } from "./late";
import type { Options } from "./options";
import { type Paint, paintOf } from "./page";
import { type Place, Preparation } from "./prepare";
import { processorSeconds, root } from "./processes";
import { progress } from "./progress";
import { BATCH, CURRENT, POST, ZONES } from "./scenarios";
import { type Chore, choresOf } from "./small-chores";
import {
  type Machine,
  PROFILES,
  type ProfileName,
  runHeld,
  type SmallServer,
  startHeld,
} from "./small-server";

/**
 * The executable on a small machine: one core and 256 MiB, with the profile `small`, and beside it the profile `standard` on one
 * core with as much memory as it takes. The clients and the browser are outside of the bounds.
 */

const MOST = 256 * 1024 * 1024;

/** Starts of each kind. */
const STARTS = 5;
/** Seconds that a server is left alone before its memory counts. */
const IDLE = { long: 60, short: 5 };

interface Rate {
  /** Positions a second. */
  positions: number;
  p50: number;
  p99: number;
}

export interface ProfileFigures {
  /** Milliseconds, medians: on an empty data directory, and with the positions. */
  startEmpty: number;
  startFull: number;
  idle: Weight;
  single: Rate;
  batch: Rate;
  reads: { perSecond: number; p50: number; p99: number };
  afterLoad: Weight;
  paint: Paint;
  backup: { seconds: number; peak: Weight; waits: Waits[] };
  deep: { seconds: number; peak: Weight };
  migration: { seconds: number; peak: Weight };
  /** With the processor time of the server itself, without its children. */
  chores: { name: string; milliseconds: number; processor: number; peak: Weight }[];
  /** The most in the whole run. */
  peak: Weight;
}

export interface SmallFigures {
  points: number;
  cage: Pick<Cage, "name" | "lacks">;
  executable: number;
  profiles: Record<ProfileName, ProfileFigures>;
}

const largest = (weights: Weight[]): Weight => ({
  resident: Math.max(...weights.map(({ resident }) => resident)),
  anonymous: Math.max(...weights.map(({ anonymous }) => anonymous)),
});

/** Measures both profiles, one after the other, on copies of one database. */
export async function measureSmall(options: Options, directory: string): Promise<SmallFigures> {
  const { points } = options;
  const cage = smallCage(MOST);
  try {
    progress("building the executable");
    const executable = join(directory, "fairlead");
    const build = Bun.spawnSync([process.execPath, join(root, ".ci/build.ts"), "--outfile", executable]);
    if (build.exitCode !== 0) throw new Error(`the executable can't be built: ${build.stderr}`);
    const preparation = await Preparation.start(join(directory, "prepared"), points);
    // One device has all of them: the most that a track, a file or a timeline may be made of.
    await preparation.growPoints(points, 1);
    await preparation.growZones(ZONES);
    const place = preparation.finish();
    const older = join(directory, "older");
    await makeOlder(older, points);
    Bun.spawnSync(["sync"]);
    leaveTheCore();
    const clients = new Clients(options);
    const profiles: Partial<Record<ProfileName, ProfileFigures>> = {};
    for (const profile of PROFILES) {
      const isSmall = profile === "small";
      const machine = { executable, profile, cage: isSmall ? cage : oneCore(), most: isSmall ? MOST : null };
      profiles[profile] = await measure(machine, place, older, clients, options, join(directory, profile));
    }
    return {
      points,
      cage: { name: cage.name, lacks: cage.lacks },
      executable: Bun.file(executable).size,
      profiles: profiles as Record<ProfileName, ProfileFigures>,
    };
  } finally {
    cage.remove();
  }
}

/** A database that 0.1.0 has left, with so many positions. */
async function makeOlder(directory: string, points: number): Promise<void> {
  progress("preparing a database of 0.1.0");
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "fairlead.db");
  writeFileSync(file, await databaseOf("0.1.0"));
  const database = new Database(file);
  database.run("PRAGMA journal_mode = MEMORY");
  database.run("PRAGMA synchronous = OFF");
  database.run(
    `WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?)
     INSERT INTO gps_points (id, device_id, latitude, longitude, timestamp, speed_kmh, speed_mps, speed_mph, speed_knots, created_at)
     SELECT printf('00000000-0000-7000-8000-%012x', at), (SELECT id FROM devices LIMIT 1), 54 + at % 1000 / 10000.0, 13,
       1600000000000 + at * 10000, 5, 5, 5, 5, 1600000000000 + at * 10000 FROM n`,
    [points],
  );
  database.close();
}

async function measure(
  machine: Machine,
  place: Place,
  older: string,
  clients: Clients,
  options: Options,
  directory: string,
): Promise<ProfileFigures> {
  const say = (what: string) => progress(`${machine.profile}: ${what}`);
  const copy = (from: string, name: string): Place => {
    const to = join(directory, name);
    cpSync(from, to, { recursive: true });
    return { directory: to, fixture: place.fixture };
  };
  const peaks: Weight[] = [];
  const startsOf = async (name: string, make: (at: number) => Place) => {
    const times: number[] = [];
    for (let at = 0; at < STARTS; at++) {
      say(`start ${at + 1} of ${STARTS}, ${name}`);
      const server = await startHeld(machine, make(at));
      times.push(server.started);
      peaks.push(server.held.takePeak());
      await server.held.end();
    }
    return median(times);
  };

  const startEmpty = await startsOf("empty", (at) => ({
    ...place,
    directory: join(directory, `empty-${at}`),
  }));
  const full = copy(place.directory, "full");
  const startFull = await startsOf("full", () => full);

  const server = await startHeld(machine, full);
  const { held } = server;
  say("idle");
  const seconds = options.quick ? IDLE.short : IDLE.long;
  await Bun.sleep(seconds * 1_000);
  const idle = held.weight();
  peaks.push(held.takePeak());

  const load = await loadOf(server, clients, options, say);
  const afterLoad = held.takePeak();
  peaks.push(afterLoad);

  say("the page");
  const paint = await paintOf(server);
  peaks.push(held.takePeak());

  say("a backup");
  const backup = await backUp(server);
  peaks.push(backup.peak);

  const chores: ProfileFigures["chores"] = [];
  for (const chore of choresOf(server)) {
    say(chore.name);
    chores.push(await doChore(server, chore));
  }
  peaks.push(...chores.map(({ peak }) => peak));
  await held.end();

  say("a deep verification");
  const deep = await verifyDeeply(machine, full);
  peaks.push(deep.peak);
  rmSync(full.directory, { recursive: true });

  say("a migration from 0.1.0");
  const former = copy(older, "older");
  const migration = await runHeld(machine, ["migrate", "--data-dir", former.directory]);
  peaks.push(migration.peak);
  rmSync(directory, { recursive: true });

  const figures = { startEmpty, startFull, idle, ...load, afterLoad, paint, backup, deep, migration, chores };
  return { ...figures, peak: largest(peaks) };
}

/** Rounds that don't count: on one core the runtime compiles for some seconds, beside the requests that need what it makes. */
const WARM_UPS = 8;

async function loadOf(
  server: SmallServer,
  clients: Clients,
  { rounds }: Options,
  say: (what: string) => void,
): Promise<Pick<ProfileFigures, "single" | "batch" | "reads">> {
  const often = async (scenario: typeof POST, each: number) => {
    const measured: Rate[] = [];
    for (let round = -WARM_UPS; round < rounds; round++) {
      say(`${scenario.name}, round ${Math.max(0, round) + 1} of ${rounds}`);
      const { answered, seconds, p50, p99 } = await clients.measure(scenario, server);
      if (round >= 0) measured.push({ positions: (each * answered) / seconds, p50, p99 });
    }
    server.held.requireAlive();
    const middle = (key: keyof Rate) => median(measured.map((one) => one[key]));
    return { positions: middle("positions"), p50: middle("p50"), p99: middle("p99") };
  };
  const { positions: perSecond, ...waits } = await often(CURRENT, 1);
  // The batches are ahead of the clock: single positions would be late after them.
  return {
    reads: { perSecond, ...waits },
    single: await often(POST, 1),
    batch: await often(BATCH, BATCH.size),
  };
}

async function doChore({ held }: SmallServer, chore: Chore): Promise<ProfileFigures["chores"][number]> {
  held.takePeak();
  const [began, used] = [performance.now(), processorSeconds(held.child.pid) ?? 0];
  try {
    await chore.work();
  } catch (error) {
    // A server that was ended is the cause.
    held.requireAlive();
    throw new Error(`${chore.name}: ${(error as Error).message}`);
  }
  const milliseconds = performance.now() - began;
  const processor = ((processorSeconds(held.child.pid) ?? 0) - used) * 1_000;
  held.requireAlive();
  return { name: chore.name, milliseconds, processor, peak: held.takePeak() };
}

interface Backups {
  data: { started_at: string | null; error: string | null };
}

async function backUp(server: SmallServer): Promise<ProfileFigures["backup"]> {
  const { address, held, fixture } = server;
  const url = `${address}/v1/admin/backups`;
  const headers = { authorization: `Bearer ${fixture.session}` };
  held.takePeak();
  const waits = watch(server);
  const began = performance.now();
  let answer = await fetch(url, { method: "POST", headers });
  for (;;) {
    const { data } = (await answer.json()) as Backups;
    if (data.error !== null) throw new Error(`the backup failed: ${data.error}`);
    if (data.started_at === null) break;
    await Bun.sleep(50);
    answer = await fetch(url, { headers });
  }
  const seconds = (performance.now() - began) / 1_000;
  return { seconds, waits: await waits(), peak: held.takePeak() };
}

/** A server that restores its backup for a try, as it does once a day: by commands in processes of their own. */
async function verifyDeeply(machine: Machine, place: Place): Promise<ProfileFigures["deep"]> {
  const { address, held } = await startHeld(machine, place, {
    FAIRLEAD_BACKUP_INTERVAL_HOURS: "24",
    FAIRLEAD_BACKUP_VERIFY: "deep",
  });
  const began = performance.now();
  for (;;) {
    const text = await (await fetch(`${address}/health`)).text();
    const isRestorable = /"isRestorable":(true|false)/.exec(text)?.[1];
    if (isRestorable === "false") throw new Error(`a backup can't be restored: ${text}`);
    if (isRestorable === "true") break;
    held.requireAlive();
    await Bun.sleep(100);
  }
  const seconds = (performance.now() - began) / 1_000;
  const peak = held.takePeak();
  await held.end();
  return { seconds, peak };
}
