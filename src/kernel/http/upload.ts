import { config } from "../../configuration/config";
import { AppError, badRequest } from "../errors/errors";
import { SECOND } from "../time/clock";
import { letStall } from "./client";
import { bodyDecoder, type Decoder } from "./inflate";
import { unpack } from "./unpack";

/**
 * Large files as bodies, which a route reads itself: nothing of them is kept, and the client may send more only when the
 * last piece was taken.
 */

export interface Upload<Type extends string> {
  type: Type;
  /** The `charset` parameter of the content type; null if there is none. */
  charset: string | null;
  /**
   * The file without its coding. Each piece holds until the next one is asked for. Throws 400 for a file that breaks off or
   * comes too slowly, and 413.
   */
  pieces: AsyncIterable<Uint8Array>;
}

/** Bytes a second, in the mean, of a client for which the server waits; slower ones would hold their place for hours. */
const SLOWEST = 8 * 1024;

/**
 * The file in the body of a request, of one of these media types and at most `limit` bytes, compressed or not. Throws 413
 * and 415.
 */
export function uploadOf<Type extends string>(
  request: Request,
  types: readonly Type[],
  limit: number,
): Upload<Type> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const [name = "", ...parameters] = (request.headers.get("content-type") ?? "").split(";");
  const type = types.find((known) => known === name.trim().toLowerCase());
  if (!type)
    throw new AppError("UnsupportedMediaType", `Send the body as Content-Type: ${types.join(", ")}`, {
      headers: { accept: types.join(", ") },
    });
  const decoder = bodyDecoder(request);
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([\w.:-]{1,40})"?\s*$/i.exec(one)?.[1]);
  const received = receivedBy(request);
  return {
    type,
    charset: charset.find((one) => one !== undefined) ?? null,
    pieces: within(decoder ? decoded(received, decoder) : received, limit),
  };
}

const tooLarge = (limit: number) => new AppError("PayloadTooLarge", `The file is larger than ${limit} bytes`);

async function* within(pieces: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > limit) throw tooLarge(limit);
    yield piece;
  }
}

/** The bytes of a body as they arrive. A client that sends nothing for the idle time-out is cut. */
async function* receivedBy(request: Request): AsyncGenerator<Uint8Array> {
  const body = request.body?.getReader();
  if (!body) return;
  let size = 0;
  let waited = 0;
  try {
    for (;;) {
      // The runtime counts the time in which nothing is read from it as the client's.
      letStall(request);
      const asked = performance.now();
      const { done, value } = await body.read();
      if (done) return;
      size += value.length;
      waited += performance.now() - asked;
      if (size < (waited / SECOND - config["server.idle_seconds"]) * SLOWEST) throw tooSlow();
      yield value;
      // Frees the piece. It is old enough by now that a collection of garbage would take seconds to find it.
      value.buffer.transfer(0);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw badRequest("The connection was closed before the file was whole");
  } finally {
    body.cancel().catch(() => {});
  }
}

const tooSlow = () =>
  new AppError("BadRequest", `The file comes more slowly than ${SLOWEST} bytes a second`, {
    headers: { connection: "close" },
  });

async function* decoded(pieces: AsyncIterable<Uint8Array>, { stream }: Decoder): AsyncGenerator<Uint8Array> {
  try {
    yield* unpack(pieces, stream());
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw badRequest("The file breaks off, or is not in the coding that Content-Encoding names");
  }
}
