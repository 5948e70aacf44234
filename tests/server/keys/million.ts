import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { insertEvent } from "../../../src/identity/audit/service";
import { openDatabase } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { randomFrom } from "../../support/random";
import { addSecrets, keyFile, keysIn, opened, readKey, secretsIn } from "./support";

/** An audit log of a million events, and many secrets: verification, flipped bits, and a change of the key. Not in CI: it takes minutes. */

const HELP = `Usage: bun run million [options]

Makes a database with many audit events and secrets, verifies the log, flips bits of random events, each of which must be found and
named, and changes the master key with kills at random moments: each secret must open with a key that is there.

  --events N   audit events (default: 1000000)
  --secrets N  secrets of each column that holds some (default: 20000)
  --flips N    flipped bits (default: 20)
  --kills N    kills (default: 50)
  --seed N     repeats the random choices of a run (default: others each time, which is printed)
  -h, --help   this text
`;

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    secrets: { type: "string", default: "20000" },
    flips: { type: "string", default: "20" },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 0x7fffffff)) },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const numbers = [values.events, values.secrets, values.flips, values.kills, values.seed].map(Number);
if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) {
  process.stderr.write("million: the options take whole numbers; see --help\n");
  process.exit(2);
}
const [events = 0, secrets = 0, flips = 0, kills = 0, seed = 0] = numbers;

