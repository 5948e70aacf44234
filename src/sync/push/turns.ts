import { AppError } from "../../kernel/errors/errors";

/** Pushes of one box that run or wait: one that it gave up may still be under way when the next one comes. */
const MOST = 4;

interface Line {
  length: number;
  last: Promise<unknown>;
}

const lines = new Map<string, Line>();

/** Does work for a box once all earlier work for it is done. Throws 503 if too much waits. */
export async function oneAfterAnother<T>(boxId: string, work: () => Promise<T>): Promise<T> {
  const line = lines.get(boxId) ?? { length: 0, last: Promise.resolve() };
  if (line.length >= MOST)
    throw new AppError(
      "ServiceUnavailable",
      "Other requests of this box are under way; try again in a moment",
      {
        headers: { "retry-after": "5" },
      },
    );
  lines.set(boxId, line);
  line.length++;
  const mine = line.last.then(work);
  // The next one doesn't care how this one ended.
  line.last = mine.catch(() => {});
  try {
    return await mine;
  } finally {
    if (--line.length === 0) lines.delete(boxId);
  }
}
