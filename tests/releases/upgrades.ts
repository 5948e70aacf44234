import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Trial } from "./trial";

/** Upgrades of a large database that are killed at random moments. Not in CI: ten million positions take hours. */

const HELP = `Usage: bun run upgrades --from CHECKOUT [options]

Makes a database by the program of an older version, upgrades copies of it, kills the upgrade at random moments, goes on until it
is done, and looks whether anything is lost: the positions, in their order and in each column that the older version had, the rows
of each table, and what the migrations counted. Then it rolls each back, and looks whether the former database is there again.

  --from CHECKOUT  source of the older version, with its packages installed
  --points N       positions of the database (default: 10000000)
  --runs N         upgrades that are killed (default: 50)
  --kills N        kills of each, at most (default: 3)
  --seed N         repeats the moments of a run (default: others each time, which is printed)
  -h, --help       this text

A copy takes no room where the file system shares blocks. For ten million positions it needs 3.5 GB for the database, and as much
again for each of three copies elsewhere; TMPDIR names the place.
`;

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    points: { type: "string", default: "10000000" },
    runs: { type: "string", default: "50" },
    kills: { type: "string", default: "3" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const [points = 0, runs = 0, kills = 0] = [values.points, values.runs, values.kills].map(Number);
const seed = Number(values.seed ?? Math.floor(Math.random() * 0x7fffffff));
if (
  values.from === undefined ||
  ![points, runs, kills, seed].every((number) => Number.isSafeInteger(number) && number >= 0)
) {
  process.stderr.write("upgrades: --from is needed, and the others take whole numbers; see --help\n");
  process.exit(2);
}

const directory = mkdtempSync(join(tmpdir(), "fairlead-upgrades-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  say(`seed ${seed}`);
  const trial = await Trial.prepare(resolve(values.from), points, directory, say);
  for (let run = 1; run <= runs; run++) say(`${run} of ${runs}: ${await trial.run(seed + run, kills)}`);
  say(trial.report());
} catch (error) {
  process.stderr.write(`upgrades: ${(error as Error).message}\n`);
  process.exit(1);
}
