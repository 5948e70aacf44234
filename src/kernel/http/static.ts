import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { inTurns } from "../limits/turns";
import { lazy } from "../values/lazy";
import { countUnsent, LARGE, SHARED } from "./unsent";

/** Content that is the same for everybody: pages, scripts, styles, the OpenAPI document. */

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export interface StaticContent {
  content: string | Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** The kernel copies megabytes of a large answer at once, which takes milliseconds. */
const nextTurn = inTurns();

/** Bytes; smaller content is sent uncompressed. */
const WORTH_COMPRESSING = 1_024;

/**
 * Answers with the content that `make` returns on the first request. It is kept compressed, and also
 * uncompressed once a client takes nothing else. All answers are sent from the same memory, of which the
 * runtime takes a part whenever a client has read on: it would copy bytes, non-ASCII texts and streams for
 * each of them.
 */
export function staticAnswer(make: () => Promise<StaticContent>): (request: Request) => Promise<Response> {
  const made = lazy(async () => {
    const { content, headers } = await make();
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const tag = new Bun.CryptoHasher("sha256").update(bytes).digest("base64url").slice(0, 22);
    const smaller = bytes.length < WORTH_COMPRESSING ? bytes : new Uint8Array(await compress(bytes));
    if (smaller.length >= bytes.length * 0.9) {
      const plain = new Blob([bytes]);
      return { headers, tag, compressed: null, plain: async () => plain };
    }
    const compressed = new Blob([smaller]);
    const plain = lazy(async () => new Blob([await decompress(await compressed.bytes())]));
    return { headers, tag, compressed, plain };
  });
  return async (request) => {
    const { headers, tag, compressed, plain } = await made();
    const isCompressed = compressed !== null && takesGzip(request.headers.get("accept-encoding"));
    const etag = isCompressed ? `"${tag}-gzip"` : `"${tag}"`;
    const told = {
      vary: "Accept-Encoding, Origin",
      ...headers,
      etag,
      ...(isCompressed && { "content-encoding": "gzip" }),
    };
    if (isKnown(etag, request.headers.get("if-none-match")))
      return new Response(null, { status: 304, headers: told });
    const body = isCompressed ? compressed : await plain();
    if (request.method !== "HEAD" && body.size > LARGE) {
      countUnsent(request, Math.min(body.size, SHARED));
      await nextTurn();
    }
    return new Response(body, { headers: told });
  };
}

/** True if an Accept-Encoding header prefers gzip to the content as it is (RFC 9110, section 12.5.3). */
export function takesGzip(header: string | null): boolean {
  const weights = new Map<string, number>();
  for (const item of header?.toLowerCase().split(",") ?? []) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(coding, Number(weight) || 0);
  }
  const gzipWeight = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  return gzipWeight > 0 && gzipWeight >= (weights.get("identity") ?? 0);
}

/** True if an If-None-Match header names this ETag, by weak comparison (RFC 9110, section 13.1.2). */
const isKnown = (etag: string, header: string | null): boolean =>
  header?.split(",").some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim())) ?? false;
