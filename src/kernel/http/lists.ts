import { page } from "./envelopes";
import { MAX_LIMIT } from "./paging";
import { queryInteger, t } from "./schema";

/**
 * Lists that come whole, as clients expect them, and in pages for requests with `page` or `limit`. "Whole" is
 * bounded: a list longer than people make one is cut, and can be read page by page.
 */

/** Access to a list: `limit` of its records from the `offset`th on, and their number. */
export interface Records<T> {
  /** All records, if they are at hand and their number is bounded otherwise: then nothing is cut. */
  whole?: T[];
  read: (offset: number, limit: number) => T[];
  count: () => number;
}

export interface ListQuery {
  page?: number;
  limit?: number;
}

/** Most records of a list without `page` and `limit`, and roughly the most bytes. */
const WHOLE = 1_000;
const WHOLE_BYTES = 1_048_576;

/** Records read at once for a whole list: it may exceed the bytes by as many. */
const PART = 20;

const wholeUpTo = (bound: number): string =>
  `, up to ${bound} records${bound > MAX_LIMIT ? " and about a megabyte" : ""}`;

/** `page` and `limit` of such a list; `bound` is its most records without either, or null for all. */
export const listQuery = (bound: number | null = WHOLE) => ({
  page: t.Optional(queryInteger({ minimum: 1, description: "Page, counted from 1", examples: [1] })),
  limit: t.Optional(
    queryInteger({
      minimum: 1,
      description: `Records a page; more than ${MAX_LIMIT} is lowered to ${MAX_LIMIT}. With neither \`page\` nor \`limit\` the list comes whole${bound === null ? "" : wholeUpTo(bound)}; with \`page\` alone, ${MAX_LIMIT} make a page`,
      examples: [20],
    }),
  ),
});

export const ListQuery = t.Object(listQuery());

/** The query of a list that is never cut. */
export const WholeListQuery = t.Object(listQuery(null));

/** A list in memory, whose length is bounded otherwise. */
export const inMemory = <T>(rows: T[]): Records<T> => ({
  whole: rows,
  read: (offset, limit) => rows.slice(offset, offset + limit),
  count: () => rows.length,
});

/** The requested page; null for the whole list. */
const pageAsked = ({ page, limit }: ListQuery) =>
  page === undefined && limit === undefined
    ? null
    : { page: Math.min(page ?? 1, Number.MAX_SAFE_INTEGER), limit: Math.min(limit ?? MAX_LIMIT, MAX_LIMIT) };

/** The records of a page, or of the whole list, cut at `bound`. */
export function readList<T>(query: ListQuery, records: Records<T>, bound = WHOLE): T[] {
  const asked = pageAsked(query);
  if (asked)
    return records.read(Math.min((asked.page - 1) * asked.limit, Number.MAX_SAFE_INTEGER), asked.limit);
  if (records.whole) return records.whole;
  const rows: T[] = [];
  let bytes = 0;
  while (rows.length < bound && bytes < WHOLE_BYTES) {
    const part = records.read(rows.length, PART);
    rows.push(...part);
    if (part.length < PART) break;
    bytes += JSON.stringify(part).length;
  }
  return rows;
}

/** Such a list as `data`; if it was cut, `_links.next` is the page that follows. */
export function list<T>(
  path: string,
  query: ListQuery,
  records: Records<T>,
  request: Request,
  bound = WHOLE,
): { data: T[]; _links: { self: string; next?: string } } {
  const asked = pageAsked(query);
  const rows = readList(query, records, bound);
  if (asked) return page(path, asked, { rows, total: records.count() }, request);
  const _links: { self: string; next?: string } = { self: path };
  const isCut =
    !records.whole && rows.length > 0 && rows.length % PART === 0 && records.count() > rows.length;
  if (isCut) _links.next = `${path}?page=${rows.length / PART + 1}&limit=${PART}`;
  return { data: rows, _links };
}
