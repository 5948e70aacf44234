import type { Comparison, Delivery, DevicesCost, FanOutComparison, ZoneCost } from "./comparisons";
import type { Summary } from "./figures";
import { type Late, WAIT_WITHIN, type Waits } from "./late";
import type { Scale } from "./scale";
import { SOCKETS, SOCKETS_OF_ALL, type Soak, type SoakMinute, STEADY } from "./soak";
import type { Starts } from "./start";
import type { Tracks } from "./tracks";

/** The figures of a run, as JSON has them, and as tables for a person. */

interface Settings {
  zones: number;
  connections: number;
  rounds: number;
  seconds: number;
}

export interface Report {
  machine: string;
  settings: Settings & { points: number };
  comparisons: Comparison[];
  fanOuts: FanOutComparison[];
  devices: DevicesCost | null;
  zones: ZoneCost[];
  starts: Starts | null;
}

export interface ScaleReport extends Scale {
  machine: string;
  settings: Settings;
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en");
export const fixed = (value: number): string => value.toFixed(2);
export const orDash = (value: number | null): string => (value === null ? "-" : value.toFixed(1));
export const perSecond = (value: number): string => `${whole(value)}/s`;
export const latencies = ({ p50, p99 }: Pick<Summary, "p50" | "p99">): string =>
  `${fixed(p50)} / ${fixed(p99)}`;
/** The mark beside a figure: as wanted or not. */
export const mark = (isMet: boolean): string => (isMet ? "met" : "missed");

/** Rows as lines, the first column to the left and the others to the right. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
  return rows.map((row) => line(row).join("  ").trimEnd()).join("\n");
}

/** The columns of a comparison of the two servers: how much each does, the ratio, the time and the processor's. */
const COMPARED_COLUMNS = [
  ...["Fairlead", "baseline", "ratio", "min", "max", "target", ""],
  ...["p50/p99 ms", "baseline", "CPU µs", "baseline"],
];

function comparedCells(
  { target, isMet, ratio }: Comparison | FanOutComparison,
  [fairlead, baseline]: [ours: string, theirs: string],
  [ours, theirs]: [Summary | Delivery, Summary | Delivery],
): string[] {
  return [
    ...[fairlead, baseline],
    ...[ratio.median, ratio.min, ratio.max, target].map(fixed),
    mark(isMet),
    ...[latencies(ours), latencies(theirs)],
    ...[orDash(ours.processorMicroseconds), orDash(theirs.processorMicroseconds)],
  ];
}

function comparisons(all: Comparison[]): string {
  const rows = all.map((comparison) => {
    const { name, fairlead, baseline } = comparison;
    const rates = [perSecond(fairlead.requestsPerSecond), perSecond(baseline.requestsPerSecond)];
    return [name, ...comparedCells(comparison, rates as [string, string], [fairlead, baseline])];
  });
  return table([["", ...COMPARED_COLUMNS], ...rows]);
}

function fanOuts(all: FanOutComparison[]): string {
  const rows = all.map((comparison) => {
    const { name, fairlead, baseline, within, isInTime } = comparison;
    const rates = [perSecond(fairlead.deliveriesPerSecond), perSecond(baseline.deliveriesPerSecond)];
    return [
      name,
      ...comparedCells(comparison, rates as [string, string], [fairlead, baseline]),
      `${within} ms at ${comparison.perSecond} points/s`,
      mark(isInTime),
      ...[orDash(fairlead.pacedMilliseconds), orDash(baseline.pacedMilliseconds)],
    ];
  });
  const columns = [...COMPARED_COLUMNS, "p99 within", "", "CPU ms a point", "baseline"];
  return table([["deliveries of posted points", ...columns], ...rows]);
}

/** The figures of one connection that have a time to keep. */
function promptAnswers({ comparisons, devices }: Report): string[][] {
  const rows: string[][] = [];
  if (devices)
    rows.push([
      `GET /v1/gps/current/devices, ${devices.devices} devices`,
      ...[latencies(devices), "-", `p50 below ${devices.within} ms`, mark(devices.isMet)],
    ]);
  for (const { name, reader } of comparisons)
    if (reader)
      rows.push([
        `GET /v1/gps/current during ${name}`,
        ...[latencies(reader.fairlead), latencies(reader.baseline)],
        ...[`p99 below ${reader.within} ms`, mark(reader.isMet)],
      ]);
  return rows;
}

function zoneCosts(all: ZoneCost[]): string {
  const rows = all.map(({ zones, microseconds, processorMicroseconds, requestsPerSecond }) => [
    zones,
    perSecond(requestsPerSecond),
    `${microseconds.toFixed(1)} µs`,
    orDash(processorMicroseconds),
  ]);
  return table([["POST /v1/gps with", "Fairlead", "a request", "CPU µs"], ...rows]);
}

function starts({ fairlead, baseline, idleMegabytes, executableMegabytes }: Starts): string {
  const times = ({ median, max }: Starts["fairlead"]) => [`${median.toFixed(0)} ms`, `${max.toFixed(0)} ms`];
  const idle = idleMegabytes === null ? "-" : `${idleMegabytes.toFixed(0)} MB`;
  return table([
    ["from start to first answer", "median", "max", "within", "idle (within 150 MB)", "size"],
    ["the executable", ...times(fairlead), "300 ms", idle, `${executableMegabytes.toFixed(0)} MB`],
    ["bare server, from source", ...times(baseline), "", "", ""],
  ]);
}

/** The whole report of a comparison. */
export function describe(report: Report): string {
  const { points, zones, connections, rounds, seconds } = report.settings;
  const parts = [
    `Fairlead beside a bare Bun.serve + bun:sqlite server (${report.machine})\n${connections} connections, ${whole(points)} points, ${whole(zones)} zones; medians of ${rounds} rounds of ${seconds} s on each, in turn`,
  ];
  const prompt = promptAnswers(report);
  if (report.comparisons.length > 0) parts.push(comparisons(report.comparisons));
  if (prompt.length > 0)
    parts.push(table([["on one connection", "p50/p99 ms", "baseline", "wanted", ""], ...prompt]));
  if (report.fanOuts.length > 0) parts.push(fanOuts(report.fanOuts));
  if (report.zones.length > 0) parts.push(zoneCosts(report.zones));
  if (report.starts) parts.push(starts(report.starts));
  return `${parts.join("\n\n")}\n`;
}

/** The report of the cost of requests as the points grow. */
export function describeScale({ machine, settings, costs, preparedInSeconds }: ScaleReport): string {
  const { zones, connections, rounds, seconds } = settings;
  const sizes = costs[0]?.sizes ?? [];
  const head = sizes.flatMap(({ points }, at) => [
    `${whole(points)} points`,
    "p50/p99 ms",
    ...(at > 0 ? ["ratio"] : []),
  ]);
  const rows = costs.map(({ name, target, isMet, ...cost }) => [
    cost.connections === connections ? name : `${name}, ${cost.connections} connection`,
    ...cost.sizes.flatMap((size, at) => [
      `${size.microseconds.toFixed(1)} µs`,
      latencies(size),
      ...(at > 0 ? [fixed(size.ratio)] : []),
    ]),
    target === null ? "-" : fixed(target),
    isMet === null ? "" : mark(isMet),
  ]);
  return [
    `Fairlead on more and more points (${machine})`,
    `${connections} connections, ${whole(zones)} zones; medians of ${rounds} rounds of ${seconds} s on each, in turn; prepared in ${preparedInSeconds.toFixed(0)} s`,
    `a request's share of the time, or on 1 connection its median, and how many times that with ${whole(sizes[0]?.points ?? 0)} points;`,
    "of a fanout a point's share when as many as go are delivered, and p50 and p99 of a delivery at a pace",
    "",
    `${table([["", ...head, "target", ""], ...rows])}\n`,
  ].join("\n");
}

// --- Memory -----------------------------------------------------------------------------------------------

export interface SoakReport extends Soak {
  machine: string;
  settings: { points: number; zones: number; everything: boolean };
}

const MEGABYTE = 1_000_000;
const mb = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);

