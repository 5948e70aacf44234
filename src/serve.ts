import { dirname, resolve } from "node:path";
import type { AnyElysia } from "elysia";
import { createApp } from "./app";
import { chosePort, config, configFile, publicUrl } from "./config";
import { openGeoip } from "./identity/audit/geoip";
import { stopDeliveries } from "./identity/email/service";
import { seedIdentity } from "./identity/seed";
import { users } from "./identity/users/table";
import { startJobs } from "./jobs";
import { attachServer } from "./kernel/client";
import { SECOND } from "./kernel/clock";
import { requirePasswordHash } from "./kernel/crypto";
import {
  claimDataDirectory,
  loadMasterKey,
  openData,
  prepareDataDirectory,
  removeUnfinished,
} from "./kernel/data-dir";
import { closeDatabase, db, sqlite, transact, waitOutsideStatements } from "./kernel/db";
import { useMasterKey } from "./kernel/encryption";
import { beginStop } from "./kernel/lifecycle";
import { configureLog, log } from "./kernel/log";
import { newestMigration } from "./kernel/migrate";
import { addressTrouble } from "./kernel/operator";
import { isCompiled, quoted } from "./kernel/program";
import { stopSignals } from "./kernel/signals";
import { unreadable } from "./operations/backup/key-check";
import { stopBackups } from "./operations/backup/schedule";
import { seedCommunitySettings } from "./operations/community/settings";
import { startMetrics } from "./operations/metrics/service";
import { loadSystemConfig } from "./operations/system-config/service";
import { startVessels } from "./operations/vessels/service";
import { startBroadcasts } from "./realtime/broadcast";
import { socketHandlers, startSockets, stopSockets } from "./realtime/socket";
import { loadDetachments } from "./tracking/gps/detach";
import { VERSION } from "./version";

/** How long requests that are under way may take after a stop was asked for. */
const DRAIN_SECONDS = 5;

/** A server that listens. */
export interface Running {
  port: number;
  url: string;
  /** Lets requests finish, closes sockets with 1001, commits what is queued. */
  stop: () => Promise<void>;
}

/** Brings everything up on the configured data directory and address. */
export async function serve(): Promise<Running> {
  configureLog(config["log.level"], config["log.format"]);
  await requirePasswordHash();
  openGeoip();
  prepareDataDirectory();
  const release = claimDataDirectory();
  const migrated = openData(true);
  if (migrated.length > 0) log.info("the database is migrated", { migrations: migrated.join(", ") });
  useMasterKey(loadMasterKey());
  const sealed = unreadable(sqlite);
  if (sealed.length > 0)
    log.error("the master key is another one than the database was written with: put that back and restart", {
      cannot_read: sealed.join(", "),
    });
  await transact(() => {
    seedIdentity();
    loadSystemConfig();
    seedCommunitySettings();
  });
  waitOutsideStatements();
  loadDetachments();
  removeUnfinished();
  const { app } = createApp();
  startBroadcasts();
  startMetrics();
  const port = listen(app);
  startSockets();
  log.info("started", {
    version: VERSION,
    address: `${config["server.host"]}:${port}`,
    data_dir: config["data.dir"],
    schema: newestMigration(),
    pid: process.pid,
  });
  const stopJobs = startJobs();
  const stopVessels = startVessels();
  const stop = async () => {
    beginStop();
    stopVessels();
    stopJobs();
    stopSockets();
    await Promise.race([app.server?.stop(false), Bun.sleep(DRAIN_SECONDS * SECOND)]);
    await app.server?.stop(true);
    await stopDeliveries();
    await stopBackups();
    closeDatabase();
    release();
  };
  return { port, url: publicUrl(), stop };
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
      idleTimeout: 30,
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

/** The command: serves, tells where, and stops on a signal. */
export async function serveUntilStopped(): Promise<void> {
  const running = await serve();
  stopOnSignals(running.stop);
  const hasUsers = db.select({ id: users.id }).from(users).limit(1).get() !== undefined;
  say(
    `Fairlead listens on ${running.url}${config["docs.enabled"] ? ` and explains itself at ${running.url}/docs` : ""}`,
  );
  if (!hasUsers)
    say(
      `There is no user yet. Make the first one beside the running server: ${commandLine("user create")} --username NAME --email ADDRESS --role "Super Admin"`,
    );
}

/** Tells a person beside a server that serves on if nobody hears it. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** How a person calls another command on the same data directory, from wherever that is. */
function commandLine(command: string): string {
  const program = isCompiled ? quoted(process.execPath) : "npm run -s fairlead --";
  const dataDir = config["data.dir"];
  // npm calls the source in its own directory.
  const isFound = !isCompiled && dataDir === resolve(import.meta.dir, "../data");
  const flags = [
    ...(configFile !== null && dirname(resolve(configFile)) !== dataDir
      ? [`--config ${quoted(resolve(configFile))}`]
      : []),
    ...(isFound ? [] : [`--data-dir ${quoted(dataDir)}`]),
  ];
  return [program, command, ...flags].join(" ");
}
