import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import JSZip from "jszip";
import { extractText, getDocumentProxy } from "unpdf";
import { readCommit } from "../src/configuration/source-commit";
import type { Printed } from "../src/server/doctor/printed";
import { Api } from "./support/api";
import { frame, read } from "./support/protobuf";
import { temporaryDirectory } from "./support/server";
import { Client } from "./support/socket";

/**
 * The program in both of its forms: the executable of `bun run build`, alone in an empty directory, and the source; each
 * with an empty environment. `bun run test:binary` runs every other test against the executable too.
 */

const CREDENTIALS = { username: "skipper", password: "correct horse battery" };
const source = resolve(import.meta.dir, "../src/main.ts");

interface Form {
  name: string;
  /**
   * Makes the program in a directory that is still empty. Returns its command line, and its name for itself.
   */
  make: (home: string) => Promise<{ program: string[]; calledBy: string }>;
}

const FORMS: Form[] = [
  {
    name: "the executable, with nothing beside it",
    make: async (home) => {
      const executable = join(home, "fairlead");
      copyFileSync(await built(), executable);
      return { program: [executable], calledBy: executable };
    },
  },
  {
    name: "the source",
    make: async () => ({ program: [process.execPath, source], calledBy: "npm run -s fairlead --" }),
  },
];

const run = (home: string, command: string[], input?: string) =>
  Bun.spawn(command, {
    cwd: home,
    env: { FAIRLEAD_SERVER_PORT: "0", FAIRLEAD_LOG_LEVEL: "warn" },
    stdin: input === undefined ? "ignore" : new Blob([input]),
    stdout: "pipe",
    stderr: "inherit",
  });

let building: Promise<string> | undefined;
const built = (): Promise<string> => {
  building ??= build();
  return building;
};

async function build(): Promise<string> {
  if (process.env.TEST_BINARY) return resolve(process.env.TEST_BINARY);
  const outfile = join(temporaryDirectory(), "fairlead");
  const child = Bun.spawn([process.execPath, ".ci/build.ts", "--outfile", outfile], {
    cwd: join(import.meta.dir, ".."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stdout).text());
  return outfile;
}

beforeAll(built);

/** Runs the executable in a directory with nothing but `env` in its environment. */
async function call(args: string[], env: Record<string, string>, cwd = temporaryDirectory()) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([await built(), ...args], {
    ...{ cwd, env, stdout: "pipe", stderr: "pipe" },
  });
  return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode };
}

test("the executable tells the commit from which it was built, without git", async () => {
  const { stdout } = await call(["--version"], {});
  const [, commit, date = ""] = /^\S+ \(commit (\S+), (\S+)\)\n$/.exec(stdout) ?? [];
  expect(Date.parse(date)).toBeLessThanOrEqual(Date.now());
  const source = await readCommit(resolve(import.meta.dir, ".."));
  if (process.env.TEST_BINARY) return expect(commit).toMatch(/^([0-9a-f]{40}(-dirty)?|unknown)$/);
  expect(commit).toBe(source?.commit ?? "unknown");
});

const NEEDS_HASH = ["user", "create", "--username", "anna", "--email", "anna@example.org"];
const REFUSED =
  /^fairlead: the password hash can't be loaded \(.+\): .*temporary directory.*BUN_TMPDIR.*libgcc[^\n]*\n$/;

describe("the executable where its native code can't be unpacked", () => {
  const env = { TMPDIR: join(temporaryDirectory(), "missing") };

  test.each([[NEEDS_HASH], [["serve"]]])("says what to do: %p", async (args) => {
    const cwd = temporaryDirectory();
    const { stderr, exitCode } = await call(args, env, cwd);
    expect(stderr).toMatch(REFUSED);
    expect(exitCode).toBe(1);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("names the file where that is damaged", async () => {
    const directory = temporaryDirectory();
    await call(["doctor"], { BUN_TMPDIR: directory });
    const [name = ""] = readdirSync(directory);
    const unpacked = join(directory, name);
    writeFileSync(unpacked, Buffer.alloc(statSync(unpacked).size));
    const { stderr } = await call(NEEDS_HASH, { BUN_TMPDIR: directory });
    expect(stderr).toMatch(REFUSED);
    expect(stderr).toContain(unpacked);
  });

  test("does all that needs no password, and its doctor tells of it", async () => {
    for (const args of [["--version"], ["--help"], ["config"], ["migrate"]])
      expect(await call(args, env)).toMatchObject({ exitCode: 0, stderr: "" });
    const { stdout, exitCode } = await call(["doctor", "--json"], env);
    expect(exitCode).toBe(1);
    const { findings } = JSON.parse(stdout) as Printed;
    const problem = (check: string, named: string) =>
      expect.objectContaining({ check, verdict: "problem", message: expect.stringContaining(named) });
    expect(findings).toContainEqual(problem("password hash", "BUN_TMPDIR"));
    expect(findings).toContainEqual(problem("temporary directory", env.TMPDIR));
    expect((await call(["demo"], { ...env, BUN_TMPDIR: temporaryDirectory() })).stderr).toMatch(
      /^fairlead: the temporary directory .*missing cannot be used .*TMPDIR[^\n]*\n$/,
    );
  });
});

test("the executable takes no settings, and runs no code, from the directory where it is called", async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, ".env"), "FAIRLEAD_SERVER_PORT=4999\nFAIRLEAD_NOBODYS=1\n");
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./planted.js"]\n');
  writeFileSync(join(cwd, "planted.js"), 'require("node:fs").writeFileSync("ran", "");');
  const { stdout, stderr, exitCode } = await call(["config"], {}, cwd);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toMatch(/^server\.port +3000 +\[default\]$/m);
  expect(readdirSync(cwd)).not.toContain("ran");
});

