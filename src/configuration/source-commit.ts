import { resolve } from "node:path";

/** The commit of a source tree. */
export interface SourceCommit {
  /** Its hash, in 40 hexadecimal digits; with `-dirty` behind it where tracked files differ from it. */
  commit: string;
  /** When it was made; epoch milliseconds. */
  at: number;
}

/** Asks git for the commit of a source tree. Null without git, and for a directory that isn't the top of a work tree. */
export async function readCommit(directory: string): Promise<SourceCommit | null> {
  const [top, head, changed] = await Promise.all([
    git(directory, "rev-parse", "--show-toplevel"),
    git(directory, "show", "--no-patch", "--format=%H %ct", "HEAD"),
    git(directory, "--no-optional-locks", "status", "--porcelain", "--untracked-files=no"),
  ]);
  const [, hash, seconds] = /^([0-9a-f]{40}) (\d+)$/.exec(head ?? "") ?? [];
  if (top === null || resolve(top) !== resolve(directory) || hash === undefined) return null;
  return { commit: changed === "" ? hash : `${hash}-dirty`, at: Number(seconds) * 1_000 };
}

/** The output of a git command; null if it fails, or there is no git. No shell reads the words. */
async function git(directory: string, ...args: string[]): Promise<string | null> {
  try {
    const child = Bun.spawn(["git", "-C", directory, ...args], { stdio: ["ignore", "pipe", "ignore"] });
    const output = await new Response(child.stdout).text();
    return (await child.exited) === 0 ? output.trim() : null;
  } catch {
    return null;
  }
}
