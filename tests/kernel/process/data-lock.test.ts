import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { prepareDataDirectory } from "../../../src/kernel/process/data-dir";
import { claimDataDirectory, takeMakingLock } from "../../../src/kernel/process/data-lock";
import { configure } from "../../support/in-process";
import { temporaryDirectory } from "../../support/server";

/** A directory below another one that isn't there either. */
function useNewDirectory(): { above: string; dataDir: string } {
  const above = join(temporaryDirectory(), "new");
  const dataDir = join(above, "data");
  configure({ "data.dir": dataDir });
  return { above, dataDir };
}

test("a lock is taken in a directory that another process has just removed", () => {
  const { above, dataDir } = useNewDirectory();
  const undo = prepareDataDirectory();
  rmdirSync(dataDir);
  rmdirSync(above);
  const lock = takeMakingLock();
  expect(readdirSync(dataDir)).toEqual(["fairlead.db.new.lock"]);
  expect(takeMakingLock()).toBeNull();
  lock?.release();
  undo();
  expect(existsSync(above)).toBe(false);
});

test("a directory that was made anew is removed again by the one that made it", () => {
  const { above, dataDir } = useNewDirectory();
  const undoOfOther = prepareDataDirectory();
  const claim = claimDataDirectory();
  undoOfOther();
  expect(readdirSync(dataDir)).toEqual(["server.lock"]);
  claim.undo();
  expect(existsSync(above)).toBe(false);
});
