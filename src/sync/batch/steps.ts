/** Milliseconds of work between two turns of the event loop. */
const STEP = 4;

/** Does the work of a generator that yields often, with other work in between. */
export async function inSteps<T>(work: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + STEP;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await new Promise((resume) => setImmediate(resume));
  }
}

/** Does the work of a generator at once. */
export function atOnce<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
