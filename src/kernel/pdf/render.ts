import { SECOND } from "../time/clock";

/** Longest time that a document may take. */
const TIMEOUT = 60 * SECOND;

/** Time that a worker waits for another document: to load fonts and code takes several times as long as to set a page. */
const KEPT_FOR = 10 * SECOND;

/** The workers that wait, one of each file at most: the memory of any others is given back at once. */
const waiting = new Map<string, { worker: Worker; timer: Timer }>();

function take(workerUrl: string): Worker {
  const kept = waiting.get(workerUrl);
  if (!kept) return new Worker(workerUrl);
  waiting.delete(workerUrl);
  clearTimeout(kept.timer);
  return kept.worker;
}

function keep(workerUrl: string, worker: Worker): void {
  if (waiting.has(workerUrl)) {
    worker.terminate();
    return;
  }
  const end = () => {
    clearTimeout(timer);
    waiting.delete(workerUrl);
    worker.terminate();
  };
  const timer = setTimeout(end, KEPT_FOR);
  worker.onerror = end;
  waiting.set(workerUrl, { worker, timer });
}

/**
 * The PDF that a worker makes of some plain data, in a thread that makes no other document meanwhile. Rejects if it fails or takes
 * too long.
 */
export async function renderPdf(workerUrl: string, data: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const worker = take(workerUrl);
  try {
    const document = await new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("the document took too long")), TIMEOUT);
      worker.onmessage = ({ data }) => {
        clearTimeout(timer);
        resolve(data);
      };
      worker.onerror = (event) => {
        clearTimeout(timer);
        reject(new Error(`the document failed: ${event.message}`));
      };
      worker.postMessage(data);
    });
    keep(workerUrl, worker);
    return document;
  } catch (error) {
    // One that failed may be in any state.
    worker.terminate();
    throw error;
  }
}
