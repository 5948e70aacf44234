import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { readKeyFile } from "../../../src/kernel/process/data-dir";
import { SEALED } from "../../../src/server/keys/columns";
import { HOOK, newWebhook } from "../../alerts/targets/support";
import { challenge, guarded, signInWithBoth, verifyLogin } from "../../identity/two-factor/support";
import { expectStatus } from "../../support/expectations";
import { canMount, inNamespace } from "../../support/namespace";
import { AS_NOBODY, canBeNobody, expectFailure, NOBODY } from "../../support/program";
import { randomFrom } from "../../support/random";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../../support/server";
import { addSecrets, formerFile, keyFile, keysIn, opened, readKey, secretsIn } from "./support";

/** `fairlead key rotate-master`. */

const random = randomFrom(4);

const ROTATE = ["key", "rotate-master"];
const rotate = (dataDir: string, settings: Settings = {}) =>
  command(ROTATE, { settings: { "data.dir": dataDir, ...settings } });

/** The doctor's lines on the master key. */
const doctorOnKey = async (dataDir: string, settings: Settings = {}): Promise<string> =>
  (await command(["doctor"], { settings: { "data.dir": dataDir, ...settings } })).stdout
    .split("\n")
    .filter((line) => line.includes(" master key "))
    .join("\n");

/** Expects that one key opens all secrets, each with the text that it had. */
function expectOpened(dataDir: string, key: Buffer, plain: Map<string, string>): void {
  const found = secretsIn(dataDir);
  const texts = new Map(found.map(({ sealed, boundTo }) => [boundTo, opened(key, sealed, boundTo)]));
  expect([...texts.values()].filter((text) => text === null)).toEqual([]);
  for (const [boundTo, text] of plain) expect(texts.get(boundTo)).toBe(text);
}

/** The texts of all secrets by what they are bound to; those in lists share that with others. */
const textsIn = (dataDir: string, key: Buffer): Map<string, string> =>
  new Map(
    secretsIn(dataDir)
      .filter(({ column }) => column.table !== "master_key" && column.table !== "notification_targets")
      .map(({ sealed, boundTo }) => [boundTo, opened(key, sealed, boundTo) as string]),
  );

describe("while the server runs", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ clock: "movable" });
  });
  afterAll(() => server.stop());

  test("all is encrypted with a new key, no request fails, and what was stored goes on working", async () => {
    const [anna, berta] = [await guarded(server), await guarded(server)];
    const hook = await newWebhook(server);
    for (let n = 0; n < 2; n++)
      expectStatus(
        await server.post(`/v1/notification-targets/${hook.id}/rotate-secret`, {
          token: await server.admin(),
        }),
        200,
      );
    const before = readKey(keyFile(server.dataDir));
    addSecrets(server.dataDir, before, 1_000, ["trackers"]);
    const plain = textsIn(server.dataDir, before);

    let isDone = false;
    const rotating = rotate(server.dataDir).finally(() => {
      isDone = true;
    });
    let made = 0;
    while (!isDone) {
      // Each reads a secret and writes another.
      expectStatus(await server.post("/v1/users/me/2fa/setup", { token: await server.admin() }), 200);
      await newWebhook(server, HOOK, { name: `hook ${made++}` }).then(({ id }) =>
        server.delete(`/v1/notification-targets/${id}`, { token: server.systemKey }),
      );
    }
    const { status, stdout, stderr } = await rotating;
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`The key in ${keyFile(server.dataDir)} is new`);
    expect(existsSync(formerFile(server.dataDir))).toBe(false);
    const after = readKey(keyFile(server.dataDir));
    expect(after.equals(before)).toBe(false);
    expect(statSync(keyFile(server.dataDir)).mode & 0o777).toBe(0o600);
    expectOpened(server.dataDir, after, plain);

    expectStatus(await signInWithBoth(server, anna), 200);
    expectStatus(await verifyLogin(server, await challenge(server, berta), berta.backupCodes[0]), 200);
    const fresh = await guarded(server);
    expectStatus(await signInWithBoth(server, fresh), 200);
    expectOpened(server.dataDir, after, new Map());
  });

  test("again and again, and after a restart: codes from before each count", async () => {
    const user = await guarded(server);
    for (let n = 0; n < 2; n++) expect((await rotate(server.dataDir)).status).toBe(0);
    expectStatus(await verifyLogin(server, await challenge(server, user), user.backupCodes[0]), 200);
    await server.stop();
    server = await TestServer.start({ dataDir: server.dataDir, clock: "movable", ahead: server.ahead });
    expectStatus(await verifyLogin(server, await challenge(server, user), user.backupCodes[1]), 200);
    expectStatus(await signInWithBoth(server, user), 200);
  });
});

