import { describe, expect, test } from "bun:test";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { Api } from "../../support/api";
import { ask } from "../../support/older-database";
import { afterShell, expectFailure, freePort, runAfterShell, start } from "../../support/program";
import { command, environment, program, TestServer, temporaryDirectory } from "../../support/server";

/** Every write to it fails as on a full disk. */
const FULL = "/dev/full";

const USER = ["user", "create", "--username", "abc", "--email", "a@example.org"];
const KEY = ["key", "create", "--name", "k", "--system"];

/** Expects that a command whose output goes to a full disk ends with status 1 and one line. */
async function expectUnwritten(args: string[], dataDir: string): Promise<void> {
  const full = openSync(FULL, "w");
  const child = Bun.spawn([...program, ...args], {
    env: environment({ "data.dir": dataDir }),
    stdio: ["ignore", full, "pipe"],
  });
  closeSync(full);
  const stderr = await new Response(child.stderr).text();
  expect(stderr).toMatch(/^fairlead: [^\n]*output[^\n]*no space[^\n]*\n$/);
  expect(await child.exited).toBe(1);
}

/** Settings of a server that writes a line for each request. */
const talkative = () => ({
  ...{ "server.port": String(freePort()), "log.level": "info", "data.dir": temporaryDirectory() },
});

/** Makes requests until the server answers, and then enough of them that it would write many lines. */
async function expectService(port: string): Promise<void> {
  const api = new Api(`http://127.0.0.1:${port}`);
  while (!(await fetch(`${api.url}/health`).catch(() => null))) await Bun.sleep(20);
  for (let at = 0; at < 20; at++) expect((await api.get("/health")).status).toBe(200);
}

describe("a server whose lines cannot be written goes on serving and stops with status 0:", () => {
  test.skipIf(!existsSync(FULL))("the disk is full, from the start", async () => {
    const settings = talkative();
    const full = openSync(FULL, "w");
    const child = Bun.spawn([...program, "serve"], {
      env: environment(settings),
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    const stderr = new Response(child.stderr).text();
    await expectService(settings["server.port"]);
    child.kill("SIGTERM");
    expect({ status: await child.exited, stderr: await stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("the reader of the pipe is gone", async () => {
    const settings = talkative();
    const server = start(["serve"], settings);
    await server.prints(/listens on/);
    await server.hangUp();
    await expectService(settings["server.port"]);
    expect(await server.stop()).toMatchObject({ status: 0, stderr: "" });
  });

  test("the terminal was closed, and the server started with nohup", async () => {
    const settings = talkative();
    const child = Bun.spawn(afterShell("trap '' HUP", ["serve"]), {
      env: environment(settings),
      terminal: { cols: 80, rows: 24 },
    });
    await expectService(settings["server.port"]);
    child.terminal?.close();
    await expectService(settings["server.port"]);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });
});

describe("a server whose terminal is closed", () => {
  test("stops gracefully, as at SIGTERM", async () => {
    const server = await TestServer.start({ settings: { "log.level": "info" } });
    expect(await server.stop("SIGHUP")).toBe(0);
    expect(server.output).toContain('"message":"stopped"');
  });
});

describe("a command", () => {
  for (const args of [["openapi"], ["config"], ["--help"], ["--version"]])
    test(`ends quietly with status 0 when nobody reads on: ${args.join(" ")}`, async () => {
      const running = start(args, { "data.dir": temporaryDirectory() });
      await running.hangUp();
      expect(await running.stop(null)).toMatchObject({ status: 0, stderr: "" });
    });

  test.skipIf(!existsSync(FULL))(
    "ends with status 1 and one line when its output cannot be written",
    async () => {
      for (const args of [["openapi"], ["config"], ["--help"], USER]) {
        const dataDir = join(temporaryDirectory(), "new");
        await expectUnwritten(args, dataDir);
        expect(existsSync(dataDir)).toBe(false);
      }
    },
  );

  test.skipIf(!existsSync(FULL))(
    "creates no user and no key whose password or secret it could not show",
    async () => {
      const dataDir = temporaryDirectory();
      const settings = { "data.dir": dataDir };
      expect((await command(["migrate"], { settings })).status).toBe(0);
      for (const args of [USER, [...USER, "--json"], KEY, [...KEY, "--json"]])
        await expectUnwritten(args, dataDir);
      const running = start(KEY, settings);
      await running.hangUp();
      expect(await running.stop(null)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("output"),
      });
      for (const args of [USER, KEY])
        expectFailure(
          await runAfterShell("exec >&-", args, settings),
          1,
          "output cannot be written: it is closed",
        );
      const database = join(dataDir, "fairlead.db");
      expect(ask(database, "SELECT id FROM users UNION ALL SELECT id FROM api_keys")).toEqual([]);
      expect(ask(database, "SELECT count(*) FROM audit_events")).toEqual([0]);
      expect(await command(USER, { settings })).toMatchObject({ status: 0, stderr: "" });
    },
  );
});
