/**
 * Every permission that an operation of Fairlead asks for: a typed vocabulary, so that a misspelling doesn't
 * compile. Operators may add permissions of their own to roles and keys; these are the ones with a meaning.
 */
export const PERMISSIONS = {
  "gps:read": "Read positions and hear new ones",
  "gps:write": "Post positions",
  "gps:delete": "Delete positions",
  "devices:read": "Read devices",
  "devices:write": "Create and change devices",
  "devices:delete": "Delete devices",
  "trips:read": "Read trips, their positions, history and templates",
  "trips:write": "Create and change trips and templates",
  "trips:delete": "Delete trips and templates",
  "locations:read": "Read locations and contacts",
  "locations:write": "Create and change locations and contacts",
  "locations:delete": "Delete locations",
  "geofences:read": "Read zones and hear who enters or leaves them",
  "geofences:write": "Create and change zones",
  "geofences:delete": "Delete zones",
  "alerts:read": "Read alerts, alert rules and anchor watches, and hear of alerts",
  "alerts:write":
    "Create and change alert rules, anchor watches and notification targets; acknowledge alerts",
  "alerts:delete": "Delete alert rules",
  "trip_categories:read": "Read trip categories",
  "trip_categories:write": "Create and change trip categories",
  "trip_categories:delete": "Delete trip categories",
  "settings:read": "Read system settings and system config",
  "settings:write": "Change system settings, system config and platforms",
  "settings:delete": "Delete system settings",
  "pegel:read": "Read water levels",
  "community:read": "Read guilds, channels, members and bot settings",
  "community:edit": "Change bot settings",
  "community:delete": "Delete stored guilds",
  "community:sync": "Start guild syncs; act as the community bot",
  "community:guild.sync": "Start member syncs",
  "users:read": "Read any user",
  "users:write": "Change any user and their roles",
  "users:delete": "Delete users",
  "users:ban": "Ban and unban users",
  "api_keys:read": "Read own API keys",
  "api_keys:write": "Create and change own API keys",
  "api_keys:delete": "Delete own API keys",
  "oauth_clients:read": "Read own OAuth clients by an API key",
  "oauth_clients:write": "Create, change and delete own OAuth clients by an API key",
  "roles:read": "Read roles",
  "roles:write": "Create and change roles",
  "roles:delete": "Delete roles",
  "permissions:read": "Read the permission catalogue",
  "permissions:write": "Add to the permission catalogue",
  "audit:read": "Read any audit event and report",
  "audit:write": "Write audit events and handle reports",
  "two_factor:read": "Read own two-factor status",
  "two_factor:write": "Change own two-factor authentication",
  "two_factor:manage": "Manage any user's two-factor authentication",
  "integrations:read": "Read own integrations",
  "integrations:write": "Connect and change own integrations",
  "sync:manage": "Manage boxes, which send what they keep, and hand them zones and alert rules",
  "admin:read": "Hear the admin channels",
} as const;

export type Permission = keyof typeof PERMISSIONS;

/** `<resource>:<action>`; either both parts are `*` or only the action is (rule R1). */
export const PERMISSION_FORM = /^(?:\*:\*|[a-z][a-z0-9_]{0,63}:(?:\*|[a-z][a-z0-9_.]{0,63}))$/;

/** True if a string has the form of a permission or a wildcard. */
export const isPermissionForm = (value: string): boolean => PERMISSION_FORM.test(value);

/** The rights of a user or a key: permissions and wildcards. Immutable. */
export class PermissionSet {
  static readonly all = new PermissionSet(["*:*"]);

  readonly #held: ReadonlySet<string>;

  constructor(held: Iterable<string>) {
    this.#held = new Set(held);
  }

  /** True if this set grants `permission`, itself or by a wildcard. A wildcard is granted by a wider one. */
  has(permission: string): boolean {
    return (
      this.#held.has(permission) ||
      this.#held.has("*:*") ||
      this.#held.has(`${permission.slice(0, permission.indexOf(":"))}:*`)
    );
  }

  hasAll(permissions: Iterable<string>): boolean {
    for (const permission of permissions) if (!this.has(permission)) return false;
    return true;
  }

  /** True if both sets grant the same, however written: `*:*` with `gps:read` grants what `*:*` does. */
  grantsTheSameAs(other: PermissionSet): boolean {
    return this.hasAll(other.#held) && other.hasAll(this.#held);
  }

  /** The permissions that both sets grant: `gps:*` with `gps:read` is `gps:read`. */
  intersect(other: PermissionSet): PermissionSet {
    const mine = [...this.#held].filter((permission) => other.has(permission));
    const theirs = [...other.#held].filter((permission) => this.has(permission));
    return new PermissionSet([...mine, ...theirs]);
  }

  /** The permissions and wildcards, sorted. */
  list(): string[] {
    return [...this.#held].sort();
  }
}
