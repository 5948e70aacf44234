import { profile } from "../../configuration/profile";
import { transact } from "../../kernel/db/transactions";
import { AppError, badRequest } from "../../kernel/errors/errors";
import { decodeApart, decodeAtOnce, ZSTD } from "../../kernel/http/inflate";
import { semaphore } from "../../kernel/limits/semaphore";
import { isObject } from "../../kernel/values/json";
import { hearPush, numbersOf } from "../ashore/epochs";
import { storeSections } from "../ashore/store";
import { readRows, type SectionHead, type SplitBody, splitBody } from "../batch/batch";
import { MalformedBatch } from "../batch/bytes";
import { inSteps } from "../batch/steps";
import type { BoxCaller } from "../boxes/authenticate";
import { assignedTag, noteApplied } from "../down/assigned";
import type { PushAnswer } from "./schema";
import { oneAfterAnother } from "./turns";

/** Pushes of boxes, as the shore takes them. */

/** Bytes of rows up to which a push is small: an alert must not wait for the backlogs of other boats. */
const SMALL = 64 * 1024;

const refusal = () =>
  new AppError("ServiceUnavailable", "Too many boxes are sending; try again in a moment", {
    headers: { "retry-after": "5" },
  });

/** Pushes that are in memory at once, with all that is made of them: some megabytes for a large one. */
const large = semaphore({ atOnce: () => profile.largePushesAtOnce, line: { most: 200, refusal } });
const small = semaphore({ atOnce: 32, line: { most: 1_000, refusal } });

/**
 * Takes a push of a box: stores what follows the rows that are held, and says how far these go now. Pushes of a box are taken one
 * after another. `heardAt`: the time at which the request began to come, epoch milliseconds. Throws 400, 401 and 503.
 */
export function takePush(box: BoxCaller, body: Uint8Array, heardAt: number): Promise<PushAnswer> {
  const split = wellFormed(() => splitBody(body));
  const line = split.plainLength > SMALL ? large : small;
  return oneAfterAnother(box.id, () => line.run(box.id, () => take(box, split, body.length, heardAt)));
}

async function take(box: BoxCaller, split: SplitBody, bytes: number, heardAt: number): Promise<PushAnswer> {
  const { head, random } = split;
  const plain = await rowsOf(split);
  const { sections, remarks } = await inSteps(readRows(head, plain, random)).catch(refuseMalformed);
  const heads = head.sections.filter((section): section is SectionHead => section !== null);
  const heard = await transact(() => {
    const push = {
      ...head,
      sections: heads,
      box: {
        bytes,
        clockOffset: head.clock - heardAt,
        backlog: head.backlog.rows,
        version: head.version,
      },
    };
    const result = hearPush(box, push);
    const applied = appliedOf(remarks);
    if (applied && !result.isStale) noteApplied(box.id, applied);
    return result;
  }, "retryable");
  const following = sections.filter((_, at) => heard.follows[at]);
  const { lanes, refused } = await storeSections(box, head.epoch, heard.lanes, following);
  const stored = new Set(following.flatMap(({ lane, chunks }) => (chunks.length > 0 ? [lane] : [])));
  const hashes = heads.flatMap(({ lane }) => {
    const hash = lanes[lane]?.hash;
    return hash === undefined || stored.has(lane) ? [] : [[lane, hash]];
  });
  return {
    acknowledged: numbersOf(lanes),
    hashes: Object.fromEntries(hashes),
    unknown: heard.unknown,
    ...(heard.isStale && { overtaken_by: heard.sequence }),
    refused,
    set: assignedTag(box.id),
  };
}

// --- The body ---------------------------------------------------------------------------------------------

function refuseMalformed(error: unknown): never {
  if (error instanceof MalformedBatch)
    throw badRequest(`The body is no batch that this server reads: ${error.message}`);
  throw error;
}

function wellFormed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuseMalformed(error);
  }
}

/** The rows of a body, decompressed: so many bytes as it says. Throws 400. */
async function rowsOf({ frame, plainLength }: SplitBody): Promise<Uint8Array> {
  const plain = await decoded(frame, plainLength);
  if (plain?.length !== plainLength)
    refuseMalformed(new MalformedBatch("its rows are not as long as it says"));
  return plain as Uint8Array;
}

async function decoded(frame: Uint8Array, length: number): Promise<Uint8Array | null> {
  if (length === 0 || frame.length === 0) return null;
  try {
    return decodeAtOnce(ZSTD, frame, length) ?? (await decodeApart(ZSTD, frame, length));
  } catch (error) {
    if (error instanceof AppError && error.status === 400)
      refuseMalformed(new MalformedBatch("its rows are no zstd frame"));
    throw error;
  }
}

/** A box's words on the zones and rules that it holds; null where it says nothing. */
function appliedOf({
  set,
}: Record<string, unknown>): { version: number | null; error: string | null } | null {
  if (!isObject(set)) return null;
  const { version = null, error = null } = set;
  if (version !== null && !(Number.isSafeInteger(version) && (version as number) >= 0)) return null;
  if (error !== null && typeof error !== "string") return null;
  return { version: version as number | null, error: error?.toWellFormed() ?? null };
}
