import type { Transform } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { AppError, badRequest } from "../errors/errors";

/** Decodes compressed bodies of requests. What comes out is bounded while it comes: a zip bomb ends at the bound. */

/**
 * RFC 9659 lets a zstd frame ask for a window of 8 MiB at most. The decoder would allocate 128 MiB for a frame of twenty
 * bytes.
 */
const WINDOW = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };

export interface Decoder {
  sync: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;
  /** In a thread of the runtime's pool. */
  apart: (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;
  /** Decodes piece by piece, in the same threads. What comes out is for the caller to bound. */
  stream: () => Transform;
}

const gunzip: Decoder = {
  sync: zlib.gunzipSync,
  apart: promisify(zlib.gunzip),
  stream: () => zlib.createGunzip(),
};
const inflate: Decoder = {
  sync: zlib.inflateSync,
  apart: promisify(zlib.inflate),
  stream: () => zlib.createInflate(),
};
const unzstdApart = promisify(zlib.zstdDecompress);
/**
 * The bounded decoder takes the first part of a frame for the whole, and the one that notices has no bound: it decodes
 * again what is known to be small enough.
 */
const unzstd: Decoder = {
  sync: (bytes, options) => {
    zlib.zstdDecompressSync(bytes, { ...options, ...WINDOW });
    return Bun.zstdDecompressSync(bytes);
  },
  apart: async (bytes, options) => {
    await unzstdApart(bytes, { ...options, ...WINDOW });
    return await Bun.zstdDecompress(bytes);
  },
  stream: () => zlib.createZstdDecompress(WINDOW),
};

/** For what is compressed by its own format. */
export const ZSTD = unzstd;

const DECODERS = new Map([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["deflate", inflate],
  ["zstd", unzstd],
]);

/**
 * Bytes of a body, and of what it makes, that are decoded at once: a tenth of a millisecond. More go to a thread. A
 * megabyte that makes nothing, a hundred thousand empty frames, takes long too.
 */
const AT_ONCE = { compressed: 16 * 1024, decoded: 64 * 1024 };

/** The coding of a request's body; null if it comes as it is. Throws 415 for another than gzip, deflate and zstd. */
export function bodyDecoder(request: Request): Decoder | null {
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase();
  if (coding === undefined || coding === "" || coding === "identity") return null;
  const decoder = DECODERS.get(coding);
  if (decoder) return decoder;
  throw new AppError(
    "UnsupportedMediaType",
    "Send the body as it is, or in one coding: gzip, deflate or zstd",
    {
      headers: { "accept-encoding": "gzip, deflate, zstd" },
    },
  );
}

/** Decodes a small body. Returns null if it is large, or larger than `limit`. Throws 400 as `decodeApart` does. */
export function decodeAtOnce({ sync }: Decoder, bytes: Uint8Array, limit: number): Uint8Array | null {
  if (bytes.length > AT_ONCE.compressed) return null;
  try {
    return sync(bytes, { maxOutputLength: Math.min(limit, AT_ONCE.decoded) });
  } catch (error) {
    return nullIfTooLarge(error);
  }
}

/**
 * Decodes a body in a thread. Returns null if it makes more than `limit` bytes. Throws 400 for bytes that can't be
 * decoded.
 */
export async function decodeApart(
  { apart }: Decoder,
  bytes: Uint8Array,
  limit: number,
): Promise<Uint8Array | null> {
  try {
    return await apart(bytes, { maxOutputLength: limit });
  } catch (error) {
    return nullIfTooLarge(error);
  }
}

function nullIfTooLarge(error: unknown): null {
  if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") return null;
  throw badRequest("The request body is not in the coding that Content-Encoding names");
}