describe.each(FORMS)("$name", ({ make }) => {
  const home = temporaryDirectory();
  let program: string[];
  let calledBy: string;
  let before: string[];
  let server: ReturnType<typeof run>;
  let said: string;
  let api: Api;
  let token: string;

  beforeAll(async () => {
    ({ program, calledBy } = await make(home));
    before = readdirSync(home);
    server = run(home, program);
    const reader = server.stdout.getReader();
    const decoder = new TextDecoder();
    said = "";
    while (!said.includes("user create")) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the server ended: ${said}`);
      said += decoder.decode(value, { stream: true });
    }
    const port = /listens on http:\/\/localhost:(\d+)/.exec(said)?.[1];
    api = new Api(`http://127.0.0.1:${port}`);
  });
  afterAll(() => server.kill());

  test("names itself in what it tells the operator to call", () => {
    expect(said).toContain(
      `while the server is running: ${calledBy} user create --data-dir ${realpathSync(join(home, "data"))} --username`,
    );
  });

  test("makes its data directory where it is started, with every table", () => {
    expect(readdirSync(home).sort()).toEqual(["data", ...before]);
    expect(readdirSync(join(home, "data"))).toContain("fairlead.db");
  });

  test("makes a user and signs in: the password hash's native part is inside", async () => {
    const { username, password } = CREDENTIALS;
    const who = ["--username", username, "--email", "skipper@example.org", "--role", "Super Admin"];
    expect(await run(home, [...program, "user", "create", ...who, "--password-stdin"], password).exited).toBe(
      0,
    );
    const { status, body } = await api.post("/v1/auth/login", { body: { identifier: username, password } });
    expect(status).toBe(200);
    token = body.session_token;
  });

  test("draws QR codes", async () => {
    const { status, body } = await api.post("/v1/users/me/2fa/setup", { token, body: {} });
    expect(status).toBe(200);
    expect(body.qr_code_image).toStartWith("data:image/png;base64,");
  });

  test("makes the archive of a user's data: ZIP, PDF, fonts and worker threads are inside", async () => {
    const response = await fetch(`${api.url}/v1/user/export`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { files } = await JSZip.loadAsync(await response.arrayBuffer());
    const report = Object.values(files).find(({ name }) => name.endsWith(".pdf"));
    const { text } = await extractText(
      await getDocumentProxy((await report?.async("uint8array")) as Uint8Array),
      { mergePages: true },
    );
    expect(text).toContain("skipper@example.org");
  });

  test("shows Swagger UI with all that it needs", async () => {
    const page = await (await fetch(`${api.url}/docs`)).text();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) {
      const response = await fetch(api.url + address);
      expect([address, response.status]).toEqual([address, 200]);
      expect((await response.bytes()).length).toBeGreaterThan(100);
    }
    expect((await api.get("/v1/openapi.json")).body.openapi).toBe("3.1.0");
  });

  test("answers GraphQL, and shows GraphiQL to a browser", async () => {
    const query = { query: "{ __typename }" };
    expect((await api.post("/v1/graphql", { token, body: query })).body).toEqual({
      data: { __typename: "Query" },
    });
    const page = await fetch(`${api.url}/v1/graphql`, { headers: { accept: "text/html" } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("graphiql");
  });

  test("speaks both formats on the WebSocket", async () => {
    const client = await Client.open(api, { token });
    expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
    expect(read(await client.ask(frame("ping")))).toEqual({ type: 2, pong: {} });
    await client.close();
  });

  test("stops when it is asked to", async () => {
    server.kill();
    expect(await server.exited).toBe(0);
  });

  test("sails in the demo: the recorded voyage is inside", async () => {
    const demo = run(home, [...program, "demo", "--speed", "1000"]);
    const reader = demo.stdout.getReader();
    const decoder = new TextDecoder();
    let said = "";
    while (!said.includes("Watch her move")) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the demo ended: ${said}`);
      said += decoder.decode(value, { stream: true });
    }
    demo.kill();
    expect(await demo.exited).toBe(0);
  });
});
