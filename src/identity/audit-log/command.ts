import { existsSync } from "node:fs";
import { withData } from "../../kernel/db/open-data";
import { dataPath } from "../../kernel/process/data-dir";
import { OperatorError } from "../../kernel/process/operator";
import { print, printJson } from "../../kernel/process/print";
import { headNow, verifyChain } from "./verify";

/** `fairlead audit verify`. */

/** Verifies the audit log and prints what came of it. Throws OperatorError at a break. */
export async function verifyLog(values: Record<string, unknown>): Promise<void> {
  const database = dataPath.database();
  if (!existsSync(database)) throw new OperatorError(`there is no database at ${database}`);
  const show = process.stderr.isTTY
    ? (entries: number) => process.stderr.write(`\r\x1b[KVerified ${entries.toLocaleString("en")} events`)
    : () => {};
  const { verdict, head } = await withData(async () => ({
    verdict: await verifyChain(0, Number.MAX_SAFE_INTEGER, show),
    head: headNow(),
  }));
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  if (!verdict) throw new Error("a chain has a beginning");
  const { entries, scrubbed, aged_out, last, first_break } = verdict;
  if (values.json)
    await printJson({ is_intact: first_break === null, entries, scrubbed, aged_out, head, first_break });
  if (first_break) {
    const { event_id, number, reason } = first_break;
    const place =
      event_id === null ? `at its end, from no. ${number} on` : `at event no. ${number} (${event_id})`;
    throw new OperatorError(
      `the audit log is broken ${place}: ${WORDS[reason]}; ${entries} events before it are intact`,
    );
  }
  if (values.json) return;
  await print(
    `The audit log is intact: ${entries} events${aged_out > 0 ? ` from no. ${aged_out + 1} on, those before have aged out` : ""}${scrubbed > 0 ? `, ${scrubbed} scrubbed` : ""}. Head: no. ${last.number}, ${last.hash.toHex()}`,
  );
}

const WORDS = {
  changed: "it is not what was hashed",
  missing: "events are missing",
  unchained: "it was written past the chain",
};
