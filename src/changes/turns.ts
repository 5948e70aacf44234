import { inTurns } from "../kernel/limits/turns";

/** Changes read in one step: some milliseconds, since each is told with its record. */
export const STEP = 100;
/** Weight of a step beside that of its changes. */
const STEP_ITSELF = 5;

const turn = inTurns({ ofTurn: STEP });

/**
 * Resolves when a reader may take its next step of so many changes at most. All readers together read one large step in a
 * turn of the event loop, or many small ones; those of one credential take turns with the others.
 */
export const stepOf = (changes: number, credentialId: string): Promise<void> =>
  turn(credentialId, STEP_ITSELF + Math.min(STEP, changes)) ?? Promise.resolve();
