import { desc, eq, or, placeholder } from "drizzle-orm";
import { config, providers } from "../../configuration/config";
import { db, statement } from "../../kernel/db/connection";
import { badRequest, forbidden, notFound } from "../../kernel/errors/errors";
import { iso, now } from "../../kernel/time/clock";
import { type Actor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import type { Platform, PlatformSettings } from "./schema";
import { platforms } from "./table";

export type PlatformRow = typeof platforms.$inferSelect;

// --- Checks -----------------------------------------------------------------------------------------------

const bySlug = statement(() =>
  db
    .select()
    .from(platforms)
    .where(eq(platforms.slug, placeholder("slug")))
    .prepare(),
);

/** A platform by its slug; undefined when there is none. */
export function platformBySlug(slug: string): PlatformRow | undefined {
  return bySlug().get({ slug });
}

/** The OpenID provider that a way of sign-in names; undefined for a platform, and for one that is no longer configured. */
const providerBehind = (way: string) => providers.find(({ name }) => way === `oidc:${name}`);

/** The name of a way of sign-in that is an OpenID provider's, for people; null for a platform's. */
export const providerName = (way: string): string | null =>
  providerBehind(way)?.display_name ?? (way.startsWith("oidc:") ? way.slice("oidc:".length) : null);

/** The platform of a sign-in, for services that sign users in on platforms alone; null for one through an OpenID provider. */
export const platformOf = (way: string | null): string | null => (way?.startsWith("oidc:") ? null : way);

/**
 * Refuses a sign-in through a platform that is switched off (rule A4), or through an OpenID provider that is no longer
 * configured. Throws 403.
 */
export function checkLoginEnabled(slug: string): void {
  if (providerBehind(slug)) return;
  const platform = platformBySlug(slug);
  if (!platform?.enabled) throw forbidden(`Sign-in through ${platform?.name ?? slug} is switched off`);
}

/** Refuses a new user where registration or the platform is switched off. Throws 400. */
export function checkRegistrationEnabled(slug: string): void {
  if (!config["registration.enabled"]) throw badRequest("Registration is switched off");
  const platform = platformBySlug(slug);
  const name = platform?.name ?? slug;
  if (!platform?.enabled) throw badRequest(`Sign-in through ${name} is switched off`);
  if (!platform.registration_enabled) throw badRequest(`Registration through ${name} is switched off`);
}

// --- Reading ----------------------------------------------------------------------------------------------

const toPlatform = (row: PlatformRow): Platform => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** All platforms, newest first. */
export const listPlatforms = (): Platform[] =>
  db.select().from(platforms).orderBy(desc(platforms.id)).all().map(toPlatform);

export const listEnabledPlatforms = (): Platform[] => listPlatforms().filter((platform) => platform.enabled);

export const getPlatform = (idOrSlug: string): Platform => toPlatform(existingPlatform(idOrSlug));

/** A platform by its identifier or its slug. Throws 404. */
export function existingPlatform(idOrSlug: string): PlatformRow {
  const platform = db
    .select()
    .from(platforms)
    .where(or(eq(platforms.id, idOrSlug), eq(platforms.slug, idOrSlug)))
    .get();
  if (!platform) throw notFound("Platform");
  return platform;
}

// --- Changing ---------------------------------------------------------------------------------------------

const SETTINGS = ["enabled", "two_factor_required", "registration_enabled"] as const;

/** Changes the given settings; each new value leaves an audit event. Throws 404. */
export function changePlatform(
  actor: Actor,
  idOrSlug: string,
  settings: PlatformSettings,
): Promise<{ platform: PlatformRow; changed: boolean }> {
  return transactAs(actor, () => {
    const before = existingPlatform(idOrSlug);
    const changed = SETTINGS.filter((field) => (settings[field] ?? before[field]) !== before[field]);
    if (changed.length === 0) return { platform: before, changed: false };
    for (const field of changed)
      recordAudit({
        event_type: "platform_updated",
        user_id: actor.caller.userId,
        resource_type: "platform",
        resource_id: before.id,
        metadata: { slug: before.slug, field, from: before[field], to: settings[field] },
      });
    const platform = db
      .update(platforms)
      .set({ ...Object.fromEntries(changed.map((field) => [field, settings[field]])), updated_at: now() })
      .where(eq(platforms.id, before.id))
      .returning()
      .get();
    return { platform, changed: true };
  });
}
