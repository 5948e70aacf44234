import { config } from "../../configuration/config";
import { AppError, badRequest } from "../errors/errors";
import { inTurns } from "../limits/turns";
import { addressBlock, clientAddress } from "./client";
import { bodyDecoder, type Decoder, decodeApart, decodeAtOnce } from "./inflate";
import { canonicalUuids, isReference } from "./schema";
import { expectBody, expectChunks } from "./unread";

/**
 * Reads the body of a request, JSON or another text; any input is safe. Not the reader of outbound.ts: a stranger's body counts
 * towards the room that all clients share while it arrives, and may neither crawl in tiny pieces nor keep it.
 */

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Deeper nesting than any request of this API needs; it would exhaust the stack of recursive code. */
const MAX_DEPTH = 64;

/**
 * Members and items of a body, counted as commas: each costs a microsecond and more, and a megabyte holds half
 * a million. A request that is no batch needs 8,000 at most, in `metadata`.
 */
const MAX_VALUES = 16_000;

/** Bounds of a body: bytes once it is decoded, and values (members and items). */
export interface BodyBounds {
  bytes?: number;
  values?: number;
}

/** Bytes of bodies that one turn of the event loop reads, and the body that exceeds them: 30 ms at worst. */
const BYTES_A_TURN = 64 * 1024;
/** Bytes that count for each body beside its own: acting on a small one takes longer than reading it. */
const BYTES_OF_ANY = 1536;
const nextTurn = inTurns({ ofTurn: BYTES_A_TURN });

/**
 * The JSON object in the body of a request, within bounds, compressed or not; null if there is no body. Throws 400, 413
 * or 415.
 */
export async function readJson(
  request: Request,
  { bytes: most = Number.POSITIVE_INFINITY, values = MAX_VALUES }: BodyBounds = {},
): Promise<object | null> {
  const bytes = await readBytes(request, JSON_TYPE, "application/json", bodyLimit(most));
  if (bytes.length === 0) return null;
  const what = "The request body";
  const text = boundedText(bytes, what, values);
  const body = parseText(text, what);
  // Elysia would make an object of any other value before it checks the body against its schema.
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("ValidationError", "The body must be an object", {
      details: [{ path: "/", message: "must be an object" }],
    });
  if (text.includes('_id"')) canonicalUuids(body as Record<string, unknown>, isReference);
  return body;
}

/**
 * The text in the body of a request of one type, within bounds, compressed or not; empty if there is no body. Throws 400,
 * 413 or 415.
 */
export const readText = (request: Request, type: RegExp, typeName: string, most: number): Promise<string> =>
  readBytes(request, type, typeName, bodyLimit(most)).then(decodeUtf8);

const bodyLimit = (most: number): number => Math.min(most, config["server.max_body_bytes"]);

const NO_BYTES = new Uint8Array(0);

/**
 * The bytes in the body of a request of one type, at most `limit`, without their coding; none if there is no body. Throws 400, 413
 * or 415.
 */
export async function readBytes(
  request: Request,
  type: RegExp,
  typeName: string,
  limit: number,
): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  // Reading `body` makes a stream of it, and reading it all at once then takes longer.
  if (declared === null ? request.body === null : Number(declared) === 0) return NO_BYTES;
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  if (!type.test(request.headers.get("content-type") ?? ""))
    throw new AppError("UnsupportedMediaType", `Send the body as Content-Type: ${typeName}`, {
      // RFC 9110, section 15.5.16, and RFC 5789, section 2.2.
      headers: { [request.method === "PATCH" ? "accept-patch" : "accept"]: typeName },
    });
  const decoder = bodyDecoder(request);
  const bytes = await (declared === null
    ? readChunks(request, request.body as ReadableStream, limit)
    : readWhole(request, Number(declared)));
  return decoder !== null && bytes.length > 0 ? inflated(request, decoder, bytes, limit) : bytes;
}

/** Bytes of a body that does no harm if nobody reads it. */
const LITTLE = 16 * 1024;

/** True if a request comes without a body, or with a small one. */
export const announcesLittle = ({ headers }: Request): boolean =>
  !headers.has("transfer-encoding") && Number(headers.get("content-length") ?? 0) <= bodyLimit(LITTLE);

