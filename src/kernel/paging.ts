/** A page as asked for: `page` from 1, `limit` records each. */
export interface PageRequest {
  page: number;
  limit: number;
}

/** What a list function returns: the rows of one page and how many there are in all. */
export interface PageOf<T> {
  rows: T[];
  total: number;
}

/** `limit` may not exceed this on any paginated list; a larger one is lowered to it (decisions 2.4). */
export const MAX_LIMIT = 100;

/**
 * Which rows to read for a page. SQLite walks over what it skips, so a page in the second half is read from
 * the list's other end: the last page costs what the first one costs, and no page more than half the list.
 */
export function slice(
  { page, limit }: PageRequest,
  total: number,
): { offset: number; limit: number; fromEnd: boolean } {
  const skip = (page - 1) * limit;
  const rows = Math.max(0, Math.min(limit, total - skip));
  const skipFromEnd = total - skip - rows;
  if (rows === 0) return { offset: 0, limit: 0, fromEnd: false };
  return skip <= skipFromEnd
    ? { offset: skip, limit: rows, fromEnd: false }
    : { offset: skipFromEnd, limit: rows, fromEnd: true };
}

/** Reads one page. `read` gets an order (`fromEnd` is the reverse of the list's), an offset and a limit. */
export function readPage<T>(
  request: PageRequest,
  total: number,
  read: (fromEnd: boolean, offset: number, limit: number) => T[],
): PageOf<T> {
  const { offset, limit, fromEnd } = slice(request, total);
  if (limit === 0) return { rows: [], total };
  const rows = read(fromEnd, offset, limit);
  return { rows: fromEnd ? rows.reverse() : rows, total };
}
