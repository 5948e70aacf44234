import { eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
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

/** A client that may be used; undefined for one that is unknown or switched off. */
export function findActiveClient(id: string): ClientRow | undefined {
  const client = byId().get({ id });
  return client?.is_active ? client : undefined;
}
