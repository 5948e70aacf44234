import { asc, eq } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { now } from "../../kernel/time/clock";
import type { Locale } from "../../kernel/values/bilingual";
import { putIntoOutbox } from "../../outbox/put";
import { outbox } from "../../outbox/table";
import { isUnderWay } from "../../outbox/worker";
import type { Severity } from "../kinds";
import { pack } from "./content";
import { knowsOf, recipient, supersedeWaiting, waitingEnds } from "./put";
import { quietUntil } from "./quiet";
import type { Delivery } from "./schema";
import { selectDeliveries, toDelivery } from "./service";
import type { Occasion } from "./words";

/** The outbox of alerts: what is put in here with a change is sent after the commit, at least once. */

/** Characters of texts that are kept. */
const MAX_TITLE = 200;
const MAX_BODY = 4_000;

export interface Text {
  title: string;
  /** Paragraphs, divided by line breaks. */
  body: string;
}

export interface Telling {
  /** The alert; null for a test that belongs to none. */
  alertId: string | null;
  /** Targets by their identifiers. Unknown ones and those that are switched off are left out. */
  targetIds: readonly string[];
  type: Occasion;
  severity: Severity;
  /** Data of a webhook's body: alert, rule, device, position, zone. Parts that a target's maker may not see become null. */
  payload: Record<string, unknown>;
  text: (locale: Locale) => Text;
}

/**
 * Puts what targets are told of an alert into the outbox, in the current transaction, and returns the identifiers of the
 * deliveries. The end of an alert supersedes what of it still waits.
 */
export function enqueue({ alertId, targetIds, type, severity, payload, text }: Telling): string[] {
  if (type === "alert.cleared" && alertId !== null) supersede(alertId);
  const time = now();
  const messages = new Map<Locale, string>();
  const messageIn = (locale: Locale): string => {
    const known = messages.get(locale) ?? pack({ ...shortened(text(locale)), data: payload });
    messages.set(locale, known);
    return known;
  };
  const ids: string[] = [];
  for (const targetId of new Set(targetIds)) {
    const target = recipient(targetId);
    if (!target) continue;
    const id = newId();
    putIntoOutbox({
      ...{ id, lane: targetId, alert_id: alertId, kind: type, severity, user_id: null },
      message: messageIn(target.locale),
      urgency: severity === "alarm" ? 0 : 1,
      next_attempt_at: quietUntil(target, { type, severity }, time) ?? time,
      created_at: time,
    });
    ids.push(id);
  }
  return ids;
}

const CONTROL = /[^\P{Cc}\n]|[\u2028\u2029]/gu;

/** Texts without control characters, at most as long as every way takes them. */
const shortened = ({ title, body }: Text): Text => ({
  title: cut(title.replaceAll("\n", " "), MAX_TITLE),
  body: cut(body, MAX_BODY),
});

function cut(text: string, most: number): string {
  const characters = [...text.replaceAll(CONTROL, " ")];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
}

/**
 * Gives up what of an alert still waits, in the current transaction: of an alert that was cleared meanwhile its end alone is
 * told. One that is on its way arrives all the same, before the end.
 */
export const supersede = (alertId: string): void => supersedeWaiting(alertId, now());

/**
 * Takes back the end of an alert where it still waits, in the current transaction, since the alert is open again. Returns how
 * many ends were taken back, and the targets of them that never heard of the alert: they have to be told now.
 */
export function takeBackEnd(alertId: string): { takenBack: number; unaware: string[] } {
  // One that is sent for the first time just now arrives, most likely: its target knows the alert as ended.
  const ends = waitingEnds(alertId).filter(({ id, lane, attempts }) => attempts > 0 || !isUnderWay(lane, id));
  if (ends.length > 0) supersede(alertId);
  const unaware = ends.map(({ lane }) => lane).filter((lane) => !knowsOf(alertId, lane));
  return { takenBack: ends.length, unaware };
}

/** The deliveries of an alert, oldest first, as `GET /v1/alerts/{id}` shows them. */
export const deliveriesOf = (alertId: string): Delivery[] =>
  selectDeliveries().where(eq(outbox.alert_id, alertId)).orderBy(asc(outbox.number)).all().map(toDelivery);
