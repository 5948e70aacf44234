import { mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Heard, ListenOrder } from "./listen";
import type { Load, LoadOrder } from "./load";
import type { LoginOrder, Logins } from "./logins";
import { copyDatabase, type Fixture, prepare, USER } from "./prepare";
import {
  cleanUp,
  Helper,
  processorSeconds,
  removeAtEnd,
  type Server,
  startBaseline,
  startFairlead,
} from "./processes";
import {
  type Comparison,
  compare,
  compareFanOut,
  type Delivery,
  describe,
  type FanOutComparison,
  type LoginStorm,
  type Measured,
  median,
  type Report,
  type Round,
  summarize,
  type ZoneCost,
} from "./report";
import { CURRENT, FAN_OUTS, type FanOut, POST, SCENARIOS, type Scenario, ZONES } from "./scenarios";
import { measureStarts, type Starts } from "./start";

const HELP = `Usage: bun run bench [options]

Measures Fairlead beside a bare server with the same database, in turn, and prints the ratios.

  --quick            fewer and shorter rounds: under a minute in all
  --points N         stored positions (default 10000)
  --rounds N         counted rounds of each scenario, half as many of fanout (default 20; quick: 3)
  --seconds S        length of a measurement (default 1; quick: 0.3)
  --connections N    kept-alive connections (default 32)
  --only WORD        only scenarios whose name holds WORD; also fanout, zones, logins, start
  --json FILE        write the figures as JSON too
  -h, --help         this text
`;

/** A run with one of each size shows whether the cost of a point grows with all zones or with those around it. */
const ZONE_COUNTS = [10, ZONES, 100_000];

/** Starts of the executable that are measured. */
const MAX_STARTS = 10;

/** Clients that sign in at once, while positions are read. */
const LOGIN_CLIENTS = 50;

interface Options {
  points: number;
  rounds: number;
  seconds: number;
  connections: number;
  only: string;
  json: string | undefined;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      points: { type: "string", default: "10000" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string", default: "32" },
      only: { type: "string", default: "" },
      json: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const positive = (name: string, text: string): number => {
    const value = Number(text);
    if (value > 0) return value;
    throw new Error(`--${name} must be a number above 0`);
  };
  return {
    points: positive("points", values.points),
    rounds: positive("rounds", values.rounds ?? (values.quick ? "3" : "20")),
    seconds: positive("seconds", values.seconds ?? (values.quick ? "0.3" : "1")),
    connections: positive("connections", values.connections),
    only: values.only,
    json: values.json,
  };
}

/** What happens now, for whoever watches. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** The first measurements, in which both sides still compile their hot paths, don't count. */
const WARM_UP_ROUNDS = 2;

class Bench {
  readonly #options: Options;
  readonly #fixture: Fixture;
  readonly #load = new Helper<LoadOrder, Load>("load.ts");
  readonly #listeners = new Helper<ListenOrder, Heard>("listen.ts");
  readonly #logins = new Helper<LoginOrder, Logins>("logins.ts");

  constructor(options: Options, fixture: Fixture) {
    this.#options = options;
    this.#fixture = fixture;
  }

  /** Fairlead and the baseline in turn, round by round. */
  async compare(scenario: Scenario, fairlead: Server, baseline: Server): Promise<Comparison> {
    const { rounds } = this.#options;
    for (const server of [fairlead, baseline]) await this.#subscribe(server, scenario);
    const counted: Round[] = [];
    for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
      progress(`${scenario.name}: ${round < 0 ? "warming up" : `round ${round + 1} of ${rounds}`}`);
      const both = {
        fairlead: await this.#measure(scenario, fairlead),
        baseline: await this.#measure(scenario, baseline),
      };
      if (round >= 0) counted.push(both);
    }
    for (const server of [fairlead, baseline]) await this.#unsubscribe(server, scenario);
    return compare(scenario.name, scenario.target, counted);
  }

