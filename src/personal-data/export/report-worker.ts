import { readFileSync } from "node:fs";
import fallback from "dejavu-fonts-ttf/ttf/DejaVuSans.ttf" with { type: "file" };
import pdfmake from "pdfmake";
import italic from "pdfmake/fonts/Roboto/Roboto-Italic.ttf" with { type: "file" };
import medium from "pdfmake/fonts/Roboto/Roboto-Medium.ttf" with { type: "file" };
import mediumItalic from "pdfmake/fonts/Roboto/Roboto-MediumItalic.ttf" with { type: "file" };
import regular from "pdfmake/fonts/Roboto/Roboto-Regular.ttf" with { type: "file" };
import { FALLBACK_FONT, reportDocument } from "./report";
import type { Summary } from "./summary";

/**
 * Sets `report.pdf`, in a thread of its own: it takes a tenth of a second, during which the server would
 * answer nobody. Receives a summary, answers with the PDF's bytes. Loads no database.
 */

declare const self: {
  onmessage: ((event: MessageEvent<Summary>) => void) | null;
  postMessage: (message: Uint8Array) => void;
};

/**
 * Roboto has Latin, Greek and Cyrillic; DejaVu Sans stands in for what it lacks, such as Greek with
 * breathings. Both come with the program, and nothing else may be loaded.
 */
const FONTS = { normal: regular, bold: medium, italics: italic, bolditalics: mediumItalic };

for (const [style, path] of Object.entries(FONTS))
  pdfmake.virtualfs.writeFileSync(`${style}.ttf`, readFileSync(path));
pdfmake.virtualfs.writeFileSync("fallback.ttf", readFileSync(fallback));
pdfmake.setFonts({
  [FALLBACK_FONT]: { normal: "fallback.ttf", bold: "fallback.ttf" },
  Roboto: Object.fromEntries(Object.keys(FONTS).map((style) => [style, `${style}.ttf`])),
});
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => false);

self.onmessage = async ({ data }) => {
  self.postMessage(new Uint8Array(await pdfmake.createPdf(reportDocument(data)).getBuffer()));
};
