import { join } from "node:path";
import * as OTPAuth from "otpauth";
import { CommunityBot } from "../realtime/community-bot";
import { type DiscordStandIn, discordAccount } from "../stand-ins/discord";

/** A short life of an installation, lived by requests, so that every table of its database holds something. */

/** The words by which a reader of the database authenticates. */
export interface Caller {
  name: "admin" | "anna" | "system";
  token: string;
}

/** A server of any version. */
export interface Installation {
  url: string;
  dataDir: string;
  systemKey: string;
}

export const ADMIN = { username: "admin", email: "admin@example.org", password: "correct horse battery" };
export const ANNA = { username: "anna", email: "anna@example.org", password: "a long passphrase" };
const APP = "https://app.example";
const GUILD = "81384788765712384";
const MEMBER = "53908099506183680";

/** Tables of releases that hold rows only for moments: the rows of a life that is over are gone. */
export const MOMENTARY: Record<string, string> = {
  gps_detachments: "the positions of a deleted trip or device, while they are let go",
  scrub_names: "the names of a deleted account, while its audit events are scrubbed",
};

/** Asks a server, and throws if it refuses. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Body>;
// biome-ignore lint/suspicious/noExplicitAny: answers of any version
type Body = any;

export const askAs =
  (url: string, token: string | null): Ask =>
  async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return answer.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : null;
  };

export async function signIn(
  url: string,
  { username, password }: { username: string; password: string },
): Promise<string> {
  return (await askAs(url, null)("POST", "/v1/auth/login", { identifier: username, password })).session_token;
}

/** Lives that life. Returns those who may read, and the addresses of what there is to read. */
export async function live(
  { url, dataDir, systemKey }: Installation,
  discord: DiscordStandIn,
): Promise<{ callers: Caller[]; paths: [caller: Caller["name"], path: string][] }> {
  const system = askAs(url, systemKey);
  const mail = (kind: string) => newestToken(dataDir, kind);
  const token = await signIn(url, ADMIN);
  const admin = askAs(url, token);
  const anna = await registerAnna(url, mail);
  const own = askAs(url, anna.token);
  const bert = await people(admin, own, system, anna.id, url, mail);
  const tracking = await fleet(admin, url);
  const { apiKey, role, client } = await rights(admin, anna.id, tracking.key);
  const guild = await sailors(admin, url);
  const integration = await connect(own, url, discord);

  const ids = { anna: anna.id, bert, apiKey, role, client, guild, integration, ...tracking };
  return {
    callers: [
      { name: "admin", token },
      { name: "anna", token: anna.token },
      { name: "system", token: systemKey },
    ],
    paths: reading(ids),
  };
}

/** Registers Anna, who reports an event of her own. */
async function registerAnna(url: string, mail: (kind: string) => Promise<string>) {
  const nobody = askAs(url, null);
  await nobody("POST", "/v1/auth/register", ANNA);
  const { user_id: id, session_token: token } = await nobody("POST", "/v1/auth/register/verify", {
    token: await mail("registration"),
  });
  const events = await askAs(url, token)("GET", "/v1/users/me/audit");
  const [event] = events.data ?? events.events ?? events;
  await askAs(url, token)("POST", `/v1/users/me/audit/${event.id}/report`, {
    reason: "not_me",
    description: "I was asleep",
  });
  return { id, token };
}

/** Addresses, second factors, bans, passwords that were forgotten. */
async function people(
  admin: Ask,
  own: Ask,
  system: Ask,
  anna: string,
  url: string,
  mail: (kind: string) => Promise<string>,
): Promise<string> {
  const nobody = askAs(url, null);
  const bert = (
    await system("POST", "/v1/users/oauth", {
      email: "bert@example.org",
      name: "Bert",
      oauthProvider: "discord",
      oauthProviderId: "80351110224678912",
      image: "https://cdn.example.org/bert.png",
    })
  ).data;
  await admin("POST", `/v1/users/${bert.id}/ban`, { reason: "Repeated spam" });
  // A user with a second factor, whose sign-in waits for the code.
  await nobody("POST", "/v1/auth/register", CARLA);
  const carla = await nobody("POST", "/v1/auth/register/verify", { token: await mail("registration") });
  const asCarla = askAs(url, carla.session_token);
  const { secret, ...setup } = await asCarla("POST", "/v1/users/me/2fa/setup", {});
  const plain = secret ?? new URL(setup.otpauth_url ?? setup.uri).searchParams.get("secret");
  await asCarla("POST", "/v1/users/me/2fa/verify", {
    code: new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(plain) }).generate(),
  });
  await nobody("POST", "/v1/auth/login", { identifier: CARLA.username, password: CARLA.password });
  await nobody("POST", "/v1/auth/reset-password", { email: CARLA.email });
  await own("PATCH", `/v1/users/${anna}/locale`, { locale: "de" });
  await own("POST", `/v1/users/${anna}/email/request-change`, {
    email: "anna@elsewhere.example",
    password: ANNA.password,
  });
  await own("GET", "/v1/user/export");
  await system("POST", "/v1/internal/audit", {
    ...{ user_id: anna, event_type: "consent_granted", resource_type: "client", status: "success" },
    ...{ source_service: "api", metadata: { scope: "profile" }, description: "Granted access" },
  });
  return bert.id;
}

