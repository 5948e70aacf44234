import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, loadConfig } from "../../src/configuration/config";
import { describeConfig } from "../../src/configuration/config-text";
import { isWithinHours } from "../../src/configuration/option-kinds";
import { expectFailure } from "../support/program";
import { command, type Settings, TestServer, temporaryDirectory } from "../support/server";

/** The keys of the configuration with their defaults. */
const DEFAULTS: Record<string, string> = {
  "server.host": "127.0.0.1",
  "server.port": "3000",
  "server.public_url": "http://localhost:3000",
  "server.trusted_proxies": "(none)",
  "server.cors_origins": "(none)",
  "server.max_body_bytes": "1048576",
  "performance.profile": "standard",
  "webauthn.origins": "(none)",
  "server.idle_seconds": "30",
  "data.synchronous": "full",
  "backup.interval_hours": "0",
  "backup.keep": "7",
  "backup.verify": "counts",
  "backup.dir": "(none)",
  "map.charts": "(none)",
  "security.encryption_key": "(none)",
  "security.encryption_key_file": "(none)",
  "security.reject_common_passwords": "false",
  "security.id_app_key": "(none)",
  "audit.head_target": "(none)",
  "auth.session_idle_days": "30",
  "auth.reauthentication_minutes": "0",
  "auth.password_login": "all",
  "registration.enabled": "true",
  "bot_protection.provider": "(none)",
  "bot_protection.secret": "(none)",
  "bot_protection.verify_url": "(none)",
  "email.transport": "outbox",
  "email.outbox_days": "30",
  "email.from": "Fairlead <fairlead@localhost>",
  "email.supported_locales": "en, de",
  "email.link_base_url": "http://localhost:3000",
  "email.resend_api_key": "(none)",
  "email.resend_base_url": "(none)",
  "email.smtp_url": "(none)",
  "rate_limit.enabled": "true",
  "rate_limit.login": "10/60",
  "rate_limit.login_failures": "100/3600",
  "rate_limit.register": "5/3600",
  "rate_limit.reset_password": "5/3600",
  "rate_limit.two_factor": "10/60",
  "rate_limit.oauth": "300/60",
  "rate_limit.graphql": "600/60",
  "rate_limit.write": "600/60",
  "ingest.max_import_mb": "200",
  "oauth.max_clients_per_user": "50",
  "pegel.enabled": "false",
  "pegel.base_url": "https://www.pegelonline.wsv.de/webservices/rest-api/v2",
  "pegel.cache_seconds": "300",
  "vessels.source": "none",
  "vessels.api_key": "(none)",
  "position.source": "none",
  "position.url": "(none)",
  "position.token": "(none)",
  "position.device": "(none)",
  "position.interval_seconds": "10",
  "position.still_seconds": "300",
  "position.allow_from": "(none)",
  "notifications.allow_private_addresses": "false",
  "notifications.allowed_hosts": "(none)",
  "notifications.telegram_api_url": "https://api.telegram.org",
  "heartbeat.url": "(none)",
  "heartbeat.token": "(none)",
  "sync.url": "(none)",
  "sync.token": "(none)",
  "sync.include": "devices, trips, positions, zone_events, alerts, log_entries",
  "sync.interval_seconds": "30",
  "sync.daily_megabytes": "0",
  "sync.metered": "never",
  "sync.thin_seconds": "60",
  "mqtt.url": "(none)",
  "mqtt.supervisor": "(none)",
  "mqtt.username": "(none)",
  "mqtt.password": "(none)",
  "mqtt.client_id": "(none)",
  "mqtt.prefix": "fairlead",
  "mqtt.publish": "positions, zones, alerts, trips",
  "mqtt.home_assistant": "true",
  "mqtt.backlog": "newest",
  "mqtt.owntracks": "false",
  "sync.max_backlog_mb": "500",
  "geoip.database": "(none)",
  "integrations.allowed_redirects": "http://localhost:3000",
  "integrations.twitch.authorize_url": "https://id.twitch.tv/oauth2/authorize",
  "integrations.twitch.token_url": "https://id.twitch.tv/oauth2/token",
  "integrations.twitch.revoke_url": "https://id.twitch.tv/oauth2/revoke",
  "integrations.twitch.api_url": "https://api.twitch.tv/helix",
  "integrations.youtube.authorize_url": "https://accounts.google.com/o/oauth2/v2/auth",
  "integrations.youtube.token_url": "https://oauth2.googleapis.com/token",
  "integrations.youtube.revoke_url": "https://oauth2.googleapis.com/revoke",
  "integrations.youtube.api_url": "https://www.googleapis.com/youtube/v3",
  "integrations.discord.authorize_url": "https://discord.com/oauth2/authorize",
  "integrations.discord.token_url": "https://discord.com/api/oauth2/token",
  "integrations.discord.revoke_url": "https://discord.com/api/oauth2/token/revoke",
  "integrations.discord.api_url": "https://discord.com/api/v10",
  "websocket.heartbeat_interval_seconds": "5",
  "websocket.client_timeout_seconds": "10",
  "websocket.max_message_bytes": "65536",
  "websocket.max_subscriptions": "100",
  "websocket.max_messages_per_second": "50",
  "websocket.max_bytes_per_second": "4194304",
  "websocket.max_connections_per_user": "1000",
  "log.level": "info",
  "log.format": "json",
  "metrics.enabled": "false",
  "metrics.token": "(none)",
  "bridge.enabled": "true",
  "docs.enabled": "true",
};
const PLATFORM_KEYS = ["client_id", "client_secret", "authorize_url", "token_url", "revoke_url", "api_url"];

