import { promisify } from "node:util";
import { brotliCompress, constants, gunzip, gzip } from "node:zlib";
import { inTurns } from "../limits/turns";
import { lazy } from "../values/lazy";
import { type Coding, preferredCoding, WORTH_COMPRESSING } from "./compress";
import { isKnown } from "./etag";
import { countUnsent, LARGE, SHARED } from "./unsent";

/** Content that is the same for everybody: pages, scripts, styles, the OpenAPI document. */

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const brotli = promisify(brotliCompress);

export interface StaticContent {
  content: string | Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/**
 * Headers of every page: the pages that its links lead to learn no address, and no page of another origin shares its
 * window or embeds it.
 */
export const PAGE_HEADERS = {
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Content at an address. */
export interface StaticFile {
  /** A hash of the content. A request whose query is this tag gets an answer that caches keep for good. */
  tag: () => Promise<string>;
  answer: (request: Request) => Promise<Response>;
}

/** Codings that are offered, best first. */
const CODINGS: readonly Coding[] = ["br", "zstd", "gzip"];

/** The kernel copies megabytes of a large answer at once, which takes milliseconds. */
const nextTurn = inTurns();

/** Bytes that brotli compresses thoroughly, within a tenth of a second; the last percents take seconds. */
const THOROUGHLY = 2 * 1024 * 1024;

/** A file's names are its content's: nothing else is ever sent for one. */
const FOR_GOOD = "public, max-age=31536000, immutable";

/** Compresses content in a thread, once. */
const ENCODERS: Record<Exclude<Coding, "gzip">, (bytes: Uint8Array) => Promise<Uint8Array>> = {
  br: (bytes) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length > THOROUGHLY ? 4 : 7,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  zstd: (bytes) => Bun.zstdCompress(bytes, { level: 9 }),
};

/** The content in all its forms, each made at the first request for it. */
async function prepare({ content, headers }: StaticContent) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const tag = new Bun.CryptoHasher("sha256").update(bytes).digest("base64url").slice(0, 22);
  const smaller = bytes.length < WORTH_COMPRESSING ? bytes : await compress(bytes);
  if (smaller.length >= bytes.length * 0.9) {
    const plain = new Blob([bytes]);
    return { headers, tag, forms: null, plain: async () => plain };
  }
  const zipped = new Blob([new Uint8Array(smaller)]);
  const unzip = async () => decompress(await zipped.bytes());
  const made = (coding: keyof typeof ENCODERS) =>
    lazy(async () => new Blob([new Uint8Array(await ENCODERS[coding](await unzip()))]));
  const forms: Record<Coding, () => Promise<Blob>> = {
    br: made("br"),
    zstd: made("zstd"),
    gzip: async () => zipped,
  };
  return { headers, tag, forms, plain: lazy(async () => new Blob([await unzip()])) };
}

/**
 * Answers with the content that `make` returns on the first request. It is kept compressed, and also
 * uncompressed once a client takes nothing else. All answers are sent from the same memory, of which the
 * runtime takes a part whenever a client has read on: it would copy bytes, non-ASCII texts and streams for
 * each of them.
 */
export function staticFile(make: () => Promise<StaticContent>): StaticFile {
  const made = lazy(async () => prepare(await make()));
  const answer = async (request: Request) => {
    const { headers, tag, forms, plain } = await made();
    const coding = forms && preferredCoding(request.headers.get("accept-encoding"), CODINGS);
    const etag = coding ? `"${tag}-${coding}"` : `"${tag}"`;
    const told = {
      vary: "Accept-Encoding, Origin",
      ...headers,
      etag,
      ...(coding && { "content-encoding": coding }),
      ...(request.url.endsWith(`?${tag}`) && { "cache-control": FOR_GOOD }),
    };
    if (isKnown(etag, request.headers.get("if-none-match")))
      return new Response(null, { status: 304, headers: told });
    const body = await (forms && coding ? forms[coding]() : plain());
    if (request.method !== "HEAD" && body.size > LARGE) {
      countUnsent(request, Math.min(body.size, SHARED));
      await nextTurn();
    }
    return new Response(body, { headers: told });
  };
  return { tag: async () => (await made()).tag, answer };
}

/** `staticFile` for content that no page names by its tag. */
export const staticAnswer = (make: () => Promise<StaticContent>): StaticFile["answer"] =>
  staticFile(make).answer;
