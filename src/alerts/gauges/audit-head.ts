import { config } from "../../configuration/config";
import { headOfDay, noteToldDay } from "../../identity/audit/chain";
import { transact } from "../../kernel/db/transactions";
import { log } from "../../kernel/logs/log";
import { DAY, iso, now } from "../../kernel/time/clock";
import { enqueue } from "../deliveries/outbox";
import { rightsOf } from "../targets/maker";
import { findTargets } from "../targets/service";
import { LANGUAGES } from "../texts/language";

/**
 * The head of the audit log's chain, told to a notification target once a day (`audit.head_target`): kept elsewhere, it proves
 * that nothing up to there was changed since, even to somebody who may write the database.
 */

/** The job: tells the head after each day (UTC), with the first look at the next one. */
export async function tellAuditHead(): Promise<void> {
  const id = config["audit.head_target"];
  if (id === null) return;
  const day = Math.floor(now() / DAY) - 1;
  const known = headOfDay();
  if (known.told_day !== null && known.told_day >= day) return;
  const [target] = findTargets([id]);
  const why = whyNot(target);
  await transact(() => {
    const head = headOfDay();
    if (head.told_day !== null && head.told_day >= day) return;
    noteToldDay(day);
    if (why !== null || head.number === 0) return;
    const audit = { date: iso(day * DAY).slice(0, 10), number: head.number, hash: head.hash };
    enqueue({
      ...{ alertId: null, targetIds: [id], type: "audit.head", severity: "info" },
      payload: { audit },
      text: (locale) => LANGUAGES[locale].auditHead(audit),
    });
  });
  if (why !== null) log.warn("the head of the audit log could not be told", { target: id, why });
}

/** The reason why a target is told nothing; null if it is. Nobody is told what the target's maker may not read. */
function whyNot(target: ReturnType<typeof findTargets>[number] | undefined): string | null {
  if (!target) return "there is no such notification target";
  if (!target.is_active) return "the notification target is switched off";
  return rightsOf(target)?.has("audit:read")
    ? null
    : "whoever made the notification target may not read the audit log";
}
