import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { classA, sentence } from "../operations/vessels/support";
import { AisReceiver } from "../stand-ins/ais-receiver";
import { chromium, startBrowser } from "../support/browser";
import { eventually, expectStatus } from "../support/expectations";
import { newUser } from "../support/people";
import { assign, newRole, unassign } from "../support/roles";
import { ADMIN, TestServer } from "../support/server";
import { postPoint } from "../tracking/support";
import { BadLine } from "./bad-line";
import { Listener } from "./support";

/** The client in a page of the server's own, by its cookie, and the vessels that such a page shows. */

const listeners: Listener[] = [];
afterEach(() => {
  for (const { client } of listeners.splice(0)) client.close();
});

function listen(...options: ConstructorParameters<typeof Listener>): Listener {
  const listener = new Listener(...options);
  listeners.push(listener);
  return listener;
}

describe("vessels", () => {
  const HERE = { latitude: 54.0967, longitude: 13.4553 };
  let server: TestServer;
  let receiver: AisReceiver;
  let line: BadLine;
  let token: string;
  beforeAll(async () => {
    receiver = await AisReceiver.start();
    server = await TestServer.start({ settings: { "vessels.source": "nmea", "vessels.url": receiver.url } });
    token = await server.admin();
    line = await BadLine.start(server.url, 1);
    const path = "/v1/system-config/vessels.broadcast_seconds";
    expectStatus(await server.patch(path, { token, body: { value: 1 } }), 200);
    await receiver.connected();
    await postPoint(server, (await server.device()).key, HERE);
  });
  afterAll(async () => {
    line.stop();
    receiver.stop();
    await server.stop();
  });

  const send = (mmsi: number) =>
    receiver.send(
      sentence(
        classA(mmsi, {
          latitude: Math.round(HERE.latitude * 600_000),
          longitude: Math.round(HERE.longitude * 600_000),
        }),
      ),
    );

  test("are told on a channel without numbers, again after each connection, and by no request", async () => {
    const told: string[] = [];
    const listener = listen({ url: line.url, token, onMessage: ({ type }) => told.push(type) });
    const vessels = listener.hear("vessels");
    const positions = listener.hear("gps");
    await listener.is("live");
    expect(line.openSockets).toBe(1);
    send(211_000_001);
    await eventually(() => vessels.changes.length > 0);
    expect(vessels.changes[0]?.type).toBe("vesselsUpdate");
    expect(vessels.changes[0]?.cursor).toBeUndefined();
    line.hangUp();
    await eventually(() => listener.states.includes("connecting") && listener.client.state === "live");
    const before = vessels.changes.length;
    await eventually(() => {
      send(211_000_002);
      return vessels.changes.length > before;
    });
    expect(told.filter((type) => type === "vesselsUpdate")).toHaveLength(vessels.changes.length);
    // By requests there is nothing to hear of them, and nothing to complain of either.
    line.mode = "no sockets";
    line.hangUp();
    await listener.is("polling");
    const count = vessels.changes.length;
    const { id } = await postPoint(server, (await server.device()).key, HERE);
    await eventually(() => positions.changes.length > 0);
    expect(positions.changes.map(({ data }) => "id" in data && data.id)).toContain(id);
    expect([vessels.changes.length, vessels.errors, vessels.starts]).toEqual([count, [], []]);
    line.mode = "pass";
    await listener.is("live");
    vessels.end();
    const again = listener.hear("vessels");
    await listener.is("live");
    await eventually(() => {
      send(211_000_003);
      return again.changes.length > 0;
    });
    expect([positions.errors, again.errors]).toEqual([[], []]);
  });

  test("end with the right, and with the credential, also where they are alone and by requests", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server, role.id);
    const other = await newUser(server);
    for (const options of [{}, { WebSocket: null }]) {
      const refused = listen({ url: server.url, token: other.token, ...options }).hear("vessels");
      await eventually(() => refused.errors.length > 0);
      expect(refused.errors.map(({ status }) => status)).toEqual([403]);
      const wrong = listen({ url: server.url, token: `ses_${"x".repeat(43)}`, ...options });
      const unknown = wrong.hear("vessels");
      await wrong.is("closed");
      expect(unknown.errors.map(({ status }) => status)).toEqual([401]);
    }
    const listener = listen({ url: server.url, token: user.token });
    const heard = listener.hear("vessels");
    await listener.is("live");
    await unassign(server, user.id, role.id);
    await eventually(() => heard.errors.length > 0);
    expect(heard.errors.map(({ status }) => status)).toEqual([403]);
    await assign(server, user.id, role.id);
    const polling = listen({ url: server.url, token: user.token, WebSocket: null });
    polling.hear("vessels");
    await polling.is("polling");
    expect(polling.states).toEqual(["connecting", "polling"]);
  });
});

