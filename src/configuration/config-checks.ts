import type { Config, ConfigKey } from "./config";
import { isAndroidApp, isUnder } from "./passkey-origins";

/** Half a configuration is a start-up error, not a surprise at midnight. */
export function contradictions(values: Config): string[] {
  const problems: string[] = [];
  const needs = (key: ConfigKey, why: string) => {
    if (values[key] === null) problems.push(`${key} is required ${why}`);
  };
  if (values["email.transport"] === "resend") needs("email.resend_api_key", "for email.transport = resend");
  if (values["email.transport"] === "smtp") needs("email.smtp_url", "for email.transport = smtp");
  if (values["security.encryption_key"] !== null && values["security.encryption_key_file"] !== null)
    problems.push("security.encryption_key and security.encryption_key_file exclude each other: set one");
  if (values["bot_protection.provider"] !== null)
    needs("bot_protection.secret", "with bot_protection.provider");
  if (values["vessels.source"] === "aisstream") {
    needs("vessels.api_key", "for vessels.source = aisstream");
    if (values["vessels.url"]?.startsWith("tcp:"))
      problems.push("vessels.url must be ws:// or wss:// for vessels.source = aisstream");
  }
  if (values["vessels.source"] === "nmea") {
    needs("vessels.url", "for vessels.source = nmea");
    if (values["vessels.url"] && !/^tcp:\/\/[^/]+:\d+$/.test(values["vessels.url"]))
      problems.push("vessels.url must be tcp://host:port for vessels.source = nmea");
  }
  problems.push(
    ...contradictionsOfPasskeys(values),
    ...contradictionsOfPosition(values),
    ...contradictionsOfMqtt(values),
    ...contradictionsOfSync(values),
  );
  for (const platform of ["twitch", "youtube", "discord"] as const) {
    if (values[`integrations.${platform}.client_id`] !== null)
      needs(`integrations.${platform}.client_secret`, `with integrations.${platform}.client_id`);
    else if (values[`integrations.${platform}.client_secret`] !== null)
      needs(`integrations.${platform}.client_id`, `with integrations.${platform}.client_secret`);
  }
  if (values["email.supported_locales"].length === 0)
    problems.push("email.supported_locales must list at least one language");
  if (values["websocket.client_timeout_seconds"] <= values["websocket.heartbeat_interval_seconds"])
    problems.push(
      "websocket.client_timeout_seconds must be greater than websocket.heartbeat_interval_seconds",
    );
  return problems;
}

/** Passkeys are bound to the host of `server.public_url`: no browser gives them to another one. */
function contradictionsOfPasskeys(values: Config): string[] {
  const { hostname } = new URL(values["server.public_url"] ?? "http://localhost");
  const foreign = values["webauthn.origins"].find(
    (origin) => !isAndroidApp(origin) && !isUnder(new URL(origin), hostname),
  );
  return foreign === undefined
    ? []
    : [`webauthn.origins must list origins on the host of server.public_url (${hostname}) or below it`];
}

/** The addresses that each source of the vessel's own position takes. */
const POSITION_URLS = {
  nmea: { form: /^(?:tcp|udp):\/\/[^/]+:\d+$/, words: "tcp://host:port or udp://address:port" },
  gpsd: { form: /^tcp:\/\/[^/]+:\d+$/, words: "tcp://host:port" },
  signalk: { form: /^wss?:/, words: "ws:// or wss://" },
};

function contradictionsOfPosition(values: Config): string[] {
  const source = values["position.source"];
  if (source === "none") return [];
  const url = values["position.url"];
  // gpsd has its own port on the same machine.
  if (url === null)
    return source === "gpsd" ? [] : [`position.url is required for position.source = ${source}`];
  const { form, words } = POSITION_URLS[source];
  if (!form.test(url)) return [`position.url must be ${words} for position.source = ${source}`];
  // A datagram proves nothing about its sender but the address.
  return url.startsWith("udp:") && values["position.allow_from"].length === 0
    ? ["position.allow_from is required for a position.url that begins with udp://"]
    : [];
}

/** Topics below these have a meaning of their own. */
const FOREIGN_TOPICS = ["homeassistant", "owntracks"];

function contradictionsOfMqtt(values: Config): string[] {
  const url = values["mqtt.url"];
  const problems = url === null ? withoutBroker(values) : badBroker(url);
  // MQTT 3.1.1, section 3.1.2.9: there is no password without a user name.
  if (values["mqtt.password"] !== null && values["mqtt.username"] === null)
    problems.push("mqtt.username is required with mqtt.password");
  const [first = ""] = values["mqtt.prefix"].split("/");
  if (FOREIGN_TOPICS.includes(first))
    problems.push(`mqtt.prefix must not begin with ${first}, whose topics have a meaning of their own`);
  return problems;
}

function withoutBroker(values: Config): string[] {
  const set = (["mqtt.username", "mqtt.password", "mqtt.client_id"] as const).find(
    (key) => values[key] !== null,
  );
  const needing = set ?? (values["mqtt.owntracks"] ? "mqtt.owntracks" : undefined);
  // The supervisor names the broker at the start.
  return needing === undefined || values["mqtt.supervisor"] !== null
    ? []
    : [`mqtt.url is required with ${needing}`];
}

function badBroker(url: string): string[] {
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(url);
  const isWebSocket = protocol === "ws:" || protocol === "wss:";
  if (username !== "" || password !== "")
    return ["mqtt.url must hold no user and no password: set mqtt.username and mqtt.password"];
  if (hostname === "") return ["mqtt.url must name a host"];
  if (!isWebSocket && (pathname.length > 1 || search !== "" || hash !== ""))
    return [`mqtt.url must be ${protocol}//host:port, without a path`];
  return [];
}

/** Records that mean nothing ashore without those that they are of. */
const OF_DEVICES = ["trips", "positions", "zone_events"];

function contradictionsOfSync(values: Config): string[] {
  const include = values["sync.include"];
  const problems: string[] = [];
  if (include.length === 0) problems.push("sync.include must list at least one kind of records");
  const orphan = OF_DEVICES.find((kind) => include.includes(kind));
  if (orphan !== undefined && !include.includes("devices"))
    problems.push(`sync.include must list devices with ${orphan}`);
  if (include.includes("log_entries") && !include.includes("trips"))
    problems.push("sync.include must list trips with log_entries");
  const url = values["sync.url"];
  if (url === null) return problems;
  if (values["sync.token"] === null) problems.push("sync.token is required with sync.url");
  const { username, password, search, hash } = new URL(url);
  if (username !== "" || password !== "" || search !== "" || hash !== "")
    problems.push("sync.url must hold no user, no password and no query: set sync.token");
  return problems;
}
