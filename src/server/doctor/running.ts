import { boundedFetch, jsonOf } from "../../kernel/http/outbound";
import { SECOND } from "../../kernel/time/clock";
import { localAddress } from "../health/command";
import type { Health } from "../health/schema";

const BOUNDS = { timeout: 2 * SECOND, maxBytes: 65_536 };

/** The parts of the server that runs, as it tells of them; null where it tells nothing. */
export async function runningServices(): Promise<Health["services"] | null> {
  try {
    const answer = await boundedFetch(`${localAddress()}/health`, {}, BOUNDS);
    return ((await jsonOf(answer)) as Health).services;
  } catch {
    return null;
  }
}
