import type { WebSocketHandler } from "bun";
import { config } from "../configuration/config";
import { type Caller, hasExpired, noteUse, reloadCaller } from "../identity/access/caller";
import { subscribe } from "../kernel/db/events";
import { HOUR, SECOND } from "../kernel/time/clock";
import { linkById } from "../tracking/links/standing";
import { countClosed, countOpened, forgetSent, unsentAllowance } from "./capacity";
import { endOfShare, isHeardByShare, mayHear } from "./channels";
import { botLeft, startCommunity, takeInTurn } from "./community";
import {
  automaticChannel,
  CLOSE,
  type Connection,
  close,
  floodOf,
  heartbeat,
  type Socket,
  sockets,
} from "./connections";
import { startLinks } from "./links";
import { answersIn, dispatch, forgetSubscriptions, join, leave } from "./messages";
import { endSharesWith, sharesHeardChanged } from "./share-ends";

/** The life of a connection: its limits on messages and unsent bytes, its heartbeat, and its end. */

/**
 * Unsent bytes at which Bun itself drops messages and cuts the client, if so much came before its next turn.
 */
const HARD_UNSENT_LIMIT = 16 * 1024 * 1024;

/**
 * Every connection is checked four times a second, a fifth of them at a time: a ping costs a system call, and
 * thousands at once would block everything else for many milliseconds.
 */
const SWEEP_INTERVAL = 50;
const SWEEPS_A_PASS = 5;

/** Milliseconds by which a sweep comes too late that counts for nobody's silence. */
const LATE = 500;
/** Time for a client to close by itself after the message that its credential ended (rule W6). */
const FAREWELL = 5 * SECOND;

/** Bun's handlers and limits for all connections; Elysia passes them on when the server starts to listen. */
export function socketHandlers(): WebSocketHandler<Connection> {
  return {
    // The heartbeat below is the server's own: Bun's pings only silent clients, and not every 5 seconds.
    idleTimeout: 0,
    sendPings: false,
    perMessageDeflate: false,
    maxPayloadLength: config["websocket.max_message_bytes"],
    backpressureLimit: HARD_UNSENT_LIMIT,
    closeOnBackpressureLimit: true,
    open(socket) {
      sockets.add(socket);
      countOpened(socket.data.holder);
      const own = automaticChannel(socket.data.caller);
      if (own !== null) join(socket, own, socket.data.format);
    },
    message(socket, frame) {
      if (!takeInTurn(socket, frame, dispatch)) close(socket, CLOSE.tooManyMessages);
    },
    // Bun answers it.
    ping: limitFlood,
    pong(socket, content) {
      const { data } = socket;
      data.aliveAt = performance.now();
      if (!data.isPinged) limitFlood(socket, content);
      data.isPinged = false;
    },
    close(socket, code) {
      sockets.delete(socket);
      forgetSubscriptions(socket);
      countClosed(socket.data.holder, code);
      botLeft(socket);
    },
  };
}

/** Control frames cost as much as messages. */
function limitFlood(socket: Socket, content: Buffer): void {
  const flood = floodOf(socket.data, content.length);
  if (flood) close(socket, flood);
}

/** The connections of the current pass, the number of fifths done, and the unsent bytes found so far. */
let pass: Socket[] = [];
let sharesDone = 0;
let unsentInPass = 0;

/** Unsent bytes allowed for one client, computed from the previous pass. */
let allowance = unsentAllowance(0, 0);

/** Checks the next share of the connections. */
function sweep(): void {
  const time = performance.now();
  const late = time - heartbeat.sweptAt - SWEEP_INTERVAL;
  // The process stood still: what clients sent meanwhile may not be read yet, and what was due wasn't asked.
  if (late > LATE) for (const { data } of sockets) data.aliveAt = Math.min(time, data.aliveAt + late);
  heartbeat.sweptAt = time;
  // New connections have their turn in the next pass: otherwise it might never end.
  if (sharesDone === 0) pass = [...sockets];
  const endOf = (shares: number) => Math.ceil((pass.length * shares) / SWEEPS_A_PASS);
  for (const socket of pass.slice(endOf(sharesDone), endOf(sharesDone + 1)))
    if (sockets.has(socket)) lookAfter(socket, time);
  sharesDone = (sharesDone + 1) % SWEEPS_A_PASS;
  if (sharesDone > 0) return;
  forgetSent(time);
  allowance = unsentAllowance(unsentInPass, pass.length);
  unsentInPass = 0;
}

