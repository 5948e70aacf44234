import { sqlite, statement } from "../../kernel/db/connection";
import { iso, now } from "../../kernel/time/clock";
import { fixedPart, NO_HASH, personalPart } from "../audit/chain";
import { anchorAt, eventsAfter, hashAt, headNow, nextStep, STEP, type StoredLink } from "./verify";

/**
 * The audit log as a file that a third party can verify (docs/verify-audit.mjs): the part of the chain that holds all events of a
 * span of time. Raw SQL: the rows of a span are looked for along its index, in steps.
 */

interface Place {
  at: number;
  created_at: number;
}

const placesAfter = statement(() =>
  sqlite.prepare<Place, [number, number, number]>(
    `SELECT rowid AS at, created_at FROM audit_events INDEXED BY audit_events_time
     WHERE (created_at, rowid) > (?, ?) AND created_at <= ? ORDER BY created_at, rowid LIMIT 20000`,
  ),
);
const linkAt = statement(() =>
  sqlite.prepare<{ number: number; hash: Uint8Array | null }, [number]>(
    "SELECT number, hash FROM audit_events WHERE rowid = ? AND number IS NOT NULL",
  ),
);

/** The first and the last row that hold events of a span; null if there is none. The clock may have been set back in between. */
async function rowsOf(from: number, until: number): Promise<{ first: number; last: number } | null> {
  let [first, last] = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  for (let after: Place | undefined = { at: Number.MAX_SAFE_INTEGER, created_at: from - 1 }; after; ) {
    await nextStep();
    const places = placesAfter().all(after.created_at, after.at, until);
    for (const { at } of places) {
      // The server writes no rows beyond.
      if (!Number.isSafeInteger(at)) continue;
      if (at < first) first = at;
      if (at > last) last = at;
    }
    after = places.at(-1);
  }
  return first > last ? null : { first, last };
}

/**
 * The events of a span of time (epoch milliseconds, both included) and all that were written between them, as lines of JSON: a
 * head that names the ends of this part of the chain, then an event a line. `check` is called before each step, and throws to end
 * it.
 */
export async function* exportChain(from: number, until: number, check: () => void): AsyncGenerator<string> {
  const rows = await rowsOf(from, until);
  const [first, last] = rows ? [linkAt().get(rows.first), linkAt().get(rows.last)] : [null, null];
  const previous = first ? (first.number === 1 ? NO_HASH : hashAt(first.number - 1)) : null;
  const head = {
    type: "fairlead_audit_log",
    version: 1,
    exported_at: iso(now()),
    from: iso(Math.max(0, from)),
    to: iso(until),
    first_number: first?.number ?? null,
    last_number: last?.number ?? null,
    previous_hash: previous?.toHex() ?? null,
    last_hash: last?.hash?.toHex() ?? null,
    head: headNow(),
  };
  yield `${JSON.stringify(head)}\n`;
  if (!rows) return;
  let before = { number: (first?.number ?? 1) - 1, hash: previous ?? NO_HASH };
  for (let at = rows.first - 1; at < rows.last; ) {
    await nextStep();
    check();
    const events = eventsAfter(at).filter((event) => event.at <= rows.last);
    if (events.length === 0) throw agedOut();
    let text = "";
    for (const event of events) {
      const number = event.number ?? 0;
      if (number > before.number + 1 && anchorAt(number - 1)) throw agedOut();
      text += `${lineOf(event, number, before.hash)}\n`;
      before = { number, hash: event.hash ?? NO_HASH };
    }
    yield text;
    at = events.length < STEP ? rows.last : (events.at(-1)?.at ?? rows.last);
  }
}

const agedOut = () => new Error("events that were to be exported have aged out in the meantime");

/** An event as it was hashed: what is fixed, and what is personal with its salt, which is null for one that was scrubbed. */
function lineOf(event: StoredLink, number: number, previous: Uint8Array): string {
  const { hash, personal_hash, salt } = event;
  const line = JSON.stringify({
    event: fixedPart(event, number, previous.toHex(), personal_hash?.toHex() ?? ""),
    personal: { ...personalPart(event, ""), salt: salt?.toHex() ?? null },
    hash: hash?.toHex() ?? null,
  });
  // Many readers of lines take these for ends of a line.
  return line.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
