import { lazy } from "../../kernel/values/lazy";
import { masked } from "./masked";
import type { Language } from "./templates";

// Lazy: the formatter takes ten milliseconds the first time.
const date = lazy(
  () => new Intl.DateTimeFormat("de-DE", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
);

export const german: Language = {
  greeting: (username) => (username === null ? "Hallo," : `Hallo ${username},`),
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
      case "invitation":
        return {
          subject: `Deine Einladung zu ${site}`,
          paragraphs: [
            content.invitedBy === null
              ? `Du bist zu ${site} eingeladen. Wähle einen Benutzernamen und ein Passwort, um dein Konto anzulegen.`
              : `${content.invitedBy} lädt dich zu ${site} ein. Wähle einen Benutzernamen und ein Passwort, um dein Konto anzulegen.`,
            `Der Link gilt einmal, und zwar bis ${time(content.expiresAt)}.`,
          ],
          ...(content.note && { quote: content.note }),
          button: "Konto anlegen",
          otherwise:
            "Falls du damit nichts anfangen kannst, ignoriere diese E-Mail: Ohne den Link entsteht kein Konto.",
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
      case "passkey_added":
        return {
          subject: `Ein Passkey wurde zu deinem Konto auf ${site} hinzugefügt`,
          paragraphs: [
            `Der Passkey „${content.name}“ wurde am ${time(content.at)} zu deinem Konto auf ${site} hinzugefügt. Wer ihn hat, kann sich ohne dein Passwort anmelden.`,
            "Unter „Mein Konto“ siehst du deine Passkeys und kannst sie entfernen.",
          ],
          otherwise:
            "Falls du das nicht warst, entferne den Passkey sofort, beende deine anderen Sitzungen und wähle ein neues Passwort.",
        };
      case "passkey_removed":
        return {
          subject: `Ein Passkey wurde aus deinem Konto auf ${site} entfernt`,
          paragraphs: [
            `Der Passkey „${content.name}“ wurde am ${time(content.at)} aus deinem Konto auf ${site} entfernt. Er öffnet hier nichts mehr; dein Gerät zeigt ihn vielleicht noch, bis du ihn dort löschst.`,
          ],
          otherwise: suspicious,
        };
      case "password_changed":
        return {
          subject: `Dein Passwort für ${site} wurde geändert`,
          paragraphs: [
            `Das Passwort deines Kontos auf ${site} wurde am ${time(content.at)} geändert. Das alte gilt nicht mehr, und die anderen Sitzungen wurden beendet.`,
          ],
          otherwise:
            "Falls du das nicht warst, setze sofort dein Passwort zurück, lösche API-Schlüssel, die du nicht kennst, und sag denen Bescheid, die diese Installation betreiben.",
        };
      case "email_change_requested":
        return {
          subject: `Eine andere E-Mail-Adresse für dein Konto auf ${site}?`,
          paragraphs: [
            `Jemand, hoffentlich du, wollte deinem Konto auf ${site} am ${time(content.at)} die E-Mail-Adresse ${masked(content.address)} geben. Dorthin ging ein Link; bis er benutzt wird, ändert sich nichts.`,
          ],
          otherwise:
            "Falls du das nicht warst, beende sofort deine anderen Sitzungen und ändere dein Passwort: Das nimmt die Anfrage zurück. Und sag denen Bescheid, die diese Installation betreiben.",
        };
      case "email_changed":
        return {
          subject: `Neue E-Mail-Adresse für dein Konto auf ${site}`,
          paragraphs: [
            `Dein Konto auf ${site} hat seit ${time(content.at)} die E-Mail-Adresse ${masked(content.address)}. Angemeldet wird nun mit ihr, und E-Mails zum Konto gehen dorthin.`,
            "Dies ist die letzte E-Mail dazu an diese Adresse.",
          ],
          otherwise:
            "Falls du das nicht warst, sag sofort denen Bescheid, die diese Installation betreiben: Nur sie können dir das Konto zurückgeben.",
        };
      case "api_key_created":
      case "api_key_regenerated":
      case "api_key_widened":
        if (content.isSystem)
          return {
            subject:
              content.kind === "api_key_widened"
                ? `Ein Systemschlüssel gilt länger auf ${site}`
                : `Neuer Wert eines Systemschlüssels auf ${site}`,
            paragraphs: [
              content.kind === "api_key_widened"
                ? `Ein Systemschlüssel von ${site} wurde am ${time(content.at)} eingeschaltet oder gilt seitdem länger:`
                : `Ein Systemschlüssel von ${site} bekam am ${time(content.at)} einen neuen Wert; der alte gilt nicht mehr:`,
              `Er beginnt mit ${content.prefix}. Wer ihn hat, kann auf dieser Installation alles tun, ohne sich anzumelden.`,
            ],
            quote: content.name,
            otherwise:
              "Falls du das nicht warst und auch niemand, mit dem du zusammenarbeitest, gib dem Schlüssel sofort einen neuen Wert, ändere dein Passwort, beende deine anderen Sitzungen, lösche die API-Schlüssel, die du nicht kennst, und sag denen Bescheid, die diese Installation betreiben.",
          };
        return {
          subject: {
            api_key_created: `Neuer API-Schlüssel für dein Konto auf ${site}`,
            api_key_regenerated: `Neuer Wert eines API-Schlüssels auf ${site}`,
            api_key_widened: `Ein API-Schlüssel von dir darf mehr auf ${site}`,
          }[content.kind],
          paragraphs: [
            {
              api_key_created: `Für dein Konto auf ${site} wurde am ${time(content.at)} ein API-Schlüssel angelegt:`,
              api_key_regenerated: `Ein API-Schlüssel deines Kontos auf ${site} bekam am ${time(content.at)} einen neuen Wert; der alte gilt nicht mehr:`,
              api_key_widened: `Ein API-Schlüssel deines Kontos auf ${site} darf seit dem ${time(content.at)} mehr, gilt länger oder ist wieder eingeschaltet:`,
            }[content.kind],
            `Er beginnt mit ${content.prefix}. Wer ihn hat, kann in deinem Namen tun, was er erlaubt, ohne sich anzumelden.`,
            ...(content.silentUntil === null
              ? []
              : [
                  `Es ist einer von vielen neuen oder geänderten Schlüsseln. Bis zum ${time(content.silentUntil)} bekommst du keine weiteren E-Mails zu Schlüsseln, auch wenn noch mehr dazukommen: Sieh in der Liste deiner API-Schlüssel nach.`,
                ]),
          ],
          quote: content.name,
          otherwise:
            "Falls du das nicht warst, lösche den Schlüssel sofort, ändere dein Passwort, beende deine anderen Sitzungen und sag denen Bescheid, die diese Installation betreiben.",
        };
      case "client_secret_changed":
      case "client_redirected":
        return {
          subject: {
            client_secret_changed: `Neues Geheimnis eines OAuth-Clients auf ${site}`,
            client_redirected: `Ein OAuth-Client von dir leitet anderswohin auf ${site}`,
          }[content.kind],
          paragraphs: [
            {
              client_secret_changed: `Ein OAuth-Client deines Kontos auf ${site} bekam am ${time(content.at)} ein neues Geheimnis; das alte gilt nicht mehr. Wer es hat, kann sich als die Anwendung ausgeben:`,
              client_redirected: `Ein OAuth-Client deines Kontos auf ${site} bekam am ${time(content.at)} andere Rücksprungadressen oder einen anderen Typ. Wer unter diesen Adressen sitzt, kann sich als die Benutzer der Anwendung anmelden:`,
            }[content.kind],
            ...(content.silentUntil === null
              ? []
              : [
                  `Es ist eine von vielen Änderungen. Bis zum ${time(content.silentUntil)} bekommst du keine weiteren E-Mails zu Clients, auch wenn noch mehr dazukommen: Sieh in der Liste deiner OAuth-Clients nach.`,
                ]),
          ],
          quote: content.name,
          otherwise:
            "Falls du das nicht warst und auch niemand, den du darum gebeten hast, berichtige den Client und gib ihm sofort ein neues Geheimnis, ändere dein Passwort, beende deine anderen Sitzungen und sag denen Bescheid, die diese Installation betreiben.",
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
      case "two_factor_failures":
        return {
          subject: content.locked
            ? `Anmeldung mit zweitem Faktor ist gesperrt auf ${site}`
            : `Falsche Codes für dein Konto auf ${site}`,
          paragraphs: [
            `${content.failures} falsche Codes nacheinander wurden als zweiter Faktor für dein Konto auf ${site} eingegeben, der letzte am ${time(content.at)}. Wer sie eingegeben hat, kennt dein Passwort oder hat eine deiner Sitzungen.`,
            content.locked
              ? "Vorerst wird kein Code mehr angenommen. Setze dein Passwort über „Passwort vergessen“ zurück, dann geht es wieder, oder frag die Betreiber dieser Installation."
              : "Nach jedem weiteren falschen Code dauert es länger, bis der nächste angenommen wird. Nach hundert wird keiner mehr angenommen, bis du dein Passwort zurücksetzt.",
          ],
          otherwise:
            "Falls du das nicht warst, wähle sofort ein neues Passwort, beende deine anderen Sitzungen und sag denen Bescheid, die diese Installation betreiben.",
        };
      case "password_failures":
        return {
          subject: `Falsche Passwörter für dein Konto auf ${site}`,
          paragraphs: [
            `${content.failures} falsche Passwörter nacheinander wurden in einer Sitzung deines Kontos auf ${site} eingegeben, das letzte am ${time(content.at)}. Wer sie eingegeben hat, ist mit deinem Konto angemeldet oder hat einen deiner API-Schlüssel.`,
            "Nach jedem weiteren falschen Passwort dauert es länger, bis das nächste angenommen wird.",
          ],
          otherwise:
            "Falls du das nicht warst, beende sofort deine anderen Sitzungen, sieh deine API-Schlüssel durch und wähle über „Passwort vergessen“ ein neues Passwort.",
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
