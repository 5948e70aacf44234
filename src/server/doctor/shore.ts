import { config } from "../../configuration/config";
import { isLoopback } from "../../kernel/http/client";
import { isServed } from "../../kernel/process/data-lock";
import { sizeInEach } from "../../kernel/process/print";
import { type Bilingual, dateInGerman, inEach, numberInGerman } from "../../kernel/values/bilingual";
import type { Health } from "../health/schema";
import { type Finding, ok, problem, warning } from "./findings";
import { runningServices, untold } from "./running";

/** The doctor's look at the link to the shore. Its address is tried with the other addresses outside. */

const CHECK = "shore";

/** Asks a server that runs about its link: no credential is sent from here. */
export async function checkShore(): Promise<Finding[]> {
  const url = config["sync.url"];
  return url === null ? [] : [...checkSecrecy(new URL(url)), await checkLink()];
}

const checkSecrecy = ({ protocol, hostname }: URL): Finding[] =>
  protocol === "http:" && !isLoopback(hostname)
    ? [
        warning(CHECK, {
          en: "sync.url is http://, so sync.token and all that the boat tells travel in clear text; use https://",
          de: "sync.url ist http://, also gehen sync.token und alles, was das Boot meldet, unverschlüsselt durch das Netz; nimm https://",
        }),
      ]
    : [];

async function checkLink(): Promise<Finding> {
  if (!isServed())
    return ok(CHECK, {
      en: "whether it answers shows once the server runs",
      de: "ob es antwortet, zeigt sich, sobald der Server läuft",
    });
  const link = await runningServices("sync");
  if (typeof link === "string") return untold(CHECK, link);
  const { status, trouble, last_contact_at } = link;
  const contact =
    last_contact_at === null
      ? { en: "last contact never", de: "noch kein Kontakt" }
      : {
          en: `last contact at ${last_contact_at}`,
          de: `letzter Kontakt ${dateInGerman(Date.parse(last_contact_at))}`,
        };
  const waiting = backlogOf(link.lanes);
  const state = inEach((locale) => `${contact[locale]}; ${waiting[locale]}`);
  if (trouble === null) return ok(CHECK, state);
  return status === "up"
    ? ok(CHECK, {
        en: `the last request failed: ${trouble.en}; ${state.en}`,
        de: `die letzte Anfrage ist gescheitert: ${trouble.de}; ${state.de}`,
      })
    : problem(CHECK, {
        en: `${trouble.en}; ${state.en}. Check sync.url, sync.token and the line`,
        de: `${trouble.de}; ${state.de}. Prüfe sync.url, sync.token und die Leitung`,
      });
}

const NAMES: Record<string, Bilingual> = {
  alerts: { en: "alerts", de: "Alarme" },
  trips: { en: "devices, trips and log entries", de: "Geräte, Fahrten und Einträge im Logbuch" },
  zones: { en: "zone events", de: "Übertritte von Zonen" },
  backlog: { en: "positions", de: "Positionen" },
  history: { en: "records of before the first contact", de: "Daten aus der Zeit vor dem ersten Kontakt" },
};

type Lanes = NonNullable<Health["services"]["sync"]>["lanes"];

/** The lanes in which something waits, in words. */
function backlogOf(lanes: Lanes): Bilingual {
  const waiting = lanes.filter(({ rows }) => rows > 0).map(inWords);
  if (waiting.length === 0) return { en: "nothing waits for it", de: "nichts wartet darauf" };
  const list = inEach((locale) => waiting.map((lane) => lane[locale]).join(", "));
  return { en: `these wait for it: ${list.en}`, de: `es warten: ${list.de}` };
}

function inWords({ lane, rows, bytes, age_seconds }: Lanes[number]): Bilingual {
  const name = NAMES[lane] ?? { en: lane, de: lane };
  const size = sizeInEach(bytes);
  const age = spanInWords(age_seconds);
  const since =
    age_seconds > 0
      ? { en: `, the oldest for ${age.en}`, de: `, am längsten seit ${age.de}` }
      : { en: "", de: "" };
  return {
    en: `${name.en} (${rows} ${rows === 1 ? "row" : "rows"}, about ${size.en}${since.en})`,
    de: `${name.de} (${numberInGerman(rows)} ${rows === 1 ? "Zeile" : "Zeilen"}, etwa ${size.de}${since.de})`,
  };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time as a person reads it, from seconds; in German in the dative. */
function spanInWords(seconds: number): Bilingual {
  const of = (length: number, en: string, de: string): Bilingual => {
    const whole = Math.floor(seconds / length);
    return { en: `${whole} ${en}`, de: `${whole} ${de}` };
  };
  if (seconds < 2 * MINUTE) return of(1, "s", "s");
  if (seconds < 2 * HOUR) return of(MINUTE, "min", "min");
  return seconds < 2 * DAY ? of(HOUR, "h", "h") : of(DAY, "days", "Tagen");
}
