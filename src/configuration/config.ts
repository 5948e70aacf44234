import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import type { LogFormat, LogLevel } from "../kernel/logs/log";
import { BilingualError } from "../kernel/values/bilingual";
import { isObject } from "../kernel/values/json";
import { didYouMean, nearest } from "../kernel/values/nearest";
import { contradictions } from "./config-checks";
import {
  address,
  asAddressRange,
  asHost,
  asLocale,
  asMqttKind,
  asOrigin,
  asPasskeyOrigin,
  asSyncKind,
  boolean,
  choice,
  host,
  hours,
  integer,
  integration,
  key32,
  list,
  MQTT_KINDS,
  type Option,
  prefixed,
  Refusal,
  rate,
  SYNC_KINDS,
  secret,
  text,
  topicPrefix,
  url,
  uuid,
} from "./option-kinds";
import { useProfile } from "./profile";
import {
  keyOfVariable,
  meantProviderKey,
  nameFault,
  PROVIDER_OPTIONS,
  type Provider,
  providerKey,
  providersOf,
} from "./provider-options";

/**
 * The operator's options: one table with default, check and meaning. A value comes from the command line
 * where there is an option for it, else from the environment (`a.b_c` is FAIRLEAD_A_B_C), else from the TOML
 * file (`b_c` under `[a]`), else it is the default.
 */

/** The configuration is wrong, as the message says; the program ends with status 2. */
export class ConfigError extends BilingualError {}

