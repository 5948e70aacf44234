import { AppError } from "../errors/errors";
import { collect, inflated, readWhole, receive } from "./body";
import { bodyDecoder } from "./inflate";
import { expectAway, expectChunks } from "./unread";

/**
 * Reads messages of apps that keep what an error answers, and send it again for ever: a body of any type, and one that is
 * too large is read away, so that the app can be told that it is done.
 */

/** Bytes that a message may have, as it comes and decoded. */
const KEPT = 2 * 1024 * 1024;
/** Bytes up to which a larger one is read away. */
const AWAY = 16 * 1024 * 1024;

/** A body; `malformed` in no coding that is known, `too large`, or `endless`: then its connection should be closed. */
export type Message = Uint8Array | "malformed" | "too large" | "endless";

/**
 * The body of a request, decoded; empty if there is none. Throws 503 if others need the room for it, and 400, which nobody
 * gets, where the client left before it had sent it.
 */
export async function readMessage(request: Request): Promise<Message> {
  const declared = request.headers.get("content-length");
  if (declared === null ? request.body === null : Number(declared) === 0) return new Uint8Array(0);
  if (declared !== null && Number(declared) > AWAY) return "endless";
  try {
    const bytes = await received(request, declared === null ? null : Number(declared));
    if (bytes === null) return "too large";
    const decoder = bodyDecoder(request);
    return decoder && bytes.length > 0 ? await inflated(request, decoder, bytes, KEPT) : bytes;
  } catch (error) {
    // Nobody is there to be told that it is done.
    if (request.signal.aborted) throw error;
    const why = error instanceof AppError ? REFUSALS[error.name] : undefined;
    if (why === undefined) throw error;
    return isUnread.has(error as AppError) ? "endless" : why;
  }
}

const REFUSALS: Record<string, Message> = {
  PayloadTooLarge: "too large",
  UnsupportedMediaType: "malformed",
  BadRequest: "malformed",
};

/** Refusals that came while the body was still arriving. */
const isUnread = new WeakSet<AppError>();

/** The body as it came; null for one that was read away. */
function received(request: Request, length: number | null): Promise<Uint8Array | null> {
  if (length !== null && length <= KEPT) return readWhole(request, length);
  const body = request.body as ReadableStream<Uint8Array>;
  return receive(request, (end) => {
    const { grow, arrived } =
      length === null
        ? expectChunks(request, end)
        : { grow: () => {}, arrived: expectAway(request, length, end) };
    const limit = length === null ? KEPT : 0;
    const reading = collect(body, limit, grow, AWAY).catch((error) => {
      if (error instanceof AppError) isUnread.add(error);
      throw error;
    });
    return { arrived, reading: reading.then((bytes) => bytes ?? READ_AWAY) };
  }).then((bytes) => (bytes === READ_AWAY ? null : bytes));
}

const READ_AWAY = new Uint8Array(0);
