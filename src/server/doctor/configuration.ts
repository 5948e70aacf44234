import { type Config, configFile } from "../../configuration/config";
import { isLoopback } from "../../kernel/http/client";
import { type Bilingual, numberInGerman } from "../../kernel/values/bilingual";
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
          warning("configuration", {
            en: "rate_limit.enabled is false, so passwords can be guessed at any speed; set it to true",
            de: "rate_limit.enabled ist false, also lassen sich Passwörter beliebig schnell raten; setze es auf true",
          }),
        ]),
  ];
  return orOk(found, "configuration", {
    en: `from ${configFile ?? "defaults and the environment"}`,
    de: `aus ${configFile ?? "den Vorgaben und der Umgebung"}`,
  });
}

function checkAddress(config: Config): Finding[] {
  const isOpen = !isLoopback(config["server.host"]);
  const url = URL.parse(config["server.public_url"] ?? "http://localhost");
  const isLocal = url === null || isLoopback(url.hostname);
  if (isLocal && isOpen)
    return [
      warning("configuration", {
        en: `server.public_url is ${url?.origin ?? "not set"}, but the server accepts connections from other machines, where links in emails would not work; set it to the address that users know`,
        de: `server.public_url ist ${url?.origin ?? "nicht gesetzt"}, aber der Server nimmt Verbindungen von anderen Rechnern an, auf denen Links aus E-Mails nicht gehen würden; setze die Adresse, unter der ihn alle kennen`,
      }),
    ];
  if (!isLocal && url.protocol === "http:")
    return [
      warning("configuration", {
        en: "server.public_url is http, so passwords and tokens travel in clear text; put a TLS proxy in front of the server",
        de: "server.public_url ist http, also gehen Passwörter und Token unverschlüsselt durch das Netz; stelle einen TLS-Proxy vor den Server",
      }),
    ];
  return [];
}

function checkTrust(config: Config): Finding[] {
  const found: Finding[] = [];
  const proxies = config["server.trusted_proxies"];
  const everybody = proxies.find((range) => /\/0$/.test(range));
  if (everybody !== undefined)
    found.push(
      problem("configuration", {
        en: `server.trusted_proxies includes ${everybody}, so anyone can claim any address and escape rate limits; list only your proxy's address`,
        de: `server.trusted_proxies enthält ${everybody}, also kann sich jeder als jede Adresse ausgeben und den Ratenbegrenzungen entgehen; nenne nur die Adresse deines Proxys`,
      }),
    );
  if (config["position.allow_from"].some((range) => /\/0$/.test(range)))
    found.push(
      warning("configuration", {
        en: "position.allow_from includes every address, so anyone who can send a datagram moves the vessel on the map; list only your receiver's address",
        de: "position.allow_from enthält alle Adressen, also verschiebt jeder, der ein Datagramm senden kann, das Schiff auf der Karte; nenne nur die Adresse deines Empfängers",
      }),
    );
  if (proxies.length === 0 && config["server.public_url"]?.startsWith("https:"))
    found.push(
      warning("configuration", {
        en: "server.public_url is https but server.trusted_proxies is empty, so all users appear to come from the proxy and share its rate limits; list the proxy's address",
        de: "server.public_url ist https, aber server.trusted_proxies ist leer, also scheinen alle vom Proxy zu kommen und teilen sich dessen Ratenbegrenzungen; nenne die Adresse des Proxys",
      }),
    );
  if (config["server.cors_origins"].includes("*"))
    found.push(
      warning("configuration", {
        en: "server.cors_origins is *, so any web page can call the API from a visitor's browser; list the origins of your apps",
        de: "server.cors_origins ist *, also kann jede Webseite die API aus dem Browser ihrer Besucher aufrufen; nenne die Origins deiner Anwendungen",
      }),
    );
  if (config["metrics.enabled"] && config["metrics.token"] === null && !isLoopback(config["server.host"]))
    found.push(
      warning("configuration", {
        en: "/metrics is open to anyone who can reach this server; set metrics.token",
        de: "/metrics ist für alle offen, die diesen Server erreichen; setze metrics.token",
      }),
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
      warning("accounts", {
        en: "auth.reauthentication_minutes is 0, so a stolen session can be made permanent with a new email address, an API key or a second factor; set it to 10 once your clients handle 403 ReauthenticationRequired",
        de: "auth.reauthentication_minutes ist 0, also lässt sich eine gestohlene Sitzung mit einer neuen E-Mail-Adresse, einem API-Schlüssel oder einem zweiten Faktor zu einer dauerhaften machen; setze es auf 10, sobald deine Clients mit 403 ReauthenticationRequired umgehen",
      }),
    );
  if (!config["security.reject_common_passwords"])
    found.push(
      warning("accounts", {
        en: "security.reject_common_passwords is false, so the passwords that attackers try first are accepted; set it to true",
        de: "security.reject_common_passwords ist false, also gelten auch die Passwörter, die Angreifer als erste probieren; setze es auf true",
      }),
    );
  return orOk(found, "accounts", {
    en: "common passwords are rejected, and sensitive changes require a recent sign-in",
    de: "häufige Passwörter werden abgelehnt, und heikle Änderungen verlangen eine frische Anmeldung",
  });
}

