import { HOUR, now } from "../../kernel/time/clock";
import { LANES, type Lane } from "../batch/lanes";
import { hashOf, timeAfter } from "./feed";
import type { Built, Filling } from "./filling";
import { addHistory } from "./history-lane";
import { addNewest, addPositions } from "./position-lanes";
import { addRecords } from "./record-lanes";

/** The way from the feed to a request: all that waits, lane by lane, until the request is full. */

/** Fills a request with all that its mode lets it tell, as far as there is room. */
export async function build(request: Filling): Promise<Built> {
  const { state, memory, mode } = request;
  addRecords(request, "alerts");
  if (!mode.alertsOnly) {
    const positions = mode.isMetered ? "thinned" : "backlog";
    addNewest(request, positions);
    addRecords(request, "trips");
    addRecords(request, "zones");
    await addPositions(request, positions);
    await addHistory(request);
  }
  request.built.hasMore = request.isFull;
  markRead(request);
  request.addEmpty(LANES.filter((lane) => state.lanes[lane].begins || memory.unsure.has(lane)));
  // Each request tells the hash of an acknowledged row.
  if (request.built.sections.length === 0) request.addEmpty(["backlog"]);
  return request.built;
}

/** Lanes of the feed, and the age of the first change behind which one is moved on without rows. */
const MARKED = ["alerts", "trips", "zones", "thinned", "backlog"] as const satisfies readonly Lane[];
const MARKED_AFTER = HOUR;

/**
 * Moves the lanes on in which there was nothing to tell for a while: a shore that is restored later then names numbers that the
 * feed still keeps, and isn't told everything anew.
 */
function markRead(to: Filling): void {
  for (const lane of MARKED) {
    if (to.hasAllSections) return;
    const { acknowledged, begins } = to.state.lanes[lane];
    const upTo = to.memory.readFrom(lane, to.state);
    if (begins || upTo <= acknowledged) continue;
    if (to.built.sections.some((section) => section.lane === lane)) continue;
    const since = timeAfter(acknowledged);
    const hash = hashOf(upTo);
    if (since === null || now() - since < MARKED_AFTER || hash === null) continue;
    to.add(lane, [{ records: [], positions: [], skipped: [], upTo, hash }]);
  }
}