describe("killed", () => {
  let dataDir: string;
  let plain: Map<string, string>;
  beforeAll(async () => {
    const server = await TestServer.start();
    await server.stop();
    dataDir = server.dataDir;
    const key = readKey(keyFile(dataDir));
    addSecrets(dataDir, key, 400);
    plain = textsIn(dataDir, key);
  });

  /** Begins a rotation, kills it some time after its beginning, and tells if it was killed before its end. */
  async function killWithin(most: number): Promise<boolean> {
    const wasBegun = existsSync(formerFile(dataDir));
    const child = Bun.spawn([...program, ...ROTATE], {
      env: environment({ "data.dir": dataDir }),
      stdio: ["ignore", "ignore", "ignore"],
    });
    const hasEnded = () => child.exitCode !== null;
    while (!wasBegun && !existsSync(formerFile(dataDir)) && !hasEnded()) await Bun.sleep(1);
    await Bun.sleep(random() * most);
    child.kill("SIGKILL");
    await child.exited;
    return existsSync(formerFile(dataDir));
  }

  test("at any moment, every secret can be opened by a key in a file, and another call goes on", async () => {
    let interrupted = 0;
    for (let n = 0; n < 12; n++) {
      if (await killWithin(n < 4 ? 60 : 700)) interrupted++;
      const keys = keysIn(dataDir);
      for (const { sealed, boundTo } of secretsIn(dataDir))
        if (!keys.some((key) => opened(key, sealed, boundTo) !== null)) throw new Error(`lost: ${boundTo}`);
    }
    expect(interrupted).toBeGreaterThan(3);
    const wasBegun = existsSync(formerFile(dataDir));
    const { status, stdout } = await rotate(dataDir);
    expect(status).toBe(0);
    // Killed at its very end, it leaves nothing but the former key.
    expect(/^(Went on|Nothing was left)/.test(stdout)).toBe(wasBegun);
    expect(keysIn(dataDir)).toHaveLength(1);
    expect(existsSync(join(dataDir, "key-rotation.lock"))).toBe(false);
    expectOpened(dataDir, readKey(keyFile(dataDir)), plain);
  });

  test("it is done by the next start of the server, and the doctor tells of it until then", async () => {
    while (!(await killWithin(60)));
    const doctor = await command(["doctor"], { settings: { "data.dir": dataDir } });
    expect(doctor.stdout).toMatch(/^warning +master key +its rotation is not done.*key rotate-master/m);
    const server = await TestServer.start({ dataDir });
    try {
      expect(keysIn(dataDir)).toHaveLength(1);
      expectOpened(dataDir, readKey(keyFile(dataDir)), plain);
    } finally {
      await server.stop();
    }
  });

  test("before the new key is in its place, another call makes one", async () => {
    const before = readFileSync(keyFile(dataDir), "utf8");
    writeFileSync(formerFile(dataDir), before, { mode: 0o600 });
    expect((await rotate(dataDir)).status).toBe(0);
    expect(readFileSync(keyFile(dataDir), "utf8")).not.toBe(before);
    expectOpened(dataDir, readKey(keyFile(dataDir)), plain);
  });

  test("where master.key is a link: it stays one, and the file that it leads to gets the new key", async () => {
    const elsewhere = temporaryDirectory();
    const file = join(elsewhere, "fairlead.key");
    renameSync(keyFile(dataDir), file);
    symlinkSync(file, keyFile(dataDir));
    const before = readKey(file);
    while (!(await killWithin(60))) expectOpened(dataDir, readKey(file), plain);
    for (const { sealed, boundTo } of secretsIn(dataDir))
      expect(keysIn(dataDir).some((key) => opened(key, sealed, boundTo) !== null)).toBe(true);
    expect((await rotate(dataDir)).status).toBe(0);
    expect(lstatSync(keyFile(dataDir)).isSymbolicLink()).toBe(true);
    expect(existsSync(formerFile(dataDir))).toBe(false);
    expect(readKey(file).equals(before)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expectOpened(dataDir, readKey(file), plain);
  });
});

test.each([
  ["a link", (dataDir: string) => join(dataDir, "stick", "fairlead.key")],
  ["a relative link", (_: string) => join("stick", "fairlead.key")],
])(
  "no key is made in place of %s to a file that is missing, as on a disk that is not mounted",
  async (_, target) => {
    const dataDir = temporaryDirectory();
    symlinkSync(target(dataDir), keyFile(dataDir));
    const settings = { "data.dir": dataDir, "server.port": "0" };
    const named = [
      `the key file ${keyFile(dataDir)} is a link to ${join(dataDir, "stick", "fairlead.key")}, which leads to nothing`,
      "restore your copy of the key",
    ];
    expectFailure(await command(["serve"], { settings }), 2, ...named);
    expect(readdirSync(dataDir)).toEqual(["master.key"]);
    expect(await doctorOnKey(dataDir)).toMatch(/^problem .*is a link to/);
  },
);

test("links that lead in a circle are named as such, without the program's call", async () => {
  const dataDir = temporaryDirectory();
  symlinkSync("master.key", keyFile(dataDir));
  const why = `the key file ${keyFile(dataDir)} cannot be read: ELOOP: too many symbolic links encountered\n`;
  const { status, stderr } = await command(["serve"], {
    settings: { "data.dir": dataDir, "server.port": "0" },
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: `fairlead: ${why}` });
  const de = `die Schlüsseldatei ${keyFile(dataDir)} lässt sich nicht lesen: die Verweise führen im Kreis (ELOOP)`;
  expect(() => readKeyFile(keyFile(dataDir))).toThrow(
    expect.objectContaining({ words: expect.objectContaining({ de }) }),
  );
});

test.skipIf(!canMount)("a key file that leads to a read-only disk is named with its target", async () => {
  const server = await TestServer.start();
  await server.stop();
  const { dataDir } = server;
  const elsewhere = temporaryDirectory();
  const file = join(elsewhere, "fairlead.key");
  renameSync(keyFile(dataDir), file);
  symlinkSync(file, keyFile(dataDir));
  const before = readKey(file);
  const mounted = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
  const child = Bun.spawnSync([...inNamespace(mounted, elsewhere), ...program, ...ROTATE], {
    env: environment({ "data.dir": dataDir }),
  });
  expect([child.exitCode, child.stderr.toString()]).toEqual([
    1,
    expect.stringContaining(`${keyFile(dataDir)} (which leads to ${file}) cannot be replaced: EROFS`),
  ]);
  expect(readKey(file)).toEqual(before);
});

describe.each([
  ["another call", async (dataDir: string) => (await rotate(dataDir)).status],
  ["the next start", async (dataDir: string) => (await TestServer.start({ dataDir })).stop()],
])("killed before the new key is noted, %s goes on", (_, goOn) => {
  /** The data directory of a stopped server, without the key of ID tokens that each makes. */
  async function dataDirectory(): Promise<string> {
    const server = await TestServer.start();
    await server.stop();
    const database = new Database(join(server.dataDir, "fairlead.db"));
    database.run("DELETE FROM oauth_signing_keys");
    database.close();
    expect(secretsIn(server.dataDir)).toEqual([]);
    return server.dataDir;
  }

  /** Puts another key in the place of the present one, whose copy stays, as a rotation does at first. */
  async function expectToGoOn(dataDir: string): Promise<void> {
    const next = `${Buffer.alloc(32, 6).toString("base64")}\n`;
    copyFileSync(keyFile(dataDir), formerFile(dataDir));
    writeFileSync(keyFile(dataDir), next);
    expect(await doctorOnKey(dataDir)).toMatch(/^warning .*its rotation is not done/);
    expect(await goOn(dataDir)).toBe(0);
    expect(existsSync(formerFile(dataDir))).toBe(false);
    expect(readFileSync(keyFile(dataDir), "utf8")).toBe(next);
  }

  test("in a database without secrets", async () => expectToGoOn(await dataDirectory()));

  test("where all secrets were given up with a lost key", async () => {
    const dataDir = await dataDirectory();
    addSecrets(dataDir, Buffer.alloc(32, 5), 2, ["trackers"]);
    rmSync(keyFile(dataDir));
    expectFailure(await rotate(dataDir), 2, "OwnTracks", "is missing");
    await (await TestServer.start({ dataDir, under: (line) => [...line, "--key-lost"] })).stop();
    await expectToGoOn(dataDir);
    await (await TestServer.start({ dataDir })).stop();
  });
});

describe("what cannot be rotated", () => {
  test("a directory without a database or without a key", async () => {
    const empty = temporaryDirectory();
    expectFailure(await rotate(empty), 1, "there is no database");
    expect(readdirSync(empty)).toEqual([]);
    const server = await TestServer.start();
    await server.stop();
    rmSync(keyFile(server.dataDir));
    expectFailure(await rotate(server.dataDir), 1, "there is no master key", "start the server once");
    expect(readdirSync(server.dataDir).filter((name) => /key/.test(name))).toEqual([]);
  });

  test("with a key that is not that of the database: neither the key nor the keys of backup codes are replaced", async () => {
    const server = await TestServer.start();
    await server.stop();
    const right = readFileSync(keyFile(server.dataDir));
    addSecrets(server.dataDir, readKey(keyFile(server.dataDir)), 3);
    expect((await rotate(server.dataDir)).status).toBe(0);
    const rotated = readFileSync(keyFile(server.dataDir));
    expect(rotated).not.toEqual(right);
    const secrets = secretsIn(server.dataDir);
    writeFileSync(keyFile(server.dataDir), right);
    expectFailure(
      await rotate(server.dataDir),
      2,
      `${keyFile(server.dataDir)} cannot decrypt`,
      "backup codes",
    );
    expect(readFileSync(keyFile(server.dataDir))).toEqual(right);
    rmSync(keyFile(server.dataDir));
    expectFailure(
      await rotate(server.dataDir),
      2,
      `${keyFile(server.dataDir)}, which decrypts`,
      "is missing",
    );
    expect(keysIn(server.dataDir)).toEqual([]);
    expect(secretsIn(server.dataDir)).toEqual(secrets);
    writeFileSync(keyFile(server.dataDir), rotated);
    expect((await rotate(server.dataDir)).status).toBe(0);
    expectOpened(server.dataDir, readKey(keyFile(server.dataDir)), new Map());
  });

  test("beside a master.key.old that is of no rotation of this database: it may be the only copy of a key", async () => {
    const server = await TestServer.start();
    await newWebhook(server);
    await server.stop();
    const { dataDir } = server;
    expect((await rotate(dataDir)).status).toBe(0);
    const key = readFileSync(keyFile(dataDir));
    const foreign = `${Buffer.alloc(32, 5).toString("base64")}\n`;
    writeFileSync(formerFile(dataDir), foreign);
    expectFailure(await rotate(dataDir), 1, formerFile(dataDir), "no rotation", "another name");
    expect(await doctorOnKey(dataDir)).toMatch(
      /^warning .*master\.key\.old holds a key of no rotation.*another name/,
    );
    const started = await TestServer.start({ dataDir });
    await started.stop();
    expect(started.output).toMatch(/"error".*rotation of the master key/);
    expect(readFileSync(formerFile(dataDir), "utf8")).toBe(foreign);
    expect(readFileSync(keyFile(dataDir))).toEqual(key);
    writeFileSync(formerFile(dataDir), "a note");
    expectFailure(await rotate(dataDir), 2, formerFile(dataDir), "remove it");
    expectFailure(await command(["serve"], { settings: { "data.dir": dataDir } }), 2, "remove it");
    expect(await doctorOnKey(dataDir)).toMatch(
      /^problem .*master\.key\.old does not contain a key.*remove it/,
    );
    rmSync(formerFile(dataDir));
    expectOpened(dataDir, readKey(keyFile(dataDir)), new Map());
  });

  test("beside a foreign master.key.old where the keys of ID tokens are the only secrets", async () => {
    const server = await TestServer.start();
    expectStatus(await server.get("/oauth/jwks"), 200);
    await server.stop();
    const { dataDir } = server;
    const foreign = Buffer.alloc(32, 5).toString("base64");
    writeFileSync(formerFile(dataDir), foreign);
    expectFailure(await rotate(dataDir), 1, formerFile(dataDir), "no rotation");
    expect(readFileSync(formerFile(dataDir), "utf8")).toBe(foreign);
  });

  test("beside a foreign master.key.old where there are no secrets, as before a restore on a new machine", async () => {
    const dataDir = temporaryDirectory();
    const [key, foreign] = [5, 6].map((byte) => Buffer.alloc(32, byte).toString("base64"));
    writeFileSync(keyFile(dataDir), key as string);
    writeFileSync(formerFile(dataDir), foreign as string);
    for (let start = 0; start < 2; start++) {
      const server = await TestServer.start({ dataDir });
      await server.stop();
      expect(server.output).toMatch(/"error".*rotation of the master key.*no rotation of this database/);
      expect(readFileSync(keyFile(dataDir), "utf8")).toBe(key as string);
      expect(readFileSync(formerFile(dataDir), "utf8")).toBe(foreign as string);
    }
    expect(await doctorOnKey(dataDir)).toMatch(/^warning .*master\.key\.old holds a key of no rotation/);
  });

  test("where all is encrypted anew: a former key that somebody keeps is removed, and the present one stays", async () => {
    const server = await TestServer.start();
    await server.stop();
    const { dataDir } = server;
    addSecrets(dataDir, readKey(keyFile(dataDir)), 3);
    const former = readFileSync(keyFile(dataDir));
    expect((await rotate(dataDir)).status).toBe(0);
    const present = readFileSync(keyFile(dataDir));
    writeFileSync(formerFile(dataDir), former);
    const { status, stdout } = await rotate(dataDir);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Nothing was left to do: the key in .* stays as it was/);
    expect(stdout).not.toContain("is new");
    expect(readFileSync(keyFile(dataDir))).toEqual(present);
    expect(existsSync(formerFile(dataDir))).toBe(false);
  });

  test("what was lost with a key before is told in words", async () => {
    const server = await TestServer.start();
    await server.stop();
    const { dataDir } = server;
    addSecrets(dataDir, readKey(keyFile(dataDir)), 3);
    // It stores keys of backup codes.
    expect((await rotate(dataDir)).status).toBe(0);
    rmSync(keyFile(dataDir));
    await (await TestServer.start({ dataDir, under: (line) => [...line, "--key-lost"] })).stop();
    const { status, stdout, stderr } = await rotate(dataDir);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^The key in .* is new/);
    expect(stdout).toMatch(/^Warning: neither key decrypts some of the .*two-factor secrets/m);
    expect(stdout).not.toContain("{");
  });

  test("a key that is a value of the configuration", async () => {
    const key = Buffer.alloc(32, 1).toString("base64");
    expectFailure(
      await rotate(temporaryDirectory(), { "security.encryption_key": key }),
      1,
      "security.encryption_key, which this command cannot change",
      "security.encryption_key_file",
    );
  });
});

