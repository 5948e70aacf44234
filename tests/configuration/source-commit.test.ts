import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCommit } from "../../src/configuration/source-commit";
import { temporaryDirectory } from "../support/server";

/** The commit of a source tree, as git knows it. */

const SECONDS = 1_777_887_000;

/** A work tree with one commit. */
function workTree(): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "file"), "one");
  const who = ["-c", "user.name=Anna", "-c", "user.email=anna@example.org", "-c", "commit.gpgsign=false"];
  const date = `@${SECONDS} +0200`;
  for (const args of [
    ["init", "-q"],
    ["add", "file"],
    [...who, "commit", "-qm", "First"],
  ])
    Bun.spawnSync(["git", "-C", directory, ...args], {
      env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
  return directory;
}

test.skipIf(Bun.which("git") === null)(
  "is that of a clean work tree, and marked where a tracked file has changed",
  async () => {
    const directory = workTree();
    const hash = Bun.spawnSync(["git", "-C", directory, "rev-parse", "HEAD"]).stdout.toString().trim();
    expect(await readCommit(directory)).toEqual({ commit: hash, at: SECONDS * 1_000 });
    writeFileSync(join(directory, "untracked"), "two");
    expect((await readCommit(directory))?.commit).toBe(hash);
    writeFileSync(join(directory, "file"), "two");
    expect((await readCommit(directory))?.commit).toBe(`${hash}-dirty`);
  },
);

test("isn't that of a tree around, and is unknown without one", async () => {
  const below = join(workTree(), "vendor");
  mkdirSync(below);
  expect(await readCommit(below)).toBeNull();
  expect(await readCommit(temporaryDirectory())).toBeNull();
  expect(await readCommit(join(temporaryDirectory(), "missing"))).toBeNull();
});
