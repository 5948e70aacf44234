import { subscribe } from "../../kernel/db/events";
import { logFailure } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { counters } from "../../kernel/logs/metrics";
import { SECOND } from "../../kernel/time/clock";
import { type End, type Outcome, sendOtherLanes, type Way } from "../../outbox/sender";
import type { OutboxRow } from "../../outbox/table";
import { freshen } from "../../outbox/worker";
import { activeTargetIds, findTargets, switchOff, type TargetRow } from "../targets/service";
import { unpack } from "./content";
import { quietUntil } from "./quiet";
import { send } from "./send";
import { cancelStray } from "./sweep";

/** The targets, as lanes of the outbox. */

/** Attempts at once to one target. */
const AT_ONCE = 8;

const ended = counters<string>(
  "fairlead_notifications_total",
  "Attempts to reach notification targets, by their end",
  "outcome",
);
// Created at the start, so that the first one shows as a rise.
for (const outcome of ["delivered", "failed", "given_up"]) ended.of(outcome);

/** Counts an attempt, and one that was the last. */
export function countEnd(outcome: "delivered" | "failed" | "given_up"): void {
  ended.of(outcome).add();
}

function wayTo(id: string): Way | null {
  const [target] = findTargets([id]);
  if (!target?.is_active) return null;
  return {
    atOnce: AT_ONCE,
    keepsFailed: true,
    heldUntil: (row, time) => quietUntil(target, unpack(row).message, time),
    send: (row) => deliver(target, row),
    report: (row, end) => report(target, row, end),
    close: () => switchOff(id, "the receiver answered 410 Gone"),
  };
}

async function deliver(target: TargetRow, row: OutboxRow): Promise<Outcome> {
  const { message, data } = unpack(row);
  const outcome = await send(target, message, data);
  // A test tells at once what became of it; everything else is tried for days.
  const isLast = outcome.result === "later" && message.type === "alert.test";
  return isLast ? { ...outcome, result: "refused" } : outcome;
}

function report(target: TargetRow, { id }: OutboxRow, told: End): void {
  const { end, attempts, outcome } = told;
  const facts = { delivery: id, target: target.id, kind: target.kind, attempts, reason: outcome.error ?? "" };
  countEnd(end === "delivered" ? end : "failed");
  if (end === "given_up") {
    countEnd(end);
    log.error("a notification is given up", facts);
  }
  if (end === "failed")
    log.warn("a notification could not be delivered yet", {
      ...facts,
      retry_seconds: Math.round(told.retryIn / SECOND),
    });
}

function inBackground(work: Promise<void>): void {
  work.catch((error) => logFailure("the outbox could not be changed", error));
}

/** Tries at once what waits for the MQTT broker, which is connected again. */
export function freshenBrokerTargets(): void {
  for (const id of activeTargetIds("mqtt")) inBackground(freshen(id));
}

/** Says how targets are reached, and follows their changes. */
export function startDeliveries(): void {
  sendOtherLanes(wayTo);
  subscribe("notification-target.changed", ({ id }) => inBackground(freshen(id)));
  subscribe("notification-target.closed", () => inBackground(cancelStray()));
}
