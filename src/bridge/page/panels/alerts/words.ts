import type { Schemas } from "../../api";
import { inLanguages } from "../../language";
import { duration } from "../../times";
import { number, speed } from "../../units";

/** Alerts in words. */

/** The fields of an alert that its words are made of. */
export type Told = Pick<
  Schemas["Alert"],
  | "condition"
  | "event"
  | "device_name"
  | "geofence_name"
  | "subject"
  | "subject_name"
  | "value"
  | "message"
  | "has_own_message"
>;

const KM_PER_MILE = 1.852;

export const words = inLanguages({
  en: {
    title: "Alerts",
    severity: { info: "Info", warning: "Warning", alarm: "Alarm" },
    status: { open: "Open", acknowledged: "Acknowledged", cleared: "Over" },
    zone: {
      enter: (device: string, zone: string) => `${device} entered ${zone}`,
      exit: (device: string, zone: string) => `${device} left ${zone}`,
      passed: (device: string, zone: string) => `${device} passed through ${zone}`,
      dwell: (device: string, zone: string) => `${device} has stayed in ${zone}`,
    },
    silence: (device: string, time: string) => `${device} has sent no position for ${time}`,
    speed: (device: string, value: string) => `${device} makes ${value}`,
    battery: (device: string, value: string) => `The battery of ${device} is at ${value}`,
    water: (station: string, value: string) => `The water level at ${station} is ${value}`,
    dragging: (device: string, value: string) => `The anchor of ${device} drags: it is ${value} away`,
    warning: (device: string, value: string) => `${device} is ${value} away from its anchor`,
    silent: (device: string, time: string) => `Anchor watch of ${device}: no position for ${time}`,
    system: {
      backup_age: (value: string) => `The newest backup is ${value} old`,
      disk_free: (value: string) => `${value} are free on the disk`,
      position_source: (value: string) => `The box's own receiver has sent no position for ${value}`,
      vessel_source: (value: string) => `No vessel has been heard for ${value}`,
      sync_backlog: (value: string) => `${value} changes wait to be sent to the shore`,
      email_queue: (value: string) => `${value} emails wait to be sent`,
    } as Record<string, (value: string) => string>,
    hours: (value: string) => `${value} hours`,
    acknowledge: "Acknowledge",
    note: "Note for the others",
    noteHint: "Such as: On my way",
    since: "Since",
  },
  de: {
    title: "Alarme",
    severity: { info: "Hinweis", warning: "Warnung", alarm: "Alarm" },
    status: { open: "Offen", acknowledged: "Bestätigt", cleared: "Vorbei" },
    zone: {
      enter: (device: string, zone: string) => `${device} ist in ${zone} eingetroffen`,
      exit: (device: string, zone: string) => `${device} hat ${zone} verlassen`,
      passed: (device: string, zone: string) => `${device} hat ${zone} durchquert`,
      dwell: (device: string, zone: string) => `${device} hält sich länger in ${zone} auf`,
    },
    silence: (device: string, time: string) => `${device} hat seit ${time} keine Position gesendet`,
    speed: (device: string, value: string) => `${device} macht ${value}`,
    battery: (device: string, value: string) => `Der Akku von ${device} steht bei ${value}`,
    water: (station: string, value: string) => `Der Pegel ${station} steht bei ${value}`,
    dragging: (device: string, value: string) => `Der Anker von ${device} slippt: ${value} entfernt`,
    warning: (device: string, value: string) => `${device} ist ${value} vom Anker entfernt`,
    silent: (device: string, time: string) => `Ankerwache von ${device}: seit ${time} keine Position`,
    system: {
      backup_age: (value: string) => `Die neueste Sicherung ist ${value} alt`,
      disk_free: (value: string) => `Auf dem Datenträger sind ${value} frei`,
      position_source: (value: string) => `Der eigene Empfänger hat seit ${value} keine Position geliefert`,
      vessel_source: (value: string) => `Seit ${value} wurde kein Schiff gehört`,
      sync_backlog: (value: string) => `${value} Änderungen warten auf die Übertragung an Land`,
      email_queue: (value: string) => `${value} E-Mails warten auf den Versand`,
    } as Record<string, (value: string) => string>,
    hours: (value: string) => `${value} Stunden`,
    acknowledge: "Bestätigen",
    note: "Nachricht an die anderen",
    noteHint: "Zum Beispiel: Bin unterwegs",
    since: "Seit",
  },
});

const UNKNOWN = "?";

/** A measure of the installation with its unit. */
export function measure(what: string, value: number): string {
  if (what === "backup_age") return words().hours(number(value));
  if (what === "disk_free") return `${number(value)} MB`;
  return what.endsWith("_source") ? duration(value) : number(value);
}

/** The last measure with its unit; null where there is nothing to measure. */
export function valueText({
  condition,
  subject,
  value,
}: Pick<Told, "condition" | "subject" | "value">): string | null {
  if (value === null) return null;
  switch (condition) {
    case "silence":
      return duration(value);
    case "speed":
      return speed(value * KM_PER_MILE);
    case "battery":
      return `${number(value)} %`;
    case "water_level":
      return `${number(value)} cm`;
    case "anchor":
      return subject === "silent" ? duration(value) : `${number(value)} m`;
    case "system":
      return measure(subject ?? "", value);
    case "zone":
      return null;
  }
}

/** An alert in a sentence, without a full stop: the rule's own, or one in the reader's language and units. */
export function headline(alert: Told): string {
  if (alert.has_own_message) return alert.message;
  const t = words();
  const device = alert.device_name ?? UNKNOWN;
  const value = valueText(alert) ?? UNKNOWN;
  const subject = alert.subject_name ?? alert.subject ?? UNKNOWN;
  switch (alert.condition) {
    case "zone":
      return t.zone[alert.event ?? "dwell"](device, alert.geofence_name ?? UNKNOWN);
    case "silence":
      return t.silence(device, value);
    case "speed":
      return t.speed(device, value);
    case "battery":
      return t.battery(device, value);
    case "water_level":
      return t.water(subject, value);
    case "system":
      return t.system[subject]?.(value) ?? alert.message;
    case "anchor":
      if (alert.subject === "silent") return t.silent(device, value);
      return alert.subject === "warning" ? t.warning(device, value) : t.dragging(device, value);
  }
}
