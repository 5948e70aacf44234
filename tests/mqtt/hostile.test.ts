import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { generate, type Packet, parser } from "mqtt-packet";
import type { Bilingual } from "../../src/kernel/values/bilingual";
import { Session } from "../../src/mqtt/broker/session";
import { eventually } from "../support/expectations";
import { linesIn } from "../support/log";
import type { TestServer } from "../support/server";
import { brokerHealth, startWith } from "./support";

/** A broker that does harm: the server goes on serving, in bounded memory. */

const listeners: Server[] = [];
afterAll(() => {
  for (const listener of listeners) listener.close();
});

type Attack = (socket: Socket, packet: Packet) => void;

/** A broker that lets clients in, and then does as it likes with each packet. */
async function attacker(act: Attack, onConnect: (socket: Socket) => void = letIn): Promise<string> {
  const listener = createServer((socket) => {
    const reader = parser();
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => reader.parse(chunk));
    reader.on("error", () => {});
    reader.on("packet", (packet: Packet) => {
      if (packet.cmd === "connect") onConnect(socket);
      act(socket, packet);
    });
  });
  await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
  listeners.push(listener);
  return `mqtt://127.0.0.1:${(listener.address() as { port: number }).port}`;
}

const V5 = { protocolVersion: 5 };
const connack = generate({ cmd: "connack", reasonCode: 0, sessionPresent: false } as Packet, V5);
const letIn = (socket: Socket) => {
  socket.write(connack);
};

/** Writes the same bytes again and again, as fast as they are read, until so many are gone. */
function flood(socket: Socket, bytes: Buffer, total: number): void {
  let left = total;
  const more = () => {
    while (left > 0 && socket.writable) {
      left -= bytes.length;
      if (!socket.write(bytes)) {
        socket.once("drain", more);
        return;
      }
    }
  };
  more();
}

const megabytesOf = ({ pid }: TestServer): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

/** Longest time in which a server has to answer while it is attacked, in milliseconds. */
const PATIENCE = 2_000;

/** Waits for a sign of the attack in the figures of a server, which must answer all the while. Returns the most memory. */
async function endures(server: TestServer, isOver: (metrics: string) => boolean): Promise<number> {
  let most = 0;
  for (;;) {
    const began = performance.now();
    const { body } = await server.get("/metrics");
    expect(performance.now() - began).toBeLessThan(PATIENCE);
    most = Math.max(most, megabytesOf(server));
    if (isOver(String(body))) return most;
    await Bun.sleep(20);
  }
}
const count = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1] ?? 0);

const SETTINGS = { "mqtt.owntracks": "true", "metrics.enabled": "true" };