const directory = mkdtempSync(join(tmpdir(), "fairlead-million-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const MAIN = join(import.meta.dir, "../../../src/main.ts");
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FAIRLEAD_"));
const env = { ...Object.fromEntries(inherited), FAIRLEAD_DATA_DIR: directory, FAIRLEAD_SERVER_PORT: "0" };
const random = randomFrom(seed);
const below = (bound: number): number => Math.floor(random() * bound);
const say = (line: string) => process.stdout.write(`${line}\n`);
const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
const fail = (why: string): never => {
  throw new Error(why);
};

/** Starts a command of the program. */
const start = (...args: string[]) =>
  Bun.spawn([process.execPath, MAIN, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });

/** Runs a command of the program to its end. */
async function command(...args: string[]) {
  const child = start(...args);
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { status: await child.exited, told: `${stdout}${stderr}` };
}

/** Events of one transaction. */
const TOGETHER = 1_000;

/** Makes the key by a start of the server, and events by its own function. */
async function prepare(): Promise<void> {
  const server = start("serve");
  for await (const chunk of server.stdout) if (new TextDecoder().decode(chunk).includes("listens")) break;
  server.kill();
  if ((await server.exited) !== 0)
    fail(`the server did not start: ${await new Response(server.stderr).text()}`);
  openDatabase(join(directory, "fairlead.db"), "normal");
  migrate();
  for (let at = 0; at < events; at += TOGETHER)
    await transact(() => {
      for (let n = at; n < Math.min(events, at + TOGETHER); n++)
        insertEvent({
          event_type: "login",
          user_id: Bun.randomUUIDv7(),
          resource_type: "session",
          resource_id: Bun.randomUUIDv7(),
          ip_address: "203.0.113.7",
          user_agent: `Mozilla/5.0 (X11; Linux x86_64) Firefox/${n}`,
          metadata: { platform: "email", remember: n % 2 === 0 },
          status: "success",
          source_service: "api",
        });
    });
  closeDatabase();
}

function onDatabase<T>(work: (database: Database) => T): T {
  const database = new Database(join(directory, "fairlead.db"), { create: false, readwrite: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

// --- The log ----------------------------------------------------------------------------------------------

const verify = () => command("audit", "verify");

/** Texts and hashes of an event, which an event without them has not. */
const COLUMNS = ["event_type", "user_id", "resource_id", "user_agent", "metadata", "hash"] as const;

/** Flips a bit of a value: of a text, one that leaves it a text. */
function flipped(value: string | Uint8Array): string | Uint8Array {
  const bytes = Buffer.from(value as string);
  const at = below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << below(typeof value === "string" ? 7 : 8));
  return typeof value === "string" ? bytes.toString() : new Uint8Array(bytes);
}

/** Flips a bit of a random event: the verification must name that event, or, of its identifier or hash, its place. */
async function findFlip(): Promise<void> {
  const number = 1 + below(events);
  const column = COLUMNS[below(COLUMNS.length)] as (typeof COLUMNS)[number];
  const value = onDatabase(
    (database) =>
      database
        .query<{ value: string | Uint8Array }, [number]>(
          `SELECT ${column} AS value FROM audit_events WHERE number = ?`,
        )
        .get(number)?.value,
  );
  if (value === undefined) return fail(`there is no event ${number}`);
  const set = (to: string | Uint8Array) =>
    onDatabase((database) =>
      database.run(`UPDATE audit_events SET ${column} = ? WHERE number = ?`, [to, number]),
    );
  set(flipped(value));
  const { status, told } = await verify();
  set(value);
  if (status === 0 || !new RegExp(`\\b${number}\\b`).test(told.replaceAll(/[,.](?=\d)/g, "")))
    fail(`a flipped bit in ${column} of event ${number} was not found: ${told}`);
}

// --- The key ----------------------------------------------------------------------------------------------

/** The secrets, without the program's own record of the key, of which there are two while it changes. */
const secretsOf = () => secretsIn(directory).filter(({ column }) => column.table !== "master_key");

/** Throws unless each secret opens with one of the keys that are there. */
function requireOpen(keys: Buffer[], expected: number): void {
  const found = secretsOf();
  const closed = found.filter(
    ({ sealed, boundTo }) => !keys.some((key) => opened(key, sealed, boundTo) !== null),
  );
  if (found.length !== expected || closed.length > 0)
    fail(`of ${expected} secrets there are ${found.length}, and ${closed.length} don't open`);
}

/** Changes the key, killed up to `kills` times at random moments within the time that it takes. Returns the number of kills. */
async function rotate(most: number, milliseconds: number, expected: number): Promise<number> {
  for (let killed = 0; ; killed++) {
    const child = start("key", "rotate-master");
    if (killed < most) {
      const timer = setTimeout(() => child.kill("SIGKILL"), below(milliseconds));
      await child.exited;
      clearTimeout(timer);
    }
    const [status, told] = [await child.exited, await new Response(child.stderr).text()];
    if (status === 0) return killed;
    if (child.signalCode !== "SIGKILL") fail(`the change of the key ended with ${status}: ${told}`);
    requireOpen(keysIn(directory), expected);
  }
}

async function run(): Promise<void> {
  say(`seed ${seed}`);
  let began = performance.now();
  await prepare();
  addSecrets(directory, readKey(keyFile(directory)), secrets);
  const expected = secretsOf().length;
  say(`${events} events and ${expected} secrets made in ${seconds(began)}`);

  began = performance.now();
  const verdict = await verify();
  if (verdict.status !== 0) fail(`the log is not intact: ${verdict.told}`);
  say(`verified in ${seconds(began)}`);
  for (let n = 0; n < flips; n++) await findFlip();
  say(`${flips} flipped bits, all found`);

  const former = readKey(keyFile(directory));
  began = performance.now();
  await rotate(0, 0, expected);
  const took = performance.now() - began;
  requireOpen([readKey(keyFile(directory))], expected);
  if (former.equals(readKey(keyFile(directory)))) fail("the key is the former one");
  say(`the key changed in ${seconds(began)}`);

  let [done, rotations] = [0, 0];
  while (done < kills) {
    done += await rotate(Math.min(5, kills - done), took, expected);
    rotations++;
    const keys = keysIn(directory);
    if (keys.length !== 1) fail("the former key is still there");
    requireOpen(keys, expected);
  }
  say(`${rotations} changes of the key with ${done} kills: each secret opens`);
  if ((await verify()).status !== 0) fail("the log is not intact afterwards");
  say("the log is intact");
}

try {
  await run();
} catch (error) {
  process.stderr.write(`million: ${(error as Error).message}\n`);
  process.exit(1);
}
