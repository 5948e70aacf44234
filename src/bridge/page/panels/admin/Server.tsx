import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages, locale } from "../../language";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Facts, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { say } from "../../ui/toasts";
import { number } from "../../units";

const words = inLanguages({
  en: {
    health: "Health",
    version: "Version",
    since: "Running since",
    state: "State",
    states: { ok: "well", healthy: "well", degraded: "something is missing", unhealthy: "ill" } as Record<
      string,
      string
    >,
    services: {
      database: "Database",
      cache: "Cache",
      websocket: "Live updates",
      backup: "Backups",
      notifications: "Notifications",
      position: "The vessel's own receiver",
      mqtt: "MQTT broker",
      sync: "Link to the shore",
    } as Record<string, string>,
    up: "works",
    down: "fails",
    findings: "What the doctor finds",
    verdicts: { ok: "well", warning: "warning", problem: "problem" } satisfies Record<
      Schemas["Finding"]["verdict"],
      string
    >,
    again: "Look again",
    examined: "Looked at",
    backups: "Backups",
    make: "Make one now",
    begun: "The backup has begun.",
    none: "There are none yet.",
    every: (hours: number, keep: number) => `One every ${hours} hours; the newest ${keep} are kept.`,
    never: "None is made by itself: set backup.interval_hours.",
    running: "One is being made since",
    failed: "The last one failed",
    kinds: { scheduled: "by itself", before_migration: "before an upgrade" } satisfies Record<
      Schemas["Backup"]["kind"],
      string
    >,
  },
  de: {
    health: "Befinden",
    version: "Version",
    since: "Läuft seit",
    state: "Zustand",
    states: { ok: "wohlauf", healthy: "wohlauf", degraded: "etwas fehlt", unhealthy: "krank" } as Record<
      string,
      string
    >,
    services: {
      database: "Datenbank",
      cache: "Zwischenspeicher",
      websocket: "Laufende Aktualisierung",
      backup: "Sicherungen",
      notifications: "Benachrichtigungen",
      position: "Empfänger des Schiffs",
      mqtt: "MQTT-Broker",
      sync: "Verbindung zum Land",
    } as Record<string, string>,
    up: "läuft",
    down: "gestört",
    findings: "Was der Doktor findet",
    verdicts: { ok: "gut", warning: "Warnung", problem: "Problem" } satisfies Record<
      Schemas["Finding"]["verdict"],
      string
    >,
    again: "Noch einmal nachsehen",
    examined: "Nachgesehen",
    backups: "Sicherungen",
    make: "Jetzt eine machen",
    begun: "Die Sicherung hat begonnen.",
    none: "Es gibt noch keine.",
    every: (hours: number, keep: number) => `Alle ${hours} Stunden eine; die neuesten ${keep} bleiben.`,
    never: "Von selbst wird keine gemacht: Setze backup.interval_hours.",
    running: "Eine wird gemacht, seit",
    failed: "Die letzte ist misslungen",
    kinds: { scheduled: "von selbst", before_migration: "vor einer neuen Version" } satisfies Record<
      Schemas["Backup"]["kind"],
      string
    >,
  },
});

/** The health of the server, and its backups. */
export function Server(): JSX.Element {
  return (
    <>
      <Health />
      <Findings />
      <Backups />
    </>
  );
}

/** A part of the server as its health tells of it; some say why they are down. */
interface Service {
  status: string;
  trouble?: string | null;
}

function Health(): JSX.Element {
  const t = words();
  const loaded = useLoaded(() => call(() => api.GET("/v1/health")), [locale.value]);
  return (
    <Section title={t.health}>
      <Show of={loaded}>
        {(health) => (
          <>
            <Facts
              of={[
                [t.state, t.states[health.status] ?? health.status],
                [t.version, health.version],
              ]}
            />
            {health.warnings?.map((warning) => (
              <p key={warning} class="notice warn">
                {warning}
              </p>
            ))}
            <ul class="rows">
              {Object.entries<Service>(health.services).map(([name, { status, trouble }]) => (
                <li key={name} class="row">
                  <Icon name={status === "up" ? "check" : "warning"} />
                  <span class="row-main">
                    <span class="row-title">{t.services[name] ?? name}</span>
                    {trouble && <span class="hint">{trouble}</span>}
                  </span>
                  <span class={`tag ${status === "up" ? "good" : "alarm"}`}>
                    {status === "up" ? t.up : t.down}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Show>
    </Section>
  );
}

function Findings(): JSX.Element {
  const t = words();
  const loaded = useLoaded(async () => (await call(() => api.GET("/v1/admin/doctor"))).data, [locale.value]);
  return (
    <Section title={t.findings} actions={<Button onClick={loaded.reload}>{t.again}</Button>}>
      <Show of={loaded}>
        {({ findings, examined_at }) => (
          <>
            <p class="hint">
              {t.examined} <Ago at={examined_at} />.
            </p>
            <ul class="rows">
              {findings.map(({ title, verdict, message }) => (
                <li key={`${title} ${message}`} class="row">
                  <Icon name={verdict === "ok" ? "check" : "warning"} />
                  <span class="row-main">
                    <span class="row-title">{title}</span>
                    <span class="hint">{message}</span>
                  </span>
                  <span
                    class={`tag ${verdict === "problem" ? "alarm" : verdict === "warning" ? "warning" : "good"}`}
                  >
                    {t.verdicts[verdict]}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Show>
    </Section>
  );
}

/** Milliseconds between two looks at a backup that is being made. */
const WATCHED = 2_000;

function Backups(): JSX.Element {
  const t = words();
  const loaded = useLoaded(
    async () => (await call(() => api.GET("/v1/admin/backups"))).data,
    [locale.value],
    ({ started_at }) => started_at !== null && WATCHED,
  );
  const make = async () => {
    await call(() => api.POST("/v1/admin/backups"));
    say(t.begun);
    await loaded.reload();
  };
  return (
    <Section title={t.backups} actions={may("settings:write") && <Button onClick={make}>{t.make}</Button>}>
      <Show of={loaded}>
        {({ backups, interval_hours, keep, started_at, failed_at, error }) => (
          <>
            <p class="soft">{interval_hours > 0 ? t.every(interval_hours, keep) : t.never}</p>
            {started_at !== null && (
              <p class="notice" role="status">
                {t.running} <Ago at={started_at} />
              </p>
            )}
            {failed_at !== null && (
              <p class="notice bad">
                {t.failed} <Ago at={failed_at} />: {error}
              </p>
            )}
            {backups.length === 0 ? (
              <p class="soft">{t.none}</p>
            ) : (
              <ul class="rows">
                {backups.map(({ name, kind, made_at, bytes }) => (
                  <li key={name} class="row">
                    <span class="row-main">
                      <span class="row-title">
                        <Ago at={made_at} />
                      </span>
                      <span class="hint">
                        {t.kinds[kind]} · {name}
                      </span>
                    </span>
                    <span class="row-end">{number(bytes / 1_000_000, 1)} MB</span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Show>
    </Section>
  );
}
