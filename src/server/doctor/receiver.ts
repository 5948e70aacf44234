import { config } from "../../configuration/config";
import { isServed } from "../../kernel/process/data-lock";
import { type Finding, ok, problem, warning } from "./findings";
import { runningServices } from "./running";

/** The doctor's look at the vessel's own receiver. Its address is tried with the other addresses outside. */

const CHECK = "own position";

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
  const position = (await runningServices())?.position;
  if (!position)
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
