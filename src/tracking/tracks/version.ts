import { subscribe } from "../../kernel/db/events";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { purgedTo } from "../geofences/tracks";
import { deviceList, tripList } from "../gps/service";
import { countsIn, type Window } from "../ingest/places";
import type { Owner } from "./fixes";

/**
 * Versions of tracks: what the positions of a span are is told by how many there are before its ends, as long as nothing has
 * changed in the past.
 */

/** Another one after each start: changes are counted in memory. */
const START = Bun.randomUUIDv7();

let changes = 0;
/** The number of the last change in the past, by device. */
const changed = new BoundedMap<string, number>(10_000);

/** Begins to count the changes of the past. */
export function startVersions(): void {
  const note = ({ device_id }: { device_id: string | null }) => {
    changes++;
    if (device_id !== null) changed.renew(device_id, changes);
  };
  subscribe("track.changed", note);
  subscribe("position.judged", note);
}

/** The version of the positions of a span, as a text to compare. */
export function versionOf(owner: Owner, window: Window): string {
  const list = "device" in owner ? deviceList(owner.device) : tripList(owner.trip);
  const { older, upTo } = countsIn(list, window);
  // Without the time of the purge, as many new positions as were deleted by age would be the same.
  const past = "device" in owner ? [changed.get(owner.device) ?? 0, purgedTo(owner.device) ?? 0] : [changes];
  return [START, ...past, older, upTo].join(" ");
}
