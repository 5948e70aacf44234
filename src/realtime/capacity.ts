import { readFileSync } from "node:fs";
import { config } from "../configuration/config";
import { profile } from "../configuration/profile";
import { type Caller, isSystemKey } from "../identity/access/caller";
import { AppError } from "../kernel/errors/errors";
import { SECOND } from "../kernel/time/clock";
import { lazy } from "../kernel/values/lazy";
import { countClose, opened } from "./figures";

/**
 * Bounds on connections and on the bytes that wait for their clients, so that everything else goes on beside
 * them.
 */

/** File descriptors that are left for requests and the database, whatever the number of connections. */
const SPARE_FILES = 128;

/** Unsent bytes beyond which a client is closed, so that it costs the others nothing (rule W6). */
const MAX_UNSENT = 4 * 1024 * 1024;

/** The number of files that this process may open; Bun has raised it to the hard limit. */
export function openFilesLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Maximum number of connections of a process that may open so many files; at least a fifth of these is left
 * for requests.
 */
export const connectionsFor = (files: number): number =>
  Math.max(0, Math.floor(Math.min(profile.sockets, files * 0.8, files - SPARE_FILES)));

const limit = lazy(() => connectionsFor(openFilesLimit()));

/**
 * Connections reserved for super admins and system keys, however many all others hold: where anybody may
 * register, a stranger may bring any number of users.
 */
const reserved = lazy(() => Math.floor(Math.min(limit() / 8, Math.max(16, limit() / 100))));

/** The holder of a connection, by whom connections are counted. */
export interface Holder {
  /** The user, for all of a user's sessions and keys, or a system key. */
  id: string;
  /** True if it may take the reserved connections. */
  isOperator: boolean;
}

export const holderOf = (caller: Caller): Holder => ({
  id: isSystemKey(caller) ? caller.id : (caller.userId ?? caller.id),
  isOperator: caller.isSuperAdmin || isSystemKey(caller),
});

/** Open connections by their holder, in all, and of those who may not take the reserved ones. */
const held = new Map<string, number>();
let inAll = 0;
let ofOthers = 0;

/**
 * Throws 503 if there is no room for one more connection. A user may hold
 * `websocket.max_connections_per_user`, or `ofHolder`, and nobody more than half of the maximum.
 */
export function requireRoom(caller: Caller, ofHolder?: number): void {
  const { id, isOperator } = holderOf(caller);
  if (inAll >= limit() || (!isOperator && ofOthers >= limit() - reserved()))
    throw full("The server holds as many connections as it can: try again later");
  const most = ofHolder ?? (isSystemKey(caller) ? limit() : config["websocket.max_connections_per_user"]);
  const own = Math.floor(Math.min(most, limit() / 2));
  if ((held.get(id) ?? 0) >= own)
    throw full(`You hold ${own} connections, which is as many as you may: close some of them first`);
}

const full = (message: string) =>
  new AppError("ServiceUnavailable", message, { headers: { "retry-after": "10" } });

export function countOpened({ id, isOperator }: Holder): void {
  inAll++;
  if (!isOperator) ofOthers++;
  opened.add();
  held.set(id, (held.get(id) ?? 0) + 1);
}

/** `code` is that of the close frame (RFC 6455, section 7.4.1). */
export function countClosed({ id, isOperator }: Holder, code: number): void {
  inAll--;
  if (!isOperator) ofOthers--;
  countClose(code);
  const left = (held.get(id) ?? 0) - 1;
  if (left > 0) held.set(id, left);
  else held.delete(id);
}

/**
 * Unsent bytes allowed for one client while all `connections` together have `unsent`. Once they have too
 * many, clients with more than half of the average are too slow: that catches those that hold much, and none
 * that keep up.
 */
export const unsentAllowance = (unsent: number, connections: number): number =>
  unsent > profile.unsentMessages ? Math.min(MAX_UNSENT, unsent / connections / 2) : MAX_UNSENT;

/** Bytes that each holder sent in the second that began at `since` (performance.now milliseconds). */
const sent = new Map<string, { since: number; bytes: number }>();

/**
 * Counts bytes that a holder sent, on any of its connections. True if they exceed the maximum of a second.
 */
export function takesTooMuch({ id }: Holder, bytes: number, time: number): boolean {
  let second = sent.get(id);
  if (!second || time - second.since >= SECOND) {
    second = { since: time, bytes: 0 };
    sent.set(id, second);
  }
  second.bytes += bytes;
  return second.bytes > config["websocket.max_bytes_per_second"];
}

/**
 * Forgets holders that sent nothing for a second. The end of a connection must not do so, or a new one would
 * start with the full allowance.
 */
export function forgetSent(time: number): void {
  for (const [id, { since }] of sent) if (time - since >= SECOND) sent.delete(id);
}
