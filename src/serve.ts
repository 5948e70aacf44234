import { basename, dirname, resolve } from "node:path";
import type { AnyElysia } from "elysia";
import { startHearers } from "./alerts/anchor/hearers";
import { startMentions } from "./alerts/anchor/mentions";
import { startArrivals } from "./alerts/arrivals/arrivals";
import { startDeliveries } from "./alerts/deliveries/sender";
import { createApp } from "./app";
import { endCode } from "./bridge/first-start/code";
import { offerFirstStart } from "./bridge/first-start/service";
import { endHolds, startHolds } from "./changes/holds";
import { chosePort, config, configFile } from "./configuration/config";
import { VERSION } from "./configuration/version";
import { openFeed } from "./feed/journal";
import { hasSuperAdmin } from "./identity/access/rank";
import { chainBacklog } from "./identity/audit/backlog";
import { openGeoip } from "./identity/audit/geoip";
import { seedIdentity } from "./identity/seed";
import { startJobs } from "./jobs";
import { requirePasswordHash } from "./kernel/crypto/crypto";
import { sqlite } from "./kernel/db/connection";
import { takeKeys } from "./kernel/db/master-key";
import { newestMigration } from "./kernel/db/migrate";
import { openData } from "./kernel/db/open-data";
import { closeDatabase, transact, waitOutsideStatements } from "./kernel/db/transactions";
import { attachServer, timeoutOf } from "./kernel/http/client";
import { listensToItselfAlone, openedAt, ownAddresses } from "./kernel/http/own-addresses";
import { leadsToItself } from "./kernel/http/reachable-url";
import { configureLog, describeError, log } from "./kernel/logs/log";
import { tryAddress } from "./kernel/process/address";
import { removeUnfinished } from "./kernel/process/data-dir";
import { claimDataDirectory, requireUnserved } from "./kernel/process/data-lock";
import { beginStop } from "./kernel/process/lifecycle";
import { addressTrouble } from "./kernel/process/operator";
import { isCompiled, quoted } from "./kernel/process/program";
import { stopSignals } from "./kernel/process/signals";
import { SECOND } from "./kernel/time/clock";
import { authorityOf } from "./kernel/values/authority";
import { startMqtt } from "./mqtt/service";
import { takeSupervisorsBroker } from "./mqtt/supervisor";
import { seedCommunitySettings } from "./operations/community/settings";
import { startVessels } from "./operations/vessels/service";
import { startOutbox } from "./outbox/worker";
import { startBroadcasts } from "./realtime/broadcast";
import { socketHandlers, startSockets, stopSockets } from "./realtime/socket";
import { loadSystemConfig } from "./runtime-settings/service";
import { backUpBeforeMigration, removeUnfinishedBefores } from "./server/backup/before-migration";
import { tellMigration, watchMigration } from "./server/backup/migration-watch";
import { stopBackups } from "./server/backup/schedule";
import { checkClockAtStart } from "./server/health/clock";
import { provideKey, requireKeyAtStart } from "./server/keys/check";
import { resumeRotation } from "./server/keys/rotate";
import { startMetrics } from "./server/metrics/service";
import { startSync } from "./sync/aboard/service";
import { startWatchingMakers } from "./sync/down/assigned";
import { startAutoTrips } from "./tracking/auto-trips/service";
import { startRecomputing } from "./tracking/crossings/recompute";
import { loadDetachments } from "./tracking/ingest/detach";
import { writeOpenings } from "./tracking/links/openings";
import { startReceiver } from "./tracking/receiver/service";
import { startTimelines } from "./tracking/timeline/recompute";
import { startVersions } from "./tracking/tracks/version";

/** Time for running requests to finish after a stop was asked for. */
const DRAIN_SECONDS = 5;

/** A server that listens. */
export interface Running {
  port: number;
  /** The address at which a person opens it. */
  url: string;
  /** Lets requests finish, closes sockets with 1001, commits what is queued. */
  stop: () => Promise<void>;
}

export interface ServeOptions {
  /** Copies a database that holds data before it is migrated. */
  backup?: boolean;
  /** Set by an operator who confirms that the key of the database's secrets is lost. */
  keyLost?: boolean;
}

/**
 * Starts everything on the configured data directory and address. Anything that could prevent that is tried
 * before anything is made or changed.
 */
export async function serve({ backup = true, keyLost = false }: ServeOptions = {}): Promise<Running> {
  configureLog(config["log.level"], config["log.format"]);
  await requirePasswordHash();
  openGeoip();
  requireUnserved();
  await tryAddress();
  await takeSupervisorsBroker();
  const lock = claimDataDirectory();
  const watch = watchMigration(tellMigration);
  try {
    const migrated = await openData({
      holdsLock: true,
      check: (existing) => requireKeyAtStart(existing, keyLost),
      beforeMigration: (extents) =>
        backUpBeforeMigration(extents, backup, (copy) =>
          log.info("the database is copied before its migration", { ...copy }),
        ),
      watch,
    });
    chainBacklog(watch.progress);
    await transact(() => provideKey(sqlite));
    takeKeys();
    await goOnWithRotation();
    removeUnfinishedBefores();
    if (migrated.length > 0) log.info("the database is migrated", { migrations: migrated.join(", ") });
    watch.end();
    return await bringUp(lock.release);
  } catch (error) {
    lock.undo();
    throw error;
  } finally {
    watch.end();
  }
}

