import { makePdf } from "../../kernel/pdf/make";
import { reportDocument } from "./report";
import type { Summary } from "./summary";

/** Sets `report.pdf`, in a thread of its own: receives a summary, answers with the PDF's bytes. */

declare const self: {
  onmessage: ((event: MessageEvent<Summary>) => void) | null;
  postMessage: (message: Uint8Array) => void;
};

self.onmessage = async ({ data }) => {
  self.postMessage(await makePdf(reportDocument(data)));
};
