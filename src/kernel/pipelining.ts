import { listeningServer } from "./client";
import { scheduleCommit } from "./db";
import { AppError, badRequest } from "./errors";
import { turnEnd } from "./turn-end";

/**
 * Bounds the requests that one connection sends at once (HTTP/1.1 pipelining, RFC 9112, section 9.3.2). The runtime
 * carries out all requests of one read before anything else, and a read holds thousands.
 */

/** Requests of a turn of the event loop below which no connection is looked at: they take some 20 ms at worst. */
const CROWD = 1_000;

/** Further requests of one connection in such a turn. Clients that pipeline at all send a few. */
const MOST = 32;

let inTurn = 0;
const byConnection = new Map<string, number>();

function endTurn(): void {
  inTurn = 0;
  byConnection.clear();
}

/** Counts a request. Throws 503, with which the connection ends, for one of too many that came at once on it. */
export function countInTurn(request: Request): void {
  if (++inTurn === 1) setImmediate(endTurn);
  if (inTurn <= CROWD) return;
  const peer = listeningServer()?.requestIP(request);
  if (!peer) return;
  const connection = `${peer.address} ${peer.port}`;
  const count = (byConnection.get(connection) ?? 0) + 1;
  byConnection.set(connection, count);
  if (count > MOST)
    throw new AppError(
      "ServiceUnavailable",
      "Too many requests at once on one connection: wait for answers",
      {
        headers: { "retry-after": "1", connection: "close" },
      },
    );
}

/**
 * Waits until the runtime has read what came together with a request that may change something. It closes a connection
 * on which a request follows another that isn't answered yet, so the client would never learn that the first one was
 * carried out, and would send it again (rule H15). Throws if the connection is closed; nobody gets that answer.
 */
export async function requireConnected(request: Request): Promise<void> {
  const end = turnEnd();
  scheduleCommit();
  await end;
  if (request.signal.aborted)
    throw badRequest("The connection was closed before the request was carried out");
}
