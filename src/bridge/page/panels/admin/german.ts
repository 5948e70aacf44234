/** The server's own settings and built-in roles in German: by key, and by the English words. */

export const SETTINGS: Readonly<Record<string, string>> = {
  "gps.current_cache_seconds": "Wie lange eine aktuelle Position im Speicher bleibt, in Sekunden",
  "gps.rate_limit_requests": "POST /v1/gps: Anfragen je Zugang und Zeitfenster",
  "gps.rate_limit_window_seconds": "POST /v1/gps: Länge des Zeitfensters in Sekunden",
  "gps.retention_days":
    "Ältere Positionen werden nach so vielen Tagen gelöscht, außer denen von Fahrten; 0 behält alle",
  "gps.max_future_seconds": "Wie weit eine Position der Uhr des Servers voraus sein darf, in Sekunden",
  "ingest.positions_per_minute":
    "Positionen, die ein Zugang je Minute in Stapeln, von Apps und Trackern bringen darf",
  "ingest.max_future_seconds":
    "Wie weit Positionen von Apps, Trackern und Dateien der Uhr des Servers voraus sein dürfen, in Sekunden",
  "changes.retention_hours": "Wie lange Änderungen nachgelesen werden können, in Stunden",
  "changes.max_rows": "So viele Änderungen bleiben höchstens zum Nachlesen",
  "geofence.exit_margin_m": "So weit außerhalb des Radius einer Zone gilt sie als verlassen, in Metern",
  "geofence.max_accuracy_m":
    "Ungenauere Positionen zählen für keine Zone ohne eigene Grenze, in Metern; 0: alle zählen",
  "geofence.event_retention_days": "Ältere Übertritte werden nach so vielen Tagen gelöscht; 0 behält alle",
  "alerts.retention_days": "Alarme werden so viele Tage nach ihrem Ende gelöscht; 0 behält alle",
  "alerts.delivery_retention_days": "Ältere Zustellungen werden nach so vielen Tagen gelöscht; 0 behält alle",
  "trip.history_position_max_age_seconds":
    "Älteste Position, die ein Wechsel des Zustands mitnimmt, in Sekunden",
  "audit.retention_days":
    "Ältere Ereignisse des Protokolls werden nach so vielen Tagen gelöscht; 0 behält alle, sonst mindestens 30. Nur Super Admins ändern das",
  "pegel.default_radius_km": "Umkreis, in dem der nächste Pegel gesucht wird, in km",
  "pegel.history_days": "Ältere Wasserstände werden nach so vielen Tagen gelöscht; 0 behält alle",
  "vessels.radius_km": "So weit von der neuesten Position sind Schiffe in der Nähe, in km",
  "vessels.broadcast_seconds": "Kürzeste Zeit zwischen zwei Meldungen der Schiffe, in Sekunden",
  "accounts.deletion_grace_days": "Tage vom Wunsch, ein Konto zu löschen, bis zur Löschung",
  "export.log_retention_days":
    "Ältere Protokolle von Exporten werden nach so vielen Tagen gelöscht; 0 behält alle",
};

export const ROLES: Readonly<Record<string, string>> = {
  "Owner of the installation: may do everything": "Besitzt die Installation: darf alles",
  "May do everything except what only a super admin may":
    "Darf alles, was nicht Super Admins vorbehalten ist",
  "Every registered user": "Alle, die sich registriert haben",
  "Looks after a community": "Kümmert sich um eine Gemeinschaft",
  "Builds on the API": "Entwickelt mit der Schnittstelle",
  "For keys that only read": "Für Schlüssel, die nur lesen",
  "For other services of the installation": "Für andere Dienste der Installation",
};

/** A text of the server's in the reader's language; one that an operator wrote stays as it is. */
export const wordsIn = (
  locale: "en" | "de",
  table: Readonly<Record<string, string>>,
  key: string,
  text: string,
): string => (locale === "de" ? (table[key] ?? text) : text);
