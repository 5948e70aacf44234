import { statfsSync } from "node:fs";
import { join } from "node:path";
import { bodyOf } from "./agreement";
import { type Settings as ClientSettings, Clients, type Measured } from "./clients";
import { type Delivery, deliver } from "./comparisons";
import { median, rate } from "./figures";
import type { Load } from "./load";
import { type Place, Preparation } from "./prepare";
import { type Server, startFairlead } from "./processes";
import { inTurn } from "./rounds";
import { CURRENT, FAN_OUTS, type FanOut, GROWTH, SCALED, type Scaled, ZONES } from "./scenarios";

/** The cost of the same requests on databases that differ in the number of their points alone. */

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
  /** Milliseconds that a request takes; of a fan-out, a delivery at a pace. */
  p50: number;
  p99: number;
  /**
   * A request's share of the time (microseconds): on one connection its median; on several the time for each
   * request of those that the server could answer; of a fan-out, for each delivery.
   */
  microseconds: number;
  /** Ratio of that to the figure with the fewest points, the median of the rounds. */
  ratio: number;
}

export interface Scale {
  /** The time that making the databases took. */
  preparedInSeconds: number;
  costs: ScaledCost[];
}

/** Bytes on the disk for a point, with its indexes and the additions of a run. */
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

interface Settings extends ClientSettings {
  /** Only scenarios whose name holds this. */
  only: string;
}

/** The wanted scenarios on a server of each size, in turn, round by round. */
export async function measureScale(directory: string, sizes: number[], settings: Settings): Promise<Scale> {
  const isWanted = ({ name }: { name: string }) => name.includes(settings.only);
  const [scenarios, fanOuts] = [SCALED.filter(isWanted), FAN_OUTS.filter(isWanted)];
  if (scenarios.length + fanOuts.length === 0) throw new Error(`no scenario's name holds ${settings.only}`);
  checkRoom(directory, sizes);
  const startedAt = performance.now();
  const places = await preparePlaces(directory, sizes);
  const preparedInSeconds = (performance.now() - startedAt) / 1_000;
  const servers: Server[] = [];
  for (const place of places) servers.push(await startFairlead(place));
  const clients = new Clients(settings);
  const costs: ScaledCost[] = [];
  for (const scenario of scenarios) costs.push(...(await measureSizes(clients, scenario, servers)));
  for (const fanOut of fanOuts) costs.push(await measureFanOut(clients, fanOut, servers));
  return { preparedInSeconds, costs };
}

/** Throws when a request finds nothing: an empty page is quick on any server. */
async function checkFull(scenario: Scaled, server: Server): Promise<void> {
  const body = (await bodyOf(scenario, server)) as { data?: unknown } | unknown[];
  const found = Array.isArray(body) ? body : "data" in body ? body.data : body;
  if (Array.isArray(found) ? found.length === 0 : !found)
    throw new Error(`${scenario.name} finds nothing among ${server.fixture.points} points`);
}

// --- Rounds -----------------------------------------------------------------------------------------------

/** One round on one server. */
type Round = Omit<SizedCost, "points" | "ratio">;

/** The cost of the scenario on each server, and the figures of a reader where the scenario has one. */
async function measureSizes(clients: Clients, scenario: Scaled, servers: Server[]): Promise<ScaledCost[]> {
  const { name, mayGrow, connections = clients.settings.connections } = scenario;
  for (const server of servers) await checkFull(scenario, server);
  const { manner, ...plan } = clients.plan(scenario);
  const { subscribers, withReader } = manner;
  for (const server of servers) await clients.subscribe(server, subscribers);
  const loads = await inTurn(name, servers, plan, (server) => clients.measure(scenario, server, manner));
  for (const server of servers) await clients.unsubscribe(server, subscribers);
  const target = mayGrow ? null : GROWTH;
  const costs = (ofOne: Measured[]) => ofOne.map((load) => roundOf(load, connections));
  const own = compareSizes({ name, target, connections }, servers, loads.map(costs));
  if (!withReader) return [own];
  const reader = { name: `${CURRENT.name} during ${name}`, target, connections: 1 };
  const noticed = (ofOne: Measured[]) =>
    ofOne.flatMap((load) => (load.reader ? roundOf(load.reader, 1) : []));
  return [own, compareSizes(reader, servers, loads.map(noticed))];
}

const roundOf = (load: Load, connections: number): Round => ({
  ...{ p50: load.p50, p99: load.p99 },
  microseconds: connections === 1 ? load.p50 * 1_000 : 1_000_000 / rate(load),
});

/** The cost of a point at the highest rate of deliveries, and the time of deliveries at a pace. */
async function measureFanOut(clients: Clients, scenario: FanOut, servers: Server[]): Promise<ScaledCost> {
  const { rounds, connections } = clients.settings;
  const deliveries = await deliver(clients, scenario, servers, rounds);
  const costs = (ofOne: Delivery[]) =>
    ofOne.map(({ p50, p99, deliveriesPerSecond }): Round => {
      return { p50, p99, microseconds: (scenario.subscribers * 1_000_000) / deliveriesPerSecond };
    });
  const what = { name: scenario.name, target: GROWTH, connections };
  return compareSizes(what, servers, deliveries.map(costs));
}

/** The rounds of each server beside those of the first, which has the fewest points. */
function compareSizes(
  what: Pick<ScaledCost, "name" | "target" | "connections">,
  servers: Server[],
  rounds: Round[][],
): ScaledCost {
  const sizes = servers.map(({ fixture }, at): SizedCost => {
    const own = rounds[at] ?? [];
    const middle = (key: keyof Round) => median(own.map((round) => round[key]));
    const fewest = (round: number) => rounds[0]?.[round]?.microseconds ?? Number.NaN;
    const ratio = median(own.map(({ microseconds }, round) => microseconds / fewest(round)));
    return {
      points: fixture.points,
      ...{ p50: middle("p50"), p99: middle("p99"), microseconds: middle("microseconds"), ratio },
    };
  });
  const { target } = what;
  return { ...what, isMet: target === null ? null : sizes.every(({ ratio }) => ratio <= target), sizes };
}
