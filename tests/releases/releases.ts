import { readdirSync } from "node:fs";
import { join } from "node:path";
import { semver } from "bun";
import type { Settings } from "../support/server";
import type { ApiDocument } from "./compatibility";

/** All that is kept of a release, in a folder of its version: see keep.ts. */

/** The words by which a reader of the database authenticates. */
export interface Caller {
  name: "admin" | "anna" | "system";
  token: string;
}

export interface KeptAnswer {
  caller: Caller["name"];
  path: string;
  body: unknown;
}

/** A database that a release has filled, by what it answered out of it. */
export interface Kept {
  version: string;
  commit: string;
  /** Epoch milliseconds. */
  madeAt: number;
  /** Value of `security.encryption_key`. */
  encryptionKey: string;
  /** Others without which a server would forget what it told others; none of releases before 1.0.0. */
  settings?: Settings;
  callers: Caller[];
  answers: KeptAnswer[];
}

/**
 * Milliseconds between the end of the release's server and the start of one that is asked the same, by their clocks: less than
 * anything lasts that is to be there still.
 */
export const PAUSE = 10_000;

/** The versions that are kept, oldest first. */
export const RELEASES: string[] = readdirSync(import.meta.dir)
  .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
  .sort(semver.order);

const unpack = async (version: string, name: string): Promise<Uint8Array> =>
  Bun.gunzipSync(await Bun.file(join(import.meta.dir, version, name)).bytes());
const text = async (version: string, name: string): Promise<string> =>
  new TextDecoder().decode(await unpack(version, name));

export const documentOf = async (version: string): Promise<ApiDocument> =>
  JSON.parse(await text(version, "openapi.json.gz"));
export const answersOf = async (version: string): Promise<Kept> =>
  JSON.parse(await text(version, "answers.json.gz"));
export const databaseOf = (version: string): Promise<Uint8Array> => unpack(version, "fairlead.db.gz");

/** Writes a compressed file; the same content gives the same bytes. */
export async function pack(file: string, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  await Bun.write(file, Bun.gzipSync(bytes as Uint8Array<ArrayBuffer>, { level: 9 }));
}

/** A JSON value whose members are in the order of their names, so that only a change of content changes the file. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
