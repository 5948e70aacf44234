import type { Steps } from "./instructions";

export const german: Steps = {
  shownOnce:
    "Das Token wird nur jetzt gezeigt; geht es verloren, lege einen anderen Tracker an und lösche diesen.",
  inClear:
    "Warnung: Die Adresse beginnt mit http und führt durch das Internet, wo andere das Token und die Positionen mitlesen können. Nimm https.",
  owntracks: ({ url, username, token, encryptionKey, sendsZones }) => [
    "Erlaube in OwnTracks zuerst die Konfiguration durch Links: auf Android unter Einstellungen, Erweitert; auf iOS in den Einstellungen der App.",
    "Öffne den Link auf dem Telefon, oder scanne den QR-Code mit der Kamera.",
    `Oder trage es von Hand ein: Modus HTTP, URL ${url}, Anmeldung an, Benutzername ${username}, Passwort ${token}.`,
    ...(encryptionKey === null ? [] : [`Trage ${encryptionKey} als Schlüssel der Verschlüsselung ein.`]),
    "Wähle unterwegs den Modus Move: Die anderen melden nur alle paar hundert Meter.",
    ...(sendsZones
      ? ["Die Zonen kommen mit den Antworten: Lass Fernbefehle erlaubt, und erlaube sie auf iOS."]
      : []),
    "Um das Token später zu ersetzen, ändere nur das Passwort: Mit einer anderen Adresse verwirft die App, was noch nicht gesendet ist.",
  ],
  traccar_client: ({ url }) => [
    "Öffne den Link auf dem Telefon, oder scanne den QR-Code.",
    `Oder trage ${url} in Traccar Client als Adresse des Servers ein; die Gerätekennung ist beliebig.`,
    "Lass den Offline-Puffer an, und wähle für ein Schiff die höchste Genauigkeit.",
    "Schalte die Verfolgung ein.",
  ],
  osmand: ({ url }) => [
    "Schalte in OsmAnd das Plugin Streckenaufzeichnung ein.",
    `Trage in dessen Einstellungen unter Online-Tracking ${url} als Web-Adresse ein.`,
    "Wähle den längsten Zeitpuffer: OsmAnd verwirft ältere Positionen, und was es im Speicher hat, wenn es endet.",
    "Starte die Aufzeichnung mit Online-Tracking.",
  ],
  overland: ({ url, token }) => [
    "Öffne den Link auf dem Telefon, oder scanne den QR-Code mit der Kamera.",
    `Oder trage in Overlands Einstellungen ${url} als Receiver Endpoint und ${token} als Access Token ein.`,
    "Wähle den Modus „All Data“; „Only Latest“ und „OwnTracks“ verlieren Positionen.",
  ],
  gpslogger: ({ base, url, username, token }) => [
    `Wähle mit GPSLogger 136 oder neuer Automatisches Senden, Dawarich: Adresse ${base}/v1/ingest/dawarich, API-Schlüssel ${token}. Es behält, was es nicht senden konnte.`,
    `Mit einem älteren wähle Protokollieren an eigene URL: URL ${url}, Methode POST, Basic-Anmeldung mit Benutzername ${username} und Passwort ${token}.`,
    "Erlaube dort das automatische Senden der Datei: Ein Punkt, der viermal scheiterte, ist sonst verloren. Was doppelt kommt, schadet nicht.",
  ],
  traccar_server: ({ url, token }) => [
    "Füge diese Zeilen in traccar.xml ein, und starte Traccar neu:",
    "<entry key='forward.type'>json</entry>",
    `<entry key='forward.url'>${url}</entry>`,
    `<entry key='forward.header'>Authorization: Bearer ${token}</entry>`,
    "<entry key='forward.retry.enable'>true</entry>",
    "<entry key='forward.retry.count'>15</entry>",
    "<entry key='forward.retry.limit'>10000</entry>",
    "Gib hier jedem Gerät seine Kennung in Traccar (uniqueId) als external_id; andere werden gezählt und übergangen.",
  ],
  generic: ({ url, token }) => [
    `Sende POST-Anfragen an ${url} mit der Kopfzeile Authorization: Bearer ${token}.`,
    'Der Körper ist {"latitude": 54.0967, "longitude": 13.4553, "timestamp": 1777887000}, ein Array davon oder GeoJSON-Punkte mit timestamp; die Zeit in Unix-Sekunden oder ISO 8601.',
    "Behalte, was nicht mit 200 beantwortet wurde, und sende es noch einmal: Was doppelt kommt, wird einmal gespeichert.",
  ],
};