type Shown = Record<string, { value: string; source: string }>;

/** The output of `config` by key: the value and its source. */
const shown = (printed: string): Shown =>
  Object.fromEntries(
    printed.split("\n").flatMap((line) => {
      const [, key, value, source] = /^(\S+) +(.*?) {2}\[(.+)\]$/.exec(line) ?? [];
      return key && value !== undefined && source ? [[key, { value, source }]] : [];
    }),
  );

const asEnvironment = (settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      `FAIRLEAD_${key.replaceAll(".", "_").toUpperCase()}`,
      value,
    ]),
  );

/** The output of `config` with these variables and arguments, made in this process. */
function effective(settings: Settings = {}, flags: { config?: string; dataDir?: string } = {}): Shown {
  loadConfig({ ...flags, environment: asEnvironment(settings) });
  return shown(describeConfig());
}

/** A file with this content, in a directory of its own. */
function tomlFile(content: string, name = "some.toml"): string {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, content);
  return file;
}

describe("fairlead config", () => {
  const run = (settings: Settings, cwd: string) => command(["config"], { settings, cwd });

  test("prints every key of the contract with its default, and writes nothing", async () => {
    const cwd = temporaryDirectory();
    const { stdout, stderr, status } = await run({}, cwd);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    const values = shown(stdout);
    for (const [key, value] of Object.entries(DEFAULTS))
      expect(values[key]).toEqual({ value, source: "default" });
    for (const platform of ["twitch", "youtube", "discord"])
      for (const key of PLATFORM_KEYS) expect(values).toHaveProperty([`integrations.${platform}.${key}`]);
    expect(values["data.dir"]).toEqual({ value: join(realpathSync(cwd), "data"), source: "default" });
    expect(values).toHaveProperty(["vessels.url"]);
    const known = Object.keys(DEFAULTS).length + 2 + 3 * (PLATFORM_KEYS.length - 4);
    expect(Object.keys(values)).toHaveLength(known);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("finds fairlead.toml in ./data when nothing names a data directory, and says so", async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, "data"));
    writeFileSync(join(cwd, "data", "fairlead.toml"), "[server]\nport = 4004\n");
    const { stdout } = await run({}, cwd);
    expect(shown(stdout)["server.port"]).toEqual({ value: "4004", source: "file" });
    expect(stdout).toContain(join("data", "fairlead.toml"));
  });

  test("tells what each key means, and which values it takes, right above it", async () => {
    const { stdout } = await run({}, temporaryDirectory());
    const lines = stdout.split("\n");
    const above = (key: string) => lines[lines.findIndex((line) => line.startsWith(`${key} `)) - 1];
    for (const key of Object.keys(DEFAULTS))
      expect([key, above(key)]).toEqual([key, expect.stringMatching(/^# \S.{8,}/)]);
    expect(above("server.port")).toBe("# port to listen on; 0 picks a free one (0 to 65535)");
    expect(above("log.level")).toEndWith("(error, warn, info, debug)");
  });

  test("shows no secret, wherever it came from", async () => {
    const secret = "hush-hush-4711-and-so-on-until-it-is-long";
    const key = Buffer.alloc(32, 7).toString("base64");
    const config = tomlFile(
      `[security]\nid_app_key = "${secret}"\n[email]\nsmtp_url = "smtp://me:${secret}@mail.example:25"\n`,
    );
    const platforms = ["twitch", "youtube", "discord"];
    const secrets = [
      ...[
        "bot_protection.secret",
        "email.resend_api_key",
        "vessels.api_key",
        "position.token",
        "heartbeat.token",
        "sync.token",
        "mqtt.password",
        "metrics.token",
      ],
      ...platforms.map((platform) => `integrations.${platform}.client_secret`),
    ];
    const settings: Settings = {
      config,
      ...{ "mqtt.url": "mqtt://broker.example", "mqtt.username": "boat" },
      "security.encryption_key": key,
      ...Object.fromEntries(secrets.map((name) => [name, secret])),
      ...Object.fromEntries(platforms.map((platform) => [`integrations.${platform}.client_id`, "id-of-us"])),
    };
    const { stdout } = await run(settings, temporaryDirectory());
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toContain(key.slice(0, 10));
    const values = shown(stdout);
    for (const name of [...secrets, "security.encryption_key", "security.id_app_key", "email.smtp_url"])
      expect(values[name]?.value).toBe("(set, hidden)");
    expect(values["integrations.twitch.client_id"]?.value).toBe("id-of-us");
  });

  test("shows an address without its user, its password and its query", () => {
    const shown = (url: string) =>
      effective({ "vessels.source": "aisstream", "vessels.api_key": "k", "vessels.url": url })["vessels.url"]
        ?.value;
    expect(shown("wss://me:hush@feed.example/v0?key=hush&x=1")).toBe(
      "wss://(hidden)@feed.example/v0?(hidden)",
    );
    expect(shown("wss://hush@feed.example/v0#hush")).toBe("wss://(hidden)@feed.example/v0?(hidden)");
    expect(shown("wss://feed.example/v0/me@here")).toBe("wss://feed.example/v0/me@here");
    const values = effective({
      "server.public_url": "https://me:hush@fleet.example",
      "pegel.base_url": "https://pegel.example/v2?token=hush",
    });
    expect(JSON.stringify(values)).not.toContain("hush");
    expect(values["email.link_base_url"]?.value).toBe("https://(hidden)@fleet.example");
  });
});

describe("of the three sources", () => {
  test("the environment counts before the file, and the file before the default", () => {
    const config = tomlFile(
      '[server]\nport = 4001\nhost = "127.0.0.2"\n[websocket]\nmax_subscriptions = 7\n',
    );
    const values = effective({ "server.port": "4002", config });
    expect(values["server.port"]).toEqual({ value: "4002", source: "environment" });
    expect(values["server.host"]).toEqual({ value: "127.0.0.2", source: "file" });
    expect(values["websocket.max_subscriptions"]).toEqual({ value: "7", source: "file" });
    expect(values["websocket.max_message_bytes"]).toEqual({ value: "65536", source: "default" });
  });

  test("the file is that of --config, else of FAIRLEAD_CONFIG, else fairlead.toml of the data directory", () => {
    const [flag, variable] = [tomlFile("[server]\nport = 1\n"), tomlFile("[server]\nport = 2\n")];
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "fairlead.toml"), "[server]\nport = 3\n");
    const both = { "data.dir": dataDir, config: variable };
    expect(effective(both, { config: flag })["server.port"]?.value).toBe("1");
    expect(effective(both)["server.port"]?.value).toBe("2");
    expect(effective({ "data.dir": dataDir })["server.port"]?.value).toBe("3");
    expect(effective({}, { dataDir })["server.port"]?.value).toBe("3");
    expect(effective({ ...both, config: "" })["server.port"]?.value).toBe("3");
  });

  test("--data-dir counts before the environment, and the environment before the file", () => {
    const config = tomlFile('[data]\ndir = "/in/file"\n');
    const settings = { "data.dir": "/in/variable", config };
    expect(effective(settings, { dataDir: "/in/flag" })["data.dir"]).toEqual({
      value: "/in/flag",
      source: "command line",
    });
    expect(effective(settings)["data.dir"]).toEqual({ value: "/in/variable", source: "environment" });
    expect(effective({ config })["data.dir"]).toEqual({ value: "/in/file", source: "file" });
  });

  test("--host and --port count before all others", () => {
    const config = tomlFile("[server]\nport = 4001\n");
    loadConfig({ config, host: "::1", port: "4003", environment: asEnvironment({ "server.port": "4002" }) });
    const values = shown(describeConfig());
    expect(values["server.port"]).toEqual({ value: "4003", source: "command line" });
    expect(values["server.host"]).toEqual({ value: "::1", source: "command line" });
    expect(values["server.public_url"]?.value).toBe("http://localhost:4003");
  });

  test("none need name the public address, the links in emails and the redirects: they follow from the port", () => {
    const values = effective({ "server.port": "8080" });
    for (const key of ["server.public_url", "email.link_base_url", "integrations.allowed_redirects"])
      expect(values[key]?.value).toBe("http://localhost:8080");
    const given = effective({ "server.public_url": "https://fleet.example/fairlead/" });
    expect(given["email.link_base_url"]?.value).toBe("https://fleet.example/fairlead");
    expect(given["integrations.allowed_redirects"]?.value).toBe("https://fleet.example");
  });
});

