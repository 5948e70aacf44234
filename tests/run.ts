/**
 * `npm test`: types, lint and format, then all tests (or those named: `npm test -- tests/tracking`). Quiet while
 * all is well; the last line reads "N passed, M failed".
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = `${import.meta.dir}/..`;

let passed = 0;
let failed = 0;

function run(name: string, command: string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: root, stdout: "pipe", stderr: "pipe" });
  if (exitCode === 0) {
    passed++;
    return;
  }
  failed++;
  process.stdout.write(`${name} failed:\n${stdout}${stderr}\n`);
}

run("tsc", ["tsc", "--noEmit"]);
run("biome", ["biome", "check", "--error-on-warnings", "."]);

// One data directory with an admin for all files: see support/server.ts.
const workspace = mkdtempSync(join(tmpdir(), "fairlead-run-"));
const tests = Bun.spawn(
  [process.execPath, "test", "--parallel=2", "--dots", "--timeout=30000", ...process.argv.slice(2)],
  {
    cwd: root,
    env: { ...process.env, TEST_TEMPLATE: join(workspace, "template") },
    stdout: "pipe",
    stderr: "pipe",
  },
);
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
rmSync(workspace, { recursive: true, force: true });
const count = (word: string) =>
  Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(output.join(""))?.[1] ?? 0);
passed += count("pass");
failed += count("fail");
if (status !== 0 && count("fail") === 0) failed++;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
