import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import {
  generate,
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type Packet,
  parser,
} from "mqtt-packet";

/**
 * A broker of MQTT 5 and 3.1.1 (OASIS Standards) on loopback, as far as one client needs it: sessions that outlive connections,
 * retained messages, wills, QoS 1. Tests can have it refuse, hang, die and forget.
 */

export interface Message {
  topic: string;
  payload: string;
  retain: boolean;
}

interface Session {
  filters: Map<string, 0 | 1>;
  /** Messages for the client that it has not acknowledged, by their identifier. */
  unacknowledged: Map<number, Message>;
  lastId: number;
}

interface Connection {
  socket: Duplex;
  version: 4 | 5;
  clientId: string;
  will: Message | null;
  session: Session;
  isClean: boolean;
}

/** The certificate of `localhost`, and the authority by which programs trust it. */
const TLS = join(import.meta.dir, "tls");
export const AUTHORITY = join(TLS, "authority.pem");
const certificate = () => ({
  cert: readFileSync(join(TLS, "localhost.pem"), "utf8"),
  key: readFileSync(join(TLS, "localhost.key"), "utf8"),
});

interface Options {
  /** The way to it; `mqtt` by default. */
  scheme?: "mqtt" | "mqtts" | "ws" | "wss";
  /** Versions that it speaks; another gets the answer of MQTT 3.1.1, section 3.2.2.3. */
  speaks?: readonly (4 | 5)[];
  /** True for one that closes the connection of a version that it does not speak, without an answer. */
  closesWithoutAnswer?: boolean;
  username?: string;
  password?: string;
}

/** True if a topic matches a filter (MQTT 5, section 4.7). */
export function matches(filter: string, topic: string): boolean {
  const levels = topic.split("/");
  const parts = filter.split("/");
  for (const [at, part] of parts.entries()) {
    if (part === "#") return true;
    if (at >= levels.length || (part !== "+" && part !== levels[at])) return false;
  }
  return parts.length === levels.length;
}

export class MqttBroker {
  /** All that clients have published, in order, and wills; also what was refused or not acknowledged. */
  readonly published: Message[] = [];
  /** Identifiers with which clients have connected, in order. */
  readonly connected: string[] = [];
  readonly retained = new Map<string, string>();
  /** The reason with which a message is refused (MQTT 5); null to take it. */
  refuses: (topic: string) => number | null = () => null;
  /** The reason with which a subscription is refused; null to take it. */
  refusesFilter: (filter: string) => number | null = () => null;
  /** False holds all acknowledgements back. */
  acknowledges = true;
  /** False holds the answers to subscriptions back. */
  answersSubscriptions = true;
  /** Properties of the CONNACK of MQTT 5. */
  properties: { receiveMaximum?: number; maximumPacketSize?: number; retainAvailable?: boolean } = {};
  /** Most messages that a client had under way at a time. */
  mostUnderWay = 0;

  readonly #options: Options;
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Set<Connection>();
  readonly #sockets = new Set<Duplex>();
  #held: (() => void)[] = [];
  #close: () => Promise<unknown> = async () => {};
  #port = 0;
  #watchers = new Set<() => void>();

  private constructor(options: Options) {
    this.#options = options;
  }

  static async start(options: Options = {}): Promise<MqttBroker> {
    const broker = new MqttBroker(options);
    await broker.listen();
    return broker;
  }

