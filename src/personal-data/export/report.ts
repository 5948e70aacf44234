import type { Content, DocumentDefinition } from "pdfmake";
import { cell } from "../../kernel/pdf/text";
import type { ExportLog } from "../export-logs/schema";
import type { Summary } from "./summary";
import { WORDS, type Words } from "./words";

/** Layout of `report.pdf`: a summary as a document of pdfmake. No database, no clock. */

const ACCENT = "#0b4f8a";
const SOFT = "#595959";
const LINE = "#c9ced6";
/** Lowest position on a page at which a section may begin, as a part of its height. */
const LOWEST_HEADING = 0.84;

export function reportDocument(summary: Summary): DocumentDefinition {
  const words = WORDS[summary.locale];
  const dates = new Intl.DateTimeFormat(summary.locale === "de" ? "de-DE" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const time = (iso: string | null) => (iso === null ? "–" : dates.format(new Date(iso)));
  const title = words.title(summary.site);
  return {
    pageSize: "A4",
    pageMargins: [48, 56, 48, 56],
    language: summary.locale,
    info: { title, author: "Fairlead", creator: "Fairlead", producer: "Fairlead" },
    defaultStyle: { font: "Roboto", fontSize: 9, lineHeight: 1.2 },
    styles: {
      title: { fontSize: 22, bold: true, color: ACCENT },
      subtitle: { fontSize: 10, color: SOFT, margin: [0, 2, 0, 12] },
      section: { fontSize: 13, bold: true, color: ACCENT, margin: [0, 18, 0, 6] },
      note: { color: SOFT, margin: [0, 0, 0, 4] },
      head: { bold: true, color: SOFT, fontSize: 8 },
    },
    footer: (current, all) => ({
      columns: [title, { text: words.page(current, all), alignment: "right" }],
      margin: [48, 20, 48, 0],
      fontSize: 8,
      color: SOFT,
    }),
    // A heading is not left alone at the foot of a page.
    pageBreakBefore: ({ headlineLevel, startPosition }) =>
      headlineLevel !== undefined && startPosition.verticalRatio > LOWEST_HEADING,
    content: [
      { text: title, style: "title" },
      { text: words.subtitle(summary.user.username, `${time(summary.exportedAt)} UTC`), style: "subtitle" },
      { text: words.intro },
      ...account(summary, words, time),
      ...lists(summary, words, time),
    ],
  };
}

type Time = (iso: string | null) => string;

/** The word for a key, else the key itself: other services write events of any type, `constructor` too. */
const named = (words: Record<string, string>, key: string): string =>
  Object.hasOwn(words, key) ? (words[key] ?? key) : key;

/** A table of names and values. */
const facts = (rows: [name: string, value: string][]): Content => ({
  layout: "noBorders",
  table: {
    widths: [140, "*"],
    body: rows.map(([name, value]) => [{ text: name, color: SOFT }, cell(value)]),
  },
});

function account({ user, twoFactor, deletion, roles }: Summary, words: Words, time: Time): Content[] {
  const { fields, sections } = words;
  const yesOrNo = (value: boolean) => (value ? words.yes : words.no);
  const language =
    user.preferredLocale === null ? "–" : words.languages[user.preferredLocale as keyof Words["languages"]];
  return [
    { text: sections.account, style: "section", headlineLevel: 1 },
    facts([
      [fields.username, user.username],
      [fields.id, user.id],
      [fields.email, user.email ?? "–"],
      [fields.created, time(user.createdAt)],
      [fields.lastLogin, user.lastLoginAt === null ? words.never : time(user.lastLoginAt)],
      [fields.locale, language ?? "–"],
      [fields.privacyMode, yesOrNo(user.privacyMode)],
      [sections.roles, roles.length > 0 ? roles.join(", ") : words.none],
      [sections.deletion, deletion === null ? words.none : `${fields.scheduled} ${time(deletion)}`],
    ]),
    { text: sections.twoFactor, style: "section", headlineLevel: 1 },
    facts([
      [fields.enabled, yesOrNo(twoFactor.enabled)],
      ...(twoFactor.enabled
        ? ([
            [fields.enabledAt, time(twoFactor.enabledAt)],
            [fields.backupCodes, String(twoFactor.backupCodesRemaining)],
          ] as [string, string][])
        : []),
    ]),
  ];
}

function lists(summary: Summary, words: Words, time: Time): Content[] {
  const { sections, fields } = words;
  const yesOrNo = (value: boolean) => (value ? words.yes : words.no);
  const used = (at: string | null) => (at === null ? words.never : time(at));
  const size = (log: ExportLog) => `${Math.ceil(log.fileSizeBytes / 1024)} KiB`;
  const place = (event: Summary["events"]["rows"][number]) =>
    [event.ipAddress, event.city, event.countryName].filter((part) => part !== null).join(", ") || "–";
  return [
    ...table(words, sections.accounts, summary.accounts, [
      [fields.platform, 80, (row) => row.platformName],
      [fields.name, "*", (row) => row.username ?? "–"],
      [fields.email, "*", (row) => row.email ?? "–"],
      [fields.primary, 45, (row) => yesOrNo(row.isPrimary)],
      [fields.created, 90, (row) => time(row.createdAt)],
    ]),
    ...table(words, sections.identities, summary.identities, [
      [fields.provider, "*", (row) => row.displayName],
      [fields.name, "*", (row) => row.label ?? row.subject],
      [fields.created, 90, (row) => time(row.createdAt)],
      [fields.lastUsed, 90, (row) => used(row.lastUsedAt)],
    ]),
    ...table(words, sections.passkeys, summary.passkeys, [
      [fields.name, "*", (row) => row.name],
      [fields.authenticator, "*", (row) => row.authenticator ?? "–"],
      [fields.created, 90, (row) => time(row.createdAt)],
      [fields.lastUsed, 90, (row) => used(row.lastUsedAt)],
    ]),
    ...table(words, sections.apiKeys, summary.apiKeys, [
      [fields.name, "*", (row) => row.name],
      [fields.prefix, 75, (row) => row.keyPrefix],
      [fields.scopes, "*", (row) => (row.scopes.length > 0 ? row.scopes.join(", ") : "–")],
      [fields.expires, 85, (row) => (row.expiresAt === null ? words.never : time(row.expiresAt))],
      [fields.lastUsed, 85, (row) => used(row.lastUsedAt)],
    ]),
    ...table(words, sections.consents, summary.consents, [
      [fields.name, "*", (row) => row.client.name],
      [fields.scopes, "*", (row) => row.scopes.join(", ")],
      [fields.created, 90, (row) => time(row.createdAt)],
      [fields.lastUsed, 90, (row) => used(row.lastUsedAt)],
    ]),
    ...table(words, sections.connectedApps, summary.connectedApps, [
      [fields.name, "*", (row) => row.name ?? row.clientId ?? "–"],
      [fields.connected, 90, (row) => time(row.connectedAt)],
    ]),
    ...table(words, sections.ownedApps, summary.ownedApps, [
      [fields.name, "*", (row) => row.name],
      [fields.type, 80, (row) => words.clientTypes[row.clientType]],
      [fields.active, 45, (row) => yesOrNo(row.isActive)],
      [fields.created, 90, (row) => time(row.createdAt)],
    ]),
    ...table(words, sections.sessions, summary.sessions, [
      [fields.device, "*", (row) => deviceOf(row.browserName, row.osName) ?? words.unknownDevice],
      [fields.platform, 60, (row) => row.providerName],
      [fields.address, 110, (row) => row.ipAddress],
      [fields.created, 90, (row) => time(row.createdAt)],
      [fields.lastActive, 90, (row) => time(row.lastActivityAt)],
    ]),
    ...table(words, sections.events, summary.events, [
      [fields.when, 90, (row) => time(row.createdAt)],
      [fields.what, "*", (row) => named(words.events, row.eventType)],
      [fields.where, 150, place],
      [fields.result, 55, (row) => words.status[row.status]],
    ]),
    ...table(words, sections.exports, summary.exports, [
      [fields.when, 90, (row) => time(row.exportedAt)],
      [fields.address, "*", (row) => row.ipAddress ?? "–"],
      [fields.language, 70, (row) => named(words.languages, row.locale)],
      [fields.size, 60, size],
    ]),
  ];
}

/** Browser and system, as far as known. */
const deviceOf = (...parts: string[]): string | null =>
  parts.filter((part) => part !== "Unknown").join(", ") || null;

type Column<Row> = [heading: string, width: number | "*", value: (row: Row) => string];

/** Longest text that fits on a page in any column: pdfmake drops a table with a row that does not fit. */
const FITS = 700;

/** A section with a table of the newest rows of a list. */
function table<Row>(
  words: Words,
  heading: string,
  { rows, total }: { rows: Row[]; total: number },
  columns: Column<Row>[],
): Content[] {
  const title: Content = { text: heading, style: "section", headlineLevel: 1 };
  if (rows.length === 0) return [title, { text: words.none, style: "note" }];
  const texts = rows.map((row) => columns.map(([, , value]) => value(row)));
  const allFit = texts.flat().every((text) => text.length <= FITS);
  return [
    title,
    { text: words.shown(rows.length, total), style: "note" },
    {
      table: {
        headerRows: 1,
        keepWithHeaderRows: allFit ? 1 : 0,
        dontBreakRows: allFit,
        widths: columns.map(([, width]) => width),
        body: [
          columns.map(([name]) => ({ text: name, style: "head" })),
          ...texts.map((row) => row.map(cell)),
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
  ];
}