/** The client as one script, which is run in a page as it is: its policy lets no other origin's in. */
async function script(): Promise<string> {
  const source = join(import.meta.dir, "../../clients/ts/src/index.ts");
  const { outputs } = await Bun.build({ entrypoints: [source], target: "browser" });
  const code = (await outputs[0]?.text()) ?? "";
  const names = /export \{([^}]*)\};\s*$/.exec(code);
  if (!names) throw new Error("the client exports nothing");
  return `(() => { ${code.slice(0, names.index)}\nglobalThis.connect = connect; })()`;
}

if (!chromium)
  process.stderr.write("Skipped: the client in the server's own page, since there is no Chromium here.\n");

describe.skipIf(chromium === null)("a page of the server's own", () => {
  let server: TestServer;
  let line: BadLine;
  beforeAll(async () => {
    server = await TestServer.start();
    line = await BadLine.start(server.url, 1);
  });
  afterAll(async () => {
    line.stop();
    await server.stop();
  });

  test("hears by its cookie, over sockets and by requests, until it is signed out", async () => {
    const browser = await startBrowser(chromium ?? "");
    try {
      const { page } = await browser.visit(`${line.url}/verify-email`);
      await page.evaluate(await script());
      const signIn = JSON.stringify({ identifier: ADMIN.username, password: ADMIN.password });
      const status = await page.evaluate(`fetch("/bridge/session", {
        method: "POST", body: ${JSON.stringify(signIn)},
        headers: { "content-type": "application/json", "x-fairlead-page": "1" },
      }).then(({ status }) => status)`);
      expect(status).toBe(200);
      await page.evaluate(`{
        globalThis.heard = { states: [], errors: [], ids: [] };
        globalThis.client = connect({
          url: location.origin, token: null, minPauseMs: 5, maxPauseMs: 50,
          onState: (state) => heard.states.push(state),
        });
        client.subscribe("gps", {
          onChange: ({ data }) => heard.ids.push(data.id),
          onError: ({ status }) => heard.errors.push(status),
        });
      }`);
      const heard = async () =>
        (await page.evaluate("heard")) as { states: string[]; errors: number[]; ids: string[] };
      const is = (state: string) => eventually(async () => (await heard()).states.at(-1) === state);
      const { key } = await server.device();
      await is("live");
      const posted = [(await postPoint(server, key)).id];
      await eventually(async () => (await heard()).ids.length === 1);
      line.mode = "no sockets";
      line.hangUp();
      await is("polling");
      posted.push((await postPoint(server, key)).id);
      await eventually(async () => (await heard()).ids.length === 2);
      line.mode = "pass";
      await is("live");
      posted.push((await postPoint(server, key)).id);
      await eventually(async () => (await heard()).ids.length === 3);
      expect(await heard()).toMatchObject({ ids: posted, errors: [] });
      const signOut = `fetch("/bridge/session", { method: "DELETE", headers: { "x-fairlead-page": "1" } }).then(({ status }) => status)`;
      expect(await page.evaluate(signOut)).toBe(204);
      await is("closed");
      expect((await heard()).errors).toEqual([401]);
    } finally {
      await browser.stop();
    }
  });
});