/** The columns of a soak with their widths: its lines are printed as they come. */
const SOAK_COLUMNS: [head: string, cell: (minute: SoakMinute) => string][] = [
  ["minute", ({ minute }) => String(minute)],
  ["requests/s", ({ requestsPerSecond }) => whole(requestsPerSecond)],
  ["POST p99 ms", ({ p99 }) => fixed(p99)],
  ["positions", ({ posted }) => whole(posted)],
  ["RSS MB", ({ resident }) => mb(resident)],
  ["program", ({ files }) => mb(files)],
  ["JS heap", ({ heap }) => mb(heap)],
  ["in use", ({ objects }) => mb(objects)],
  ["the rest", ({ resident, files, heap }) => mb(resident - files - heap)],
];
const soakLine = (cells: string[]): string =>
  cells.map((cell, at) => cell.padStart(Math.max(8, SOAK_COLUMNS[at]?.[0].length ?? 0))).join("  ");

/** The head of a soak's table, and its explanation. */
export const soakHead = (machine: string, { points, zones, everything }: SoakReport["settings"]): string =>
  [
    `Fairlead's memory under a steady load (${machine})`,
    `${whole(points)} stored positions, ${whole(zones)} zones, ${everything ? SOCKETS_OF_ALL : SOCKETS} sockets that hear each new position; a socket comes and goes each second, somebody signs in every ten`,
    "RSS is made of: the program's pages (files), the JavaScript heap as allocated, of which a part is in use, and the rest: SQLite's page cache, compiled code, buffers",
    "",
    soakLine(SOAK_COLUMNS.map(([head]) => head)),
    "",
  ].join("\n");

