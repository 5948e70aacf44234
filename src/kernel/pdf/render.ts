import { profile } from "../../configuration/profile";
import { SECOND } from "../time/clock";

/** Longest time that a document may take. */
const TIMEOUT = 60 * SECOND;

/** The PDF that a worker makes of some plain data, in a thread of its own. Rejects if it fails or takes too long. */
export function renderPdf(workerUrl: string, data: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const worker = new Worker(workerUrl, { smol: profile.smallThreads });
  return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
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
  }).finally(() => worker.terminate());
}
