import { type Chunk, NO_HASH } from "../batch/batch";
import { hashOfHistory } from "./feed";
import { type Filling, nextTurn } from "./filling";
import { toSent } from "./rows";
import { nextPositions, nextRows, placeAfter } from "./walks";

/** The lane of the rows that were there before the epoch began. */

/** Records and positions that are read in one turn of the event loop. */
const PAGE = 64;
const STEP = 256;

/** Rows of the walks, table by table, until the request is full. */
export async function addHistory(to: Filling): Promise<void> {
  const chunks: Chunk[] = [];
  const { walks, epoch } = to.state;
  let after = to.memory.readFrom("history", to.state);
  for (let place = placeAfter(walks, after); place && !to.isFull; place = placeAfter(walks, after)) {
    const { walk, base } = place;
    if (walk.kind === "position" && to.mode.isMetered) break;
    const end = base + walk.to - walk.from;
    const numberOf = (row: number) => base + row - walk.from;
    const chunk: Chunk = { records: [], positions: [], skipped: [], upTo: end, hash: NO_HASH };
    if (walk.kind === "position") {
      const room = Math.max(1, Math.ceil(to.left / to.sizes.position));
      const most = Math.min(STEP, room);
      const rows = nextPositions(place, most);
      for (const { row, ...point } of rows) {
        chunk.records.push(...to.referencesOf(point));
        chunk.positions.push(toSent(numberOf(row), point, to.include.has("trip")));
      }
      if (rows.length === most) chunk.upTo = numberOf(rows.at(-1)?.row ?? walk.to);
      to.left -= rows.length * to.sizes.position;
      to.built.positions += rows.length;
    } else {
      const rows = nextRows(place, PAGE);
      const kind = walk.kind;
      for (const { row, id } of rows) {
        chunk.records.push(...to.record(numberOf(row), kind, id));
        chunk.upTo = numberOf(row);
        if (to.left <= 0) break;
      }
      if (rows.length < PAGE && to.left > 0) chunk.upTo = end;
    }
    chunk.hash = hashOfHistory(epoch, chunk.upTo);
    after = chunk.upTo;
    chunks.push(chunk);
    await nextTurn();
  }
  to.built.readUpTo.history = after;
  to.add("history", chunks);
}
