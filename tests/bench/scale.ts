import { statfsSync } from "node:fs";
import { join } from "node:path";
import { bodyOf } from "./agreement";
import { Clients, type Measured } from "./clients";
import { median, summarize } from "./figures";
import { type Place, Preparation } from "./prepare";
import { type Server, startFairlead } from "./processes";
import { progressOf } from "./progress";
import { SCALED, type Scaled, ZONES } from "./scenarios";

/** What the same requests cost on databases that differ in the number of their points alone. */

export interface ScaledCost {
  name: string;
  /** The largest ratio that is wanted; null where the time may grow. */
  target: number | null;
  /** Null without a target. */
  isMet: boolean | null;
  connections: number;
  /** From the fewest points to the most. */
  sizes: SizedCost[];
}

export interface SizedCost {
  points: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** A request's share of the time (microseconds): on one connection its median, on several what the server could do. */
  microseconds: number;
  /** That over the same with the fewest points, the median of the rounds. */
  ratio: number;
}

export interface Scale {
  /** How long it took to make the databases. */
  preparedInSeconds: number;
  costs: ScaledCost[];
}

/** Room on the disk for a point, in bytes: the indexes too, and what the run adds. */
const BYTES_PER_POINT = 450;

function checkRoom(directory: string, sizes: number[]): void {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const wanted = sizes.reduce((sum, points) => sum + points, 0) * BYTES_PER_POINT;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  if (free < wanted)
    throw new Error(
      `${directory} has ${gigabytes(free)} free, and this takes ${gigabytes(wanted)}: name another directory with TMPDIR, or fewer points`,
    );
}

/** Makes one database that grows, copied at each size but the last, which is the database itself. `sizes` rise. */
async function preparePlaces(directory: string, sizes: number[]): Promise<Place[]> {
  const most = sizes.at(-1) ?? 0;
  const preparation = await Preparation.start(join(directory, "prepared"), most);
  await preparation.growZones(ZONES);
  const places: Place[] = [];
  for (const points of sizes) {
    await preparation.growPoints(points);
    places.push(
      points === most ? preparation.finish() : preparation.copyTo(join(directory, `points-${points}`)),
    );
  }
  return places;
}

interface Settings {
  rounds: number;
  seconds: number;
  connections: number;
  warmUpRounds: number;
  /** Only scenarios whose name holds this. */
  only: string;
}

/** The wanted scenarios on a server of each size, in turn, round by round. */
export async function measureScale(directory: string, sizes: number[], settings: Settings): Promise<Scale> {
  const scenarios = SCALED.filter(({ name }) => name.includes(settings.only));
  if (scenarios.length === 0) throw new Error(`no scenario's name holds ${settings.only}`);
  checkRoom(directory, sizes);
  const startedAt = performance.now();
  const places = await preparePlaces(directory, sizes);
  const preparedInSeconds = (performance.now() - startedAt) / 1_000;
  const servers: Server[] = [];
  for (const place of places) servers.push(await startFairlead(place));
  const clients = new Clients(settings);
  const costs: ScaledCost[] = [];
  for (const scenario of scenarios) costs.push(await measureSizes(clients, scenario, servers, settings));
  return { preparedInSeconds, costs };
}

/** Throws when a request finds nothing: an empty page is quick on any server. */
async function checkFull(scenario: Scaled, server: Server): Promise<void> {
  const body = (await bodyOf(scenario, server)) as { data?: unknown } | unknown[];
  const found = Array.isArray(body) ? body : body.data;
  if (Array.isArray(found) ? found.length === 0 : !found)
    throw new Error(`${scenario.name} finds nothing among ${server.fixture.points} points`);
}

async function measureSizes(
  clients: Clients,
  scenario: Scaled,
  servers: Server[],
  { rounds, connections }: Settings,
): Promise<ScaledCost> {
  const { name, target } = scenario;
  for (const server of servers) await checkFull(scenario, server);
  const measured: Measured[][] = servers.map(() => []);
  for (let round = -clients.warmUpRounds; round < rounds; round++)
    for (const [at, server] of servers.entries()) {
      const points = server.fixture.points.toLocaleString("en");
      progressOf(`${name}, ${points} points`, round, rounds);
      const load = await clients.measure(scenario, server);
      if (round >= 0) measured[at]?.push(load);
    }
  const used = scenario.connections ?? connections;
  const cost = (load: Measured): number =>
    used === 1 ? load.p50 * 1_000 : (load.seconds * 1_000_000) / load.answered;
  const smallest = (measured[0] ?? []).map(cost);
  const sizes = servers.map(({ fixture }, at): SizedCost => {
    const costs = (measured[at] ?? []).map(cost);
    const { p50, p99 } = summarize(measured[at] ?? []);
    const ratio = median(costs.map((each, round) => each / (smallest[round] ?? each)));
    return { points: fixture.points, p50, p99, microseconds: median(costs), ratio };
  });
  const isMet = target === null ? null : sizes.every(({ ratio }) => ratio <= target);
  return { name, target, isMet, connections: used, sizes };
}
