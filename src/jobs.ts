import { deleteOldAlerts } from "./alerts/alerts/service";
import { watchAnchors } from "./alerts/anchor/watch";
import { watchClock } from "./alerts/conditions/clock";
import { cancelStray, deleteOldDeliveries } from "./alerts/deliveries/sweep";
import { tellAuditHead } from "./alerts/gauges/audit-head";
import { watchLevels, watchMeasures } from "./alerts/gauges/watch";
import { forgetOldChanges } from "./feed/retention";
import { reloadGeoip } from "./identity/audit/geoip";
import { deleteOldEvents } from "./identity/audit-log/service";
import { closeExpiredBans } from "./identity/bans/service";
import { deleteOldEmails } from "./identity/email/outbox";
import { forgetOldEmails } from "./identity/email/service";
import { forgetOldInvitations } from "./identity/invitations/service";
import { rotateKeysWhenDue } from "./identity/oauth/keys";
import { deleteEndedGrants } from "./identity/oauth/sweep";
import { deleteExpiredCodes } from "./identity/oidc/sweep";
import { sweepLoginFailures } from "./identity/passwords/login-failures";
import { forgetOldAddresses } from "./identity/passwords/sign-in-addresses";
import { deleteExpiredSessions } from "./identity/sessions/service";
import { deleteExpiredChallenges } from "./identity/two-factor-codes/challenges";
import { deleteExpiredTokens } from "./identity/verification/service";
import { forgetUsedChallenges } from "./identity/webauthn/challenges";
import { logFailure } from "./kernel/errors/trouble";
import { sweepRateLimits } from "./kernel/limits/rate-limit";
import { counters } from "./kernel/logs/metrics";
import { HOUR, MINUTE, SECOND } from "./kernel/time/clock";
import { syncOnSchedule } from "./operations/community/auto-sync";
import { deleteStrayMembers } from "./operations/community/member-store";
import { deleteExpiredStates, validateTokens } from "./operations/integrations/service";
import { deleteOldLevels } from "./operations/water-levels/history";
import { endImpossibleWaits } from "./outbox/queue";
import { deliverDue } from "./outbox/worker";
import { deleteDueAccounts, finishScrubs } from "./personal-data/deletion/service";
import { deleteOldLogs } from "./personal-data/export-logs/service";
import { backUpWhenDue } from "./server/backup/schedule";
import { giveHeartbeat } from "./server/heartbeat/heartbeat";
import { thinBacklog } from "./sync/aboard/thin";
import { finishReleases } from "./sync/boxes/release";
import { watchMakers } from "./sync/down/assigned";
import { recomputeCrossings } from "./tracking/crossings/recompute";
import { deleteOldCrossings } from "./tracking/crossings/retention";
import { deleteOldPoints } from "./tracking/gps/retention";
import { finishDetachments } from "./tracking/ingest/detach";
import { forgetOldAnswers } from "./tracking/ingest/idempotency";
import { endExpiredLinks } from "./tracking/links/service";
import { logPositions } from "./tracking/log/positions";
import { finishRemovals } from "./tracking/log/removal";
import { endExpiredShares } from "./tracking/shares/service";
import { recomputeTimelines } from "./tracking/timeline/recompute";

/** Recurring work: each job is thin and calls an ordinary function. Intervals are milliseconds. */
interface Job {
  name: string;
  interval: number;
  run: () => unknown;
  /** Also runs as soon as the server is up. */
  atStart?: true;
}

