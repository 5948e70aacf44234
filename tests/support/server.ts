import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Subprocess } from "bun";
import { KEEPING } from "../../src/kernel/process/allocator";
import { Api, type Token } from "./api";
import { temporaryDirectories } from "./cleanup";
import { closeKept } from "./rows";

/** The program with a clock that tests can move: as compiled for the run (see run.ts), else from source. */
const movable: string[] = process.env.TEST_PROGRAM
  ? [process.env.TEST_PROGRAM]
  : [process.execPath, join(import.meta.dir, "child.ts")];

/**
 * The program that the tests start: the executable that TEST_BINARY names, as it is shipped, or the
 * one above.
 */
const binary = process.env.TEST_BINARY;
export const program: string[] = binary ? [resolve(binary)] : movable;

export const ADMIN = { username: "admin", email: "admin@example.org", password: "correct horse battery" };

/** The key by which the identity web app tells of its events, where a server knows one. */
export const APP_KEY = "an app key of the tests, long enough";

/** Settings by their key in the configuration, such as `{ "websocket.max_subscriptions": "3" }`. */
export type Settings = Record<string, string>;

/** Settings as variables of the environment. */
export const environmentOf = (settings: Settings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      `FAIRLEAD_${key.replaceAll(".", "_").toUpperCase()}`,
      value,
    ]),
  );

/** The environment of a program with these settings and no others. */
export const environment = (settings: Settings): Record<string, string> => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FAIRLEAD_"));
  return { ...(Object.fromEntries(inherited) as Record<string, string>), ...environmentOf(settings) };
};

