/**
 * `npm test`: types, lint and format, then all tests (or those named: `npm test -- tests/tracking`); after
 * all tests, a check that each operation of the API was seen to succeed. Quiet while all is well; the last
 * line reads "N passed, M failed". With `--unseen` it lists the answers that the document declares and no
 * test has seen.
 *
 * The servers of all tests are one compiled program, the one that is shipped but for a clock that can be
 * moved: it starts in a third of the time that the source takes. Named tests run from source. `npm run
 * test:binary` takes the executable itself wherever no clock is moved.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const root = `${import.meta.dir}/..`;
const files = process.argv.slice(2).filter((argument) => argument !== "--unseen");
const listsUnseen = process.argv.includes("--unseen");

/** The files that take longest. They are begun first, so that none of them is still running when the others are done. */
const LONGEST = [
  ...["personal-data/export/one-at-a-time", "personal-data/export/archive", "personal-data/export/report"],
  ...["personal-data/export/large", "server/backup/before-migration", "docs/browser", "docs/lint"],
  ...[
    "tracking/crossings/order",
    "tracking/ingest/order",
    "tracking/gps/transaction-cache",
    "tracking/replay",
  ],
  ...["tracking/log/files", "tracking/lists-migration", "tracking/ingest/buffer", "identity/access/matrix"],
  ...[
    "identity/audit/event-types",
    "fuzz/rest",
    "alerts/gauges/gauges",
    "alerts/alerts/tales",
    "clients/cuts",
  ],
  ...["bridge/page/rights", "bridge/page/map", "bridge/page/alerts", "bridge/page/day", "bridge/page/anchor"],
  ...["bridge/page/people", "bridge/page/passkeys", "bridge/page/elsewhere", "bridge/page/entrance"],
  ...["releases/life/life", "bridge/page/trouble", "bridge/page/water"],
  ...["bridge/page/targets", "bridge/page/zones", "mqtt/broker/connection", "personal-data/deletion/crash"],
  ...["realtime/account-messages", "sync/two-servers", "mqtt/brokers", "mqtt/outage", "sync/aboard/worker"],
  ...["abuse/graphql", "binary", "nothing-left", "server/keys/rotate", "commands"],
  ...["alerts/alerts/conditions", "operations/community/slow", "tracking/geofences/events", "kernel/crash"],
].map((name) => `tests/${name}.test.ts`);

/** Files that begin last, when few others are at work: they bound the time for which megabytes of bodies hold a server. */
const LAST = ["unfinished-bodies", "whole-bodies"].map((name) => `tests/abuse/${name}.test.ts`);

/** Bytes that data directories and browsers' profiles of a run take at most, with room to spare. */
const ROOM = 6 * 1024 ** 3;

/**
 * The directory for what tests write: in memory where there is plenty, since hundreds of servers wait for the disk at each
 * commit. The program is tested by what it flushes, not by how long a disk takes.
 */
function scratchDirectory(): string {
  const memory = "/dev/shm";
  const mount = existsSync("/proc/mounts")
    ? readFileSync("/proc/mounts", "utf8")
        .split("\n")
        .map((line) => line.split(" "))
        .find(([, at]) => at === memory)
    : undefined;
  // The program unpacks native code there.
  if (process.env.TMPDIR || mount?.[2] !== "tmpfs" || mount[3]?.split(",").includes("noexec"))
    return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > ROOM && freemem() > ROOM ? memory : tmpdir();
}

/**
 * Settings of the engine for the programs of a run, which live for seconds. The compiler for code that runs long begins ten
 * times later, and the one after it never, since they took a sixth of all processor time; a server that is tested for how long it
 * keeps others waiting is spared that: `compilers: "as shipped"`. Freed memory is kept, which saved a fifth of the time where a
 * page fault costs 15 µs; a server whose memory is tested gives it back as the shipped program does: `memory: "as shipped"`.
 */
const ENGINE = {
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeSoon: "10000",
  BUN_JSC_useFTLJIT: "0",
  MIMALLOC_PURGE_DELAY: "-1",
};

