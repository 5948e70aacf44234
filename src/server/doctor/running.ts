import { boundedFetch, jsonOf } from "../../kernel/http/outbound";
import { SECOND } from "../../kernel/time/clock";
import { localAddress } from "../health/command";
import type { Health } from "../health/schema";

const BOUNDS = { timeout: 2 * SECOND, maxBytes: 65_536 };

/** What the server that runs tells of its parts; null where it tells nothing. */
export async function runningServices(): Promise<Health["services"] | null> {
  try {
    const answer = await boundedFetch(`${localAddress()}/health`, {}, BOUNDS);
    return ((await jsonOf(answer)) as Health).services;
  } catch {
    return null;
  }
}
