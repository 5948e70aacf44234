import { type AlertWords, clock, coordinates, rounded, span } from "./alert-words";
import type { Language } from "./language";

const SEVERITY = { info: "Info", warning: "Warning", alarm: "Alarm" };

const SYSTEM: Record<string, (value: number | null) => string> = {
  backup_age: (hours) => `The newest backup is ${rounded(hours)} hours old`,
  disk_free: (megabytes) => `${rounded(megabytes)} MB are free on the disk`,
  position_source: (seconds) => `The box's own receiver has sent no position for ${span(seconds)}`,
  vessel_source: (seconds) => `No vessel has been heard for ${span(seconds)}`,
  sync_backlog: (rows) => `${rounded(rows)} changes wait to be sent to the shore`,
  email_queue: (rows) => `${rounded(rows)} emails wait to be sent`,
};

function headline({ condition, event, device, subject, subjectName, value }: AlertWords): string {
  switch (condition) {
    case "zone":
      if (event === "enter") return `${device} entered ${subjectName}`;
      if (event === "exit") return `${device} left ${subjectName}`;
      if (event === "passed") return `${device} passed through ${subjectName}`;
      return `${device} has stayed in ${subjectName}`;
    case "silence":
      return `${device} has sent no position for ${span(value)}`;
    case "speed":
      return `${device} makes ${rounded(value)} knots`;
    case "battery":
      return `The battery of ${device} is at ${rounded(value)} %`;
    case "water_level":
      return `The water level at ${subjectName} is ${rounded(value)} cm`;
    case "system":
      return SYSTEM[subject ?? ""]?.(value) ?? `${subject}: ${rounded(value)}`;
    case "anchor":
      if (subject === "silent") return `Anchor watch of ${device}: no position for ${span(value)}`;
      if (subject === "warning") return `${device} is ${rounded(value)} m away from its anchor`;
      return `The anchor of ${device} drags: it is ${rounded(value)} m away`;
  }
}

export const english: Language = {
  test: (name) => ({
    title: "Test of Fairlead",
    body: `This is a test of the notification target “${name}”. Alerts will arrive like this.`,
  }),
  auditHead: ({ date, number, hash }) => ({
    title: `Head of the audit log on ${date}`,
    body: `Event no. ${number}\n${hash}\nKeep this: it proves the log up to there.`,
  }),
  anchorTest: (device) => ({
    title: `Test of the anchor watch of ${device}`,
    body: "This is a test. An anchor that drags, or a receiver that falls silent, will be told like this.",
  }),
  headline,
  alert: (words) => {
    const { occasion, severity, place, raisedAt, clearedAt, note, rule, message } = words;
    const what = message ?? headline(words);
    const lines = [
      `Since ${clock(raisedAt)}`,
      clearedAt === null ? null : `Until ${clock(clearedAt)}`,
      place && `Position: ${coordinates(place)} at ${clock(place.time)}`,
      note && `Note: ${note}`,
      rule && `Rule: ${rule}`,
    ];
    const prefix = { "alert.acknowledged": "Acknowledged", "alert.cleared": "Over" } as const;
    const title = `${occasion === "alert.raised" ? SEVERITY[severity] : prefix[occasion]}: ${what}`;
    return { title, body: lines.filter(Boolean).join("\n") };
  },
  greeting: "Hello,",
  asked: (site, who) =>
    `${who} entered this address for alerts of Fairlead on ${site}. If you don't want them, tell ${who}, or whoever runs this installation.`,
  own: (site) => `You get this because your address was entered for alerts of Fairlead on ${site}.`,
  key: (name) => `The API key “${name}”`,
  somebody: "Somebody",
  footer: (site) => `Fairlead on ${site} sent this email automatically. Replies are not read.`,
};
