import { randomBytes } from "node:crypto";
import { decrypt, encrypt } from "../../kernel/crypto/encryption";
import { now } from "../../kernel/time/clock";
import type { FormerSecret, notificationTargets } from "./table";

type Sealed = Pick<
  typeof notificationTargets.$inferSelect,
  "id" | "secret" | "former_secret" | "former_secret_until" | "older_secrets"
>;

/** The record that a target's secret is encrypted for. */
export const secretOf = (id: string) => `notification target ${id}`;

export const seal = (id: string, secret: string): string => encrypt(secret, secretOf(id));

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
    .map((sealed) => decrypt(sealed, secretOf(id)));
}
