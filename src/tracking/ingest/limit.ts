import { config } from "../../configuration/config";
import { takeToken } from "../../kernel/limits/rate-limit";
import { systemValue } from "../../runtime-settings/service";

/**
 * Counts positions against the limit of a credential. Returns null if they may come, else the seconds until they may; then
 * nothing is counted. More than the whole limit pass at once while the window is fresh.
 */
export function takePositions(credentialId: string, positions: number): number | null {
  if (!config["rate_limit.enabled"]) return null;
  const rate = { requests: systemValue("ingest.positions_per_minute"), seconds: 60 };
  const { allowed, resetSeconds } = takeToken(`positions ${credentialId}`, rate, positions);
  return allowed ? null : resetSeconds;
}
