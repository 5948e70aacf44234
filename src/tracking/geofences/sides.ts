/**
 * The sides of one zone on which a device is, as a machine that takes fixes in order of their times. A device changes sides
 * once enough fixes in a row, over a long enough time, were on the other one; the crossing is then of the first of them.
 */

/** The fields of a fix that a crossing keeps. */
export interface SideFix {
  /** Epoch milliseconds. */
  timestamp: number;
  latitude: number;
  longitude: number;
  id: string;
  trip_id: string | null;
}

/**
 * The place of a fix: `near` is outside, and within the margin, which counts for the side where the device is; `unknown` is
 * one whose accuracy is too poor to tell.
 */
export type Place = "inside" | "near" | "outside" | "unknown";

export interface SideRules {
  confirmFixes: number;
  /** Seconds. */
  enterAfterS: number;
  exitAfterS: number;
  /** Null for no dwelling. */
  dwellS: number | null;
}

export interface SideState {
  isInside: boolean;
  /** The time since which it is inside, for dwelling: of the enter, or of the zone's beginning. Null outside. */
  since: number | null;
  hasDwelled: boolean;
  /** The first of the fixes in a row that are on the other side, and their number so far. */
  pending: { first: SideFix; count: number } | null;
}

export const OUTSIDE: SideState = { isInside: false, since: null, hasDwelled: false, pending: null };

/** The state of a device that is inside since a time (epoch milliseconds). */
export const insideSince = (since: number): SideState => ({
  isInside: true,
  since,
  hasDwelled: false,
  pending: null,
});

export interface Crossing {
  event: "enter" | "exit" | "dwell";
  /** Epoch milliseconds; for dwell, the time at which it was long enough. */
  time: number;
  fix: SideFix;
}

/** A state, and the crossings that led to it. */
export interface Step {
  state: SideState;
  crossings: readonly Crossing[];
}

const NONE: readonly Crossing[] = [];

/** True for a state in which a device is as if it had never come near. */
export const isBlank = ({ isInside, pending }: SideState): boolean => !isInside && pending === null;

/** The state after a fix, and what it showed. The state is the same object if nothing changed. */
export function step(state: SideState, fix: SideFix, place: Place, rules: SideRules): Step {
  if (place === "unknown") return { state, crossings: NONE };
  const isOther = state.isInside ? place === "outside" : place === "inside";
  if (!isOther) return dwell(state.pending === null ? state : { ...state, pending: null }, fix, rules);
  const pending = { first: state.pending?.first ?? fix, count: (state.pending?.count ?? 0) + 1 };
  const { first } = pending;
  const afterS = state.isInside ? rules.exitAfterS : rules.enterAfterS;
  const isConfirmed =
    pending.count >= rules.confirmFixes && fix.timestamp - first.timestamp >= afterS * 1_000;
  if (!isConfirmed) return { state: { ...state, pending }, crossings: NONE };
  if (state.isInside)
    return { state: OUTSIDE, crossings: [{ event: "exit", time: first.timestamp, fix: first }] };
  const later = dwell(insideSince(first.timestamp), fix, rules);
  return {
    state: later.state,
    crossings: [{ event: "enter", time: first.timestamp, fix: first }, ...later.crossings],
  };
}

/** True if a fix changes nothing, as most don't: `step` would return the state alone. */
export const staysAs = (state: SideState, place: Place, { dwellS }: SideRules): boolean =>
  state.isInside &&
  (place === "inside" || place === "near") &&
  state.pending === null &&
  (dwellS === null || state.hasDwelled);

/** Notices that a device has been inside for long enough. */
function dwell(state: SideState, fix: SideFix, { dwellS }: SideRules): Step {
  if (dwellS === null || state.since === null || state.hasDwelled) return { state, crossings: NONE };
  const due = state.since + dwellS * 1_000;
  if (fix.timestamp < due) return { state, crossings: NONE };
  return { state: { ...state, hasDwelled: true }, crossings: [{ event: "dwell", time: due, fix }] };
}