/** Pings a connection that is due, and ends what it hears by shares that ran out; closes one that doesn't answer, is too slow or has expired. */
function lookAfter(socket: Socket, time: number): void {
  const { data } = socket;
  const unsent = socket.getBufferedAmount();
  unsentInPass += unsent;
  if (!data.ended) endLostShares(socket);
  if (time - data.aliveAt >= config["websocket.client_timeout_seconds"] * SECOND)
    close(socket, CLOSE.heartbeatLapsed);
  else if (unsent > allowance) close(socket, CLOSE.tooSlow);
  else if (!data.ended && hasExpired(data.caller)) close(socket, CLOSE.credentialEnded);
  else if (time >= data.pingAt) {
    data.pingAt = time + config["websocket.heartbeat_interval_seconds"] * SECOND;
    data.isPinged = true;
    socket.ping();
    // Its maker may be a key whose time has come, which is no event.
    if (data.linkId !== null && !linkById(data.linkId)) close(socket, CLOSE.credentialEnded);
    // Listening counts as use of the session. Thousands may listen: once an hour is enough for a bound of
    // days.
    if (data.caller.kind === "session" && !data.ended) noteUse(data.caller, HOUR);
  }
}

/** Ends subscriptions that their callers may no longer have; closes connections whose credential ended. */
function reevaluate(which: (caller: Caller) => boolean, announced: boolean): void {
  sharesHeardChanged();
  const reloaded = new Map<string, Caller | null>();
  for (const socket of sockets) {
    const { data } = socket;
    if (data.ended || data.linkId !== null) continue;
    if (!which(data.caller)) {
      // It may rest on the rights of whoever made it.
      endLostShares(socket);
      continue;
    }
    const { tokenHash } = data.caller;
    // Thousands may be connected with one key.
    if (!reloaded.has(tokenHash)) reloaded.set(tokenHash, reloadCaller(data.caller));
    const fresh = reloaded.get(tokenHash);
    if (!fresh) {
      end(socket, announced);
      continue;
    }
    data.caller = fresh;
    endLost(socket, () => true);
  }
}

/** Ends the subscriptions of a connection among some that its caller may not have any more. */
function endLost(socket: Socket, among: (channel: string) => boolean): void {
  const { caller, channels } = socket.data;
  for (const [channel, { format }] of channels) {
    if (!among(channel) || mayHear(caller, channel)) continue;
    leave(socket, channel);
    answersIn(format).error(socket, `Access to channel ended: ${channel}`);
  }
}

const endLostShares = (socket: Socket): void =>
  endLost(socket, (channel) => isHeardByShare(socket.data.caller, channel));

/** Ends what connections hear by shares that are over; returns when the next of the others ends, in epoch milliseconds. */
function endAllLostShares(): number {
  let next = Number.POSITIVE_INFINITY;
  for (const socket of sockets) {
    const { caller, channels, ended } = socket.data;
    if (ended) continue;
    endLostShares(socket);
    for (const channel of channels.keys())
      if (isHeardByShare(caller, channel)) next = Math.min(next, endOfShare(caller, channel));
  }
  return next;
}

/** Ends a connection whose credential ended: at once, or a little later after a message that says why. */
function end(socket: Socket, announced: boolean): void {
  const own = automaticChannel(socket.data.caller);
  const wasTold = announced && own !== null && socket.data.channels.has(own);
  if (!wasTold) {
    close(socket, CLOSE.credentialEnded);
    return;
  }
  socket.data.ended = true;
  for (const channel of [...socket.data.channels.keys()]) leave(socket, channel);
  setTimeout(() => close(socket, CLOSE.credentialEnded), FAREWELL).unref();
}

let stopLinks = () => {};
let sweeper: ReturnType<typeof setInterval> | undefined;

export function startSockets(): void {
  heartbeat.sweptAt = performance.now();
  sweeper = setInterval(sweep, SWEEP_INTERVAL);
  startCommunity();
  stopLinks = startLinks();
  endSharesWith(endAllLostShares);
  subscribe("channel.subscribed", ({ channel }) => {
    if (channel.startsWith("gps:")) sharesHeardChanged();
  });
  subscribe("access.changed", ({ which, announced }) => reevaluate(which, announced));
}

/** Says goodbye to every connection: the server stops. */
export function stopSockets(): void {
  clearInterval(sweeper);
  stopLinks();
  for (const socket of sockets) close(socket, CLOSE.goingAway);
}
