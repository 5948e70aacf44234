/** The package `ws` under another name, since Bun has a `ws` of its own; of its types, those that are used. */
declare module "npm-ws" {
  import type { Duplex } from "node:stream";

  export class WebSocket {
    constructor(
      address: string,
      protocols: string[],
      options: { perMessageDeflate: boolean; maxPayload: number },
    );
    on(event: "close", listener: () => void): void;
  }
  export function createWebSocketStream(socket: WebSocket): Duplex;
}
