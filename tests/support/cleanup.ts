/** Loaded before every test file (see bunfig.toml): removes what the file left in the temporary directory. */
import { afterAll } from "bun:test";
import { rmSync } from "node:fs";

export const temporaryDirectories: string[] = [];

afterAll(() => {
  for (const directory of temporaryDirectories.splice(0)) rmSync(directory, { recursive: true, force: true });
});
