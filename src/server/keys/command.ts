import { existsSync } from "node:fs";
import { config } from "../../configuration/config";
import { withData } from "../../kernel/db/open-data";
import { dataPath } from "../../kernel/process/data-dir";
import { OperatorError } from "../../kernel/process/operator";
import { print } from "../../kernel/process/print";
import { type Rotated, rotateMasterKey } from "./rotate";

/** `fairlead key rotate-master`. */

/** Rotates the master key and prints what was done. Throws OperatorError, and ConfigError for another key than that of the database. */
export async function rotateKey(): Promise<void> {
  if (config["security.encryption_key"] !== null)
    throw new OperatorError(
      "the key is the value of security.encryption_key, which this command cannot change: write it into a file, set security.encryption_key_file to its path instead, and call this again",
    );
  const database = dataPath.database();
  if (!existsSync(database)) throw new OperatorError(`there is no database at ${database}`);
  const show = process.stderr.isTTY
    ? (done: number, total: number) =>
        process.stderr.write(`\r\x1b[K${done < total ? `Encrypted ${done} of ${total} secrets` : ""}`)
    : () => {};
  const rotated = await withData(() => rotateMasterKey(show));
  const { unreadable } = rotated;
  const path = dataPath.key();
  const lines = [
    whatWasDone(rotated, path),
    `Copy ${path} to where you keep the key, and make a backup now: the former key alone decrypts what is in older ones.`,
  ];
  if (unreadable.length > 0)
    lines.push(`Warning: neither key decrypts some of the ${unreadable.join(", ")}; these were lost before.`);
  await print(lines.join("\n"));
}

function whatWasDone({ encrypted, isResumed, isNew }: Rotated, path: string): string {
  // An earlier rotation was killed at its very end, or somebody has put the former key there again.
  if (!isNew && encrypted === 0)
    return `Nothing was left to do: the key in ${path} stays as it was, and the former key in ${dataPath.formerKey()} is removed. Call this again for a new key.`;
  const start = isResumed ? "Went on with the rotation that was interrupted: the" : "The";
  return `${start} key in ${path} is new, and ${encrypted} ${encrypted === 1 ? "secret is" : "secrets are"} encrypted with it.`;
}
