import type { Config, ConfigKey } from "./config";

/** Half a configuration is a start-up error, not a surprise at midnight. */
export function contradictions(values: Config): string[] {
  const problems: string[] = [];
  const needs = (key: ConfigKey, why: string) => {
    if (values[key] === null) problems.push(`${key} is required ${why}`);
  };
  if (values["email.transport"] === "resend") needs("email.resend_api_key", "for email.transport = resend");
  if (values["email.transport"] === "smtp") needs("email.smtp_url", "for email.transport = smtp");
  if (values["sync.url"] !== null) needs("sync.token", "with sync.url");
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
  problems.push(...contradictionsOfPosition(values));
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
