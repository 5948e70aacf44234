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
const ROBOTO = { normal: regular, bold: medium, italics: italic, bolditalics: mediumItalic };

// The names are the paths: texts in pictures are set by pdfkit itself, which reads the files.
for (const path of [...Object.values(ROBOTO), fallback])
  pdfmake.virtualfs.writeFileSync(path, readFileSync(path));
pdfmake.setFonts({ Roboto: ROBOTO, [FALLBACK_FONT]: { normal: fallback, bold: fallback } });
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => false);

/** The bytes of a document. */
export const makePdf = async (document: DocumentDefinition): Promise<Uint8Array> =>
  new Uint8Array(await pdfmake.createPdf(document).getBuffer());
