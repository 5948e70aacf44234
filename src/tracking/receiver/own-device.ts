import { config } from "../../configuration/config";
import { sqlite } from "../../kernel/db/connection";
import { record, recorded } from "../../kernel/db/program-record";
import { transact } from "../../kernel/db/transactions";
import { insertDevice } from "../devices/service";
import { isDevice } from "../ingest/journeys";

/** The device that the box's own receiver reports for. */

const NAME = "This vessel";

/**
 * Its identifier: the configured one, else that of the device which was made for the receiver, which the database
 * remembers. Null if there is none now.
 */
export function ownDevice(): string | null {
  const id = config["position.device"] ?? recorded(sqlite, "own_device");
  return id !== null && isDevice(id) ? id : null;
}

/** Makes the device and remembers it, unless there is one. Throws 409 if there are too many devices. */
export function makeOwnDevice(): Promise<string> {
  return transact((): string => {
    const known = ownDevice();
    if (known !== null) return known;
    const id = insertDevice({ name: NAME, device_type: "vessel" });
    record(sqlite, "own_device", id);
    return id;
  });
}
