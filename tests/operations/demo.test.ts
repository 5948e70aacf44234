import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { Client } from "../realtime/support";
import { Api } from "../support/api";
import { temporaryDirectory } from "../support/server";
import { start } from "./support";

describe("fairlead demo", () => {
  // Where the program makes its throw-away directories.
  const temporary = temporaryDirectory();
  let demo: ReturnType<typeof start>;
  let api: Api;
  let said: { password: string; token: string; device: string; key: string };
  beforeAll(async () => {
    demo = start(["demo", "--speed", "1000"], { "server.port": "0" }, { TMPDIR: temporary });
    const text = (await demo.prints(/[\s\S]*Watch her move[\s\S]*onmessage/))[0];
    const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? "";
    api = new Api(find(/Swagger UI +(http:\S+)\/docs\b/).replace("localhost", "127.0.0.1"));
    said = {
      password: find(/skipper \/ (\S+)/),
      token: find(/Session token +(ses_\S+)/),
      device: find(/Device +(\S+)/),
      key: find(/Device key +(flk_\S+)/),
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

  test("keeps everything in one directory, and removes it at SIGTERM with status 0", async () => {
    expect(readdirSync(temporary)).toHaveLength(1);
    const { status, stderr } = await demo.stop();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
