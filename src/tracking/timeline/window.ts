import { invalid } from "../../kernel/errors/errors";
import { DAY, now, spanOf } from "../../kernel/time/clock";

/** A span of fix times in epoch milliseconds; `until` is no longer part of it. */
export interface Window {
  from: number;
  until: number;
}

const MOST_DAYS = 400;

/** The span of a query, by default the last 24 hours. Throws 400 for one of more than 400 days, and for a beginning after the end. */
export function windowOf(query: { from?: string; to?: string }): Window {
  const until = query.to === undefined ? now() + 1 : spanOf(query.to)[1] + 1;
  const from = query.from === undefined ? until - 1 - DAY : spanOf(query.from)[0];
  if (from >= until) throw invalid("/from", "must not be after to");
  if (until - from > MOST_DAYS * DAY + 1)
    throw invalid("/to", `must be at most ${MOST_DAYS} days after from`);
  return { from, until };
}