const CARLA = { username: "carla", email: "carla@example.org", password: "another long passphrase" };

/** Devices, positions, trips, zones and what belongs to them. */
async function fleet(admin: Ask, url: string) {
  const key = await admin("POST", "/v1/api-keys", { name: "Tracker", scopes: ["gps:write", "gps:read"] });
  const device = (await admin("POST", "/v1/devices", { name: "Greif", api_key_id: key.id ?? key.data?.id }))
    .data;
  const location = (
    await admin("POST", "/v1/locations", {
      ...{ name: "Museum harbour", city: "Greifswald", country: "DE", latitude: 54.0967, longitude: 13.4553 },
      contacts: [{ name: "Inga Hansen", role: "Harbour master" }],
    })
  ).data;
  const category = (await admin("POST", "/v1/trip-categories", { name: "Transfers", color: "#0b4f8a" })).data;
  const template = (
    await admin("POST", "/v1/trip-templates", {
      ...{ name: "Weekly supply run", category_id: category.id, device_id: device.id, tags: ["supply"] },
      ...{ origin_id: location.id, gps_logging_enabled: true },
    })
  ).data;
  const zone = (
    await admin("POST", "/v1/geofences", {
      ...{ name: "Harbour of Greifswald", latitude: 54.0967, longitude: 13.4553, radius_km: 0.8 },
      metadata: { berth: "N4" },
    })
  ).data;
  const trip = (await admin("POST", `/v1/trip-templates/${template.id}/create-trip`, { weight_kg: 1_250 }))
    .data;
  await admin("PATCH", `/v1/trips/${trip.id}`, { status: "active" });
  const boat = askAs(url, key.key);
  const positions: string[] = [];
  const begin = Math.floor(Date.now() / 1_000) - POSITIONS * 30;
  for (let at = 0; at < POSITIONS; at++)
    positions.push((await boat("POST", "/v1/gps", fix(at, begin + at * 30))).data.id);
  await admin("PATCH", `/v1/trips/${trip.id}`, { status: "completed" });
  const second = (await admin("POST", "/v1/trips", { name: "Back", device_id: device.id })).data;
  await admin("PATCH", `/v1/trips/${second.id}`, { status: "active" });
  await boat("POST", "/v1/gps", fix(POSITIONS, begin + POSITIONS * 30));
  await admin("POST", "/v1/settings", { key: "harbour.hours", value: { from: "08:00" }, is_public: false });
  await admin("PATCH", "/v1/system-config/pegel.default_radius_km", { value: 50 });
  await admin("GET", "/v1/pegel/stations");
  return {
    key: key.id ?? key.data?.id,
    ...{ device: device.id, location: location.id, category: category.id, template: template.id },
    ...{ zone: zone.id, trip: trip.id, position: positions[7] ?? "" },
  };
}

/** Fixes of the device, so many that lists have several pages. */
const POSITIONS = 250;

/** Out of the harbour and back into it. */
function fix(at: number, timestamp: number) {
  const away = Math.min(at, Math.max(0, POSITIONS - at)) * 0.0005;
  return {
    ...{ latitude: 54.0967 + away, longitude: 13.4553 + away, altitude: 3.2, heading: (at * 7) % 360 },
    ...{ speed_kmh: 13.7, speed_mps: 3.81, speed_mph: 8.51, speed_knots: 7.4, hdop: 0.9, timestamp },
  };
}

async function rights(admin: Ask, anna: string, key: string) {
  const role = (await admin("POST", "/v1/roles", { name: "Crew", description: "Sails" })).data;
  const permissions = await admin("GET", "/v1/permissions");
  const permission = (permissions.data ?? permissions).find(
    ({ resource, action }: Body) => resource === "gps" && action === "read",
  );
  await admin("POST", `/v1/roles/${role.id}/permissions`, { permission_id: permission.id });
  await admin("POST", `/v1/users/${anna}/roles`, { role_id: role.id });
  await admin("POST", `/v1/api-keys/${key}/roles`, { role_id: role.id });
  const client = await admin("POST", "/v1/oauth/clients", {
    ...{ name: "Crew app", redirect_uris: [`${APP}/callback`], client_type: "confidential" },
    allowed_scopes: ["openid", "profile"],
  });
  return { apiKey: key, role: role.id, client: (client.data ?? client.client ?? client).id };
}

