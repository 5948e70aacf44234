import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, change, NEWEST } from "../../support/older-database";
import { expectFailure } from "../../support/program";
import { command, type Settings, TestServer, temporaryDirectory } from "../../support/server";

/** A database that holds secrets, and whose master key is gone. */

const run = (args: string[], dataDir: string, settings: Settings = {}) =>
  command(args, { settings: { "data.dir": dataDir, "server.port": "0", ...settings } });

const ANOTHER = Buffer.alloc(32, 1).toString("base64");

/** A stopped server's data directory, with a two-factor secret. */
let source: string;
let key: string;
let systemKey: string;
beforeAll(async () => {
  const server = await TestServer.start();
  source = server.dataDir;
  systemKey = server.systemKey as string;
  await server.post("/v1/users/me/2fa/setup", { token: await server.admin() });
  await server.stop();
  key = readFileSync(join(source, "master.key"), "utf8");
});

/** The database alone, in a directory of its own. */
function withoutKey(): string {
  const directory = temporaryDirectory();
  copyFileSync(join(source, "fairlead.db"), join(directory, "fairlead.db"));
  return directory;
}

const keyOf = (dataDir: string) => join(dataDir, "master.key");

describe("a start with secrets in the database and no key", () => {
  test("ends with status 2, says which file is missing and what to do, and leaves all as it was", async () => {
    const dataDir = withoutKey();
    const before = readFileSync(join(dataDir, "fairlead.db"));
    for (let start = 0; start < 2; start++) {
      const result = await run(["serve"], dataDir);
      expectFailure(
        result,
        2,
        `the key file ${keyOf(dataDir)}, which decrypts the two-factor secrets in the database, is missing`,
        "restore your copy of it",
        "security.encryption_key",
        "serve --key-lost",
      );
      expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
      expect(readFileSync(join(dataDir, "fairlead.db"))).toEqual(before);
    }
  });

  test("ends before a migration", async () => {
    const dataDir = withoutKey();
    change(join(dataDir, "fairlead.db"), `DELETE FROM __migrations WHERE tag = '${NEWEST}'`);
    expectFailure(await run(["serve"], dataDir), 2, keyOf(dataDir));
    expect(ask(join(dataDir, "fairlead.db"), `SELECT tag FROM __migrations WHERE tag = '${NEWEST}'`)).toEqual(
      [],
    );
    expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
  });

  test("goes on once the key is back, in the file or in the configuration", async () => {
    const dataDir = withoutKey();
    writeFileSync(keyOf(dataDir), key);
    await (await TestServer.start({ dataDir })).stop();
    const configured = withoutKey();
    await (
      await TestServer.start({ dataDir: configured, settings: { "security.encryption_key": key.trim() } })
    ).stop();
    expect(existsSync(keyOf(configured))).toBe(false);
  });

  test("is what other commands don't cause: none makes a key", async () => {
    const dataDir = withoutKey();
    for (const args of [
      ["migrate"],
      ["key", "create", "--name", "k", "--system"],
      ["user", "create", "--username", "berta", "--email", "b@example.org"],
      ["backup", join(temporaryDirectory(), "copy.db")],
    ])
      expect((await run(args, dataDir)).status).toBe(0);
    expect(existsSync(keyOf(dataDir))).toBe(false);
  });
});

describe("a start with another key", () => {
  test("ends with status 2, names the file or the option, and leaves the key", async () => {
    const dataDir = withoutKey();
    writeFileSync(keyOf(dataDir), ANOTHER);
    expectFailure(
      await run(["serve"], dataDir),
      2,
      `${keyOf(dataDir)} cannot decrypt the two-factor secrets in the database`,
    );
    expect(readFileSync(keyOf(dataDir), "utf8")).toBe(ANOTHER);
    const configured = await run(["serve"], dataDir, { "security.encryption_key": ANOTHER });
    expectFailure(configured, 2, "security.encryption_key cannot decrypt the two-factor secrets");
  });

  test("that opens a part of the secrets goes on, and logs it", async () => {
    const dataDir = withoutKey();
    writeFileSync(keyOf(dataDir), key);
    const queued =
      "INSERT INTO outbox (id, lane, kind, urgency, status, message, next_attempt_at, attempts, created_at) VALUES ('1', 'email', 'x', 1, 'waiting', 'sealed', 1, 2, 1)";
    change(join(dataDir, "fairlead.db"), queued);
    const server = await TestServer.start({ dataDir });
    await server.stop();
    expect(server.output).toMatch(/"error".*master key.*queued emails/);
  });
});

test("serve --key-lost makes a new key once, and later starts go on with that one alone", async () => {
  const dataDir = withoutKey();
  const server = await TestServer.start({ dataDir, under: (line) => [...line, "--key-lost"] });
  expect((await server.get("/v1/users/me", { token: systemKey })).status).not.toBe(500);
  await server.stop();
  expect(server.output).toMatch(/"error".*master key.*two-factor secrets/);
  const made = readFileSync(keyOf(dataDir), "utf8");
  expect(made).not.toBe(key);
  await (await TestServer.start({ dataDir })).stop();
  expect(readFileSync(keyOf(dataDir), "utf8")).toBe(made);
  rmSync(keyOf(dataDir));
  expectFailure(await run(["serve"], dataDir), 2, keyOf(dataDir), "is missing");
  expect(existsSync(keyOf(dataDir))).toBe(false);
});

describe("the doctor", () => {
  const told = async (dataDir: string, settings: Settings = {}): Promise<string> =>
    (await run(["doctor"], dataDir, settings)).stdout
      .split("\n")
      .filter((line) => line.includes(" master key "))
      .join("\n");

  test("tells that the key is missing, or another one, and that the server does not start", async () => {
    const dataDir = withoutKey();
    expect(await told(dataDir)).toMatch(
      new RegExp(
        `^problem +master key +the key file ${keyOf(dataDir)}, .*two-factor secrets.* is missing.*does not start`,
      ),
    );
    expect(await told(dataDir, { "security.encryption_key": ANOTHER })).toMatch(
      /^problem +master key +security\.encryption_key cannot decrypt the two-factor secrets.*does not start/,
    );
    expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
    writeFileSync(keyOf(dataDir), key);
    expect(await told(dataDir)).toMatch(/^ok +master key +present/);
  });
});

afterAll(() => expect(readFileSync(keyOf(source), "utf8")).toBe(key));
