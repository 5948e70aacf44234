import { and, eq, gt, isNull, or, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { AppError } from "../../kernel/errors/errors";
import { iso, now } from "../../kernel/time/clock";
import { bans } from "../bans/table";

export type BanRow = typeof bans.$inferSelect;

const lastingBan = statement(() => {
  const open = and(eq(bans.user_id, placeholder("userId")), isNull(bans.unbanned_at));
  const lasts = or(isNull(bans.expires_at), gt(bans.expires_at, placeholder("time")));
  return db.select().from(bans).where(and(open, lasts)).prepare();
});

/** The ban in force on a user now. An expired ban doesn't count, closed or not. */
export function activeBan(userId: string): BanRow | undefined {
  return lastingBan().get({ userId, time: now() });
}

/** The refusal of a banned user: 403 `AccountBanned`, with the end of the ban and its reason. Null without a ban. */
export function banRefusal(userId: string): AppError | null {
  const ban = activeBan(userId);
  if (!ban) return null;
  const until =
    ban.expires_at === null
      ? "This account is banned"
      : `This account is banned until ${iso(ban.expires_at)}`;
  return new AppError("AccountBanned", ban.reason ? `${until}: ${ban.reason}` : until);
}

/** Throws 403 `AccountBanned` for a banned user. */
export function checkNotBanned(userId: string): void {
  const refusal = banRefusal(userId);
  if (refusal) throw refusal;
}
