import { type Actor, requireStillAdmitted } from "../../identity/access/actor";
import { withFewPages } from "../../kernel/db/connection";
import { AppError, badRequest } from "../../kernel/errors/errors";
import { isStopping } from "../../kernel/process/lifecycle";
import { requireOwn } from "../../sync/owner/owner";
import { getDevice } from "../devices/service";
import { recordPositions } from "../ingest/record";
import { auditImport } from "./audit";
import { batchesOf, type ImportFile, readerOf } from "./batches";
import { FileError } from "./file-error";
import { inPlace } from "./places";
import { rehearsal } from "./rehearse";
import type { ImportReport } from "./schema";
import { Tally } from "./tally";

/**
 * Imports a file of a device's positions for a caller, whose rights are checked anew again and again. Throws
 * 400 for a file that is broken, 413 for one that is too large, 404 for a device that is gone, 409 for a box's own, 401 or 403 for a caller who
 * lost the rights meanwhile, each with the numbers until there: what came before is stored. Throws 503 if too many imports
 * are under way.
 */
export async function importFile(
  actor: Actor,
  deviceId: string,
  file: ImportFile,
  isDryRun: boolean,
): Promise<ImportReport> {
  requireOwn(getDevice(deviceId));
  const taking: Taking = {
    isDryRun,
    beforeBatch: () => requireStillAdmitted(actor.caller),
    audit: (report, isWhole) => auditImport(actor, deviceId, file.format, report, isWhole),
  };
  return inPlace(actor.caller, () => withFewPages(() => takeFile(file, deviceId, taking)));
}

export interface Taking {
  isDryRun: boolean;
  /** Called before each few hundred points; what it throws ends the import. */
  beforeBatch: (tally: Tally) => void | Promise<void>;
  /** Writes the audit event of an import that stored something, or came to its end. */
  audit: (report: ImportReport, isWhole: boolean) => Promise<void>;
}

/** Records the points of a file. Throws an error with the numbers until there, for one that ends too early. */
export async function takeFile(file: ImportFile, deviceId: string, taking: Taking): Promise<ImportReport> {
  const { isDryRun, beforeBatch, audit } = taking;
  const reader = readerOf(file);
  const tally = new Tally(reader);
  const rehearse = rehearsal(file.format, deviceId);
  try {
    for await (const points of batchesOf(file, reader)) {
      if (isStopping()) throw stopped();
      await beforeBatch(tally);
      const readings = points.map(({ reading }) => reading);
      const fates = isDryRun ? rehearse(readings) : await recordPositions(file.format, deviceId, readings);
      for (const [at, point] of points.entries()) tally.add(point, fates[at] as (typeof fates)[number]);
    }
  } catch (error) {
    if (!isDryRun && tally.stored > 0) await audit(tally.report(), false);
    throw withNumbers(error, tally);
  }
  const report = tally.report();
  if (!isDryRun) await audit(report, true);
  return report;
}

const stopped = () =>
  new AppError("ServiceUnavailable", "The import was stopped", { headers: { "retry-after": "10" } });

/** An error of a file or of the caller with the numbers until there; any other as it is. */
function withNumbers(error: unknown, tally: Tally): unknown {
  if (error instanceof FileError) return badRequest(`${error.message}. ${tally.inWords()}`);
  if (!(error instanceof AppError)) return error;
  error.message = `${error.message}. ${tally.inWords()}`;
  return error;
}
