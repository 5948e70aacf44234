import type { Table } from "./table";

/** Refusals of the API in German, by the words in which it tells them. */

const AGAIN = "Warte einen Augenblick und versuche es dann noch einmal.";
const LESS = "Lösche zuerst etwas.";

export const GERMAN: Table = {
  fields: {
    avatar_url: "Bild",
    base_url: "Adresse des Servers",
    chat_id: "Chat",
    code: "Code",
    current_password: "Jetziges Passwort",
    device_ids: "Geräte",
    description: "Beschreibung",
    email: "E-Mail-Adresse",
    expires_at: "Ende",
    from: "Von",
    geometry: "Form",
    key: "Schlüssel",
    latitude: "Breite",
    locale: "Sprache",
    longitude: "Länge",
    message: "Text",
    name: "Name",
    new_password: "Neues Passwort",
    passkey: "Passkey",
    password: "Passwort",
    radius_km: "Radius",
    radius_m: "Radius",
    reason: "Grund",
    schedule: "Zeiten",
    server_url: "Server",
    target_ids: "Empfänger",
    text: "Text",
    timezone: "Zeitzone",
    to: "Bis",
    topic: "Thema",
    url: "Adresse",
    username: "Benutzername",
    value: "Wert",
    warning_radius_m: "Warnradius",
  },
  faults: {
    "is among the most common passwords": "gehört zu den häufigsten Passwörtern: Wähle ein anderes",
    "is no notification target": "ist kein Empfänger",
    "is not the current password": "stimmt nicht",
    "is opposite to the point before: there is no shortest way to it":
      "liegt dem Punkt davor genau gegenüber: Setze einen dazwischen",
    "is required": "fehlt",
    "was not accepted": "wurde nicht angenommen: Versuche es noch einmal",
    "is required where there is no data": "fehlt",
    "is there twice": "ist doppelt",
    "is wrong": "stimmt nicht",
    "is wrong, or was used already": "stimmt nicht oder wurde schon benutzt: Warte auf den nächsten Code",
    "must be a UUID": "ist keine Kennung",
    "must be a date and time in ISO 8601, such as 2026-05-04T09:30:00Z": "ist keine Zeit",
    "must be a time zone of the IANA database, such as Europe/Berlin":
      "muss eine Zeitzone sein, etwa Europe/Berlin",
    "must be an IP address": "muss eine IP-Adresse sein",
    "must be an absolute URL": "muss eine Adresse sein, die mit http:// oder https:// beginnt",
    "must be an absolute http or https URL without user and password":
      "muss eine Adresse sein, die mit http:// oder https:// beginnt, ohne Benutzer und Passwort",
    "must be an email address": "muss eine E-Mail-Adresse sein",
    "must be at most 16 KiB of JSON": "ist zu lang",
    "must be at most a year ahead": "darf höchstens ein Jahr voraus liegen",
    "must be in the future": "muss in der Zukunft liegen",
    "must be smaller than radius_m": "muss kleiner sein als der Radius",
    "must be somebody else": "muss jemand anderes sein",
    "must be true or false": "muss ja oder nein sein",
    "must have no query and no fragment": "darf weder ? noch # enthalten",
    "must not be after to": "darf nicht nach dem Ende liegen",
    "must not be before from": "darf nicht vor dem Anfang liegen",
    "must not contain the username": "darf den Benutzernamen nicht enthalten",
    "names no device": "gibt es nicht mehr",
    "names no permission": "gibt es nicht",
    "names no role": "gibt es nicht mehr",
    "names no trip": "gibt es nicht mehr",
    "names no trip category": "gibt es nicht mehr",
    "names no user": "gibt es nicht: Prüfe den Namen",
    "names no zone": "gibt es nicht mehr",
  },
  faultPatterns: [
    [/^must be a (?:whole )?number from (\S+) to (\S+?)(?:, or null)?$/, "muss von $1 bis $2 sein"],
    [/^must be a (?:whole )?number of at least (\S+?)(?:, or null)?$/, "muss mindestens $1 sein"],
    [/^must be a (?:whole )?number of at most (\S+?)(?:, or null)?$/, "darf höchstens $1 sein"],
    [
      /^must be a (?:whole )?number above (\S+) and at most (\S+?)(?:, or null)?$/,
      "muss über $1 und höchstens $2 sein",
    ],
    [/^must be a (?:whole )?number above (\S+?)(?:, or null)?$/, "muss über $1 sein"],
    [/^must be a whole number(?:, or null)?$/, "muss eine ganze Zahl sein"],
    [/^must be a number(?:, or null)?$/, "muss eine Zahl sein"],
    [/^must be a string of (\d+) to (\d+) characters(?:, or null)?$/, "muss $1 bis $2 Zeichen haben"],
    [/^must be a string of at least (\d+) characters(?:, or null)?$/, "muss mindestens $1 Zeichen haben"],
    [/^must be a string of at most (\d+) characters(?:, or null)?$/, "darf höchstens $1 Zeichen haben"],
    [/^must be an array of at most (\d+) items(?:, or null)?$/, "darf höchstens $1 Einträge haben"],
    [/^must be an array of (\d+) to (\d+) items(?:, or null)?$/, "muss $1 bis $2 Einträge haben"],
    [/^must be one of (.+?)(?:, or null)?$/, "muss eines davon sein: $1"],
    [/^is more than (\d+) seconds in the future$/, "liegt mehr als $1 Sekunden in der Zukunft"],
    [/^is one corner more than (\S+)$/, "ist eine Ecke zu viel: höchstens $1"],
    [/^is one point more than (\S+)$/, "ist ein Punkt zu viel: höchstens $1"],
    [
      /^must close a ring of at least (\S+) different corners$/,
      "braucht mindestens $1 Ecken, die verschieden sind",
    ],
    [/^is (?:more than .* from the middle of its polygon, which is too large)$/, "macht die Fläche zu groß"],
    [
      /^belongs to a ring around the (North|South) Pole, which no zone may have: use a circle$/,
      "gehört zu einer Fläche um den Pol: Nimm dort einen Kreis",
    ],
    [/^must be at most (\d+) days after from$/, "darf höchstens $1 Tage nach dem Anfang liegen"],
    [/^is required for (.+)$/, "fehlt"],
    [/^may hold (.+) alone in braces$/, "darf in Klammern nur das enthalten: $1"],
  ],
  messages: {
    // Sign-in and accounts.
    "The identifier or the password is wrong": "Name oder Passwort stimmen nicht.",
    "The token or the code is wrong, was used, or has expired":
      "Der Code stimmt nicht, wurde schon benutzt oder gilt nicht mehr. Nimm den nächsten.",
    "The session has ended; sign in again": "Deine Sitzung ist zu Ende. Melde dich noch einmal an.",
    "The token is not valid, or has ended": "Deine Sitzung ist zu Ende. Melde dich noch einmal an.",
    "The credential has ended": "Deine Sitzung ist zu Ende. Melde dich noch einmal an.",
    "Too many sign-ins at once; try again in a moment": `Gerade melden sich zu viele an. ${AGAIN}`,
    "The passkey was not accepted; ask for a new challenge":
      "Der Passkey wurde nicht angenommen. Versuche es noch einmal oder nimm einen anderen Weg.",
    "This account has no passkey": "Dieses Konto hat keinen Passkey. Nimm einen anderen Weg.",
    "This passkey is registered already": "Diesen Passkey gibt es hier schon.",
    "This is the last way in: without it nobody could sign in to the account any more":
      "Das ist der letzte Weg in dein Konto. Füge zuerst einen anderen hinzu: ein Passwort, einen Passkey oder einen Anbieter.",
    "This email address is in use": "Diese E-Mail-Adresse hat schon jemand anderes.",
    "This is already the account's email address": "Das ist schon die Adresse dieses Kontos.",
    "This username is taken": "Diesen Benutzernamen hat schon jemand anderes. Wähle einen anderen.",
    "This username or email address was taken meanwhile":
      "Diesen Namen oder diese Adresse hat inzwischen jemand anderes.",
    "A registration with this username or email address waits for its verification":
      "Eine Anmeldung mit diesem Namen oder dieser Adresse wartet noch auf ihre Bestätigung.",
    "The verification email could not be sent; try again later":
      "Die E-Mail zur Bestätigung ließ sich nicht verschicken. Versuche es später noch einmal.",
    "Two-factor authentication is already on": "Der zweite Faktor ist schon eingerichtet.",
    "Two-factor authentication is not on": "Es ist kein zweiter Faktor eingerichtet.",
    "The set-up has expired; start again with POST /v1/users/me/2fa/setup":
      "Das Einrichten hat zu lange gedauert. Beginne noch einmal.",
    "There is no set-up to complete; start with POST /v1/users/me/2fa/setup":
      "Das Einrichten wurde abgebrochen. Beginne noch einmal.",
    "Too many wrong codes were entered: reset the password by email, or ask an administrator to unlock two-factor authentication":
      "Zu viele falsche Codes. Setze das Passwort per E-Mail zurück oder lass den zweiten Faktor von der Verwaltung entsperren.",
    "An export of this account is under way; wait until it is done":
      "Ein Export läuft schon. Warte, bis er fertig ist.",
    "The export could not be made": "Der Export ist nicht gelungen. Versuche es noch einmal.",
    "The deletion of this account is already scheduled": "Dieses Konto wird schon gelöscht.",
    "No deletion of this account is scheduled": "Dieses Konto wird nicht gelöscht.",
    "This account has already been deleted for good": "Dieses Konto ist schon endgültig gelöscht.",
    // The first start.
    "There is an administrator already: sign in":
      "Es gibt schon ein erstes Konto. Lade die Seite neu und melde dich an.",
    "The code has ended: make another one": "Der Code gilt nicht mehr. Lass einen anderen zeigen.",
    "The code has ended meanwhile: make another one": "Der Code gilt nicht mehr. Lass einen anderen zeigen.",
    "The code is wrong, and was tried too often: make another one":
      "Der Code stimmt nicht und wurde zu oft versucht. Lass einen anderen zeigen.",
    "The code that was shown last is still good": "Der zuletzt gezeigte Code gilt noch.",
    "Open this page by the server's address in your network, or set server.public_url to the address that you use":
      "Öffne diese Seite unter der Adresse des Servers in deinem Netz, oder setze server.public_url auf die Adresse, die du benutzt.",
    // Rights.
    "This needs an administrator": "Das darf nur die Verwaltung.",
    "You lost permissions while this was under way": "Dir wurde inzwischen ein Recht entzogen.",
    "Only a super admin can do this with the role Super Admin":
      "Die Rolle Super Admin vergibt und entzieht nur, wer sie selbst hat.",
    "This is the last super admin; give the role to somebody else first":
      "Das ist der letzte Super Admin. Gib die Rolle zuerst jemand anderem.",
    "This role grants permissions that you don't hold": "Diese Rolle gibt Rechte, die du selbst nicht hast.",
    "This user holds permissions that you don't hold": "Dieses Konto hat Rechte, die du selbst nicht hast.",
    "This key grants permissions that you don't hold":
      "Dieser Schlüssel gibt Rechte, die du selbst nicht hast.",
    "You can only add and remove permissions that you hold":
      "Du kannst nur Rechte vergeben, die du selbst hast.",
    "Only a super admin can change this role": "Diese Rolle ändert nur ein Super Admin.",
    "Only a super admin can change this entry": "Diesen Eintrag ändert nur ein Super Admin.",
    "Only a super admin can regenerate a system key": "Einen Systemschlüssel erneuert nur ein Super Admin.",
    "A role that came with Fairlead cannot be deleted":
      "Eine Rolle, die Fairlead mitbringt, lässt sich nicht löschen.",
    "A role with this name already exists": "Eine Rolle mit diesem Namen gibt es schon.",
    "A key's scopes cannot exceed your own permissions":
      "Ein Schlüssel kann nicht mehr Rechte haben als du selbst.",
    "A system key cannot be deleted": "Ein Systemschlüssel lässt sich nicht löschen.",
    "A system key holds everything; it has no scopes to change":
      "Ein Systemschlüssel darf alles: An seinen Rechten lässt sich nichts ändern.",
    "This user is already banned": "Dieses Konto ist schon gesperrt.",
    "You cannot ban yourself": "Dich selbst kannst du nicht sperren.",
    "Your own share rests on the rights of this user":
      "Was du selbst siehst, hängt an den Rechten dieses Kontos.",
    "This device is shared with you at a lower level":
      "Dieses Gerät ist für dich nur zum Ansehen freigegeben.",
    "Whoever manages a device by a share may change neither external_id nor api_key_id":
      "Die Kennung bei einem anderen Dienst darfst du an einem geteilten Gerät nicht ändern.",
    "Sharing a device needs the permission devices:write, or a share that manages it":
      "Ein Gerät teilt nur, wer es verwalten darf.",
    // Devices, zones, trips.
    "Another device has this external_id": "Diese Kennung hat schon ein anderes Gerät.",
    "Another active trip with GPS logging already runs on this device":
      "Auf diesem Gerät läuft schon eine Fahrt. Beende sie zuerst.",
    "The device is gone": "Das Gerät gibt es nicht mehr.",
    "The device has sent no position yet: give latitude and longitude of the anchor":
      "Das Gerät hat noch keine Position gemeldet. Gib den Ort des Ankers selbst an.",
    "A strike can't be struck out: write another entry":
      "Eine Streichung lässt sich nicht streichen. Schreibe einen neuen Eintrag.",
    "This entry is struck out already": "Dieser Eintrag ist schon gestrichen.",
    "Too many logs are being printed; try again in a moment": `Gerade werden zu viele Blätter gedruckt. ${AGAIN}`,
    "Too many tracks are being read; try again in a moment": `Gerade werden zu viele Strecken gelesen. ${AGAIN}`,
    "Too many imports are under way; try again in a moment": `Gerade laufen zu viele Importe. ${AGAIN}`,
    "Too many files are being sent; try again when one is done": `Gerade werden zu viele Dateien geschickt. ${AGAIN}`,
    "The file breaks off, or is not compressed by gzip":
      "Die Datei bricht ab oder ist nicht mit gzip gepackt.",
    "either these or a trip_id must be given": "Wähle mindestens ein Gerät.",
    "Too many downloads wait to be opened; try again in a minute": `Zu viele Dateien warten. ${AGAIN}`,
    // Alerts.
    "By a share, a rule tells the default targets, or nobody":
      "Mit geteilten Geräten meldet eine Regel an die Standardempfänger oder an niemanden.",
    "A later message about the same alert has overtaken this one":
      "Eine spätere Nachricht über denselben Alarm hat diese überholt.",
    "The target is switched off or deleted": "Der Empfänger ist abgeschaltet oder gelöscht.",
    "Webhooks alone have a secret that can be rotated":
      "Nur Webhooks haben ein Geheimnis, das sich erneuern lässt.",
    // The server.
    "Water levels are not enabled (pegel.enabled)": "Wasserstände sind nicht eingeschaltet (pegel.enabled).",
    "A backup is being made": "Eine Sicherung läuft schon. Warte, bis sie fertig ist.",
    "The installation could not be examined; call `fairlead doctor`":
      "Die Prüfung ist nicht gelungen. Rufe auf dem Server `fairlead doctor` auf.",
    "A setting with this key already exists": "Eine Einstellung mit diesem Schlüssel gibt es schon.",
    "This event has already been reported": "Dieses Ereignis ist schon gemeldet.",
    "This connection was not started here, was already completed, or took too long; start again":
      "Die Verbindung wurde nicht hier begonnen oder hat zu lange gedauert. Beginne noch einmal.",
    "The server cannot store or read data now; try again later":
      "Der Server kann gerade nichts speichern: Vielleicht ist die Platte voll. Versuche es später noch einmal.",
    "At least one field is required": "Es wurde nichts geändert.",
    "A public client has no secret": "Ein öffentlicher Client hat kein Geheimnis.",
    "Only the client's owner or an administrator may do this":
      "Das darf nur, wem der Client gehört, oder die Verwaltung.",
    "Only a super admin can set is_first_party": "Einen eigenen Client legt nur ein Super Admin fest.",
    "Only a super admin can change this field of a first-party client":
      "Das ändert an einem eigenen Client nur ein Super Admin.",
  },
  messagePatterns: [
    [
      /^Line (\d+): (.+?)\. Until there: positions (\d+), .*$/,
      "Ab Zeile $1 ist die Datei nicht zu lesen. Was davor steht, ist übernommen: $3 Positionen. ($2)",
    ],
    [
      /^This needs a sign-in of the last (\d+) minutes: sign in again .*$/,
      "Dazu darf deine Anmeldung höchstens $1 Minuten her sein: Melde dich ab und wieder an.",
    ],
    [
      /^This needs the permission (\S+)$/,
      "Das darf dein Konto nicht: Ihm fehlt das Recht $1. Bitte die Verwaltung darum.",
    ],
    [
      /^Too many .+?; try again in (\d+) s$/,
      "Das war zu oft. Warte $1 Sekunden und versuche es dann noch einmal.",
    ],
    [/^The code is wrong; tries left: (\d+)$/, "Der Code stimmt nicht. Versuche, die bleiben: $1."],
    [
      /^Something went wrong; the request id is (\S+)$/,
      "Auf dem Server ging etwas schief. Versuche es noch einmal. Bleibt es dabei, steht mehr im Protokoll des Servers unter $1.",
    ],
    [
      /^A trip that is (\S+) cannot be deleted$/,
      "Eine laufende Fahrt lässt sich nicht löschen. Beende sie zuerst.",
    ],
    [
      /^A trip that is (\S+) cannot become (\S+)$/,
      "Die Fahrt hat inzwischen einen anderen Stand. Lade die Ansicht neu.",
    ],
    [
      /^This invitation is (\S+); only a pending one can be revoked$/,
      "Diese Einladung ist nicht mehr offen. Lade die Ansicht neu.",
    ],
    [
      /^Only a delivery that waits or failed can be tried again; this one is (\S+)$/,
      "Diese Nachricht ist inzwischen angekommen.",
    ],
    [
      /^Nobody shares longer than they see: your share ends at (\S+)$/,
      "Du kannst nicht länger teilen, als du selbst siehst: bis $1.",
    ],
    [
      /^Nobody (?:shares|shows) more than they see: this (?:level|link) needs (.+) too$/,
      "Du kannst nicht mehr zeigen, als du selbst siehst: Dir fehlt $1.",
    ],
    [
      /^A rule tells no more than its maker may see: this one needs (.+)$/,
      "Eine Regel meldet nicht mehr, als du selbst siehst: Dir fehlt $1.",
    ],
    [
      /^(?:A user|A device|A location|There) can (?:have|be shared with|be) at most (\S+) (?:.+); (?:delete one|end a share|revoke one) first$/,
      `Mehr als $1 gehen nicht. ${LESS}`,
    ],
    [
      /^At most (\d+) invitations can wait; revoke one first$/,
      "Mehr als $1 Einladungen können nicht offen sein. Nimm zuerst eine zurück.",
    ],
    [
      /^An account has at most (\d+) passkeys; remove one first$/,
      "Mehr als $1 Passkeys kann ein Konto nicht haben. Entferne zuerst einen.",
    ],
    [/^The (?:request body|file) is larger than (\d+) bytes$/, "Das ist zu groß: höchstens $1 Byte."],
    [
      /^A sheet holds at most (\d+) entries and .*$/,
      "Für ein Blatt ist das Logbuch zu lang (höchstens $1 Einträge). Nimm es als CSV oder JSON mit.",
    ],
    [
      /^The source of water levels is not available: .*$/,
      "Die Quelle der Wasserstände ist gerade nicht erreichbar. Versuche es später noch einmal.",
    ],
    [/^(.+) is not configured on this server$/, "$1 ist auf diesem Server nicht eingerichtet."],
    [
      /^(.+) is not available; try again later$/,
      "$1 ist gerade nicht erreichbar. Versuche es später noch einmal.",
    ],
    [
      /^Registration(?: through .+)? is switched off$/,
      "Konten kann man sich hier nicht selbst anlegen. Lass dich einladen.",
    ],
    [/^Sign-in through .+ is switched off$/, "Dieser Weg der Anmeldung ist abgeschaltet."],
    [
      /^The search finds more than (\d+) users; .*$/,
      "Das trifft mehr als $1 Konten. Schreibe mehr vom Namen oder der Adresse.",
    ],
    [
      /^The secret was rotated (\d+) times in 24 hours; it can be again from (\S+)$/,
      "Das Geheimnis wurde heute schon $1-mal erneuert. Wieder ab $2.",
    ],
    [/^leaves more than (\S+) points: .*$/, "Das sind mehr als $1 Punkte. Nimm eine Datei."],
  ],
};
