import { canonicalJson } from "../../kernel/values/canonical-json";
import type { LogEntry } from "./schema";

/** The chain of a log: each entry's hash covers the entry and, by `previous_hash`, all before it. */

/** The hash of an entry: hex SHA-256 (FIPS 180-4) of the UTF-8 of its canonical JSON (RFC 8785), less `hash`. */
export const hashOf = ({ hash: _, ...entry }: Omit<LogEntry, "hash"> & { hash?: string }): string =>
  Bun.SHA256.hash(canonicalJson(entry), "hex");

/** The place in a chain up to which it has been checked. */
export interface Checked {
  entries: number;
  head: string | null;
  /** The first entry that doesn't fit. */
  firstBreak: string | null;
}

export const NOTHING_CHECKED: Checked = { entries: 0, head: null, firstBreak: null };

/** Checks the next entry of a chain, whose numbers count from 1. */
export function checkNext({ entries, head, firstBreak }: Checked, entry: LogEntry): Checked {
  const fits =
    entry.number === entries + 1 && entry.previous_hash === head && entry.hash === hashOrNull(entry);
  return { entries: entries + 1, head: entry.hash, firstBreak: firstBreak ?? (fits ? null : entry.id) };
}

/** Null for an entry that was changed into something without a canonical form. */
function hashOrNull(entry: LogEntry): string | null {
  try {
    return hashOf(entry);
  } catch {
    return null;
  }
}
