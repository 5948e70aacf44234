import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { config } from "../../config";
import { dataPath } from "../../kernel/data-dir";
import { reason } from "../../kernel/disk";
import { OperatorError, remedy } from "../../kernel/operator";
import { print } from "../../kernel/print";
import { stopSignals } from "../../kernel/signals";
import { type Copying, startCopy } from "./copy";
import { restoreBackup } from "./restore";

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The command `backup`: a consistent, checked copy beside the running server. */
export async function backup(target: string): Promise<void> {
  const file = resolve(target);
  const source = dataPath.database();
  if (existsSync(file)) throw new OperatorError(`${file} exists already; a backup overwrites nothing`);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`there is no directory ${dirname(file)} for the backup`);
  requireDatabase(source);
  // Before there is a file that a signal would leave behind.
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
  const copied = `Copied the database to ${file} (${megabytes(sizeOf(file))}), and checked the copy.`;
  await print([copied, ...keyToKeep()].join(" "));
}

/** Throws OperatorError where there is no database, or none that may be seen. */
function requireDatabase(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })) return;
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${reason(error)}${remedy(error)}`);
  }
  throw new OperatorError(`there is no database in ${config["data.dir"]}`);
}

/** Nothing where there is no key yet, and so nothing that it would open. */
const keyToKeep = (): string[] =>
  config["security.encryption_key"] === null && !existsSync(dataPath.key())
    ? []
    : [
        `Keep ${keyName()} as well, apart from it: without the key, what is encrypted in the copy cannot be read.`,
      ];

/** Shows on a terminal how far a copy is that takes longer than a moment. */
function showProgress({ partial }: Copying, whole: number): () => void {
  const timer = setInterval(() => {
    const copied = sizeOf(partial);
    const doing = copied < whole ? "Copied" : "Checking what was copied:";
    process.stderr.write(`\r\x1b[K${doing} ${megabytes(copied)} of ${megabytes(whole)}`);
  }, 500);
  return () => {
    clearInterval(timer);
    process.stderr.write("\r\x1b[K");
  };
}

/** The command `restore`. */
export async function restore(given: string): Promise<void> {
  const file = resolve(given);
  if (process.stderr.isTTY) process.stderr.write(`Reading ${megabytes(sizeOf(file))} …\n`);
  const { size, former, pending, unreadable } = restoreBackup(file);
  const lines = [`Restored ${file} (${megabytes(size)}) to ${dataPath.database()}.`];
  if (former !== null) lines.push(`The former database is kept as ${former}; remove it once all is well.`);
  if (pending.length > 0)
    lines.push(`It is older than this version: the next start migrates it (${pending.join(", ")}).`);
  if (unreadable.length > 0)
    lines.push(
      `Warning: the key here does not open its ${unreadable.join(", ")}. Put the ${keyName()} that was in use when it was made in place before the server starts.`,
    );
  else lines.push("Start the server: sessions, keys and roles are those of the backup.");
  await print(lines.join("\n"));
}

const keyName = (): string =>
  config["security.encryption_key"] === null ? dataPath.key() : "security.encryption_key";
