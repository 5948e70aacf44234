import type { Config, ConfigKey } from "./config";

/** Half a configuration is a start-up error, not a surprise at midnight. */
export function contradictions(values: Config): string[] {
  const problems: string[] = [];
  const needs = (key: ConfigKey, why: string) => {
    if (values[key] === null) problems.push(`${key} is required ${why}`);
  };
  if (values["email.transport"] === "resend") needs("email.resend_api_key", "for email.transport = resend");
  if (values["email.transport"] === "smtp") needs("email.smtp_url", "for email.transport = smtp");
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