  /** How fast what is posted reaches the subscribers on both servers: as much as goes, then at a pace; in turn. */
  async fanOut(scenario: FanOut, fairlead: Server, baseline: Server): Promise<FanOutComparison> {
    const rounds = Math.ceil(this.#options.rounds / 2);
    const load = { ...POST, subscribers: scenario.subscribers };
    for (const server of [fairlead, baseline]) await this.#subscribe(server, load);
    for (const server of [fairlead, baseline]) await this.#measure(load, server);
    const counted: { fairlead: Delivery; baseline: Delivery }[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`${scenario.name}: round ${round + 1} of ${rounds}`);
      counted.push({
        fairlead: await this.#deliver(scenario, load, fairlead),
        baseline: await this.#deliver(scenario, load, baseline),
      });
    }
    for (const server of [fairlead, baseline]) await this.#unsubscribe(server, load);
    return compareFanOut(scenario, counted);
  }

  async #deliver({ perSecond }: FanOut, load: Scenario, server: Server): Promise<Delivery> {
    const { deliveriesPerSecond, processorMicroseconds } = await this.#measure(load, server);
    const points = Math.ceil(perSecond * this.#options.seconds);
    const where = { port: server.port, fixture: this.#fixture };
    const { p50, p99 } = await this.#listeners.ask({ do: "pace", ...where, perSecond, points });
    return { deliveriesPerSecond, processorMicroseconds, p50, p99 };
  }

  /** What a POST costs on servers that differ in their number of zones alone, in turn. */
  async zoneCosts(servers: Map<number, Server>): Promise<ZoneCost[]> {
    const { rounds } = this.#options;
    const alone = { ...POST, subscribers: 0 };
    const all = new Map<number, Measured[]>([...servers.keys()].map((zones) => [zones, []]));
    for (let round = -WARM_UP_ROUNDS; round < rounds; round++)
      for (const [zones, server] of servers) {
        progress(`POST with ${zones} zones: ${round < 0 ? "warming up" : `round ${round + 1} of ${rounds}`}`);
        const measured = await this.#measure(alone, server);
        if (round >= 0) all.get(zones)?.push(measured);
      }
    return [...all].map(([zones, measured]) => {
      const summary = summarize(measured);
      return { zones, microseconds: 1_000_000 / summary.requestsPerSecond, ...summary };
    });
  }

  /** The latency of a read with nobody signing in, and while many do, in turn. */
  async loginStorm(server: Server): Promise<LoginStorm> {
    const { rounds } = this.#options;
    const calm: Measured[] = [];
    const storm: Measured[] = [];
    const rates: number[] = [];
    for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
      progress(`logins: ${round < 0 ? "warming up" : `round ${round + 1} of ${rounds}`}`);
      const alone = await this.#measure(CURRENT, server, 1);
      await this.#logins.ask({ do: "start", port: server.port, clients: LOGIN_CLIENTS, ...USER });
      const amid = await this.#measure(CURRENT, server, 1);
      const { answered, seconds } = await this.#logins.ask({ do: "stop" });
      if (round < 0) continue;
      calm.push(alone);
      storm.push(amid);
      rates.push(answered / seconds);
    }
    return {
      clients: LOGIN_CLIENTS,
      loginsPerSecond: median(rates),
      calm: summarize(calm),
      storm: summarize(storm),
    };
  }

