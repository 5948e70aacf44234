import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { Api } from "./support/api";
import { done, eventually } from "./support/expectations";
import { canListenOnIpv6, expectFailure, FULL_DISK, runAfterShell, start } from "./support/program";
import { type Settings, temporaryDirectory } from "./support/server";
import { Client } from "./support/socket";
import { DAY } from "./support/time";

/** Starts a demo that makes its throw-away directory in `temporary`. */
const startDemo = (temporary: string, settings: Settings = {}, ...options: string[]) =>
  start(["demo", "--speed", "1000", ...options], { "server.port": "0", ...settings }, { TMPDIR: temporary });

/**
 * The entries that the demo made in its temporary directory. The compiled program's runtime keeps its native
 * code there, once.
 */
const leftIn = (temporary: string) => readdirSync(temporary).filter((name) => !name.endsWith(".node"));

describe("fairlead demo", () => {
  // The directory in which the program makes its throw-away directories.
  const temporary = temporaryDirectory();
  let demo: ReturnType<typeof start>;
  let api: Api;
  let said: { password: string; token: string; device: string; key: string; watch: string };
  beforeAll(async () => {
    demo = startDemo(temporary);
    const text = (await demo.prints(/[\s\S]*Watch her move[\s\S]*onmessage.*'\n/))[0];
    const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? "";
    api = new Api(find(/Swagger UI +(http:\S+)\/docs\b/).replace("localhost", "127.0.0.1"));
    said = {
      password: find(/skipper \/ (\S+)/),
      token: find(/Session token +(ses_\S+)/),
      device: find(/Device +(\S+)/),
      key: find(/Device key +(flk_\S+)/),
      watch: find(/^ {2}(\S.* -e '.*')$/m),
    };
  });
  afterAll(async () => {
    await demo.stop("SIGKILL");
  });

  test("prints sign-in data that works", async () => {
    const body = { identifier: "skipper", password: said.password };
    const { status, body: answer } = await api.post("/v1/auth/login", { body });
    expect(status).toBe(200);
    expect((await api.get("/v1/api-keys", { token: answer.session_token })).status).toBe(200);
  });

  test("prints a token, a key and addresses that work", async () => {
    expect((await api.get("/docs")).status).toBe(200);
    const { body } = await api.get(`/v1/devices/${said.device}`, { token: said.token });
    expect(body.data.name).toBe("Greif");
    expect((await api.get("/v1/trips?status=active", { token: said.token })).status).toBe(200);
    // The key is the tracker's: it posts positions, and may do nothing else.
    expect((await api.get("/v1/gps", { token: said.key })).status).toBe(403);
    expect((await api.post("/v1/gps", { token: said.key, body: {} })).status).toBe(400);
  });

  test("sails: the current position moves, and a socket hears it", async () => {
    const position = async () =>
      (await api.get(`/v1/gps/current?device_id=${said.device}`, { token: said.token })).body.data;
    const first = await position();
    let second = first;
    while (second.latitude === first.latitude && second.longitude === first.longitude)
      second = await position();
    expect(Date.parse(second.timestamp)).toBeGreaterThan(Date.parse(first.timestamp));
    expect(second.device_id).toBe(said.device);

    const socket = await Client.open(api, { token: said.token });
    await socket.subscribe("gps");
    expect((await socket.next()).data.device_id).toBe(said.device);
    await socket.close();
  });

  test("tells the speed at which she is moved, so that none is faster on average than at most", async () => {
    const from = new Date(Date.now() - DAY).toISOString();
    const path = `/v1/devices/${said.device}/statistics?from=${from}`;
    const figures = async () => done(await api.get(path, { token: said.token })).data.total;
    // The way behind her she sailed at her own pace, of at most seven knots.
    await eventually(async () => (await figures()).average_speed_kmh > 15);
    const { average_speed_kmh, max_speed_kmh } = await figures();
    expect(average_speed_kmh).toBeLessThanOrEqual(max_speed_kmh);
  });

  test("prints a command that shows her move, for a machine that has nothing else", async () => {
    const watching = Bun.spawn(["sh", "-c", `exec env ${said.watch.replace("npx bun", process.execPath)}`], {
      stdout: "pipe",
    });
    const lines = watching.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let heard = "";
    while (!heard.includes("gpsUpdate")) {
      const { done, value } = await lines.read();
      if (done) break;
      heard += value;
    }
    watching.kill();
    expect(heard).toContain("gpsUpdate");
  });

  test("keeps everything in one directory, and removes it at SIGTERM with status 0", async () => {
    expect(leftIn(temporary)).toHaveLength(1);
    const { status, stderr } = await demo.stop();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(leftIn(temporary)).toEqual([]);
  });
});

test.skipIf(!canListenOnIpv6)(
  "fairlead demo connects to the address that it listens on, and prints it",
  async () => {
    const temporary = temporaryDirectory();
    const demo = startDemo(temporary, { "server.host": "::1" });
    const [, url] = await demo.prints(/Swagger UI +(http:\S+)\/docs\b/);
    expect(url).toStartWith("http://[::1]:");
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await demo.prints(/Greif (enters|leaves)/);
    expect((await demo.stop()).status).toBe(0);
  },
);

describe("fairlead demo beside a server on its port", () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("the other one") });
  const taken = String(other.port);
  afterAll(() => other.stop(true));

  test("takes a free one, and says so", async () => {
    const demo = startDemo(temporaryDirectory(), { "server.port": taken });
    const [text, port] = await demo.prints(/[\s\S]*Swagger UI +http:\S+:(\d+)\/docs\b/);
    expect(text).toStartWith(`Port ${taken} is in use, so the demo takes a free one.\n`);
    expect(port).not.toBe(taken);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect(await demo.stop()).toMatchObject({ status: 0, stderr: "" });
  });

  test("prints its own address, not the configured one, which is the other server's", async () => {
    const settings = { "server.port": taken, "server.public_url": "https://fleet.example" };
    const demo = startDemo(temporaryDirectory(), settings);
    const [text] = await demo.prints(/[\s\S]*Watch her move[\s\S]*\n/);
    expect(text).not.toContain("fleet.example");
    await demo.stop();
  });
});

