import type { Bilingual } from "../../kernel/values/bilingual";

/** The parts that the doctor looks at: the names by which programs know them, and their titles for readers. */
export const CHECKS = {
  configuration: { en: "Configuration", de: "Konfiguration" },
  accounts: { en: "Accounts", de: "Konten" },
  "sign-in": { en: "Sign-in", de: "Anmeldung" },
  address: { en: "Address", de: "Adresse" },
  "data directory": { en: "Data directory", de: "Datenordner" },
  "master key": { en: "Master key", de: "Hauptschlüssel" },
  database: { en: "Database", de: "Datenbank" },
  disk: { en: "Disk", de: "Speicherplatz" },
  clock: { en: "Clock", de: "Uhr" },
  "open files": { en: "Open files", de: "Offene Dateien" },
  memory: { en: "Memory", de: "Arbeitsspeicher" },
  "temporary directory": { en: "Temporary directory", de: "Ordner für temporäre Dateien" },
  "password hash": { en: "Password hash", de: "Passwort-Hash" },
  email: { en: "Email", de: "E-Mail" },
  notifications: { en: "Notifications", de: "Benachrichtigungen" },
  GeoIP: { en: "GeoIP", de: "GeoIP" },
  "own position": { en: "The vessel's own receiver", de: "Empfänger des Schiffs" },
  "MQTT broker": { en: "MQTT broker", de: "MQTT-Broker" },
  shore: { en: "Link to the shore", de: "Verbindung zum Land" },
  charts: { en: "Charts", de: "Karten" },
  backups: { en: "Backups", de: "Sicherungen" },
  outside: { en: "External services", de: "Externe Dienste" },
} as const satisfies Record<string, Bilingual>;
export type Check = keyof typeof CHECKS;

/** A finding of the doctor. A problem needs mending, a warning deserves a thought. */
export interface Finding {
  check: Check;
  verdict: "ok" | "warning" | "problem";
  /** The fact, and the remedy. */
  message: Bilingual;
}

const of =
  (verdict: Finding["verdict"]) =>
  (check: Check, message: Bilingual): Finding => ({ check, verdict, message });

export const ok = of("ok");
export const warning = of("warning");
export const problem = of("problem");

/** The findings, or one saying that all is well. */
export const orOk = (found: Finding[], check: Check, message: Bilingual): Finding[] =>
  found.length > 0 ? found : [ok(check, message)];
