/**
 * The end of a turn of the event loop: all that had arrived is read, and nothing more is read before what runs now is
 * done, the commit of the turn included.
 */

let end: PromiseWithResolvers<void> | null = null;
let isScheduled = false;

function finish(): void {
  isScheduled = false;
  end?.resolve();
  end = null;
}

/** Puts the end of the turn before what the caller hands to `setImmediate` next. */
export function scheduleTurnEnd(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(finish);
}

/** Resolves at the end of this turn. */
export function turnEnd(): Promise<void> {
  scheduleTurnEnd();
  end ??= Promise.withResolvers();
  return end.promise;
}
