/**
 * Requests to outside services, bounded in time and size, and sent to the configured address alone. The
 * operator chose these services, so a limit of bytes is enough: body.ts reads what strangers send.
 */

/**
 * The reason for a missing answer: a word for the operator, which quotes nothing of the answer or the
 * address.
 */
export class OutboundError extends Error {}

export interface Bounds {
  /** Milliseconds until the whole answer must be there. */
  timeout: number;
  /** Maximum bytes of an answer, unpacked. */
  maxBytes: number;
  /** Gives the request up: the error is `AbortError`. */
  signal?: AbortSignal;
}

/**
 * `fetch` within bounds: redirects are returned, not followed (ASVS 15.3.2), and the body is there whole.
 * Throws OutboundError.
 */
export async function boundedFetch(
  url: string | URL,
  init: RequestInit,
  { timeout, maxBytes, signal: givenUp }: Bounds,
): Promise<Response> {
  try {
    const late = AbortSignal.timeout(timeout);
    const signal = givenUp ? AbortSignal.any([late, givenUp]) : late;
    const answer = await fetch(url, { ...init, redirect: "manual", signal });
    const body = await readBounded(answer, maxBytes);
    const { status, statusText, headers } = answer;
    return new Response(status === 204 || status === 304 ? null : body, { status, statusText, headers });
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    // The class and code alone: a message may quote the answer or the address.
    const { name, code } = error as { name?: string; code?: string | number };
    throw new OutboundError(typeof code === "string" ? code : (name ?? "unknown"));
  }
}

async function readBounded(answer: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new OutboundError(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The JSON value of an answer. Throws OutboundError for anything else. */
export async function jsonOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    throw new OutboundError("not JSON");
  }
}

/**
 * The wait that an answer asks for (RFC 9110, section 10.2.3), in milliseconds, at most an hour; null if it
 * asks for none.
 */
export const retryAfter = (answer: Response, now: number): number | null =>
  retryWait(answer.headers.get("retry-after"), now);

/** The wait of a Retry-After header, as `retryAfter` tells it. */
export function retryWait(header: string | null, now: number): number | null {
  const value = header?.trim() ?? "";
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return wait > 0 ? Math.min(wait, 3_600_000) : null;
}
