import { readFileSync } from "node:fs";
import type { Caller } from "../identity/access/caller";
import { AppError } from "../kernel/errors";
import { countClose, opened } from "./figures";

/** How many connections there may be, and how much may wait for their clients, so that all else goes on beside them. */

/** Memory for their buffers aside, an open connection costs some kilobytes. */
const MAX_CONNECTIONS = 50_000;
/** File descriptors that are left for requests and the database, whatever the number of connections. */
const SPARE_FILES = 128;

/** A client for which more than this is unsent (bytes) is closed, so that it costs the others nothing. */
const MAX_UNSENT = 4 * 1024 * 1024;
/** What may be unsent for all clients together. */
const MAX_UNSENT_IN_ALL = 256 * 1024 * 1024;

/** The number of files that this process may open; Bun has raised it to the hard limit. */
export function openFilesLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    // Only Linux tells.
    return Number.POSITIVE_INFINITY;
  }
}

/** How many connections a process takes that may open so many files; a fifth of these at least is for requests. */
export const connectionsFor = (files: number): number =>
  Math.max(0, Math.floor(Math.min(MAX_CONNECTIONS, files * 0.8, files - SPARE_FILES)));

const limit = connectionsFor(openFilesLimit());

/** Open connections of each user, and of each key that has no owner. */
const held = new Map<string, number>();
let inAll = 0;

export const holderOf = (caller: Caller): string => caller.userId ?? caller.id;

/** Throws 503 when there is no room for one more connection. Nobody holds more than half of all that there may be. */
export function requireRoom(caller: Caller): void {
  if (inAll >= limit) throw full("The server holds as many connections as it can");
  if ((held.get(holderOf(caller)) ?? 0) >= limit / 2) throw full("You hold as many connections as you may");
}

const full = (message: string) =>
  new AppError("ServiceUnavailable", message, { headers: { "retry-after": "10" } });

export function countOpened(holder: string): void {
  inAll++;
  opened.add();
  held.set(holder, (held.get(holder) ?? 0) + 1);
}

/** `code` is that of the close frame (RFC 6455, section 7.4.1). */
export function countClosed(holder: string, code: number): void {
  inAll--;
  countClose(code);
  const left = (held.get(holder) ?? 0) - 1;
  if (left > 0) held.set(holder, left);
  else held.delete(holder);
}

/**
 * How many bytes may be unsent for one client while so many are for all of `connections`. Once they are too many
 * together, those who have more than half of the average are too slow: all that hold much, and none that keep up.
 */
export const unsentAllowance = (unsent: number, connections: number): number =>
  unsent > MAX_UNSENT_IN_ALL ? Math.min(MAX_UNSENT, unsent / connections / 2) : MAX_UNSENT;