// --- Values, read in this process: every command does the same -------------------------------------------------

const load = (settings: Settings) =>
  loadConfig({ dataDir: "/nowhere", environment: asEnvironment(settings) });
const loadFile = (content: string) =>
  loadConfig({ config: tomlFile(content), dataDir: "/nowhere", environment: {} });

/** The message with which a configuration is refused. */
function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error("the configuration was accepted");
}

describe("a value of the wrong type is refused, with a line that names its key:", () => {
  const wrong: Record<string, string[]> = {
    "server.port": ["http", "-1", "65536", "3000.5", "0x50", "1e3", "3000 "],
    "server.max_body_bytes": ["0", "1MB", "-5"],
    "server.idle_seconds": ["0", "256", "30s"],
    "server.public_url": ["fleet.example", "ftp://fleet.example", "http://"],
    "server.trusted_proxies": ["localhost", "10.0.0.0/33", "10.0.0.1,proxy", "300.1.1.1"],
    "server.cors_origins": ["app.example", "https://app.example/path", "https://*.example"],
    "backup.interval_hours": ["-1", "8761", "daily"],
    "backup.keep": ["0", "x"],
    "data.synchronous": ["FULL", "off", "extra"],
    "security.encryption_key": [
      "short",
      "!".repeat(44),
      Buffer.alloc(31).toString("base64"),
      Buffer.alloc(33).toString("base64"),
    ],
    "security.id_app_key": ["k", "k".repeat(31)],
    "security.reject_common_passwords": ["yes", "1", "TRUE"],
    "auth.session_idle_days": ["0", "366", "1.5"],
    "auth.reauthentication_minutes": ["-1", "1441"],
    "auth.password_login": ["nobody", "All"],
    "registration.enabled": ["on", "0"],
    "bot_protection.provider": ["captcha"],
    "bot_protection.verify_url": ["verify"],
    "email.transport": ["sendmail"],
    "email.supported_locales": ["en,fr", "EN"],
    "email.smtp_url": ["http://mail.example", "mail.example:25"],
    "rate_limit.login": ["10", "10/0", "0/60", "10/60/2", "ten/60", "-1/60"],
    "pegel.cache_seconds": ["-1", "5m"],
    "vessels.source": ["ais"],
    "vessels.url": ["http://receiver.example"],
    "position.source": ["gps"],
    "position.url": ["http://receiver.example", "receiver:10110"],
    "position.device": ["1", "This vessel", "019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5"],
    "audit.head_target": ["garbage", "019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5"],
    "position.interval_seconds": ["0", "3601", "1.5"],
    "position.still_seconds": ["0", "86401"],
    "position.allow_from": ["receiver", "10.0.0.0/33"],
    "notifications.allow_private_addresses": ["yes"],
    "notifications.allowed_hosts": ["http://relay", "relay:0", "relay:65536", "a/b", "user@relay", "::1"],
    "notifications.telegram_api_url": ["api.telegram.org"],
    "heartbeat.url": ["ftp://switch.example/", "switch"],
    "sync.url": ["ftp://shore.example/", "shore"],
    "sync.include": ["devices,accounts", "Devices"],
    "sync.interval_seconds": ["4", "901", "30s"],
    "sync.daily_megabytes": ["-1", "1.5"],
    "sync.metered": ["sometimes", "8", "8-8", "8-25", "24-6", "8-18,", "08:00-18:00", "-1-6", "8-18;22-6"],
    "sync.thin_seconds": ["0", "86401"],
    "mqtt.url": ["http://broker.example", "broker"],
    "mqtt.prefix": ["/a", "a/", "a//b", "a/+/b", "#", "boot é"],
    "mqtt.publish": ["boats", "positions,boats"],
    "mqtt.home_assistant": ["yes"],
    "mqtt.backlog": ["some", "ALL"],
    "sync.max_backlog_mb": ["0", "1GB"],
    "websocket.heartbeat_interval_seconds": ["0", "2.5"],
    "websocket.max_subscriptions": ["0", "many"],
    "log.level": ["trace", "INFO"],
    "log.format": ["xml"],
    "docs.enabled": ["no"],
    "webauthn.origins": [
      ...["boat.example.org", "http://boat.example.org", "https://192.168.1.10", "http://127.0.0.1:3000"],
      ...["https://*.example.org", "https://boat.example.org/path", "android:apk-key-hash:short"],
    ],
  };
  for (const [key, values] of Object.entries(wrong))
    test(key, () => {
      for (const value of values) {
        const message = refusal(() => load({ [key]: value }));
        expect(message).toStartWith(`FAIRLEAD_${key.replaceAll(".", "_").toUpperCase()} must `);
        expect(message).not.toContain("\n");
      }
    });

  test("webauthn.origins on another host than server.public_url", () => {
    const android = `android:apk-key-hash:${"x".repeat(43)}`;
    const settings = { "server.public_url": "https://boat.example.org" };
    for (const origin of ["https://boat.example.org:8443", "https://app.boat.example.org", android])
      expect(load({ ...settings, "webauthn.origins": origin })["webauthn.origins"]).toEqual([origin]);
    for (const origin of ["https://example.org", "https://evilboat.example.org", "http://localhost:3000"])
      expect(refusal(() => load({ ...settings, "webauthn.origins": origin }))).toContain(
        "on the host of server.public_url (boat.example.org) or below it",
      );
  });

  test("in the file, by TOML's types", () => {
    const wrong = {
      "server.port": [
        'port = "http"',
        "port = true",
        "port = [1]",
        "port = 1.5",
        "port = 2026-01-01",
        "port = {}",
        'port = "4000"',
      ],
      "server.max_body_bytes": ['max_body_bytes = "2048"'],
      "server.host": ["host = 5", "host = false"],
      "server.trusted_proxies": [
        "trusted_proxies = 5",
        "trusted_proxies = [5]",
        'trusted_proxies = ["x"]',
        'trusted_proxies = "10.0.0.1"',
      ],
      "server.cors_origins": ["cors_origins = [true]"],
    };
    for (const [key, lines] of Object.entries(wrong))
      for (const line of lines) expect(refusal(() => loadFile(`[server]\n${line}\n`))).toContain(key);
    expect(refusal(() => loadFile("[rate_limit]\nlogin = 10\n"))).toContain("rate_limit.login");
    expect(refusal(() => loadFile("server = 5\n"))).toContain("server");
    expect(refusal(() => loadFile('[docs]\nenabled = "false"\n'))).toContain("docs.enabled");
  });

  test("a text of the file that is empty or blank, which would mean something else than it seems", () => {
    for (const key of [
      "server.host",
      "data.dir",
      "email.from",
      "geoip.database",
      "metrics.token",
      "security.id_app_key",
      "integrations.twitch.client_id",
    ])
      for (const blank of ["", "  "])
        expect(refusal(() => loadFile(`${key} = "${blank}"\n`))).toMatch(
          new RegExp(`^${key} in .* must not be empty`),
        );
    expect(refusal(() => load({ "server.host": " " }))).toContain("FAIRLEAD_SERVER_HOST must not be empty");
    expect(refusal(() => loadConfig({ dataDir: "", environment: {} }))).toContain("--data-dir must not");
  });
});

