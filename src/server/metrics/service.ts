import { readdirSync, statfsSync, statSync } from "node:fs";
import { deliveriesState } from "../../alerts/deliveries/state";
import { config } from "../../configuration/config";
import { VERSION } from "../../configuration/version";
import { waitingEmails } from "../../identity/email/service";
import { sameSecret, waitingHashes } from "../../kernel/crypto/crypto";
import { counter as storedCounter } from "../../kernel/db/counters";
import { subscribe } from "../../kernel/db/events";
import { failedTransactions, waitingJobs } from "../../kernel/db/transactions";
import { AppError, unauthorized } from "../../kernel/errors/errors";
import { isLoopback } from "../../kernel/http/client";
import { log } from "../../kernel/logs/log";
import {
  counted,
  counter,
  counters,
  exposition,
  gauge,
  gauges,
  histogram,
  register,
  sample,
} from "../../kernel/logs/metrics";
import { dataPath } from "../../kernel/process/data-dir";
import { now, SECOND } from "../../kernel/time/clock";
import { servingBot } from "../../operations/community/bot";
import { oldestSync } from "../../operations/community/guilds";
import { type VesselsState, vesselsState } from "../../operations/vessels/service";
import { socketCounts } from "../../realtime/connections";
import { detachmentCount } from "../../tracking/ingest/detach";
import { type Outcome, REJECTIONS, type Rejection } from "../../tracking/ingest/fix";
import type { Source } from "../../tracking/ingest/kinds";
import { backupState } from "../backup/schedule";

/**
 * The metrics of the program as a whole. Those counted in one domain are registered there (see
 * kernel/metrics.ts), and appear here by themselves.
 */

// --- Access -----------------------------------------------------------------------------------------------

const BEARER = /^Bearer +(.+)$/i;

/**
 * The exposition, for requests with `metrics.token` if one is set. Throws 404 if metrics are switched off,
 * and 401.
 */
export function readMetrics(authorization: string | null): string {
  if (!config["metrics.enabled"]) throw new AppError("NotFound", "No such path");
  const token = config["metrics.token"];
  if (token !== null && !sameSecret(BEARER.exec(authorization ?? "")?.[1] ?? "", token))
    throw unauthorized("The metrics token is required: Authorization: Bearer <metrics.token>");
  return exposition();
}

/** True if the metrics are open to other machines. */
const areMetricsOpen = (): boolean =>
  config["metrics.enabled"] && config["metrics.token"] === null && !isLoopback(config["server.host"]);

// --- The process ------------------------------------------------------------------------------------------

gauges("fairlead_build_info", "The version, as a label", () => [[{ version: VERSION, bun: Bun.version }, 1]]);
const startedAt = Date.now() / SECOND - process.uptime();
gauge("process_start_time_seconds", "When the process started, Unix time", () => startedAt);
gauge("fairlead_uptime_seconds", "Seconds since the process started", () => process.uptime());
counted("process_cpu_seconds_total", "Processor time", () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
});
gauge("process_resident_memory_bytes", "Memory in use", () => process.memoryUsage.rss());
gauge("process_open_fds", "Open files and sockets", () => readdirSync("/proc/self/fd").length);

/** Seconds. */
const LAG_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const lag = histogram(
  "fairlead_event_loop_lag_seconds",
  "Delay of a timer, sampled twice a second",
  LAG_BOUNDS,
);

/** Milliseconds. */
const LAG_INTERVAL = 500;

// --- Activity of the program ------------------------------------------------------------------------------

const recorded = counter("fairlead_gps_points_recorded_total", "Positions recorded");
const taken = new Map<string, { source: Source; status: Outcome["status"]; count: number }>();
register(
  "fairlead_ingest_positions_total",
  "Positions that came by any way but POST /v1/gps, by source and by what became of them",
  "counter",
  () =>
    [...taken.values()].map(({ source, status, count }) =>
      sample("fairlead_ingest_positions_total", { source, status }, count),
    ),
);
const rejected = counters<Rejection>(
  "fairlead_ingest_rejected_total",
  "Messages and positions that were accepted and not stored, by reason",
  "reason",
);
// Created at the start, so that the first one shows as a rise.
for (const reason of REJECTIONS) rejected.of(reason);

function countTaken(source: Source, outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    const { status } = outcome;
    const key = `${source} ${status}`;
    const known = taken.get(key);
    if (known) known.count++;
    else taken.set(key, { source, status, count: 1 });
    if (status === "rejected") rejected.of(outcome.reason).add();
  }
}