describe("fairlead demo leaves nothing behind", () => {
  test("at SIGHUP", async () => {
    const temporary = temporaryDirectory();
    const demo = startDemo(temporary);
    await demo.prints(/Watch her move/);
    expect(leftIn(temporary)).toHaveLength(1);
    expect(await demo.stop("SIGHUP")).toMatchObject({ status: 0, stderr: "" });
    expect(leftIn(temporary)).toEqual([]);
  });

  test("when it is stopped while it starts", async () => {
    const temporary = temporaryDirectory();
    const demo = startDemo(temporary);
    while (leftIn(temporary).length === 0) await Bun.sleep(1);
    expect((await demo.stop()).stderr).toBe("");
    expect(leftIn(temporary)).toEqual([]);
  });

  test("when nobody reads what it prints, which does not end it", async () => {
    const temporary = temporaryDirectory();
    const demo = startDemo(temporary);
    const [, url] = await demo.prints(/Swagger UI +(http:\S+)\/docs\b/);
    await demo.hangUp();
    for (let at = 0; at < 20; at++) expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await demo.stop()).toMatchObject({ status: 0, stderr: "" });
    expect(leftIn(temporary)).toEqual([]);
  });

  test("when the port that it is told to take is in use, or the disk is full: status 1 and one line", async () => {
    const temporary = temporaryDirectory();
    const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const onUsedPort = startDemo(temporary, {}, "--port", String(other.port));
    expectFailure(await onUsedPort.stop(null), 1, "in use");
    other.stop(true);
    expect(leftIn(temporary)).toEqual([]);
    const settings = { "server.port": "0" };
    // The executable also unpacks native code there.
    const full = await runAfterShell(FULL_DISK, ["demo"], settings, { TMPDIR: temporary });
    expectFailure(full, 1, new RegExp(`${temporary}|the temporary directory`));
    expect(leftIn(temporary)).toEqual([]);
  });
});
