import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { median } from "./figures";
import { environment, freePort, remember, root } from "./processes";

/** The start of the executable of `bun run build` on an existing database, and its memory. */
export interface Starts {
  /** From the start of the process to the first answer of `/health`, in milliseconds. */
  fairlead: { median: number; max: number };
  /** The same for the bare server, which runs from its source. */
  baseline: { median: number; max: number };
  /** Resident memory of an idle server, in megabytes; null where the system doesn't tell. */
  idleMegabytes: number | null;
  executableMegabytes: number;
}

/** Seconds that a server is left alone before its memory counts. */
const IDLE_SECONDS = 2;

/** Starts a server that listens on `port`; resolves once it has answered, with how long that took. */
async function start(command: string[], settings: Record<string, string>, port: number, path: string) {
  const startedAt = performance.now();
  const child = remember(
    Bun.spawn(command, { env: environment(settings), cwd: root, stdio: ["ignore", "ignore", "inherit"] }),
  );
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
    if (answer) {
      await answer.arrayBuffer();
      return { child, milliseconds: performance.now() - startedAt };
    }
    if (child.exitCode !== null) throw new Error(`${command[0]} ended before it answered`);
    await Bun.sleep(1);
  }
}

function residentMegabytes(pid: number): number | null {
  try {
    const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) / 1_024;
  } catch {
    return null;
  }
}

/** Builds the executable, and starts it and the bare server in turn on a data directory. */
export async function measureStarts(dataDir: string, directory: string, rounds: number): Promise<Starts> {
  const executable = join(directory, "executable");
  const build = Bun.spawnSync([process.execPath, join(root, ".ci/build.ts"), "--outfile", executable]);
  if (build.exitCode !== 0) throw new Error(`the executable can't be built: ${build.stderr}`);
  const times: Record<"fairlead" | "baseline", number[]> = { fairlead: [], baseline: [] };
  let idleMegabytes: number | null = null;
  for (let round = 0; round < rounds; round++) {
    const port = freePort();
    const settings = {
      FAIRLEAD_DATA_DIR: dataDir,
      FAIRLEAD_SERVER_PORT: String(port),
      FAIRLEAD_LOG_LEVEL: "warn",
    };
    const own = await start([executable], settings, port, "/health");
    times.fairlead.push(own.milliseconds);
    if (round === rounds - 1) {
      await Bun.sleep(IDLE_SECONDS * 1_000);
      idleMegabytes = residentMegabytes(own.child.pid);
    }
    own.child.kill();
    await own.child.exited;
    const other = freePort();
    const bare = await start(
      [process.execPath, join(import.meta.dir, "baseline.ts"), dataDir, String(other)],
      {},
      other,
      "/v1/gps?limit=1",
    );
    times.baseline.push(bare.milliseconds);
    bare.child.kill();
    await bare.child.exited;
  }
  const summary = (all: number[]) => ({ median: median(all), max: Math.max(...all) });
  return {
    fairlead: summary(times.fairlead),
    baseline: summary(times.baseline),
    idleMegabytes,
    executableMegabytes: statSync(executable).size / 1_000_000,
  };
}
