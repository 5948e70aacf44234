import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** An AIS receiver on loopback that serves NMEA lines over TCP, as `rtl_ais -T` does. */

/** A recorded log, byte for byte: see nmea/ORIGIN.md. */
export const recorded = (name: "lauterbach-greifswald-2013-06-30" | "harlingen-2014-04-16"): Buffer =>
  gunzipSync(readFileSync(join(import.meta.dir, "nmea", `${name}.log.gz`)));

export class AisReceiver {
  readonly #server = createServer((socket) => this.#greet(socket));
  readonly #listeners = new Set<Socket>();
  #changed: () => void = () => {};
  #port = 0;
  /** Number of connections so far. */
  connections = 0;

  static async start(): Promise<AisReceiver> {
    const receiver = new AisReceiver();
    await receiver.listen();
    return receiver;
  }

  /** Listens, on the same port again after a stop. */
  async listen(): Promise<void> {
    await new Promise<void>((listening) => {
      this.#server.listen(this.#port, "127.0.0.1", listening);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `tcp://127.0.0.1:${this.#port}`;
  }

  /** Number of present connections. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** Resolves once there were this many connections in all, and the newest is open. */
  async connected(count = 1): Promise<void> {
    while (this.connections < count || this.#listeners.size === 0)
      await new Promise<void>((changed) => {
        this.#changed = changed;
      });
  }

  /** Sends lines to all clients, with CR LF. */
  send(...lines: string[]): void {
    this.write(lines.map((line) => `${line}\r\n`).join(""));
  }

  /** Sends bytes as they are. */
  write(bytes: string | Uint8Array): void {
    for (const socket of this.#listeners) socket.write(bytes);
  }

  /** Ends all connections abruptly. */
  cut(): void {
    for (const socket of this.#listeners) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((done) => {
      this.#server.close(() => done());
    });
    this.cut();
    await closed;
  }

  #greet(socket: Socket): void {
    this.#listeners.add(socket);
    this.connections++;
    // Some tests have the client go away.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#listeners.delete(socket);
      this.#changed();
    });
    this.#changed();
  }
}
