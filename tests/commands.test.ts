import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import manifest from "../package.json" with { type: "json" };
import { Api } from "./support/api";
import { expectFailure } from "./support/program";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "./support/server";

const COMMANDS = [
  ...["serve", "demo", "user create", "key create", "migrate", "backup", "restore", "rollback"],
  ...["doctor", "health", "openapi", "config"],
];

const words = (name: string) => name.split(" ");

describe("--help", () => {
  test("names every command of the contract", async () => {
    const cwd = temporaryDirectory();
    const { status, stdout, stderr } = await command(["--help"], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ +${name}\\b`, "m"));
    expect(readdirSync(cwd)).toEqual([]);
  });

  for (const name of COMMANDS)
    test(`explains ${name} and its options, and does nothing else`, async () => {
      const cwd = temporaryDirectory();
      const { status, stdout, stderr } = await command([...words(name), "--help"], { cwd });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toContain(`fairlead ${name}`);
      for (const option of ["--config FILE", "--data-dir DIR", "--help"]) expect(stdout).toContain(option);
      expect(readdirSync(cwd)).toEqual([]);
    });

  test("counts before a wrong configuration", async () => {
    expect((await command(["serve", "--help"], { settings: { "server.port": "x" } })).status).toBe(0);
  });
});

/** A line that begins with the version; the commit isn't known where the source came without git. */
const BUILD = new RegExp(
  `^${manifest.version.replaceAll(".", "\\.")} \\(commit ([0-9a-f]{40}(-dirty)?|unknown), (\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z|date unknown)\\)\n$`,
);

describe("help and --version", () => {
  test("help is --help, and help COMMAND is COMMAND --help", async () => {
    expect(await command(["help"])).toEqual(await command(["--help"]));
    for (const name of ["backup", "user create"]) {
      const asked = await command(["help", ...words(name)]);
      expect(asked).toEqual(await command([...words(name), "--help"]));
      expect(asked).toMatchObject({ status: 0, stdout: expect.stringContaining(`fairlead ${name}`) });
    }
  });

  test("--version prints the version, the commit and its date, and does nothing else", async () => {
    const cwd = temporaryDirectory();
    for (const args of [["--version"], ["serve", "--version"]])
      expect(await command(args, { cwd })).toEqual({
        status: 0,
        stdout: expect.stringMatching(BUILD),
        stderr: "",
      });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("options before the command count like those behind it:", () => {
  test("--help", async () => {
    const cwd = temporaryDirectory();
    const { status, stdout } = await command(["--help", "backup"], { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain("fairlead backup FILE");
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("a command's own", async () => {
    expectFailure(await command(["--speed", "0", "demo"]), 2, "--speed must be");
  });

  test("--data-dir, even when the directory is named like a command", async () => {
    const cwd = temporaryDirectory();
    const { status, stderr } = await command(["--data-dir", "backup", "migrate"], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(readdirSync(join(cwd, "backup"))).toContain("fairlead.db");
  });
});

describe("wrong usage ends with status 2 and one line:", () => {
  const wrong: [args: string[], named: string][] = [
    [["sevre"], 'there is no command "sevre"; did you mean serve?'],
    [["user"], "user"],
    [["user", "delete"], "user delete"],
    [["serve", "now"], "serve"],
    [["serve", "--prot", "80"], "unknown option --prot; did you mean --port?"],
    [["--prot", "80"], "unknown option --prot; did you mean --port?"],
    [["--prot=80", "serve"], "--prot"],
    [["migrate", "--port", "80"], "unknown option --port; see fairlead migrate --help"],
    [["serve", "--port", "80000"], "--port must be a whole number from 0 to 65535"],
    [["serve", "--port", ""], "--port"],
    [["--port", "x"], "--port"],
    [["serve", "--host", ""], "--host must not be empty"],
    [["-p", "80"], "-p"],
    [["dotcor"], "did you mean doctor?"],
    [["user", "crate"], "did you mean user create?"],
    [["help", "sevre"], "sevre"],
    [["migrate", "--data-dir", ""], "--data-dir"],
    [["serve", "--data-dir"], "--data-dir"],
    [["backup"], "backup FILE"],
    [["backup", "a", "b"], "backup FILE"],
    [["backup", ""], "backup FILE"],
    [["restore", ""], "restore FILE"],
    [["demo", "--speed", "fast"], "--speed"],
    [["demo", "--speed", "0"], "--speed"],
    [["demo", "--speed", "1001"], "--speed"],
    [["user", "create", "--username", "abc"], "--email"],
    [["user", "create", "--email", "a@example.org"], "--username"],
    [["key", "create", "--system"], "--name"],
    [["key", "create", "--name", "k"], "--owner"],
    [["key", "create", "--name", "k", "--owner", "x", "--scope", "gps"], "--scope gps"],
    [["key", "create", "--name", "k", "--owner", "x", "--scope", "*:read"], "--scope"],
    [["key", "create", "--name", "k", "--system", "--scope", "gps:read"], "--scope"],
    [["__proto__"], "__proto__"],
  ];
  for (const [args, named] of wrong)
    test(`fairlead ${args.join(" ")}`, async () => {
      const cwd = temporaryDirectory();
      expectFailure(await command(args, { cwd }), 2, named);
      expect(existsSync(join(cwd, "data"))).toBe(false);
    });
});

/** The rows of a table in a data directory. */
function rows(dataDir: string, table: string): number {
  const database = new Database(join(dataDir, "fairlead.db"), { readonly: true });
  try {
    return database.query<{ n: number }, []>(`SELECT COUNT(*) n FROM ${table}`).get()?.n ?? 0;
  } finally {
    database.close();
  }
}

let server: TestServer;
let settings: Settings;
beforeAll(async () => {
  server = await TestServer.start();
  settings = { "data.dir": server.dataDir };
});
afterAll(() => server.stop());

const createUser = (args: string[], input?: string) =>
  command(["user", "create", ...args], { settings, ...(input !== undefined && { input }) });

const named = (name: string) => ["--username", name, "--email", `${name}@example.org`];

describe("user create", () => {
  test("makes a user beside the running server, with a password printed once that signs in at once", async () => {
    const { status, stdout, stderr } = await createUser([...named("printed")]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const password = /^Password[^:]*: (\S+)$/m.exec(stdout)?.[1] ?? "";
    expect(password.length).toBeGreaterThanOrEqual(16);
    const { session_token } = await server.login("printed", password);
    expect(session_token).toStartWith("ses_");
    await server.login("printed@example.org", password);
  });

  test("prints one JSON object with --json", async () => {
    const { stdout } = await createUser(["--username", "Json_User", "--email", "Json@Example.org", "--json"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    const user = JSON.parse(stdout);
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      username: "json_user",
      email: "json@example.org",
      password: expect.any(String),
    });
    expect((await server.login("JSON_user", user.password)).user_id).toBe(user.id);
  });

  test("takes the password from standard input, without printing it", async () => {
    const { stdout, status } = await createUser([...named("piped"), "--password-stdin"], "a b c ö 12\n");
    expect(status).toBe(0);
    expect(stdout).not.toContain("a b c");
    expect(stdout).not.toContain("assword");
    await server.login("piped", "a b c ö 12");
    const json = await createUser([...named("piped2"), "--password-stdin", "--json"], "from stdin\r\nmore");
    expect(JSON.parse(json.stdout).password).toBeNull();
    await server.login("piped2", "from stdin");
  });

  test("gives the roles that are named, by name in any case or identifier, beside User", async () => {
    const password = "correct horse battery";
    const withRoles = async (name: string, ...roles: string[]) => {
      const args = roles.flatMap((role) => ["--role", role]);
      expect((await createUser([...named(name), ...args, "--password-stdin"], password)).status).toBe(0);
      return (await server.login(name, password)).session_token;
    };
    const plain = await withRoles("no_role");
    const boss = await withRoles("boss", "super admin", "Developer");
    const deputy = await withRoles("deputy", "role_admin");
    expect((await server.get("/v1/gps", { token: plain })).status).toBe(403);
    for (const token of [boss, deputy]) expect((await server.get("/v1/gps", { token })).status).toBe(200);
  });

  test("refuses a role that does not exist, with status 1, and makes no user", async () => {
    const before = rows(server.dataDir, "users");
    expectFailure(await createUser([...named("roleless"), "--role", "Captain"]), 1, "Captain", "Super Admin");
    expect(rows(server.dataDir, "users")).toBe(before);
  });

  test("refuses a username or an address that is taken, in any case, with status 1", async () => {
    const before = rows(server.dataDir, "users");
    expectFailure(await createUser(["--username", "ADMIN", "--email", "new@example.org"]), 1, "taken");
    expectFailure(await createUser(["--username", "newcomer", "--email", "Admin@Example.ORG"]), 1, "taken");
    expect(rows(server.dataDir, "users")).toBe(before);
  });

  test("refuses usernames, addresses and passwords against the rules, with status 2", async () => {
    const before = rows(server.dataDir, "users");
    for (const username of ["ab", "x".repeat(31), "böse"])
      expectFailure(await createUser(["--username", username, "--email", "a@example.org"]), 2, "--username");
    for (const email of ["nobody", "a b@example.org"])
      expectFailure(await createUser(["--username", "abc", "--email", email]), 2, "--email");
    for (const password of ["seven77", "x".repeat(129)])
      expectFailure(await createUser([...named("abc"), "--password-stdin"], password), 2, "password");
    expect(rows(server.dataDir, "users")).toBe(before);
  });
});

const createKey = (...args: string[]) => command(["key", "create", ...args], { settings });

describe("key create", () => {
  test("makes a system key beside the running server that works at once", async () => {
    const { status, stdout, stderr } = await createKey("--name", "backup", "--system");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const token = /(flk_[\w-]{43})$/m.exec(stdout)?.[1] ?? "";
    expect((await server.get("/v1/gps", { token })).status).toBe(200);
  });

  test("prints one JSON object with --json", async () => {
    const { stdout } = await createKey(
      "--name",
      "k",
      "--owner",
      "ADMIN",
      "--scope",
      "gps:read",
      "--scope",
      "gps:write",
      "--json",
    );
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    const key = JSON.parse(stdout);
    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^flk_[\w-]{43}$/),
      key_prefix: key.key.slice(0, 12),
      scopes: ["gps:read", "gps:write"],
      is_system: false,
    });
    expect((await server.get("/v1/gps", { token: key.key })).status).toBe(200);
    expect((await server.get("/v1/devices", { token: key.key })).status).toBe(403);
    const { body } = await server.get(`/v1/api-keys/${key.id}`, { token: await server.admin() });
    expect(body.data).toMatchObject({ name: "k", is_system: false, is_active: true, expires_at: null });
    const system = JSON.parse((await createKey("--name", "s", "--system", "--json")).stdout);
    expect({ ...system, id: 0, key: 0, key_prefix: 0 }).toEqual({
      ...{ id: 0, key: 0, key_prefix: 0 },
      scopes: ["*:*"],
      is_system: true,
    });
  });

  test("gives a user's key no more than its owner may", async () => {
    await createUser([...named("owner")]);
    const { stdout } = await createKey("--name", "k", "--owner", "owner", "--scope", "*:*", "--json");
    expect((await server.get("/v1/gps", { token: JSON.parse(stdout).key })).status).toBe(403);
  });

  test("refuses an owner who does not exist with status 1, and a name against the rules with 2", async () => {
    const before = rows(server.dataDir, "api_keys");
    expectFailure(await createKey("--name", "k", "--owner", "nobody"), 1, "nobody");
    expectFailure(await createKey("--name", "x".repeat(201), "--system"), 2, "--name");
    expectFailure(await createKey("--name", "", "--system"), 2, "--name");
    expect(rows(server.dataDir, "api_keys")).toBe(before);
  });
});

describe("user create and key create", () => {
  test("work on a directory that no server has used yet", async () => {
    const dataDir = join(temporaryDirectory(), "new", "directory");
    const onIt = { settings: { "data.dir": dataDir } };
    expect((await command(["user", "create", ...named("first")], onIt)).status).toBe(0);
    expect((await command(["key", "create", "--name", "k", "--owner", "first"], onIt)).status).toBe(0);
    expect(rows(dataDir, "users")).toBe(1);
  });
});

describe("openapi", () => {
  test("prints the document that the server serves, valid OpenAPI, and touches no data", async () => {
    const cwd = temporaryDirectory();
    const { status, stdout, stderr } = await command(["openapi"], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(readdirSync(cwd)).toEqual([]);
    const document = JSON.parse(stdout);
    const verdict = await new Validator().validate(structuredClone(document));
    expect(verdict).toMatchObject({ valid: true });
    expect((await server.get("/v1/openapi.json")).body).toEqual(document);
    expect((await server.get("/docs/json")).body).toEqual(document);
  });
});

test("the first start names the command for the first user, which holds from anywhere", async () => {
  const directory = join(temporaryDirectory(), "the captain's");
  mkdirSync(directory);
  const file = join(temporaryDirectory(), "own.toml");
  writeFileSync(file, `[data]\ndir = ${JSON.stringify(directory)}\n[server]\nport = 0\n`);
  const child = Bun.spawn([...program, "--config", file], {
    ...{ env: environment({}), cwd: temporaryDirectory(), stdout: "pipe" },
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("Super Admin")) said += (await lines.read()).value ?? "";
  const [, given = ""] = /server is running: \S+(?: run -s fairlead --)? (.*)\n/.exec(said) ?? [];
  expect(given).toStartWith("user create --config ");
  const line = given.replace("NAME", "anna").replace("ADDRESS", "anna@example.org");
  const made = Bun.spawnSync(["sh", "-c", `"$@" ${line} --json`, "sh", ...program], {
    ...{ env: environment({}), cwd: temporaryDirectory(), stdout: "pipe" },
  });
  const { username, password } = JSON.parse(made.stdout.toString());
  const port = /listens on http:\/\/localhost:(\d+)/.exec(said)?.[1];
  const api = new Api(`http://127.0.0.1:${port}`);
  const { status } = await api.post("/v1/auth/login", { body: { identifier: username, password } });
  expect(status).toBe(200);
  child.kill();
  expect(await child.exited).toBe(0);
});