  get url(): string {
    const { scheme = "mqtt" } = this.#options;
    const host = scheme === "mqtts" || scheme === "wss" ? "localhost" : "127.0.0.1";
    return `${scheme}://${host}:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens again, at the same port. */
  async listen(): Promise<void> {
    const { scheme = "mqtt" } = this.#options;
    if (scheme === "ws" || scheme === "wss") return this.#listenForWebSockets(scheme === "wss");
    const server =
      scheme === "mqtts"
        ? createTlsServer(certificate(), (socket) => this.#accept(socket))
        : createServer((socket) => this.#accept(socket));
    this.#close = () => new Promise((done) => server.close(done));
    await new Promise<void>((done) => server.listen(this.#port, "127.0.0.1", done));
    this.#port = (server.address() as { port: number }).port;
  }

  #listenForWebSockets(isTls: boolean): void {
    const server = Bun.serve<{ stream: Duplex | null }>({
      hostname: "127.0.0.1",
      port: this.#port,
      ...(isTls && { tls: certificate() }),
      fetch(request, upgrading) {
        const isMqtt = request.headers.get("sec-websocket-protocol") === "mqtt";
        const headers = { "sec-websocket-protocol": "mqtt" };
        if (isMqtt && upgrading.upgrade(request, { data: { stream: null }, headers })) return undefined;
        return new Response(null, { status: 400 });
      },
      websocket: {
        open: (socket) => {
          const stream = new Duplex({
            read() {},
            write(chunk, _, done) {
              socket.sendBinary(chunk);
              done();
            },
            final(done) {
              socket.close();
              done();
            },
            destroy(error, done) {
              socket.terminate();
              done(error);
            },
          });
          socket.data.stream = stream;
          this.#accept(stream);
        },
        message: (socket, bytes) => {
          socket.data.stream?.push(bytes);
        },
        close: (socket) => {
          socket.data.stream?.destroy();
        },
      },
    });
    this.#close = () => server.stop(true);
    this.#port = server.port ?? 0;
  }

  /** Dies at once; with `forgets` its retained messages and sessions are gone too. */
  async die({ forgets = false } = {}): Promise<void> {
    const closed = this.#close();
    // No wills: there is nobody left to publish them.
    this.#connections.clear();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#held = [];
    this.#underWay = 0;
    if (!forgets) return;
    this.retained.clear();
    this.#sessions.clear();
  }

  /** Cuts all connections; the wills are published. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Acknowledges and answers what was held back, and all that comes. */
  goOn(): void {
    this.acknowledges = true;
    this.answersSubscriptions = true;
    for (const acknowledge of this.#held.splice(0)) acknowledge();
  }

  /** Tells all clients in MQTT 5 that the connection ends for a reason, and ends it. */
  disconnectAll(reasonCode: number): void {
    for (const connection of this.#connections) {
      this.#send(connection, { cmd: "disconnect", reasonCode } as Packet);
      connection.socket.end();
    }
  }

  /** Publishes as another client would. */
  publish(topic: string, payload: string | Buffer, { retain = false } = {}): void {
    if (retain) this.#retain(topic, String(payload));
    for (const session of this.#allSessions()) this.#deliver(session, { topic, payload, retain: false });
  }

  /** The payloads that were published at a topic, in order. */
  at(topic: string): string[] {
    return this.published.filter((message) => message.topic === topic).map(({ payload }) => payload);
  }

  /** Waits until a condition holds, which is looked at whenever something comes. */
  async until<T>(find: () => T | undefined | null | false, what = "the condition"): Promise<T> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const found = find();
      if (found) return found;
      if (Date.now() > deadline)
        throw new Error(`${what} did not come; the last: ${JSON.stringify(this.published.slice(-5))}`);
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          this.#watchers.delete(done);
          resolve();
        };
        const timer = setTimeout(done, 250);
        this.#watchers.add(done);
      });
    }
  }

  /** Waits until so many messages came at a topic, and returns their payloads. */
  comes(topic: string, count = 1): Promise<string[]> {
    return this.until(() => {
      const payloads = this.at(topic);
      return payloads.length >= count && payloads;
    }, `message ${count} at ${topic}`);
  }

  async stop(): Promise<void> {
    await this.die();
  }

  #allSessions(): Session[] {
    return [
      ...new Set([...this.#sessions.values(), ...[...this.#connections].map(({ session }) => session)]),
    ];
  }

  #tell(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #retain(topic: string, payload: string): void {
    if (payload === "") this.retained.delete(topic);
    else this.retained.set(topic, payload);
  }

  #accept(socket: Duplex): void {
    this.#sockets.add(socket);
    let connection: Connection | null = null;
    const reader = parser();
    reader.on("packet", (packet: Packet) => {
      if (packet.cmd === "connect") connection = this.#connect(socket, packet);
      else if (connection) this.#handle(connection, packet);
    });
    reader.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => reader.parse(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (connection && this.#connections.delete(connection)) this.#ended(connection);
      this.#tell();
    });
  }

  #connect(socket: Duplex, packet: IConnectPacket): Connection | null {
    const version = packet.protocolVersion === 5 ? 5 : 4;
    const { speaks = [4, 5], closesWithoutAnswer, username, password } = this.#options;
    const answer = (code: number, sessionPresent = false) => {
      const codes = version === 5 && speaks.includes(5) ? { reasonCode: code } : { returnCode: code };
      const properties = version === 5 && code === 0 ? { properties: this.properties } : {};
      socket.write(
        generate({ cmd: "connack", sessionPresent, ...codes, ...properties } as Packet, {
          protocolVersion: speaks.includes(version) ? version : 4,
        }),
      );
      if (code !== 0) socket.end();
    };
    if (!speaks.includes(version)) {
      if (closesWithoutAnswer) socket.destroy();
      else answer(1);
      return null;
    }
    if (username !== undefined && (packet.username !== username || String(packet.password) !== password)) {
      answer(version === 5 ? 134 : 4);
      return null;
    }
    const { clientId } = packet;
    this.connected.push(clientId);
    for (const other of this.#connections) if (other.clientId === clientId) other.socket.destroy();
    const known = packet.clean ? undefined : this.#sessions.get(clientId);
    const session = known ?? { filters: new Map(), unacknowledged: new Map(), lastId: 0 };
    if (packet.clean) this.#sessions.delete(clientId);
    else this.#sessions.set(clientId, session);
    const will = packet.will && {
      topic: packet.will.topic,
      payload: String(packet.will.payload),
      retain: packet.will.retain ?? false,
    };
    const connection: Connection = {
      ...{ socket, version, clientId, session },
      will: will ?? null,
      isClean: packet.clean ?? true,
    };
    this.#connections.add(connection);
    answer(0, known !== undefined);
    for (const [messageId, message] of session.unacknowledged)
      this.#sendMessage(connection, message, messageId);
    this.#tell();
    return connection;
  }

  #handle(connection: Connection, packet: Packet): void {
    const { session } = connection;
    if (packet.cmd === "publish") this.#take(connection, packet);
    else if (packet.cmd === "puback") {
      session.unacknowledged.delete(packet.messageId ?? 0);
      this.#tell();
    } else if (packet.cmd === "subscribe") this.#subscribe(connection, packet);
    else if (packet.cmd === "unsubscribe") {
      for (const filter of packet.unsubscriptions) session.filters.delete(filter);
      const granted = packet.unsubscriptions.map(() => 0);
      this.#send(connection, { cmd: "unsuback", messageId: packet.messageId, granted } as Packet);
    } else if (packet.cmd === "pingreq") this.#send(connection, { cmd: "pingresp" });
    else if (packet.cmd === "disconnect") {
      connection.will = null;
      connection.socket.end();
    }
  }

  #subscribe(connection: Connection, { subscriptions, messageId }: ISubscribePacket): void {
    const { session, version } = connection;
    const granted = subscriptions.map(({ topic, qos, rh }) => {
      const refused = this.refusesFilter(topic);
      if (refused !== null) return version === 5 ? refused : 128;
      const isNew = !session.filters.has(topic);
      session.filters.set(topic, qos === 0 ? 0 : 1);
      if (version === 4 || rh === 0 || (rh === 1 && isNew)) this.#sendRetained(connection, topic);
      return qos;
    });
    const answer = () => this.#send(connection, { cmd: "suback", messageId, granted } as Packet);
    if (this.answersSubscriptions) answer();
    else this.#held.push(answer);
  }

  #underWay = 0;

  #take(connection: Connection, { topic, payload, retain, qos, messageId }: IPublishPacket): void {
    const message = { topic, payload: String(payload), retain };
    this.published.push(message);
    const reasonCode = this.refuses(topic);
    this.#underWay++;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.#underWay);
    const acknowledge = () => {
      this.#underWay--;
      if (reasonCode === null) this.#spread(message);
      if (qos > 0)
        this.#send(connection, { cmd: "puback", messageId, ...(reasonCode && { reasonCode }) } as Packet);
      this.#tell();
    };
    if (this.acknowledges) setImmediate(acknowledge);
    else this.#held.push(acknowledge);
    this.#tell();
  }

  #spread(message: Message): void {
    if (message.retain) this.#retain(message.topic, message.payload);
    for (const session of this.#allSessions()) this.#deliver(session, { ...message, retain: false });
  }

  #deliver(session: Session, message: { topic: string; payload: string | Buffer; retain: boolean }): void {
    const qos = [...session.filters].find(([filter]) => matches(filter, message.topic))?.[1];
    if (qos === undefined) return;
    session.lastId = (session.lastId % 65_535) + 1;
    session.unacknowledged.set(session.lastId, message as Message);
    for (const connection of this.#connections)
      if (connection.session === session) this.#sendMessage(connection, message, session.lastId);
  }

  #sendRetained(connection: Connection, filter: string): void {
    for (const [topic, payload] of this.retained) {
      if (!matches(filter, topic)) continue;
      const { session } = connection;
      session.lastId = (session.lastId % 65_535) + 1;
      const message = { topic, payload, retain: true };
      session.unacknowledged.set(session.lastId, message);
      this.#sendMessage(connection, message, session.lastId);
    }
  }

  #sendMessage(
    connection: Connection,
    { topic, payload, retain }: { topic: string; payload: string | Buffer; retain: boolean },
    messageId: number,
  ): void {
    this.#send(connection, { cmd: "publish", topic, payload, retain, qos: 1, dup: false, messageId });
  }

  #send({ socket, version }: Connection, packet: Packet): void {
    if (socket.writable) socket.write(generate(packet, { protocolVersion: version }));
  }

  #ended({ will, isClean, clientId }: Connection): void {
    if (isClean) this.#sessions.delete(clientId);
    if (!will) return;
    this.published.push(will);
    this.#spread(will);
  }
}
