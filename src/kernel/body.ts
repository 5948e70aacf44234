import { config } from "../config";
import { AppError, badRequest } from "./errors";
import { canonicalUuids, isReference } from "./schema";
import { expectBody, expectChunks } from "./unread";

/** Reads the JSON body of a request; any input is safe. */

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Deeper nesting than any request of this API needs; it would exhaust the stack of recursive code. */
const MAX_DEPTH = 64;

/**
 * The JSON object in the body of a request, of at most `most` bytes; null if there is no body. Throws 400, 413
 * or 415.
 */
export async function readJson(
  request: Request,
  most = config["server.max_body_bytes"],
): Promise<object | null> {
  const declared = request.headers.get("content-length");
  // Reading `body` makes a stream of it, and reading it all at once then takes longer.
  if (declared === null ? request.body === null : Number(declared) === 0) return null;
  const limit = Math.min(most, config["server.max_body_bytes"]);
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? ""))
    throw new AppError("UnsupportedMediaType", "Send the body as Content-Type: application/json", {
      // RFC 9110, section 15.5.16, and RFC 5789, section 2.2.
      headers: { [request.method === "PATCH" ? "accept-patch" : "accept"]: "application/json" },
    });
  const text = decode(
    await (declared === null
      ? readChunks(request, request.body as ReadableStream, limit)
      : readWhole(request, Number(declared))),
  );
  if (text === "") return null;
  const body = parseJson(text, "The request body");
  // Elysia would make an object of any other value before it checks the body against its schema.
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("ValidationError", "The body must be an object", {
      details: [{ path: "/", message: "must be an object" }],
    });
  if (text.includes('_id"')) canonicalUuids(body as Record<string, unknown>, isReference);
  return body;
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

/** Parses JSON that a stranger sent; `what` begins the error message. Throws 400. */
export function parseJson(text: string, what: string): unknown {
  if (text.length > MAX_DEPTH && nestsDeeperThan(MAX_DEPTH, text))
    throw badRequest(`${what} is nested deeper than ${MAX_DEPTH} levels`);
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
async function readWhole(request: Request, length: number): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const arrived = expectBody(request, length, reject);
  request.bytes().then(resolve, reject);
  try {
    return await promise;
  } finally {
    arrived();
  }
}

/** Reads a body in chunks. Throws 503 if others need the room for it. */
async function readChunks(
  request: Request,
  body: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const { grow, arrived } = expectChunks(request, reject);
  collect(body, limit, grow).then(resolve, reject);
  try {
    return await promise;
  } finally {
    arrived();
  }
}

/** Pieces of a body in chunks that may be of any size. */
const FREE_PIECES = 1_000;
/** Bytes that each piece of more has on average: a piece costs time and memory whatever its size. */
const SMALLEST_MEAN = 16;

/** Joins the pieces of a body as they come, since each kept for itself costs far more than its bytes. */
async function collect(
  body: ReadableStream<Uint8Array>,
  limit: number,
  grow: (bytes: number) => void,
): Promise<Uint8Array> {
  let joined = new Uint8Array(0);
  let size = 0;
  let pieces = 0;
  for await (const piece of body) {
    const before = size;
    size += piece.length;
    if (size > limit) throw tooLarge(limit);
    if (++pieces > FREE_PIECES && size < pieces * SMALLEST_MEAN) throw tooManyPieces();
    if (size > joined.length) {
      const room = Math.min(limit, 2 * size);
      grow(room - joined.length);
      const larger = new Uint8Array(room);
      larger.set(joined.subarray(0, before));
      joined = larger;
    }
    joined.set(piece, before);
  }
  return joined.subarray(0, size);
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** JSON is UTF-8 (RFC 8259, section 8.1); a lenient decoder would store something that was never sent. */
function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw badRequest("The request body is not UTF-8");
  }
}

function nestsDeeperThan(depth: number, json: string): boolean {
  let open = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++open > depth) return true;
    } else if (code === 0x5d || code === 0x7d) open--;
  }
  return false;
}
