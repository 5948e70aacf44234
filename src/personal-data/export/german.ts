import type { AuditEventType } from "../../identity/audit/event-types";
import { lazy } from "../../kernel/values/lazy";
import type { Words } from "./words";

const EVENTS: Record<AuditEventType, string> = {
  login: "Angemeldet",
  login_failed: "Eine Anmeldung mit Passwort wurde abgewiesen",
  reauthenticated: "Die Identität wurde erneut bestätigt",
  logout: "Abgemeldet",
  session_created: "Eine Sitzung wurde eröffnet",
  session_revoked: "Eine Sitzung wurde beendet",
  "2fa_enabled": "Die Zwei-Faktor-Authentifizierung wurde eingeschaltet",
  "2fa_disabled": "Die Zwei-Faktor-Authentifizierung wurde ausgeschaltet",
  "2fa_verified": "Ein zweiter Faktor wurde geprüft",
  "2fa_locked": "Zu viele falsche Codes haben die Anmeldung mit dem zweiten Faktor gesperrt",
  "2fa_unlocked": "Die Anmeldung mit dem zweiten Faktor wurde wieder freigegeben",
  "2fa_backup_codes_regenerated": "Die Backup-Codes wurden ersetzt",
  password_changed: "Das Passwort wurde geändert",
  password_reset_requested: "Ein neues Passwort wurde angefordert",
  user_created: "Das Konto wurde angelegt",
  user_updated: "Etwas am Konto wurde geändert",
  user_deleted: "Das Konto wurde gelöscht",
  user_banned: "Das Konto wurde gesperrt",
  user_unbanned: "Die Sperre wurde aufgehoben",
  user_deletion_scheduled: "Die Löschung des Kontos wurde vorgemerkt",
  user_deletion_cancelled: "Die Löschung des Kontos wurde zurückgenommen",
  account_linked: "Ein Plattformkonto wurde verknüpft",
  account_reconnected: "Eine Integration wurde wieder verbunden",
  account_unlinked: "Ein Plattformkonto wurde gelöst",
  data_exported: "Die eigenen Daten wurden exportiert",
  audit_reported: "Eine Aktivität wurde gemeldet",
  platform_updated: "Eine Einstellung einer Plattform wurde geändert",
  client_created: "Eine OAuth-Anwendung wurde angelegt",
  client_updated: "Eine OAuth-Anwendung wurde geändert",
  client_secret_regenerated: "Eine OAuth-Anwendung bekam ein neues Geheimnis",
  client_deleted: "Eine OAuth-Anwendung wurde gelöscht",
  api_key_created: "Ein API-Schlüssel wurde angelegt",
  api_key_updated: "Ein API-Schlüssel wurde geändert",
  api_key_revoked: "Ein API-Schlüssel wurde ungültig",
  alert_acknowledged: "Alarm bestätigt",
  anchor_watch_set: "Ankerwache gesetzt",
  anchor_watch_ended: "Ankerwache beendet",
  alert_rule_created: "Alarmregel angelegt",
  alert_rule_updated: "Alarmregel geändert",
  alert_rule_deleted: "Alarmregel gelöscht",
  invitation_created: "Jemanden eingeladen",
  invitation_accepted: "Einladung angenommen",
  invitation_revoked: "Einladung zurückgezogen",
  device_shared: "Ein Gerät wurde mit dir geteilt",
  device_unshared: "Ein Gerät wird nicht mehr mit dir geteilt",
  share_link_created: "Ein Link wurde angelegt",
  share_link_ended: "Ein Link wurde beendet",
  tracker_created: "Ein Tracker wurde angelegt",
  tracker_updated: "Ein Tracker wurde geändert",
  tracker_deleted: "Ein Tracker wurde gelöscht",
  box_created: "Eine Box wurde angelegt",
  box_updated: "Eine Box wurde geändert",
  box_token_rotated: "Eine Box bekam ein anderes Token",
  box_deleted: "Eine Box wurde gelöscht",
  notification_target_created: "Ein Benachrichtigungsziel wurde angelegt",
  notification_target_updated: "Ein Benachrichtigungsziel wurde geändert",
  notification_target_secret_rotated: "Ein Webhook bekam ein neues Geheimnis",
  notification_target_deleted: "Ein Benachrichtigungsziel wurde gelöscht",
  trip_log_deleted: "Eine Fahrt wurde mit ihrem Logbuch gelöscht",
  role_created: "Eine Rolle wurde angelegt",
  role_updated: "Eine Rolle wurde geändert",
  role_deleted: "Eine Rolle wurde gelöscht",
  role_assigned: "Eine Rolle wurde zugewiesen",
  role_removed: "Eine Rolle wurde entzogen",
  permission_created: "Eine Berechtigung wurde angelegt",
  setting_updated: "Eine Einstellung wurde geändert",
  positions_imported: "Positionen aus einer Datei importiert",
  consent_granted: "Einer Anwendung wurde zugestimmt",
  consent_revoked: "Die Zustimmung zu einer Anwendung wurde widerrufen",
  oauth_grant_created: "An einer Anwendung angemeldet",
  oauth_grant_ended: "Eine Anmeldung an einer Anwendung wurde beendet",
  signing_key_rotated: "Ein Schlüssel, der Anmeldungen unterschreibt, wurde ersetzt",
  bot_command_executed: "Ein Bot hat einen Befehl ausgeführt",
  bot_guild_configured: "Ein Bot wurde für eine Gilde eingerichtet",
  moderation_action: "Ein Bot hat moderiert",
};

