import { config } from "../config";
import { machineError, reason } from "./disk";

/** What whoever runs the program is told, in one line, when it can't go on. */

/** Wrong arguments; the program ends with status 2. */
export class UsageError extends Error {}

/** Something about the machine stops the program; it ends with status 1 and this line. */
export class OperatorError extends Error {}

/** What to tell the operator where the machine failed under the data directory; null for any other error. */
export function dataTrouble(thrown: unknown): OperatorError | null {
  const error = machineError(thrown) as (Error & { path?: string }) | null;
  if (!error || !(error.path ?? config["data.dir"]).startsWith(config["data.dir"])) return null;
  return new OperatorError(`the data directory ${config["data.dir"]} cannot be used: ${reason(error)}`);
}
