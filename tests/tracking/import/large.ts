import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainThreadTimeOf, memoryOf } from "../../support/pressure";
import { track } from "./support";

/**
 * Imports a large GPX file into a fresh server, and tells by how much its memory grew and the longest time that another
 * request waited: `bun tests/tracking/import/large.ts 200`. The file comes from a process of its own.
 */

const MEBIBYTE = 1_048_576;
const PROGRAM = [process.execPath, join(import.meta.dir, "../../../src/main.ts")];

/** Sends a file, and prints the answer. */
async function send(url: string, token: string, file: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/gpx+xml",
    "content-length": statSync(file).size,
  };
  await new Promise<void>((resolve, reject) => {
    const sending = request(url, { method: "POST", headers }, async (answer) => {
      process.stdout.write(`${answer.statusCode} ${(await answer.toArray()).join("")}\n`);
      resolve();
    });
    sending.on("error", reject);
    createReadStream(file).pipe(sending);
  });
}

async function makeFile(file: string, megabytes: number): Promise<number> {
  const writer = Bun.file(file).writer();
  let points = 0;
  let bytes = 0;
  for (const part of track()) {
    writer.write(part);
    bytes += part.length;
    if (++points % 5_000 === 0) await writer.flush();
    if (bytes > megabytes * MEBIBYTE) break;
  }
  writer.write("</trkseg></trk></gpx>\n");
  await writer.end();
  return points;
}

/** Starts a server on a data directory. Returns its address. */
async function startServer(dataDir: string, megabytes: number) {
  const child = Bun.spawn([...PROGRAM, "serve", "--data-dir", dataDir, "--port", "0"], {
    env: { ...process.env, FAIRLEAD_INGEST_MAX_IMPORT_MB: String(megabytes), FAIRLEAD_LOG_LEVEL: "warn" },
    stdout: "pipe",
  });
  const decoder = new TextDecoder();
  let output = "";
  for await (const piece of child.stdout) {
    output += decoder.decode(piece, { stream: true });
    const port = /listens on http:\/\/localhost:(\d+)/.exec(output)?.[1];
    if (port) return { child, url: `http://127.0.0.1:${port}` };
  }
  throw new Error(`the server ended: ${output}`);
}

async function makeKey(dataDir: string): Promise<string> {
  const options = ["--data-dir", dataDir, "--name", "large", "--system", "--json"];
  const made = Bun.spawn([...PROGRAM, "key", "create", ...options], { stdout: "pipe" });
  return (await new Response(made.stdout).json()).key;
}

/**
 * Asks for a device again and again until `isDone`. Returns the milliseconds of each answer, the most processor time that
 * the server's main thread took before one, which other load on the machine lengthens little, and the most memory.
 */
async function askMeanwhile(pid: number, ask: () => Promise<unknown>, isDone: () => boolean) {
  const waits: number[] = [];
  let most = 0;
  let held = 0;
  while (!isDone()) {
    const used = mainThreadTimeOf(pid);
    const asked = performance.now();
    await ask();
    waits.push(performance.now() - asked);
    held = Math.max(held, mainThreadTimeOf(pid) - used);
    most = Math.max(most, memoryOf(pid));
    await Bun.sleep(5);
  }
  return { waits: waits.sort((a, b) => a - b), most, held };
}

async function measure(megabytes: number, directory: string): Promise<void> {
  const file = join(directory, "large.gpx");
  const points = await makeFile(file, megabytes);
  const dataDir = join(directory, "data");
  const token = await makeKey(dataDir);
  const { child, url } = await startServer(dataDir, megabytes + 1);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "large" });
  const { data } = await (await fetch(`${url}/v1/devices`, { method: "POST", headers, body })).json();
  const ask = async () => (await fetch(`${url}/v1/devices/${data.id}`, { headers })).json();
  const before = (await askMeanwhile(child.pid, ask, after(2_000))).most;
  const began = performance.now();
  const address = `${url}/v1/devices/${data.id}/import`;
  const sender = Bun.spawn([process.execPath, import.meta.path, "send", address, token, file], {
    stdout: "pipe",
  });
  const { waits, most, held } = await askMeanwhile(child.pid, ask, () => sender.exitCode !== null);
  const seconds = (performance.now() - began) / 1_000;
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)]?.toFixed(1);
  const mebibytes = (bytes: number) => (bytes / MEBIBYTE).toFixed(0);
  process.stdout.write(await new Response(sender.stdout).text());
  process.stdout.write(
    `${megabytes} MiB, ${points} points in ${seconds.toFixed(1)} s (${Math.round(points / seconds)} a second)\n` +
      `memory: ${mebibytes(before)} MiB before, at most ${mebibytes(most - before)} MiB more\n` +
      `other requests: ${waits.length}, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms, of the server at most ${held} ms\n`,
  );
  child.kill();
  await child.exited;
}

function after(milliseconds: number): () => boolean {
  const until = performance.now() + milliseconds;
  return () => performance.now() > until;
}

const [first = "200", ...rest] = process.argv.slice(2);
if (first === "send") await send(...(rest as [string, string, string]));
else {
  const directory = mkdtempSync(join(tmpdir(), "fairlead-large-"));
  try {
    await measure(Number(first), directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
