/** A requested page: `page` from 1, `limit` records each. */
export interface PageRequest {
  page: number;
  limit: number;
}

/** The rows of one page, and the number of rows in all. */
export interface PageOf<T> {
  rows: T[];
  total: number;
}

/** Maximum `limit` of every paginated list; a larger one is lowered to it (rule H4). */
export const MAX_LIMIT = 100;

/**
 * The rows of a page, as offset and limit. SQLite walks over skipped rows, so a page in the second half is
 * read from the list's other end: the last page costs as much as the first, and no page more than half the
 * list.
 */
export const slice = ({ page, limit }: PageRequest, total: number): Slice =>
  sliceAt((page - 1) * limit, limit, total);

interface Slice {
  offset: number;
  limit: number;
  fromEnd: boolean;
}

function sliceAt(skip: number, limit: number, total: number): Slice {
  const rows = Math.max(0, Math.min(limit, total - skip));
  const skipFromEnd = total - skip - rows;
  if (rows === 0) return { offset: 0, limit: 0, fromEnd: false };
  return skip <= skipFromEnd
    ? { offset: skip, limit: rows, fromEnd: false }
    : { offset: skipFromEnd, limit: rows, fromEnd: true };
}

/** Reads rows in an order (`fromEnd` is the reverse of the list's), from an offset on, up to a limit. */
type Reader<T> = (fromEnd: boolean, offset: number, limit: number) => T[];

/** Reads up to `most` rows of a list behind the first `skip` ones. */
export function readAt<T>(skip: number, most: number, total: number, read: Reader<T>): T[] {
  const { offset, limit, fromEnd } = sliceAt(skip, most, total);
  if (limit === 0) return [];
  const rows = read(fromEnd, offset, limit);
  return fromEnd ? rows.reverse() : rows;
}

/** Reads one page. */
export const readPage = <T>({ page, limit }: PageRequest, total: number, read: Reader<T>): PageOf<T> => ({
  rows: readAt((page - 1) * limit, limit, total, read),
  total,
});
