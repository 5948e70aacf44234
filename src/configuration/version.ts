import { statSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

export const VERSION: string = manifest.version;

/** The build replaces this by the time at which it ran (.ci/build.ts); from source there is none. */
const BUILT_AT = process.env.FAIRLEAD_BUILT_AT;

/**
 * The time at which the executable was built, or from source at which package.json was last written; epoch
 * milliseconds. A clock that shows less is wrong.
 */
export const builtAt = (): number =>
  BUILT_AT === undefined ? statSync(join(import.meta.dir, "../../package.json")).mtimeMs : Number(BUILT_AT);
