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
      : [warning("configuration", "rate_limit.enabled is false: passwords can be guessed at any speed")]),
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
        `server.public_url is ${url?.origin ?? "not set"}, and the server listens for other machines: links in emails lead them nowhere; set it to the address that users know`,
      ),
    ];
  if (!isLocal && url.protocol === "http:")
    return [
      warning(
        "configuration",
        "server.public_url is http: passwords and tokens travel in clear text; put a proxy with TLS before the server",
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
        `server.trusted_proxies holds ${everybody}: anybody may claim any address, and rate limits count for nothing; name the proxy's own`,
      ),
    );
  if (proxies.length === 0 && config["server.public_url"]?.startsWith("https:"))
    found.push(
      warning(
        "configuration",
        "server.public_url is https, and server.trusted_proxies is empty: all users seem to come from the proxy, and share its rate limits; name the proxy's address",
      ),
    );
  if (config["server.cors_origins"].includes("*"))
    found.push(
      warning(
        "configuration",
        "server.cors_origins is *: any page may call the API from a visitor's browser",
      ),
    );
  if (config["metrics.enabled"] && config["metrics.token"] === null && !isLoopback(config["server.host"]))
    found.push(
      warning("configuration", "/metrics is open to whoever reaches this server; set metrics.token"),
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
        "auth.reauthentication_minutes is 0: whoever steals a session can make it permanent by another email address, an API key or a second factor; set it to 10 once your clients answer 403 ReauthenticationRequired",
      ),
    );
  if (!config["security.reject_common_passwords"])
    found.push(
      warning(
        "accounts",
        "security.reject_common_passwords is false: passwords that everybody tries first are accepted; set it to true",
      ),
    );
  return orOk(
    found,
    "accounts",
    "common passwords are refused, and what is sensitive asks for a recent sign-in",
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
        "emails are files in outbox/ and reach nobody; set email.transport to resend or smtp where users are to get them",
      ),
    );
  if (waiting > 0)
    found.push(
      warning(
        "email",
        `${waiting} emails could not be delivered yet; the server's log says why at each attempt`,
      ),
    );
  return orOk(found, "email", `sent by ${config["email.transport"]}`);
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
        "none are scheduled: set backup.interval_hours, and backup.dir to another disk; or call `fairlead backup` by a timer of your own",
      ),
    ];
  const { newest, sameDisk } = state;
  if (sameDisk === null)
    return [problem("backups", "backup.dir is not there: mount or make it, or the server makes none")];
  const age = newest === null ? null : (now - newest) / 3_600_000;
  if (age === null) return [warning("backups", "there is none yet: the server makes one when it starts")];
  if (age > 2 * hours)
    return [
      problem(
        "backups",
        `the newest is ${Math.round(age)} hours old, with one due each ${hours}: see the log`,
      ),
    ];
  return sameDisk
    ? [
        warning(
          "backups",
          "they lie on the disk of the database, and go with it: set backup.dir to another one, or copy them elsewhere",
        ),
      ]
    : [ok("backups", `the newest is ${Math.round(age)} hours old`)];
}
