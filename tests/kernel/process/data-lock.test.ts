import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
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

/** True if another process can take the lock of making a database. */
function isTakenByOther(dataDir: string): boolean {
  const file = JSON.stringify(join(dataDir, "fairlead.db.new.lock"));
  const code = `import { Database } from "bun:sqlite"; new Database(${file}).run("BEGIN EXCLUSIVE");`;
  return Bun.spawnSync([process.execPath, "-e", code]).exitCode === 0;
}

test("a lock is taken in a directory that another process has just removed", () => {
  const { above, dataDir } = useNewDirectory();
  const undo = prepareDataDirectory();
  rmdirSync(dataDir);
  rmdirSync(above);
  const lock = takeMakingLock();
  expect(readdirSync(dataDir)).toEqual(["fairlead.db.new.lock"]);
  // Nor does the attempt to take it twice let go of it.
  expect(takeMakingLock()).toBeNull();
  expect(isTakenByOther(dataDir)).toBe(false);
  lock?.release();
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

test("a directory is removed once the file of a command that waited is gone", async () => {
  const { above, dataDir } = useNewDirectory();
  const undo = prepareDataDirectory();
  const file = join(dataDir, "fairlead.db.new.lock");
  writeFileSync(file, "");
  const other = Bun.spawn(["sh", "-c", `sleep 0.2; rm ${file}`]);
  undo();
  expect(existsSync(above)).toBe(false);
  expect(await other.exited).toBe(0);
});

test("a lock whose file another process has replaced is no lock", async () => {
  const { dataDir } = useNewDirectory();
  prepareDataDirectory();
  const file = join(dataDir, "fairlead.db.new.lock");
  // Holds a file that is removed while this process waits for its lock, and then one of the same name.
  const other = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { Database } from "bun:sqlite";
       import { rmSync } from "node:fs";
       const hold = () => { const held = new Database(${JSON.stringify(file)}); held.run("BEGIN EXCLUSIVE"); return held; };
       const first = hold();
       console.log("held");
       await Bun.sleep(100);
       rmSync(${JSON.stringify(file)});
       const second = hold();
       first.close();
       await Bun.stdin.text();
       second.close();`,
    ],
    { stdin: "pipe", stdout: "pipe" },
  );
  await other.stdout.getReader().read();
  expect(takeMakingLock()).toBeNull();
  other.stdin.end();
  expect(await other.exited).toBe(0);
  const lock = takeMakingLock();
  expect(lock).not.toBeNull();
  lock?.release();
});

test("a lock that SQLite can't open leaves neither a file nor a directory", () => {
  // Longer than SQLite opens, and not too long for the kernel.
  const above = join(temporaryDirectory(), "new");
  const dataDir = join(above, ...Array<string>(5).fill("x".repeat(100)));
  configure({ "data.dir": dataDir });
  expect(claimDataDirectory).toThrow("cannot be taken");
  expect(existsSync(above)).toBe(false);
});
