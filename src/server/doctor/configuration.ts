import { type Config, configFile } from "../../configuration/config";
import { isLoopback } from "../../kernel/http/client";
import { type Finding, ok, orOk, problem, warning } from "./findings";

/**
 * Finds values that are allowed in the configuration, yet seldom meant. Each value's form was checked before.
 */
export function checkConfiguration(config: Config): Finding[] {
  const found = [
    ...checkAddress(config),
    ...checkTrust(config),
    ...(config["rate_limit.enabled"]
      ? []
      : [
          warning(
            "configuration",
            "rate_limit.enabled is false, so passwords can be guessed at any speed; set it to true",
          ),
        ]),
  ];
  return orOk(found, "configuration", `from ${configFile ?? "defaults and the environment"}`);
}

function checkAddress(config: Config): Finding[] {
  const isOpen = !isLoopback(config["server.host"]);
  const url = URL.parse(config["server.public_url"] ?? "http://localhost");
  const isLocal = url === null || isLoopback(url.hostname);
  if (isLocal && isOpen)
    return [
      warning(
        "configuration",
        `server.public_url is ${url?.origin ?? "not set"}, but the server accepts connections from other machines, where links in emails would not work; set it to the address that users know`,
      ),
    ];
  if (!isLocal && url.protocol === "http:")
    return [
      warning(
        "configuration",
        "server.public_url is http, so passwords and tokens travel in clear text; put a TLS proxy in front of the server",
      ),
    ];
  return [];
}

function checkTrust(config: Config): Finding[] {
  const found: Finding[] = [];
  const proxies = config["server.trusted_proxies"];
  const everybody = proxies.find((range) => /\/0$/.test(range));
  if (everybody !== undefined)
    found.push(
      problem(
        "configuration",
        `server.trusted_proxies includes ${everybody}, so anyone can claim any address and escape rate limits; list only your proxy's address`,
      ),
    );
  if (config["position.allow_from"].some((range) => /\/0$/.test(range)))
    found.push(
      warning(
        "configuration",
        "position.allow_from includes every address, so anyone who can send a datagram moves the vessel on the map; list only your receiver's address",
      ),
    );
  if (proxies.length === 0 && config["server.public_url"]?.startsWith("https:"))
    found.push(
      warning(
        "configuration",
        "server.public_url is https but server.trusted_proxies is empty, so all users appear to come from the proxy and share its rate limits; list the proxy's address",
      ),
    );
  if (config["server.cors_origins"].includes("*"))
    found.push(
      warning(
        "configuration",
        "server.cors_origins is *, so any web page can call the API from a visitor's browser; list the origins of your apps",
      ),
    );
  if (config["metrics.enabled"] && config["metrics.token"] === null && !isLoopback(config["server.host"]))
    found.push(
      warning("configuration", "/metrics is open to anyone who can reach this server; set metrics.token"),
    );
  return found;
}

/**
 * Finds settings that make a stolen session or a guessed password worth more. The defaults suit clients that
 * know nothing of these keys.
 */
export function checkAccounts(config: Config): Finding[] {
  const found: Finding[] = [];
  if (config["auth.reauthentication_minutes"] === 0)
    found.push(
      warning(
        "accounts",
        "auth.reauthentication_minutes is 0, so a stolen session can be made permanent with a new email address, an API key or a second factor; set it to 10 once your clients handle 403 ReauthenticationRequired",
      ),
    );
  if (!config["security.reject_common_passwords"])
    found.push(
      warning(
        "accounts",
        "security.reject_common_passwords is false, so the passwords that attackers try first are accepted; set it to true",
      ),
    );
  return orOk(
    found,
    "accounts",
    "common passwords are rejected, and sensitive changes require a recent sign-in",
  );
}

/** Checks that emails can leave. */
export function checkEmail(config: Config, waiting: number): Finding[] {
  const found: Finding[] = [];
  const isPublic = !isLoopback(
    URL.parse(config["server.public_url"] ?? "http://localhost")?.hostname ?? "localhost",
  );
  if (config["email.transport"] === "outbox" && isPublic)
    found.push(
      warning(
        "email",
        "emails are written to outbox/ and reach nobody; set email.transport to resend or smtp to deliver them",
      ),
    );
  if (waiting > 0)
    found.push(
      warning(
        "email",
        `${waiting} ${waiting === 1 ? "email has" : "emails have"} not been delivered yet; the server's log gives the reason for each failed attempt`,
      ),
    );
  return orOk(found, "email", `sent via ${config["email.transport"]}`);
}

/** Checks that notifications arrive. */
export function checkNotifications(waiting: number): Finding[] {
  const found =
    waiting > 0
      ? [
          warning(
            "notifications",
            `${waiting} ${waiting === 1 ? "has" : "have"} not been delivered yet; GET /v1/notification-targets/{id}/deliveries gives the reasons`,
          ),
        ]
      : [];
  return orOk(found, "notifications", "none waits after a failed attempt");
}

/**
 * Checks the scheduled backups. Their names and times were read before; `sameDisk` is true if they lie beside
 * the database.
 */
export function checkBackups(
  config: Config,
  state: { newest: number | null; sameDisk: boolean | null },
  now: number,
): Finding[] {
  const hours = config["backup.interval_hours"];
  if (hours === 0)
    return [
      warning(
        "backups",
        "none are scheduled; set backup.interval_hours, and backup.dir to a directory on another disk, or run `fairlead backup` from your own timer",
      ),
    ];
  const { newest, sameDisk } = state;
  if (sameDisk === null)
    return [problem("backups", "backup.dir does not exist, so no backups are made; mount or create it")];
  const age = newest === null ? null : (now - newest) / 3_600_000;
  if (age === null) return [warning("backups", "there is none yet; the server makes one when it starts")];
  if (age > 2 * hours)
    return [
      problem(
        "backups",
        `the newest is ${Math.round(age)} hours old, although one is due every ${hours}; see the log`,
      ),
    ];
  return sameDisk
    ? [
        warning(
          "backups",
          "they are on the same disk as the database and would be lost with it; set backup.dir to a directory on another disk, or copy them elsewhere",
        ),
      ]
    : [ok("backups", `the newest is ${Math.round(age)} hours old`)];
}