test.skipIf(!canMount || process.geteuid?.() !== 0)(
  "a key file whose owner the new one can't be given to stays as it is",
  async () => {
    const server = await TestServer.start();
    await server.stop();
    const { dataDir } = server;
    const former = readKey(keyFile(dataDir));
    const names = readdirSync(dataDir).sort();
    // In a namespace of users that lacks this one.
    chownSync(keyFile(dataDir), 12_345, 12_345);
    chmodSync(keyFile(dataDir), 0o644);
    const child = Bun.spawnSync([...inNamespace("true", dataDir), ...program, ...ROTATE], {
      env: environment({ "data.dir": dataDir }),
    });
    expect([child.exitCode, child.stderr.toString()]).toEqual([
      1,
      expect.stringContaining("cannot be replaced"),
    ]);
    expect(keysIn(dataDir)).toEqual([former]);
    expect(readdirSync(dataDir).sort()).toEqual(names);
    expect((await rotate(dataDir)).status).toBe(0);
    expect(keysIn(dataDir)).not.toEqual([former]);
  },
);

test("the new file keeps mode, owner and group of the former one, by which the server reads it", async () => {
  const server = await TestServer.start();
  try {
    const user = await guarded(server);
    const file = keyFile(server.dataDir);
    chmodSync(file, 0o640);
    if (process.geteuid?.() === 0) chownSync(file, 0, 12_345);
    const { uid, gid } = statSync(file);
    const before = readKey(file);
    expect((await rotate(server.dataDir)).status).toBe(0);
    expect(readKey(file).equals(before)).toBe(false);
    const after = statSync(file);
    expect([after.mode & 0o777, after.uid, after.gid]).toEqual([0o640, uid, gid]);
    expectStatus(await signInWithBoth(server, user), 200);
  } finally {
    await server.stop();
  }
});

