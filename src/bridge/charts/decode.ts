import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { ChartFault } from "./chart";

/** Decodes parts of charts, in threads. What comes out is bounded while it comes: a file may lie about its contents. */

/** The ways in which a chart may be compressed. */
export type ChartCoding = "gzip" | "br";

const DECODERS = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

/** Decodes bytes. Throws ChartFault where they make more than `most` bytes or can't be decoded, which names `part`. */
export async function decode(
  bytes: Uint8Array<ArrayBuffer>,
  coding: ChartCoding | null,
  most: number,
  part: string,
): Promise<Uint8Array<ArrayBuffer>> {
  if (coding === null) return bytes;
  try {
    return await DECODERS[coding](bytes, { maxOutputLength: most });
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    throw new ChartFault(
      `has ${part} that ${isTooLarge ? `makes more than ${most} bytes` : "can't be decompressed"}`,
    );
  }
}
