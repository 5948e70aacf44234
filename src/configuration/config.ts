import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import type { LogFormat, LogLevel } from "../kernel/logs/log";
import {
  address,
  asAddressRange,
  asLocale,
  asOrigin,
  boolean,
  choice,
  integer,
  key32,
  list,
  type Option,
  Refusal,
  rate,
  secret,
  text,
  url,
} from "./option-kinds";

/**
 * The operator's options: one table with default, check and meaning. A value comes from the environment
 * (`a.b_c` is FAIRLEAD_A_B_C), else from the TOML file (`b_c` under `[a]`), else it is the default.
 */

/** The configuration is wrong, as the message says; the program ends with status 2. */
export class ConfigError extends Error {}

const integration = (platform: string, authorize: string, token: string, revoke: string, api: string) =>
  ({
    client_id: text(null, `client of this installation at ${platform}`),
    client_secret: secret(`its secret at ${platform}`),
    authorize_url: address(authorize, "where a browser is sent to consent"),
    token_url: address(token, "where codes and refresh tokens are exchanged"),
    revoke_url: address(revoke, "where tokens are revoked"),
    api_url: address(api, "what a resource's path is appended to"),
  }) as const;

type Integration = ReturnType<typeof integration>;

/** Spreads an integration's options into dotted keys. */
const prefixed = <P extends string>(platform: P, options: Integration) =>
  Object.fromEntries(
    Object.entries(options).map(([key, option]) => [`integrations.${platform}.${key}`, option]),
  ) as { [K in keyof Integration as `integrations.${P}.${K}`]: Integration[K] };

