import { readFileSync } from "node:fs";
import fallback from "dejavu-fonts-ttf/ttf/DejaVuSans.ttf" with { type: "file" };
import pdfmake, { type DocumentDefinition } from "pdfmake";
import italic from "pdfmake/fonts/Roboto/Roboto-Italic.ttf" with { type: "file" };
import medium from "pdfmake/fonts/Roboto/Roboto-Medium.ttf" with { type: "file" };
import mediumItalic from "pdfmake/fonts/Roboto/Roboto-MediumItalic.ttf" with { type: "file" };
import regular from "pdfmake/fonts/Roboto/Roboto-Regular.ttf" with { type: "file" };
import { FALLBACK_FONT } from "./text";

/**
 * Makes PDF documents, for threads of their own: one takes a tenth of a second or more, during which the server would
 * answer nobody. Loads no database.
 *
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

/** The bytes of a document. */
export const makePdf = async (document: DocumentDefinition): Promise<Uint8Array> =>
  new Uint8Array(await pdfmake.createPdf(document).getBuffer());
