import type { Presence } from "../geofences/presence";
import { OUTSIDE, type SideFix } from "../geofences/sides";
import { fixesBefore, type Moment, type ZoneFix } from "../geofences/tracks";
import {
  contains,
  isAccurate,
  leastAccuracyLimit,
  placeAt,
  surroundingsOf,
  type Zone,
  zonesAt,
} from "../geofences/watched";

/** Fixes that are read at once, and at most: a stretch that no zone sees is not walked through whole. */
const PAGE = 50;
const MOST = 2_000;

/** A row of fixes that are on the other side, seen from its end. */
interface Run {
  presence: Presence;
  first: SideFix;
  count: number;
}

const isSlow = (zone: Zone, isInside: boolean): boolean =>
  zone.confirmFixes > 1 || (isInside ? zone.exitAfterS : zone.enterAfterS) > 0;

/**
 * The states of a device that await the next fix at a place in its track, found by looking back from there. `states` are those
 * of the zones that it is inside of; `isCompared` tells if a fix came after the last crossing at a zone. A row that is long
 * enough would have been confirmed, so that none is looked for beyond what the zones' rules ask for.
 */
export function pendingBefore(
  deviceId: string,
  at: Moment,
  states: ReadonlyMap<number, Presence>,
  isCompared: (zone: Zone, fix: ZoneFix) => boolean,
): Presence[] {
  const runs = new Map<number, Run>();
  /** Zones of which everything is known. */
  const done = new Set<number>();
  const inside = [...states.values()].filter(({ zone }) => isSlow(zone, true));
  /** True while all fixes so far may have been skipped by some zone. */
  let isOpen = true;

  const look = (presence: Presence, fix: ZoneFix): void => {
    const { zone, state } = presence;
    if (done.has(zone.seq)) return;
    const place = isCompared(zone, fix) ? placeAt(zone, fix, state.isInside) : "near";
    if (place === "unknown") return;
    if (place !== (state.isInside ? "outside" : "inside")) done.add(zone.seq);
    else runs.set(zone.seq, { presence, first: fix, count: (runs.get(zone.seq)?.count ?? 0) + 1 });
  };

  const skipped: ZoneFix[] = [];
  const isSkipping = (zone: Zone) => skipped.every(({ accuracy_m }) => !isAccurate(zone, accuracy_m));
  let seen = 0;
  for (let page = fixesBefore(deviceId, at, PAGE); page.length > 0 && seen < MOST; ) {
    for (const fix of page) {
      const known = [...runs.values()].map(({ presence }) => presence);
      for (const presence of new Set([...inside, ...known])) look(presence, fix);
      if (isOpen)
        for (const zone of zonesAt(surroundingsOf(fix))) {
          if (states.has(zone.seq) || runs.has(zone.seq) || !isSlow(zone, false)) continue;
          if (isSkipping(zone) && contains(zone, fix)) look({ zone, state: OUTSIDE }, fix);
        }
      skipped.push(fix);
      isOpen &&= fix.accuracy_m !== null && fix.accuracy_m > leastAccuracyLimit();
      const isKnown = (seq: number) => done.has(seq);
      if (!isOpen && [...inside.map(({ zone }) => zone.seq), ...runs.keys()].every(isKnown))
        return [...runs.values()].map(toPresence);
    }
    seen += page.length;
    page = page.length < PAGE ? [] : fixesBefore(deviceId, page.at(-1) as Moment, PAGE);
  }
  return [...runs.values()].map(toPresence);
}

const toPresence = ({ presence: { zone, state }, first, count }: Run): Presence => ({
  zone,
  state: { ...state, pending: { first, count } },
});
