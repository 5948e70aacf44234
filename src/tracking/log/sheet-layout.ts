import type { Content, DocumentDefinition, StyledText } from "pdfmake";
import { cell, words as styled } from "../../kernel/pdf/text";
import { MINUTE } from "../../kernel/time/clock";
import type { Author, Sheet, SheetEntry } from "./sheet";
import { type Mark, trackPicture } from "./sheet-map";
import { WORDS, type Words } from "./words";

/** Layout of a log as a sheet to sign, as a document of pdfmake. No database, no clock. */

const [ACCENT, SOFT, LINE, ALARM] = ["#0b4f8a", "#595959", "#c9ced6", "#b00020"];
const KM_PER_MILE = 1.852;

/** The words and the forms of numbers and times of a language. */
interface Forms {
  words: Words;
  time: (iso: string) => string;
  number: (value: number, digits: number) => string;
}

function formsOf(words: Words): Forms {
  const dates = new Intl.DateTimeFormat(words.tag, {
    ...{ dateStyle: "medium", timeStyle: "short", timeZone: "UTC" },
  });
  return {
    words,
    time: (iso) => dates.format(new Date(iso)),
    number: (value, digits) =>
      value.toLocaleString(words.tag, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  };
}

export function sheetDocument(sheet: Sheet): DocumentDefinition {
  const forms = formsOf(WORDS[sheet.locale]);
  const { words } = forms;
  const title = `${words.title}: ${sheet.trip}`;
  return {
    pageSize: "A4",
    pageMargins: [48, 48, 48, 60],
    language: sheet.locale,
    info: { title, author: "Fairlead", creator: "Fairlead", producer: "Fairlead" },
    defaultStyle: { font: "Roboto", fontSize: 9, lineHeight: 1.2 },
    styles: {
      title: { fontSize: 20, bold: true, color: ACCENT, margin: [0, 0, 0, 8] },
      section: { fontSize: 12, bold: true, color: ACCENT, margin: [0, 14, 0, 5] },
      head: { bold: true, color: SOFT, fontSize: 8 },
      note: { color: SOFT, fontSize: 8 },
    },
    footer: (current, all) => ({
      stack: [
        { text: `${words.fields.head}: ${sheet.head ?? "–"}` },
        { columns: [styled(title), { text: words.page(current, all), alignment: "right" }] },
      ],
      margin: [48, 16, 48, 0],
      fontSize: 7.5,
      color: SOFT,
    }),
    pageBreakBefore: ({ headlineLevel, startPosition }) =>
      headlineLevel !== undefined && startPosition.verticalRatio > 0.84,
    content: [
      { text: words.title, style: "title" },
      facts(sheet, forms),
      ...(sheet.brokenAt === null ? [] : [warning(words.broken(sheet.brokenAt))]),
      ...picture(sheet, words),
      table(sheet, forms),
      signature(words),
    ],
  };
}

const warning = (text: string): Content => ({ text, color: ALARM, bold: true, margin: [0, 8, 0, 0] });

function facts(sheet: Sheet, { words, time, number }: Forms): Content {
  const { fields } = words;
  const end = (place: string | null, at: string | null, otherwise: string) =>
    [place, at === null ? otherwise : `${time(at)} UTC`].filter((part) => part !== null).join(", ");
  const miles = number(sheet.distanceKm / KM_PER_MILE, 1);
  const rows: [string, string][] = [
    [fields.device, sheet.device ?? "–"],
    [fields.trip, sheet.trip],
    [fields.from, end(sheet.origin, sheet.startedAt, "–")],
    [fields.to, end(sheet.destination, sheet.endedAt, sheet.startedAt === null ? "–" : words.underWay)],
    [fields.distance, `${miles} ${words.map.miles} (${number(sheet.distanceKm, 1)} km)`],
    [fields.entries, number(sheet.entries.length, 0)],
    [fields.exported, `${time(sheet.exportedAt)} UTC, ${sheet.site}`],
  ];
  return {
    layout: "noBorders",
    table: {
      widths: [110, "*"],
      body: rows.map(([name, value]) => [{ text: name, color: SOFT }, cell(value)]),
    },
  };
}

function picture({ track, entries }: Sheet, words: Words): Content[] {
  const marks = entries.flatMap((entry): Mark[] => {
    const place = entry.struck === null ? placeOf(entry) : null;
    return place ? [{ ...place, label: String(entry.number) }] : [];
  });
  const svg = trackPicture(track, marks, words.map);
  const title: StyledText = { text: words.track, style: "section", headlineLevel: 1 };
  return svg === null
    ? [title, { text: words.noTrack, style: "note" }]
    : [{ stack: [title, { svg }], unbreakable: true }];
}

// --- The table ----------------------------------------------------------------------------------------------

/** Longest text that fits on a page: pdfmake drops a table with a row that may not break and does not fit. */
const FITS = 2_500;

function table({ entries }: Sheet, forms: Forms): Content {
  const { columns, noEntries } = forms.words;
  if (entries.length === 0) return { text: noEntries, style: "note", margin: [0, 14, 0, 0] };
  const texts = entries.map((entry) => linesOf(entry, forms));
  const allFit = texts.every((lines) => lines.join("").length <= FITS);
  const heads = [columns.number, columns.time, columns.kind, columns.entry, columns.author];
  return {
    stack: [
      {
        table: {
          headerRows: 1,
          keepWithHeaderRows: allFit ? 1 : 0,
          dontBreakRows: allFit,
          widths: [22, 78, 52, "*", 62],
          body: [
            heads.map((text) => ({ text, style: "head" })),
            ...entries.map((entry, at) => row(entry, texts[at] ?? [], forms)),
          ],
        },
        layout: {
          hLineWidth: (at) => (at === 0 ? 0 : 0.5),
          vLineWidth: () => 0,
          hLineColor: () => LINE,
          paddingTop: () => 3,
          paddingBottom: () => 3,
        },
      },
    ],
    margin: [0, 14, 0, 0],
    fontSize: 8.5,
  };
}

/** Widest run of characters in the column of entries. */
const WIDEST_RUN = 40;

/** An entry that came later than this is shown with the time at which it was written. */
const LATE = 10 * MINUTE;

function row(entry: SheetEntry, lines: string[], { words, time }: Forms): Content[] {
  const struck = entry.struck === null ? {} : ({ decoration: "lineThrough", color: SOFT } as const);
  const isLate = Date.parse(entry.recorded_at) - Date.parse(entry.occurred_at) > LATE;
  const below = { fontSize: 7.5, color: SOFT };
  return [
    { text: String(entry.number), ...struck },
    {
      stack: [
        { text: time(entry.occurred_at), ...struck },
        ...(isLate && !entry.is_automatic
          ? [{ text: words.recorded(time(entry.recorded_at)), ...below }]
          : []),
      ],
    },
    { text: words.kinds[entry.kind], ...struck },
    {
      stack: [
        ...lines.map((line) => styled(line, struck, WIDEST_RUN)),
        ...(entry.struck
          ? [styled(words.struck(entry.struck.number, entry.struck.reason), { ...below, color: ALARM })]
          : []),
      ],
    },
    styled(authorOf(entry.author, words), below),
  ];
}

function authorOf(author: Author, words: Words): string {
  switch (author.kind) {
    case "user":
      return author.name;
    case "user id":
      return words.user(author.id);
    case "key":
      return words.key(author.id);
    case "deleted":
      return words.deletedUser;
    case "automatic":
      return words.automatic;
  }
}

/** The lines of an entry: its words, then its data. */
function linesOf(entry: SheetEntry, forms: Forms): string[] {
  const { text, data, strikes, is_automatic } = entry;
  return [
    ...(strikes === null ? [] : [forms.words.strikes(strikes)]),
    ...(text === null || text === "" ? [] : [text]),
    ...(data === null ? [] : is_automatic ? positionLines(entry, forms) : dataLines(data)),
  ];
}

const dataLines = (data: Record<string, unknown>): string[] => {
  const line = Object.entries(data)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
  return line === "" ? [] : [line];
};

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** The place of an entry that has one in its data. */
function placeOf({ data }: SheetEntry): { latitude: number; longitude: number } | null {
  const { latitude, longitude } = data ?? {};
  const isPlace =
    isNumber(latitude) && isNumber(longitude) && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isPlace ? { latitude, longitude } : null;
}

function positionLines(entry: SheetEntry, { words, number }: Forms): string[] {
  const place = placeOf(entry);
  const { heading, speed_knots, distance_km, total_distance_km } = entry.data ?? {};
  const miles = (km: number) => number(km / KM_PER_MILE, 1);
  const motion = [
    place ? `${angle(place.latitude, "NS", 2, number)} ${angle(place.longitude, "EW", 3, number)}` : null,
    isNumber(heading) ? words.course(String(Math.round(heading) % 360).padStart(3, "0")) : null,
    isNumber(speed_knots) ? words.speed(number(speed_knots, 1)) : null,
  ];
  const way = [
    isNumber(distance_km) ? words.sinceLast(miles(distance_km)) : null,
    isNumber(total_distance_km) ? words.inAll(miles(total_distance_km)) : null,
  ];
  return [motion, way].map((parts) => parts.filter((part) => part !== null).join(" · ")).filter(Boolean);
}

/** Degrees and decimal minutes, as charts and logs have them: "54° 05.80′ N". */
function angle(value: number, signs: string, digits: number, number: Forms["number"]): string {
  const hundredths = Math.round(Math.abs(value) * 6_000);
  const degrees = String(Math.floor(hundredths / 6_000)).padStart(digits, "0");
  const minutes = (hundredths % 6_000) / 100;
  return `${degrees}° ${minutes < 10 ? "0" : ""}${number(minutes, 2)}′ ${value < 0 ? signs[1] : signs[0]}`;
}

// --- The signature ------------------------------------------------------------------------------------------

const signature = (words: Words): Content => ({
  stack: [
    { text: words.proof, style: "note" },
    {
      columns: [signatureLine(words.placeAndDate), signatureLine(words.master)],
      columnGap: 40,
      margin: [0, 44, 0, 0],
    },
  ],
  unbreakable: true,
  margin: [0, 14, 0, 0],
});

const signatureLine = (below: string): Content => ({
  table: { widths: ["*"], body: [[{ text: below, style: "note" }]] },
  layout: {
    hLineWidth: (at) => (at === 0 ? 0.7 : 0),
    vLineWidth: () => 0,
    hLineColor: () => SOFT,
    paddingTop: () => 3,
    paddingBottom: () => 0,
  },
});
