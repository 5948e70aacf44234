import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { config } from "../../config";
import { dataPath } from "../../kernel/data-dir";
import { reason } from "../../kernel/disk";
import { OperatorError, remedy } from "../../kernel/operator";
import { print, sizeInWords } from "../../kernel/print";
import { stopSignals } from "../../kernel/signals";
import { VERSION } from "../../version";
import { startCopy } from "./copy";
import { showProgress, sizeOf } from "./progress";
import { type Restored, restoreBackup, rollBack } from "./restore";

/** The command `backup`: a consistent, checked copy beside the running server. */
export async function backup(target: string): Promise<void> {
  const file = resolve(target);
  const source = dataPath.database();
  if (existsSync(file)) throw new OperatorError(`${file} exists already; a backup overwrites nothing`);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`there is no directory ${dirname(file)} for the backup`);
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
  const copied = `Copied the database to ${file} (${sizeInWords(sizeOf(file))}), and checked the copy.`;
  await print([copied, ...keyToKeep()].join(" "));
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
        `Keep ${keyName()} as well, apart from it: without the key, what is encrypted in the copy cannot be read.`,
      ];

/** The command `restore`. */
export async function restore(given: string): Promise<void> {
  const file = resolve(given);
  if (process.stderr.isTTY) process.stderr.write(`Reading ${sizeInWords(sizeOf(file))} …\n`);
  const restored = restoreBackup(file);
  const lines = tellRestored(file, restored);
  if (restored.pending.length > 0)
    lines.push(
      `It is older than this version: the next start copies it once more and migrates it (${restored.pending.join(", ")}).`,
    );
  if (restored.unreadable.length === 0)
    lines.push("Start the server: sessions, keys and roles are those of the backup.");
  await print(lines.join("\n"));
}

function tellRestored(file: string, { size, former, unreadable }: Restored): string[] {
  const lines = [`Restored ${file} (${sizeInWords(size)}) to ${dataPath.database()}.`];
  if (former !== null) lines.push(`The former database is kept as ${former}; remove it once all is well.`);
  if (unreadable.length > 0)
    lines.push(
      `Warning: the key here does not open its ${unreadable.join(", ")}. Put the ${keyName()} that was in use when it was made in place: without it the server does not start.`,
    );
  return lines;
}

/** The command `rollback`. */
export async function rollback(): Promise<void> {
  requireDatabase(dataPath.database());
  const { file, ...restored } = rollBack();
  const { writtenBy, pending } = restored;
  const lines = tellRestored(file, restored);
  lines.push(
    writtenBy === null
      ? "It does not tell which version it was written by: install the one that ran before the upgrade."
      : `It is the database of version ${writtenBy}: install that version, and start it.`,
  );
  if (pending.length > 0)
    lines.push(
      `This version (${VERSION}) would copy it once more and migrate it again (${pending.join(", ")}).`,
    );
  await print(lines.join("\n"));
}

const keyName = (): string =>
  config["security.encryption_key"] === null ? dataPath.key() : "security.encryption_key";
