import { scheduleCommit } from "../db/transactions";
import { AppError, badRequest } from "../errors/errors";
import { turnEnd } from "../time/turn-end";
import { listeningServer } from "./client";

/**
 * Bounds the requests that one connection sends at once (HTTP/1.1 pipelining, RFC 9112, section 9.3.2). The runtime
 * carries out all requests of one read before anything else, and a read holds thousands.
 */

/**
 * Requests of a turn of the event loop below which none is refused, or waits unless it has a credential: clients that
 * pipeline at all send a few.
 */
const FEW = 64;

/**
 * Milliseconds of processor time that the further ones may take until those without a credential had better wait for
 * the next turn, and until a connection gets one more answer in the turn: a thousand cheap requests.
 */
const COSTLY = 20;
const MOST = 40;

/**
 * Requests and milliseconds of a turn after which further ones with a credential had better wait for the next one. The
 * runtime ends a connection that pipelines while one of its requests waits.
 */
const SOME = 16;
const LONG = 10;

let inTurn = 0;
let began = 0;
/** Processor time of this thread when the turn had carried out a few requests, in milliseconds. */
let usedBefore = 0;
const served = new Set<string>();

function endTurn(): void {
  inTurn = 0;
  served.clear();
}

/** Processor time of this thread in milliseconds: what other programs of the machine take isn't in it. */
function used(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** True once the requests of this turn of the event loop are some and have taken long. */
export const isTurnLong = (): boolean => inTurn > SOME && performance.now() - began >= LONG;

/** True once more than a few requests of this turn have taken so many milliseconds of processor time. */
function haveTaken(milliseconds: number): boolean {
  // Asking for the time is ten times cheaper, and processor time is never more.
  return inTurn > FEW && performance.now() - began >= milliseconds && used() - usedBefore >= milliseconds;
}

/** True once the requests of this turn of the event loop are more than a few and have been costly. */
export const isTurnCostly = (): boolean => haveTaken(COSTLY);

/** Counts a request. Throws 503, with which the connection ends, for one of too many that came at once on it. */
export function countInTurn(request: Request): void {
  if (++inTurn === 1) {
    began = performance.now();
    setImmediate(endTurn);
  }
  if (inTurn === FEW) usedBefore = used();
  if (!haveTaken(MOST)) return;
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
