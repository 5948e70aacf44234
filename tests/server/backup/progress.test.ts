import { afterEach, expect, jest, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { logProgress, showProgress } from "../../../src/server/backup/progress";
import { temporaryDirectory } from "../../support/server";

/** A copy of which `bytes` bytes are written. */
function copying(bytes: number) {
  const partial = join(temporaryDirectory(), "copy.partial");
  writeFileSync(partial, new Uint8Array(bytes));
  return { partial, done: Promise.resolve(), cancel: () => {} };
}

afterEach(() => {
  jest.useRealTimers();
});

test("a long copy logs a line each ten seconds, and none afterwards", () => {
  jest.useFakeTimers();
  const written = spyOn(process.stdout, "write").mockImplementation(() => true);
  try {
    const stop = logProgress(copying(500_000), 2_000_000);
    jest.advanceTimersByTime(9_000);
    expect(written).toHaveBeenCalledTimes(0);
    jest.advanceTimersByTime(21_000);
    stop();
    jest.advanceTimersByTime(60_000);
    expect(written).toHaveBeenCalledTimes(3);
    expect(String(written.mock.calls[0]?.[0])).toContain("Copied 0.5 MB of 2.0 MB");
  } finally {
    written.mockRestore();
  }
});

test("on a terminal a long copy shows how far it is, and clears the line", () => {
  jest.useFakeTimers();
  const written = spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    const stop = showProgress(copying(2_000_000), 2_000_000);
    jest.advanceTimersByTime(1_000);
    stop();
    expect(written.mock.calls.map(([text]) => text)).toEqual([
      "\r\x1b[KChecking what was copied: 2.0 MB of 2.0 MB",
      "\r\x1b[KChecking what was copied: 2.0 MB of 2.0 MB",
      "\r\x1b[K",
    ]);
  } finally {
    written.mockRestore();
  }
});