export const OPTIONS = {
  "server.host": text("127.0.0.1", "address to listen on"),
  "server.port": integer(3000, 0, 65535, "port to listen on; 0 takes a free one"),
  "server.public_url": url(null, "where users reach this server; used in emails and provider call-backs"),
  "server.trusted_proxies": list(
    [],
    asAddressRange,
    "whose X-Forwarded-For and X-Forwarded-Proto are believed",
  ),
  "server.cors_origins": list(
    [],
    (item) => (item === "*" ? item : asOrigin(item)),
    "allowed browser origins; * allows all",
  ),
  "server.max_body_bytes": integer(1_048_576, 1_024, 1_073_741_824, "larger bodies get 413"),
  "server.idle_seconds": integer(
    30,
    1,
    255,
    "seconds after which a connection is cut on which nothing moves, such as that of a reader who takes nothing",
  ),
  "data.dir": text("./data", "database, key file, outbox"),
  "data.synchronous": choice(
    "full",
    ["full", "normal"],
    "full keeps each acknowledged write across a power cut; normal is faster",
  ),
  "backup.interval_hours": integer(0, 0, 8_760, "hours between backups that the server makes; 0 makes none"),
  "backup.keep": integer(7, 1, 10_000, "how many of them are kept"),
  "backup.dir": text(
    null,
    "where they go: an existing directory, on another disk if there is one; backups/ in the data directory when left out",
  ),
  "security.encryption_key": key32,
  "security.reject_common_passwords": boolean(
    false,
    "refuse common passwords and ones that contain the username",
  ),
  "security.id_app_key": secret(
    "value that X-ID-App-Key must carry, of 32 characters or more; without it the header is refused",
    32,
  ),
  "auth.session_idle_days": integer(30, 1, 365, "days without use after which a session ends"),
  "auth.reauthentication_minutes": integer(
    0,
    0,
    1_440,
    "minutes after a sign-in during which its session may change the address, make keys, add a second factor, hand out rights or delete; 0 sets no bound",
  ),
  "registration.enabled": boolean(true, "whether strangers may register"),
  "bot_protection.provider": choice(
    null,
    ["turnstile", "hcaptcha", "recaptcha"],
    "switches challenge_token on",
  ),
  "bot_protection.secret": secret("secret of the site at the provider"),
  "bot_protection.verify_url": url(null, "the provider's siteverify address; its public one when left out"),
  "email.transport": choice(
    "outbox",
    ["outbox", "resend", "smtp"],
    "outbox writes files into the data directory",
  ),
  "email.outbox_days": integer(
    30,
    0,
    3_650,
    "files in the outbox older than this many days are deleted; 0 keeps all",
  ),
  "email.from": text("Fairlead <fairlead@localhost>", "sender of emails"),
  "email.supported_locales": list(["en", "de"], asLocale, "languages of emails and of users"),
  "email.link_base_url": url(null, "where links in emails lead; server.public_url when left out"),
  "email.resend_api_key": secret("key for the resend transport"),
  "email.resend_base_url": url(null, "Resend's address; its public one when left out"),
  "email.smtp_url": {
    ...url(null, "smtp:// or smtps:// with user and password", ["smtp:", "smtps:"]),
    secret: true,
  } as Option<string | null>,
  "rate_limit.enabled": boolean(true, "switches every rate limit"),
  "rate_limit.login": rate(10, 60, "requests/seconds of POST /v1/auth/login from one address"),
  "rate_limit.login_failures": rate(
    100,
    3600,
    "failures/seconds of sign-ins with one identifier; from the 10th on, each is followed by a pause",
  ),
  "rate_limit.register": rate(5, 3600, "requests/seconds of POST /v1/auth/register"),
  "rate_limit.reset_password": rate(5, 3600, "requests/seconds of POST /v1/auth/reset-password"),
  "rate_limit.two_factor": rate(10, 60, "requests/seconds of two-factor codes"),
  "rate_limit.graphql": rate(
    600,
    60,
    "requests/seconds of GraphQL, for a credential, or for an address without one",
  ),
  "rate_limit.write": rate(
    600,
    60,
    "requests/seconds of writes (POST, PUT, PATCH, DELETE) with one credential, and ten times that of one user; not of positions",
  ),
  "oauth.max_clients_per_user": integer(50, 0, 100_000, "OAuth clients of one user; more get 409"),
  "pegel.enabled": boolean(false, "water levels"),
  "pegel.base_url": address(
    "https://www.pegelonline.wsv.de/webservices/rest-api/v2",
    "a PEGELONLINE v2 service",
  ),
  "pegel.cache_seconds": integer(300, 0, 86_400, "how long its answers are kept"),
  "vessels.source": choice("none", ["none", "aisstream", "nmea"], "where vessel positions come from"),
  "vessels.url": url(
    null,
    "wss://… of aisstream (its public one when left out) or tcp://host:port of a receiver",
    ["ws:", "wss:", "tcp:"],
  ),
  "vessels.api_key": secret("key for aisstream"),
  "geoip.database": text(null, "path of a City .mmdb file"),
  "integrations.allowed_redirects": list(
    [],
    asOrigin,
    "origins to which a redirect_uri may lead; server.public_url when left out",
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
  "websocket.heartbeat_interval_seconds": integer(5, 1, 3_600, "seconds between the server's ping frames"),
  "websocket.client_timeout_seconds": integer(
    10,
    1,
    3_600,
    "seconds without a pong frame after which a socket is closed",
  ),
  "websocket.max_message_bytes": integer(
    65_536,
    128,
    16_777_216,
    "larger messages close the socket with 1009",
  ),
  "websocket.max_subscriptions": integer(100, 1, 10_000, "channels of one socket"),
  "websocket.max_messages_per_second": integer(50, 1, 100_000, "more messages close the socket with 1008"),
  "websocket.max_bytes_per_second": integer(
    4_194_304,
    1_024,
    1_073_741_824,
    "more bytes of one user, on all sockets together, close them with 1008",
  ),
  "websocket.max_connections_per_user": integer(
    1_000,
    1,
    1_000_000,
    "sockets of one user, whatever the session or key; system keys may have more",
  ),
  "log.level": choice("info", ["error", "warn", "info", "debug"], "least important lines that are written"),
  "log.format": choice(null, ["pretty", "json"], "pretty on a terminal and json elsewhere when left out"),
  "metrics.enabled": boolean(false, "Prometheus text at /metrics"),
  "metrics.token": secret("bearer token that /metrics asks for"),
  "docs.enabled": boolean(true, "Swagger UI, GraphiQL, and introspection by GraphQL"),
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

/** The configuration file that was read, if any. */
export let configFile: string | null = null;

export interface ConfigFlags {
  config?: string | undefined;
  dataDir?: string | undefined;
  environment?: Record<string, string | undefined>;
}

const isKey = (key: string): key is ConfigKey => Object.hasOwn(OPTIONS, key);
export const environmentName = (key: string): string => `FAIRLEAD_${key.replaceAll(".", "_").toUpperCase()}`;

/** Reads the three sources and checks every value. Throws one ConfigError that names everything wrong. */
export function loadConfig(flags: ConfigFlags = {}): Config {
  const environment = flags.environment ?? process.env;
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const sources: Record<string, ConfigSource> = {};
  for (const [key, option] of Object.entries(OPTIONS)) {
    values[key] = option.default;
    sources[key] = "default";
  }

  const take = (key: ConfigKey, raw: unknown, source: ConfigSource, name: string) => {
    const { read, fromEnvironment } = OPTIONS[key] as Option<unknown>;
    try {
      values[key] = read(source === "environment" && fromEnvironment ? fromEnvironment(String(raw)) : raw);
      sources[key] = source;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(`${name} ${error.message}`);
    }
  };

  const dataDir = flags.dataDir ?? (environment[environmentName("data.dir")] || undefined);
  const file = chooseFile(flags, environment, dataDir ?? OPTIONS["data.dir"].default);
  for (const [key, raw] of Object.entries(file ? readFile(file) : {})) {
    if (isKey(key)) take(key, raw, "file", `${key} in ${file}`);
    else problems.push(`${key} in ${file} is not a known key`);
  }
  const known = new Map(Object.keys(OPTIONS).map((key) => [environmentName(key), key as ConfigKey]));
  for (const [name, raw] of Object.entries(environment)) {
    if (!name.startsWith("FAIRLEAD_") || name === "FAIRLEAD_CONFIG" || raw === undefined) continue;
    const key = known.get(name);
    // An empty variable is how compose files leave one unset.
    if (key && raw !== "") take(key, raw, "environment", name);
    else if (!key) problems.push(`${name} is not a known variable`);
  }
  if (flags.dataDir !== undefined) take("data.dir", flags.dataDir, "command line", "--data-dir");

  if (problems.length === 0) problems.push(...contradictions(values as Config));
  if (problems.length > 0) throw new ConfigError(problems.join("; "));
  config = withDerived(values as Config);
  configSources = sources as typeof configSources;
  configFile = file;
  return config;
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
      if (isTable && !isKey(key)) flatten(value as Record<string, unknown>, `${key}.`);
      else flat[key] = value;
    }
  };
  try {
    flatten(parseToml(readFileSync(file, "utf8")), "");
  } catch (error) {
    const why =
      error instanceof TomlError
        ? `line ${error.line}: ${error.message.split("\n")[0]?.replace("Invalid TOML document: ", "")}`
        : (error as Error).message;
    throw new ConfigError(`the configuration file ${file} cannot be read: ${why}`);
  }
  return flat;
}

