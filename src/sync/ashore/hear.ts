import type { BatchHead, SectionHead } from "../batch/batch";
import type { Lane } from "../batch/lanes";
import type { Held } from "./table";

/** The decision which parts of a push the shore may store. Pure. */

/** The shore's knowledge of an epoch. */
export interface Known {
  lanes: Partial<Record<Lane, Held>>;
  /** The highest one of the requests of this box that were heard, in whatever epoch. */
  sequence: number;
}

export interface Heard {
  /** The lanes as they are now: those that begin are among them. */
  lanes: Known["lanes"];
  sequence: number;
  /** For each section, true if its rows follow the last one that is held. */
  follows: boolean[];
  /** Lanes that can't go on: nothing is known of where they were. */
  unknown: Lane[];
  /** A later request was heard before this one. */
  isStale: boolean;
}

/** Of a box that was never heard. */
export const NOTHING_KNOWN: Known = { lanes: {}, sequence: -1 };

/**
 * Hears a push. A section follows if its first number and hash are the last ones that are held: so a batch is stored once,
 * whatever is lost or doubled on the way. A lane begins where the box says, as long as the epoch before, if there was one, was
 * held up to there. Requests that were overtaken by a later one are not heard: they hold records as they were before.
 */
export function hear(
  { parent, sequence }: Pick<BatchHead, "parent" | "sequence">,
  sections: readonly SectionHead[],
  known: Known,
  parentLanes: Known["lanes"] | null,
): Heard {
  const lanes = { ...known.lanes };
  const unknown: Lane[] = [];
  const isStale = sequence <= known.sequence;
  const follows = sections.map(({ lane, begins, from, hash }) => {
    const held = lanes[lane];
    if (held) return !isStale && held.number === from && held.hash === hash;
    if (isStale) return false;
    const before = parentLanes?.[lane];
    if (begins && (parent === null || (before && before.number >= from))) {
      lanes[lane] = { number: from, hash };
      return true;
    }
    if (begins && before) lanes[lane] = before;
    else unknown.push(lane);
    return false;
  });
  return { lanes, sequence: isStale ? known.sequence : sequence, follows, unknown, isStale };
}
