import { and, asc, count, desc, eq, isNull } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { makerOf } from "../../identity/access/maker";
import { recordAudit } from "../../identity/audit/service";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { conflict, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { reachableUrl } from "../../kernel/http/reachable-url";
import { checkChanged } from "../../kernel/http/validation";
import { drawQrCode } from "../../kernel/limits/qr-code";
import { iso, isoOrNull, madeNow, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { syncEpochs } from "../ashore/table";
import { takeAllBack } from "../owner/handed";
import { boxesChanged } from "./authenticate";
import { releaseDevices, releaseSoon } from "./release";
import type { Box, BoxChange, CreatedBox, NewBox, NewBoxToken } from "./schema";
import { type BoxRow, boxes } from "./table";

/** The boxes that send to this server. */

/** Length of `token_prefix`: enough to tell tokens apart, too little to use one (rule C1). */
const PREFIX_LENGTH = 12;

/** Most boxes of an installation. */
const MAX_BOXES = 2_000;

/** A day in UTC, as `bytes_date` names it. */
export const dayOf = (time: number): string => iso(time).slice(0, 10);

const toBox = (row: BoxRow): Box => ({
  id: row.id,
  name: row.name,
  token_prefix: row.token_prefix,
  created_by: row.created_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  last_contact_at: isoOrNull(row.last_contact_at),
  acknowledged: row.acknowledged,
  backlog_estimate: row.backlog_estimate,
  bytes_today: row.bytes_date === dayOf(now()) ? row.bytes_today : 0,
  clock_offset_ms: row.clock_offset_ms,
  version: row.version,
  skipped_rows: row.skipped_rows,
  refused_rows: row.refused_rows,
  assigned_version: row.assigned_version,
  applied_version: row.applied_version,
  error: row.error,
});

const isThere = isNull(boxes.ended_at);

const countBoxes = (): number => db.select({ n: count() }).from(boxes).where(isThere).get()?.n ?? 0;

/** A page of the boxes, newest first. */
export function listBoxes(request: PageRequest): PageOf<Box> {
  return readPage(request, countBoxes(), (fromEnd, offset, limit) =>
    db
      .select()
      .from(boxes)
      .where(isThere)
      .orderBy(fromEnd ? asc(boxes.id) : desc(boxes.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toBox),
  );
}

/** A box. Throws 404. */
export const getBox = (id: string): Box => toBox(existing(id));

function existing(id: string): BoxRow {
  const row = db
    .select()
    .from(boxes)
    .where(and(eq(boxes.id, id), isThere))
    .get();
  if (!row) throw notFound("Box");
  return row;
}

/** A new token, and all that sets the boat up with it. Throws 409 where no address is known that the boat can reach. */
async function newCredential(baseUrl: string | null | undefined) {
  const url = reachableUrl(baseUrl);
  const { token, hash } = mintToken("flb_");
  // A TOML basic string escapes as JSON does what an address may hold.
  const setup = `[sync]\nurl = ${JSON.stringify(url)}\ntoken = "${token}"\n`;
  return {
    stored: { token_hash: hash, token_prefix: token.slice(0, PREFIX_LENGTH) },
    shown: { token, setup, qr_code: await drawQrCode(setup) },
  };
}

/**
 * Creates a box, with all that sets it up. Throws 400, and 409 where no address is known that the boat can reach, or there are too
 * many. The token appears in the answer and nowhere else.
 */
export async function createBox(actor: Actor, { name, base_url }: NewBox): Promise<CreatedBox> {
  const { stored, shown } = await newCredential(base_url);
  const row = await transactAs(actor, () => {
    if (countBoxes() >= MAX_BOXES)
      throw conflict(`There can be at most ${MAX_BOXES.toLocaleString("en")} boxes; delete one first`);
    const inserted = db
      .insert(boxes)
      .values({ id: newId(), name, ...stored, created_by: makerOf(actor.caller).user_id, ...madeNow() })
      .returning()
      .get();
    audit("box_created", inserted);
    boxesChanged();
    return inserted;
  });
  return { ...toBox(row), ...shown };
}

/** Changes the given fields. Throws 400 and 404. */
export function updateBox(actor: Actor, id: string, { name }: BoxChange): Promise<Box> {
  checkChanged({ name });
  return transactAs(actor, () => {
    const before = existing(id);
    const change = changedOnly(before, { name });
    if (isEmpty(change)) return toBox(before);
    const row = changeBox(id, change);
    audit("box_updated", row, { changed: Object.keys(change) });
    return toBox(row);
  });
}

function changeBox(id: string, change: Partial<BoxRow>): BoxRow {
  const row = db
    .update(boxes)
    .set({ ...change, updated_at: now() })
    .where(eq(boxes.id, id))
    .returning()
    .get();
  boxesChanged();
  return row;
}

/**
 * Gives a box another token, as for a boat that lost its own: the former one is refused from the commit on. What the box has sent
 * stays its own, and it goes on from there. Throws 400, 404, and 409 as `createBox` does. The token appears in the answer and
 * nowhere else.
 */
export async function rotateToken(actor: Actor, id: string, { base_url }: NewBoxToken): Promise<CreatedBox> {
  existing(id);
  const { stored, shown } = await newCredential(base_url);
  const row = await transactAs(actor, () => {
    existing(id);
    const changed = changeBox(id, stored);
    // Whoever had the former token may have used up the numbers of requests.
    db.update(syncEpochs).set({ sequence: -1 }).where(eq(syncEpochs.box_id, id)).run();
    audit("box_token_rotated", changed);
    return changed;
  });
  return { ...toBox(row), ...shown };
}

/**
 * Has a box send all that it keeps again, from its next request on: what was held of its lanes is forgotten, and its rows stay until
 * they come anew. A push that is being stored moves no lane of a run of numbers that is gone. Throws 404.
 */
export function resyncBox(actor: Actor, id: string): Promise<Box> {
  return transactAs(actor, () => {
    const row = existing(id);
    db.delete(syncEpochs).where(eq(syncEpochs.box_id, id)).run();
    db.update(boxes).set({ epoch: null, acknowledged: {} }).where(eq(boxes.id, id)).run();
    audit("box_resync_requested", row);
    return getBox(id);
  });
}

/**
 * Deletes a box: its token is refused from the commit on, nothing is handed to it any more, and what it sent is this server's own:
 * devices at once, trips and alerts within a moment. Throws 404.
 */
export async function deleteBox(actor: Actor, id: string): Promise<void> {
  await transactAs(actor, () => {
    const row = existing(id);
    db.update(boxes).set({ ended_at: now() }).where(eq(boxes.id, id)).run();
    takeAllBack(id);
    releaseDevices(id);
    audit("box_deleted", row);
    boxesChanged();
  });
  releaseSoon();
}

function audit(
  event_type: "box_created" | "box_updated" | "box_token_rotated" | "box_resync_requested" | "box_deleted",
  { id, created_by }: BoxRow,
  metadata: Record<string, unknown> = {},
): void {
  recordAudit({ event_type, user_id: created_by, resource_type: "box", resource_id: id, metadata });
}
