import { listeningServer } from "./client";
import { AppError } from "./errors";

/**
 * Bounds the requests that one connection sends at once (HTTP/1.1 pipelining, RFC 9112, section 9.3.2). The runtime
 * carries out all requests of one read before anything else, and a read holds thousands.
 */

/** Requests of a turn of the event loop below which none is refused: clients that pipeline at all send a few. */
const FEW = 64;

/** Milliseconds of a turn after which a connection gets one more answer in it. Requests differ by fifty times in cost. */
const LONG = 20;

let inTurn = 0;
let began = 0;
const served = new Set<string>();

function endTurn(): void {
  inTurn = 0;
  served.clear();
}

/** Counts a request. Throws 503, with which the connection ends, for one of too many that came at once on it. */
export function countInTurn(request: Request): void {
  if (++inTurn === 1) {
    began = performance.now();
    setImmediate(endTurn);
  }
  if (inTurn <= FEW || performance.now() - began < LONG) return;
  const peer = listeningServer()?.requestIP(request);
  if (!peer) return;
  const connection = `${peer.address} ${peer.port}`;
  if (served.has(connection))
    throw new AppError(
      "ServiceUnavailable",
      "Too many requests at once on one connection: wait for answers",
      {
        headers: { "retry-after": "1", connection: "close" },
      },
    );
  served.add(connection);
}
