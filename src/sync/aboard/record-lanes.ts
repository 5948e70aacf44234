import { CHANGE_KINDS } from "../../feed/kinds";
import { type Chunk, MOST_OF_PART, NO_HASH, type SentRecord } from "../batch/batch";
import type { RowKind } from "../batch/rows";
import { changesOf, hashOf, newestNumber, type RecordLane } from "./feed";
import type { Filling } from "./filling";

/** The lanes of records: those that have changed, as they are now. */

const RECORD_OF: Partial<Record<(typeof CHANGE_KINDS)[number], RowKind>> = {
  deviceUpdate: "device",
  tripUpdate: "trip",
  logEntry: "entry",
  geofenceEvent: "crossing",
  crossing: "crossing",
  alertRaised: "alert",
  alertUpdated: "alert",
  alertAcknowledged: "alert",
  alertCleared: "alert",
};

/** Changes of a lane that are read at once. */
const PAGE = 64;

/** Records that have changed since they were told, until the request is full. */
export function addRecords(to: Filling, lane: RecordLane): void {
  const chunks: Chunk[] = [];
  const told = new Set<string>();
  const head = newestNumber();
  let after = to.memory.readFrom(lane, to.state);
  while (!to.isFull) {
    const changes = changesOf(lane, after, PAGE);
    const records: SentRecord[] = [];
    let characters = 0;
    let upTo = after;
    for (const { number, kind, record: id } of changes) {
      upTo = number;
      const recordKind = RECORD_OF[CHANGE_KINDS[kind] as (typeof CHANGE_KINDS)[number]] as RowKind;
      if (told.has(id)) continue;
      told.add(id);
      const before = to.built.characters;
      records.push(...to.record(number, recordKind, id));
      characters += to.built.characters - before;
      if (to.left <= 0 || characters > MOST_OF_PART / 8) break;
    }
    after = upTo === after ? head : upTo;
    if (records.length > 0)
      chunks.push({ records, positions: [], skipped: [], upTo, hash: hashOf(upTo) ?? NO_HASH });
    else if (chunks.length === 0) to.memory.noteRead(lane, after);
    if (changes.length < PAGE && upTo === (changes.at(-1)?.number ?? upTo)) {
      after = head;
      break;
    }
  }
  if (chunks.length === 0 && !to.isFull) to.memory.noteRead(lane, after);
  to.built.readUpTo[lane] = after;
  to.add(lane, chunks);
}
