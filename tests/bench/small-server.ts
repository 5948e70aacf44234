import { rmSync } from "node:fs";
import { type Cage, type Weight, weigh } from "./cage";
import type { Place } from "./prepare";
import { environment, freePort, remember, type Server } from "./processes";

/** The executable under the bounds of a small machine, and the most memory that it takes meanwhile. */

export const PROFILES = ["small", "standard"] as const;
export type ProfileName = (typeof PROFILES)[number];

/** Milliseconds between two looks at the memory. */
const LOOK = 20;
/** Milliseconds that a start may take: a migration of a million positions is one. */
const PATIENCE = 600_000;

export interface Machine {
  executable: string;
  profile: ProfileName;
  cage: Cage;
  /** Bytes that the server may take; null for any number. */
  most: number | null;
}

/** A process of the executable, watched from its start to its end. */
export class Held {
  readonly child: Bun.Subprocess;
  readonly #machine: Machine;
  readonly #timer: Timer;
  #peak: Weight = { resident: 0, anonymous: 0 };
  #ended: string | null = null;

  constructor(machine: Machine, words: string[], settings: Record<string, string>) {
    this.#machine = machine;
    this.child = remember(
      Bun.spawn(machine.cage.around([machine.executable, ...words]), {
        env: environment({
          ...{ FAIRLEAD_PERFORMANCE_PROFILE: machine.profile, FAIRLEAD_LOG_LEVEL: "warn", ...settings },
        }),
        stdio: ["ignore", "ignore", "inherit"],
      }),
    );
    this.#timer = setInterval(() => this.#look(), LOOK);
    this.child.exited.then(() => clearInterval(this.#timer));
  }

  #look(): void {
    const now = weigh(this.child.pid);
    if (!now) return;
    this.#peak = {
      resident: Math.max(this.#peak.resident, now.resident),
      anonymous: Math.max(this.#peak.anonymous, now.anonymous),
    };
    const { cage, most } = this.#machine;
    if (most === null || cage.isEnforced || now.resident <= most) return;
    this.#ended = `it took ${Math.ceil(now.resident / 1_048_576)} MiB`;
    this.child.kill("SIGKILL");
  }

  /** The present memory. */
  weight(): Weight {
    this.#look();
    return weigh(this.child.pid) ?? { resident: 0, anonymous: 0 };
  }

  /** Throws if the process has ended. */
  requireAlive(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) return;
    throw new Error(
      `the server with the profile ${this.#machine.profile} was ended: ${this.#ended ?? this.child.signalCode ?? this.child.exitCode}`,
    );
  }

  /** The most memory since the last call. */
  takePeak(): Weight {
    this.#look();
    const peak = this.#peak;
    this.#peak = { resident: 0, anonymous: 0 };
    return peak;
  }

  async end(): Promise<void> {
    this.child.kill();
    await this.child.exited;
  }
}

export interface SmallServer extends Server {
  held: Held;
  address: string;
  /** Milliseconds from the start of the process to the first answer of /health. */
  started: number;
}

/** Starts a server, and resolves once it has answered. */
export async function startHeld(
  machine: Machine,
  { directory, fixture }: Place,
  settings: Record<string, string> = {},
): Promise<SmallServer> {
  const port = freePort();
  const address = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const held = new Held(machine, ["serve"], {
    FAIRLEAD_DATA_DIR: directory,
    FAIRLEAD_SERVER_PORT: String(port),
    FAIRLEAD_RATE_LIMIT_LOGIN: "1000000/1",
    ...settings,
  });
  while (performance.now() - began < PATIENCE) {
    const answer = await fetch(`${address}/health`).catch(() => null);
    if (answer) {
      await answer.arrayBuffer();
      const started = performance.now() - began;
      return { port, pid: held.child.pid, fixture, held, address, started };
    }
    held.requireAlive();
    await Bun.sleep(2);
  }
  throw new Error("the server did not start");
}

/** Runs a command of the program to its end. Throws where it fails. */
export async function runHeld(machine: Machine, words: string[]): Promise<{ seconds: number; peak: Weight }> {
  const began = performance.now();
  const held = new Held(machine, words, {});
  const status = await held.child.exited;
  if (status !== 0) held.requireAlive();
  return { seconds: (performance.now() - began) / 1_000, peak: held.takePeak() };
}

export const removePlace = ({ directory }: Place): void =>
  rmSync(directory, { recursive: true, force: true });
