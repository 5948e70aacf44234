/**
 * Loaded before every test file (see bunfig.toml): removes what the file left in the temporary directory, and reports what
 * it has seen of the API.
 */
import { afterAll } from "bun:test";
import { rmSync } from "node:fs";
import { reportSeen } from "./seen";

export const temporaryDirectories: string[] = [];

afterAll(() => {
  reportSeen();
  for (const directory of temporaryDirectories.splice(0)) rmSync(directory, { recursive: true, force: true });
});
