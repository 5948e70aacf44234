import { config } from "../../configuration/config";
import { headOfDay, noteToldDay } from "../../identity/audit/chain";
import { transact } from "../../kernel/db/transactions";
import { log } from "../../kernel/logs/log";
import { DAY, iso, now } from "../../kernel/time/clock";
import { enqueue } from "../deliveries/outbox";
import { LANGUAGES } from "../texts/language";
import { headTargetTrouble } from "./head-target";

/**
 * The head of the audit log's chain, told to a notification target once a day (`audit.head_target`): kept elsewhere, it proves
 * that nothing up to there was changed since, even to somebody who may write the database.
 */

/** The trouble that the log was told of last. */
let logged: string | null = null;

/** The job: tells the head after each day (UTC), with the first look at the next one, or as soon as the target can be told. */
export async function tellAuditHead(): Promise<void> {
  const id = config["audit.head_target"];
  if (id === null) return;
  const day = Math.floor(now() / DAY) - 1;
  // A later day may have been told, by a clock that was wrong: that must not silence the head until then, and twice does no harm.
  if (headOfDay().told_day === day) return;
  const trouble = headTargetTrouble(id)?.en ?? null;
  if (trouble !== null && trouble !== logged)
    log.warn("the head of the audit log can't be told", { target: id, why: trouble });
  logged = trouble;
  if (trouble !== null) return;
  await transact(() => {
    const head = headOfDay();
    if (head.told_day === day || head.number === 0) return;
    const audit = { date: iso(day * DAY).slice(0, 10), number: head.number, hash: head.hash };
    const deliveries = enqueue({
      ...{ alertId: null, targetIds: [id], type: "audit.head", severity: "info" },
      payload: { audit },
      text: (locale) => LANGUAGES[locale].auditHead(audit),
    });
    if (deliveries.length > 0) noteToldDay(day);
  });
}