test("a short app key stops the start with status 2 and one line that doesn't show it", async () => {
  const { status, stdout, stderr } = await command(["serve"], {
    settings: { "data.dir": temporaryDirectory(), "security.id_app_key": "a-short-app-key" },
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^[^\n]*FAIRLEAD_SECURITY_ID_APP_KEY must be at least 32 characters long\n$/);
  expect(stderr).not.toContain("a-short-app-key");
});

describe("a value is taken", () => {
  /** Values for the keys whose default doesn't show their form. */
  const SAMPLES: Record<string, string> = {
    "server.trusted_proxies": "10.0.0.0/8",
    "server.cors_origins": "https://app.example",
    "webauthn.origins": "http://app.localhost:4000",
    "bot_protection.provider": "turnstile",
    "bot_protection.secret": "s",
    "bot_protection.verify_url": "https://verify.example/site",
    "security.id_app_key": "k".repeat(32),
    "security.encryption_key": Buffer.alloc(32, 7).toString("base64"),
    "email.resend_api_key": "k",
    "email.resend_base_url": "https://resend.example",
    "email.smtp_url": "smtp://mail.example:25",
    "vessels.source": "aisstream",
    "vessels.api_key": "k",
    "vessels.url": "wss://feed.example/v0",
    "position.source": "signalk",
    "position.url": "wss://boat.example/signalk",
    "position.token": "t",
    "position.device": "019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5d",
    "position.allow_from": "192.0.2.0/24",
    "notifications.allowed_hosts": "relay.example:8080",
    "heartbeat.url": "https://switch.example/ping",
    "heartbeat.token": "t",
    "sync.url": "https://shore.example",
    "sync.token": "t",
    "mqtt.url": "mqtts://broker.example:8883",
    "mqtt.supervisor": "http://supervisor",
    "mqtt.username": "boat",
    "mqtt.password": "p",
    "mqtt.client_id": "boat-1",
    "geoip.database": "/some/city.mmdb",
    "metrics.token": "t",
    "data.dir": "/some/where",
    "backup.dir": "/mnt/backups",
    "map.charts": "/mnt/charts",
    "audit.head_target": "019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5d",
  };
  for (const platform of ["twitch", "youtube", "discord"])
    for (const key of PLATFORM_KEYS)
      SAMPLES[`integrations.${platform}.${key}`] = key.endsWith("url") ? "https://provider.example/x" : "v";
  /** The key and its file exclude each other. */
  const FILE = "security.encryption_key_file";
  const { [FILE]: _, ...samples }: Record<string, string> = { ...DEFAULTS, ...SAMPLES };

  test("for every key from the environment", () => {
    const { [FILE]: file, ...values } = effective(samples);
    for (const [key, { source }] of Object.entries(values))
      expect([key, source]).toEqual([key, "environment"]);
    expect(Object.keys(values).sort()).toEqual(Object.keys(samples).sort());
    expect(file?.source).toBe("default");
    expect(effective({ [FILE]: "/some/key" })[FILE]).toMatchObject({
      source: "environment",
      value: "/some/key",
    });
  });

  test("for every key from the file, as TOML's own type", () => {
    const lists = [
      "trusted_proxies",
      "cors_origins",
      "supported_locales",
      "allowed_redirects",
      "allow_from",
    ].concat("allowed_hosts", "mqtt.publish", "sync.include", "webauthn.origins");
    const asToml = (key: string, value: string) =>
      /^(\d+|true|false)$/.test(value)
        ? value
        : JSON.stringify(lists.some((list) => key.endsWith(list)) ? value.split(", ") : value);
    const toml = Object.entries(samples).map(([key, value]) => `${key} = ${asToml(key, value)}`);
    const { [FILE]: _file, ...values } = effective({ config: tomlFile(toml.join("\n")) });
    for (const [key, { source }] of Object.entries(values)) expect([key, source]).toEqual([key, "file"]);
    expect(values["server.port"]?.value).toBe("3000");
    expect(values["vessels.url"]?.value).toBe("wss://feed.example/v0");
  });

  test("from lists of hosts in any form, which become the one that web addresses have", () => {
    const hosts = "LOCALHOST, Relay.Example:80,0x7f.1:8080, [0:0::1]:1883,münchen.example";
    expect(load({ "notifications.allowed_hosts": hosts })["notifications.allowed_hosts"]).toEqual([
      ...["localhost", "relay.example:80", "127.0.0.1:8080", "[::1]:1883", "xn--mnchen-3ya.example"],
    ]);
  });

  test("from lists with commas, spaces and empty parts", () => {
    const list = load({ "server.trusted_proxies": " 10.0.0.1 , 192.168.0.0/16,,2001:db8::/32," })[
      "server.trusted_proxies"
    ];
    expect(list).toEqual(["10.0.0.1", "192.168.0.0/16", "2001:db8::/32"]);
    expect(load({ "server.cors_origins": "https://a.example/, *" })["server.cors_origins"]).toEqual([
      "https://a.example",
      "*",
    ]);
    expect(loadFile('[server]\ncors_origins = ["https://a.example"]\n')["server.cors_origins"]).toEqual([
      "https://a.example",
    ]);
  });

  test("as if it were not there when a variable is empty", () => {
    const config = load({
      "server.port": "",
      "server.cors_origins": "",
      "metrics.token": "",
    });
    expect(config["server.port"]).toBe(3000);
    expect(config["server.cors_origins"]).toEqual([]);
    expect(config["metrics.token"]).toBeNull();
  });

  test("from dotted TOML keys, inline tables and nested tables alike", () => {
    for (const content of [
      '[integrations.twitch]\nclient_id = "a"\nclient_secret = "b"\n',
      'integrations.twitch.client_id = "a"\nintegrations.twitch.client_secret = "b"\n',
      'integrations = { twitch = { client_id = "a", client_secret = "b" } }\n',
    ])
      expect(loadFile(content)["integrations.twitch.client_id"]).toBe("a");
  });

  test("for gpsd's address from its own port on this machine, unless another is named", () => {
    expect(load({ "position.source": "gpsd" })["position.url"]).toBe("tcp://localhost:2947");
    const named = { "position.source": "gpsd", "position.url": "tcp://192.0.2.7:2947" };
    expect(load(named)["position.url"]).toBe("tcp://192.0.2.7:2947");
    expect(load({})["position.url"]).toBeNull();
  });

  test("as hours of the day, in any form that tells them, up to and without their ends", () => {
    const hoursOf = (metered: string) => {
      const spans = load({ "sync.metered": metered })["sync.metered"];
      return Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => isWithinHours(spans, hour));
    };
    expect(hoursOf("never")).toEqual([]);
    expect(hoursOf("always")).toHaveLength(24);
    expect(hoursOf("0-24")).toHaveLength(24);
    expect(hoursOf("8-10, 22-2")).toEqual([0, 1, 8, 9, 22, 23]);
    expect(hoursOf("08-09")).toEqual([8]);
    const inFile = loadFile('[sync]\nmetered = ["8-18", "22-6"]\n')["sync.metered"];
    expect(inFile).toBe("8-18,22-6");
  });

  test("with rates as requests and seconds, and numbers as numbers", () => {
    const config = load({ "rate_limit.login": "3/600", "server.port": "0" });
    expect(config["rate_limit.login"]).toEqual({ requests: 3, seconds: 600 });
    expect(config["server.port"]).toBe(0);
    expect(loadFile('[rate_limit]\nlogin = "3/600"\n')["rate_limit.login"]).toEqual({
      requests: 3,
      seconds: 600,
    });
  });
});

