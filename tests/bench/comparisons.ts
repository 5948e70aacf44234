import { bodyOf, checkAgreement, checkMessages } from "./agreement";
import type { Clients, Measured } from "./clients";
import { median, type Ratio, rate, type Summary, spread, summarize } from "./figures";
import { DEVICES } from "./prepare";
import type { Server } from "./processes";
import { inTurn } from "./rounds";
import { type Compared, CURRENT_OF_DEVICES, DEVICES_WITHIN, type FanOut, POST } from "./scenarios";

/** Fairlead beside the baseline, in turn, round by round. */

export interface Comparison {
  name: string;
  /** The least ratio that is wanted. */
  target: number;
  isMet: boolean;
  fairlead: Summary;
  baseline: Summary;
  /** Fairlead's requests/s over the baseline's, round by round. */
  ratio: Ratio;
  /** The figures of a reader of positions on one connection; null without one. */
  reader: { within: number; isMet: boolean; fairlead: Summary; baseline: Summary } | null;
}

/** Both servers, on databases that are alike. */
export interface Pair {
  fairlead: Server;
  baseline: Server;
}

const both = ({ fairlead, baseline }: Pair): Server[] => [fairlead, baseline];

export async function compare(clients: Clients, scenario: Compared, pair: Pair): Promise<Comparison> {
  const { name, target, readerWithin } = scenario;
  await checkAgreement(scenario, pair.fairlead, pair.baseline);
  const { manner, ...plan } = clients.plan(scenario);
  const { subscribers } = manner;
  for (const server of both(pair)) await clients.subscribe(server, subscribers);
  const [fairlead = [], baseline = []] = await inTurn(name, both(pair), plan, (server) =>
    clients.measure(scenario, server, manner),
  );
  for (const server of both(pair)) await clients.unsubscribe(server, subscribers);
  const ratio = spread(fairlead.map((ours, at) => rate(ours) / rate(baseline[at] as Measured)));
  return {
    ...{ name, target, ratio, isMet: ratio.median >= target },
    fairlead: summarize(fairlead),
    baseline: summarize(baseline),
    reader: readerWithin === undefined ? null : readers(readerWithin, fairlead, baseline),
  };
}

function readers(within: number, fairlead: Measured[], baseline: Measured[]): Comparison["reader"] {
  const summary = (all: Measured[]) => summarize(all.flatMap(({ reader }) => reader ?? []));
  const ours = summary(fairlead);
  return { within, isMet: ours.p99 < within, fairlead: ours, baseline: summary(baseline) };
}

// --- Deliveries -------------------------------------------------------------------------------------------

/** The delivery of posted positions to the subscribers of one server. */
export interface Delivery {
  deliveriesPerSecond: number;
  /** Processor time of the server for a point; null where the system doesn't tell. */
  processorMicroseconds: number | null;
  /** From the request to the message, of points that come at a pace (milliseconds). */
  p50: number;
  p99: number;
  /** Processor time of the server for each of those points, in milliseconds; null where the system doesn't tell. */
  pacedMilliseconds: number | null;
}

export interface FanOutComparison extends FanOut {
  isMet: boolean;
  /** True if the deliveries at a pace came within the time that is wanted. */
  isInTime: boolean;
  fairlead: Delivery;
  baseline: Delivery;
  /** Fairlead's deliveries/s over the baseline's, round by round. */
  ratio: Ratio;
}

/**
 * Compares how fast posted points reach the subscribers of both servers, in turn: as fast as possible, then
 * at a pace.
 */
export async function compareFanOut(
  clients: Clients,
  scenario: FanOut,
  pair: Pair,
  rounds: number,
): Promise<FanOutComparison> {
  await checkMessages(pair.fairlead, pair.baseline);
  const [fairlead = [], baseline = []] = await deliver(clients, scenario, both(pair), rounds);
  const ratios = fairlead.map(
    (ours, at) => ours.deliveriesPerSecond / (baseline[at] as Delivery).deliveriesPerSecond,
  );
  const [ours, ratio] = [middle(fairlead), spread(ratios)];
  const met = { isMet: ratio.median >= scenario.target, isInTime: ours.p99 < scenario.within };
  return { ...scenario, ...met, fairlead: ours, baseline: middle(baseline), ratio };
}

