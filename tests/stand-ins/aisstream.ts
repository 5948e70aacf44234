import type { Server, ServerWebSocket } from "bun";

/** The feed of aisstream.io on loopback, as its documentation describes it (aisstream.io/documentation). */

export const API_KEY = "an-aisstream-key";

export interface Subscription {
  APIKey: string;
  BoundingBoxes: [[number, number], [number, number]][];
  FilterMessageTypes: string[];
}

interface Connection {
  subscription: Subscription | null;
  timer: ReturnType<typeof setTimeout>;
}
type Socket = ServerWebSocket<Connection>;

/** Milliseconds within which a client must subscribe. */
const SUBSCRIBE_WITHIN = 3_000;

const isCorner = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 2 &&
  Math.abs(value[0]) <= 90 && // latitude comes first
  Math.abs(value[1]) <= 180;
const isBox = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every(isCorner);
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function isSubscription(value: Partial<Subscription> | null): value is Subscription {
  return (
    typeof value?.APIKey === "string" &&
    Array.isArray(value.BoundingBoxes) &&
    value.BoundingBoxes.length > 0 &&
    value.BoundingBoxes.every(isBox) &&
    isTexts(value.FilterMessageTypes)
  );
}

/** A report of class A in the feed's form; `message` and `metadata` replace fields. */
export const positionReport = (mmsi: number, message: object = {}, metadata: object = {}) => ({
  MessageType: "PositionReport",
  MetaData: {
    MMSI: mmsi,
    MMSI_String: mmsi,
    ShipName: "NORDIC HAMBURG      ",
    latitude: 54.2,
    longitude: 13.5,
    time_utc: "2026-04-25 09:47:25.26746452 +0000 UTC",
    ...metadata,
  },
  Message: {
    PositionReport: {
      ...{ MessageID: 1, RepeatIndicator: 0, UserID: mmsi, Valid: true },
      ...{ NavigationalStatus: 0, RateOfTurn: 0, Sog: 8.4, PositionAccuracy: true },
      ...{ Longitude: 13.5, Latitude: 54.2, Cog: 260.1, TrueHeading: 258, Timestamp: 25 },
      ...{ SpecialManoeuvreIndicator: 0, Spare: 0, Raim: false, CommunicationState: 49_323 },
      ...message,
    },
  },
});

/** A message of another type, with these fields beside the common ones. */
export const feedMessage = (type: string, mmsi: number, message: object, metadata: object = {}) => ({
  MessageType: type,
  MetaData: { ...positionReport(mmsi).MetaData, ...metadata },
  Message: { [type]: { MessageID: 5, RepeatIndicator: 0, UserID: mmsi, Valid: true, ...message } },
});

export class AisstreamStandIn {
  #server: Server<Connection> | null = null;
  #port = 0;
  #changed: () => void = () => {};
  readonly #sockets = new Set<Socket>();
  /** All subscriptions that were accepted, in their order. */
  readonly subscriptions: Subscription[] = [];
  /** Number of handshakes. */
  connections = 0;
  /** The mistakes of clients, in words. */
  readonly complaints: string[] = [];
  /** The error that answers the next subscriptions; null accepts them. */
  refusal: string | null = null;

  static start(): AisstreamStandIn {
    const standIn = new AisstreamStandIn();
    standIn.listen();
    return standIn;
  }

  /** Listens, on the same port again after a stop. */
  listen(): void {
    this.#server = Bun.serve<Connection>({
      hostname: "127.0.0.1",
      port: this.#port,
      fetch: (request, server) => {
        const isStream = new URL(request.url).pathname === "/v0/stream";
        const timer = setTimeout(() => {}, 0);
        if (isStream && server.upgrade(request, { data: { subscription: null, timer } })) return undefined;
        return new Response("not found", { status: 404 });
      },
      websocket: {
        open: (socket) => this.#greet(socket),
        message: (socket, frame) => this.#take(socket, frame),
        close: (socket) => {
          clearTimeout(socket.data.timer);
          this.#sockets.delete(socket);
          this.#changed();
        },
      },
    });
    this.#port = this.#server.port ?? 0;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/v0/stream`;
  }

  /** Open connections that subscribed. */
  get subscribers(): number {
    return [...this.#sockets].filter(({ data }) => data.subscription !== null).length;
  }

  /** Waits for a condition that connecting, subscribing or closing can change. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds())
      await new Promise<void>((changed) => {
        this.#changed = changed;
      });
  }

  /** Resolves with the newest subscription once there were this many in all. */
  async subscribed(count = 1): Promise<Subscription> {
    await this.until(() => this.subscriptions.length >= count);
    return this.subscriptions[this.subscriptions.length - 1] as Subscription;
  }

  /** Sends messages as the feed does: JSON in binary frames. */
  send(...messages: unknown[]): void {
    for (const message of messages) this.sendRaw(Buffer.from(JSON.stringify(message)));
  }

  /** Sends a frame as it is. */
  sendRaw(frame: string | Uint8Array<ArrayBuffer>): void {
    for (const socket of this.#sockets) if (socket.data.subscription) socket.send(frame);
  }

  /** Ends all connections abruptly. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    await this.#server?.stop(true);
  }

  #greet(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.data.timer = setTimeout(() => {
      this.complaints.push("no subscription within 3 seconds");
      socket.terminate();
    }, SUBSCRIBE_WITHIN);
    this.#changed();
  }

  #take(socket: Socket, frame: string | Buffer): void {
    clearTimeout(socket.data.timer);
    const error = this.#errorOf(frame);
    if (error === null) {
      socket.data.subscription = JSON.parse(frame as string) as Subscription;
      this.subscriptions.push(socket.data.subscription);
      this.#changed();
      return;
    }
    this.complaints.push(error);
    socket.send(Buffer.from(JSON.stringify({ error })));
    setTimeout(() => socket.terminate(), 1);
  }

  #errorOf(frame: string | Buffer): string | null {
    if (this.refusal !== null) return this.refusal;
    const subscription = typeof frame === "string" ? JSON.parse(frame) : null;
    if (!isSubscription(subscription)) return "Subscription Object Is Malformed";
    if (subscription.APIKey !== API_KEY) return "Api Key Is Not Valid";
    return this.subscribers > 0 ? "concurrent connections per user exceeded" : null;
  }
}