test.skipIf(!canBeNobody).each([
  ["root's, and of a group that the server isn't in", 0, 0, 0o644],
  ["the server's, of a group that it isn't in", NOBODY, 12_345, 0o640],
  ["root's, which the server reads by its group alone", 0, NOBODY, 0o040],
])("a server's user who may not give the file away replaces %s", async (_, uid, gid, mode) => {
  const server = await TestServer.start();
  await server.stop();
  const { dataDir } = server;
  const file = keyFile(dataDir);
  const former = readKey(file);
  for (const path of ["", ...readdirSync(dataDir)]) chownSync(join(dataDir, path), NOBODY, NOBODY);
  chownSync(file, uid, gid);
  chmodSync(file, mode);
  const child = Bun.spawnSync([...AS_NOBODY, ...program, ...ROTATE], {
    ...{ cwd: "/", env: environment({ "data.dir": dataDir }), stdout: "pipe", stderr: "pipe" },
  });
  expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""]);
  expect(readKey(file).equals(former)).toBe(false);
  const after = statSync(file);
  const keepsGroup = gid === NOBODY;
  expect([after.uid, after.gid, after.mode & 0o777]).toEqual([NOBODY, NOBODY, keepsGroup ? 0o640 : 0o600]);
});

describe.each([
  ["another rotation", async (dataDir: string, settings: Settings) => rotate(dataDir, settings)],
  [
    "the next start",
    async (dataDir: string, settings: Settings) => (await TestServer.start({ dataDir, settings })).stop(),
  ],
])("a key that a killed rotation was writing is removed by %s", (_, goOn) => {
  const left = (file: string, end: string) => join(dirname(file), `.${basename(file)}${end}`);

  async function expectRemoved(dataDir: string, file: string, settings: Settings): Promise<void> {
    const unfinished = ["", ".old"].map((end) => left(file, `${end}.0123456789abcdef.partial`));
    const others = [left(file, ".pub.0123456789abcdef.partial"), left(file, ".partial")];
    for (const path of [...unfinished, ...others]) writeFileSync(path, "a key", { mode: 0o600 });
    await goOn(dataDir, settings);
    expect(unfinished.filter((path) => existsSync(path))).toEqual([]);
    expect(others.filter((path) => existsSync(path))).toEqual(others);
  }

  test("beside master.key", async () => {
    const server = await TestServer.start();
    await server.stop();
    await expectRemoved(server.dataDir, keyFile(server.dataDir), {});
    expect(existsSync(join(server.dataDir, "key-rotation.lock"))).toBe(false);
  });

  test("beside a file of the configuration, where a link leads to it", async () => {
    const [secrets, links] = [temporaryDirectory(), temporaryDirectory()];
    const file = join(secrets, "fairlead.key");
    const settings = { "security.encryption_key_file": join(links, "key") };
    writeFileSync(file, Buffer.alloc(32, 3).toString("base64"), { mode: 0o600 });
    symlinkSync(file, join(links, "key"));
    const server = await TestServer.start({ settings });
    await server.stop();
    const unfinished = left(file, ".0123456789abcdef.partial");
    writeFileSync(unfinished, "a key", { mode: 0o600 });
    await goOn(server.dataDir, settings);
    expect(existsSync(unfinished)).toBe(false);
  });
});

