/** Days of the reader's calendar, by their names. */

/** A day of the reader's calendar as YYYY-MM-DD, which date fields take. */
export function dayName(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The first moment of a day and of the next one, in epoch milliseconds; null for a text that names none. */
export function spanOfDay(name: string): { from: number; to: number } | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(name);
  if (!found) return null;
  const [year, month, date] = [Number(found[1]), Number(found[2]) - 1, Number(found[3])];
  const from = new Date(year, month, date);
  if (from.getMonth() !== month || from.getDate() !== date) return null;
  return { from: from.getTime(), to: new Date(year, month, date + 1).getTime() };
}