export const OPTIONS = {
  "server.host": host("127.0.0.1", "address to listen on; 0.0.0.0 for all interfaces"),
  "server.port": integer(3000, 0, 65535, "port to listen on; 0 picks a free one"),
  "server.public_url": url(
    null,
    "address at which users reach the server, used in emails and OAuth call-backs; http://localhost and the port by default",
  ),
  "server.trusted_proxies": list(
    [],
    asAddressRange,
    "proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted",
  ),
  "server.cors_origins": list(
    [],
    (item) => (item === "*" ? item : asOrigin(item)),
    "browser origins that may call the API; * allows all",
  ),
  "server.max_body_bytes": integer(
    1_048_576,
    1_024,
    1_073_741_824,
    "largest request body; a larger one gets 413",
  ),
  "performance.profile": choice(
    "standard",
    ["standard", "small"],
    "sizes of caches, and how much goes on at once: small is for a machine or a container of 256 MiB",
  ),
  "server.idle_seconds": integer(
    30,
    1,
    255,
    "seconds without traffic after which a connection is closed, such as that of a client that stops reading",
  ),
  "data.dir": text("./data", "directory of the database, the key file and the outbox"),
  "data.synchronous": choice(
    "full",
    ["full", "normal"],
    "full keeps every acknowledged write through a power cut; normal is faster",
  ),
  "backup.interval_hours": integer(0, 0, 8_760, "hours between scheduled backups; 0 makes none"),
  "backup.keep": integer(7, 1, 10_000, "number of scheduled backups to keep"),
  "backup.verify": choice(
    "counts",
    ["counts", "deep"],
    "counts opens each scheduled backup and compares its rows with the database; deep also restores one a day and runs the doctor on it",
  ),
  "backup.dir": text(
    null,
    "existing directory for backups, preferably on another disk; backups/ in the data directory by default",
  ),
  "map.charts": text(
    null,
    "directory of your own charts, as PMTiles or MBTiles; charts/ in the data directory by default",
  ),
  "security.encryption_key": key32,
  "security.encryption_key_file": text(
    null,
    "file with the key for stored secrets, 32 bytes in base64; master.key in the data directory by default, where the first start makes it",
  ),
  "security.reject_common_passwords": boolean(
    false,
    "reject common passwords and those that contain the username",
  ),
  "security.id_app_key": secret(
    "value that the header X-ID-App-Key must carry, at least 32 characters; without it the header is rejected",
    32,
  ),
  "audit.head_target": uuid(
    "identifier of a notification target that is told the head of the audit log's hash chain each day",
  ),
  "auth.session_idle_days": integer(30, 1, 365, "days without use after which a session ends"),
  "auth.reauthentication_minutes": integer(
    0,
    0,
    1_440,
    "minutes after sign-in during which a session may change the email address, create keys, add a second factor, grant rights or delete; 0 sets no limit",
  ),
  "auth.password_login": choice(
    "all",
    ["all", "local_admins", "none"],
    "who may sign in with a password: all, those alone who may change users (users:write), or nobody",
  ),
  "webauthn.origins": list(
    [],
    asPasskeyOrigin,
    "further origins that may use passkeys, on the host of server.public_url or below it, or an Android app as android:apk-key-hash:…",
  ),
  "registration.enabled": boolean(true, "let strangers register"),
  "bot_protection.provider": choice(
    null,
    ["turnstile", "hcaptcha", "recaptcha"],
    "provider of the challenge that clients must solve (challenge_token)",
  ),
  "bot_protection.secret": secret("secret of your site at the provider"),
  "bot_protection.verify_url": url(null, "siteverify URL of the provider; its public one by default"),
  "email.transport": choice(
    "outbox",
    ["outbox", "resend", "smtp"],
    "how email leaves; outbox writes files to the data directory instead",
  ),
  "email.outbox_days": integer(30, 0, 3_650, "days that files stay in the outbox; 0 keeps all"),
  "email.from": text("Fairlead <fairlead@localhost>", "sender of emails"),
  "email.supported_locales": list(["en", "de"], asLocale, "languages of emails and users"),
  "email.link_base_url": url(null, "base URL of links in emails; server.public_url by default"),
  "email.resend_api_key": secret("API key for Resend"),
  "email.resend_base_url": url(null, "URL of Resend's API; the public one by default"),
  "email.smtp_url": {
    ...url(null, "URL of the mail server, with user and password", ["smtp:", "smtps:"]),
    secret: true,
  } as Option<string | null>,
  "rate_limit.enabled": boolean(true, "apply rate limits"),
  "rate_limit.login": rate(10, 60, "sign-ins from one address"),
  "rate_limit.login_failures": rate(
    100,
    3600,
    "failed sign-ins with one identifier; from the tenth on, each is followed by a pause",
  ),
  "rate_limit.register": rate(5, 3600, "registrations from one address"),
  "rate_limit.reset_password": rate(5, 3600, "password resets from one address"),
  "rate_limit.two_factor": rate(10, 60, "attempts at a two-factor code"),
  "rate_limit.oauth": rate(
    300,
    60,
    "requests from one address to the sign-in pages for applications and to the OAuth endpoints, each kind by itself",
  ),
  "rate_limit.graphql": rate(
    600,
    60,
    "GraphQL requests with one credential, or from one address without a credential",
  ),
  "rate_limit.write": rate(
    600,
    60,
    "writes (POST, PUT, PATCH, DELETE) with one credential, and ten times as many by one user; positions don't count",
  ),
  "ingest.max_import_mb": integer(
    200,
    1,
    100_000,
    "largest GPX or CSV file for an import by HTTP, in MiB; a larger one gets 413",
  ),
  "oauth.max_clients_per_user": integer(50, 0, 100_000, "OAuth clients of one user; one more gets 409"),
  "pegel.enabled": boolean(false, "serve water levels"),
  "pegel.base_url": address(
    "https://www.pegelonline.wsv.de/webservices/rest-api/v2",
    "URL of a PEGELONLINE v2 service",
  ),
  "pegel.cache_seconds": integer(300, 0, 86_400, "seconds for which its answers are cached"),
  "vessels.source": choice(
    "none",
    ["none", "aisstream", "nmea"],
    "source of the AIS positions of nearby vessels",
  ),
  "vessels.url": url(
    null,
    "wss:// URL of aisstream (the public one by default), or tcp://HOST:PORT of a receiver",
    ["ws:", "wss:", "tcp:"],
  ),
  "vessels.api_key": secret("API key for aisstream.io"),
  "position.source": choice(
    "none",
    ["none", "nmea", "gpsd", "signalk"],
    "the vessel's own receiver, whose fixes become positions of a device",
  ),
  "position.url": url(
    null,
    "nmea: tcp://HOST:PORT, or udp://0.0.0.0:PORT to listen on; gpsd: tcp://HOST:PORT (tcp://localhost:2947 by default); signalk: ws:// or wss:// URL of the server",
    ["tcp:", "udp:", "ws:", "wss:"],
  ),
  "position.token": secret("access token for the Signal K server, if it requires one"),
  "position.device": uuid(
    "identifier of the device whose positions they are; without it, a device named This vessel is made at the first fix",
  ),
  "position.interval_seconds": integer(
    10,
    1,
    3_600,
    "seconds after which a fix is stored at the latest while the vessel moves",
  ),
  "position.still_seconds": integer(300, 1, 86_400, "the same while it lies still"),
  "position.allow_from": list(
    [],
    asAddressRange,
    "senders whose datagrams are taken, as addresses or CIDR ranges; required for udp://",
  ),
  "notifications.allow_private_addresses": boolean(
    false,
    "let notification targets lead to addresses of private networks",
  ),
  "notifications.allowed_hosts": list(
    [],
    asHost,
    "hosts, or HOST:PORT, that notification targets may lead to whatever their address is, this machine's own among them",
  ),
  "notifications.telegram_api_url": address(
    "https://api.telegram.org",
    "URL of Telegram's Bot API, or of a Bot API server of your own",
  ),
  "heartbeat.url": url(
    null,
    "URL of a dead man's switch ashore, which is called every 60 seconds while the configured sources and the alerts work",
    ["http:", "https:"],
  ),
  "heartbeat.token": secret("token that it is called with, as Authorization: Bearer"),
  "sync.url": url(null, "aboard: URL of the server ashore that this one tells what it keeps"),
  "sync.token": secret("aboard: token of this box, which POST /v1/sync/boxes ashore shows once"),
  "sync.include": list(
    [...SYNC_KINDS],
    asSyncKind,
    `aboard: what the shore is told: any of ${SYNC_KINDS.join(", ")}`,
  ),
  "sync.interval_seconds": integer(
    30,
    5,
    900,
    "aboard: seconds between two requests to the shore while little happens; an alert goes out at once",
  ),
  "sync.daily_megabytes": integer(
    0,
    0,
    1_000_000,
    "aboard: megabytes a day (UTC) to and from the shore, after which alerts alone are told; 0 sets no bound",
  ),
  "sync.metered": hours(
    "never",
    "aboard: when the line to the shore costs by the byte, by this machine's clock; positions are thinned then, and the rest follows later",
  ),
  "sync.thin_seconds": integer(
    60,
    1,
    86_400,
    "aboard: seconds of which one position of each device is told over a metered line",
  ),
  "mqtt.url": url(null, "MQTT broker that what happens is published to, such as mqtt://localhost:1883", [
    "mqtt:",
    "mqtts:",
    "ws:",
    "wss:",
  ]),
  "mqtt.supervisor": url(
    null,
    "URL of Home Assistant's supervisor, which names the broker where mqtt.url doesn't; for the add-on, whose token is in SUPERVISOR_TOKEN",
    ["http:", "https:"],
  ),
  "mqtt.username": text(null, "user name for the broker"),
  "mqtt.password": secret("password for the broker"),
  "mqtt.client_id": text(null, "client identifier for the broker; one of this installation's own by default"),
  "mqtt.prefix": topicPrefix("fairlead", "first levels of the topics"),
  "mqtt.publish": list([...MQTT_KINDS], asMqttKind, `what is published: any of ${MQTT_KINDS.join(", ")}`),
  "mqtt.home_assistant": boolean(true, "announce devices to Home Assistant, below homeassistant/"),
  "mqtt.backlog": choice(
    "newest",
    ["newest", "all"],
    "positions that the broker gets after an outage: the newest of each device, or all",
  ),
  "mqtt.owntracks": boolean(
    false,
    "take what OwnTracks publishes at owntracks/USER/DEVICE as positions of the device with this external_id",
  ),
  "sync.max_backlog_mb": integer(
    500,
    1,
    1_000_000,
    "most MB of changes that are kept for a reader that has not acknowledged them, such as an MQTT broker that is away",
  ),
  "geoip.database": text(
    null,
    "path of a City .mmdb file, which adds country, region and city to audit events",
  ),
  "integrations.allowed_redirects": list(
    [],
    asOrigin,
    "origins that a redirect_uri may lead to; server.public_url by default",
  ),
  ...prefixed(
    "twitch",
    integration(
      "Twitch",
      "https://id.twitch.tv/oauth2/authorize",
      "https://id.twitch.tv/oauth2/token",
      "https://id.twitch.tv/oauth2/revoke",
      "https://api.twitch.tv/helix",
    ),
  ),
  ...prefixed(
    "youtube",
    integration(
      "Google",
      "https://accounts.google.com/o/oauth2/v2/auth",
      "https://oauth2.googleapis.com/token",
      "https://oauth2.googleapis.com/revoke",
      "https://www.googleapis.com/youtube/v3",
    ),
  ),
  ...prefixed(
    "discord",
    integration(
      "Discord",
      "https://discord.com/oauth2/authorize",
      "https://discord.com/api/oauth2/token",
      "https://discord.com/api/oauth2/token/revoke",
      "https://discord.com/api/v10",
    ),
  ),
  "websocket.heartbeat_interval_seconds": integer(5, 1, 3_600, "seconds between pings from the server"),
  "websocket.client_timeout_seconds": integer(
    10,
    1,
    3_600,
    "seconds without a pong after which a socket is closed",
  ),
  "websocket.max_message_bytes": integer(
    65_536,
    128,
    16_777_216,
    "largest message; a larger one closes the socket with 1009",
  ),
  "websocket.max_subscriptions": integer(100, 1, 10_000, "channels of one socket"),
  "websocket.max_messages_per_second": integer(
    50,
    1,
    100_000,
    "messages a second on one socket; more close it with 1008",
  ),
  "websocket.max_bytes_per_second": integer(
    4_194_304,
    1_024,
    1_073_741_824,
    "bytes a second on all sockets of one user together; more close them with 1008",
  ),
  "websocket.max_connections_per_user": integer(
    1_000,
    1,
    1_000_000,
    "sockets of one user, across all sessions and keys; system keys may open more",
  ),
  "log.level": choice("info", ["error", "warn", "info", "debug"], "least severe lines to log"),
  "log.format": choice(null, ["pretty", "json"], "pretty on a terminal and json elsewhere by default"),
  "metrics.enabled": boolean(false, "serve Prometheus metrics at /metrics"),
  "metrics.token": secret("bearer token that /metrics requires"),
  "bridge.enabled": boolean(true, "serve the Bridge, the page to look at, at /; otherwise / leads to /docs"),
  "docs.enabled": boolean(true, "serve Swagger UI and GraphiQL, and answer GraphQL introspection"),
} satisfies Record<string, Option<unknown>> & {
  "log.level": Option<LogLevel>;
  "log.format": Option<LogFormat | null>;
};

