import { Lines } from "./lines";

export interface SemaphoreBounds {
  /** Pieces that run at once, by a number that may depend on the configuration. */
  atOnce: number | (() => number);
  /** Pieces that wait in all, and the error to one more. Without it any number may wait. */
  line?: { most: number; refusal: () => Error };
}

export interface Semaphore {
  /** Runs a piece of work for an address or a user, who take turns. Rejects with the line's refusal if too many wait. */
  run: <T>(who: string, work: () => Promise<T>) => Promise<T>;
  /** Number of pieces that wait. */
  waiting: () => number;
}

interface Waiting {
  go: () => void;
  refuse: (refusal: Error) => void;
}

/** Bounds how much work runs at once. Where too many pieces wait, the longest line loses its last. */
export function semaphore({ atOnce, line }: SemaphoreBounds): Semaphore {
  const lines = new Lines<Waiting>();
  let running = 0;
  const most = typeof atOnce === "number" ? () => atOnce : atOnce;

  /** Makes room for one more of `who` at the end of the line. Throws where its line is the longest. */
  function makeRoom(who: string): void {
    if (!line || lines.size < line.most) return;
    const last = lines.popLonger(lines.lengthOf(who) + 1);
    if (!last) throw line.refusal();
    last.refuse(line.refusal());
  }

  return {
    waiting: () => lines.size,
    async run(who, work) {
      if (running >= most()) {
        makeRoom(who);
        // The piece that ends hands its place on: the number of running ones stays.
        await new Promise<void>((go, refuse) => lines.push(who, { go, refuse }));
      } else running++;
      try {
        return await work();
      } finally {
        const next = lines.shift();
        if (next) next.go();
        else running--;
      }
    },
  };
}