describe("half a configuration is refused, with a line that names what is missing:", () => {
  const halves: [settings: Settings, missing: string][] = [
    [{ "email.transport": "resend" }, "email.resend_api_key"],
    [{ "email.transport": "smtp" }, "email.smtp_url"],
    [{ "bot_protection.provider": "turnstile" }, "bot_protection.secret"],
    [{ "vessels.source": "aisstream" }, "vessels.api_key"],
    [{ "vessels.source": "nmea" }, "vessels.url"],
    [{ "vessels.source": "nmea", "vessels.url": "wss://feed.example" }, "vessels.url"],
    [{ "vessels.source": "nmea", "vessels.url": "tcp://receiver" }, "vessels.url"],
    [{ "vessels.source": "aisstream", "vessels.api_key": "k", "vessels.url": "tcp://h:1" }, "vessels.url"],
    [{ "position.source": "nmea" }, "position.url"],
    [{ "position.source": "signalk" }, "position.url"],
    [{ "position.source": "nmea", "position.url": "ws://boat.example" }, "position.url"],
    [{ "position.source": "nmea", "position.url": "tcp://receiver" }, "position.url"],
    [{ "position.source": "gpsd", "position.url": "udp://0.0.0.0:2947" }, "position.url"],
    [{ "position.source": "signalk", "position.url": "tcp://boat:3000" }, "position.url"],
    [{ "position.source": "nmea", "position.url": "udp://0.0.0.0:10110" }, "position.allow_from"],
    [{ "integrations.twitch.client_id": "a" }, "integrations.twitch.client_secret"],
    [{ "integrations.discord.client_secret": "a" }, "integrations.discord.client_id"],
    [{ "websocket.client_timeout_seconds": "5" }, "websocket.client_timeout_seconds"],
    [{ "email.supported_locales": "," }, "email.supported_locales"],
    [{ "sync.url": "https://shore.example" }, "sync.token"],
    [{ "sync.url": "https://boat:secret@shore.example", "sync.token": "t" }, "sync.url"],
    [{ "sync.url": "https://shore.example/?box=1", "sync.token": "t" }, "sync.url"],
    [{ "sync.include": "," }, "sync.include"],
    [{ "sync.include": "alerts,positions" }, "sync.include must list devices with positions"],
    [{ "sync.include": "devices,log_entries" }, "sync.include must list trips with log_entries"],
  ];
  for (const [settings, missing] of halves)
    test(Object.entries(settings).join(" "), () => {
      expect(refusal(() => load(settings))).toContain(missing);
    });

  test("and a whole one is not", () => {
    load({ "email.transport": "smtp", "email.smtp_url": "smtps://u:p@mail.example:465" });
    load({ "vessels.source": "nmea", "vessels.url": "tcp://receiver.example:10110" });
    expect(load({ "vessels.source": "aisstream", "vessels.api_key": "k" })["vessels.url"]).toBe(
      "wss://stream.aisstream.io/v0/stream",
    );
  });
});

