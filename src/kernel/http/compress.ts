import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Compression of answers, for clients that ask for it. */

export type Coding = "br" | "zstd" | "gzip";

/** The codings of answers that are made for one request, best first. */
const QUICK: readonly Coding[] = ["zstd", "gzip"];

/** Bytes; a smaller answer is sent as it is. */
export const WORTH_COMPRESSING = 1_024;

/** Bytes that are compressed at once, within a millisecond; a larger answer goes to a thread. */
const AT_ONCE = 128 * 1024;

const gzipApart = promisify(gzip);

const NAMES: Record<Coding, string[]> = { br: ["br"], zstd: ["zstd"], gzip: ["gzip", "x-gzip"] };

/**
 * The coding that an Accept-Encoding header prefers, among equals the one that `offered` names first (RFC 9110, section
 * 12.5.3). Null for the content as it is.
 */
export function preferredCoding(header: string | null, offered: readonly Coding[]): Coding | null {
  if (header === null) return null;
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(coding, Number(weight) || 0);
  }
  const weightOf = (coding: Coding) => {
    const name = NAMES[coding].find((known) => weights.has(known)) ?? "*";
    return weights.get(name) ?? 0;
  };
  let best: Coding | null = null;
  let most = 0;
  for (const coding of offered) if (weightOf(coding) > most) [best, most] = [coding, weightOf(coding)];
  return most >= (weights.get("identity") ?? 0) ? best : null;
}

/**
 * Compresses the text of an answer if its client asks for that and it is worth it, and says so in `headers`. Returns the
 * text itself otherwise, and a promise if a thread does the work. Text that mixes a lasting secret with words of an
 * attacker must not come here: see "Compression" in docs/security.md.
 */
export function compressed(
  text: string,
  request: Request,
  headers: Record<string, string | number>,
): string | Uint8Array | Promise<Uint8Array> {
  if (text.length < WORTH_COMPRESSING) return text;
  headers.vary = headers.vary === undefined ? "Accept-Encoding" : `Accept-Encoding, ${headers.vary}`;
  const coding = preferredCoding(request.headers.get("accept-encoding"), QUICK);
  if (coding === null) return text;
  headers["content-encoding"] = coding;
  const bytes = Buffer.from(text);
  if (bytes.length > AT_ONCE)
    return coding === "zstd" ? Bun.zstdCompress(bytes) : gzipApart(bytes, { level: 1 });
  return coding === "zstd"
    ? Bun.zstdCompressSync(bytes)
    : Bun.gzipSync(bytes, { level: 1, library: "libdeflate" });
}