/** Reads a body away, on a route that takes none. Throws 413 where it is larger than one may be. */
export async function dropBody(request: Request): Promise<void> {
  const limit = bodyLimit(Number.POSITIVE_INFINITY);
  const declared = request.headers.get("content-length");
  if (Number(declared) > limit) throw tooLarge(limit);
  if (declared !== null) await readWhole(request, Number(declared));
  else if (request.body !== null) await readChunks(request, request.body, limit);
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * True if all keys and texts are valid Unicode: the store would replace lone surrogates by something else.
 */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

/** Parses JSON that a stranger sent, of at most `most` values; `what` begins the error message. Throws 400. */
export function parseJson(text: string, what: string, most = MAX_VALUES): unknown {
  requireSimple(Buffer.from(text), what, most);
  return parseText(text, what);
}

/**
 * The text of a body of JSON, which keeps its bytes no longer. A body beyond the bounds is refused before its text is made: that is
 * memory for as much again, and a megabyte of new memory takes milliseconds where the system is slow to give it. Throws 400.
 */
function boundedText(bytes: Uint8Array, what: string, most: number): string {
  try {
    requireSimple(bytes, what, most);
    return decodeUtf8(bytes);
  } finally {
    letGo(bytes);
  }
}

/**
 * Bytes of a piece of a body that is kept as it came, since to copy it costs more than to keep it apart, and of a buffer that is
 * freed at once, so that the next body takes its memory: the collector would free it far later.
 */
const LARGE_PIECE = 16 * 1024;

/** Frees bytes whose buffer is theirs alone, as that of each piece of a body is. */
function letGo({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= LARGE_PIECE) buffer.transfer(0);
}

/** The value of a JSON text that is known to be simple. Throws 400. */
function parseText(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(`${what} is not valid JSON`);
  }
  if (SURROGATE_ESCAPE.test(text) && !isWellFormed(value))
    throw badRequest(`${what} holds half a character (a lone surrogate)`);
  return value;
}

const tooLarge = (limit: number) =>
  new AppError("PayloadTooLarge", `The request body is larger than ${limit} bytes`);

const tooManyPieces = () =>
  new AppError("BadRequest", "The request body comes in too many small chunks; send larger ones", {
    // On a connection that stays open the others would still be sent.
    headers: { connection: "close" },
  });

/** Reads a body of declared length. Throws 503 if others need the room for it. */
export function readWhole(request: Request, length: number): Promise<Uint8Array> {
  return receive(request, (end) => ({
    arrived: expectBody(request, length, end),
    reading: request.bytes(),
  }));
}

/** Reads a body in chunks. Throws 503 if others need the room for it. */
function readChunks(request: Request, body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  return receive(request, (end) => {
    const { grow, arrived } = expectChunks(request, end);
    return { arrived, reading: collect(body, limit, grow) as Promise<Uint8Array> };
  });
}

/** A line that breaks is no failure of this program. */
const isCutOff = ({ signal }: Request, error: unknown): boolean =>
  signal.aborted && !(error instanceof AppError);

const cutOff = () => badRequest("The connection was closed before the body had arrived");

/**
 * A body that arrives, once it is whole and has its turn. Until then it is counted, and is let go at once when
 * it has to make room for others. Throws 400, which nobody gets, where the client left before it had sent it.
 */
export function receive<T extends { length: number }>(
  request: Request,
  begin: (end: (refusal: AppError) => void) => { arrived: () => void; reading: Promise<T> },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let bytes: T | null = null;
    let isOver = false;
    const { arrived, reading } = begin((refusal) => queueMicrotask(() => end(() => reject(refusal))));
    const end = (settle: () => void) => {
      bytes = null;
      if (isOver) return;
      isOver = true;
      settle();
      arrived();
    };
    const give = () => {
      const whole = bytes;
      if (whole !== null) end(() => resolve(whole));
    };
    // Nearly every body has its turn at once: a promise more would be a part of what a small request costs.
    reading.then(
      (read) => {
        if (isOver) return;
        bytes = read;
        const turn = nextTurn(() => addressBlock(clientAddress(request)), BYTES_OF_ANY + read.length);
        if (turn === null) give();
        else turn.then(give);
      },
      (error) => end(() => reject(isCutOff(request, error) ? cutOff() : error)),
    );
  });
}

