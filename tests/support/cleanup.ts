/**
 * Loaded before every test file (see bunfig.toml): removes the file's temporary directories, and reports the
 * API's answers that it has seen.
 */
import { afterAll } from "bun:test";
import { rmSync } from "node:fs";
import { reportSeen } from "./seen";

export const temporaryDirectories: string[] = [];

afterAll(() => {
  reportSeen();
  for (const directory of temporaryDirectories.splice(0)) rmSync(directory, { recursive: true, force: true });
});
