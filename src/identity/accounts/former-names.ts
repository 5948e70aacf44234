import { and, eq, inArray, ne } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { now } from "../../kernel/time/clock";
import { integrations } from "../../operations/integrations/table";
import { type FormerId, scrubNames } from "../../personal-data/deletion/table";
import { platforms } from "../platforms/table";
import { platformAccounts } from "./table";

/** The names of an account that outlive it, and its links, until its traces are erased. */

/** The platforms whose bots may write events about identifiers of their own. */
const BOT_PLATFORMS = ["discord", "twitch", "youtube"];

/** Unlinked identifiers that are remembered for one user; the oldest go first. */
const MAX_FORMER = 100;

export const namesOf = (userId: string) =>
  db.select().from(scrubNames).where(eq(scrubNames.user_id, userId)).get();

const isFormer = (id: string | FormerId): id is FormerId => typeof id !== "string";

/** Identifiers that were unlinked from an account. */
const formerIds = (userId: string): FormerId[] => namesOf(userId)?.external_ids.filter(isFormer) ?? [];

function store(userId: string, names: Omit<typeof scrubNames.$inferInsert, "user_id">): void {
  db.insert(scrubNames)
    .values({ user_id: userId, ...names })
    .onConflictDoUpdate({ target: scrubNames.user_id, set: names })
    .run();
}

/** Remembers, in the current transaction, an identifier that is unlinked: events of bots name the user by it. */
export function noteUnlinked(userId: string, platform: string, id: string): void {
  if (!BOT_PLATFORMS.includes(platform)) return;
  const others = formerIds(userId).filter((former) => former.id !== id);
  const external_ids = [...others, { id, until: now() }].slice(-MAX_FORMER);
  store(userId, { addresses: [], external_ids });
}

/** Stores the names of an account, in the transaction that scrubs it and before it does. */
export function noteNames(userId: string): void {
  const accounts = db
    .select({ email: platformAccounts.email, id: platformAccounts.platform_user_id, slug: platforms.slug })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(eq(platformAccounts.user_id, userId))
    .all();
  const connected = db
    .select({ id: integrations.platform_user_id })
    .from(integrations)
    .where(and(eq(integrations.user_id, userId), inArray(integrations.platform, BOT_PLATFORMS)))
    .all();
  // Addresses merely claimed are left out: emails there may be somebody else's. The account's own emails have
  // identifiers.
  const addresses = accounts.flatMap(({ email, slug }) => (slug === "email" && email ? [email] : []));
  const onPlatforms = [...accounts.filter(({ slug }) => BOT_PLATFORMS.includes(slug)), ...connected];
  const present = new Set(onPlatforms.map(({ id }) => id));
  const former = formerIds(userId).filter(({ id }) => !present.has(id));
  store(userId, {
    addresses,
    // Nobody else has it: what bots wrote since is about the same person.
    external_ids: [...present, ...former.map((gone) => (isSomebodyElses(gone.id, userId) ? gone : gone.id))],
  });
}

const isSomebodyElses = (id: string, userId: string): boolean =>
  db
    .select({ id: platformAccounts.id })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(
      and(
        inArray(platforms.slug, BOT_PLATFORMS),
        eq(platformAccounts.platform_user_id, id),
        ne(platformAccounts.user_id, userId),
      ),
    )
    .limit(1)
    .get() !== undefined;