/** Decodes a compressed body. Throws 400, 413, and 503 if others need the room for it. */
export async function inflated(
  request: Request,
  decoder: Decoder,
  bytes: Uint8Array,
  limit: number,
): Promise<Uint8Array> {
  const small = decodeAtOnce(decoder, bytes, limit);
  if (small) return small;
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
  const { grow, arrived } = expectChunks(request, reject);
  try {
    grow(limit);
    decodeApart(decoder, bytes, limit).then(resolve, reject);
    const whole = await promise;
    if (whole === null) throw tooLarge(limit);
    return whole;
  } finally {
    arrived();
  }
}

/** Pieces of a body in chunks that may be of any size. */
const FREE_PIECES = 1_000;
/** Bytes that each piece of more has on average: a piece costs time and memory whatever its size. */
const SMALLEST_MEAN = 16;

/**
 * Joins the pieces of a body. Small ones are joined as they come, since each kept for itself costs far more than its bytes;
 * large ones only once the body is whole, since most of those that a stranger sends to do harm never are. A body beyond `limit`
 * is read away up to `away` bytes, so that its client gets an answer; it comes as null. Large pieces are freed as soon as they have
 * no use.
 */
export async function collect(
  body: ReadableStream<Uint8Array>,
  limit: number,
  grow: (bytes: number) => void,
  away = limit,
): Promise<Uint8Array | null> {
  const kept: Uint8Array[] = [];
  let joined = NO_BYTES;
  let filled = 0;
  let size = 0;
  let counted = 0;
  let pieces = 0;
  let newest: Uint8Array = NO_BYTES;
  const letAllGo = () => {
    for (const bytes of [...kept, joined, newest]) letGo(bytes);
    kept.length = 0;
    joined = NO_BYTES;
    filled = 0;
  };
  const take = (piece: Uint8Array) => {
    newest = piece;
    size += piece.length;
    if (size > away) throw tooLarge(limit);
    if (++pieces > FREE_PIECES && size < pieces * SMALLEST_MEAN) throw tooManyPieces();
    if (size > limit) {
      // Its bytes stay counted: the runtime holds as many of the pieces to come.
      letAllGo();
      return;
    }
    if (size > counted) {
      // Joining them takes as much again for a moment.
      const room = Math.min(limit, 2 * size);
      grow(room - counted);
      counted = room;
    }
    if (piece.length >= LARGE_PIECE) {
      kept.push(joined.subarray(0, filled), piece);
      joined = NO_BYTES;
      filled = 0;
      return;
    }
    if (filled + piece.length > joined.length) {
      const larger = new Uint8Array(Math.min(limit, 2 * (filled + piece.length)));
      larger.set(joined.subarray(0, filled));
      letGo(joined);
      joined = larger;
    }
    joined.set(piece, filled);
    filled += piece.length;
  };
  try {
    for await (const piece of body) take(piece);
  } catch (error) {
    letAllGo();
    throw error;
  }
  if (size > limit) return null;
  if (kept.length === 0) return joined.subarray(0, filled);
  const whole = Buffer.concat([...kept, joined.subarray(0, filled)]);
  letAllGo();
  return whole;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** JSON is UTF-8 (RFC 8259, section 8.1); a lenient decoder would store something that was never sent. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw badRequest("The request body is not UTF-8");
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * True for an object without others in it and fewer bytes than it may have values, as nearly all bodies are. The runtime's own search
 * finds that out in a tenth of the time that counting takes.
 */
const isFlat = (json: Uint8Array, most: number): boolean =>
  json.length <= most && !json.includes(OPEN_BRACKET) && json.indexOf(OPEN_BRACE, 1) === -1;

/** Refuses a JSON text that nests too deep or holds too many values, before it is parsed. Throws 400. */
function requireSimple(json: Uint8Array, what: string, most: number): void {
  if (isFlat(json, most)) return;
  const { depth, values } = shapeOf(json);
  if (depth > MAX_DEPTH) throw badRequest(`${what} is nested deeper than ${MAX_DEPTH} levels`);
  if (values > most) throw badRequest(`${what} holds more than ${most} values`);
}

/**
 * Depth and number of values (members and items) of a JSON text that isn't parsed yet, counted by its brackets and commas: none of
 * them is a part of another character in UTF-8.
 */
export function shapeOf(json: Uint8Array): { depth: number; values: number } {
  let open = 0;
  let depth = 0;
  let commas = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const code = json[i];
    if (inString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === COMMA) commas++;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth = Math.max(depth, ++open);
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) open--;
  }
  return { depth, values: commas + 1 };
}
