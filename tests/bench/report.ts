import type { Load } from "./load";
import type { FanOut } from "./scenarios";
import type { Starts } from "./start";

/** One measurement of a server: what the load generator saw, and the processor time that the server took. */
export interface Measured extends Load {
  /** Messages that reached subscribers, to the last one of them; 0 without subscribers. */
  deliveriesPerSecond: number;
  /** Processor time of the server for a request, in microseconds; null where the system doesn't tell. */
  processorMicroseconds: number | null;
}

export interface Round {
  fairlead: Measured;
  baseline: Measured;
}

export interface Summary {
  requestsPerSecond: number;
  p50: number;
  p99: number;
  processorMicroseconds: number | null;
}

export interface Comparison {
  name: string;
  target: number;
  fairlead: Summary;
  baseline: Summary;
  /** Fairlead's requests/s over the baseline's, round by round. */
  ratio: Ratio;
}

export interface Ratio {
  median: number;
  min: number;
  max: number;
}

/** What a POST costs with so many zones on the server. */
export interface ZoneCost extends Summary {
  zones: number;
  /** A second over the requests that it answered. */
  microseconds: number;
}

/** What subscribers see of positions that are posted, on one of the servers. */
export interface Delivery {
  deliveriesPerSecond: number;
  /** Processor time of the server for a point; null where the system doesn't tell. */
  processorMicroseconds: number | null;
  /** From the request to the message, of points that come at a pace (milliseconds). */
  p50: number;
  p99: number;
}

export interface FanOutComparison extends FanOut {
  fairlead: Delivery;
  baseline: Delivery;
  /** Fairlead's deliveries/s over the baseline's, round by round. */
  ratio: Ratio;
}

/** What a reader of positions notices of many who sign in. */
export interface LoginStorm {
  clients: number;
  loginsPerSecond: number;
  /** GET /v1/gps/current on one connection, with nobody signing in and in the storm. */
  calm: Summary;
  storm: Summary;
}

export interface Report {
  machine: string;
  settings: { points: number; zones: number; connections: number; rounds: number; seconds: number };
  comparisons: Comparison[];
  fanOuts: FanOutComparison[];
  zones: ZoneCost[];
  logins: LoginStorm | null;
  starts: Starts | null;
}

/** The middle of some numbers; of an even number of them, the mean of the middle two. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

export const rate = (load: Load): number => load.answered / load.seconds;

export function summarize(measured: Measured[]): Summary {
  return {
    requestsPerSecond: median(measured.map(rate)),
    p50: median(measured.map(({ p50 }) => p50)),
    p99: median(measured.map(({ p99 }) => p99)),
    processorMicroseconds: processorTime(measured),
  };
}

function processorTime(measured: { processorMicroseconds: number | null }[]): number | null {
  const known = measured.flatMap(({ processorMicroseconds }) => processorMicroseconds ?? []);
  return known.length > 0 ? median(known) : null;
}

const spread = (ratios: number[]): Ratio => ({
  median: median(ratios),
  min: Math.min(...ratios),
  max: Math.max(...ratios),
});

export function compare(name: string, target: number, rounds: Round[]): Comparison {
  return {
    name,
    target,
    fairlead: summarize(rounds.map(({ fairlead }) => fairlead)),
    baseline: summarize(rounds.map(({ baseline }) => baseline)),
    ratio: spread(rounds.map(({ fairlead, baseline }) => rate(fairlead) / rate(baseline))),
  };
}

const middle = (rounds: Delivery[]): Delivery => ({
  deliveriesPerSecond: median(rounds.map(({ deliveriesPerSecond }) => deliveriesPerSecond)),
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
  processorMicroseconds: processorTime(rounds),
});

export function compareFanOut(
  scenario: FanOut,
  rounds: { fairlead: Delivery; baseline: Delivery }[],
): FanOutComparison {
  return {
    ...scenario,
    fairlead: middle(rounds.map(({ fairlead }) => fairlead)),
    baseline: middle(rounds.map(({ baseline }) => baseline)),
    ratio: spread(
      rounds.map(({ fairlead, baseline }) => fairlead.deliveriesPerSecond / baseline.deliveriesPerSecond),
    ),
  };
}

// --- Tables -----------------------------------------------------------------------------------------------

const whole = (value: number): string => Math.round(value).toLocaleString("en");
const fixed = (value: number): string => value.toFixed(2);
const orDash = (value: number | null): string => (value === null ? "-" : value.toFixed(1));

/** Rows as lines, the first column to the left and the others to the right. */
function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
  return rows.map((row) => line(row).join("  ").trimEnd()).join("\n");
}

