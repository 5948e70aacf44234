import { deliveriesState } from "../../alerts/deliveries/state";
import { config } from "../../configuration/config";
import { readBuild, VERSION } from "../../configuration/version";
import { db } from "../../kernel/db/connection";
import { counters } from "../../kernel/db/table";
import type { Client } from "../../kernel/http/client";
import { parseUserAgent } from "../../kernel/http/user-agent";
import { isStopping } from "../../kernel/process/lifecycle";
import { iso, isoOrNull, now, SECOND } from "../../kernel/time/clock";
import type { Locale } from "../../kernel/values/bilingual";
import { brokerState } from "../../mqtt/broker/state";
import { heartbeat, socketCounts } from "../../realtime/connections";
import { linkState } from "../../sync/aboard/link";
import { newestPosition } from "../../tracking/gps/service";
import { positionState } from "../../tracking/receiver/state";
import { backupState } from "../backup/schedule";
import { healthWarnings } from "./clock";
import { isWritable } from "./probe";
import type { ApiInfo, Health, Readiness } from "./schema";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds; a heartbeat later than this means that sockets are not served. */
const LATE = 5_000;

/** Asks each part of the server for its health, in words of a language. */
export async function health(self: string, locale: Locale): Promise<Health> {
  const seconds = process.uptime();
  const whole = Math.floor(seconds);
  const database = await timed(isDatabaseUp);
  const cache = await timed(readThroughCache);
  const websocket = { status: isHeartbeatOn() ? "up" : "down", ...socketCounts() };
  const backup = database.status === "up" ? backupHealth() : null;
  const warnings = database.status === "up" ? healthWarnings().map((warning) => warning[locale]) : [];
  const position = positionHealth(locale);
  const notifications = database.status === "up" ? notificationHealth() : null;
  const mqtt = database.status === "up" ? mqttHealth(locale) : null;
  const sync = database.status === "up" ? syncHealth(locale) : null;
  const isHealthy = [database, cache, websocket].every(({ status }) => status === "up");
  return {
    status: !isHealthy
      ? "unhealthy"
      : [backup, position, notifications, mqtt, sync].some((part) => part?.status === "down")
        ? "degraded"
        : "healthy",
    version: VERSION,
    timestamp: iso(now()),
    uptime: {
      days: Math.floor(whole / DAY),
      hours: Math.floor((whole % DAY) / HOUR),
      minutes: Math.floor((whole % HOUR) / MINUTE),
      seconds: whole % MINUTE,
      total: Math.round(seconds * 1_000) / 1_000,
    },
    services: {
      database,
      cache,
      websocket,
      ...(backup && { backup }),
      ...(position && { position }),
      ...(notifications && { notifications }),
      ...(mqtt && { mqtt }),
      ...(sync && { sync }),
    },
    ...(warnings.length > 0 && { warnings }),
    _links: { self },
  };
}

/** The result of a check, false and an error both being "down", and its duration. */
async function timed(
  check: () => boolean | Promise<boolean>,
): Promise<{ status: string; responseTime: number }> {
  const started = performance.now();
  const isUp = await Promise.try(check).catch(() => false);
  return { status: isUp ? "up" : "down", responseTime: Math.round(performance.now() - started) };
}

function isDatabaseUp(): Promise<boolean> {
  db.select({ name: counters.name }).from(counters).limit(1).get();
  return isWritable();
}

/** The cache of current positions answers from memory or, if it holds none, from the database. */
function readThroughCache(): boolean {
  newestPosition();
  return true;
}

const isHeartbeatOn = (): boolean => performance.now() - heartbeat.sweptAt < LATE;

/** The scheduled backups, if there are to be any. The server serves on while they fail. */
function backupHealth(): NonNullable<Health["services"]["backup"]> | null {
  const state = backupState();
  return (
    state && {
      status: state.failing ? "down" : "up",
      lastBackup: isoOrNull(state.newest),
      ageSeconds: state.newest === null ? null : Math.max(0, Math.floor((now() - state.newest) / SECOND)),
      ...(state.verified && {
        verifiedAt: iso(state.verified.at),
        isRestorable: state.verified.outcome === "sound",
      }),
    }
  );
}

/** The vessel's own receiver, if there is to be one. Without its fixes the rest works on. */
function positionHealth(locale: Locale): NonNullable<Health["services"]["position"]> | null {
  const state = positionState();
  return (
    state && {
      status: state.isUp ? "up" : "down",
      last_fix_at: isoOrNull(state.lastFixAt),
      reconnects: state.reconnects,
      trouble: state.trouble?.[locale] ?? null,
    }
  );
}

/** The MQTT broker, if there is to be one. The rest works on without it. */
function mqttHealth(locale: Locale): NonNullable<Health["services"]["mqtt"]> | null {
  const state = brokerState();
  if (!state) return null;
  const { isUp, trouble, ...facts } = state;
  return { status: isUp ? "up" : "down", ...facts, trouble: trouble?.[locale] ?? null };
}

/** The link to the shore, if there is to be one. A boat works on without it. */
function syncHealth(locale: Locale): NonNullable<Health["services"]["sync"]> | null {
  const state = linkState();
  return (
    state && {
      status: state.isUp ? "up" : "down",
      last_contact_at: isoOrNull(state.lastContactAt),
      is_metered: state.isMetered,
      bytes_today: state.bytesToday,
      waiting: state.lanes.reduce((sum, { rows }) => sum + rows, 0),
      lanes: state.lanes.map(({ ageSeconds, ...lane }) => ({ ...lane, age_seconds: ageSeconds })),
      trouble: state.trouble?.[locale] ?? null,
    }
  );
}

/** The outbox of alerts, if there are targets. The rest works on while some don't answer. */
function notificationHealth(): NonNullable<Health["services"]["notifications"]> | null {
  const state = deliveriesState();
  return (
    state && {
      status: state.isUp ? "up" : "down",
      waiting: state.waiting,
      oldest_seconds: state.oldestSeconds,
    }
  );
}

/** Tells if requests should be sent here, and if not, why. */
export async function readiness(): Promise<Readiness> {
  if (isStopping()) return { status: "not ready", reason: "stopping" };
  const { status } = await timed(isDatabaseUp);
  return status === "up"
    ? { status: "ready", reason: null }
    : { status: "not ready", reason: "the database takes no writes" };
}

export async function apiInfo({ address, userAgent }: Client): Promise<ApiInfo> {
  const { browser, os } = parseUserAgent(userAgent);
  const { version, commit, builtAt } = await readBuild();
  return {
    ...{ version, commit, built_at: builtAt },
    server: { uptime: Math.floor(process.uptime()) },
    client: { ip: address, userAgent: userAgent ?? "", browser, os },
    timestamp: iso(now()),
    _links: {
      self: "/v1",
      health: "/v1/health",
      ...(config["docs.enabled"] && { documentation: "/docs" }),
      openapi: "/v1/openapi.json",
      asyncapi: "/v1/asyncapi.json",
    },
  };
}
