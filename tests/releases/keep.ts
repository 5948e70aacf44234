import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../../package.json" with { type: "json" };

const HELP = `Usage: bun tests/releases/keep.ts [--into FOLDER]

Keeps what the tests need of the version that is about to be released: its OpenAPI document, a database that its program has
filled by requests, and its answers out of that. They go into the folder of that version beside this script.

  --into FOLDER  another folder, to try it before the release
  -h, --help     this text
`;

const { values } = parseArgs({
  options: { into: { type: "string" }, help: { type: "boolean", short: "h", default: false } },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const folder = values.into === undefined ? join(import.meta.dir, manifest.version) : resolve(values.into);
if (existsSync(folder)) {
  process.stderr.write(`keep: ${folder} is there already, and what is kept stays as it is\n`);
  process.exit(1);
}
const life = Bun.spawn([process.execPath, "test", "./tests/releases/life/life.test.ts"], {
  cwd: join(import.meta.dir, "../.."),
  // Passwords are hashed at the full cost, as the program does.
  env: { ...process.env, KEEP_INTO: folder, TEST_HASHES: "full" },
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(await life.exited);
