import { afterAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { MqttBroker } from "../../stand-ins/mqtt-broker";
import { eventually } from "../../support/expectations";
import { linesOf, outputOfWholeRun } from "../../support/log";
import { freePort } from "../../support/program";
import { command, type Settings, type TestServer } from "../../support/server";
import { brokerHealth, caughtUp, startWith, topics, troubleOf, trusting } from "../support";

/** The connection to the broker: its ways, its versions, and what is said while it fails. */

const brokers: MqttBroker[] = [];
const servers: TestServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all(brokers.map((broker) => broker.stop()));
});
async function brokerWith(options: Parameters<typeof MqttBroker.start>[0]): Promise<MqttBroker> {
  const broker = await MqttBroker.start(options);
  brokers.push(broker);
  return broker;
}
async function serverAt(url: string, settings: Settings = {}, options = {}): Promise<TestServer> {
  const server = await startWith({ url }, settings, options);
  servers.push(server);
  return server;
}

describe("the way there", () => {
  test.each(["mqtt", "mqtts", "ws", "wss"] as const)("is %s", async (scheme) => {
    const broker = await brokerWith({ scheme });
    const server = await serverAt(broker.url, {}, trusting);
    await caughtUp(server);
    expect(await brokerHealth(server)).toEqual({
      ...{ status: "up", protocol: "5.0", waiting: 0, reconnects: 0, trouble: null },
    });
    // The broker is told just after the server calls itself connected.
    await eventually(() => broker.retained.get(topics.status) === "online");
    await broker.die();
    await broker.listen();
    await eventually(async () => (await brokerHealth(server)).reconnects === 1);
  });
});

describe("a broker that speaks MQTT 3.1.1 alone", () => {
  test.each([
    ["refuses the newer version", { speaks: [4] as const }],
    ["closes without an answer", { speaks: [4] as const, closesWithoutAnswer: true }],
  ])("and %s is spoken to in that", async (_, options) => {
    const broker = await brokerWith(options);
    const server = await serverAt(broker.url);
    await caughtUp(server);
    expect(await brokerHealth(server)).toMatchObject({ status: "up", protocol: "3.1.1", trouble: null });
    await broker.die();
    await broker.listen();
    await eventually(async () => (await brokerHealth(server)).reconnects === 1);
    expect(await brokerHealth(server)).toMatchObject({ protocol: "3.1.1" });
  });
});

const PASSWORD = "a-secret-of-the-broker";

describe("what is wrong is said in health, in the log, by the doctor", () => {
  /** A server of something that listens and is no broker. */
  async function listener(answer: string | null): Promise<string> {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        if (answer === null) socket.destroy();
        else socket.write(answer);
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    server.unref();
    return `127.0.0.1:${(server.address() as { port: number }).port}`;
  }
  const login = { "mqtt.username": "boat", "mqtt.password": PASSWORD };

  test.each([
    [5, "it refuses the user name or the password"],
    [4, "it refuses the user name or the password"],
  ] as const)("a wrong password, by version %d", async (version, words) => {
    const broker = await brokerWith({ speaks: [version], username: "boat", password: "another" });
    const server = await serverAt(broker.url, { ...login, "log.level": "debug", "metrics.enabled": "true" });
    expect(await troubleOf(server)).toBe(words);
    expect((await server.get("/health")).body).toMatchObject({ status: "degraded" });
    expect(JSON.parse((await linesOf(server, "the MQTT broker is not connected"))[0] ?? "")).toMatchObject({
      ...{ level: "warn", why: words },
    });
    const metrics = (await server.get("/metrics")).body;
    expect(metrics).toContain("fairlead_mqtt_connected 0\n");
    const settings = { ...login, "mqtt.url": broker.url, "data.dir": server.dataDir, "server.port": "0" };
    const port = new URL(server.url).port;
    const doctor = await command(["doctor", "--port", port], { settings });
    expect(doctor.stdout).toMatch(new RegExp(`^problem +MQTT broker +${words}; 0 changes wait for it`, "m"));
    expect(doctor.stdout).toMatch(/^ok +outside +mqtt:\/\/127\.0\.0\.1:\d+ answers \(MQTT broker\)/m);
    const shown = await command(["config"], { settings });
    expect(shown.stdout).toMatch(/^mqtt\.password +\(set, hidden\)/m);
    const written = [await outputOfWholeRun(server), doctor.stdout, doctor.stderr, shown.stdout, metrics];
    expect(written.filter((text) => text.includes(PASSWORD))).toEqual([]);
  });

  const WRONG: [what: string, urlOf: () => string | Promise<string>, words: RegExp][] = [
    ["nobody there", () => `mqtt://127.0.0.1:${freePort()}`, /^the connection is refused$/],
    ["no such name", () => "mqtt://broker.invalid", /^its name (does not resolve|cannot be resolved now)$/],
    [
      "a certificate of nobody's",
      async () => (await brokerWith({ scheme: "mqtts" })).url,
      /cannot be verified/,
    ],
    [
      "the same, behind a WebSocket",
      async () => (await brokerWith({ scheme: "wss" })).url,
      /cannot be verified/,
    ],
    [
      "a web server",
      async () => `mqtt://${await listener("HTTP/1.1 400\r\n\r\n")}`,
      /^it does not speak MQTT$/,
    ],
    ["one that hangs up", async () => `mqtt://${await listener(null)}`, /^it closes the connection without/],
    ["no TLS", async () => (await brokerWith({})).url.replace("mqtt", "mqtts"), /^(TLS fails|it closes the)/],
    ["no WebSocket", async () => (await brokerWith({})).url.replace("mqtt", "ws"), /^it (closes|does not)/],
  ];
  test.each(WRONG)("%s", async (_, urlOf, words) => {
    const server = await serverAt(await urlOf());
    expect(await troubleOf(server)).toMatch(words);
  });

  test("a certificate for another name", async () => {
    const broker = await brokerWith({ scheme: "mqtts" });
    const server = await serverAt(broker.url.replace("localhost", "127.0.0.1"), {}, trusting);
    expect(await troubleOf(server)).toBe("its certificate is for another name");
  });

  test("another client with the same identifier", async () => {
    const broker = await brokerWith({});
    const server = await serverAt(broker.url);
    await caughtUp(server);
    broker.disconnectAll(142);
    await eventually(
      async () => (await linesOf(server, "another client with this client identifier")).length > 0,
    );
    await caughtUp(server);
  });
});

