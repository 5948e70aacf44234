import { SECOND } from "../../kernel/time/clock";
import { counts, type Row } from "../../tracking/ingest/columns";
import { type Chunk, MOST_OF_CHUNK, NO_HASH, type RecordKind, type SentRecord } from "../batch/batch";
import type { Lane } from "../batch/lanes";
import {
  countPositions,
  endOfStretch,
  hashOf,
  newestNumber,
  newestOf,
  positionsBetween,
  thinnedBetween,
} from "./feed";
import { type Filling, nextTurn, RECORD_ITSELF } from "./filling";
import { toSent } from "./rows";
import { lengthOfWalks, walksLeft } from "./walks";

/** The lanes of positions: the newest one of each device, and all of them or some, oldest first. */

/** Positions that are read in one turn of the event loop. */
const STEP = 256;

/** The newest position of each device that has moved, if the lane of positions won't be at its end with this request. */
export function addNewest(to: Filling, lane: Lane): void {
  const head = newestNumber();
  const memory = to.memory;
  memory.noteMoves(head);
  if (memory.moved.size === 0 || !to.include.has("position") || to.isFull) return;
  const waiting = countPositions(memory.readFrom(lane, to.state)) + olderPositions(to);
  if (waiting * to.sizes.position < to.left) return;
  const from = to.state.lanes.newest.acknowledged;
  const rows: Row[] = [];
  for (const deviceId of memory.moved) {
    if (to.left <= 0 || rows.length >= head - from) break;
    const row = newestOf(deviceId);
    if (!row) {
      memory.moved.delete(deviceId);
      continue;
    }
    const toldAt = memory.newestTold.get(deviceId);
    const least = to.mode.isMetered ? to.mode.thinSeconds * SECOND : 0;
    if (toldAt !== undefined && row.timestamp >= toldAt && row.timestamp < toldAt + least) continue;
    rows.push(row);
    to.built.newest.set(deviceId, row.timestamp);
    to.left -= to.sizes.position;
  }
  if (rows.length === 0) return;
  to.built.positions += rows.length;
  const records = rows.flatMap((row) => to.referencesOf(row));
  const first = head - rows.length + 1;
  const positions = rows.map((row, at) => toSent(first + at, row, to.include.has("trip")));
  to.add("newest", [{ records, positions, skipped: [], upTo: head, hash: hashOf(head) ?? NO_HASH }]);
}

/** Positions of before the epoch that are to be told; Infinity if these wait for another line. */
function olderPositions(to: Filling): number {
  const left = walksLeft(to.state.walks, to.state.lanes.history.acknowledged);
  const rows = lengthOfWalks(left.filter(({ kind }) => kind === "position"));
  return rows > 0 && to.mode.isMetered ? Number.POSITIVE_INFINITY : rows;
}

/** Positions in the order of the feed: all, or of a metered line one in a span of time, until the request is full. */
export async function addPositions(to: Filling, lane: "thinned" | "backlog"): Promise<void> {
  const chunks: Chunk[] = [];
  const head = newestNumber();
  let after = to.memory.readFrom(lane, to.state);
  if (!to.include.has("position")) after = head;
  while (!to.isFull && after < head) {
    const room = Math.max(1, Math.ceil(to.left / to.sizes.position));
    const most = lane === "backlog" ? Math.min(MOST_OF_CHUNK, room) : MOST_OF_CHUNK;
    const end = endOfStretch(after, most);
    if (end === null) break;
    const chunk = await stretch(to, lane, after, Math.min(end, head), room);
    after = chunk.upTo;
    const { records, positions, skipped } = chunk;
    if (records.length + positions.length + skipped.length > 0) chunks.push(chunk);
    else if (chunks.length === 0) to.memory.noteRead(lane, after);
  }
  if (chunks.length === 0 && after >= head) to.memory.noteRead(lane, after);
  if (lane === "backlog" && after >= head && olderPositions(to) === 0) to.built.drainedTo = head;
  to.built.readUpTo[lane] = after;
  to.add(lane, chunks);
}

/** A stretch of a lane of positions after a number up to another, or less if it holds more than so many that are told. */
async function stretch(
  to: Filling,
  lane: "thinned" | "backlog",
  after: number,
  end: number,
  most: number,
): Promise<Chunk> {
  const chunk: Chunk = { records: [], positions: [], skipped: [], upTo: after, hash: NO_HASH };
  const told = new Set<string>();
  for (let from = after; from < end && chunk.positions.length < most; from = chunk.upTo) {
    const last = Math.min(end, endOfStretch(from, STEP) ?? end);
    chunk.upTo = last;
    for (const { number, record: id, isDeletion, ...row } of positionsBetween(from, last)) {
      if (told.has(id)) continue;
      if (row.id === null) {
        if (isDeletion === 1) chunk.records.push(gone(to, number, id));
        continue;
      }
      if (lane === "thinned" && !isChosen(to, row)) continue;
      told.add(id);
      chunk.records.push(...to.referencesOf(row));
      chunk.positions.push(toSent(number, row, to.include.has("trip")));
      to.left -= to.sizes.position;
      to.built.positions++;
      if (chunk.positions.length >= most) {
        chunk.upTo = number;
        break;
      }
    }
    await nextTurn();
  }
  if (lane === "backlog") chunk.skipped = thinnedBetween(after, chunk.upTo);
  chunk.hash = hashOf(chunk.upTo) ?? NO_HASH;
  return chunk;
}

/** True for the first position of its device in each span of time. */
function isChosen(to: Filling, { device_id, timestamp, judgement }: Row): boolean {
  if (!counts(judgement)) return false;
  const span = Math.floor(timestamp / (to.mode.thinSeconds * SECOND));
  if (to.built.chosen.get(device_id) === span) return false;
  to.built.chosen.set(device_id, span);
  return true;
}

function gone(to: Filling, number: number, id: string): SentRecord {
  to.left -= RECORD_ITSELF;
  return { number, kind: "position" satisfies RecordKind, id, row: null };
}
