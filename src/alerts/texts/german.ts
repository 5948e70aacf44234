import { type AlertWords, clock, coordinates, span, rounded as withPoint } from "./alert-words";
import type { Language } from "./language";

const SEVERITY = { info: "Hinweis", warning: "Warnung", alarm: "Alarm" };

const rounded = (value: number | null): string => withPoint(value).replace(".", ",");

const SYSTEM: Record<string, (value: number | null) => string> = {
  backup_age: (hours) => `Die neueste Sicherung ist ${rounded(hours)} Stunden alt`,
  disk_free: (megabytes) => `Auf dem Datenträger sind ${rounded(megabytes)} MB frei`,
  position_source: (seconds) => `Der eigene Empfänger hat seit ${span(seconds)} keine Position geliefert`,
  vessel_source: (seconds) => `Seit ${span(seconds)} wurde kein Schiff gehört`,
  sync_backlog: (rows) => `${rounded(rows)} Änderungen warten auf die Übertragung an Land`,
  email_queue: (rows) => `${rounded(rows)} E-Mails warten auf den Versand`,
};

function headline({ condition, event, device, subject, subjectName, value }: AlertWords): string {
  switch (condition) {
    case "zone":
      if (event === "enter") return `${device} ist in ${subjectName} eingetroffen`;
      if (event === "exit") return `${device} hat ${subjectName} verlassen`;
      if (event === "passed") return `${device} hat ${subjectName} durchquert`;
      return `${device} hält sich länger in ${subjectName} auf`;
    case "silence":
      return `${device} hat seit ${span(value)} keine Position gesendet`;
    case "speed":
      return `${device} macht ${rounded(value)} Knoten`;
    case "battery":
      return `Die Batterie von ${device} steht bei ${rounded(value)} %`;
    case "water_level":
      return `Der Pegel ${subjectName} steht bei ${rounded(value)} cm`;
    case "system":
      return SYSTEM[subject ?? ""]?.(value) ?? `${subject}: ${rounded(value)}`;
    case "anchor":
      if (subject === "silent") return `Ankerwache von ${device}: seit ${span(value)} keine Position`;
      if (subject === "warning") return `${device} ist ${rounded(value)} m vom Anker entfernt`;
      return `Der Anker von ${device} slippt: ${rounded(value)} m entfernt`;
  }
}

export const german: Language = {
  test: (name) => ({
    title: "Test von Fairlead",
    body: `Das ist ein Test des Benachrichtigungsziels „${name}“. So werden Alarme ankommen.`,
  }),
  auditHead: ({ date, number, hash }) => ({
    title: `Kopf des Audit-Logs am ${date}`,
    body: `Ereignis Nr. ${number}\n${hash}\nZum Aufbewahren: Damit lässt sich das Log bis dahin beweisen.`,
  }),
  anchorTest: (device) => ({
    title: `Test der Ankerwache von ${device}`,
    body: "Das ist ein Test. So wird gemeldet, wenn der Anker slippt oder der Empfänger verstummt.",
  }),
  headline,
  alert: (words) => {
    const { occasion, severity, place, raisedAt, clearedAt, note, rule, message } = words;
    const what = message ?? headline(words);
    const lines = [
      `Seit ${clock(raisedAt)}`,
      clearedAt === null ? null : `Bis ${clock(clearedAt)}`,
      place && `Position: ${coordinates(place)} um ${clock(place.time)}`,
      note && `Bemerkung: ${note}`,
      rule && `Regel: ${rule}`,
    ];
    const prefix = { "alert.acknowledged": "Bestätigt", "alert.cleared": "Vorbei" } as const;
    const title = `${occasion === "alert.raised" ? SEVERITY[severity] : prefix[occasion]}: ${what}`;
    return { title, body: lines.filter(Boolean).join("\n") };
  },
  greeting: "Hallo,",
  asked: (site, who) =>
    `${who} hat diese Adresse für Alarme von Fairlead auf ${site} eingetragen. Falls du sie nicht haben möchtest, sag es ${who} oder denen, die diese Installation betreiben.`,
  own: (site) => `Du bekommst das, weil deine Adresse für Alarme von Fairlead auf ${site} eingetragen ist.`,
  key: (name) => `Der API-Schlüssel „${name}“`,
  somebody: "Jemand",
  footer: (site) =>
    `Fairlead auf ${site} hat diese E-Mail automatisch verschickt. Antworten werden nicht gelesen.`,
};
