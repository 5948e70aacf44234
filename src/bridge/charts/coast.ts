import { lazy } from "../../kernel/values/lazy";
import archive from "../coast/coast.pmtiles" with { type: "file" };
import type { Archive } from "./chart";
import { openPmtiles } from "./pmtiles";

/** The base map inside the program: see ORIGIN.md beside it. */

export const COAST = "coast";

/** Bytes at the beginning that tell of the lengths of all parts: another map has others. */
const TELLING = 16_384;

export interface Coast {
  archive: Archive;
  version: string;
}

/** The base map. A slice of it is read for each tile, inside the executable too. */
export const coast = lazy(async (): Promise<Coast> => {
  const start = await Bun.file(archive).slice(0, TELLING).bytes();
  const version = new Bun.CryptoHasher("sha256").update(start).digest("base64url").slice(0, 12);
  return { archive: await openPmtiles(archive, version), version };
});
