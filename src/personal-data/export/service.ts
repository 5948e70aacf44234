import { publicUrl } from "../../configuration/config";
import { profile } from "../../configuration/profile";
import { type Actor, transactAs } from "../../identity/access/actor";
import { recordAudit } from "../../identity/audit/service";
import { existingUser, ownId } from "../../identity/directory/users";
import { emailLocale } from "../../identity/email/locale";
import { AppError } from "../../kernel/errors/errors";
import { semaphore } from "../../kernel/limits/semaphore";
import { dataPath } from "../../kernel/process/data-dir";
import { iso, now } from "../../kernel/time/clock";
import { insertLog } from "../export-logs/service";
import { makeArchive, streamOf } from "./archive";
import { jsonText, personalData } from "./data";
import { summarize } from "./summary";
import { WORDS } from "./words";

/** Users whose data is being exported. */
const running = new Set<string>();

/** Archives made at once; further exports wait in turn. */
const archives = semaphore({ atOnce: () => profile.exportsAtOnce });

/** An archive to download. */
export interface Export {
  name: string;
  content: ReadableStream<Uint8Array>;
}

/**
 * Exports all data of the caller's own account as a ZIP archive, for a user's session or any key of the
 * user's. The export is recorded before the first byte goes out. Throws 429 until another export of the same
 * user is made and sent, 500 when it can't be made.
 */
export async function exportData(actor: Actor): Promise<Export> {
  const userId = ownId(actor.caller);
  if (running.has(userId))
    throw new AppError("TooManyRequests", "An export of this account is under way; wait until it is done", {
      headers: { "retry-after": "5" },
    });
  running.add(userId);
  const done = () => running.delete(userId);
  try {
    return await archives.run(userId, () => exportOf(userId, actor, done));
  } catch (error) {
    done();
    if (error instanceof AppError) throw error;
    throw new AppError("InternalServerError", "The export could not be made", { cause: error });
  }
}

/** `done` is called once the archive was sent, or its reader is gone. */
async function exportOf(userId: string, actor: Actor, done: () => void): Promise<Export> {
  const at = now();
  const data = personalData(userId, at);
  const locale = emailLocale(existingUser(userId).preferred_locale, actor.client.acceptLanguage);
  const site = new URL(publicUrl()).host;
  const archive = await makeArchive(dataPath.exports(), {
    json: jsonText(data),
    summary: summarize(data, locale, site),
    readme: WORDS[locale].readme(site, iso(at)),
    at,
  });
  try {
    await transactAs(actor, () => {
      const id = insertLog(userId, at, archive.size, locale, actor.client);
      recordAudit({
        event_type: "data_exported",
        user_id: userId,
        resource_type: "export",
        resource_id: id,
        metadata: { format: "zip" },
      });
    });
  } catch (error) {
    await archive.file.close();
    throw error;
  }
  return { name: `fairlead-data-export-${iso(at).slice(0, 10)}.zip`, content: streamOf(archive, done) };
}