export type ConfigKey = keyof typeof OPTIONS;
export type Config = {
  readonly [K in ConfigKey]: ReturnType<(typeof OPTIONS)[K]["read"]> | (typeof OPTIONS)[K]["default"];
};
export type ConfigSource = "environment" | "file" | "default" | "command line";

/** The effective configuration. Set once, by `loadConfig`, before anything reads it. */
export let config: Config;

/** The source of each effective value. */
export let configSources: Record<ConfigKey, ConfigSource>;

/** The OpenID providers that users sign in with, in the order of the configuration. */
export let providers: readonly Provider[] = [];

/** The source of each value of theirs, by its key. */
export let providerSources: Readonly<Record<string, ConfigSource>> = {};

/** The configuration file that was read, if any. */
export let configFile: string | null = null;

export interface ConfigFlags {
  config?: string | undefined;
  dataDir?: string | undefined;
  /** Values of the command line, as texts; they win over every other source. */
  host?: string | undefined;
  port?: string | undefined;
  environment?: Record<string, string | undefined>;
}

/** The option of a key, those of providers among them; undefined for an unknown one. */
function optionOf(key: string): Option<unknown> | undefined {
  if (Object.hasOwn(OPTIONS, key)) return OPTIONS[key as ConfigKey] as Option<unknown>;
  const found = providerKey(key);
  return found ? PROVIDER_OPTIONS[found.option] : undefined;
}
export const environmentName = (key: string): string => `FAIRLEAD_${key.replaceAll(".", "_").toUpperCase()}`;

