import { afterEach, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Token } from "../support/api";
import { leaveCutShort } from "../support/cut-short";
import { linesOf } from "../support/log";
import { canMount, inNamespace } from "../support/namespace";
import { expectFailure } from "../support/program";
import { command, environment, program, TestServer, temporaryDirectory } from "../support/server";
import { Client } from "../support/socket";
import { fix } from "../tracking/support";

/**
 * A disk that fills up while the server runs, in two ways: a small disk, and one that refuses every write.
 */

const servers: TestServer[] = [];
const onDisk: string[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const directory of onDisk.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A directory on a disk: a run of all tests may keep the others in memory, where open files take writes that they must refuse. */
function directoryOnDisk(): string {
  const directory = mkdtempSync("/var/tmp/fairlead-test-");
  onDisk.push(directory);
  return directory;
}

if (!canMount)
  process.stdout.write(
    "no mount namespaces here: the tests of a small disk and a read-only one are skipped\n",
  );

/** A server whose data directory is a disk of its own, of `mebibytes` MiB. */
async function onSmallDisk(mebibytes: number): Promise<{ server: TestServer; disk: string }> {
  const first = await TestServer.start();
  await first.stop();
  const dataDir = temporaryDirectory();
  const mounted = `mount -t tmpfs -o size=${mebibytes}m,mode=700 none "$0" && cp -a "${first.dataDir}/." "$0"`;
  const server = await TestServer.start({
    dataDir,
    under: (command) => [...inNamespace(mounted, dataDir), ...command],
  });
  servers.push(server);
  // The disk is in the namespace of the server's process.
  return { server, disk: join(`/proc/${server.pid}/root`, dataDir) };
}

/**
 * Runs a command on a copy of a data directory on a disk of its own, which a script has spoiled; returns what it prints, and the
 * names that it leaves in the directory, with the bytes of the database's log. In arguments and output, DATA is the directory.
 */
function runOnDisk(from: string, spoil: string, args: string[]) {
  const dataDir = temporaryDirectory();
  const mounted = `mount -t tmpfs -o size=8m,mode=700 none "$0" && cp -a "${from}/." "$0" && ${spoil}`;
  const { stdout } = Bun.spawnSync(
    [
      ...inNamespace(mounted, dataDir),
      ...["sh", "-c", `"$@" 2>&1; echo ---; ls "$0"; echo ---; ${SIZE_OF_LOG}`, dataDir],
      ...[...program, ...args.map((arg) => arg.replace("DATA", dataDir)), "--data-dir", dataDir],
    ],
    { env: environment({ "server.port": "0" }), stdout: "pipe", stderr: "inherit", timeout: 60_000 },
  );
  const [output = "", names = "", log = ""] = stdout.toString().split("---\n");
  return {
    output: output.replaceAll(dataDir, "DATA"),
    names: names.trim().split("\n"),
    log: Number(log),
  };
}

const SIZE_OF_LOG = `stat -c %s "$0/fairlead.db-wal" 2>/dev/null`;
const FILL = `! cat /dev/zero 2>/dev/null >"$0/filler"`;
const MAKE_READ_ONLY = `mount -o remount,ro "$0"`;
const MOVE_BEHIND_LINK = `mkdir "$0/volume" && mv "$0"/fairlead.db* "$0/volume" && ln -s volume/fairlead.db "$0"`;

/** The data directory of a server that has ended, or was killed and has lost the index of its log. */
async function directoryAfter(signal: "SIGTERM" | "SIGKILL"): Promise<string> {
  const server = await TestServer.start();
  await server.stop(signal);
  rmSync(join(server.dataDir, "fairlead.db-shm"), { force: true });
  return server.dataDir;
}

/** Makes a write of each kind; returns the statuses. */
async function write(server: TestServer, token: Token): Promise<number[]> {
  const answers = await Promise.all([
    server.post("/v1/gps", { token, body: fix() }),
    server.post("/v1/devices", { token, body: { name: "Greif" } }),
    server.post("/v1/settings", { token, body: { key: crypto.randomUUID(), value: 1 } }),
    server.post("/v1/trips", { token, body: { name: "trip", notes: "x".repeat(9_000) } }),
  ]);
  return answers.map(({ status, headers, body }) => {
    if (status === 503) {
      expect(body.error).toBe("ServiceUnavailable");
      expect(headers.get("retry-after")).not.toBeNull();
    }
    return status;
  });
}

/** Tests a server on a disk that stops accepting writes, and later accepts them again. */
async function expectToLiveOn(
  server: TestServer,
  fill: () => void | Promise<void>,
  empty: () => void | Promise<void>,
): Promise<void> {
  const token = await server.admin();
  const client = await (await Client.open(server, { token })).subscribe("gps");
  expect(await write(server, token)).toEqual([201, 201, 201, 201]);
  const kept = (await server.get("/v1/gps", { token })).body.data[0].id;

  await fill();
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  for (let count = 0; count < 30; count++) {
    // The remaining room in the files may still be used.
    const { status, body } = await server.post("/v1/gps", { token, body: fix() });
    statuses.add(status);
    if (status === 201) acknowledged.push(body.data.id);
  }
  while ((await write(server, token)).includes(201));
  expect(statuses).toContain(503);
  expect(await write(server, token)).toEqual([503, 503, 503, 503]);
  for (const path of [`/v1/gps/${kept}`, "/v1/devices", "/v1/users/me", "/v1/settings", "/v1/stats/public"])
    expect([path, (await server.get(path, { token })).status]).toEqual([path, 200]);
  await client.heard();
  // Dozens of refusals with one cause must not write dozens of lines.
  expect((await linesOf(server, '"level":"error"')).length).toBeLessThan(10);

  await empty();
  expect(await write(server, token)).toEqual([201, 201, 201, 201]);
  for (const id of [kept, ...acknowledged])
    expect((await server.get(`/v1/gps/${id}`, { token })).status).toBe(200);
  expect((await client.heard()).some(({ type }) => type === "gpsUpdate")).toBe(true);
  await client.close();
}

describe("a full disk refuses writes with 503 and nothing else, and recovers by itself:", () => {
  test.skipIf(!canMount)("a small one that is filled up", async () => {
    const { server, disk } = await onSmallDisk(6);
    const filler = join(disk, "filler");
    await expectToLiveOn(
      server,
      () => {
        for (const size of [1_048_576, 4_096, 1])
          try {
            for (;;) writeFileSync(filler, "x".repeat(size), { flag: "a" });
          } catch {
            // Full in parts of this size.
          }
      },
      () => rmSync(filler),
    );
  });

  test("one that refuses every write", async () => {
    const server = await TestServer.start({
      under: (command) => ["sh", "-c", `trap '' XFSZ; exec "$@"`, "sh", ...command],
    });
    servers.push(server);
    const limit = (bytes: string) =>
      Bun.spawnSync(["prlimit", "--pid", String(server.pid), `--fsize=${bytes}:`]).exitCode;
    await expectToLiveOn(
      server,
      () => expect(limit("0")).toBe(0),
      () => expect(limit("unlimited")).toBe(0),
    );
  });
});

describe.skipIf(!canMount)("a disk that is full while no server runs", () => {
  const FULL = "the disk of DATA is full; free some space, then run this again";

  test("refuses every command for this reason, which leaves nothing", async () => {
    const from = await directoryAfter("SIGTERM");
    const left = [...readdirSync(from), "filler"].sort();
    const user = ["--username", "anna", "--email", "anna@example.org"];
    for (const args of [["audit", "verify"], ["user", "create", ...user], ["serve"]]) {
      const { output, names } = runOnDisk(from, FILL, args);
      expect(output).toMatch(/^fairlead: [^\n]+\n$/);
      expect(output).toContain(FULL);
      expect(names).toEqual(left);
    }
  });

  test("leaves a log that holds something", async () => {
    const from = await directoryAfter("SIGKILL");
    const { size } = statSync(join(from, "fairlead.db-wal"));
    expect(size).toBeGreaterThan(0);
    const copy = temporaryDirectory();
    for (const args of [
      ["audit", "verify"],
      ["backup", join(copy, "copy.db")],
    ]) {
      const { output, log } = runOnDisk(from, FILL, args);
      expect(output).toContain(FULL);
      expect(log).toBe(size);
    }
    expect(readdirSync(copy)).toEqual([]);
  });

  test("lets the database be backed up to another one after a clean end", async () => {
    const from = await directoryAfter("SIGTERM");
    const file = join(temporaryDirectory(), "copy.db");
    const { output, names } = runOnDisk(from, FILL, ["backup", file]);
    expect(output).toContain(`Copied the database to ${file}`);
    expect(names).toEqual([...readdirSync(from), "filler"].sort());
    expect((await command(["restore", file, "--data-dir", temporaryDirectory()])).status).toBe(0);
  });

  test("for a backup too is named", async () => {
    const from = await directoryAfter("SIGTERM");
    const { output, names } = runOnDisk(from, FILL, ["backup", "DATA/copy.db"]);
    expect(output).toContain(`to DATA/copy.db failed: ${FULL}`);
    expect(names).toEqual([...readdirSync(from), "filler"].sort());
  });

  test("is what the doctor finds of a database that it can't read", async () => {
    const { output } = runOnDisk(await directoryAfter("SIGKILL"), FILL, ["doctor"]);
    expect(output).toMatch(new RegExp(`^problem +database +it cannot be read: ${FULL}$`, "m"));
    expect(output).not.toContain("restore");
  });
});

/**
 * Makes a directory and everything in it read-only, for root and for files that are open too; null where that
 * can't be done. The returned function undoes it. A separate process does so as well, in case this one is
 * killed: otherwise not even root could remove the directory.
 */
async function makeImmutable(directory: string): Promise<(() => Promise<void>) | null> {
  const script = `trap '' INT TERM HUP; chattr -R +i "$0" && echo done; cat > /dev/null; chattr -R -i "$0"`;
  const child = Bun.spawn(["sh", "-c", script, directory], { stdio: ["pipe", "pipe", "ignore"] });
  const release = async () => {
    await child.stdin.end();
    await child.exited;
  };
  const { value } = await child.stdout.getReader().read();
  if (value) return release;
  await release();
  return null;
}

/** Null where this user can't make files of this file system immutable. */
const releaseTrial = Bun.which("chattr") ? await makeImmutable(directoryOnDisk()) : null;
await releaseTrial?.();
if (!releaseTrial)
  process.stdout.write(
    "no immutable files here (chattr, root, ext4): the test of a directory that turns read-only is skipped\n",
  );

describe("a read-only data directory", () => {
  test.skipIf(!releaseTrial)(
    "refuses writes with 503 while the server runs, and recovers by itself",
    async () => {
      const first = await TestServer.start();
      await first.stop();
      const dataDir = directoryOnDisk();
      cpSync(first.dataDir, dataDir, { recursive: true });
      const server = await TestServer.start({ dataDir });
      servers.push(server);
      const made: { release?: (() => Promise<void>) | null } = {};
      try {
        await expectToLiveOn(
          server,
          async () => {
            made.release = await makeImmutable(server.dataDir);
            expect(made.release).not.toBeNull();
          },
          async () => made.release?.(),
        );
      } finally {
        await made.release?.();
      }
    },
  );

  test.skipIf(!canMount)("can be backed up after a clean end", async () => {
    const from = await directoryAfter("SIGTERM");
    const file = join(temporaryDirectory(), "copy.db");
    const { output, names } = runOnDisk(from, MAKE_READ_ONLY, ["backup", file]);
    expect(output).toContain(`Copied the database to ${file}`);
    expect(names).toEqual(readdirSync(from).sort());
    const restored = await command(["restore", file, "--data-dir", temporaryDirectory()]);
    expect(restored.status).toBe(0);
  });

  test.skipIf(!canMount)("can be backed up with a log that holds nothing", async () => {
    const from = await directoryAfter("SIGTERM");
    writeFileSync(join(from, "fairlead.db-wal"), "");
    const file = join(temporaryDirectory(), "copy.db");
    expect(runOnDisk(from, MAKE_READ_ONLY, ["backup", file]).output).toContain(`Copied the database`);
    expect(runOnDisk(from, MAKE_READ_ONLY, ["doctor"]).output).toMatch(/^ok +database +sound/m);
  });

  test.skipIf(!canMount).each([
    ["the log beside what a link leads to", "SIGKILL", `${MOVE_BEHIND_LINK} &&`, "DATA/volume", "wal"],
    ["a journal", "SIGTERM", "", "DATA", "journal"],
  ] as const)("is never backed up without %s", async (_, signal, spoil, place, log) => {
    const from = await directoryAfter(signal);
    const database = join(from, "fairlead.db");
    if (log === "journal") {
      const whole = join(temporaryDirectory(), "whole.db");
      renameSync(database, whole);
      leaveCutShort(whole, database, "UPDATE users SET username = 'anna'");
    }
    const why = `${place} cannot be written (EROFS: read-only file system), as reading fairlead.db-${log} requires; once no server runs, copy fairlead.db and fairlead.db-${log} to`;
    const copy = temporaryDirectory();
    const spoiled = `${spoil} ${MAKE_READ_ONLY}`;
    expect(runOnDisk(from, spoiled, ["backup", join(copy, "backup.db")]).output).toContain(why);
    expect(readdirSync(copy)).toEqual([]);
    expect(runOnDisk(from, spoiled, ["doctor"]).output).toContain(`it cannot be read: ${why}`);
  });

  test.skipIf(!canMount)(
    "whose log can't be read is named, with the way to a copy all the same",
    async () => {
      const from = await directoryAfter("SIGKILL");
      const copy = temporaryDirectory();
      const why =
        "DATA cannot be written (EROFS: read-only file system), as reading fairlead.db-wal requires; once no server runs, copy fairlead.db and fairlead.db-wal to another disk, where fairlead restore reads them together";
      const backup = runOnDisk(from, MAKE_READ_ONLY, ["backup", join(copy, "backup.db")]);
      expect(backup.output).toContain(why);
      expect(readdirSync(copy)).toEqual([]);
      expect(runOnDisk(from, MAKE_READ_ONLY, ["doctor"]).output).toContain(`it cannot be read: ${why}\n`);
      for (const name of ["fairlead.db", "fairlead.db-wal"]) cpSync(join(from, name), join(copy, name));
      const restored = await command([
        ...["restore", join(copy, "fairlead.db")],
        ...["--data-dir", temporaryDirectory()],
      ]);
      expect(restored.status).toBe(0);
    },
  );

  test.skipIf(!canMount)("ends the start with status 1 and one line that names it", async () => {
    const server = await TestServer.start();
    await server.stop();
    const { dataDir } = server;
    const mounted = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
    const child = Bun.spawn([...inNamespace(mounted, dataDir), ...program, "serve", "--data-dir", dataDir], {
      stdio: ["ignore", "pipe", "pipe"],
      env: environment({ "server.port": "0" }),
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expectFailure({ status: await child.exited, stdout, stderr }, 1, dataDir);
  });
});
