import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { newWebhook } from "../../alerts/targets/support";
import { expectStatus } from "../../support/expectations";
import { ask, change, NEWEST, olderDirectory, schemaOf } from "../../support/older-database";
import { expectFailure } from "../../support/program";
import { command, type Settings, TestServer, temporaryDirectory } from "../../support/server";
import { addSecrets, readKey } from "../keys/support";

/** A database that holds secrets, and whose master key is gone, or is said to be. */

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

/** The doctor's lines on the key. */
const told = async (dataDir: string, settings: Settings = {}): Promise<string> =>
  (await run(["doctor"], dataDir, settings)).stdout
    .split("\n")
    .filter((line) => line.includes(" master key "))
    .join("\n");

const keyOf = (dataDir: string) => join(dataDir, "master.key");

/** Changes the beginning of a value, which no key opens from then on. */
const damage = (dataDir: string, table: string, column: string, where = "1") =>
  change(
    join(dataDir, "fairlead.db"),
    `UPDATE ${table} SET ${column} = 'AAAA' || substr(${column}, 5) WHERE ${where}`,
  );

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

  test("names the link that leads to a missing file, and what to do before --key-lost", async () => {
    const dataDir = withoutKey();
    symlinkSync(join("stick", "fairlead.key"), keyOf(dataDir));
    const why = `the key file ${keyOf(dataDir)} is a link to ${join(dataDir, "stick", "fairlead.key")}, which leads to nothing`;
    expectFailure(
      await run(["serve"], dataDir),
      2,
      why,
      "it decrypts the two-factor secrets in the database",
      "make a new one there (openssl rand -base64 32) and start once with fairlead serve --key-lost",
    );
    expect(await told(dataDir)).toContain(why);
    mkdirSync(join(dataDir, "stick"));
    writeFileSync(join(dataDir, "stick", "fairlead.key"), ANOTHER, { mode: 0o600 });
    await (await TestServer.start({ dataDir, under: (line) => [...line, "--key-lost"] })).stop();
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

test("a start without the key of ID tokens alone goes on with a new one, says so, and the doctor says so beforehand", async () => {
  const first = await TestServer.start();
  const published = async (server: TestServer) => (await server.get("/oauth/jwks")).body.keys;
  const before = await published(first);
  await first.stop();
  const { dataDir } = first;
  rmSync(keyOf(dataDir));
  expect(await told(dataDir)).toMatch(
    new RegExp(
      `^warning +master key +${keyOf(dataDir)} is missing, and the next start makes a new key: another key signs the next ID token.*restore it first`,
    ),
  );
  expect(existsSync(keyOf(dataDir))).toBe(false);
  const again = await TestServer.start({ dataDir });
  // Tokens of before can be verified still.
  expect(await published(again)).toEqual(before);
  await again.stop();
  const [warning = ""] = again.output.split("\n").filter((line) => line.includes('"warn"'));
  expect(warning).toContain("master.key was missing, and a new one was made");
  expect(warning).toContain(`"file":"${keyOf(dataDir)}"`);
  expect(warning).toContain("another key signs the next ID token");
  expect(await told(dataDir)).toMatch(
    /^warning +master key +another one was here before: another key signs the next ID token.*restore it/,
  );
});

test("a start with another key than that of ID tokens goes on with it, and says so once", async () => {
  const first = await TestServer.start();
  expectStatus(await first.get("/oauth/jwks"), 200);
  await first.stop();
  const { dataDir } = first;
  const former = readFileSync(keyOf(dataDir), "utf8");
  const warnings: string[] = [];
  const start = async (key: string) => {
    writeFileSync(keyOf(dataDir), key);
    const again = await TestServer.start({ dataDir });
    await again.stop();
    warnings.push(...again.output.split("\n").filter((line) => line.includes('"warn"')));
  };
  await start(ANOTHER);
  await start(ANOTHER);
  // Put back as the warning says, it is not asked to leave again for what the other one has encrypted meanwhile.
  expect((await run(["signing-key", "rotate"], dataDir)).status).toBe(0);
  await start(former);
  expect(warnings).toEqual([
    expect.stringContaining("the master key is another one than before; if you have"),
  ]);
  expect(warnings[0]).toContain(`"file":"${keyOf(dataDir)}"`);
});

test("the doctor advises to restore a former key only until the present one has encrypted secrets", async () => {
  const first = await TestServer.start();
  expectStatus(await first.get("/oauth/jwks"), 200);
  await first.stop();
  const { dataDir } = first;
  rmSync(keyOf(dataDir));
  const again = await TestServer.start({ dataDir });
  await again.post("/v1/users/me/2fa/setup", { token: await again.admin() });
  await again.stop();
  const advice = await told(dataDir);
  expect(advice).toMatch(/^warning +master key +another one was here before.*Leave this one in its place/);
  expect(advice).not.toContain("restore");
});

test("a first start makes its key without a warning, and so does one on a database that holds no secrets", async () => {
  const dataDir = temporaryDirectory();
  expect((await run(["migrate"], dataDir)).status).toBe(0);
  const server = await TestServer.start({ dataDir });
  await server.stop();
  expect(server.output).not.toContain("master.key was missing");
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

describe("a key that was in use", () => {
  /** A data directory whose only secret is damaged. */
  function damaged(): string {
    const dataDir = withoutKey();
    writeFileSync(keyOf(dataDir), key);
    damage(dataDir, "two_factor", "secret");
    return dataDir;
  }

  test("is the right one although the only secret is damaged, and another one is not", async () => {
    const dataDir = damaged();
    expect(await told(dataDir)).toMatch(
      /^warning +master key +the server starts with it.*two-factor secrets/,
    );
    const server = await TestServer.start({ dataDir });
    await server.stop();
    expect(server.output).toMatch(/"error".*master key.*two-factor secrets/);
    expectFailure(
      await run(["serve"], dataDir, { "security.encryption_key": ANOTHER }),
      2,
      "security.encryption_key cannot decrypt the two-factor secrets",
    );
    rmSync(keyOf(dataDir));
    expectFailure(await run(["serve"], dataDir), 2, keyOf(dataDir), "is missing");
    writeFileSync(keyOf(dataDir), key);
    expect((await run(["key", "rotate-master"], dataDir)).status).toBe(0);
    await (await TestServer.start({ dataDir })).stop();
  });

  test("is the right one although the oldest and the newest secret are damaged", async () => {
    const dataDir = withoutKey();
    writeFileSync(keyOf(dataDir), key);
    addSecrets(dataDir, readKey(keyOf(dataDir)), 5, ["two_factor"]);
    change(
      join(dataDir, "fairlead.db"),
      "INSERT INTO users (id, username, created_at, updated_at) SELECT user_id, user_id, 1, 1 FROM two_factor WHERE user_id NOT IN (SELECT id FROM users)",
    );
    for (const first of ["min", "max"])
      damage(dataDir, "two_factor", "secret", `rowid = (SELECT ${first}(rowid) FROM two_factor)`);
    expect(await told(dataDir)).toMatch(/^warning +master key +the server starts with it/);
    await (await TestServer.start({ dataDir })).stop();
  });

  test("is known from a backup too", async () => {
    const file = join(temporaryDirectory(), "copy.db");
    expect((await run(["backup", file], damaged())).status).toBe(0);
    const fresh = temporaryDirectory();
    writeFileSync(keyOf(fresh), key);
    const { stdout } = await run(["restore", file], fresh);
    expect(stdout).toMatch(/^Warning: the current key cannot decrypt some of its two-factor secrets/m);
    expect(stdout).toContain("You can start the server now");
    const { stdout: refused } = await run(["restore", file], fresh, { "security.encryption_key": ANOTHER });
    expect(refused).toContain("without it the server does not start");
  });

  test("is the one of the last start: in a database without secrets another one may take its place", async () => {
    const server = await TestServer.start();
    await server.stop();
    const { dataDir } = server;
    writeFileSync(keyOf(dataDir), ANOTHER);
    const again = await TestServer.start({ dataDir });
    await again.post("/v1/users/me/2fa/setup", { token: await again.admin() });
    await again.stop();
    damage(dataDir, "two_factor", "secret");
    await (await TestServer.start({ dataDir })).stop();
    writeFileSync(keyOf(dataDir), key);
    expectFailure(await run(["serve"], dataDir), 2, `${keyOf(dataDir)} cannot decrypt`);
  });

  test("is recorded by the first start on a database of a version that recorded none", async () => {
    const forget = (dataDir: string) =>
      change(join(dataDir, "fairlead.db"), "DELETE FROM __program WHERE name = 'accepted_key'");
    const unknown = damaged();
    forget(unknown);
    expectFailure(await run(["serve"], unknown), 2, `${keyOf(unknown)} cannot decrypt`);
    const dataDir = withoutKey();
    writeFileSync(keyOf(dataDir), key);
    forget(dataDir);
    await (await TestServer.start({ dataDir })).stop();
    damage(dataDir, "two_factor", "secret");
    await (await TestServer.start({ dataDir })).stop();
  });
});

test("a list of secrets that is damaged as a whole is a warning, and stops no rotation", async () => {
  const server = await TestServer.start();
  await newWebhook(server);
  await server.stop();
  const { dataDir } = server;
  for (const list of ["{}", "[null]", "no list"]) {
    change(join(dataDir, "fairlead.db"), `UPDATE notification_targets SET older_secrets = '${list}'`);
    expect(await told(dataDir)).toMatch(/^warning +master key .*secrets of notification targets/);
    const { status, stdout, stderr } = await run(["key", "rotate-master"], dataDir);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^Warning: neither key decrypts some of the secrets of notification targets/m);
    expect(ask(join(dataDir, "fairlead.db"), "SELECT older_secrets FROM notification_targets")).toEqual([
      list,
    ]);
  }
  const again = await TestServer.start({ dataDir });
  await again.stop();
  expect(again.output).toMatch(/"error".*master key.*secrets of notification targets/);
});

describe("a start that is refused for its key files", () => {
  const missing = join(temporaryDirectory(), "missing.key");
  const named = { "security.encryption_key_file": missing };

  test("makes no directory and no database", async () => {
    const fresh = join(temporaryDirectory(), "not", "yet");
    expectFailure(await run(["serve"], fresh, named), 2, `security.encryption_key_file (${missing})`);
    expect(existsSync(dirname(fresh))).toBe(false);
  });

  test("neither copies nor migrates an older database", async () => {
    const dataDir = olderDirectory();
    const released = schemaOf(join(dataDir, "fairlead.db"));
    expectFailure(await run(["serve"], dataDir, named), 2, `security.encryption_key_file (${missing})`);
    expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
    writeFileSync(join(dataDir, "master.key.old"), "garbage");
    expectFailure(await run(["serve"], dataDir), 2, "master.key.old does not contain a key");
    expect(readdirSync(dataDir).sort()).toEqual(["fairlead.db", "master.key.old"]);
    expect(schemaOf(join(dataDir, "fairlead.db"))).toBe(released);
  });

  test("gives up no secret: --key-lost makes no key before everything else is tried", async () => {
    const dataDir = withoutKey();
    change(join(dataDir, "fairlead.db"), `DELETE FROM __migrations WHERE tag = '${NEWEST}'`);
    const unmounted = { "backup.dir": join(temporaryDirectory(), "unmounted") };
    const { status, stderr } = await run(["serve", "--key-lost"], dataDir, unmounted);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("backup.dir") });
    expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
    expectFailure(await run(["serve"], dataDir), 2, keyOf(dataDir), "is missing");
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
  test("warns of what was lost with a key whose loss was accepted, and says what helps", async () => {
    const dataDir = withoutKey();
    await (await TestServer.start({ dataDir, under: (line) => [...line, "--key-lost"] })).stop();
    expect(await told(dataDir)).toMatch(
      /^warning +master key +the server starts with it, .*two-factor secrets \(such as that of [0-9a-f-]{36}\).*: their users turn the second factor off with a backup code/,
    );
    await (await TestServer.start({ dataDir })).stop();
  });

  test("warns of a single value that is damaged, names it and says what helps", async () => {
    const server = await TestServer.start();
    await server.post("/v1/users/me/2fa/setup", { token: await server.admin() });
    const hook = await newWebhook(server);
    const token = await server.admin();
    expectStatus(await server.post(`/v1/notification-targets/${hook.id}/rotate-secret`, { token }), 200);
    await server.stop();
    damage(server.dataDir, "notification_targets", "former_secret");
    expect(await told(server.dataDir)).toMatch(
      new RegExp(
        `^warning +master key .*secrets of notification targets \\(such as that of ${hook.id}\\).*delete these notification targets`,
      ),
    );
    await (await TestServer.start({ dataDir: server.dataDir })).stop();
  });

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
