import { config } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import type { HookContext } from "../../kernel/http/http";
import { type Rate, type RateVerdict, takeToken } from "../../kernel/limits/rate-limit";

/** A limit of a route's own, counted per credential, or per address where there is none. */
export interface RateRule {
  name: string;
  /** The rate as configured now. */
  rate: () => Rate;
}

/** Counts a request against a limit, answers the RateLimit headers, and throws 429 beyond it. */
export function takeFromLimit(rule: RateRule, subject: string, headers: HookContext["set"]["headers"]): void {
  if (!config["rate_limit.enabled"]) return;
  const verdict: RateVerdict = takeToken(`${rule.name} ${subject}`, rule.rate());
  // A request may count against two limits: the headers tell of the tighter one.
  if (verdict.remaining <= Number(headers["ratelimit-remaining"] ?? verdict.remaining)) {
    headers["ratelimit-limit"] = verdict.limit;
    headers["ratelimit-remaining"] = verdict.remaining;
    headers["ratelimit-reset"] = verdict.resetSeconds;
  }
  if (!verdict.allowed)
    throw new AppError("TooManyRequests", `Too many requests; try again in ${verdict.resetSeconds} s`, {
      headers: { "retry-after": String(verdict.resetSeconds) },
    });
}
