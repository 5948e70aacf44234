import { beginAt, inOrder, passedBy, stepAt } from "../geofences/evaluate";
import type { Shown } from "../geofences/events";
import { type Presence, type Presences, presencesOf } from "../geofences/presence";
import { insideSince, isBlank, OUTSIDE, type SideState } from "../geofences/sides";
import {
  baselineOf,
  fixesBefore,
  fixesFrom,
  isBefore,
  type Moment,
  type PlacedFix,
  placed,
  type ZoneFix,
} from "../geofences/tracks";
import { contains, leastAccuracyLimit, type Zone, zonesAt } from "../geofences/watched";
import { pendingBefore } from "./pending";
import {
  crossedBy,
  hasDwelledBetween,
  type Side,
  type StoredEvent,
  sideBefore,
  sideFrom,
  storedBefore,
  storedBetween,
} from "./stored";

/** Fixes that are read at once. */
const PAGE = 200;
const LAST: Moment = { timestamp: Number.MAX_SAFE_INTEGER, row: Number.MAX_SAFE_INTEGER };

/**
 * Follows a device's track from a fix on, as if the fixes came in order of their times, beside what is stored. It reads, and
 * changes nothing.
 */
export class Replay {
  readonly #deviceId: string;
  /** The stretch that has changed ends here, in fix time. */
  readonly #changedTo: number;
  readonly from: Moment;
  /** The states that aren't blank, by the zone's row number. */
  readonly states = new Map<number, Presence>();
  /** The crossings that the fixes have shown. */
  readonly shown: Shown[] = [];
  /** Stored crossings from before the way that don't hold, since their zone began to watch later. */
  readonly overtaken: StoredEvent[] = [];
  /** The fix that was followed last. */
  position: ZoneFix | null = null;
  /** Why it ended: the way is from here on as it is stored, or there are no more fixes. Null while it goes on. */
  end: "as stored" | "newest fix" | null = null;

  readonly #present: Presences;
  #previous: PlacedFix | null;
  #fixes: ZoneFix[] = [];
  /** The stored crossings of the fixes that are read and not followed yet. */
  #stored: StoredEvent[] = [];
  /** The zones that the device is inside of by what is stored, and the time since when; undefined where that is gone. */
  readonly #storedInside = new Map<number, number | undefined>();
  readonly #baselines = new Map<number, ZoneFix | null>();

  constructor(deviceId: string, from: Moment, changedTo: number) {
    this.#deviceId = deviceId;
    this.#changedTo = changedTo;
    this.from = from;
    this.#present = presencesOf(deviceId);
    const [previous] = fixesBefore(deviceId, from, 1);
    this.#previous = previous ? placed(previous) : null;
    this.#begin();
  }

  get at(): Moment {
    return this.position ?? this.from;
  }

  // --- The beginning ---------------------------------------------------------------------------------------

