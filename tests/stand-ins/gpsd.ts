import { type AddressInfo, createServer, type Socket } from "node:net";

/** A gpsd on loopback, as gpsd_json(5) describes it: it greets, and reports to those alone who asked for it. */

const GREETING = { class: "VERSION", release: "3.25", rev: "3.25", proto_major: 3, proto_minor: 15 };
const DEVICE = {
  class: "DEVICE",
  path: "/dev/ttyACM0",
  driver: "u-blox",
  activated: "2026-05-04T10:00:00.000Z",
};

export class GpsdStandIn {
  readonly #server = createServer((socket) => this.#greet(socket));
  readonly #sockets = new Set<Socket>();
  readonly #watchers = new Set<Socket>();
  #changed: () => void = () => {};
  /** The commands that were received. */
  readonly commands: string[] = [];

  static async start(): Promise<GpsdStandIn> {
    const gpsd = new GpsdStandIn();
    await new Promise<void>((listening) => {
      gpsd.#server.listen(0, "127.0.0.1", listening);
    });
    return gpsd;
  }

  get url(): string {
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves once there were this many commands. */
  async watched(count = 1): Promise<void> {
    while (this.commands.length < count)
      await new Promise<void>((changed) => {
        this.#changed = changed;
      });
  }

  /** Sends reports to those who watch, and lines as they are. */
  report(...reports: (object | string)[]): void {
    for (const socket of this.#watchers)
      for (const report of reports)
        socket.write(`${typeof report === "string" ? report : JSON.stringify(report)}\r\n`);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((done) => {
      this.#server.close(() => done());
    });
    this.cut();
    await closed;
  }

  #greet(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#watchers.delete(socket);
    });
    socket.write(`${JSON.stringify(GREETING)}\r\n`);
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString();
      for (let end = text.indexOf(";"); end !== -1; end = text.indexOf(";")) {
        this.#obey(socket, text.slice(0, end).trim());
        text = text.slice(end + 1);
      }
    });
  }

  #obey(socket: Socket, command: string): void {
    const asked = /^\?WATCH=(?<policy>\{.*\})$/.exec(command)?.groups?.policy;
    const policy = asked === undefined ? null : JSON.parse(asked);
    const answers = policy
      ? [
          { class: "DEVICES", devices: [DEVICE] },
          { class: "WATCH", ...policy },
        ]
      : [{ class: "ERROR", message: `Unrecognized request '${command}'` }];
    for (const answer of answers) socket.write(`${JSON.stringify(answer)}\r\n`);
    if (policy?.enable === true && policy?.json === true) this.#watchers.add(socket);
    this.commands.push(command);
    this.#changed();
  }
}