/** Reads all sources and checks every value. Throws one ConfigError that names everything wrong. */
export function loadConfig(flags: ConfigFlags = {}): Config {
  const environment = flags.environment ?? process.env;
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const sources: Record<string, ConfigSource> = {};
  for (const [key, option] of Object.entries(OPTIONS)) {
    values[key] = option.default;
    sources[key] = "default";
  }

  const take = (key: string, raw: unknown, source: ConfigSource, name: string) => {
    const { read, fromEnvironment } = optionOf(key) as Option<unknown>;
    try {
      values[key] = read(source !== "file" && fromEnvironment ? fromEnvironment(String(raw)) : raw);
      sources[key] = source;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(`${name} ${error.message}`);
    }
  };

  const dataDir = flags.dataDir ?? (environment[environmentName("data.dir")] || undefined);
  const file = chooseFile(flags, environment, dataDir ?? OPTIONS["data.dir"].default);
  for (const [key, raw] of Object.entries(file ? readFile(file) : {})) {
    if (optionOf(key)) take(key, raw, "file", `${key} in ${file}`);
    else
      problems.push(`${key} in ${file} is not a known key${nameFault(key) || didYouMean(nearestKey(key))}`);
  }
  const known = new Map(Object.keys(OPTIONS).map((key) => [environmentName(key), key]));
  for (const [name, raw] of Object.entries(environment)) {
    if (!name.startsWith("FAIRLEAD_") || name === "FAIRLEAD_CONFIG" || raw === undefined) continue;
    const key = known.get(name) ?? keyOfVariable(name);
    // An empty variable is how compose files leave one unset.
    if (key && raw !== "") take(key, raw, "environment", name);
    else if (!key) {
      const meant = meantProviderKey(name) ?? nearest(name, known.keys());
      problems.push(`${name} is not a known variable${didYouMean(meant)}`);
    }
  }
  if (flags.dataDir !== undefined) take("data.dir", flags.dataDir, "command line", "--data-dir");
  if (flags.host !== undefined) take("server.host", flags.host, "command line", "--host");
  if (flags.port !== undefined) take("server.port", flags.port, "command line", "--port");

  const made = providersOf(values);
  if (problems.length === 0) problems.push(...contradictions(values as Config), ...made.problems);
  if (problems.length > 0) throw new ConfigError(problems.join("; "));
  config = withDerived(values as Config);
  configSources = sources as typeof configSources;
  providers = made.providers;
  providerSources = Object.fromEntries(Object.entries(sources).filter(([key]) => providerKey(key)));
  configFile = file;
  useProfile(config["performance.profile"]);
  return config;
}

