import { transact } from "../../kernel/db/transactions";
import { Mirror } from "../../tracking/ingest/mirror";
import { MOST_TOLD } from "../../tracking/ingest/record";
import { isTurnSpent, whileTurnLasts } from "../../tracking/ingest/turn";
import type { Chunk, Section, SentRecord } from "../batch/batch";
import type { Lane } from "../batch/lanes";
import type { SentPosition } from "../batch/positions";
import { isSoundPosition } from "../batch/rows";
import type { BoxCaller } from "../boxes/authenticate";
import { type HeldLanes, keepPlaces, requireThere } from "./epochs";
import { takeRecord } from "./records";
import type { Held } from "./table";

/**
 * Stores the rows of a push in several transactions, with other requests in between. The place of a lane moves in the commit of the
 * last row of its stretch: whatever breaks off is sent again from there, and rows that are here already are the same.
 */

/** The steps of a push, one after another. */
type Unit =
  | { sort: "record"; record: SentRecord }
  | { sort: "position"; position: SentPosition; isTold: boolean }
  /** All up to a place is stored. */
  | { sort: "end"; lane: Lane; place: Held; skipped: number };

function unitsOf(sections: readonly Section[]): Unit[] {
  const positions = sections.reduce(
    (sum, { chunks }) => sum + chunks.reduce((count, chunk) => count + chunk.positions.length, 0),
    0,
  );
  // Nobody wants to be told of a week of positions one by one.
  let untold = positions - MOST_TOLD;
  return sections.flatMap(({ lane, chunks }) =>
    chunks.flatMap((chunk): Unit[] => [
      ...chunk.records.map((record): Unit => ({ sort: "record", record })),
      ...chunk.positions.map((position): Unit => {
        const isTold = untold-- <= 0 || lane === "newest";
        return { sort: "position", position, isTold };
      }),
      { sort: "end", lane, place: { number: chunk.upTo, hash: chunk.hash }, skipped: skippedOf(chunk) },
    ]),
  );
}

const skippedOf = ({ skipped }: Chunk): number => skipped.reduce((sum, { rows }) => sum + rows, 0);

interface Progress {
  /** The next unit. */
  at: number;
  lanes: HeldLanes;
  /** Rows that were refused, and those of them since the last place. */
  refused: number;
  refusedSince: number;
}

/** The result of a push: the lanes as they are then. */
export interface Stored {
  lanes: HeldLanes;
  refused: number;
}

const nextTurn = () => new Promise<void>((resume) => setImmediate(resume));

/** Stores sections, which follow what is held of an epoch. Throws 401 for a box that is deleted meanwhile, or gets another token. */
export async function storeSections(
  box: BoxCaller,
  epoch: string,
  lanes: HeldLanes,
  sections: readonly Section[],
): Promise<Stored> {
  const units = unitsOf(sections);
  let progress: Progress = { at: 0, lanes, refused: 0, refusedSince: 0 };
  while (progress.at < units.length) {
    const { at } = progress;
    const store = () => storeSome(box, epoch, units, progress);
    // Records change rows of which positions remember something: see TransactionCache.
    progress = await (units[at]?.sort === "record" ? transact(store) : transact(store, "retryable"));
    // Whoever got nothing of this turn's time comes first in the next one.
    if (progress.at > at) await nextTurn();
  }
  return progress;
}

/** Stores as many units as this turn of the event loop has time for, all of one sort, in the current transaction. */
function storeSome(box: BoxCaller, epoch: string, units: readonly Unit[], before: Progress): Progress {
  if (isTurnSpent()) return before;
  requireThere(box);
  const boxId = box.id;
  const next = { ...before, lanes: { ...before.lanes } };
  const given = { skipped: 0, refused: 0 };
  const mirror = new Mirror(boxId);
  const { sort } = units[before.at] as Unit;
  let hasMoved = false;
  whileTurnLasts(() => {
    const unit = units[next.at++] as Unit;
    if (unit.sort === "end") {
      next.lanes[unit.lane] = unit.place;
      hasMoved = true;
      given.skipped += unit.skipped;
      given.refused += next.refusedSince;
      next.refusedSince = 0;
    } else if (!take(boxId, mirror, unit)) {
      next.refused++;
      next.refusedSince++;
    }
    const following = units[next.at];
    return following !== undefined && (following.sort === sort || following.sort === "end");
  });
  mirror.end();
  if (hasMoved) keepPlaces(boxId, epoch, next.lanes, given);
  return next;
}

/** False if a row was refused. */
function take(boxId: string, mirror: Mirror, unit: Exclude<Unit, { sort: "end" }>): boolean {
  if (unit.sort === "record") return takeRecord(boxId, unit.record, mirror);
  const { position, isTold } = unit;
  if (!isSoundPosition(position)) return false;
  const { number: _, ...row } = position;
  const fate = mirror.take(row, isTold);
  return fate !== "not_own" && fate !== "no_device";
}
