import { formerTargetSecrets, olderTargetSecrets, targetSecrets } from "../../alerts/targets/secrets";
import { queuedEmails } from "../../identity/email/service";
import { signingKeys } from "../../identity/oauth/keys";
import { verifiersOfSignIns } from "../../identity/oidc/begin";
import { totpSecrets } from "../../identity/two-factor-codes/service";
import type { SealedColumn } from "../../kernel/crypto/sealed";
import { hashKeys } from "../../kernel/db/master-key";
import { codeVerifiers } from "../../operations/integrations/connect";
import { accessTokens, refreshTokens } from "../../operations/integrations/tokens";
import { trackerKeys } from "../../tracking/trackers/authenticate";

/** Every column whose values are encrypted under the master key: what its check tries, and its rotation encrypts anew. */
export const SEALED: SealedColumn[] = [
  totpSecrets,
  queuedEmails,
  accessTokens,
  refreshTokens,
  codeVerifiers,
  verifiersOfSignIns,
  trackerKeys,
  targetSecrets,
  formerTargetSecrets,
  olderTargetSecrets,
  signingKeys,
  hashKeys,
];

/**
 * The items of what a column stores that is a list; null for any other column. A list that is damaged counts as a single value,
 * which no key opens.
 */
export function itemsIn({ isList }: SealedColumn, stored: string): { secret: string }[] | null {
  if (!isList) return null;
  try {
    const items: unknown = JSON.parse(stored);
    return Array.isArray(items) && items.every(hasSecret) ? items : null;
  } catch {
    return null;
  }
}

const hasSecret = (item: unknown): item is { secret: string } =>
  typeof (item as { secret?: unknown } | null)?.secret === "string";
