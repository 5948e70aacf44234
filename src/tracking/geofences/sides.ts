/**
 * The sides of one zone on which a device is, as a machine that takes fixes in order of their times. A device changes sides
 * once enough fixes in a row, over a long enough time, were on the other one; the crossing is then of the first of them.
 */

/** The fields of a fix that a crossing keeps. */
export interface SideFix {
  /** Epoch milliseconds. */
  time: number;
  latitude: number;
  longitude: number;
  /** Identifier of the position. */
  id: string;
}

/**
 * The place of a fix: `near` is outside, and within the margin, which counts for the side where the device is; `unknown` is
 * one whose accuracy is too poor to tell.
 */
export type Place = "inside" | "near" | "outside" | "unknown";

export interface SideRules {
  confirmFixes: number;
  enterAfterS: number;
  exitAfterS: number;
  dwellS: number | null;
}

export interface SideState {
  isInside: boolean;
  /** The fix that entered; null for a device that was there when the zone began to watch, or is outside. */
  entered: SideFix | null;
  /** The time since which it is inside, for dwelling: of the enter, or of the zone's beginning. Null outside. */
  since: number | null;
  hasDwelled: boolean;
  /** The first of the fixes in a row that are on the other side, and their number so far. */
  pending: { first: SideFix; count: number } | null;
}

export const OUTSIDE: SideState = { isInside: false, entered: null, since: null, hasDwelled: false, pending: null };

export interface Crossing {
  event: "enter" | "exit" | "dwell";
  /** Epoch milliseconds; for dwell, the time at which it was long enough. */
  time: number;
  fix: SideFix;
}

/** The state after a fix, and what it showed. The state is the same object if nothing changed. */
export function step(
  state: SideState,
  fix: SideFix,
  place: Place,
  rules: SideRules,
): { state: SideState; crossings: Crossing[] } {
  if (place === "unknown") return { state, crossings: [] };
  const isOther = state.isInside ? place === "outside" : place === "inside";
  if (!isOther) return dwell(state.pending === null ? state : { ...state, pending: null }, fix, rules);
  const pending = { first: state.pending?.first ?? fix, count: (state.pending?.count ?? 0) + 1 };
  const afterS = state.isInside ? rules.exitAfterS : rules.enterAfterS;
  const isConfirmed =
    pending.count >= rules.confirmFixes && fix.time - pending.first.time >= afterS * 1_000;
  if (!isConfirmed) return { state: { ...state, pending }, crossings: [] };
  const { first } = pending;
  if (state.isInside) return { state: OUTSIDE, crossings: [{ event: "exit", time: first.time, fix: first }] };
  const inside: SideState = { isInside: true, entered: first, since: first.time, hasDwelled: false, pending: null };
  const later = dwell(inside, fix, rules);
  return {
    state: later.state,
    crossings: [{ event: "enter", time: first.time, fix: first }, ...later.crossings],
  };
}

/** Notices that a device has been inside for long enough. */
function dwell(state: SideState, fix: SideFix, { dwellS }: SideRules): { state: SideState; crossings: Crossing[] } {
  if (!state.isInside || state.hasDwelled || dwellS === null || state.since === null) return { state, crossings: [] };
  const due = state.since + dwellS * 1_000;
  if (fix.time < due) return { state, crossings: [] };
  return { state: { ...state, hasDwelled: true }, crossings: [{ event: "dwell", time: due, fix }] };
}
