import { bodyOf, checkAgreement, checkMessages } from "./agreement";
import type { Clients, Measured } from "./clients";
import { median, type Ratio, rate, type Summary, spread, summarize } from "./figures";
import { DEVICES } from "./prepare";
import type { Server } from "./processes";
import { progressOf } from "./progress";
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
  /** What a reader of positions on one connection noticed; null where none was asked. */
  reader: { within: number; isMet: boolean; fairlead: Summary; baseline: Summary } | null;
}

/** Both servers, on databases that are alike. */
export interface Pair {
  fairlead: Server;
  baseline: Server;
}

const both = ({ fairlead, baseline }: Pair): Server[] => [fairlead, baseline];

/** A slow scenario gets a quarter of the rounds, each four times as long: its few requests would end by chance otherwise. */
const SLOW_SHARE = 4;

export async function compare(
  clients: Clients,
  scenario: Compared,
  pair: Pair,
  settings: { rounds: number; seconds: number },
): Promise<Comparison> {
  const { name, target, subscribers, isSlow, readerWithin } = scenario;
  await checkAgreement(scenario, pair.fairlead, pair.baseline);
  const rounds = isSlow ? Math.ceil(settings.rounds / SLOW_SHARE) : settings.rounds;
  const seconds = isSlow ? SLOW_SHARE * settings.seconds : settings.seconds;
  const warmUp = isSlow ? 1 : clients.warmUpRounds;
  const manner = { seconds, subscribers, withReader: readerWithin !== undefined };
  for (const server of both(pair)) await clients.subscribe(server, subscribers);
  const fairlead: Measured[] = [];
  const baseline: Measured[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    progressOf(name, round, rounds);
    const ours = await clients.measure(scenario, pair.fairlead, manner);
    const theirs = await clients.measure(scenario, pair.baseline, manner);
    if (round < 0) continue;
    fairlead.push(ours);
    baseline.push(theirs);
  }
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

/** What subscribers see of positions that are posted, on one of the servers. */
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
  /** Whether the deliveries at a pace came within the time that is wanted. */
  isInTime: boolean;
  fairlead: Delivery;
  baseline: Delivery;
  /** Fairlead's deliveries/s over the baseline's, round by round. */
  ratio: Ratio;
}

/** How fast what is posted reaches the subscribers of both servers: as much as goes, then at a pace; in turn. */
export async function compareFanOut(
  clients: Clients,
  scenario: FanOut,
  pair: Pair,
  rounds: number,
): Promise<FanOutComparison> {
  const { name, subscribers, target, within } = scenario;
  await checkMessages(pair.fairlead, pair.baseline);
  for (const server of both(pair)) await clients.subscribe(server, subscribers);
  for (let round = 0; round < clients.warmUpRounds; round++)
    for (const server of both(pair)) await clients.measure(POST, server, { subscribers });
  const fairlead: Delivery[] = [];
  const baseline: Delivery[] = [];
  for (let round = 0; round < rounds; round++) {
    progressOf(name, round, rounds);
    fairlead.push(await deliver(clients, scenario, pair.fairlead));
    baseline.push(await deliver(clients, scenario, pair.baseline));
  }
  for (const server of both(pair)) await clients.unsubscribe(server, subscribers);
  const ratios = fairlead.map(
    (ours, at) => ours.deliveriesPerSecond / (baseline[at] as Delivery).deliveriesPerSecond,
  );
  const [ours, ratio] = [middle(fairlead), spread(ratios)];
  const met = { isMet: ratio.median >= target, isInTime: ours.p99 < within };
  return { ...scenario, ...met, fairlead: ours, baseline: middle(baseline), ratio };
}

async function deliver(clients: Clients, scenario: FanOut, server: Server): Promise<Delivery> {
  const { subscribers } = scenario;
  const { deliveriesPerSecond, processorMicroseconds } = await clients.measure(POST, server, { subscribers });
  const { p50, p99, processorMilliseconds } = await clients.pace(scenario, server);
  return { deliveriesPerSecond, processorMicroseconds, p50, p99, pacedMilliseconds: processorMilliseconds };
}

function middle(rounds: Delivery[]): Delivery {
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

export async function measureDevices(clients: Clients, server: Server, rounds: number): Promise<DevicesCost> {
  const positions = await bodyOf(CURRENT_OF_DEVICES, server);
  if (!Array.isArray(positions) || positions.length !== DEVICES)
    throw new Error(`${CURRENT_OF_DEVICES.name} doesn't answer ${DEVICES} positions`);
  const counted: Measured[] = [];
  for (let round = -clients.warmUpRounds; round < rounds; round++) {
    progressOf(CURRENT_OF_DEVICES.name, round, rounds);
    const measured = await clients.measure(CURRENT_OF_DEVICES, server);
    if (round >= 0) counted.push(measured);
  }
  const summary = summarize(counted);
  return { ...summary, devices: DEVICES, within: DEVICES_WITHIN, isMet: summary.p50 < DEVICES_WITHIN };
}

/** What a POST costs with so many zones on the server. */
export interface ZoneCost extends Summary {
  zones: number;
  /** A second over the requests that it answered. */
  microseconds: number;
}

/** What a POST costs on servers that differ in their number of zones alone, in turn. */
export async function measureZones(
  clients: Clients,
  servers: Map<number, Server>,
  rounds: number,
): Promise<ZoneCost[]> {
  const all = new Map<number, Measured[]>([...servers.keys()].map((zones) => [zones, []]));
  for (let round = -clients.warmUpRounds; round < rounds; round++)
    for (const [zones, server] of servers) {
      progressOf(`POST with ${zones} zones`, round, rounds);
      const measured = await clients.measure(POST, server);
      if (round >= 0) all.get(zones)?.push(measured);
    }
  return [...all].map(([zones, measured]) => {
    const summary = summarize(measured);
    return { zones, microseconds: 1_000_000 / summary.requestsPerSecond, ...summary };
  });
}