/** The key that an unknown one of the file was meant to be: the nearest, or the only one that ends so. */
function nearestKey(key: string): string | null {
  const ofProvider = meantProviderKey(key);
  if (ofProvider !== null) return ofProvider;
  const keys = Object.keys(OPTIONS);
  const ending = keys.filter((known) => known.endsWith(`.${key}`));
  return nearest(key, keys) ?? (ending.length === 1 ? (ending[0] ?? null) : null);
}

function chooseFile(
  flags: ConfigFlags,
  environment: Record<string, string | undefined>,
  dataDir: string,
): string | null {
  const named = flags.config ?? (environment.FAIRLEAD_CONFIG || undefined);
  if (named !== undefined) {
    if (!existsSync(named)) throw new ConfigError(`the configuration file ${named} does not exist`);
    return named;
  }
  const inDataDir = join(dataDir, "fairlead.toml");
  return existsSync(inDataDir) ? inDataDir : null;
}

/** The file's values under dotted keys. */
function readFile(file: string): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  const flatten = (table: Record<string, unknown>, prefix: string) => {
    for (const [name, value] of Object.entries(table)) {
      const key = prefix + name;
      const isTable =
        typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
      if (isTable && !optionOf(key)) flatten(value as Record<string, unknown>, `${key}.`);
      else flat[key] = value;
    }
  };
  try {
    const text = readFileSync(file, "utf8");
    // Home Assistant writes an add-on's options as JSON.
    flatten(file.endsWith(".json") ? jsonTable(text) : parseToml(text), "");
  } catch (error) {
    const why =
      error instanceof TomlError
        ? `line ${error.line}: ${error.message.split("\n")[0]?.replace("Invalid TOML document: ", "")}`
        : (error as Error).message;
    throw new ConfigError(`the configuration file ${file} cannot be read: ${why}`);
  }
  return flat;
}

