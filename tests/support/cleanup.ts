/**
 * Loaded before every test file (see bunfig.toml): removes the file's temporary directories, closes what a test leaves open,
 * ends what hangs, and reports the API's answers that it has seen.
 */
import { afterAll, afterEach, beforeEach, setDefaultTimeout } from "bun:test";
import { rmSync } from "node:fs";
import { reportSeen } from "./seen";

// It ends what hangs, and is no bound of speed: a machine may be busy, and slow. It overrides `bun test --timeout`.
setDefaultTimeout(Number(process.env.TEST_TIMEOUT ?? 240_000));

export const temporaryDirectories: string[] = [];

let isInTest = false;
const endings: (() => Promise<unknown>)[] = [];

/** Lets something end after the test that runs now. Outside of a test, in a `beforeAll`, it lasts as long as it may. */
export function endAfterTest(end: () => Promise<unknown>): void {
  if (isInTest) endings.push(end);
}

beforeEach(() => {
  isInTest = true;
});
afterEach(async () => {
  isInTest = false;
  await Promise.all(endings.splice(0).map((end) => end()));
});

afterAll(() => {
  reportSeen();
  for (const directory of temporaryDirectories.splice(0)) rmSync(directory, { recursive: true, force: true });
});
