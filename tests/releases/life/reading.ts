import { GUILD } from "../../operations/community/support";
import type { Caller } from "../releases";
import type { Beyond } from "./beyond";
import type { Fleet } from "./fleet";
import { ANNA, type People } from "./people";
import type { Watch } from "./watch";

/** An address, behind the one who may ask for it. */
export type Question = [caller: Caller["name"], path: string];

/** The addresses that read the database, as those who may; none whose answer depends on the time at which it is asked. */
export function questions(people: People, fleet: Fleet, watch: Watch, beyond: Beyond): Question[] {
  return [...ofAccounts(people), ...ofRecords(fleet, watch), ...ofBeyond(beyond), ...ofAnna(people, beyond)];
}

const as = (name: Caller["name"], ...paths: string[]) => paths.map((path): Question => [name, `/v1/${path}`]);

function ofAccounts({ anna: { id: anna }, bert, role, client }: People): Question[] {
  return [
    ...as("admin", "users/me", "users", `users/${anna}`, `users/${anna}/profile`, `users/${anna}/roles`),
    ...as("admin", `users/${anna}/permissions`, `users/${anna}/accounts`, `users/${bert}/bans`),
    ...as("admin", `admin/users/${anna}/deletion-status`, `users/email/${ANNA.email}`),
    ...as("admin", "api-keys", "roles", `roles/${role}`, `roles/${role}/permissions`, "permissions"),
    ...as("admin", "platforms", "platforms/enabled", "platforms/discord", "invitations"),
    ...as("admin", "admin/audit/reports", `users/${anna}/audit`, "oauth/clients/all"),
    ...as("admin", `oauth/clients/${client.id}`),
  ];
}

function ofRecords(fleet: Fleet, { rule, target, anchored }: Watch): Question[] {
  const { device, tracker, trip, position, entry, link, category, template, location, zone } = fleet;
  const { id, keyId } = device;
  const [begunAt, endedAt] = [fleet.begunAt, fleet.endedAt].map((time) => new Date(time).toISOString());
  const days = `from=${begunAt?.slice(0, 10)}&to=${endedAt?.slice(0, 10)}`;
  return [
    ...as("admin", `api-keys/${keyId}`, `api-keys/${keyId}/roles`, "devices", `devices/${id}`),
    ...as("admin", `devices/${id}/trackers`, `devices/${tracker.deviceId}/trackers/${tracker.id}`),
    ...as("admin", `devices/${id}/shares`, "share-links", `share-links/${link}`),
    ...as("admin", `devices/${id}/track?from=${begunAt}&to=${endedAt}`),
    ...as("admin", `devices/${id}/timeline?${days}`, `devices/${id}/statistics?${days}`),
    ...as("admin", "gps?limit=100", "gps?page=3&limit=100", "gps/current", "gps/current/devices"),
    ...as("admin", `gps/${position}`, "trips", `trips/${trip}`, `trips/${trip}/gps?limit=100`),
    ...as("admin", `trips/${trip}/history`, `trips/${trip}/track`, `trips/${trip}/statistics`),
    ...as("admin", `trips/${trip}/log`, `trips/${trip}/log/${entry}`, `trips/${trip}/log/verify`),
    ...as("admin", "trip-categories", `trip-categories/${category}`),
    ...as("admin", "trip-templates", `trip-templates/${template}`),
    ...as("admin", "locations", `locations/${location}`, "geofences", `geofences/${zone}`),
    ...as("admin", "geofence-events?limit=100", "geofence-presence", `geofences/${zone}/visits`),
    ...as("admin", "alert-rules", `alert-rules/${rule}`, "alerts"),
    ...as("admin", "anchor-watches", `devices/${anchored}/anchor`),
    ...as("admin", "notification-targets", `notification-targets/${target}`),
    ...as("admin", `notification-targets/${target}/deliveries`),
  ];
}

function ofBeyond({ guild, box }: Beyond): Question[] {
  return [
    ...as("admin", "settings", "settings/harbour.hours", "system-config/pegel.default_radius_km"),
    ...as("admin", "community/settings", "community/guilds", `community/guilds/${GUILD}/full`),
    ...as("admin", `community/guilds/${guild}/members`, `community/guilds/${GUILD}/settings`),
    ...as("admin", "sync/boxes", `sync/boxes/${box}`),
  ];
}

function ofAnna({ anna }: People, { integration }: Beyond): Question[] {
  return [
    ...as("anna", "users/me", "users/me/audit/reports", "users/me/2fa/status", "users/me/deletion"),
    ...as("anna", "integrations", `integrations/${integration}`, "integrations/platform/discord"),
    ...as("anna", `users/${anna.id}/email/pending`, "user/export/logs"),
    ...as("anna", "users/me/passkeys", "users/me/consents", "users/me/identities", "users/me/ways-in"),
  ];
}
