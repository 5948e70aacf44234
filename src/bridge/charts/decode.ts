import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { type Bilingual, numberInGerman } from "../../kernel/values/bilingual";
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
  part: Bilingual,
): Promise<Uint8Array<ArrayBuffer>> {
  if (coding === null) return bytes;
  try {
    return await DECODERS[coding](bytes, { maxOutputLength: most });
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    throw new ChartFault(
      isTooLarge
        ? {
            en: `has ${part.en} that makes more than ${most} bytes`,
            de: `hat einen Teil (${part.de}), der entpackt mehr als ${numberInGerman(most)} Byte ergibt`,
          }
        : {
            en: `has ${part.en} that can't be decompressed`,
            de: `hat einen Teil (${part.de}), der sich nicht entpacken lässt`,
          },
    );
  }
}