/** A directory that is removed after the tests of this file: see cleanup.ts. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  temporaryDirectories.push(directory);
  return directory;
}

/** Runs a command of the program to its end. */
export async function command(
  args: string[],
  options: { settings?: Settings; input?: string; cwd?: string } = {},
) {
  const child = Bun.spawn([...program, ...args], {
    env: environment(options.settings ?? {}),
    cwd: options.cwd ?? temporaryDirectory(),
    stdin: options.input === undefined ? "ignore" : new Blob([options.input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, status };
}

interface Template {
  directory: string;
  systemKey: Token;
}

/**
 * The directory of the template that all files of a run share (see run.ts); a file that runs alone makes its
 * own.
 */
const SHARED = process.env.TEST_TEMPLATE;

let template: Promise<Template> | undefined;

/** A data directory with an admin and a system key, made once and copied for every server. */
async function findTemplate(): Promise<Template> {
  if (SHARED !== undefined && existsSync(SHARED)) return readTemplate(SHARED);
  const made = temporaryDirectory();
  await makeTemplate(made);
  if (SHARED === undefined) return readTemplate(made);
  try {
    renameSync(made, SHARED);
  } catch (error) {
    // Another file's process was faster.
    if (!existsSync(SHARED)) throw error;
  }
  return readTemplate(SHARED);
}

const readTemplate = (directory: string): Template => ({
  directory: join(directory, "data"),
  systemKey: readFileSync(join(directory, "system-key"), "utf8"),
});

async function makeTemplate(directory: string): Promise<void> {
  const dataDir = ["--data-dir", join(directory, "data")];
  const { username, email, password } = ADMIN;
  const who = ["--username", username, "--email", email, "--role", "Super Admin", "--password-stdin"];
  const user = await command(["user", "create", ...dataDir, ...who], { input: password });
  if (user.status !== 0) throw new Error(`user create failed: ${user.stderr}`);
  const key = await command(["key", "create", ...dataDir, "--name", "tests", "--system", "--json"]);
  if (key.status !== 0) throw new Error(`key create failed: ${key.stderr}`);
  writeFileSync(join(directory, "system-key"), JSON.parse(key.stdout).key);
}

export interface StartOptions {
  settings?: Settings;
  /** An existing data directory; without one, a fresh copy of the template. */
  dataDir?: string;
  /** The number of files that the server may open; by default the limit of the tests. */
  openFiles?: number;
  /** Lets the test move the server's clock and run its jobs (see `advance`). A shipped executable has no way to do that. */
  clock?: "movable";
  /** Hashes passwords at their full cost, as the shipped program does: where the cost is what is tested. */
  hashes?: "full";
  /** Gives freed memory back as the shipped program does, whatever a run of all tests sets: see run.ts. */
  memory?: "as shipped";
  /** Compiles code that runs long as the shipped program does, whatever a run of all tests sets. */
  compilers?: "as shipped";
  /** Milliseconds that the clock is ahead from the start, as that of a server before was (`server.ahead`). */
  ahead?: number;
  /**
   * Wraps the server's command line in another that changes its environment: another mount namespace, another
   * limit.
   */
  under?: (command: string[]) => string[];
}

/** Takes the settings of run.ts from a child's environment, which is then compiled as the shipped program is. */
const compilersAsShipped = (): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => name.startsWith("BUN_JSC_"))
      .map((name) => [name, undefined]),
  );

/** A real server on a free port. Its requests are checked against its own OpenAPI document. */
/** Options of the allocator. A server whose clock is moved may not start itself anew for them: that would cut its line to the test. */
function allocatorFor(clock: StartOptions["clock"], memory: StartOptions["memory"]) {
  const isShipped = memory !== undefined || process.env.MIMALLOC_PURGE_DELAY === undefined;
  if (!isShipped) return {};
  return clock === "movable" ? KEEPING : { MIMALLOC_PURGE_DELAY: undefined };
}

export class TestServer extends Api {
  readonly dataDir: string;
  /** A system key without owner. */
  readonly systemKey: Token;
  readonly #child: Subprocess<"ignore", "pipe", "pipe">;
  readonly #output: Output;
  #clockMoves = false;
  #isStopping = false;
  #aheadBy = 0;
  #leaptBy = 0;
  #onObeyed: () => void = () => {};
  /** The last message to the child, once it has obeyed. */
  #obeyed: Promise<void> = Promise.resolve();
  #adminToken: Token | undefined;

  private constructor(
    url: string,
    dataDir: string,
    systemKey: Token,
    child: Subprocess<"ignore", "pipe", "pipe">,
    output: Output,
  ) {
    super(url);
    this.dataDir = dataDir;
    this.systemKey = systemKey;
    this.#child = child;
    this.#output = output;
    child.exited.then(() => closeKept(dataDir));
  }

  static async start(options: StartOptions = {}): Promise<TestServer> {
    const { settings = {}, dataDir, openFiles, clock, hashes, memory, compilers, ahead = 0 } = options;
    const { under = (command) => command } = options;
    template ??= findTemplate();
    const { directory: source, systemKey } = await template;
    const directory = dataDir ?? temporaryDirectory();
    if (dataDir) closeKept(dataDir);
    else cpSync(source, directory, { recursive: true });
    const limited = openFiles ? ["sh", "-c", `ulimit -n ${openFiles}; exec "$@"`, "sh"] : [];
    const started = clock === "movable" ? movable : program;
    const child = Bun.spawn(under([...limited, ...started, "serve"]), {
      env: {
        ...environment({
          "data.dir": directory,
          "server.port": "0",
          "log.level": "warn",
          "rate_limit.enabled": "false",
          ...settings,
        }),
        TEST_CLOCK_AHEAD: String(ahead),
        ...(hashes && { TEST_HASHES: hashes }),
        ...allocatorFor(clock, memory),
        ...(compilers && compilersAsShipped()),
      },
      stdio: ["ignore", "pipe", "pipe"],
      ...(clock === "movable" && { ipc: () => server.#onObeyed() }),
    });
    const output = new Output([child.stdout, child.stderr]);
    const url = await listeningUrl(child, output, settings["server.port"]);
    const server = new TestServer(url, directory, systemKey, child, output);
    server.#clockMoves = clock === "movable";
    server.#aheadBy = ahead;
    return server;
  }

  /** A session token of the admin, who is a super admin. */
  async admin(): Promise<Token> {
    this.#adminToken ??= (await this.login(ADMIN.username, ADMIN.password)).session_token;
    return this.#adminToken;
  }

  async login(
    identifier: string,
    password: string,
  ): Promise<{ session_token: Token; session_id: string; user_id: string }> {
    const { status, body } = await this.post("/v1/auth/login", { body: { identifier, password } });
    if (status !== 200) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** A key of the admin with exactly these scopes. */
  async key(...scopes: string[]): Promise<Token> {
    return (await this.createKey(...scopes)).key;
  }

  async createKey(...scopes: string[]): Promise<{ id: string; key: Token }> {
    const { body } = await this.post("/v1/api-keys", {
      token: await this.admin(),
      body: { name: "test", scopes },
    });
    return body;
  }

  /** A new device and the key that posts for it, which may write and read positions and devices. */
  async device(name = "device"): Promise<{ id: string; key: Token; keyId: string }> {
    const { id: keyId, key } = await this.createKey("gps:*", "devices:read");
    const { body } = await this.post("/v1/devices", {
      token: await this.admin(),
      body: { name, api_key_id: keyId },
    });
    return { id: body.data.id, key, keyId };
  }

  /** Sets the server's clock off from the real time, forward or back, by the sum of all calls. */
  async advance(milliseconds: number): Promise<void> {
    this.#aheadBy += milliseconds;
    await this.#moveClock();
  }

  /** Sets the server's clock as a time server does, forward or back: no time goes by. */
  async leap(milliseconds: number): Promise<void> {
    this.#aheadBy += milliseconds;
    this.#leaptBy += milliseconds;
    await this.#moveClock();
  }

  #moveClock(): Promise<void> {
    return this.#tell({ aheadBy: this.#aheadBy, leaptBy: this.#leaptBy });
  }

  /**
   * Runs the server's jobs that are due at least every so many milliseconds, from begin to end, rather than waiting for their
   * time: those of each second, if not told otherwise.
   */
  runJobs(jobsEvery = 1_000): Promise<void> {
    return this.#tell({ jobsEvery });
  }

  /** Sends the child a message, after those before; see child.ts. */
  #tell(message: object): Promise<void> {
    if (!this.#clockMoves) throw new Error('start this server with { clock: "movable" }');
    this.#obeyed = this.#obeyed.then(async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onObeyed = resolve;
      this.#child.send(message);
      await promise;
    });
    return this.#obeyed;
  }

  /** Milliseconds that its clock is ahead of the real one. */
  get ahead(): number {
    return this.#aheadBy;
  }

  /** The time by the server's clock, in epoch milliseconds. */
  get time(): number {
    return Date.now() + this.#aheadBy;
  }

  /**
   * The whole lines that came from the server so far. A line may come after the answer that it tells of: wait for it (see
   * log.ts), or stop the server first.
   */
  get output(): string {
    return this.#output.text;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** False from the moment that it is told to stop. */
  get isRunning(): boolean {
    return !this.#isStopping && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal and waits for the end, and for all output. Returns the exit status. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
    this.#isStopping = true;
    closeKept(this.dataDir);
    this.#child.kill(signal);
    const status = await this.#child.exited;
    await this.#output.whole;
    return status;
  }
}

/** The output of a program, collected from its streams line by line. */
class Output {
  text = "";
  /** Settles after the last line. */
  readonly whole: Promise<unknown>;
  /** Called after each piece. */
  onMore: () => void = () => {};

  constructor(streams: ReadableStream<Uint8Array>[]) {
    this.whole = Promise.all(streams.map((stream) => this.#collect(stream)));
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let begun = "";
    for await (const chunk of stream) {
      begun += decoder.decode(chunk, { stream: true });
      const end = begun.lastIndexOf("\n") + 1;
      this.text += begun.slice(0, end);
      begun = begun.slice(end);
      this.onMore();
    }
    this.text += begun;
  }
}

/**
 * Waits for the line that names the address. With server.public_url the line names the public address: the port must then
 * be given.
 */
async function listeningUrl(
  child: Subprocess<"ignore", "pipe", "pipe">,
  output: Output,
  port: string | undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    output.onMore = () => {
      const [, address] = / listens on (\S+)/.exec(output.text) ?? [];
      if (address === undefined) return;
      output.onMore = () => {};
      const own = /^http:\/\/localhost:\d+/.exec(address)?.[0];
      if (own) resolve(own.replace("localhost", "127.0.0.1"));
      else if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    };
    child.exited.then(async (status) => {
      await output.whole;
      reject(new Error(`the server ended with status ${status}: ${output.text}`));
    });
  });
}