function jsonTable(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("it is not an object");
  return value;
}

const GPSD_URL = "tcp://localhost:2947";
const AISSTREAM_URL = "wss://stream.aisstream.io/v0/stream";

/** Fills in the defaults that follow from other values. */
function withDerived(values: Config): Config {
  const isStream = values["vessels.source"] === "aisstream";
  const isGpsd = values["position.source"] === "gpsd";
  return withAddresses(
    {
      ...values,
      "data.dir": resolve(values["data.dir"]),
      "backup.dir": values["backup.dir"] && resolve(values["backup.dir"]),
      "map.charts": values["map.charts"] && resolve(values["map.charts"]),
      "security.encryption_key_file":
        values["security.encryption_key_file"] && resolve(values["security.encryption_key_file"]),
      "vessels.url": values["vessels.url"] ?? (isStream ? AISSTREAM_URL : null),
      "position.url": values["position.url"] ?? (isGpsd ? GPSD_URL : null),
      "log.format": values["log.format"] ?? (process.stdout.isTTY ? "pretty" : "json"),
    },
    values["server.port"],
  );
}

/** Fills in the defaults that follow from the public address; null while the port is still to be chosen. */
function withAddresses(values: Config, port: number): Config {
  if (port === 0) return values;
  const url = values["server.public_url"] ?? `http://localhost:${port}`;
  const redirects = values["integrations.allowed_redirects"];
  return {
    ...values,
    "server.public_url": url,
    "email.link_base_url": values["email.link_base_url"] ?? url,
    "integrations.allowed_redirects": redirects.length > 0 ? redirects : [new URL(url).origin],
  };
}

/** Records the port that the server got when `server.port` is 0. */
export function chosePort(port: number): void {
  config = withAddresses(config, port);
}

/** Records the broker that the supervisor named. */
export function choseBroker(broker: { url: string; username: string | null; password: string | null }): void {
  config = {
    ...config,
    "mqtt.url": broker.url,
    "mqtt.username": broker.username,
    "mqtt.password": broker.password,
  };
}

/** The address at which users reach this server. */
export function publicUrl(): string {
  return config["server.public_url"] ?? "http://localhost";
}
