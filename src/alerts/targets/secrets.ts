import { randomBytes } from "node:crypto";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { now } from "../../kernel/time/clock";
import type { FormerSecret, notificationTargets } from "./table";

type Sealed = Pick<
  typeof notificationTargets.$inferSelect,
  "id" | "secret" | "former_secret" | "former_secret_until" | "older_secrets"
>;

const column = {
  what: { en: "secrets of notification targets", de: "Geheimnisse der Empfänger von Benachrichtigungen" },
  ifLost: {
    en: "delete these notification targets and make them anew",
    de: "lösche diese Benachrichtigungsziele und lege sie neu an",
  },
  table: "notification_targets",
  id: "id",
  boundTo: (id: string) => `notification target ${id}`,
};
// A value moves from one to the next as it is.
export const targetSecrets = sealedColumn({ ...column, column: "secret" });
export const formerTargetSecrets = sealedColumn({ ...column, column: "former_secret" });
export const olderTargetSecrets = sealedColumn({ ...column, column: "older_secrets", isList: true });

/** Bytes of a webhook's secret: Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret of a webhook, in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;

/** The former secrets of a webhook that count still, the newest first. */
export function formerSecrets(target: Omit<Sealed, "id" | "secret">): FormerSecret[] {
  const { former_secret: secret, former_secret_until: until, older_secrets } = target;
  const newest = secret !== null && until !== null ? [{ secret, until }] : [];
  return [...newest, ...(older_secrets ?? [])].filter((former) => now() < former.until);
}

/** The secrets of a target that count now, the newest first. Throws if they can't be decrypted. */
export function openSecrets({ id, secret, ...former }: Sealed): string[] {
  return [secret, ...formerSecrets(former).map((each) => each.secret)]
    .filter((sealed) => sealed !== null)
    .map((sealed) => targetSecrets.open(sealed, id));
}
