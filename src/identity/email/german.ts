import { lazy } from "../../kernel/lazy";
import type { Language } from "./templates";

// Ten milliseconds the first time.
const date = lazy(
  () => new Intl.DateTimeFormat("de-DE", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
);

export const german: Language = {
  greeting: (username) => `Hallo ${username},`,
  linkHint: "Falls die Schaltfläche nichts bewirkt, kopiere diese Adresse in deinen Browser:",
  footer: (site) =>
    `Fairlead auf ${site} hat diese E-Mail automatisch verschickt, weil sie ein Konto dort betrifft. Antworten werden nicht gelesen.`,
  words(content, site) {
    const time = (at: number) => `${date().format(at)} Uhr UTC`;
    const suspicious =
      "Falls du das nicht warst, ändere sofort dein Passwort, beende deine anderen Sitzungen und sag denen Bescheid, die diese Installation betreiben.";
    switch (content.kind) {
      case "registration":
        return {
          subject: `Bestätige deine E-Mail-Adresse für ${site}`,
          paragraphs: [
            `Jemand, hoffentlich du, hat sich auf ${site} mit dieser E-Mail-Adresse registriert. Bestätige die Adresse, damit das Konto angelegt wird.`,
            `Der Link gilt einmal, und zwar bis ${time(content.expiresAt)}.`,
          ],
          button: "E-Mail-Adresse bestätigen",
          otherwise:
            "Falls du dich nicht registriert hast, ignoriere diese E-Mail: Ohne die Bestätigung entsteht kein Konto.",
        };
      case "email_change":
        return {
          subject: `Bestätige deine neue E-Mail-Adresse für ${site}`,
          paragraphs: [
            `Du möchtest die E-Mail-Adresse deines Kontos auf ${site} in diese ändern. Bestätige sie, damit die Änderung wirksam wird.`,
            `Der Link gilt einmal, und zwar bis ${time(content.expiresAt)}. Bis zur Bestätigung meldest du dich mit der alten Adresse an.`,
          ],
          button: "Neue Adresse bestätigen",
          otherwise:
            "Falls du das nicht wolltest, ignoriere diese E-Mail: Ohne die Bestätigung ändert sich nichts.",
        };
      case "email_link":
        return {
          subject: `Bestätige die Anmeldung per E-Mail auf ${site}`,
          paragraphs: [
            `Du möchtest dich bei deinem Konto auf ${site} auch mit dieser E-Mail-Adresse und einem Passwort anmelden. Bestätige die Adresse, damit sie verknüpft wird.`,
            `Der Link gilt einmal, und zwar bis ${time(content.expiresAt)}.`,
          ],
          button: "E-Mail-Adresse verknüpfen",
          otherwise:
            "Falls du das nicht wolltest, ignoriere diese E-Mail: Ohne die Bestätigung wird nichts verknüpft.",
        };
      case "password_reset":
        return {
          subject: `Wähle ein neues Passwort für ${site}`,
          paragraphs: [
            `Jemand, hoffentlich du, hat ein neues Passwort für dein Konto auf ${site} angefordert. Wähle es über den Link unten; damit wirst du zugleich überall abgemeldet.`,
            `Der Link gilt einmal, und zwar bis ${time(content.expiresAt)}.`,
          ],
          button: "Neues Passwort wählen",
          otherwise: "Falls du das nicht warst, ignoriere diese E-Mail: Dein Passwort bleibt, wie es ist.",
        };
      case "deletion_scheduled":
        return {
          subject: `Dein Konto auf ${site} wird gelöscht`,
          paragraphs: [
            `Du hast die Löschung deines Kontos auf ${site} verlangt. Es wird am ${time(content.deletedAt)} gelöscht und lässt sich danach nicht wiederherstellen.`,
            "Bis dahin kannst du es dir anders überlegen: Melde dich an und nimm die Löschung zurück.",
          ],
          otherwise:
            "Falls du das nicht warst, melde dich an, nimm die Löschung zurück und ändere sofort dein Passwort.",
        };
      case "two_factor_enabled":
        return {
          subject: `Zwei-Faktor-Authentisierung ist eingeschaltet für ${site}`,
          paragraphs: [
            `Die Zwei-Faktor-Authentisierung für dein Konto auf ${site} wurde am ${time(content.at)} eingeschaltet, eingerichtet über ${content.platformName}.`,
            "Von nun an brauchst du zum Anmelden einen Code aus deiner Authenticator-App. Verwahre deine Ersatzcodes sicher: Jeder gilt einmal, falls du die App verlierst.",
          ],
          otherwise: suspicious,
        };
      case "two_factor_disabled":
        return {
          subject: `Zwei-Faktor-Authentisierung ist ausgeschaltet für ${site}`,
          paragraphs: [
            `Die Zwei-Faktor-Authentisierung für dein Konto auf ${site} wurde am ${time(content.at)} ausgeschaltet; eingerichtet war sie über ${content.platformName}.`,
            "Zum Anmelden ist kein Code mehr nötig, und deine Ersatzcodes gelten nicht mehr. Du kannst sie jederzeit wieder einschalten.",
          ],
          otherwise: suspicious,
        };
      case "backup_codes_regenerated":
        return {
          subject: `Neue Ersatzcodes für ${site}`,
          paragraphs: [
            `Für dein Konto auf ${site} wurden am ${time(content.at)} neue Ersatzcodes erzeugt. Alle früheren Ersatzcodes sind ungültig.`,
            "Verwahre die neuen sicher: Jeder gilt einmal.",
          ],
          otherwise: suspicious,
        };
      case "backup_codes_low":
        return {
          subject: `Nur noch wenige Ersatzcodes für ${site}`,
          paragraphs: [
            `Gerade wurde mit einem Ersatzcode eine Anmeldung bei deinem Konto auf ${site} bestätigt. ${codesLeft(content.remaining)}`,
            "Erzeuge in den Einstellungen deines Kontos neue, bevor der letzte verbraucht ist: Ohne Authenticator-App und ohne Ersatzcodes kannst du dich nicht anmelden.",
          ],
          otherwise: suspicious,
        };
      case "audit_report_updated":
        return {
          subject: `Neues zu deiner Meldung auf ${site}`,
          paragraphs: [
            `Die Aktivität in deinem Konto, die du auf ${site} gemeldet hast, wurde angesehen. Deine Meldung hat nun den Stand: ${STATUS[content.status] ?? content.status}.`,
            ...(content.notes ? ["Die Anmerkung dazu:"] : []),
          ],
          ...(content.notes && { quote: content.notes }),
          otherwise: "Du musst nichts tun. Falls du nichts gemeldet hast, ändere dein Passwort.",
        };
    }
  },
};

const STATUS: Record<string, string> = {
  pending: "offen",
  reviewed: "geprüft",
  resolved: "erledigt",
  dismissed: "abgewiesen",
};

function codesLeft(remaining: number): string {
  if (remaining === 0) return "Es war der letzte.";
  return remaining === 1 ? "Einer ist übrig." : `${remaining} sind übrig.`;
}