/**
 * Posts the rounds of points on each server; returns the figures of each round. The subscribers of the servers in `followed`
 * get the cursor with each message.
 */
export async function deliver(
  clients: Clients,
  scenario: FanOut,
  servers: Server[],
  rounds: number,
  followed: Server[] = [],
): Promise<Delivery[][]> {
  const { name, subscribers } = scenario;
  const { warmUpRounds } = clients.settings;
  for (const server of servers)
    await clients.subscribe(server, subscribers, followed.includes(server) ? "now" : undefined);
  const asManyAsGo = (server: Server) => clients.measure(POST, server, { subscribers });
  await inTurn(name, servers, { rounds: 0, warmUpRounds }, asManyAsGo);
  const deliveries = await inTurn(name, servers, { rounds, warmUpRounds: 0 }, async (server) => {
    const { deliveriesPerSecond, processorMicroseconds } = await asManyAsGo(server);
    const { p50, p99, processorMilliseconds: pacedMilliseconds } = await clients.pace(scenario, server);
    return { deliveriesPerSecond, processorMicroseconds, p50, p99, pacedMilliseconds };
  });
  for (const server of servers) await clients.unsubscribe(server, subscribers);
  return deliveries;
}

export function middle(rounds: Delivery[]): Delivery {
  const of = (key: keyof Delivery): number => median(rounds.map((round) => round[key] ?? 0));
  const known = (key: keyof Delivery) => (rounds.some((round) => round[key] === null) ? null : of(key));
  return {
    deliveriesPerSecond: of("deliveriesPerSecond"),
    processorMicroseconds: known("processorMicroseconds"),
    p50: of("p50"),
    p99: of("p99"),
    pacedMilliseconds: known("pacedMilliseconds"),
  };
}

// --- Fairlead alone ---------------------------------------------------------------------------------------

/** The current position of each device, on one connection. */
export interface DevicesCost extends Summary {
  devices: number;
  /** The longest median that is wanted (milliseconds). */
  within: number;
  isMet: boolean;
}

export async function measureDevices(clients: Clients, server: Server): Promise<DevicesCost> {
  const positions = await bodyOf(CURRENT_OF_DEVICES, server);
  if (!Array.isArray(positions) || positions.length !== DEVICES)
    throw new Error(`${CURRENT_OF_DEVICES.name} doesn't answer ${DEVICES} positions`);
  const [counted = []] = await inTurn(CURRENT_OF_DEVICES.name, [server], clients.settings, () =>
    clients.measure(CURRENT_OF_DEVICES, server),
  );
  const summary = summarize(counted);
  return { ...summary, devices: DEVICES, within: DEVICES_WITHIN, isMet: summary.p50 < DEVICES_WITHIN };
}

/** The cost of a POST with a certain number of zones on the server. */
export interface ZoneCost extends Summary {
  zones: string;
  /** A second over the requests that it answered. */
  microseconds: number;
}

/** The cost of a POST on servers that differ in their number of zones alone, measured in turn. */
export async function measureZones(
  clients: Clients,
  servers: Map<string, Server>,
  rounds: number,
): Promise<ZoneCost[]> {
  const { warmUpRounds } = clients.settings;
  const measured = await inTurn(
    "POST with zones",
    [...servers.values()],
    { rounds, warmUpRounds },
    (server) => clients.measure(POST, server),
  );
  return [...servers.keys()].map((zones, at) => {
    const summary = summarize(measured[at] ?? []);
    return { zones, microseconds: 1_000_000 / summary.requestsPerSecond, ...summary };
  });
}
