import { eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { isUserActive } from "../access/maker";
import { oauthClients } from "./table";

/** A registered client as it is stored. */
export type ClientRow = typeof oauthClients.$inferSelect;

const byId = statement(() =>
  db
    .select()
    .from(oauthClients)
    .where(eq(oauthClients.id, placeholder("id")))
    .prepare(),
);

/**
 * A client that may be used; undefined for one that is unknown or switched off, and while its owner is banned or deleted: users
 * agreed to what that person registered. One of the installation itself doesn't hang on a person.
 */
export function findActiveClient(id: string): ClientRow | undefined {
  const client = byId().get({ id });
  if (!client?.is_active) return undefined;
  return client.is_first_party || isUserActive(client.owner_id) ? client : undefined;
}
