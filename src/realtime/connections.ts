import type { ServerWebSocket } from "bun";
import type { Caller } from "../identity/access/caller";

/** What the server keeps of an open connection. */
export interface Connection {
  /** As its credential stands now; replaced when rights change. */
  caller: Caller;
  /** Channels that it hears: those that the client asked for, and the automatic one until it is left. */
  channels: Set<string>;
  /** When the last pong frame came, and when the next ping is due (performance.now milliseconds). */
  aliveAt: number;
  pingAt: number;
  /** Messages in the second that began at `secondAt`. */
  secondAt: number;
  messages: number;
  /** Whether its credential ended, which a message told: it hears nothing more and is about to be closed. */
  ended: boolean;
  closing: boolean;
}

export type Socket = ServerWebSocket<Connection>;

/** All open connections. */
export const sockets = new Set<Socket>();

/** The channel of a user's own messages, to which a session is subscribed without asking. */
export function automaticChannel(caller: Caller): string | null {
  return caller.kind === "session" ? `user:${caller.userId}` : null;
}

export function socketCounts(): { connections: number; subscriptions: number } {
  let subscriptions = 0;
  for (const socket of sockets) subscriptions += socket.data.channels.size;
  return { connections: sockets.size, subscriptions };
}
