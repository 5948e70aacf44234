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
