import { statSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { readCommit } from "./source-commit";

export const VERSION: string = manifest.version;

/** The build replaces these by a time and a commit (.ci/build.ts), of which the latter may be empty; from source there are none. */
const BUILT_AT = process.env.FAIRLEAD_BUILT_AT;
const COMMIT = process.env.FAIRLEAD_BUILT_FROM;

const ROOT = join(import.meta.dir, "../..");

/**
 * The time of the build, or from source the one at which package.json was last written; epoch milliseconds. A
 * clock that shows less is wrong.
 */
export const builtAt = (): number =>
  BUILT_AT === undefined ? statSync(join(ROOT, "package.json")).mtimeMs : Number(BUILT_AT);

/** The source from which the program was made. */
export interface Build {
  version: string;
  /** Hash of the commit, with `-dirty` behind it where files were changed since; null if it isn't known. */
  commit: string | null;
  /** Time of the commit, unless the build was given another one, as ISO 8601; null if it isn't known. */
  builtAt: string | null;
}

let known: Promise<Build> | undefined;

/** The build. From source it is the commit that is checked out, for which git is asked once. */
export function readBuild(): Promise<Build> {
  known ??= findBuild();
  return known;
}

async function findBuild(): Promise<Build> {
  if (BUILT_AT !== undefined)
    return { version: VERSION, commit: COMMIT || null, builtAt: new Date(Number(BUILT_AT)).toISOString() };
  const source = await readCommit(ROOT);
  return {
    version: VERSION,
    commit: source?.commit ?? null,
    builtAt: source && new Date(source.at).toISOString(),
  };
}

/** The build as a line, which begins with the version: "0.2.0 (commit …, 2026-11-22T19:25:45.000Z)". */
export async function describeBuild(): Promise<string> {
  const { version, commit, builtAt } = await readBuild();
  return `${version} (commit ${commit ?? "unknown"}, ${builtAt ?? "date unknown"})`;
}
