import { config } from "../../configuration/config";
import { boundedFetch, jsonOf } from "../../kernel/http/outbound";
import { isServed } from "../../kernel/process/data-lock";
import { SECOND } from "../../kernel/time/clock";
import { localAddress } from "../health/command";
import type { Health } from "../health/schema";
import { type Finding, ok, problem, warning } from "./findings";

/** The doctor's look at the vessel's own receiver. Its address is tried with the other addresses outside. */

const CHECK = "own position";
const BOUNDS = { timeout: 2 * SECOND, maxBytes: 65_536 };

/**
 * Checks the device of the positions, and asks a server that runs about its receiver. `knowsDevice` is null where
 * none is configured.
 */
export async function checkReceiver(knowsDevice: boolean | null): Promise<Finding[]> {
  const source = config["position.source"];
  if (source === "none") return [];
  if (knowsDevice === false)
    return [
      problem(
        CHECK,
        `position.device is ${config["position.device"]}, which is no device, so no position is stored; set it to the id of one of GET /v1/devices, or leave it out`,
      ),
    ];
  if (!isServed()) return [ok(CHECK, `from ${source}; whether fixes come shows once the server runs`)];
  const position = await askServer();
  if (position === null)
    return [
      warning(CHECK, "the server doesn't tell of it; restart the server, so that it reads the configuration"),
    ];
  const { status, trouble, reconnects, last_fix_at } = position;
  const times = reconnects === 1 ? "once" : `${reconnects} times`;
  const history = `${reconnects === 0 ? "" : `; reconnected ${times} since the start`}`;
  return status === "up"
    ? [ok(CHECK, `from ${source}, newest fix at ${last_fix_at}${history}`)]
    : [
        problem(
          CHECK,
          `no fix from ${source} since ${last_fix_at ?? "the start"}: ${trouble}${history}; check the receiver, its antenna and position.url`,
        ),
      ];
}

/** The state of the receiver by the server that runs; null where it tells none. */
async function askServer(): Promise<NonNullable<Health["services"]["position"]> | null> {
  try {
    const answer = await boundedFetch(`${localAddress()}/health`, {}, BOUNDS);
    return ((await jsonOf(answer)) as Health).services.position ?? null;
  } catch {
    return null;
  }
}
