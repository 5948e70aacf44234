import { existsSync, lstatSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { config } from "../../configuration/config";
import { VERSION } from "../../configuration/version";
import { placeOf } from "../../kernel/db/database-file";
import { dataPath, missingKeyFile } from "../../kernel/process/data-dir";
import { reason } from "../../kernel/process/disk";
import { OperatorError, remedy } from "../../kernel/process/operator";
import { print, sizeInWords } from "../../kernel/process/print";
import { stopSignals } from "../../kernel/process/signals";
import { keyName } from "../keys/check";
import { startCopy } from "./copy";
import { showProgress, sizeOf } from "./progress";
import { type Restored, restoreBackup, rollBack } from "./restore";

/** The command `backup`: a consistent, checked copy beside the running server. */
export async function backup(target: string): Promise<void> {
  const file = resolve(target);
  const source = dataPath.database();
  if (isLinkToNowhere(file))
    throw new OperatorError(`${file} is a link to a place that does not exist; choose another name`);
  if (existsSync(file))
    throw new OperatorError(
      `${file} already exists, and a backup never overwrites a file; choose another name`,
    );
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`the directory ${dirname(file)} does not exist`);
  if (isOwnName(file))
    throw new OperatorError(`${file} is a name that Fairlead itself uses there; choose another name`);
  requireDatabase(source);
  // Installed before there is a file that a signal would leave behind.
  for (const signal of stopSignals()) process.on(signal, () => copying.cancel());
  const copying = startCopy(source, file);
  const stopShowing = process.stderr.isTTY ? showProgress(copying, sizeOf(source)) : () => {};
  try {
    await copying.done;
  } catch (error) {
    throw new OperatorError(`the backup of ${source} to ${file} failed: ${reason(error)}`);
  } finally {
    stopShowing();
  }
  const copied = `Copied the database to ${file} (${sizeInWords(sizeOf(file))}) and checked the copy.`;
  await print([copied, ...keyToKeep()].join(" "));
}

/** Names of files in the data directory that SQLite or this program reads, or removes as leftovers. */
const OWN_NAMES =
  /^fairlead\.db-(wal|shm|journal)$|^fairlead-before-restore-|\.partial(-journal)?$|^fairlead\.toml$/;

/** True for a path that SQLite or this program uses for something else, though nothing may be there now. */
function isOwnName(file: string): boolean {
  const [directory, name] = [placeOf(dirname(file)), basename(file)];
  const isIn = (path: string) => directory === placeOf(path);
  if ([config["data.dir"], dirname(placeOf(dataPath.database()))].some(isIn) && OWN_NAMES.test(name))
    return true;
  return Object.values(dataPath).some((path) => isIn(dirname(path())) && name === basename(path()));
}

function isLinkToNowhere(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !existsSync(path);
  } catch {
    // Nothing is there, or nothing that this user may see.
    return false;
  }
}

/** Throws OperatorError if there is no database, or none that this user may see. */
function requireDatabase(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })) return;
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${reason(error)}${remedy(error)}`);
  }
  throw new OperatorError(`there is no database in ${config["data.dir"]}`);
}

/** The key file to keep with a backup; empty while there is no key, and so nothing that it would open. */
const keyToKeep = (): string[] =>
  config["security.encryption_key"] === null && !existsSync(dataPath.key())
    ? []
    : [
        `Keep ${keyName()} as well, in another place: without it, the encrypted data in the copy cannot be read.`,
      ];

/** The command `restore`. */
export async function restore(given: string): Promise<void> {
  const file = resolve(given);
  const restored = restoreBackup(file, (size) => {
    if (process.stderr.isTTY) process.stderr.write(`Reading ${sizeInWords(size)} …\n`);
  });
  const lines = tellRestored(file, restored);
  if (restored.pending.length > 0)
    lines.push(
      `It was made by an older version: the next start makes another copy, then migrates it (${restored.pending.join(", ")}).`,
    );
  if (whyRefused(restored) === null)
    lines.push("You can start the server now. Sessions, keys and roles are those of the backup.");
  await print(lines.join("\n"));
}

function tellRestored(file: string, restored: Restored): string[] {
  const { size, former, unreadable } = restored;
  const lines = [`Restored ${file} (${sizeInWords(size)}) to ${dataPath.database()}.`];
  if (former !== null)
    lines.push(`The former database is kept as ${former}; remove it when you no longer need it.`);
  const why = whyRefused(restored);
  if (why !== null) lines.push(`Warning: ${why}; without it the server does not start.`);
  else if (unreadable !== "")
    lines.push(
      `Warning: the current key cannot decrypt some of its ${unreadable}; fairlead doctor says more.`,
    );
  return lines;
}

/** The trouble with the key for which the server does not start on what was restored, and the remedy; null if it does. */
function whyRefused({ unreadable, isRefused }: Restored): string | null {
  if (!isRefused) return missingKeyFile()?.en ?? null;
  return `the current key cannot decrypt its ${unreadable}. Restore the ${keyName()} that was in use when the backup was made`;
}

/** The command `rollback`. */
export async function rollback(): Promise<void> {
  requireDatabase(dataPath.database());
  const { file, ...restored } = rollBack();
  const { writtenBy, pending } = restored;
  const lines = tellRestored(file, restored);
  lines.push(
    writtenBy === null
      ? "The version that wrote it is not recorded: install the one that ran before the upgrade."
      : `It belongs to version ${writtenBy}: install and start that version.`,
  );
  if (pending.length > 0)
    lines.push(
      `Started again, this version (${VERSION}) would make another copy and migrate it again (${pending.join(", ")}).`,
    );
  await print(lines.join("\n"));
}