/** Half a configuration is a start-up error, not a surprise at midnight. */
function contradictions(values: Config): string[] {
  const problems: string[] = [];
  const needs = (key: ConfigKey, why: string) => {
    if (values[key] === null) problems.push(`${key} is needed ${why}`);
  };
  if (values["email.transport"] === "resend") needs("email.resend_api_key", "by email.transport = resend");
  if (values["email.transport"] === "smtp") needs("email.smtp_url", "by email.transport = smtp");
  if (values["bot_protection.provider"] !== null)
    needs("bot_protection.secret", "by bot_protection.provider");
  if (values["vessels.source"] === "aisstream") {
    needs("vessels.api_key", "by vessels.source = aisstream");
    if (values["vessels.url"]?.startsWith("tcp:"))
      problems.push("vessels.url must be ws:// or wss:// for vessels.source = aisstream");
  }
  if (values["vessels.source"] === "nmea") {
    needs("vessels.url", "by vessels.source = nmea");
    if (values["vessels.url"] && !/^tcp:\/\/[^/]+:\d+$/.test(values["vessels.url"]))
      problems.push("vessels.url must be tcp://host:port for vessels.source = nmea");
  }
  for (const platform of ["twitch", "youtube", "discord"] as const) {
    if (values[`integrations.${platform}.client_id`] !== null)
      needs(`integrations.${platform}.client_secret`, `by integrations.${platform}.client_id`);
    else if (values[`integrations.${platform}.client_secret`] !== null)
      needs(`integrations.${platform}.client_id`, `by integrations.${platform}.client_secret`);
  }
  if (values["email.supported_locales"].length === 0)
    problems.push("email.supported_locales must name a language");
  if (values["websocket.client_timeout_seconds"] <= values["websocket.heartbeat_interval_seconds"])
    problems.push("websocket.client_timeout_seconds must be above websocket.heartbeat_interval_seconds");
  return problems;
}

const AISSTREAM_URL = "wss://stream.aisstream.io/v0/stream";

/** Fills in the defaults that follow from other values. */
function withDerived(values: Config): Config {
  const isStream = values["vessels.source"] === "aisstream";
  return withAddresses(
    {
      ...values,
      "data.dir": resolve(values["data.dir"]),
      "backup.dir": values["backup.dir"] && resolve(values["backup.dir"]),
      "vessels.url": values["vessels.url"] ?? (isStream ? AISSTREAM_URL : null),
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

/** The address at which users reach this server. */
export function publicUrl(): string {
  return config["server.public_url"] ?? "http://localhost";
}

/** Hides the parts of an address that may be secret: user, password and query. */
const withoutSecrets = (text: string): string =>
  text.replace(/^([a-z]+:\/\/)[^/?#@]*@/, "$1(hidden)@").replace(/^([a-z]+:\/\/[^?#]*)[?#].*/, "$1?(hidden)");

/** The effective configuration as lines for a person, secrets hidden. */
export function describeConfig(): string {
  const keys = Object.keys(OPTIONS) as ConfigKey[];
  const width = Math.max(...keys.map((key) => key.length));
  const show = (key: ConfigKey): string => {
    const value = config[key];
    if (value === null) return "(none)";
    if ((OPTIONS[key] as Option<unknown>).secret) return "(set, hidden)";
    if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "(none)";
    return typeof value === "object" ? `${value.requests}/${value.seconds}` : withoutSecrets(String(value));
  };
  const lines = keys.map((key) => `${key.padEnd(width)}  ${show(key)}  [${configSources[key]}]`);
  return [`# file: ${configFile ?? "(none)"}`, ...lines].join("\n");
}
