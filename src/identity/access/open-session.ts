import { and, type SQL } from "drizzle-orm";
import { config } from "../../configuration/config";
import { DAY } from "../../kernel/time/clock";
import { isInUse, isInUseIn, isUnexpired, isUnexpiredIn } from "../../kernel/time/lifetime";
import { sessions } from "../sessions/table";

/** Milliseconds without use after which a session ends. */
export const idleSpan = (): number => config["auth.session_idle_days"] * DAY;

/** True while a session with these times (epoch milliseconds) is neither expired nor unused for too long. */
export const isOpenAt = (createdAt: number, expiresAt: number, usedAt: number): boolean =>
  isUnexpired(createdAt, expiresAt) && isInUse(usedAt, idleSpan());

/** `isOpenAt` for the rows of a query. */
export const isOpenNow = (): SQL | undefined =>
  and(isUnexpiredIn(sessions), isInUseIn(sessions.last_activity_at, idleSpan()));