const number = lazy(() => new Intl.NumberFormat("de-DE"));

export const german: Words = {
  title: (site) => `Deine Daten auf ${site}`,
  subtitle: (username, at) => `${username} · exportiert am ${at}`,
  intro:
    "Was diese Installation über dich speichert, in Kürze. Alles davon steht in der Datei data.json neben dieser. Passwörter, Schlüssel und Codes sind nicht zu sehen: Sie werden nur als Einweg-Hash oder verschlüsselt gespeichert. Zeiten sind in UTC.",
  page: (current, all) => `Seite ${current} von ${all}`,
  none: "Keine",
  yes: "Ja",
  no: "Nein",
  never: "Nie",
  shown: (shown, all) =>
    shown < all ? `Die neuesten ${shown} von ${number().format(all)}` : `Insgesamt ${number().format(all)}`,
  sections: {
    account: "Konto",
    accounts: "Plattformkonten",
    roles: "Rollen",
    twoFactor: "Zwei-Faktor-Authentifizierung",
    apiKeys: "API-Schlüssel",
    connectedApps: "Verbundene Anwendungen",
    ownedApps: "Eigene Anwendungen",
    sessions: "Offene Sitzungen",
    events: "Aktivität",
    exports: "Frühere Exporte",
    deletion: "Löschung",
  },
  fields: {
    username: "Benutzername",
    id: "Kennung",
    email: "E-Mail-Adresse",
    created: "Angelegt",
    lastLogin: "Letzte Anmeldung",
    locale: "Sprache",
    privacyMode: "Privatsphäre-Modus",
    platform: "Plattform",
    name: "Name",
    primary: "Primär",
    enabled: "Eingeschaltet",
    enabledAt: "Seit",
    backupCodes: "Verbleibende Backup-Codes",
    prefix: "Beginnt mit",
    scopes: "Rechte",
    expires: "Läuft ab",
    lastUsed: "Zuletzt benutzt",
    connected: "Verbunden",
    type: "Art",
    active: "Aktiv",
    device: "Gerät",
    address: "Adresse",
    lastActive: "Zuletzt aktiv",
    when: "Wann",
    what: "Was",
    where: "Von wo",
    result: "Ergebnis",
    size: "Größe",
    language: "Sprache",
    scheduled: "Vorgemerkt für",
  },
  unknownDevice: "Unbekanntes Gerät",
  clientTypes: { public: "öffentlich", confidential: "vertraulich" },
  status: { success: "Erfolgt", failure: "Abgewiesen" },
  languages: { en: "Englisch", de: "Deutsch" },
  events: EVENTS,
  readme: (site, at) => `Deine Daten auf ${site}
Exportiert am ${at}

Dieses Archiv enthält, was diese Installation über dich speichert.

data.json    Alles davon, für Programme: Konto, Plattformkonten, Rollen,
             Zwei-Faktor-Status, API-Schlüssel, Tracker,
             Benachrichtigungsziele, Anwendungen, Sitzungen,
             Logbucheinträge, Aktivität, Meldungen, Sperren und frühere
             Exporte. Zeiten stehen in ISO 8601, in UTC.
report.pdf   Eine Übersicht zum Lesen. Lange Listen sind auf ihre neuesten
             Einträge gekürzt.

Passwörter, Sitzungs-Token, API-Schlüssel, Token von Trackern, Geheimnisse und
Token von Benachrichtigungszielen, Geheimnisse von Anwendungen und die deiner
Authenticator-App sind nicht enthalten: Diese Installation speichert sie nur als Einweg-Hash oder verschlüsselt und zeigt sie
niemandem. Von jedem API-Schlüssel und Tracker findest du den Namen und die
ersten Zeichen.

Behandle dieses Archiv vertraulich: Es enthält Adressen, von denen aus du dich
angemeldet hast.
`,
};
