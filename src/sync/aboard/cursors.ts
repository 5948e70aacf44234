import { LANES, type Lane } from "../batch/lanes";

/** The places of a box's lanes, as the answers of the shore move them. Pure. */

export interface LaneState {
  /** The highest number that the shore holds without a gap, and the hash of its row. */
  acknowledged: number;
  hash: string;
  /** True until the shore has acknowledged anything of the lane in this epoch. */
  begins: boolean;
}
export type LaneStates = Record<Lane, LaneState>;

/** A number up to which a request held everything, and the hash of its row. */
export interface Milestone {
  number: number;
  hash: string;
}

/** The shore's answer to a push. */
export interface Answer {
  /** For each lane that the shore knows in this epoch, the highest number that is held without a gap. */
  acknowledged: Partial<Record<Lane, number>>;
  /** The hashes of those numbers, for lanes of which nothing was stored. */
  hashes?: Partial<Record<Lane, string>>;
  /** Lanes that can't go on, since the shore doesn't know where they were. */
  unknown?: readonly string[];
  /** The sequence of a later request that was heard before, so that nothing of this one was stored. */
  overtaken_by?: number;
}

/** The box's knowledge of its own rows. */
export interface Knowledge {
  /** The hash of the row of a number; null where it isn't kept any more. */
  hashOf: (lane: Lane, number: number) => string | null;
  /** True if all that follows a number is kept. */
  isKeptAfter: (lane: Lane, number: number) => boolean;
}

export type Settled =
  | {
      /** Lanes that moved. */
      lanes: Partial<LaneStates>;
      /** Lanes of which the shore should tell the hash. */
      unsure: Lane[];
    }
  /** The shore holds another life of these numbers than this box has: it goes on under another epoch. */
  | "fork"
  /** The shore lacks what it once held, and the feed doesn't keep it any more: everything is told anew. */
  | "whole";

/** Moves the lanes by an answer to a request, which held everything up to some milestones. */
export function settle(
  lanes: LaneStates,
  sent: Partial<Record<Lane, readonly Milestone[]>>,
  { acknowledged, hashes = {}, unknown = [] }: Answer,
  { hashOf, isKeptAfter }: Knowledge,
): Settled {
  const moved: Partial<LaneStates> = {};
  const unsure: Lane[] = [];
  let isForked = false;
  for (const lane of LANES) {
    const state = lanes[lane];
    const number = acknowledged[lane];
    if (unknown.includes(lane)) return "whole";
    if (number === undefined) {
      if (!state.begins) return "whole";
      continue;
    }
    const hash = hashes[lane];
    const milestone = sent[lane]?.find((each) => each.number === number);
    if (hash === undefined && (milestone || number === state.acknowledged)) {
      const known = milestone ?? { hash: state.hash };
      if (milestone || state.begins) moved[lane] = { acknowledged: number, hash: known.hash, begins: false };
      continue;
    }
    if (hash === undefined) {
      unsure.push(lane);
      continue;
    }
    const own = number === state.acknowledged ? state.hash : hashOf(lane, number);
    if (own === hash) {
      if (number < state.acknowledged && !isKeptAfter(lane, number)) return "whole";
      moved[lane] = { acknowledged: number, hash, begins: false };
    } else if (number >= state.acknowledged) isForked = true;
    // Restored ashore, and the row of that number has been forgotten here, but none behind it.
    else if (own === null && isKeptAfter(lane, number))
      moved[lane] = { acknowledged: number, hash, begins: false };
    else return "whole";
  }
  return isForked ? "fork" : { lanes: moved, unsure };
}