describe("a broker", () => {
  test("that floods with retained messages, two hundred megabytes, takes little memory, and nothing else waits", async () => {
    const message = generate(
      {
        ...{ cmd: "publish", topic: "owntracks/nobody/phone", qos: 0, retain: true, dup: false },
        payload: `{"_type":"location","lat":1,"lon":2,"tst":1700000000,"x":"${"y".repeat(900)}"}`,
      } as Packet,
      V5,
    );
    const bytes = Buffer.concat(Array.from({ length: 100 }, () => message));
    const total = 200_000_000;
    const url = await attacker((socket, packet) => packet.cmd === "connect" && flood(socket, bytes, total));
    const server = await startWith({ url }, SETTINGS, { memory: "as shipped" });
    await server.admin();
    const before = megabytesOf(server);
    const messages = Math.floor(total / message.length) - 1_000;
    const outcome = 'fairlead_mqtt_received_total{outcome="unknown_device"}'.replace(/[{}"]/g, "\\$&");
    const most = await endures(server, (metrics) => count(metrics, outcome) > messages);
    expect(most - before).toBeLessThan(120);
    await server.stop();
  });

  test("that sends packets of 200 megabytes is read without them", async () => {
    const head = Buffer.concat([
      Buffer.from([0x32, 0x80, 0x84, 0xaf, 0x5f]),
      Buffer.from([0, 13]),
      Buffer.from("owntracks/a/b"),
      Buffer.from([0, 1]),
    ]);
    const url = await attacker((socket, packet) => {
      if (packet.cmd !== "connect") return;
      socket.write(head);
      flood(socket, Buffer.alloc(1_000_000), 200_000_000);
    });
    const server = await startWith({ url }, SETTINGS, { memory: "as shipped" });
    await server.admin();
    const before = megabytesOf(server);
    const outcome = 'fairlead_mqtt_received_total{outcome="too_large"}'.replace(/[{}"]/g, "\\$&");
    const most = await endures(server, (metrics) => count(metrics, outcome) > 0);
    expect(most - before).toBeLessThan(80);
    await server.stop();
  });

  test("that sends tiny packets without end keeps nobody else waiting", async () => {
    const bytes = Buffer.alloc(100_000, Buffer.from([0xd0, 0x00]));
    let floods = 0;
    const url = await attacker((socket, packet) => {
      if (packet.cmd === "connect") flood(socket, bytes, 20_000_000 * ++floods);
    });
    const server = await startWith({ url }, SETTINGS, { memory: "as shipped" });
    await server.admin();
    const before = megabytesOf(server);
    const end = Date.now() + 1_000;
    const most = await endures(server, () => Date.now() > end);
    expect(most - before).toBeLessThan(80);
    await server.stop();
  });

  const random = (length: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
  const GARBAGE: [what: string, onConnect: (socket: Socket) => void][] = [
    ["random bytes", (socket) => socket.write(random(5_000))],
    ["random bytes after the handshake", (socket) => socket.write(Buffer.concat([connack, random(5_000)]))],
    ["a packet that ends too early", (socket) => socket.write(Buffer.from([0x20, 0x00]))],
    [
      "an acknowledgement of nothing",
      (socket) => socket.write(Buffer.concat([connack, Buffer.from([0x40, 2, 0, 9])])),
    ],
    [
      "packets that clients send",
      (socket) => socket.write(Buffer.concat([connack, Buffer.from([0xc0, 0, 0x82, 5, 0, 1, 0, 0, 0])])),
    ],
    ["the handshake twice", (socket) => socket.write(Buffer.concat([connack, connack]))],
    [
      "a message without a topic",
      (socket) => socket.write(Buffer.concat([connack, Buffer.from([0x30, 2, 0, 0])])),
    ],
    [
      "a topic that goes on beyond its packet",
      (socket) => socket.write(Buffer.concat([connack, Buffer.from([0x30, 3, 0xff, 0xff, 0x61])])),
    ],
    [
      "an alias that nobody offered",
      (socket) => socket.write(Buffer.concat([connack, Buffer.from([0x30, 6, 0, 0, 3, 0x23, 0, 1])])),
    ],
    [
      "a property that there is not",
      (socket) => socket.write(Buffer.concat([connack, Buffer.from([0x30, 6, 0, 1, 0x61, 2, 0x7f, 0])])),
    ],
    ["a length that does not end", (socket) => socket.write(Buffer.concat([connack, Buffer.alloc(9, 0xff)]))],
    [
      "a subscription's answer of nothing",
      (socket) => socket.write(Buffer.concat([connack, Buffer.from([0x90, 3, 0, 1, 0])])),
    ],
    ["nothing at all", () => {}],
  ];
  /** The end of a connection of this program's own: its reason, or `open`. */
  async function outcomeAt(url: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const settings = { url: new URL(url), username: null, password: null, clientId: "client" };
    const handlers = {
      take: async () => {},
      cut() {},
      heard() {},
      lost: (why: Bilingual) => resolve(why.en),
    };
    const giveUp = new AbortController();
    try {
      const all = { ...settings, prefix: "fairlead", installation: "x", isKept: true };
      const session = await within(200, Session.connect(all, 5, handlers, giveUp.signal));
      const asked = [session.publish("a", "b"), session.subscribe([{ topic: "owntracks/+/+" }])];
      const outcome = await within(200, promise).catch((error: Error) => error.message);
      session.destroy();
      await Promise.allSettled(asked);
      return outcome;
    } catch (error) {
      giveUp.abort();
      return (error as Error).message;
    }
  }
  async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
    const late = Symbol("late");
    const first = await Promise.race([work, Bun.sleep(milliseconds).then(() => late)]);
    if (first === late) throw new Error("open");
    return first as T;
  }

  test.each(GARBAGE)("that answers with %s ends the connection at most", async (_, onConnect) => {
    // An error that nobody catches fails the test.
    expect(await outcomeAt(await attacker(() => {}, onConnect))).toMatch(/^(open|it )/);
  });

  test("that sends random packets ends the connection at most, a hundred times", async () => {
    const first = [0x20, 0x30, 0x32, 0x34, 0x40, 0x50, 0x62, 0x70, 0x90, 0xb0, 0xd0, 0xe0, 0xf0];
    const url = await attacker(
      () => {},
      (socket) => {
        const packets = Array.from({ length: 100 }, () => {
          const body = random(Math.floor(Math.random() * 20));
          return Buffer.concat([
            Buffer.from([first[Math.floor(Math.random() * first.length)] ?? 0, body.length]),
            body,
          ]);
        });
        socket.write(Buffer.concat([connack, ...packets]));
      },
    );
    for (let at = 0; at < 10; at++) {
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcomeAt(url)));
      expect(outcomes.filter((outcome) => !/^(open|it )/.test(outcome))).toEqual([]);
    }
  });

  test("that speaks nonsense to a server is told of in health, and the server serves and stops", async () => {
    const url = await attacker(
      () => {},
      (socket) => socket.write(Buffer.concat([connack, random(5_000)])),
    );
    const server = await startWith({ url }, SETTINGS, { memory: "as shipped" });
    await eventually(async () => (await brokerHealth(server)).status === "down");
    expect((await server.get("/health")).body.services.database.status).toBe("up");
    expect(await server.stop()).toBe(0);
    expect(linesIn(server.output, '"level":"error"')).toEqual([]);
  });
});
