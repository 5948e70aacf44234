import { AppError } from "../errors/errors";
import { logFailure } from "../errors/trouble";
import { giveSeconds } from "./client";

/** Answers that are made while they are sent: their clients decide how fast. */

const OF_CREDENTIAL = 5;
const IN_ALL = 50;
/** Seconds after which a client that reads nothing is cut off. */
const PATIENCE = 60;

const streams = new Map<string, number>();
let open = 0;

/**
 * The answer to HEAD in place of one that is made while it is sent: that would be made for nothing (RFC 9110, section 9.3.2).
 * Without the coding of GET the runtime would tell a length of 0, which GET does not have (section 8.6).
 */
export const headOfStreamed = (headers: Record<string, string>): Response =>
  new Response(null, { headers: { ...headers, "transfer-encoding": "chunked" } });

/** Streams a text part by part. Throws 503 where too many files are being sent already. */
export function streamed(
  request: Request,
  credentialId: string,
  text: AsyncGenerator<string>,
  headers: Record<string, string>,
): Response {
  const own = streams.get(credentialId) ?? 0;
  if (own >= OF_CREDENTIAL || open >= IN_ALL)
    throw new AppError("ServiceUnavailable", "Too many files are being sent; try again when one is done", {
      headers: { "retry-after": "10" },
    });
  streams.set(credentialId, own + 1);
  open++;
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    open--;
    const left = (streams.get(credentialId) ?? 1) - 1;
    if (left === 0) streams.delete(credentialId);
    else streams.set(credentialId, left);
  };
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        giveSeconds(request, PATIENCE);
        const { value, done } = await text.next();
        if (!done) {
          controller.enqueue(encoder.encode(value));
          return;
        }
        controller.close();
      } catch (error) {
        logFailure("a file could not be sent to its end", error);
        controller.error(error);
      }
      end();
    },
    async cancel() {
      end();
      await text.return(undefined);
    },
  });
  return new Response(body, { headers });
}