/** Goes on with a rotation of the master key that was interrupted. It must not keep the server from its start. */
async function goOnWithRotation(): Promise<void> {
  try {
    const done = await resumeRotation();
    if (done) log.info("the interrupted rotation of the master key is done", { encrypted: done.encrypted });
  } catch (error) {
    log.error("the rotation of the master key was interrupted, and can't go on", describeError(error));
  }
}

/** Starts everything on the open database; `release` gives the data directory back at the end. */
async function bringUp(release: () => void): Promise<Running> {
  await transact(() => {
    seedIdentity();
    loadSystemConfig();
    seedCommunitySettings();
    checkClockAtStart();
    openFeed();
    startArrivals();
  });
  waitOutsideStatements();
  loadDetachments();
  removeUnfinished();
  const { app } = createApp();
  startBroadcasts();
  startHolds();
  startMetrics();
  const port = listen(app);
  startSockets();
  log.info("started", {
    version: VERSION,
    address: authorityOf(config["server.host"], port),
    data_dir: config["data.dir"],
    schema: newestMigration(),
    pid: process.pid,
  });
  const stopRecomputing = startRecomputing();
  const stopTimelines = startTimelines();
  startAutoTrips();
  startWatchingMakers();
  startDeliveries();
  startHearers();
  startMentions();
  startVersions();
  const stopOutbox = startOutbox();
  const stopJobs = startJobs();
  const stopReceiver = startReceiver();
  const stopVessels = startVessels();
  const stopMqtt = await startMqtt();
  const stopSync = await startSync();
  const stop = async () => {
    beginStop();
    const mqttStopped = stopMqtt();
    const syncStopped = stopSync();
    stopVessels();
    stopReceiver();
    stopJobs();
    stopRecomputing();
    stopTimelines();
    stopSockets();
    endHolds();
    await Promise.race([app.server?.stop(false), Bun.sleep(DRAIN_SECONDS * SECOND)]);
    await app.server?.stop(true);
    await mqttStopped;
    await syncStopped;
    await stopOutbox();
    await stopBackups();
    endCode();
    writeOpenings();
    closeDatabase();
    release();
  };
  return { port, url: openedAt(port), stop };
}

/** Starts to listen and returns the port. */
function listen(app: AnyElysia): number {
  const hostname = config["server.host"];
  const port = config["server.port"];
  try {
    // Without reusePort: Elysia's default lets a second server bind the same port and share its requests.
    app.listen({
      hostname,
      port,
      reusePort: false,
      development: false,
      idleTimeout: timeoutOf(config["server.idle_seconds"]),
      websocket: socketHandlers(),
    });
  } catch (error) {
    throw addressTrouble(error);
  }
  if (!app.server) throw new Error("the server does not listen");
  attachServer(app.server);
  chosePort(app.server.port ?? port);
  return app.server.port ?? port;
}

/** Stops on SIGTERM, SIGINT, SIGQUIT and SIGHUP, and at once on a second one. */
export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = async (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info("stopping", { signal });
    await stop();
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of stopSignals()) process.on(signal, () => onSignal(signal));
}

/** The command: serves, prints the address, and stops on a signal. */
export async function serveUntilStopped(options: ServeOptions): Promise<void> {
  const running = await serve(options);
  stopOnSignals(running.stop);
  say(
    `Fairlead listens on ${running.url}${config["docs.enabled"] ? ` (documentation: ${running.url}/docs)` : ""}`,
  );
  const isFirst = !hasSuperAdmin();
  // A log has no use for it.
  if (isFirst || process.stdout.isTTY) sayWhoReaches(running);
  if (isFirst) say("There is no administrator yet.");
  if (config["bridge.enabled"])
    offerFirstStart({
      say,
      isTerminal: process.stdout.isTTY === true,
      page: running.url,
      command: commandLine("user create", true),
    });
  if (isFirst)
    say(
      `${config["bridge.enabled"] ? "Or create" : "Create"} an account while the server is running: ${commandLine("user create")} --username NAME --email ADDRESS --role "Super Admin"`,
    );
}

/** Says how other machines reach a server without an address of its own: a phone that scans a code needs one. */
function sayWhoReaches({ url, port }: Running): void {
  if (!leadsToItself(new URL(url))) return;
  const [address] = ownAddresses(port);
  if (address !== undefined) say(`In your network: ${address}`);
  else if (listensToItselfAlone())
    say(
      `This machine alone reaches it. For phones in your network: ${isCompiled ? quoted(process.execPath) : "npm start --"} --host 0.0.0.0`,
    );
}

/** Prints a line for a person. The server serves on if nobody reads it. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * The command line with which a person calls another command on the same data directory, from any directory. A public one names
 * no path of this machine.
 */
function commandLine(command: string, isPublic = false): string {
  const program = isCompiled
    ? quoted(isPublic ? basename(process.execPath) : process.execPath)
    : "npm run -s fairlead --";
  const dataDir = config["data.dir"];
  // npm calls the source in its own directory.
  const isFound = !isCompiled && dataDir === resolve(import.meta.dir, "../data");
  const flags = [
    ...(configFile !== null && dirname(resolve(configFile)) !== dataDir
      ? [`--config ${isPublic ? "FILE" : quoted(resolve(configFile))}`]
      : []),
    ...(isFound ? [] : [`--data-dir ${isPublic ? "DIRECTORY" : quoted(dataDir)}`]),
  ];
  return [program, command, ...flags].join(" ");
}
