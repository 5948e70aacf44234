import { and, desc, eq, isNull, max, notInArray, placeholder, sql } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { unauthorized } from "../../kernel/errors/errors";
import { now } from "../../kernel/time/clock";
import type { SectionHead } from "../batch/batch";
import type { Lane } from "../batch/lanes";
import type { BoxCaller } from "../boxes/authenticate";
import { dayOf } from "../boxes/service";
import { boxes } from "../boxes/table";
import { type Heard, hear, type Known, NOTHING_KNOWN } from "./hear";
import { type Held, syncEpochs } from "./table";

/** The shore's knowledge of the runs of numbers of boxes, as it is kept. Everything here runs in the current transaction. */

export type HeldLanes = Partial<Record<Lane, Held>>;

/** A push as far as its header tells. */
export interface PushHead {
  epoch: string;
  parent: string | null;
  sequence: number;
  sections: readonly SectionHead[];
  /** The part about its box. */
  box: {
    /** Bytes of the request's body. */
    bytes: number;
    /** Its clock less this one's, in milliseconds. */
    clockOffset: number;
    /** Rows that it has yet to send. */
    backlog: number;
    version: string;
  };
}

const there = statement(() =>
  db
    .select({ id: boxes.id })
    .from(boxes)
    .where(
      and(
        eq(boxes.id, placeholder("id")),
        eq(boxes.token_hash, placeholder("token_hash")),
        isNull(boxes.ended_at),
      ),
    )
    .prepare(),
);

/** Throws 401 for a box that has been deleted meanwhile, or got another token. */
export function requireThere({ id, token_hash }: BoxCaller): void {
  if (!there().get({ id, token_hash })) throw unauthorized("The token of this box has ended");
}

const lanesKnown = statement(() =>
  db
    .select({ lanes: syncEpochs.lanes })
    .from(syncEpochs)
    .where(and(eq(syncEpochs.box_id, placeholder("box")), eq(syncEpochs.epoch, placeholder("epoch"))))
    .prepare(),
);

const lanesOf = (boxId: string, epoch: string): HeldLanes | null =>
  lanesKnown().get({ box: boxId, epoch })?.lanes ?? null;

const newestSequence = statement(() =>
  db
    .select({ sequence: max(syncEpochs.sequence) })
    .from(syncEpochs)
    .where(eq(syncEpochs.box_id, placeholder("box")))
    .prepare(),
);

/** Decides what of a push may be stored, and notes what it tells of its box. Throws 401. */
export function hearPush(box: BoxCaller, push: PushHead): Heard {
  requireThere(box);
  const boxId = box.id;
  const { epoch, parent, sections } = push;
  const before = lanesOf(boxId, epoch);
  const sequence = newestSequence().get({ box: boxId })?.sequence ?? NOTHING_KNOWN.sequence;
  const known: Known = { lanes: before ?? {}, sequence };
  const heard = hear(push, sections, known, parent === null ? null : lanesOf(boxId, parent));
  const told = { lanes: heard.lanes, sequence: heard.sequence, last_contact_at: now() };
  db.insert(syncEpochs)
    .values({ box_id: boxId, epoch, ...told })
    .onConflictDoUpdate({ target: [syncEpochs.box_id, syncEpochs.epoch], set: told })
    .run();
  if (!before) forgetOldEpochs(boxId);
  noteContact(boxId, epoch, heard.lanes, push.box);
  return heard;
}

/**
 * Epochs of a box that are kept. Another one begins after a restore or a copy, which is rare; where the one before is forgotten, the
 * box tells everything anew.
 */
const MOST_EPOCHS = 8;

function forgetOldEpochs(boxId: string): void {
  const newest = db
    .select({ epoch: syncEpochs.epoch })
    .from(syncEpochs)
    .where(eq(syncEpochs.box_id, boxId))
    .orderBy(desc(syncEpochs.last_contact_at), desc(sql`rowid`))
    .limit(MOST_EPOCHS);
  db.delete(syncEpochs)
    .where(and(eq(syncEpochs.box_id, boxId), notInArray(syncEpochs.epoch, newest)))
    .run();
}

const PRINTABLE = /^[\x21-\x7e]+$/;

function noteContact(
  boxId: string,
  epoch: string,
  lanes: HeldLanes,
  { bytes, clockOffset, backlog, version }: PushHead["box"],
): void {
  const day = dayOf(now());
  db.update(boxes)
    .set({
      epoch,
      acknowledged: numbersOf(lanes),
      last_contact_at: now(),
      backlog_estimate: backlog,
      bytes_today: sql`CASE WHEN ${boxes.bytes_date} = ${day} THEN ${boxes.bytes_today} ELSE 0 END + ${bytes}`,
      bytes_date: day,
      clock_offset_ms: clockOffset,
      version: PRINTABLE.test(version) ? version : null,
    })
    .where(eq(boxes.id, boxId))
    .run();
}

/** The numbers of some lanes. */
export const numbersOf = (lanes: HeldLanes): Record<string, number> =>
  Object.fromEntries(Object.entries(lanes).map(([lane, { number }]) => [lane, number]));

/** Keeps the places of lanes to which rows were stored, and counts rows that box and shore gave up on the way. */
export function keepPlaces(
  boxId: string,
  epoch: string,
  lanes: HeldLanes,
  { skipped, refused }: { skipped: number; refused: number },
): void {
  db.update(syncEpochs)
    .set({ lanes })
    .where(and(eq(syncEpochs.box_id, boxId), eq(syncEpochs.epoch, epoch)))
    .run();
  db.update(boxes)
    .set({
      acknowledged: numbersOf(lanes),
      // A box may say any number.
      skipped_rows: sql`min(${boxes.skipped_rows} + ${skipped}, ${Number.MAX_SAFE_INTEGER})`,
      refused_rows: sql`${boxes.refused_rows} + ${refused}`,
    })
    .where(eq(boxes.id, boxId))
    .run();
}