const JOBS: Job[] = [
  { name: "forget ended rate-limit windows", interval: MINUTE, run: sweepRateLimits },
  { name: "forget failed sign-ins", interval: MINUTE, run: sweepLoginFailures },
  { name: "forget old sign-in addresses", interval: HOUR, run: forgetOldAddresses },
  { name: "deliver emails and notifications", interval: SECOND, run: deliverDue, atStart: true },
  { name: "end waits of a clock set back", interval: MINUTE, run: endImpossibleWaits, atStart: true },
  { name: "forget delivered emails", interval: HOUR, run: forgetOldEmails },
  { name: "delete old emails of the outbox", interval: HOUR, run: deleteOldEmails, atStart: true },
  { name: "give up stray notifications", interval: MINUTE, run: cancelStray, atStart: true },
  { name: "watch alerts by the clock", interval: SECOND, run: watchClock, atStart: true },
  { name: "watch boats at anchor", interval: SECOND, run: watchAnchors, atStart: true },
  { name: "watch measures of the installation", interval: 10 * SECOND, run: watchMeasures, atStart: true },
  { name: "watch water levels", interval: 10 * SECOND, run: watchLevels, atStart: true },
  { name: "tell the head of the audit log", interval: MINUTE, run: tellAuditHead, atStart: true },
  { name: "delete old alerts", interval: HOUR, run: deleteOldAlerts, atStart: true },
  { name: "delete old deliveries", interval: HOUR, run: deleteOldDeliveries, atStart: true },
  { name: "close bans that ran out", interval: 10 * SECOND, run: closeExpiredBans },
  { name: "delete accounts whose time has come", interval: 10 * SECOND, run: deleteDueAccounts },
  { name: "finish scrubbing deleted accounts", interval: 10 * SECOND, run: finishScrubs, atStart: true },
  { name: "delete expired sessions", interval: 10 * MINUTE, run: deleteExpiredSessions },
  { name: "delete expired registrations and tokens", interval: 10 * MINUTE, run: deleteExpiredTokens },
  { name: "forget old invitations", interval: HOUR, run: forgetOldInvitations },
  { name: "delete expired two-factor challenges", interval: 10 * MINUTE, run: deleteExpiredChallenges },
  { name: "forget used challenges of passkeys", interval: HOUR, run: forgetUsedChallenges },
  { name: "delete ended grants of applications", interval: MINUTE, run: deleteEndedGrants, atStart: true },
  { name: "delete expired sign-ins through providers", interval: 10 * MINUTE, run: deleteExpiredCodes },
  { name: "rotate the keys of ID tokens", interval: HOUR, run: rotateKeysWhenDue, atStart: true },
  { name: "delete old positions", interval: HOUR, run: deleteOldPoints, atStart: true },
  { name: "compute crossings anew", interval: MINUTE, run: recomputeCrossings, atStart: true },
  { name: "end shares that ran out", interval: MINUTE, run: endExpiredShares, atStart: true },
  { name: "compute timelines anew", interval: MINUTE, run: recomputeTimelines, atStart: true },
  { name: "end links that ran out", interval: MINUTE, run: endExpiredLinks, atStart: true },
  { name: "delete old crossings", interval: HOUR, run: deleteOldCrossings, atStart: true },
  { name: "delete old water levels", interval: HOUR, run: deleteOldLevels, atStart: true },
  { name: "forget old changes", interval: 10 * MINUTE, run: forgetOldChanges, atStart: true },
  { name: "bound what waits for the shore", interval: 10 * MINUTE, run: thinBacklog, atStart: true },
  { name: "forget answers to repeated requests", interval: HOUR, run: forgetOldAnswers },
  { name: "delete old audit events", interval: HOUR, run: deleteOldEvents, atStart: true },
  { name: "delete old export logs", interval: HOUR, run: deleteOldLogs, atStart: true },
  { name: "read a changed GeoIP database", interval: 10 * SECOND, run: reloadGeoip },
  { name: "validate tokens of integrations", interval: 5 * MINUTE, run: validateTokens, atStart: true },
  { name: "delete expired authorizations", interval: 10 * MINUTE, run: deleteExpiredStates },
  { name: "back the database up", interval: MINUTE, run: backUpWhenDue, atStart: true },
  { name: "give a sign of life", interval: MINUTE, run: giveHeartbeat },
  { name: "detach points from deleted devices and trips", interval: MINUTE, run: finishDetachments },
  { name: "log positions of trips", interval: SECOND, run: logPositions, atStart: true },
  { name: "finish removing logs of deleted trips", interval: MINUTE, run: finishRemovals, atStart: true },
  { name: "release what deleted boxes left", interval: MINUTE, run: finishReleases, atStart: true },
  { name: "watch the makers of rules that boxes get", interval: MINUTE, run: watchMakers, atStart: true },
  { name: "sync the community on schedule", interval: SECOND, run: () => syncOnSchedule() },
  { name: "delete members that are no guild's", interval: MINUTE, run: deleteStrayMembers, atStart: true },
];

const failures = counters<string>(
  "fairlead_job_failures_total",
  "Recurring work that failed, by its name",
  "job",
);

/** The run of a job that is under way, by the job. */
const running = new Map<Job, Promise<void>>();

/** Runs a job, unless it is running. */
function runOnce(job: Job): void {
  if (running.has(job)) return;
  const run = async () => {
    try {
      await job.run();
    } catch (error) {
      failures.of(job.name).add();
      logFailure("a job failed; it is tried again when it is due", error, { job: job.name });
    } finally {
      running.delete(job);
    }
  };
  // Before the first step, which may be the last.
  const { promise, resolve } = Promise.withResolvers<void>();
  running.set(job, promise);
  void run().then(resolve);
}

/**
 * Starts all jobs and returns the function that stops them. A job still running when it is due again is
 * skipped.
 */
export function startJobs(): () => void {
  const timers = JOBS.map((job) => {
    if (job.atStart) runOnce(job);
    return setInterval(() => runOnce(job), job.interval);
  });
  return () => timers.forEach(clearInterval);
}

/**
 * Runs all jobs that are due at least every so many milliseconds, from begin to end, one after the other. For the tests' own
 * entry, which doesn't wait for their time: nothing of the program calls it.
 */
export async function runJobs(atLeastEvery: number): Promise<void> {
  for (const job of JOBS.filter(({ interval }) => interval <= atLeastEvery)) {
    await running.get(job);
    runOnce(job);
    await running.get(job);
  }
}