  async #measure(
    scenario: Scenario,
    server: Server,
    connections = this.#options.connections,
  ): Promise<Measured> {
    const { seconds } = this.#options;
    const before = processorSeconds(server.pid);
    const load = await this.#load.ask({
      scenario: scenario.name,
      fixture: this.#fixture,
      port: server.port,
      connections,
      seconds,
    });
    let deliveriesPerSecond = 0;
    if (scenario.subscribers > 0) {
      const messages = load.sent * scenario.subscribers;
      const { lastAt } = await this.#listeners.ask({ do: "expect", port: server.port, messages });
      deliveriesPerSecond = (messages * 1_000) / (lastAt - load.startedAt);
    }
    const after = processorSeconds(server.pid);
    return {
      ...load,
      deliveriesPerSecond,
      processorMicroseconds:
        before === null || after === null ? null : ((after - before) * 1_000_000) / load.sent,
    };
  }

  async #subscribe({ port }: Server, { subscribers }: Scenario): Promise<void> {
    if (subscribers === 0) return;
    const { key } = this.#fixture;
    await this.#listeners.ask({ do: "open", port, key, sockets: subscribers, channel: "gps" });
  }

  async #unsubscribe({ port }: Server, { subscribers }: Scenario): Promise<void> {
    if (subscribers > 0) await this.#listeners.ask({ do: "close", port });
  }
}

function machine(): string {
  return `Bun ${Bun.version}, ${availableParallelism()} x ${cpus()[0]?.model.trim() ?? "?"}`;
}

async function run(): Promise<void> {
  const options = readOptions();
  const directory = mkdtempSync(join(tmpdir(), "fairlead-bench-"));
  removeAtEnd(directory);
  const copy = (name: string) => copyDatabase(join(directory, name));
  const wanted = (name: string) => name.includes(options.only);
  const scenarios = SCENARIOS.filter(({ name }) => wanted(name));
  const fanOuts = FAN_OUTS.filter(({ name }) => wanted(name));
  const zoneCounts = wanted("zones") ? ZONE_COUNTS : [ZONES];
  if (scenarios.length + fanOuts.length === 0 && !wanted("zones") && !wanted("logins") && !wanted("start"))
    throw new Error(`no scenario's name holds ${options.only}`);

  progress(`preparing ${options.points} points and ${zoneCounts.at(-1)} zones`);
  const fixture = await prepare(join(directory, "prepared"), options.points, zoneCounts, (zones) => {
    if (wanted("zones")) copy(`zones-${zones}`);
    if (zones !== ZONES) return;
    copy("fairlead");
    copy("baseline");
    copy("logins");
    copy("starts");
  });

  const bench = new Bench(options, fixture);
  const comparisons: Comparison[] = [];
  const deliveries: FanOutComparison[] = [];
  if (scenarios.length + fanOuts.length > 0) {
    const fairlead = await startFairlead(join(directory, "fairlead"));
    const baseline = await startBaseline(join(directory, "baseline"));
    for (const scenario of scenarios) comparisons.push(await bench.compare(scenario, fairlead, baseline));
    for (const scenario of fanOuts) deliveries.push(await bench.fanOut(scenario, fairlead, baseline));
  }
  const servers = new Map<number, Server>();
  if (wanted("zones"))
    for (const zones of zoneCounts)
      servers.set(zones, await startFairlead(join(directory, `zones-${zones}`)));
  const zones = await bench.zoneCosts(servers);
  const logins = wanted("logins")
    ? await bench.loginStorm(
        await startFairlead(join(directory, "logins"), { FAIRLEAD_RATE_LIMIT_ENABLED: "false" }),
      )
    : null;
  let starts: Starts | null = null;
  if (wanted("start")) {
    progress("building the executable, and starting it");
    starts = await measureStarts(join(directory, "starts"), directory, Math.min(options.rounds, MAX_STARTS));
  }
  progress("");

  const { points, connections, rounds, seconds } = options;
  const report: Report = {
    machine: machine(),
    settings: { points, zones: ZONES, connections, rounds, seconds },
    comparisons,
    fanOuts: deliveries,
    zones,
    logins,
    starts,
  };
  process.stdout.write(describe(report));
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}

function end(status: number): never {
  cleanUp();
  process.exit(status);
}

process.on("SIGINT", () => end(130));
process.on("SIGHUP", () => end(129));
process.on("SIGTERM", () => end(143));
run().then(
  () => end(0),
  (error) => {
    progress("");
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    end(1);
  },
);
