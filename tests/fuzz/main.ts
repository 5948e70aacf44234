/**
 * `bun run fuzz --runs 1000 --seed 7`: the tests of this folder with many more requests. Each operation of the
 * OpenAPI document gets `runs` of them, GraphQL and the socket ten times as many.
 */
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "200" }, seed: { type: "string" } },
});
const runs = Number(values.runs);
const seed = Number(values.seed ?? Math.floor(Math.random() * 0x7fffffff));
if (!(Number.isSafeInteger(runs) && runs > 0 && Number.isSafeInteger(seed))) {
  process.stderr.write("fuzz: --runs and --seed take whole numbers\n");
  process.exit(2);
}
process.stdout.write(`seed ${seed}\n`);
const tests = Bun.spawn([process.execPath, "test", "--timeout=3600000", "--only-failures", "tests/fuzz"], {
  cwd: `${import.meta.dir}/../..`,
  env: { ...process.env, FUZZ_RUNS: String(runs), FUZZ_SEED: String(seed) },
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(await tests.exited);
