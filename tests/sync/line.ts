import { parseArgs } from "node:util";

const HELP = `Usage: bun run line [options]

A boat and its shore, two real servers, with a bad line between them: how long things take over it, and that nothing is lost.

  --quick      a day in place of a week, 100 cuts and 10 kills
  --seed N     repeats the mishaps of a run (default: others each time, which is printed)
  -h, --help   this text

It takes 20 to 30 minutes, and 200 MB of disk.
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    seed: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 0x7fffffff));
if (!Number.isSafeInteger(seed)) {
  process.stderr.write("line: --seed takes a whole number\n");
  process.exit(2);
}
process.stdout.write(`seed ${seed}\n`);
const tests = Bun.spawn([process.execPath, "test", "./tests/sync/line-figures.ts"], {
  stdio: ["ignore", "inherit", "inherit"],
  env: {
    ...process.env,
    LINE_SEED: String(seed),
    TEST_TIMEOUT: "7200000",
    ...(values.quick && { LINE_QUICK: "1" }),
  },
});
process.exit(await tests.exited);
