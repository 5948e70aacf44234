import { parseArgs } from "node:util";

const HELP = `Usage: bun run fuzz [options]

The tests of tests/fuzz with many more requests, valid and invalid ones.

  --runs N     for each operation of the OpenAPI document; ten times as many for GraphQL and the socket (default 200)
  --seed N     repeats a run (default: another one each time, which is printed)
  -h, --help   this text
`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const runs = Number(values.runs);
const seed = Number(values.seed ?? Math.floor(Math.random() * 0x7fffffff));
if (!(Number.isSafeInteger(runs) && runs > 0 && Number.isSafeInteger(seed))) {
  process.stderr.write("fuzz: --runs and --seed take whole numbers\n");
  process.exit(2);
}
process.stdout.write(`seed ${seed}\n`);
const tests = Bun.spawn([process.execPath, "test", "--only-failures", "tests/fuzz"], {
  cwd: `${import.meta.dir}/../..`,
  env: { ...process.env, FUZZ_RUNS: String(runs), FUZZ_SEED: String(seed), TEST_TIMEOUT: "3600000" },
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(await tests.exited);
