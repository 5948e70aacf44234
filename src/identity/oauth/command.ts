import { existsSync } from "node:fs";
import { takeKeys } from "../../kernel/db/master-key";
import { withData } from "../../kernel/db/open-data";
import { dataPath, readMasterKey } from "../../kernel/process/data-dir";
import { OperatorError } from "../../kernel/process/operator";
import { print, printJson } from "../../kernel/process/print";
import { iso } from "../../kernel/time/clock";
import { rotateKeys } from "./keys";

/** `fairlead signing-key rotate`. */

/** Makes another key for ID tokens and prints when it signs. Throws OperatorError. */
export async function rotateSigningKey(values: Record<string, unknown>): Promise<void> {
  const database = dataPath.database();
  if (!existsSync(database)) throw new OperatorError(`there is no database at ${database}`);
  if (!readMasterKey())
    throw new OperatorError("there is no master key yet: start the server once, which makes it");
  const atOnce = values["at-once"] === true;
  const { id, signsFrom } = await withData(() => {
    takeKeys();
    return rotateKeys(atOnce);
  });
  if (values.json) await printJson({ kid: id, signs_from: iso(signsFrom), at_once: atOnce });
  else if (atOnce)
    await print(`Made the key ${id}, which signs now; ID tokens of the former ones are no longer valid`);
  else
    await print(
      `Made the key ${id}, which signs from ${iso(signsFrom)} on; the former one stays published until a week later`,
    );
}