const latencies = ({ p50, p99 }: Pick<Summary, "p50" | "p99">): string => `${fixed(p50)} / ${fixed(p99)}`;

function comparisons(all: Comparison[]): string {
  const head = [
    "",
    "Fairlead",
    "baseline",
    "ratio",
    "min",
    "max",
    "target",
    "p50/p99 ms",
    "baseline",
    "CPU µs",
    "baseline",
  ];
  const rows = all.map(({ name, target, fairlead, baseline, ratio }) => [
    name,
    `${whole(fairlead.requestsPerSecond)}/s`,
    `${whole(baseline.requestsPerSecond)}/s`,
    fixed(ratio.median),
    fixed(ratio.min),
    fixed(ratio.max),
    fixed(target),
    latencies(fairlead),
    latencies(baseline),
    orDash(fairlead.processorMicroseconds),
    orDash(baseline.processorMicroseconds),
  ]);
  return table([head, ...rows]);
}

function fanOuts(all: FanOutComparison[]): string {
  const head = [
    "deliveries of posted points",
    "Fairlead",
    "baseline",
    "ratio",
    "min",
    "max",
    "target",
    "p50/p99 ms",
    "baseline",
    "within",
    "CPU µs",
    "baseline",
  ];
  const rows = all.map(({ name, target, fairlead, baseline, ratio, perSecond, within }) => [
    name,
    `${whole(fairlead.deliveriesPerSecond)}/s`,
    `${whole(baseline.deliveriesPerSecond)}/s`,
    fixed(ratio.median),
    fixed(ratio.min),
    fixed(ratio.max),
    fixed(target),
    latencies(fairlead),
    latencies(baseline),
    `${within} ms at ${perSecond} points/s`,
    orDash(fairlead.processorMicroseconds),
    orDash(baseline.processorMicroseconds),
  ]);
  return table([head, ...rows]);
}

function zoneCosts(all: ZoneCost[]): string {
  const rows = all.map(({ zones, microseconds, processorMicroseconds, ...summary }) => [
    `${whole(zones)} zones`,
    `${whole(summary.requestsPerSecond)}/s`,
    `${microseconds.toFixed(1)} µs`,
    orDash(processorMicroseconds),
  ]);
  return table([["POST /v1/gps with", "Fairlead", "a request", "CPU µs"], ...rows]);
}

function loginStorm({ clients, loginsPerSecond, calm, storm }: LoginStorm): string {
  const row = (name: string, summary: Summary) => [
    name,
    `${whole(summary.requestsPerSecond)}/s`,
    latencies(summary),
  ];
  return table([
    ["GET /v1/gps/current, 1 connection", "Fairlead", "p50/p99 ms"],
    row("nobody signs in", calm),
    row(`${clients} clients sign in (${whole(loginsPerSecond)}/s)`, storm),
  ]);
}

function starts({ fairlead, baseline, idleMegabytes, executableMegabytes }: Starts): string {
  const row = (name: string, times: Starts["fairlead"], target: string, idle: string, size: string) => [
    name,
    `${times.median.toFixed(0)} ms`,
    `${times.max.toFixed(0)} ms`,
    target,
    idle,
    size,
  ];
  return table([
    ["from start to first answer", "median", "max", "within", "idle (within 150 MB)", "size"],
    row(
      "the executable",
      fairlead,
      "300 ms",
      idleMegabytes === null ? "-" : `${idleMegabytes.toFixed(0)} MB`,
      `${executableMegabytes.toFixed(0)} MB`,
    ),
    row("bare server, from source", baseline, "", "", ""),
  ]);
}

/** The whole report for a person. */
export function describe({ machine, settings, ...figures }: Report): string {
  const { points, zones, connections, rounds, seconds } = settings;
  const parts = [
    `Fairlead beside a bare Bun.serve + bun:sqlite server (${machine})\n${connections} connections, ${whole(points)} points, ${whole(zones)} zones; medians of ${rounds} rounds of ${seconds} s on each, in turn`,
  ];
  if (figures.comparisons.length > 0) parts.push(comparisons(figures.comparisons));
  if (figures.fanOuts.length > 0) parts.push(fanOuts(figures.fanOuts));
  if (figures.zones.length > 0) parts.push(zoneCosts(figures.zones));
  if (figures.logins) parts.push(loginStorm(figures.logins));
  if (figures.starts) parts.push(starts(figures.starts));
  return `${parts.join("\n\n")}\n`;
}
