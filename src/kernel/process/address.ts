import { config } from "../../configuration/config";
import { addressTrouble } from "./operator";

/**
 * Listens on the server's address for a moment, answering "not ready" to any request meanwhile. Throws
 * OperatorError if nothing can listen there, so that a start that has to fail does so before it makes or
 * changes anything.
 */
export async function tryAddress(): Promise<void> {
  const [hostname, port] = [config["server.host"], config["server.port"]];
  const notReady = () => new Response(null, { status: 503, headers: { "retry-after": "1" } });
  try {
    await Bun.serve({ hostname, port, reusePort: false, fetch: notReady }).stop(true);
  } catch (error) {
    throw addressTrouble(error);
  }
}
