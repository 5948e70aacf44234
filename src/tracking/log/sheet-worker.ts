import { makePdf } from "../../kernel/pdf/make";
import type { Sheet } from "./sheet";
import { sheetDocument } from "./sheet-layout";

/** Sets a log as a sheet, in a thread of its own: receives its content, answers with the PDF's bytes. */

declare const self: {
  onmessage: ((event: MessageEvent<Sheet>) => void) | null;
  postMessage: (message: Uint8Array) => void;
};

self.onmessage = async ({ data }) => {
  self.postMessage(await makePdf(sheetDocument(data)));
};
