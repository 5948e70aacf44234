import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { Clients, type Settings } from "./clients";
import { type Ratio, rate, type Summary, spread, summarize } from "./figures";
import type { Place } from "./prepare";
import { startCheckout, startFairlead } from "./processes";
import { fixed, latencies, mark, orDash, perSecond, table, whole } from "./report";
import { inTurn } from "./rounds";
import { POST, ZONES } from "./scenarios";

/** Posted positions of this version beside those of another one, on copies of one database. */
export interface Against {
  name: string;
  points: number;
  fairlead: Summary;
  other: Summary;
  /** Fairlead's requests/s over those of the other version, round by round. */
  ratio: Ratio;
}

/** Makes the database by the code of the other version: a newer one brings it up as it starts, an older one can't read ours. */
function prepare(checkout: string, directory: string, points: number): Place {
  const script = `
    const { Preparation } = await import(${JSON.stringify(join(checkout, "tests/bench/prepare.ts"))});
    const preparation = await Preparation.start(${JSON.stringify(directory)}, ${points});
    await preparation.growPoints(${points});
    await preparation.growZones(${ZONES});
    console.log(JSON.stringify(preparation.finish()));
    process.exit(0);`;
  const made = Bun.spawnSync([process.execPath, "-e", script], {
    cwd: checkout,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (made.exitCode !== 0)
    throw new Error(`${checkout} can't prepare a database; are its packages installed? ${made.stderr}`);
  return JSON.parse(made.stdout.toString());
}

/** Rounds that don't count are so many times more: the runtime compiles for half a minute, and the more code, the longer. */
const LONGER = 3;

/** Runs POST /v1/gps on the server of another checkout, of an older version, and on this one, in turn. */
export async function measureAgainst(
  checkout: string,
  { points, ...settings }: Settings & { points: number },
  directory: string,
): Promise<Against> {
  const place = prepare(resolve(checkout), join(directory, "other"), points);
  const ours = { ...place, directory: join(directory, "fairlead") };
  cpSync(place.directory, ours.directory, { recursive: true });
  const servers = [await startFairlead(ours), await startCheckout(resolve(checkout), place)];
  const clients = new Clients(settings);
  const { manner, warmUpRounds, ...plan } = clients.plan(POST);
  for (const server of servers) await clients.subscribe(server, manner.subscribers);
  const [fairlead = [], other = []] = await inTurn(
    POST.name,
    servers,
    { ...plan, warmUpRounds: LONGER * warmUpRounds },
    (server) => clients.measure(POST, server, manner),
  );
  const ratios = fairlead.map((measured, at) => rate(measured) / rate(other[at] ?? measured));
  return {
    ...{ name: POST.name, points, ratio: spread(ratios) },
    fairlead: summarize(fairlead),
    other: summarize(other),
  };
}

/** The part of the other version's requests/s that is wanted. */
const KEPT = 0.9;

/** The report on this version beside another one. */
export function describeAgainst({
  machine,
  name,
  points,
  ratio,
  ...found
}: Against & { machine: string }): string {
  const row = (who: string, summary: Summary) => [
    who,
    perSecond(summary.requestsPerSecond),
    latencies(summary),
    orDash(summary.processorMicroseconds),
  ];
  const lines = [
    `${name} beside another version (${machine})`,
    `${whole(points)} stored positions, ${whole(ZONES)} zones`,
    "",
    table([
      ["", "", "p50/p99 ms", "CPU µs"],
      row("this version", found.fairlead),
      row("the other one", found.other),
    ]),
    "",
    `ratio ${fixed(ratio.median)} (${fixed(ratio.min)} to ${fixed(ratio.max)}), at least ${KEPT} wanted: ${mark(ratio.median >= KEPT)}`,
  ];
  return `\n${lines.join("\n")}\n`;
}
