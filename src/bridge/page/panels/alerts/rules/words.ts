import { inLanguages } from "../../../language";
import { duration } from "../../../times";
import { number, speed } from "../../../units";
import { measure } from "../words";
import type { Condition, ConditionType, Rule, Side, SystemMeasure, ZoneEvent } from "./draft";

export const words = inLanguages({
  en: {
    new: "New rule",
    edit: "Rule",
    none: "No rules yet",
    noneHint:
      "A rule says what is to be told: a boat that leaves a zone, a tracker that falls silent, a battery that runs low.",
    save: "Save the rule",
    make: "Make the rule",
    remove: "Delete this rule",
    removeText: "Its open alerts end. Alerts that it raised stay in the list.",
    off: "switched off",
    switchOff: "Switch off",
    switchOn: "Switch on",
    silent: "says nothing",
    silentText:
      "This rule says nothing, since whoever made it may not see any more what it tells. Save it, and it tells what you may see.",
    orphaned: "lost its last device or zone",
    orphanedText:
      "The last device or zone of this rule was deleted, which has switched it off. Choose others and switch it on.",
    name: "Name",
    nameHint: "Such as: Leaves at night",
    severity: "How grave is it?",
    severities: {
      info: "Info: worth knowing",
      warning: "Warning: look at it soon",
      alarm: "Alarm: at once, at any hour",
    },
    what: "What is to be told?",
    types: {
      zone: "A zone is entered or left",
      silence: "A device falls silent",
      speed: "A device is too fast",
      battery: "A battery runs low",
      water_level: "The water is high or low",
      system: "Something is wrong with the installation",
      anchor: "An anchor watch alerts",
    } satisfies Record<ConditionType, string>,
    anchorHint:
      "An anchor watch alerts by itself, and tells its own targets. This rule adds others for the devices below.",
    event: "When a device",
    events: {
      enter: "enters a zone",
      exit: "leaves a zone",
      passed: "passes through a zone",
      dwell: "stays in a zone",
    } satisfies Record<ZoneEvent, string>,
    dwellHint: "After the time that the zone says.",
    zones: "Which zones?",
    zonesAll: "All zones, those to come too",
    zonesSome: "These zones",
    noZones: "There are no zones yet.",
    silence: "No position for",
    silenceHint: "Counted from the arrival of the last one.",
    speed: (unit: string) => `Faster than (${unit})`,
    percent: "Below (%)",
    station: "Station",
    choose: "Choose…",
    noStations: "The water levels can't be read, so no station can be chosen.",
    side: "Tell me when it is",
    sides: { above: "above", below: "below" } satisfies Record<Side, string>,
    level: "Level (cm)",
    measure: "Measure",
    measures: {
      backup_age: "Age of the newest backup",
      disk_free: "Room on the disk",
      position_source: "Silence of the box's own receiver",
      vessel_source: "Silence of the vessel receiver",
      sync_backlog: "Changes that wait for the shore",
      email_queue: "Emails that wait",
    } satisfies Record<SystemMeasure, string>,
    amounts: {
      backup_age: "Hours",
      disk_free: "Megabytes",
      position_source: "Seconds",
      vessel_source: "Seconds",
      sync_backlog: "Changes",
      email_queue: "Emails",
    } satisfies Record<SystemMeasure, string>,
    devices: "Which devices?",
    devicesAll: "All devices, those to come too",
    devicesSome: "These devices",
    noDevices: "There are no devices yet.",
    targets: "Who is told?",
    targetsDefault: "The default targets",
    targetsSome: "These targets",
    targetsNone: "Nobody: it shows on this page alone",
    noDefault: "There is none yet: alerts show on this page alone. Add one under “Who is told”.",
    noTargets: "There are no targets yet. Add one under “Who is told”.",
    escalates: "If nobody acknowledges it, tell others too",
    escalateAfter: "After",
    escalateTo: "Then tell",
    message: "In your own words",
    messageHint: "Empty: a sentence that fits. What stands in braces is filled in.",
    placeholders: { device: "Device", zone: "Zone", value: "Value", time: "Time", place: "Place" },
    unknown: (word: string) => `Nothing is known to fill in for {${word}}.`,
    preview: "Will read",
    sample: {
      ...{ device: "Vilm", zone: "Depot", value: "7.4", time: "2026-05-04 09:30 UTC" },
      place: "54.09670, 13.45530",
    },
    when: "Times and patience",
    hold: "Only if it lasts",
    holdHint: "0: at once.",
    cooldown: "Say nothing again within",
    cooldownHint: "If it comes back so soon after its end, the alert opens again and nobody is told.",
    schedule: "Only at certain times",
    chooseOne: "Choose at least one, or all.",
    chooseTarget: "Choose at least one target.",
    chooseStation: "Choose a station.",
    anyZone: "any zone",
    countZones: (count: number) => (count === 1 ? "a zone" : `${count} zones`),
    brief: {
      enter: (zones: string) => `enters ${zones}`,
      exit: (zones: string) => `leaves ${zones}`,
      passed: (zones: string) => `passes through ${zones}`,
      dwell: (zones: string) => `stays in ${zones}`,
      silence: (time: string) => `silent for ${time}`,
      speed: (value: string) => `faster than ${value}`,
      battery: (value: string) => `battery below ${value}`,
      water: (side: string, value: string) => `water ${side} ${value}`,
      anchor: "anchor watch",
    },
    allDevices: "all devices",
    countDevices: (count: number) => (count === 1 ? "one device" : `${count} devices`),
  },
  de: {
    new: "Neue Regel",
    edit: "Regel",
    none: "Noch keine Regeln",
    noneHint:
      "Eine Regel sagt, was gemeldet werden soll: ein Boot, das eine Zone verlässt, ein Tracker, der verstummt, ein Akku, der leer wird.",
    save: "Regel speichern",
    make: "Regel anlegen",
    remove: "Diese Regel löschen",
    removeText: "Ihre offenen Alarme enden. Was sie gemeldet hat, bleibt in der Liste.",
    off: "abgeschaltet",
    switchOff: "Abschalten",
    switchOn: "Einschalten",
    silent: "meldet nichts",
    silentText:
      "Diese Regel meldet nichts: Wer sie angelegt hat, darf nicht mehr sehen, wovon sie erzählt. Speichere sie, dann meldet sie, was du sehen darfst.",
    orphaned: "hat ihr letztes Gerät oder ihre letzte Zone verloren",
    orphanedText:
      "Das letzte Gerät oder die letzte Zone dieser Regel wurde gelöscht, deshalb ist sie abgeschaltet. Wähle andere aus und schalte sie ein.",
    name: "Name",
    nameHint: "Zum Beispiel: Nachts weggefahren",
    severity: "Wie ernst ist es?",
    severities: {
      info: "Hinweis: gut zu wissen",
      warning: "Warnung: bald nachsehen",
      alarm: "Alarm: sofort, zu jeder Stunde",
    },
    what: "Was soll gemeldet werden?",
    types: {
      zone: "Eine Zone wird betreten oder verlassen",
      silence: "Ein Gerät verstummt",
      speed: "Ein Gerät ist zu schnell",
      battery: "Ein Akku wird leer",
      water_level: "Das Wasser steht hoch oder niedrig",
      system: "Mit der Installation stimmt etwas nicht",
      anchor: "Eine Ankerwache schlägt an",
    } satisfies Record<ConditionType, string>,
    anchorHint:
      "Eine Ankerwache schlägt von selbst an und benachrichtigt ihre eigenen Empfänger. Diese Regel fügt für die Geräte unten weitere hinzu.",
    event: "Wenn ein Gerät",
    events: {
      enter: "eine Zone betritt",
      exit: "eine Zone verlässt",
      passed: "eine Zone durchquert",
      dwell: "in einer Zone bleibt",
    } satisfies Record<ZoneEvent, string>,
    dwellHint: "Nach der Zeit, die bei der Zone steht.",
    zones: "Welche Zonen?",
    zonesAll: "Alle Zonen, auch künftige",
    zonesSome: "Diese Zonen",
    noZones: "Es gibt noch keine Zonen.",
    silence: "Keine Position seit",
    silenceHint: "Gezählt ab dem Eintreffen der letzten.",
    speed: (unit: string) => `Schneller als (${unit})`,
    percent: "Unter (%)",
    station: "Pegel",
    choose: "Auswählen …",
    noStations: "Die Pegel lassen sich nicht lesen, deshalb kann keiner ausgewählt werden.",
    side: "Melde dich, wenn der Wert",
    sides: { above: "darüber liegt", below: "darunter liegt" } satisfies Record<Side, string>,
    level: "Wasserstand (cm)",
    measure: "Messwert",
    measures: {
      backup_age: "Alter der neuesten Sicherung",
      disk_free: "Platz auf dem Datenträger",
      position_source: "Stille des eigenen Empfängers",
      vessel_source: "Stille des Schiffsempfängers",
      sync_backlog: "Änderungen, die auf das Land warten",
      email_queue: "E-Mails, die warten",
    } satisfies Record<SystemMeasure, string>,
    amounts: {
      backup_age: "Stunden",
      disk_free: "Megabyte",
      position_source: "Sekunden",
      vessel_source: "Sekunden",
      sync_backlog: "Änderungen",
      email_queue: "E-Mails",
    } satisfies Record<SystemMeasure, string>,
    devices: "Welche Geräte?",
    devicesAll: "Alle Geräte, auch künftige",
    devicesSome: "Diese Geräte",
    noDevices: "Es gibt noch keine Geräte.",
    targets: "Wer wird benachrichtigt?",
    targetsDefault: "Die Standardempfänger",
    targetsSome: "Diese Empfänger",
    targetsNone: "Niemand: Es steht nur auf dieser Seite",
    noDefault: "Es gibt noch keinen: Alarme zeigt allein diese Seite. Lege unter „Empfänger“ einen an.",
    noTargets: "Es gibt noch keine Empfänger. Lege unter „Empfänger“ einen an.",
    escalates: "Wenn es niemand bestätigt, auch andere benachrichtigen",
    escalateAfter: "Nach",
    escalateTo: "Dann benachrichtigen",
    message: "In eigenen Worten",
    messageHint: "Leer: ein passender Satz. Was in Klammern steht, wird ausgefüllt.",
    placeholders: { device: "Gerät", zone: "Zone", value: "Wert", time: "Zeit", place: "Ort" },
    unknown: (word: string) => `Für {${word}} gibt es nichts einzusetzen.`,
    preview: "Wird so lauten",
    sample: {
      ...{ device: "Vilm", zone: "Depot", value: "7.4", time: "2026-05-04 09:30 UTC" },
      place: "54.09670, 13.45530",
    },
    when: "Zeiten und Geduld",
    hold: "Nur, wenn es anhält",
    holdHint: "0: sofort.",
    cooldown: "Nichts erneut melden innerhalb von",
    cooldownHint:
      "Kehrt es so bald nach seinem Ende zurück, öffnet sich der Alarm wieder, und niemand wird benachrichtigt.",
    schedule: "Nur zu bestimmten Zeiten",
    chooseOne: "Wähle mindestens eines aus, oder alle.",
    chooseTarget: "Wähle mindestens einen Empfänger aus.",
    chooseStation: "Wähle einen Pegel aus.",
    anyZone: "irgendeine Zone",
    countZones: (count: number) => (count === 1 ? "eine Zone" : `${count} Zonen`),
    brief: {
      enter: (zones: string) => `betritt ${zones}`,
      exit: (zones: string) => `verlässt ${zones}`,
      passed: (zones: string) => `durchquert ${zones}`,
      dwell: (zones: string) => `bleibt in: ${zones}`,
      silence: (time: string) => `still seit ${time}`,
      speed: (value: string) => `schneller als ${value}`,
      battery: (value: string) => `Akku unter ${value}`,
      water: (side: string, value: string) => `Pegel: ${value} (${side})`,
      anchor: "Ankerwache",
    },
    allDevices: "alle Geräte",
    countDevices: (count: number) => (count === 1 ? "ein Gerät" : `${count} Geräte`),
  },
});