// --- And the commands with it
// -----------------------------------------------------------------------------------

describe("every command ends with status 2 and one line that names", () => {
  const commands = [
    ["serve"],
    [],
    ["demo"],
    ["user", "create", "--username", "abc", "--email", "a@example.org"],
    ["key", "create", "--name", "k", "--system"],
    ["migrate"],
    ["backup", "copy.db"],
    ["openapi"],
    ["config"],
  ];
  for (const args of commands)
    test(`a wrong value: fairlead ${args.slice(0, 2).join(" ")}`, async () => {
      const cwd = temporaryDirectory();
      expectFailure(
        await command(args, { settings: { "server.port": "http" }, cwd }),
        2,
        "FAIRLEAD_SERVER_PORT",
      );
      // Nothing was begun.
      expect(readdirSync(cwd)).toEqual([]);
    });

  const run = (settings: Settings, ...args: string[]) => command(["config", ...args], { settings });

  test("an unknown variable, whatever its case is off by", async () => {
    expectFailure(
      await run({ "server.prot": "1" }),
      2,
      "FAIRLEAD_SERVER_PROT is not a known variable; did you mean FAIRLEAD_SERVER_PORT?",
    );
    expectFailure(await run({ typo: "1" }), 2, "FAIRLEAD_TYPO");
    expectFailure(await run({ typo: "" }), 2, "FAIRLEAD_TYPO");
  });

  test("an unknown key or table of the file, and the file", async () => {
    const config = tomlFile("[server]\nprot = 1\n[serve]\nport = 1\n");
    expectFailure(await run({ config }), 2, "server.prot", "serve.port", config, "did you mean server.port?");
    expectFailure(
      await run({ config: tomlFile("idle_seconds = 1\n") }),
      2,
      /idle_seconds in .* is not a known key; did you mean server\.idle_seconds\?/,
    );
    expectFailure(await run({ config: tomlFile("enabled = true\n") }), 2, /not a known key\n$/);
    expectFailure(
      await run({ config: tomlFile('"__proto__" = 1\n[constructor]\nx = 1\n') }),
      2,
      "constructor",
    );
  });

  test("a wrong value of the file, its key and the file", async () => {
    const config = tomlFile("[server]\nport = true\n");
    expectFailure(await run({}, "--config", config), 2, "server.port", config);
  });

  test("the line of a file that is no TOML", async () => {
    expectFailure(await run({ config: tomlFile("[server]\nport = 1\nhost = \n") }), 2, "line 3");
    expectFailure(await run({ config: tomlFile("[server]\nport = 1\nport = 2\n") }), 2, "line 3");
  });

  test("a configuration file that does not exist, or is a directory", async () => {
    const missing = join(temporaryDirectory(), "missing.toml");
    expectFailure(await run({}, "--config", missing), 2, missing);
    expectFailure(await run({ config: missing }), 2, missing);
    const directory = temporaryDirectory();
    expectFailure(await run({}, "--config", directory), 2, directory);
  });

  test("everything that is wrong, at once", async () => {
    const settings = { "server.port": "x", "log.level": "loud", "no.key": "1" };
    expectFailure(await run(settings), 2, "FAIRLEAD_SERVER_PORT", "FAIRLEAD_LOG_LEVEL", "FAIRLEAD_NO_KEY");
  });

  test("no secret, even one that is wrong", async () => {
    const result = await run({ "security.encryption_key": "hush-hush-4711" });
    expectFailure(result, 2, "FAIRLEAD_SECURITY_ENCRYPTION_KEY");
    expect(result.stderr).not.toContain("hush");
  });
});

test("a server follows its file: the port, and a limit that a request meets", async () => {
  const dataDir = temporaryDirectory();
  writeFileSync(join(dataDir, "fairlead.toml"), "[server]\nmax_body_bytes = 2048\n[docs]\nenabled = false\n");
  const server = await TestServer.start({ dataDir });
  try {
    expect((await server.get("/docs")).status).toBe(404);
    const body = { identifier: "x".repeat(3_000), password: "x" };
    expect((await server.post("/v1/auth/login", { body })).status).toBe(413);
  } finally {
    await server.stop();
  }
});
