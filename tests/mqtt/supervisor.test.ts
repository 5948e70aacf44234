import { afterAll, beforeAll, expect, test } from "bun:test";
import { MqttBroker } from "../stand-ins/mqtt-broker";
import { eventually } from "../support/expectations";
import { TestServer } from "../support/server";
import { brokerHealth } from "./support";

/** The broker that Home Assistant's supervisor tells an add-on of. */

const TOKEN = "token of the add-on";
let answer: () => Response;
let asked: string[] = [];
const supervisor = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    asked.push(new URL(request.url).pathname);
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`)
      return Response.json({ result: "error", message: "forbidden" }, { status: 401 });
    return answer();
  },
});
afterAll(() => supervisor.stop(true));

let broker: MqttBroker;
beforeAll(async () => {
  broker = await MqttBroker.start();
});
afterAll(() => broker.stop());

const start = (settings: Record<string, string> = {}) => {
  asked = [];
  return TestServer.start({
    settings: { "mqtt.supervisor": `http://127.0.0.1:${supervisor.port}`, ...settings },
    under: (command) => ["env", `SUPERVISOR_TOKEN=${TOKEN}`, ...command],
  });
};

test("is connected to", async () => {
  const { hostname, port } = new URL(broker.url);
  const data = { addon: "core_mosquitto", host: hostname, port: Number(port), ssl: false, protocol: "3.1.1" };
  answer = () => Response.json({ result: "ok", data });
  const server = await start();
  try {
    await eventually(async () => (await brokerHealth(server)).status === "up");
    expect(asked).toEqual(["/services/mqtt"]);
  } finally {
    await server.stop();
  }
});

test("gives way to the one of the configuration", async () => {
  const server = await start({ "mqtt.url": broker.url });
  try {
    await eventually(async () => (await brokerHealth(server)).status === "up");
    expect(asked).toEqual([]);
  } finally {
    await server.stop();
  }
});

test.each([
  [
    "no broker",
    () => Response.json({ result: "error", message: "Service not enabled" }, { status: 400 }),
    "has no MQTT broker",
  ],
  ["a fault", () => new Response("no", { status: 502 }), "status 502"],
  [
    "nonsense",
    () => Response.json({ result: "ok", data: { host: "a b", port: 1 } }),
    "an answer without a broker",
  ],
])("keeps nothing from the start where there is %s", async (_, given, told) => {
  answer = given;
  const server = await start({ "log.level": "info" });
  try {
    expect((await server.get("/health")).status).toBe(200);
    expect(server.output).toContain(told);
  } finally {
    await server.stop();
  }
});
