import { config } from "../../config";
import type { Client } from "../../kernel/client";
import { iso, now } from "../../kernel/clock";
import { sqlite } from "../../kernel/db";
import { parseUserAgent } from "../../kernel/user-agent";
import { socketCounts } from "../../realtime/connections";
import { VERSION } from "../../version";
import type { ApiInfo, Health } from "./schema";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Whether the parts of the server are well, found out by asking them. */
export function health(self: string): Health {
  const seconds = process.uptime();
  const whole = Math.floor(seconds);
  const database = checkDatabase();
  return {
    status: database.status === "up" ? "healthy" : "unhealthy",
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
      // The caches live in this process: while it answers, they do.
      cache: { status: "up", responseTime: 0 },
      websocket: { status: "up", ...socketCounts() },
    },
    _links: { self },
  };
}

function checkDatabase(): { status: string; responseTime: number } {
  const started = performance.now();
  let status = "up";
  try {
    sqlite.query("SELECT name FROM counters LIMIT 1").get();
  } catch {
    status = "down";
  }
  return { status, responseTime: Math.round(performance.now() - started) };
}

export function apiInfo({ address, userAgent }: Client): ApiInfo {
  const { browser, os } = parseUserAgent(userAgent);
  return {
    version: VERSION,
    server: { uptime: Math.floor(process.uptime()) },
    client: { ip: address, userAgent: userAgent ?? "", browser, os },
    timestamp: iso(now()),
    _links: {
      self: "/v1",
      health: "/v1/health",
      ...(config["docs.enabled"] && { documentation: "/docs" }),
      openapi: "/v1/openapi.json",
    },
  };
}