/** A bot brings a guild with a channel, a role and members. */
async function sailors(admin: Ask, url: string): Promise<string> {
  const { key } = await admin("POST", "/v1/api-keys", { name: "Bot", scopes: ["community:sync"] });
  const bot = await CommunityBot.connect(`${url.replace("http", "ws")}/v1/ws`, key, {
    guilds: async () => ({
      guilds: [{ guildId: GUILD, name: "Bodden Sailors", ownerId: MEMBER }],
      channels: [{ channelId: "1", guildId: GUILD, name: "harbour" }],
      roles: [{ roleId: "2", guildId: GUILD, name: "skippers" }],
    }),
    members: () => [[{ guildId: GUILD, userId: MEMBER, username: "bosun", roles: ["2"] }]],
  });
  await admin("POST", "/v1/community/sync", {});
  await admin("POST", `/v1/community/guilds/${GUILD}/members/sync`);
  await admin("PUT", `/v1/community/guilds/${GUILD}/settings`, { default_language: "de" });
  await admin("PUT", "/v1/community/settings", { command_cooldown_seconds: 5 });
  await bot.close();
  const { data } = await admin("GET", "/v1/community/guilds");
  return data[0].id;
}

/** Connects an account on a platform, and begins to connect another one. */
async function connect(own: Ask, url: string, discord: DiscordStandIn): Promise<string> {
  discord.redirectUri = `http://localhost:${new URL(url).port}/v1/integrations/callback/discord`;
  discord.signedIn = discordAccount();
  const start = () =>
    own("POST", "/v1/integrations/platform/discord/connect", { redirect_uri: `${APP}/settings` });
  const { authorization_url } = await start();
  const consent = await fetch(authorization_url, { redirect: "manual" });
  const { pathname, search } = new URL(consent.headers.get("location") ?? "");
  await fetch(url + pathname + search, { redirect: "manual" });
  await start();
  const listed = await own("GET", "/v1/integrations");
  return (listed.data ?? listed)[0].id;
}

/** Every address of 0.1.0 that reads the database, as those who may. */
function reading(ids: Record<string, string>): [Caller["name"], string][] {
  const as = (name: Caller["name"], ...paths: string[]) =>
    paths.map((path): [Caller["name"], string] => [name, `/v1/${path}`]);
  const { anna, apiKey, role, client, integration } = ids;
  return [
    ...as("admin", "users/me", "users", `users/${anna}`, `users/${anna}/profile`, `users/${anna}/roles`),
    ...as("admin", `users/${anna}/permissions`, `users/${anna}/accounts`, `users/${ids.bert}/bans`),
    ...as("admin", `admin/users/${anna}/deletion-status`, `users/email/${ANNA.email}`),
    ...as("admin", "api-keys", `api-keys/${apiKey}`, `api-keys/${apiKey}/roles`),
    ...as("admin", "roles", `roles/${role}`, `roles/${role}/permissions`, "permissions"),
    ...as("admin", "platforms", "platforms/enabled", "platforms/discord"),
    ...as("admin", "admin/audit/reports", `users/${anna}/audit`),
    ...as("admin", "oauth/clients/all", `oauth/clients/${client}`),
    ...as("admin", "devices", `devices/${ids.device}`, "gps?limit=100", "gps?page=3&limit=100"),
    ...as("admin", "gps/current", "gps/current/devices", `gps/${ids.position}`),
    ...as(
      "admin",
      "trips",
      `trips/${ids.trip}`,
      `trips/${ids.trip}/gps?limit=100`,
      `trips/${ids.trip}/history`,
    ),
    ...as("admin", "trip-categories", `trip-categories/${ids.category}`),
    ...as("admin", "trip-templates", `trip-templates/${ids.template}`),
    ...as("admin", "locations", `locations/${ids.location}`, "geofences", `geofences/${ids.zone}`),
    ...as("admin", "settings", "settings/harbour.hours", "system-config/pegel.default_radius_km"),
    ...as("admin", "community/settings", "community/guilds", `community/guilds/${GUILD}/full`),
    ...as("admin", `community/guilds/${ids.guild}/members`, `community/guilds/${GUILD}/settings`),
    ...as("anna", "users/me", "users/me/audit/reports", "users/me/2fa/status", "users/me/deletion"),
    ...as("anna", "integrations", `integrations/${integration}`, "integrations/platform/discord"),
    ...as("anna", `users/${anna}/email/pending`, "user/export/logs"),
  ];
}

/** The token in the newest email of a kind, once the server has written that. */
async function newestToken(dataDir: string, kind: string): Promise<string> {
  const files = new Bun.Glob("*.json");
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await Bun.sleep(20)) {
    const names = (await Array.fromAsync(files.scan(join(dataDir, "outbox")))).sort();
    for (const name of names.reverse()) {
      const mail = await Bun.file(join(dataDir, "outbox", name)).json();
      if (JSON.stringify(mail).includes(kind) && mail.token) return mail.token;
    }
  }
  throw new Error(`no email about ${kind} has come`);
}
