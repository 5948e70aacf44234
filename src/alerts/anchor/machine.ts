/** The watch over a boat at anchor, from one position to the next. Pure: distances are metres. */

export const PLACES = ["holding", "warning", "dragging"] as const;
/** The boat is inside, beyond the warning radius, or beyond the radius. */
export type PlaceAtAnchor = (typeof PLACES)[number];

export interface AnchorRules {
  radiusM: number;
  /** Smaller than the radius; null for no warning. */
  warningRadiusM: number | null;
  /** Positions in a row that make the boat change places. */
  confirmFixes: number;
}

export interface AnchorState {
  place: PlaceAtAnchor;
  isSilent: boolean;
  /** Positions in a row beyond a border, or well inside of it, up to the number that confirms. */
  beyondRadius: number;
  beyondWarning: number;
  insideRadius: number;
  insideWarning: number;
}

export const AT_REST: AnchorState = {
  place: "holding",
  isSilent: false,
  beyondRadius: 0,
  beyondWarning: 0,
  insideRadius: 0,
  insideWarning: 0,
};

export type AnchorEffect =
  | { raise: "warning" | "dragging" | "silent" }
  | { clear: "warning" | "dragging" | "silent" };

export interface AnchorStep {
  state: AnchorState;
  effects: AnchorEffect[];
}

/** A boat comes back once it is this far inside a border, as a share of the radius: on the border it would flicker. */
const WELL_INSIDE = 0.9;

/** The state after a position at a distance from the anchor. The state is the same object if nothing changed. */
export function hear(state: AnchorState, distanceM: number, rules: AnchorRules): AnchorStep {
  const { radiusM, confirmFixes } = rules;
  const warningM = rules.warningRadiusM ?? radiusM;
  const run = (count: number, holds: boolean): number => (holds ? Math.min(count + 1, confirmFixes) : 0);
  const counted: AnchorState = {
    ...state,
    isSilent: false,
    beyondRadius: run(state.beyondRadius, distanceM > radiusM),
    beyondWarning: run(state.beyondWarning, distanceM > warningM),
    insideRadius: run(state.insideRadius, distanceM <= radiusM * WELL_INSIDE),
    insideWarning: run(state.insideWarning, distanceM <= warningM * WELL_INSIDE),
  };
  const after: AnchorState = { ...counted, place: placeAfter(counted, rules) };
  const effects: AnchorEffect[] = [];
  if (state.isSilent) effects.push({ clear: "silent" });
  if (after.place !== state.place) {
    if (state.place !== "holding") effects.push({ clear: state.place });
    if (after.place !== "holding") effects.push({ raise: after.place });
  }
  return { state: isSame(state, after) ? state : after, effects };
}

function placeAfter(
  { place, beyondRadius, beyondWarning, insideRadius, insideWarning }: AnchorState,
  { warningRadiusM, confirmFixes }: AnchorRules,
): PlaceAtAnchor {
  const isConfirmed = (count: number): boolean => count >= confirmFixes;
  if (isConfirmed(beyondRadius)) return "dragging";
  if (place === "dragging" && !isConfirmed(insideRadius)) return "dragging";
  if (isConfirmed(insideWarning) || warningRadiusM === null) return "holding";
  if (place === "holding" && !isConfirmed(beyondWarning)) return "holding";
  return "warning";
}

const isSame = (a: AnchorState, b: AnchorState): boolean =>
  (Object.keys(a) as (keyof AnchorState)[]).every((key) => a[key] === b[key]);

/** The state once no position has arrived for too long. */
export const fallSilent = (state: AnchorState): AnchorStep =>
  state.isSilent
    ? { state, effects: [] }
    : { state: { ...state, isSilent: true }, effects: [{ raise: "silent" }] };
