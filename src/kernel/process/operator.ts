import { config } from "../../configuration/config";
import { authorityOf } from "../values/authority";
import { BilingualError } from "../values/bilingual";
import { fullDisk, isDiskFull, machineError, reason } from "./disk";

/** Errors that end the program with one line for the operator (rule P1). */

/** Wrong arguments; the program ends with status 2. */
export class UsageError extends Error {}

/** The machine stops the program; it ends with status 1 and this line, in English. The doctor tells both languages where it has them. */
export class OperatorError extends BilingualError {}

/** Another program listens on the server's address. */
export class AddressInUse extends OperatorError {}

/** The operator's message for a failure of the machine under the data directory; null for any other error. */
export function dataTrouble(thrown: unknown): OperatorError | null {
  const error = machineError(thrown) as (Error & { path?: string }) | null;
  if (!error || !(error.path ?? config["data.dir"]).startsWith(config["data.dir"])) return null;
  return new OperatorError(`the data directory ${config["data.dir"]} cannot be used: ${trouble(error)}`);
}

/** Words for an error of the machine under the data directory, and the remedy. */
export function trouble(error: unknown): string {
  return isDiskFull(error) ? fullDisk(config["data.dir"]).en : `${reason(error)}${remedy(error)}`;
}

/** A remedy for a machine error under the data directory, as the end of a line; often empty. */
export function remedy(error: unknown): string {
  const code = String((machineError(error) as { code?: unknown } | null)?.code);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return "; restore a backup (fairlead restore FILE)";
  return code === "EACCES" ? "; run this as the server's user" : "";
}

/** The operator's message if the server can't listen on its address. */
export function addressTrouble(error: unknown): OperatorError {
  const { code } = error as { code?: string };
  const address = authorityOf(config["server.host"], config["server.port"]);
  if (code === "EADDRINUSE")
    return new AddressInUse({
      en: `${address} is in use; choose another server.port (--port N, FAIRLEAD_SERVER_PORT) or stop the other program`,
      de: `${address} ist belegt; wähle einen anderen server.port (--port N, FAIRLEAD_SERVER_PORT) oder beende das andere Programm`,
    });
  const cure =
    code === "EACCES"
      ? {
          en: "choose a server.port (--port N, FAIRLEAD_SERVER_PORT) above 1023",
          de: "wähle einen server.port (--port N, FAIRLEAD_SERVER_PORT) über 1023",
        }
      : {
          en: "set server.host (--host ADDRESS, FAIRLEAD_SERVER_HOST) to an address of this machine",
          de: "setze server.host (--host ADDRESS, FAIRLEAD_SERVER_HOST) auf eine Adresse dieses Rechners",
        };
  return new OperatorError({
    en: `cannot listen on ${address} (${code}); ${cure.en}`,
    de: `unter ${address} kann kein Server lauschen (${code}); ${cure.de}`,
  });
}