describe("the identifier of the client", () => {
  test("is one of 23 letters and digits that stays over a restart, unless mqtt.client_id sets another", async () => {
    const broker = await brokerWith({});
    const first = await startWith(broker);
    await caughtUp(first);
    await first.stop();
    const second = await startWith(broker, {}, { dataDir: first.dataDir });
    await caughtUp(second);
    await second.stop();
    const third = await startWith(broker, { "mqtt.client_id": "boat 1" }, { dataDir: first.dataDir });
    await caughtUp(third);
    await third.stop();
    expect(broker.connected).toEqual([
      expect.stringMatching(/^fairlead[0-9a-f]{15}$/),
      broker.connected[0] ?? "",
      "boat 1",
    ]);
  });
});

describe("a configuration", () => {
  test.each([
    [{ "mqtt.url": "http://broker" }, "FAIRLEAD_MQTT_URL must be a URL that begins with mqtt:// or mqtts://"],
    [{ "mqtt.url": "mqtt://boat:secret@broker" }, "mqtt.url must hold no user and no password"],
    [{ "mqtt.url": "mqtt://broker/path" }, "mqtt.url must be mqtt://host:port, without a path"],
    [{ "mqtt.url": "mqtt://" }, "mqtt.url must name a host"],
    [{ "mqtt.owntracks": "true" }, "mqtt.url is required with mqtt.owntracks"],
    [{ "mqtt.username": "boat" }, "mqtt.url is required with mqtt.username"],
    [{ "mqtt.url": "mqtt://b", "mqtt.password": "x" }, "mqtt.username is required with mqtt.password"],
    [{ "mqtt.url": "mqtt://b", "mqtt.prefix": "a/#" }, "must be letters, digits, _ and -"],
    [{ "mqtt.url": "mqtt://b", "mqtt.prefix": "owntracks/a" }, "must not begin with owntracks"],
    [
      { "mqtt.url": "mqtt://b", "mqtt.publish": "positions,boats" },
      "must list some of positions, zones, alerts, trips",
    ],
    [{ "mqtt.url": "mqtt://b", "mqtt.backlog": "some" }, "must be one of newest, all"],
  ])("such as %j stops the start", async (settings, words) => {
    const { status, stderr } = await command(["config"], { settings: settings as Settings });
    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("secret");
  });
});

test("the library is loaded by those alone who have a broker", async () => {
  const sources = [...new Bun.Glob("**/*.ts").scanSync(`${import.meta.dir}/../../../src`)];
  const statically = /^import (?!type)[^;]*from "(?:mqtt|npm-ws)"/m;
  const found: string[] = [];
  for (const file of sources)
    if (statically.test(await Bun.file(`${import.meta.dir}/../../../src/${file}`).text())) found.push(file);
  expect(found).toEqual([]);
  expect(await Bun.file(`${import.meta.dir}/../../../src/mqtt/broker/session.ts`).text()).toContain(
    'import("mqtt")',
  );
});
