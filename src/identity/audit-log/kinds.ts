import { sqlite, statement } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow, removeCounter } from "../../kernel/db/counters";
import { transact } from "../../kernel/db/transactions";
import { invalid } from "../../kernel/errors/errors";

/**
 * The kinds of events from outside: a type with a type of resource. The log counts each kind by days, so that
 * lists cost what kinds and days are held; a service that put identifiers into types would slow down everybody's.
 * Raw SQL: the counts and the counters are read as search.ts and counters.ts read them.
 */

/** Kinds from outside that the log holds at most. Fairlead itself writes about as many. */
const MAX_KINDS = 250;

const TOTAL = "audit_kinds";
const KIND = "audit_kind";
/** By a hash: a service's words about an account must not outlive it here (rule A10). */
const counterOf = (event_type: string, resource_type: string): string =>
  `${KIND} ${new Bun.CryptoHasher("sha256").update(JSON.stringify([event_type, resource_type])).digest("base64")}`;

/** Notes the kind of an event from outside in the current transaction. Throws 400 for one too many. */
export function noteKind(event_type: string, resource_type: string | null | undefined): void {
  const name = counterOf(event_type, resource_type ?? "");
  if (counterNow(name) > 0) return;
  if (counterNow(TOTAL) >= MAX_KINDS)
    throw invalid(
      "/event_type",
      `names a new kind of event, and the audit log holds ${MAX_KINDS} kinds from other services: use one of them, and put what varies into resource_id or metadata`,
    );
  adjustCounter(name, 1);
  adjustCounter(TOTAL, 1);
}

const heldKinds = statement(() =>
  sqlite.prepare<{ event_type: string; resource_type: string }, []>(
    "SELECT DISTINCT event_type, resource_type FROM audit_days",
  ),
);
// The range from a space to the character after it, as in counters.ts.
const notedKinds = statement(() =>
  sqlite.prepare<{ name: string }, []>(
    `SELECT name FROM counters WHERE name >= '${KIND} ' AND name < '${KIND}!'`,
  ),
);

/** Forgets the kinds whose events have all aged out, once half of the kinds are taken. */
export async function forgetKinds(): Promise<void> {
  if (counter(TOTAL) < MAX_KINDS / 2) return;
  await transact(() => {
    const held = new Set(
      heldKinds()
        .all()
        .map((kind) => counterOf(kind.event_type, kind.resource_type)),
    );
    for (const { name } of notedKinds().all()) {
      if (held.has(name)) continue;
      removeCounter(name);
      adjustCounter(TOTAL, -1);
    }
  });
}