  #begin(): void {
    const zones = new Map(crossedBy(this.#deviceId).map((zone) => [zone.seq, zone]));
    for (const { zone } of this.#present.values()) zones.set(zone.seq, zone);
    const shownBy = new Map<number, Moment>();
    for (const zone of zones.values()) {
      const before = sideBefore(this.#deviceId, zone, this.from);
      if (before) shownBy.set(zone.seq, { timestamp: before.shown_at, row: before.shown_row });
      if (before && before.event !== "exit") {
        const since = insideSince(before.occurred_at);
        const shown = { timestamp: before.shown_at, row: before.shown_row };
        const hasDwelled = zone.dwellS !== null && hasDwelledBetween(this.#deviceId, zone, shown, this.from);
        this.states.set(zone.seq, { zone, state: { ...since, hasDwelled } });
      }
      this.#noteStored(zone.seq, zone, this.from, before);
    }
    const isCompared = (zone: Zone, fix: ZoneFix): boolean => {
      const crossing = shownBy.get(zone.seq);
      return (crossing === undefined || isBefore(crossing, fix)) && this.#sees(zone, fix);
    };
    for (const presence of pendingBefore(this.#deviceId, this.from, this.states, isCompared))
      this.states.set(presence.zone.seq, presence);
  }

  #baseline(zone: Zone): ZoneFix | null {
    const known = this.#baselines.get(zone.seq);
    if (known !== undefined) return known;
    const found = baselineOf(this.#deviceId, zone);
    this.#baselines.set(zone.seq, found);
    return found;
  }

  /** True if a zone watched already when a fix was made. */
  #sees(zone: Zone, fix: Moment): boolean {
    const baseline = this.#baseline(zone);
    return baseline === null || isBefore(baseline, fix);
  }

  // --- Fix by fix ------------------------------------------------------------------------------------------

  /** Follows the next fix. False if it has ended. */
  next(): boolean {
    if (this.end !== null) return false;
    if (this.#fixes.length === 0) this.#read();
    const fix = this.#fixes.shift();
    if (!fix) {
      this.end = "newest fix";
      return false;
    }
    this.#follow(fix);
    this.#overtake(fix);
    this.position = fix;
    if (this.#isAsStored(fix)) this.end = "as stored";
    return this.end === null;
  }

  #read(): void {
    const { timestamp, row } = this.at;
    const after = this.position === null ? this.from : { timestamp, row: row + 1 };
    this.#fixes = fixesFrom(this.#deviceId, after, PAGE);
    const last = this.#fixes.length < PAGE ? LAST : (this.#fixes.at(-1) as Moment);
    this.#stored.push(...storedBetween(this.#deviceId, after, last));
  }

  #follow(fix: ZoneFix): void {
    const at = placed(fix);
    const shown = [
      ...passedBy(this.#previous, at, {
        isOutside: (zone) => !this.states.has(zone.seq),
        sees: (zone, of) => this.#sees(zone, of),
        earlier: (from, limit) => fixesBefore(this.#deviceId, from, limit),
      }),
    ];
    for (const { zone, state } of [...this.states.values()]) shown.push(...this.#compare(zone, state, fix));
    for (const zone of zonesAt(at.around))
      if (!this.states.has(zone.seq) && contains(zone, fix)) shown.push(...this.#compare(zone, OUTSIDE, fix));
    this.shown.push(...inOrder(shown));
    this.#previous = at;
  }

  #compare(zone: Zone, before: SideState, fix: ZoneFix): Shown[] {
    const baseline = this.#baseline(zone);
    if (baseline && isBefore(fix, baseline)) return [];
    const isBeginning = baseline?.row === fix.row;
    if (isBeginning) this.#forget(zone);
    const { state, shown } = isBeginning ? beginAt(zone, fix) : stepAt(zone, before, fix);
    if (isBlank(state)) this.states.delete(zone.seq);
    else this.states.set(zone.seq, { zone, state });
    return shown;
  }

  /** Nothing that fixes from before a zone's beginning have shown holds. */
  #forget(zone: Zone): void {
    if (sideBefore(this.#deviceId, zone, this.from))
      this.overtaken.push(...storedBefore(this.#deviceId, zone, this.from));
  }

  /** Notes the sides that are stored for the time after a fix. */
  #overtake(fix: ZoneFix): void {
    const next = { timestamp: fix.timestamp, row: fix.row + 1 };
    let count = 0;
    for (const { shown_at, shown_row, ...event } of this.#stored) {
      if (isBefore(fix, { timestamp: shown_at, row: shown_row })) break;
      count++;
      if (event.event === "passed" || event.event === "dwell") continue;
      const zone = { id: event.geofence_id, watch_from: event.watch_from };
      this.#noteStored(event.seq, zone, next, event);
    }
    this.#stored.splice(0, count);
  }

  /**
   * Notes if a device is inside of a zone by what is stored, and since when. The next change of sides tells: the last one may
   * be new already, by a step of this work.
   */
  #noteStored(
    seq: number,
    zone: Pick<Zone, "id" | "watch_from">,
    from: Moment,
    last: Pick<Side, "event" | "occurred_at" | "is_late"> | null,
  ): void {
    const next = sideFrom(this.#deviceId, zone, from);
    const isInside = next ? next.event === "exit" : this.#present.get(seq)?.state.isInside === true;
    const since = last && last.event !== "exit" && last.is_late === 0 ? last.occurred_at : undefined;
    if (isInside) this.#storedInside.set(seq, since);
    else this.#storedInside.delete(seq);
  }

  // --- The end ---------------------------------------------------------------------------------------------

  /** True if from here on everything comes out as it is stored, since the same fixes follow. */
  #isAsStored(fix: ZoneFix): boolean {
    if (fix.timestamp <= this.#changedTo) return false;
    // One that some zone skips leaves open what awaits the next fix there.
    if (fix.accuracy_m !== null && fix.accuracy_m > leastAccuracyLimit()) return false;
    if (this.states.size !== this.#storedInside.size) return false;
    for (const { zone, state } of this.states.values())
      if (
        state.pending !== null ||
        !this.#storedInside.has(zone.seq) ||
        !this.#dwellsAsStored(zone, state, fix)
      )
        return false;
    return true;
  }

  /** True if a dwelling is still to come where one is stored, and none where none is. */
  #dwellsAsStored(zone: Zone, { since, hasDwelled }: SideState, fix: ZoneFix): boolean {
    if (zone.dwellS === null || this.#storedInside.get(zone.seq) === since) return true;
    if (!hasDwelled) return false;
    const next = { timestamp: fix.timestamp, row: fix.row + 1 };
    const left = sideFrom(this.#deviceId, zone, next);
    const until = left ? { timestamp: left.shown_at, row: left.shown_row } : LAST;
    return !hasDwelledBetween(this.#deviceId, zone, next, until);
  }
}