describe("security.encryption_key_file", () => {
  const settingsOf = (file: string): Settings => ({
    "security.encryption_key_file": file,
    "server.port": "0",
  });

  test("names the key: nothing is made beside the database, and a rotation changes that file", async () => {
    const secrets = join(temporaryDirectory(), "secrets");
    mkdirSync(secrets);
    const file = join(secrets, "fairlead.key");
    writeFileSync(file, `${Buffer.alloc(32, 3).toString("base64")}\n`, { mode: 0o600 });
    const server = await TestServer.start({ settings: settingsOf(file) });
    try {
      await newWebhook(server);
      expect(existsSync(keyFile(server.dataDir))).toBe(false);
      expect((await rotate(server.dataDir, settingsOf(file))).status).toBe(0);
      expect(readdirSync(secrets)).toEqual(["fairlead.key"]);
      expect(readKey(file).equals(Buffer.alloc(32, 3))).toBe(false);
      expectOpened(server.dataDir, readKey(file), new Map());
    } finally {
      await server.stop();
    }
  });

  test("that is missing stops the start with status 2, with secrets in the database and without", async () => {
    const missing = join(temporaryDirectory(), "missing.key");
    const fresh = temporaryDirectory();
    const start = (dataDir: string) =>
      command(["serve"], { settings: { "data.dir": dataDir, ...settingsOf(missing) } });
    expectFailure(await start(fresh), 2, `security.encryption_key_file (${missing}) does not exist`);
    // Nothing is made before.
    expect(readdirSync(fresh)).toEqual([]);
    expect(await doctorOnKey(fresh, settingsOf(missing))).toMatch(
      /^problem .*security\.encryption_key_file \(.*\) does not exist/,
    );
    const server = await TestServer.start();
    await newWebhook(server);
    await server.stop();
    expectFailure(await start(server.dataDir), 2, `the key file ${missing}, which decrypts`, "is missing");
    expect(existsSync(missing)).toBe(false);
  });

  test("beside security.encryption_key is a contradiction", async () => {
    const settings = {
      ...settingsOf(join(temporaryDirectory(), "k")),
      "security.encryption_key": Buffer.alloc(32, 1).toString("base64"),
      "data.dir": temporaryDirectory(),
    };
    expectFailure(
      await command(["serve"], { settings }),
      2,
      "security.encryption_key and security.encryption_key_file exclude each other",
    );
  });

  test("whose directory can't be written is left as it is", async () => {
    const secrets = join(temporaryDirectory(), "secrets");
    mkdirSync(secrets);
    const file = join(secrets, "fairlead.key");
    const key = Buffer.alloc(32, 3).toString("base64");
    writeFileSync(file, key, { mode: 0o600 });
    const server = await TestServer.start({ settings: settingsOf(file) });
    await server.stop();
    // Root may write anywhere; a name that is taken by a directory stops it as well.
    mkdirSync(`${file}.old`);
    expectFailure(await rotate(server.dataDir, settingsOf(file)), 1, `${file}.old`);
    expect(readFileSync(file, "utf8")).toBe(key);
    chmodSync(secrets, 0o700);
  });
});

