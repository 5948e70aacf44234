/** Text of CSV (RFC 4180), for spreadsheets too. */

export type CsvValue = string | number | boolean | null;

/** Beginnings that spreadsheets take for a formula (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A line of CSV with its end. A text that a spreadsheet would run as a formula gets an apostrophe in front; a number is left
 * as it is.
 */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(field).join(",")}\r\n`;

function field(value: CsvValue): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
