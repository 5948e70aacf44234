import { logFailure } from "../errors/trouble";
import { transact } from "./transactions";

/** Long work behind the requests. */
export interface Steps {
  /** Those for whom there is work: some of them, in the order in which it is done. */
  due: () => string[];
  /** Does a step of some milliseconds for one of them, in a transaction. True if more is left. */
  step: (id: string) => boolean;
  /** Logged when a step fails: the work is tried again with the next call. */
  complaint: string;
}

/** Makes a function that does all the work there is, in steps with requests in between, and one that stops it for good. */
export function inSteps({ due, step, complaint }: Steps): { run: () => Promise<void>; stop: () => void } {
  let isAtWork = false;
  let isStopped = false;
  async function work(): Promise<void> {
    const failed = new Set<string>();
    const isDue = (id: string) => !failed.has(id);
    for (let ids = due(); ids.length > 0 && !isStopped; ids = due().filter(isDue))
      for (const id of ids)
        try {
          while (!isStopped && (await transact(() => step(id), "retryable")));
        } catch (error) {
          failed.add(id);
          logFailure(complaint, error, { device: id });
        }
  }
  return {
    run: async () => {
      if (isAtWork) return;
      isAtWork = true;
      try {
        await work();
      } finally {
        isAtWork = false;
      }
    },
    stop: () => {
      isStopped = true;
    },
  };
}
