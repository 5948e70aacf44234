import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Aedes } from "aedes";
import mqtt, { type MqttClient } from "mqtt";
import { eventually } from "../support/expectations";
import { freePort } from "../support/program";
import { temporaryDirectory } from "../support/server";

/** Brokers that others wrote: mosquitto and nats-server where Debian's packages are installed, and aedes. */

export interface RealBroker {
  /** The address for tests, over TCP. */
  readonly url: string;
  /** The ways to it. */
  readonly urls: Record<string, string>;
  start(): Promise<void>;
  /** Ends it: with time to store what it keeps, or by a kill; `forgets` removes what it has stored. */
  stop(how?: { kill?: boolean; forgets?: boolean }): Promise<void>;
}

const TLS = join(import.meta.dir, "../stand-ins/tls");

/** Waits until something listens at a port. */
const listens = (port: number): Promise<void> =>
  eventually(async () => {
    try {
      (await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } })).end();
      return true;
    } catch {
      return false;
    }
  });

/** A broker that is a program with a configuration file. */
class Program implements RealBroker {
  readonly url: string;
  readonly urls: Record<string, string>;
  readonly #command: string[];
  readonly #port: number;
  readonly #store: string;
  #child: Bun.Subprocess | null = null;

  constructor(command: string[], port: number, store: string, urls: Record<string, string> = {}) {
    this.#command = command;
    this.#port = port;
    this.#store = store;
    this.url = `mqtt://127.0.0.1:${port}`;
    this.urls = { mqtt: this.url, ...urls };
  }

  async start(): Promise<void> {
    mkdirSync(this.#store, { recursive: true });
    // mosquitto leaves root's rights behind.
    chmodSync(this.#store, 0o777);
    this.#child = Bun.spawn(this.#command, { stdio: ["ignore", "ignore", "ignore"] });
    await listens(this.#port);
  }

  async stop({ kill = false, forgets = false } = {}): Promise<void> {
    this.#child?.kill(kill ? "SIGKILL" : "SIGTERM");
    await this.#child?.exited;
    this.#child = null;
    if (forgets) rmSync(this.#store, { recursive: true, force: true });
  }
}

/** A directory that programs without rights can read. */
function openDirectory(): string {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  return directory;
}

export function mosquitto(): RealBroker {
  const directory = openDirectory();
  const store = join(directory, "store");
  const [mqttPort, mqtts, ws, wss] = [freePort(), freePort(), freePort(), freePort()];
  // Read before it leaves root's rights behind; the key is no secret.
  const tls = `certfile ${TLS}/localhost.pem\nkeyfile ${TLS}/localhost.key`;
  const file = join(directory, "mosquitto.conf");
  writeFileSync(
    file,
    `allow_anonymous true
persistence true
persistence_location ${store}/
listener ${mqttPort} 127.0.0.1
listener ${mqtts} 127.0.0.1
${tls}
listener ${ws} 127.0.0.1
protocol websockets
listener ${wss} 127.0.0.1
protocol websockets
${tls}
`,
  );
  return new Program([MOSQUITTO ?? "", "-c", file], mqttPort, store, {
    ...{ mqtts: `mqtts://localhost:${mqtts}`, ws: `ws://127.0.0.1:${ws}`, wss: `wss://localhost:${wss}` },
  });
}

export function nats(): RealBroker {
  const directory = openDirectory();
  const store = join(directory, "store");
  const [port, own] = [freePort(), freePort()];
  const file = join(directory, "nats.conf");
  // By default a message that was under way to a client that is gone is sent again after half a minute.
  writeFileSync(
    file,
    `host: 127.0.0.1, port: ${own}, server_name: tests
jetstream { store_dir: "${store}", max_mem: 64MB, max_file: 256MB }
mqtt { host: 127.0.0.1, port: ${port}, ack_wait: "5s" }
`,
  );
  return new Program([NATS ?? "", "-c", file], port, store);
}

/** Installed outside of the path of users, as a rule. */
const where = (name: string) => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
export const MOSQUITTO = where("mosquitto");
export const NATS = where("nats-server");

/** In this process; it speaks MQTT 3.1.1. What it keeps is in memory. */
class InProcess implements RealBroker {
  readonly #port = freePort();
  readonly url = `mqtt://127.0.0.1:${this.#port}`;
  readonly urls = { mqtt: this.url };
  readonly #sockets = new Set<Socket>();
  #broker: Aedes | null = null;
  #server: Server | null = null;

  async start(): Promise<void> {
    this.#broker ??= await Aedes.createBroker();
    const { handle } = this.#broker;
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      handle(socket);
    });
    this.#server = server;
    await new Promise<void>((done) => server.listen(this.#port, "127.0.0.1", done));
  }

  async stop({ forgets = false } = {}): Promise<void> {
    const closed = new Promise((done) => this.#server?.close(done));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    if (!forgets) return;
    const broker = this.#broker;
    await new Promise<void>((done) => (broker ? broker.close(done) : done()));
    this.#broker = null;
  }
}

export const aedes = (): RealBroker => new InProcess();

export interface Heard {
  topic: string;
  payload: string;
  isRetained: boolean;
}

/** A client of somebody else's, which hears what is published. */
export class Listener {
  readonly heard: Heard[] = [];
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on("error", () => {});
    client.on("message", (topic, payload, { retain }) => {
      this.heard.push({ topic, payload: payload.toString(), isRetained: retain });
    });
  }

  /** With `isKept` the broker keeps for it what it misses, as far as the broker itself outlives it. */
  static async at(url: string, filter: string, { isKept = false } = {}): Promise<Listener> {
    const client = mqtt.connect(url, {
      ...{ protocolVersion: 4, reconnectPeriod: 100, clean: !isKept },
      clientId: crypto.randomUUID().slice(0, 20),
    });
    const listener = new Listener(client);
    await client.subscribeAsync(filter, { qos: 1 });
    return listener;
  }

  at(topic: string): string[] {
    return this.heard.filter((message) => message.topic === topic).map(({ payload }) => payload);
  }

  comes(topic: string, count = 1): Promise<void> {
    return eventually(() => this.at(topic).length >= count);
  }

  publish(topic: string, payload: string): Promise<unknown> {
    return this.#client.publishAsync(topic, payload, { qos: 1 });
  }

  stop(): Promise<void> {
    return this.#client.endAsync(true);
  }
}

/** The messages that a broker retains below a filter: a new subscriber gets them before all else. */
export async function retainedAt(url: string, filter: string): Promise<Map<string, string>> {
  const listener = await Listener.at(url, filter);
  const end = `${filter.split("/")[0]}/end-of-what-is-retained/${crypto.randomUUID()}`;
  const last = await Listener.at(url, end);
  await last.publish(end, "end");
  await last.comes(end);
  await Bun.sleep(50);
  const found = listener.heard.filter(({ isRetained }) => isRetained);
  await listener.stop();
  await last.stop();
  return new Map(found.map(({ topic, payload }) => [topic, payload]));
}