export const describeMinute = (minute: SoakMinute): string =>
  `${soakLine(SOAK_COLUMNS.map(([, cell]) => cell(minute)))}\n`;

/** The end of a soak's report. */
export function describeSoak({ growth, collected, everything, more }: SoakReport): string {
  const { first, last, withoutPages } = collected;
  const sign = (bytes: number) => `${bytes < 0 ? "-" : "+"}${mb(Math.abs(bytes))} MB`;
  const row = (name: string, memory: typeof first) => [
    name,
    ...[memory.resident, memory.files, memory.heap, memory.objects].map(mb),
    mb(memory.resident - memory.files - memory.heap),
  ];
  const lines = [
    table([
      ["after a collection of garbage", "RSS MB", "program", "JS heap", "in use", "the rest"],
      row("minute 1", first),
      row("the end", last),
      row("the end, without SQLite's page cache", withoutPages),
    ]),
    "",
    `more objects than after minute 1: ${more.map(({ kind, first, last }) => `${kind} ${first} -> ${last}`).join(", ") || "none"}`,
  ];
  const named = Object.entries(everything ?? {}).map(([name, count]) => `${whole(count)} ${name}`);
  if (everything) lines.push("", `beside the requests: ${named.join(", ")}`);
  if (growth) {
    const { since, resident, isMet } = growth;
    const wanted = isMet === null ? "a short run proves nothing" : `at most ${mb(STEADY)} MB: ${mark(isMet)}`;
    lines.push(
      `RSS since minute ${since}: ${sign(resident)} (median slope of all pairs of minutes; ${wanted})`,
    );
  }
  return `\n${lines.join("\n")}\n`;
}

// --- Waits of others --------------------------------------------------------------------------------------

/** A table of the waits of other requests, beside those with nothing else to do. */
export const waitsTable = (alone: Waits[], meanwhile: Waits[]): string =>
  table([
    ["", "requests", "p99 / longest ms", "alone", `longest within ${WAIT_WITHIN} ms`],
    ...meanwhile.map(({ name, requests, p99, longest }, at) => [
      name,
      whole(requests),
      `${fixed(p99)} / ${fixed(longest)}`,
      `${fixed(alone[at]?.p99 ?? 0)} / ${fixed(alone[at]?.longest ?? 0)}`,
      mark(longest <= WAIT_WITHIN),
    ]),
  ]);

// --- Late fixes -------------------------------------------------------------------------------------------

export interface LateReport extends Late {
  machine: string;
  settings: { points: number; zones: number };
}

/** The report on a buffer of late fixes. */
export function describeLate({
  machine,
  settings,
  fixes,
  fixesPerSecond,
  alone,
  meanwhile,
}: LateReport): string {
  const lines = [
    `Requests beside a buffer of late fixes (${machine})`,
    `${whole(settings.points)} stored positions, ${whole(settings.zones)} zones; ${whole(fixes)} late fixes in batches of 1,000, ${whole(fixesPerSecond)}/s`,
    "",
    waitsTable(alone, meanwhile),
  ];
  return `${lines.join("\n")}\n`;
}

// --- Tracks -----------------------------------------------------------------------------------------------

export interface TracksReport extends Tracks {
  machine: string;
}

/** The report on tracks. */
export function describeTracks({ machine, positions, asked, alone, meanwhile }: TracksReport): string {
  const tracks = asked.map(({ name, processor, time, bytes, within }) => [
    name,
    ...[fixed(processor), fixed(time), whole(bytes / 1_024)],
    ...(within === null ? ["-", ""] : [`${whole(within)} ms`, mark(processor <= within)]),
  ]);
  const lines = [
    `Tracks of a device with ${whole(positions)} positions (${machine})`,
    "",
    table([["", "processor ms", "ms", "KiB", "wanted", ""], ...tracks]),
    "",
    "Others meanwhile",
    "",
    waitsTable(alone, meanwhile),
  ];
  return `${lines.join("\n")}\n`;
}