/** All files with a time in milliseconds for each, in the form of `bun test --timings`: only their order matters. */
function timings(): string {
  const all = [...new Bun.Glob("tests/**/*.test.ts").scanSync(root)];
  return JSON.stringify({
    version: 1,
    files: Object.fromEntries(
      all.map((file) => [file, LONGEST.includes(file) ? 60_000 : LAST.includes(file) ? 1 : 1_000]),
    ),
  });
}

let passed = 0;
let failed = 0;

async function run(name: string, command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: root, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) === 0) {
    passed++;
    return;
  }
  failed++;
  process.stdout.write(`${name} failed:\n${stdout}${stderr}\n`);
}

interface Declared {
  operationId: string;
  responses: Record<string, object>;
}

/**
 * Declarations of the document that the tests didn't see: answers (`getTrip 404`), and operations that never
 * succeeded.
 */
function findUnseen(seen: string[]): { answers: string[]; operations: string[] } {
  const { stdout } = Bun.spawnSync([process.execPath, "src/main.ts", "openapi"], { cwd: root });
  // A program that doesn't start has failed its tests already.
  const { paths } = JSON.parse(stdout.toString() || '{"paths":{}}') as {
    paths: Record<string, Record<string, Declared>>;
  };
  const met = new Set(seen);
  const answers: string[] = [];
  const operations: string[] = [];
  for (const { operationId, responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    const isMet = (status: string) => met.has(`${operationId} ${status}`);
    const statuses = Object.keys(responses);
    answers.push(...statuses.filter((status) => !isMet(status)).map((status) => `${operationId} ${status}`));
    // An operation that is kept for old clients answers nothing but 501.
    if (!statuses.some((status) => (Number(status) < 400 || status === "501") && isMet(status)))
      operations.push(operationId);
  }
  return { answers, operations };
}

// One data directory with an admin for all files: see support/server.ts.
const scratch = scratchDirectory();
const workspace = mkdtempSync(join(scratch, "fairlead-run-"));
const seenFile = join(workspace, "seen");
const program = join(workspace, "fairlead");
const isCompiled = files.length === 0 || process.env.TEST_BINARY !== undefined;
const build = [".ci/build.ts", "--entry", "tests/support/child.ts", "--outfile", program];
// At once: each of them leaves a processor idle part of the time.
await Promise.all([
  run("tsc", ["tsc", "--noEmit"]),
  run("biome", ["biome", "check", "--error-on-warnings", "."]),
  ...(isCompiled ? [run("build", [process.execPath, ...build])] : []),
]);
const timingsFile = join(workspace, "timings.json");
writeFileSync(timingsFile, timings());
const options = ["--parallel=5", "--dots", `--timings=${timingsFile}`];
const tests = Bun.spawn([process.execPath, "test", ...options, ...files], {
  cwd: root,
  env: {
    ...ENGINE,
    ...process.env,
    TMPDIR: scratch,
    TEST_TEMPLATE: join(workspace, "template"),
    TEST_SEEN: seenFile,
    ...(isCompiled && { TEST_PROGRAM: program }),
  },
  stdout: "pipe",
  stderr: "pipe",
});
const output: string[] = [];
async function copy(stream: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    output.push(text);
    process.stdout.write(text);
  }
}
await Promise.all([copy(tests.stdout), copy(tests.stderr)]);
const status = await tests.exited;
const unseen = findUnseen(existsSync(seenFile) ? readFileSync(seenFile, "utf8").split("\n") : []);
rmSync(workspace, { recursive: true, force: true });
const count = (word: string) =>
  Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(output.join(""))?.[1] ?? 0);
passed += count("pass");
failed += count("fail");
if (status !== 0 && count("fail") === 0) failed++;
if (listsUnseen) process.stdout.write(`Declared and never seen:\n${unseen.answers.join("\n")}\n`);
if (files.length === 0) {
  if (unseen.operations.length === 0) passed++;
  else failed++;
  for (const operation of unseen.operations) process.stdout.write(`no test saw ${operation} succeed\n`);
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
