import fc from "fast-check";

/**
 * Identifiers that the server has told, by the kind of record, so that random requests meet records that
 * exist.
 */

/** The kind of record that a parameter or field refers to, where the path in front of it doesn't tell. */
const REFERENCES: Record<string, string> = {
  device_id: "devices",
  trip_id: "trips",
  category_id: "trip-categories",
  parent_id: "trip-categories",
  origin_id: "locations",
  destination_id: "locations",
  cid: "contacts",
  role_id: "roles",
  permission_id: "permissions",
  api_key_id: "api-keys",
  account_id: "accounts",
  session_id: "sessions",
  event_id: "audit",
  report_id: "reports",
  user_id: "users",
  userId: "users",
  actor_id: "users",
  platform_id: "platforms",
  id_or_slug: "platforms",
  station_id: "stations",
  station_ids: "stations",
};

/** Words that the server requires where its schema only says that the value is a text. */
const WORDS: Record<string, string[]> = {
  locale: ["en", "de"],
  oauthProvider: ["discord", "twitch", "github"],
  oauth_provider: ["discord", "email"],
  slug: ["twitch", "youtube", "discord"],
  platform: ["twitch", "youtube", "discord"],
  redirect_uri: ["http://localhost:3000/settings"],
  redirect_uris: ["https://example.org/callback", "http://localhost:1/callback", "org.example.app:/callback"],
  scopes: ["gps:read", "trips:*"],
  new_password: ["another passphrase"],
};

/** The kind of record that a path's last fixed segment names, such as `trips` for `/v1/trips/{id}/gps`. */
const kindOf = (template: string): string =>
  template
    .split("/")
    .filter((segment) => segment !== "" && !segment.startsWith("{"))
    .at(-1) ?? "";

/** The number of identifiers kept of one kind; the oldest go first. */
const KEPT = 8;

export class Pool {
  readonly #known = new Map<string, string[]>();
  /** Records that the run itself depends on. */
  readonly #spared = new Set<string>();

  spare(...ids: string[]): void {
    for (const id of ids) this.#spared.add(id);
  }

  add(kind: string, id: unknown): void {
    if (typeof id !== "string" || this.#spared.has(id)) return;
    const known = this.#known.get(kind) ?? [];
    if (known.includes(id)) return;
    known.push(id);
    if (known.length > KEPT) known.shift();
    this.#known.set(kind, known);
  }

  /** Keeps the identifiers of all records in an answer. */
  harvest(template: string, body: unknown): void {
    if (typeof body !== "object" || body === null) return;
    const records = Array.isArray(body) ? body : Object.values(body).flat();
    for (const record of [body, ...records])
      if (
        typeof record === "object" &&
        record !== null &&
        !("is_system" in record && "key_prefix" in record && record.is_system)
      ) {
        const { id, key, sessionToken } = record as { id?: unknown; key?: unknown; sessionToken?: unknown };
        this.add(kindOf(template), id ?? key);
        this.add("tokens", sessionToken);
      }
  }

  /** Identifiers of a kind: mostly of records that were seen, sometimes of none. */
  of(kind: string): fc.Arbitrary<string> {
    const seen = fc.nat().map((at) => {
      const known = this.#known.get(kind) ?? [];
      return known[at % known.length] ?? Bun.randomUUIDv7();
    });
    return fc.oneof({ weight: 5, arbitrary: seen }, { weight: 1, arbitrary: fc.uuid() });
  }

  /** Identifiers for a field or parameter with this name; undefined when it refers to nothing. */
  forField = (name: string): fc.Arbitrary<string> | undefined => {
    const words = WORDS[name];
    if (words) return fc.constantFrom(...words);
    const kind = REFERENCES[name];
    return kind === undefined ? undefined : this.of(kind);
  };

  /** Identifiers for a parameter in a path. */
  forParameter(template: string, name: string): fc.Arbitrary<string> | undefined {
    if (name === "token") return this.of("tokens");
    const isOwn = name === "id" || name === "key";
    return isOwn ? this.of(kindOf(template.slice(0, template.indexOf(`{${name}}`)))) : this.forField(name);
  }
}