const crossings = counters<string>("fairlead_geofence_crossings_total", "Zones entered and left", "event");
gauge("fairlead_gps_points", "Positions in the database", () => storedCounter("gps_points"));
gauge("fairlead_websocket_connections", "Open connections", () => socketCounts().connections);
gauge("fairlead_websocket_subscriptions", "Channels of all connections", () => socketCounts().subscriptions);

gauges("fairlead_queue_length", "Queued items, by queue", () => [
  [{ queue: "emails" }, waitingEmails()],
  [{ queue: "notifications" }, deliveriesState()?.waiting ?? 0],
  [{ queue: "transactions" }, waitingJobs()],
  [{ queue: "password_hashes" }, waitingHashes()],
  [{ queue: "detachments" }, detachmentCount()],
]);

gauge(
  "fairlead_notifications_oldest_seconds",
  "Age of the oldest notification that is due or failed before; 0 where none is",
  () => deliveriesState()?.oldestSeconds ?? 0,
);

const vessels = (read: (state: VesselsState) => number | null) => () => {
  const state = vesselsState();
  return state.source === "none" ? null : read(state);
};
gauge(
  "fairlead_vessels_source_connected",
  "1 if the source of vessels is connected",
  vessels(({ isConnected }) => Number(isConnected)),
);
gauge(
  "fairlead_vessels",
  "Known vessels",
  vessels((state) => state.vessels),
);
gauge(
  "fairlead_vessels_heard_age_seconds",
  "Seconds since a vessel was last heard",
  vessels(({ lastHeardAt }) => lastHeardAt && (now() - lastHeardAt) / SECOND),
);

gauge("fairlead_community_bot_connected", "1 if the community bot is connected", () =>
  Number(servingBot() !== null),
);
gauge(
  "fairlead_community_sync_age_seconds",
  "Seconds since the guild that was synced longest ago was synced",
  () => {
    const synced = oldestSync();
    return synced && (now() - synced) / SECOND;
  },
);

// --- The disk ---------------------------------------------------------------------------------------------

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

gauge("fairlead_database_bytes", "Size of the database file", () => sizeOf(dataPath.database()));
gauge("fairlead_database_wal_bytes", "Size of its write-ahead log", () =>
  sizeOf(`${dataPath.database()}-wal`),
);
counted(
  "fairlead_database_failed_transactions_total",
  "Transactions that failed as a whole, as on a full disk",
  () => failedTransactions,
);
gauge("fairlead_disk_free_bytes", "Free space on the disk of the data directory", () => {
  const { bavail, bsize } = statfsSync(config["data.dir"]);
  return bavail * bsize;
});

/** A gauge of the scheduled backups; absent if there is no schedule. */
const ofBackups = (read: (state: NonNullable<ReturnType<typeof backupState>>) => number | null) => () => {
  const state = backupState();
  return state && read(state);
};
gauge(
  "fairlead_backup_last_success_timestamp_seconds",
  "When the newest scheduled backup was made, Unix time",
  ofBackups(({ newest }) => (newest ?? 0) / SECOND),
);
gauge(
  "fairlead_backup_age_seconds",
  "Age of the newest scheduled backup, infinite while none is found",
  ofBackups(({ newest }) => (newest === null ? Infinity : Math.max(0, now() - newest) / SECOND)),
);
gauge(
  "fairlead_backup_failing",
  "1 if the last scheduled backup failed",
  ofBackups(({ failing }) => Number(failing)),
);
gauge(
  "fairlead_backup_verified_timestamp_seconds",
  "When a backup was last restored for a try (backup.verify = deep), Unix time",
  ofBackups(({ verified }) => verified && verified.at / SECOND),
);
gauge(
  "fairlead_backup_restorable",
  "1 if the backup that was last restored for a try was sound",
  ofBackups(({ verified }) => verified && Number(verified.outcome === "sound")),
);

/** Starts the counters that need a listener. */
export function startMetrics(): void {
  if (!config["metrics.enabled"]) return;
  if (areMetricsOpen())
    log.warn("/metrics is open to anyone who can reach this server; set metrics.token", {
      host: config["server.host"],
    });
  subscribe("gps.recorded", () => recorded.add());
  subscribe("gps.taken", ({ source, outcomes }) => countTaken(source, outcomes));
  subscribe("geofence.crossed", ({ event }) => crossings.of(event).add());
  let due = performance.now() + LAG_INTERVAL;
  setInterval(() => {
    lag.observe(Math.max(0, performance.now() - due) / SECOND);
    due = performance.now() + LAG_INTERVAL;
  }, LAG_INTERVAL).unref();
}