/** A condition in a few words. */
export function conditionText(condition: Condition): string {
  const t = words();
  switch (condition.type) {
    case "zone": {
      const count = condition.geofence_ids.length;
      return t.brief[condition.event](count === 0 ? t.anyZone : t.countZones(count));
    }
    case "silence":
      return t.brief.silence(duration(condition.seconds));
    case "speed":
      return t.brief.speed(speed(condition.above_knots * 1.852));
    case "battery":
      return t.brief.battery(`${number(condition.below_percent)} %`);
    case "water_level": {
      const { above_cm, below_cm } = condition;
      return t.brief.water(
        t.sides[above_cm === undefined ? "below" : "above"],
        `${number(above_cm ?? below_cm ?? 0)} cm`,
      );
    }
    case "system": {
      const { what, above, below } = condition;
      return `${t.measures[what]} ${above === undefined ? "<" : ">"} ${measure(what, above ?? below ?? 0)}`;
    }
    case "anchor":
      return t.brief.anchor;
  }
}

/** The devices of a rule in a few words; nothing for conditions of none. */
export const devicesText = ({ condition, device_ids }: Rule): string | null => {
  if (condition.type === "water_level" || condition.type === "system") return null;
  return device_ids.length === 0 ? words().allDevices : words().countDevices(device_ids.length);
};
