import { Database } from "bun:sqlite";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DiscordStandIn } from "../stand-ins/discord";
import { PegelonlineStandIn, station } from "../stand-ins/pegelonline";
import { ADMIN, askAs, type Caller, type Installation, live, MOMENTARY } from "./life";
import { type Kept, type KeptAnswer, pack, sorted } from "./releases";

/** Keeps what the tests need of a release: its OpenAPI document, a database, and its answers out of that. */

const HELP = `Usage: bun tests/releases/keep.ts CHECKOUT

Keeps the release whose source is in CHECKOUT, with its packages installed, in a folder of its version beside this script:
its OpenAPI document, a database that its program filled by requests, and what it answered out of that.

  -h, --help   this text
`;

const KEY = "Rmh7yB0XnYf1x2zv1l8yF0c0m6d3p5q7s9u1w3y5A7Q=";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h", default: false } },
});
if (values.help || positionals.length !== 1) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const checkout = resolve(positionals[0] ?? "");
const main = join(checkout, "src/main.ts");
const discord = new DiscordStandIn();
const pegelonline = await PegelonlineStandIn.start();
pegelonline.stations = [station({}, { current: { timestamp: new Date().toISOString(), trend: 0 } })];
const scratch = mkdtempSync(join(tmpdir(), "fairlead-keep-"));
const dataDir = join(scratch, "data");

const environment = {
  PATH: process.env.PATH ?? "",
  TMPDIR: tmpdir(),
  FAIRLEAD_SECURITY_ENCRYPTION_KEY: KEY,
  FAIRLEAD_RATE_LIMIT_ENABLED: "false",
  FAIRLEAD_LOG_LEVEL: "error",
  FAIRLEAD_SERVER_PORT: "0",
  FAIRLEAD_INTEGRATIONS_ALLOWED_REDIRECTS: "https://app.example",
  ...Object.fromEntries(
    Object.entries({ ...discord.settings, ...pegelonline.settings() }).map(([key, value]) => [
      `FAIRLEAD_${key.replaceAll(".", "_").toUpperCase()}`,
      value,
    ]),
  ),
};

function run(args: string[], input = ""): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, main, ...args], {
    ...{ cwd: scratch, env: environment, stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" },
  });
  if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return stdout.toString();
}

/** Runs some work on a server of the release, which has ended afterwards. */
async function serving<T>(
  directory: string,
  more: Record<string, string>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const child = Bun.spawn([process.execPath, main, "serve", "--data-dir", directory], {
    ...{ cwd: scratch, env: { ...environment, ...more }, stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  });
  try {
    let output = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += part;
      const [, port] = /listens on http:\/\/localhost:(\d+)/.exec(output) ?? [];
      if (port !== undefined) return await work(`http://localhost:${port}`);
    }
    throw new Error(`the server ended: ${output}`);
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

/** Reads as a client would; a refusal is an answer too. */
async function read(url: string, callers: Caller[], paths: [Caller["name"], string][]) {
  const answers: KeptAnswer[] = [];
  for (const [caller, path] of paths) {
    const token = callers.find(({ name }) => name === caller)?.token ?? null;
    answers.push({ caller, path, body: await askAs(url, token)("GET", path) });
  }
  return answers;
}

/** Fails if a table is empty that a test of the upgrade would then say nothing about. */
function requireRows(file: string): void {
  const database = new Database(file, { readonly: true });
  const tables = database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !/^sqlite_|_(data|idx|docsize|config|node|parent|rowid)$/.test(name));
  const empty = tables.filter((name) => database.query(`SELECT 1 FROM "${name}" LIMIT 1`).get() === null);
  database.close();
  const unexpected = empty.filter((name) => !Object.hasOwn(MOMENTARY, name));
  if (unexpected.length > 0) throw new Error(`these tables are empty: ${unexpected.join(", ")}`);
}

try {
  const { version } = await Bun.file(join(checkout, "package.json")).json();
  const place = join(import.meta.dir, version);
  const { email, username, password } = ADMIN;
  const who = ["--username", username, "--email", email, "--role", "Super Admin", "--password-stdin"];
  run(["user", "create", "--data-dir", dataDir, ...who], password);
  const { key: systemKey } = JSON.parse(
    run(["key", "create", "--data-dir", dataDir, "--name", "system", "--system", "--json"]),
  );
  const { callers, paths } = await serving(dataDir, {}, (url) =>
    live({ url, dataDir, systemKey } satisfies Installation, discord),
  );
  // Nobody listens at this port: the email waits.
  const unsent = { FAIRLEAD_EMAIL_TRANSPORT: "smtp", FAIRLEAD_EMAIL_SMTP_URL: "smtp://127.0.0.1:9" };
  await serving(dataDir, unsent, (url) =>
    askAs(url, null)("POST", "/v1/auth/reset-password", { email: "anna@example.org" }),
  );
  const madeAt = Date.now();
  const database = join(dataDir, "fairlead.db");
  requireRows(database);
  cpSync(dataDir, join(scratch, "read"), { recursive: true });
  const answers = await serving(join(scratch, "read"), {}, (url) => read(url, callers, paths));
  const commit = Bun.spawnSync(["git", "-C", checkout, "rev-parse", "HEAD"]).stdout.toString().trim();
  const kept: Kept = { version, commit, madeAt, encryptionKey: KEY, callers, answers };
  mkdirSync(place, { recursive: true });
  await pack(join(place, "fairlead.db.gz"), await Bun.file(database).bytes());
  await pack(join(place, "answers.json.gz"), JSON.stringify(kept));
  await pack(join(place, "openapi.json.gz"), JSON.stringify(sorted(JSON.parse(run(["openapi"])))));
  process.stdout.write(`kept ${version} (${commit}) with ${answers.length} answers in ${place}\n`);
} finally {
  await Promise.all([discord.stop(), pegelonline.stop()]);
  rmSync(scratch, { recursive: true, force: true });
}
