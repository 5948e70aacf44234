import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { KEEPING } from "../../src/kernel/process/allocator";
import type { Memory, MemoryOrder } from "./memory";
import type { Fixture, Place } from "./prepare";

/** The processes and directories of a run of the bench, and how they end. */

export const root = join(import.meta.dir, "../..");

const children = new Set<Subprocess>();
const directories = new Set<string>();

/** Removes `directory` when the bench ends, however it ends. */
export function removeAtEnd(directory: string): void {
  directories.add(directory);
}

/** Ends every process that the bench started and removes its directories. */
export function cleanUp(): void {
  for (const child of children) child.kill("SIGKILL");
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}

/** Has a process end with the bench. */
export function remember<T extends Subprocess>(child: T): T {
  children.add(child);
  child.exited.then(() => children.delete(child));
  return child;
}

/**
 * The environment of this process without Fairlead's variables, which are an operator's own, and without the allocator's: the
 * clients alone keep the memory that they have freed. To give it back cost them more than the servers, with which they share the
 * processors, and scattered the rounds.
 */
export function environment(settings: Record<string, string>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:FAIRLEAD|MIMALLOC)_/.test(name));
  return { ...Object.fromEntries(inherited), ...settings };
}

/** A port of this machine that nobody listens at. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

// --- Servers ----------------------------------------------------------------------------------------------

/** A server under test. */
export interface Server {
  port: number;
  pid: number;
  /** The names that requests to it use. */
  fixture: Fixture;
}

/** A server that tells of its own memory (memory.ts). */
export interface Watched extends Server {
  ask: (order: MemoryOrder) => Promise<Memory>;
}

/**
 * Fairlead as an operator starts it, with the program that weighs its memory preloaded. The limits of sign-ins and of a
 * user's sockets count as they always do, and are too high to be met.
 */
const FAIRLEAD = ["--preload", join(import.meta.dir, "memory.ts"), join(root, "src/main.ts"), "serve"];

/** The settings that every version knows. */
const settingsOf = ({ directory }: Place) => ({
  FAIRLEAD_DATA_DIR: directory,
  FAIRLEAD_SERVER_PORT: "0",
  FAIRLEAD_LOG_LEVEL: "warn",
});

/** The Fairlead of another checkout. */
export async function startCheckout(checkout: string, place: Place): Promise<Server> {
  const started = await startServer([join(checkout, "src/main.ts"), "serve"], settingsOf(place));
  return { ...started, fixture: place.fixture };
}

export function startFairlead(
  place: Place,
  watched: { watched: true; settings?: Record<string, string> },
): Promise<Watched>;
export function startFairlead(place: Place): Promise<Server>;
export async function startFairlead(
  place: Place,
  watched?: { watched: true; settings?: Record<string, string> },
): Promise<Server | Watched> {
  const { fixture } = place;
  const settings = {
    ...settingsOf(place),
    FAIRLEAD_RATE_LIMIT_LOGIN: "1000000/1",
    FAIRLEAD_WEBSOCKET_MAX_CONNECTIONS_PER_USER: "50000",
    FAIRLEAD_NOTIFICATIONS_ALLOWED_HOSTS: "127.0.0.1",
    // It would start itself anew for them, and lose its line to this process.
    ...(watched && KEEPING),
    ...watched?.settings,
  };
  if (!watched) return { ...(await startServer(FAIRLEAD.slice(2), settings)), fixture };
  const questions = new Questions<MemoryOrder, Memory>("the server");
  const started = await startServer(FAIRLEAD, settings, questions);
  return { ...started, fixture, ask: (order) => questions.ask(order) };
}

export async function startBaseline({ directory, fixture }: Place): Promise<Server> {
  return { ...(await startServer([join(import.meta.dir, "baseline.ts"), directory], {})), fixture };
}

/** Starts a Bun program and waits for the line that names its port. Afterwards its output goes to ours. */
async function startServer(
  command: string[],
  settings: Record<string, string>,
  questions?: Questions<MemoryOrder, Memory>,
) {
  const child = remember(
    Bun.spawn([process.execPath, ...command], {
      env: environment(settings),
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      ...(questions && { ipc: questions.take }),
    }),
  );
  questions?.of(child);
  const port = Promise.withResolvers<number>();
  const read = async () => {
    const decoder = new TextDecoder();
    let output = "";
    for await (const chunk of child.stdout) {
      const text = decoder.decode(chunk, { stream: true });
      output += text;
      const named = /listens on http:\/\/localhost:(\d+)/.exec(output)?.[1];
      if (named) port.resolve(Number(named));
      // Any later output is a warning or an error, and spoils the figures.
      if (!text.includes("listens on")) process.stderr.write(text);
    }
    port.reject(new Error(`${command[0]} ended before it listened: ${output}`));
  };
  read();
  return { port: await port.promise, pid: child.pid };
}

/** Clock ticks of /proc: 100 a second on every Linux that Bun runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process has used, in seconds; null where the system doesn't say (not Linux). */
export function processorSeconds(pid: number): number | null {
  try {
    // The second field is the name in brackets, which may hold spaces; user and system time are 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

// --- Helpers ----------------------------------------------------------------------------------------------

/** The answer of a helper process. */
export type Reply<Answer> = { answer: Answer } | { error: string };

/** Questions to another process, which answers one at a time. */
class Questions<Question, Answer> {
  readonly #name: string;
  #child: Subprocess | undefined;
  #pending: PromiseWithResolvers<Answer> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Names the process, whose messages go to `take`. */
  of(child: Subprocess): void {
    this.#child = child;
    child.exited.then(() => this.#pending?.reject(new Error(`${this.#name} ended`)));
  }

  take = (reply: Reply<Answer>): void => {
    if ("error" in reply) this.#pending?.reject(new Error(reply.error));
    else this.#pending?.resolve(reply.answer);
  };

  ask(question: Question): Promise<Answer> {
    this.#pending = Promise.withResolvers<Answer>();
    this.#child?.send(question);
    return this.#pending.promise;
  }
}

/** A client in a process of its own, which shares its event loop with nothing. */
export class Helper<Question, Answer> extends Questions<Question, Answer> {
  constructor(script: string) {
    super(script);
    this.of(
      remember(
        Bun.spawn([process.execPath, join(import.meta.dir, script)], {
          stdio: ["ignore", "inherit", "inherit"],
          ipc: this.take,
        }),
      ),
    );
  }
}

/** The helper's side: answers each question by `work`, and ends with the bench. */
export function answerQuestions<Question, Answer>(work: (question: Question) => Promise<Answer>): void {
  const reply = (message: Reply<Answer>) => process.send?.(message);
  process.on("message", (question: Question) => {
    work(question).then(
      (answer) => reply({ answer }),
      (error) => reply({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
