/** A rule's condition at one subject, from one look to the next. Pure: times are epoch milliseconds. */

export interface ConditionState {
  /** The time since which it has held without an alert; null while it doesn't hold, or isn't counted. */
  since: number | null;
  /** True if its alert is open. */
  isOpen: boolean;
}

export const BLANK: ConditionState = { since: null, isOpen: false };

/** A look at a condition. */
export interface Sight {
  isMet: boolean;
  /** True within the rule's schedule. Outside of it nothing begins, and what has begun may end. */
  isCounted: boolean;
}

export type Effect =
  | "raise"
  | "clear"
  /** It still holds. */
  | "see"
  /** It holds, but not for long enough yet: it is due at `since` plus the time to hold. */
  | "hold"
  /** It ceased to hold before it was due. */
  | "drop";

export interface Step {
  state: ConditionState;
  effect: Effect | null;
}

/** The state after a look, for a condition that has to hold for some milliseconds. */
export function step(state: ConditionState, { isMet, isCounted }: Sight, hold: number, time: number): Step {
  if (!isMet) {
    if (state.isOpen) return { state: BLANK, effect: "clear" };
    return state.since === null ? { state, effect: null } : { state: BLANK, effect: "drop" };
  }
  if (state.isOpen) return { state, effect: "see" };
  if (!isCounted) return state.since === null ? { state, effect: null } : { state: BLANK, effect: "drop" };
  // A clock that was set back begins to count anew.
  const since = state.since === null || state.since > time ? time : state.since;
  if (time - since >= hold) return { state: { since: null, isOpen: true }, effect: "raise" };
  return since === state.since
    ? { state, effect: null }
    : { state: { since, isOpen: false }, effect: "hold" };
}