describe("columns of encrypted values", () => {
  const src = join(import.meta.dir, "../../../src");
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(src, file), "utf8") }));

  test("are the only way to encrypt: nothing but they calls it, the rotation aside", () => {
    const users = sources
      .filter(({ text }) =>
        /\b(?:encrypt|encryptWith)\b/.test(text.replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, "")),
      )
      .map(({ file }) => file)
      .filter((file) => !file.startsWith("bridge/page/"))
      .sort();
    expect(users).toEqual([
      "kernel/crypto/encryption.ts",
      "kernel/crypto/sealed.ts",
      "kernel/db/master-key.ts",
      "server/keys/rotate.ts",
    ]);
  });

  test("are all rotated: each that is declared is in the list", () => {
    const declared = sources
      .filter(({ file }) => file !== "kernel/crypto/sealed.ts")
      .flatMap(({ text }) => [...text.matchAll(/^export const (\w+) = (?:sealedColumn|ofKind)\(/gm)])
      .map(([, name]) => name)
      .sort();
    const list = readFileSync(join(src, "server/keys/columns.ts"), "utf8");
    const listed = [...(list.split("SEALED")[1] ?? "").matchAll(/^ {2}(\w+),$/gm)]
      .map(([, name]) => name)
      .sort();
    expect(listed).toEqual(declared);
    expect(SEALED).toHaveLength(declared.length);
    const calls = sources.flatMap(({ text }) => text.match(/\bsealedColumn\(/g) ?? []).length;
    // One function makes two of them.
    expect(calls).toBe(declared.length - 1);
  });
});
