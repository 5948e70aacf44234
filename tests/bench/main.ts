import { mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { describeAgainst, measureAgainst } from "./against";
import { Clients } from "./clients";
import {
  type Comparison,
  compare,
  compareFanOut,
  type FanOutComparison,
  measureDevices,
  measureZones,
  type Pair,
} from "./comparisons";
import { prepareEverything } from "./everything";
import { describeFeed, measureFeed } from "./feed";
import { addBoxes, describeFleet, type FleetFigures, measureFleet } from "./fleet";
import { measureLate } from "./late";
import { type Options, readOptions } from "./options";
import { describePage, measurePage, type PageFigures } from "./page";
import { type Place, Preparation } from "./prepare";
import { cleanUp, removeAtEnd, type Server, startBaseline, startFairlead } from "./processes";
import { progress } from "./progress";
import {
  describe,
  describeLate,
  describeMinute,
  describeScale,
  describeSoak,
  describeTracks,
  type LateReport,
  type Report,
  type ScaleReport,
  type SoakReport,
  soakHead,
  type TracksReport,
} from "./report";
import { measureScale } from "./scale";
import { COMPARED, CURRENT_OF_DEVICES, FAN_OUTS, ZONES } from "./scenarios";
import { measureSmall } from "./small";
import { describeSmall } from "./small-report";
import { measureSoak } from "./soak";
import { measureStarts } from "./start";
import { describeStorms, measureStorms } from "./storms";
import { describeTimeline, growYear, measureTimeline, type TimelineFigures } from "./timeline";
import { measureTracks, SHARING } from "./tracks";

/** With one of each size, a run shows if the cost of a point grows with all zones or with those around it. */
const ZONE_COUNTS = [10, ZONES, 100_000];
const circles = (count: number): string => `${count.toLocaleString("en")} circles`;
const POLYGONS = "100,000 polygons of 20 corners";
const RULES = `${circles(ZONES)}, 10,000 rules on 1,000 devices`;
const DEVICES_WITH_RULES = 1_000;

/** Boxes that push beside everything else. */
const BOXES_OF_ALL = 10;

/** Starts of the executable that are measured. */
const MAX_STARTS = 10;

const machine = () => `Bun ${Bun.version}, ${availableParallelism()} x ${cpus()[0]?.model.trim() ?? "?"}`;

/** Fairlead beside the baseline. */
async function runComparison(options: Options, directory: string): Promise<Report> {
  const { points, rounds, seconds, connections } = options;
  const wanted = (name: string) => name.includes(options.only);
  const scenarios = COMPARED.filter(({ name }) => wanted(name));
  const fanOuts = FAN_OUTS.filter(({ name }) => wanted(name));
  const [withDevices, zonesWanted, withStarts] = [CURRENT_OF_DEVICES.name, "zones", "start"].map(wanted);
  const withZones = zonesWanted && !(options.quick && options.only === "");
  const withPair = scenarios.length + fanOuts.length > 0 || withDevices;
  if (!withPair && !withZones && !withStarts) throw new Error(`no scenario's name holds ${options.only}`);

  const preparation = await Preparation.start(join(directory, "prepared"), points);
  await preparation.growPoints(points);
  const places = new Map<string, Place>();
  const copy = (name: string) =>
    places.set(name, preparation.copyTo(join(directory, name.replaceAll(" ", "-"))));
  for (const zones of withZones ? ZONE_COUNTS : [ZONES]) {
    await preparation.growZones(zones);
    const copies = [circles(zones), ...(zones === ZONES ? ["fairlead", "baseline", "starts"] : [])];
    for (const name of copies) copy(name);
    if (!withZones || zones !== ZONES) continue;
    await preparation.addRules(DEVICES_WITH_RULES);
    copy(RULES);
    await preparation.dropRules();
  }
  if (withZones) {
    await preparation.makePolygons();
    copy(POLYGONS);
  }
  preparation.finish();
  const place = (name: string) => places.get(name) as Place;

  const clients = new Clients(options);
  const comparisons: Comparison[] = [];
  const deliveries: FanOutComparison[] = [];
  const pair: Pair | null = withPair
    ? { fairlead: await startFairlead(place("fairlead")), baseline: await startBaseline(place("baseline")) }
    : null;
  const devices = pair && withDevices ? await measureDevices(clients, pair.fairlead) : null;
  const compareAll = async (ahead: boolean) => {
    for (const scenario of scenarios)
      if (pair && (scenario.isAhead ?? false) === ahead)
        comparisons.push(await compare(clients, scenario, pair));
  };
  await compareAll(false);
  const fanOutRounds = options.quick ? Math.ceil(rounds / 2) : rounds;
  for (const scenario of fanOuts)
    if (pair) deliveries.push(await compareFanOut(clients, scenario, pair, fanOutRounds));
  await compareAll(true);
  const servers = new Map<string, Server>();
  if (withZones)
    for (const name of [...ZONE_COUNTS.map(circles), POLYGONS, RULES])
      servers.set(name, await startFairlead(place(name)));
  const zones = await measureZones(clients, servers, Math.ceil(rounds / 2));
  const starts = withStarts
    ? await measureStarts(place("starts").directory, directory, Math.min(rounds, MAX_STARTS))
    : null;
  return {
    machine: machine(),
    settings: { points, zones: ZONES, connections, rounds, seconds },
    ...{ comparisons, fanOuts: deliveries, devices, zones, starts },
  };
}

/** Fairlead beside itself with more points. */
async function runScale(options: Options, sizes: number[], directory: string): Promise<ScaleReport> {
  const { rounds, seconds, connections } = options;
  const scale = await measureScale(directory, sizes, options);
  return { machine: machine(), settings: { zones: ZONES, connections, rounds, seconds }, ...scale };
}

/** Fairlead's memory, told while it is watched. */
async function runSoak(options: Options, minutes: number, directory: string): Promise<SoakReport> {
  const preparation = await Preparation.start(join(directory, "prepared"), options.points);
  await preparation.growPoints(options.points);
  await preparation.growZones(ZONES);
  const besides = options.everything ? await prepareEverything(await addBoxes(BOXES_OF_ALL)) : null;
  const place = preparation.finish();
  const settings = { points: options.points, zones: ZONES, everything: options.everything };
  process.stdout.write(soakHead(machine(), settings));
  const soak = await measureSoak(place, minutes, besides, (minute) =>
    process.stdout.write(describeMinute(minute)),
  );
  return { machine: machine(), settings, ...soak };
}

/** The wait of others while late fixes come in. */
async function runLate(options: Options, directory: string): Promise<LateReport> {
  const preparation = await Preparation.start(join(directory, "prepared"), options.points);
  await preparation.growPoints(options.points);
  await preparation.growZones(ZONES);
  const late = await measureLate(preparation.finish());
  return { machine: machine(), settings: { points: options.points, zones: ZONES }, ...late };
}

/** Tracks, and the wait of others while they are read. */
async function runTracks(options: Options, directory: string): Promise<TracksReport> {
  const preparation = await Preparation.start(join(directory, "prepared"), options.points);
  await preparation.growPoints(options.points, SHARING);
  const tracks = await measureTracks(preparation.finish());
  return { machine: machine(), ...tracks };
}

/** The timeline of a year. */
async function runTimeline({ points }: Options, directory: string): Promise<TimelineFigures> {
  const preparation = await Preparation.start(join(directory, "prepared"), 1);
  await growYear(preparation.firstDevice, points);
  return measureTimeline(preparation.finish(), points);
}

/** Many boxes and one shore. */
async function runFleet(
  options: Options,
  boxes: number,
  directory: string,
): Promise<FleetFigures & { machine: string }> {
  const preparation = await Preparation.start(join(directory, "prepared"), options.points);
  await preparation.growPoints(options.points);
  await preparation.growZones(ZONES);
  const tokens = await addBoxes(boxes);
  return { machine: machine(), ...(await measureFleet(preparation.finish(), tokens)) };
}

/** The page in a browser. */
async function runPage({ points }: Options, directory: string): Promise<PageFigures & { machine: string }> {
  const preparation = await Preparation.start(join(directory, "prepared"), 1);
  await growYear(preparation.firstDevice, points);
  return { machine: machine(), ...(await measurePage(preparation.finish(), points)) };
}

async function run(): Promise<void> {
  const options = readOptions();
  const directory = mkdtempSync(join(tmpdir(), "fairlead-bench-"));
  removeAtEnd(directory);
  const write = <T>(report: T, text: string) => {
    progress("");
    process.stdout.write(text);
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  };
  if (options.against !== null) {
    const report = { machine: machine(), ...(await measureAgainst(options.against, options, directory)) };
    write(report, describeAgainst(report));
  } else if (options.late) {
    const report = await runLate(options, directory);
    write(report, describeLate(report));
  } else if (options.tracks) {
    const report = await runTracks(options, directory);
    write(report, describeTracks(report));
  } else if (options.alerts) {
    const report = { machine: machine(), ...(await measureStorms(options, directory)) };
    write(report, describeStorms(report));
  } else if (options.feed) {
    const report = { machine: machine(), ...(await measureFeed(options, directory)) };
    write(report, describeFeed(report));
  } else if (options.timeline) {
    const report = await runTimeline(options, directory);
    write(report, describeTimeline(report));
  } else if (options.fleet !== null) {
    const report = await runFleet(options, options.fleet, directory);
    write(report, describeFleet(report));
  } else if (options.page) {
    const report = await runPage(options, directory);
    write(report, describePage(report));
  } else if (options.small) {
    const report = { machine: machine(), ...(await measureSmall(options, directory)) };
    write(report, describeSmall(report));
  } else if (options.soak !== null) {
    const report = await runSoak(options, options.soak, directory);
    write(report, describeSoak(report));
  } else if (options.scale === null) {
    const report = await runComparison(options, directory);
    write(report, describe(report));
  } else {
    const report = await runScale(options, options.scale, directory);
    write(report, describeScale(report));
  }
}

// Every end counts, also an uncaught error such as a pipe that nobody reads any more.
process.on("exit", cleanUp);
process.on("SIGINT", () => process.exit(130));
process.on("SIGHUP", () => process.exit(129));
process.on("SIGTERM", () => process.exit(143));
run().then(
  () => process.exit(0),
  (error) => {
    progress("");
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);
