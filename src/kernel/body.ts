import { config } from "../config";
import { AppError, badRequest } from "./errors";
import { canonicalUuids, isReference } from "./schema";

/** Reading the JSON body of a request, whatever is sent. */

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Nesting that no request of this API needs; deeper JSON would exhaust the stack of whoever walks it. */
const MAX_DEPTH = 64;

/** The JSON object in the body of a request; null when there is no body. Throws 400, 413 or 415. */
export async function readJson(request: Request): Promise<object | null> {
  const declared = request.headers.get("content-length");
  // To look at `body` makes a stream of it, and reading it all at once then takes longer.
  if (declared === null ? request.body === null : Number(declared) === 0) return null;
  const limit = config["server.max_body_bytes"];
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? ""))
    throw new AppError("UnsupportedMediaType", "Send the body as Content-Type: application/json");
  const text =
    declared === null
      ? await readBounded(request.body as ReadableStream, limit)
      : decode(await request.bytes());
  if (text === "") return null;
  const body = parseJson(text, "The request body");
  // Elysia would make an object of anything else before it checks the body against its schema.
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("ValidationError", "The body must be an object", {
      details: [{ path: "/", message: "must be an object" }],
    });
  if (text.includes('_id"')) canonicalUuids(body as Record<string, unknown>, isReference);
  return body;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Whether all keys and texts of a parsed body are Unicode: the store would put something else in place of the rest. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

/** JSON that a stranger sent; `what` begins the message about what is wrong with it. Throws 400. */
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

async function readBounded(body: ReadableStream<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** JSON is UTF-8 (RFC 8259, section 8.1); what isn't would be stored as something that was never sent. */
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
