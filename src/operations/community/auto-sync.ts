import { AppError } from "../../kernel/errors/errors";
import { describeError, log } from "../../kernel/logs/log";
import { SECOND } from "../../kernel/time/clock";
import { servingBot } from "./bot";
import { currentSettings } from "./settings";
import { syncGuilds } from "./sync-guilds";

/** Time of the schedule's last sync (performance.now milliseconds). */
let askedAt = Number.NEGATIVE_INFINITY;

/**
 * The job: asks for a full sync `initial_delay_seconds` after the bot has come, and then every
 * `sync_interval_seconds`. It reads the settings at each call, so that a change counts at once and no timer
 * has to hold a year. `time` is in milliseconds of a monotonic clock.
 */
export async function syncOnSchedule(time = performance.now()): Promise<void> {
  const bot = servingBot();
  if (bot === null) return;
  const { auto_sync_enabled, sync_interval_seconds, initial_delay_seconds } = currentSettings();
  const dueAt =
    askedAt < bot.since
      ? bot.since + initial_delay_seconds * SECOND
      : askedAt + sync_interval_seconds * SECOND;
  if (!auto_sync_enabled || time < dueAt) return;
  askedAt = time;
  try {
    const { success, error } = await syncGuilds(null);
    if (!success) warn({ reason: error });
  } catch (error) {
    warn(error instanceof AppError ? { reason: error.message } : describeError(error));
  }
}

const warn = (why: Parameters<typeof log.warn>[1]): void =>
  log.warn("a scheduled sync of the community failed", why);
