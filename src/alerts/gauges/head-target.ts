import type { Bilingual } from "../../kernel/values/bilingual";
import { rightsOf } from "../targets/maker";
import { findTargets } from "../targets/service";

/** The target that is told the head of the audit log's chain (`audit.head_target`). */

/** The reason why a target can't be told; null if it can. Nobody is told what the target's maker may not read. */
export function headTargetTrouble(id: string): Bilingual | null {
  const [target] = findTargets([id]);
  if (!target)
    return {
      en: "there is no such notification target",
      de: "dieses Benachrichtigungsziel gibt es nicht",
    };
  if (!target.is_active)
    return {
      en: "the notification target is switched off",
      de: "das Benachrichtigungsziel ist abgeschaltet",
    };
  return rightsOf(target)?.has("audit:read")
    ? null
    : {
        en: "whoever made the notification target may not read the audit log",
        de: "wer das Benachrichtigungsziel angelegt hat, darf das Audit-Log nicht lesen",
      };
}
