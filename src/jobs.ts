import { deleteExpiredSessions } from "./identity/sessions/service";
import { MINUTE } from "./kernel/clock";
import { describeError, log } from "./kernel/log";
import { sweepRateLimits } from "./kernel/rate-limit";
import { finishDetachments } from "./tracking/gps/detach";

/** Recurring work: each job is thin and calls an ordinary function. Intervals are milliseconds. */
const JOBS: { name: string; interval: number; run: () => unknown }[] = [
  { name: "forget ended rate-limit windows", interval: MINUTE, run: sweepRateLimits },
  { name: "delete expired sessions", interval: 10 * MINUTE, run: deleteExpiredSessions },
  { name: "detach points from deleted devices and trips", interval: MINUTE, run: finishDetachments },
];

/** Starts all jobs and returns their stop. A job that still runs when it is due again is left alone. */
export function startJobs(): () => void {
  const timers = JOBS.map(({ name, interval, run }) => {
    let running = false;
    return setInterval(async () => {
      if (running) return;
      running = true;
      try {
        await run();
      } catch (error) {
        log.error("a job failed", { job: name, ...describeError(error) });
      } finally {
        running = false;
      }
    }, interval);
  });
  return () => timers.forEach(clearInterval);
}