/** Checks that emails can leave. */
export function checkEmail(config: Config, waiting: number): Finding[] {
  const found: Finding[] = [];
  const isPublic = !isLoopback(
    URL.parse(config["server.public_url"] ?? "http://localhost")?.hostname ?? "localhost",
  );
  if (config["email.transport"] === "outbox" && isPublic)
    found.push(
      warning("email", {
        en: "emails are written to outbox/ and reach nobody; set email.transport to resend or smtp to deliver them",
        de: "E-Mails werden nach outbox/ geschrieben und erreichen niemanden; setze email.transport auf resend oder smtp, damit sie zugestellt werden",
      }),
    );
  if (waiting > 0)
    found.push(
      warning("email", {
        en: `${waiting} ${waiting === 1 ? "email has" : "emails have"} not been delivered yet; the server's log gives the reason for each failed attempt`,
        de: `${waiting === 1 ? "1 E-Mail ist" : `${waiting} E-Mails sind`} noch nicht zugestellt; das Protokoll des Servers nennt den Grund für jeden gescheiterten Versuch`,
      }),
    );
  return orOk(found, "email", {
    en: `sent via ${config["email.transport"]}`,
    de: `Versand über ${config["email.transport"]}`,
  });
}

/** Checks that notifications arrive; `headTarget` is the reason why that of `audit.head_target` can't be told. */
export function checkNotifications(waiting: number, headTarget: Bilingual | null): Finding[] {
  const found: Finding[] = [];
  if (headTarget !== null)
    found.push(
      problem("notifications", {
        en: `nobody is told the head of the audit log: ${headTarget.en}; set audit.head_target to the id of one of GET /v1/notification-targets that is switched on and was made by somebody with audit:read`,
        de: `niemand erfährt den Kopf des Audit-Logs: ${headTarget.de}; setze audit.head_target auf die Kennung eines Ziels (id in GET /v1/notification-targets), das eingeschaltet ist und von jemandem mit audit:read stammt`,
      }),
    );
  if (waiting > 0)
    found.push(
      warning("notifications", {
        en: `${waiting} ${waiting === 1 ? "has" : "have"} not been delivered yet; GET /v1/notification-targets/{id}/deliveries gives the reasons`,
        de: `${waiting} ${waiting === 1 ? "ist" : "sind"} noch nicht zugestellt; GET /v1/notification-targets/{id}/deliveries nennt die Gründe`,
      }),
    );
  return orOk(found, "notifications", {
    en: "none waits after a failed attempt",
    de: "keine wartet nach einem gescheiterten Versuch",
  });
}

const hoursInGerman = (hours: number): string =>
  `${numberInGerman(hours)} ${Math.round(hours) === 1 ? "Stunde" : "Stunden"}`;

/**
 * Checks the scheduled backups. Their names and times were read before; `sameDisk` is true if they lie beside
 * the database, `isServed` if a server runs.
 */
export function checkBackups(
  config: Config,
  state: { newest: number | null; sameDisk: boolean | null; isServed: boolean },
  now: number,
): Finding[] {
  const hours = config["backup.interval_hours"];
  if (hours === 0)
    return [
      warning("backups", {
        en: "none are scheduled; set backup.interval_hours, and backup.dir to a directory on another disk, or run `fairlead backup` from your own timer",
        de: "keine sind geplant; setze backup.interval_hours, und backup.dir auf einen Ordner auf einem anderen Datenträger, oder rufe `fairlead backup` mit einem eigenen Timer auf",
      }),
    ];
  const { newest, sameDisk, isServed } = state;
  if (sameDisk === null)
    return [
      problem("backups", {
        en: "backup.dir does not exist, so no backups are made; mount or create it",
        de: "backup.dir gibt es nicht, also werden keine Sicherungen gemacht; hänge den Ordner ein oder lege ihn an",
      }),
    ];
  const age = newest === null ? null : (now - newest) / 3_600_000;
  if (age === null)
    return [
      warning(
        "backups",
        isServed
          ? {
              en: "there is none yet, although the server runs: it is being made, or it failed; see the log",
              de: "es gibt noch keine, obwohl der Server läuft: Sie wird gerade gemacht, oder sie ist gescheitert; sieh in das Protokoll",
            }
          : {
              en: "there is none yet; the server makes one when it starts",
              de: "es gibt noch keine; der Server macht eine, wenn er startet",
            },
      ),
    ];
  if (age > 2 * hours)
    return [
      problem("backups", {
        en: `the newest is ${Math.round(age)} hours old, although one is due every ${hours}; see the log`,
        de: `die neueste ist ${hoursInGerman(age)} alt, obwohl alle ${hours} eine fällig ist; sieh in das Protokoll`,
      }),
    ];
  return sameDisk
    ? [
        warning("backups", {
          en: "they are on the same disk as the database and would be lost with it; set backup.dir to a directory on another disk, or copy them elsewhere",
          de: "sie liegen auf demselben Datenträger wie die Datenbank und gingen mit ihr verloren; setze backup.dir auf einen Ordner auf einem anderen, oder kopiere sie anderswohin",
        }),
      ]
    : [
        ok("backups", {
          en: `the newest is ${Math.round(age)} hours old`,
          de: `die neueste ist ${hoursInGerman(age)} alt`,
        }),
      ];
}
