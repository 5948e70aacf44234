import { MAX_LIMIT, type PageOf, type PageRequest } from "./paging";
import { queryInteger, t } from "./schema";

/** The envelopes of the API: one record, and a page of records with its links (rule H1). */

/** The single-record envelope: `single(trip, "/v1/trips/…")`. */
export function single<T>(data: T, self: string) {
  return { data, _links: { self } };
}

/** An answer that is JSON text already. */
export class JsonText {
  constructor(
    readonly text: string,
    readonly _links: { self: string },
  ) {}
}

/** The single-record envelope around a record that is JSON text already. Its route's schema is `unchecked`. */
export function singleOfText<T>(json: string, self: string) {
  const text = `{"data":${json},"_links":{"self":${JSON.stringify(self)}}}`;
  return new JsonText(text, { self }) as unknown as ReturnType<typeof single<T>>;
}

/** `page` and `limit` of every paginated list, with the list's own default limit. */
export const pageQuery = (defaultLimit: number) => ({
  page: t.Optional(
    queryInteger({ minimum: 1, default: 1, description: "Page, counted from 1", examples: [1] }),
  ),
  limit: t.Optional(
    queryInteger({
      minimum: 1,
      default: defaultLimit,
      description: `Records a page; more than ${MAX_LIMIT} is lowered to ${MAX_LIMIT}`,
      examples: [defaultLimit],
    }),
  ),
});

/** The page asked for by a validated query, its limit lowered to the maximum. */
export function pageRequest(query: { page?: number; limit?: number }, defaultLimit: number): PageRequest {
  return {
    page: Math.min(query.page ?? 1, Number.MAX_SAFE_INTEGER),
    limit: Math.min(query.limit ?? defaultLimit, MAX_LIMIT),
  };
}

/** The page envelope. */
export function page<T>(path: string, asked: PageRequest, { rows, total }: PageOf<T>, request: Request) {
  const { page, limit } = asked;
  const total_pages = pagesOf(total, asked);
  return {
    data: rows,
    pagination: { page, limit, total, total_pages },
    _links: pageLinks(path, asked, total_pages, request),
  };
}

/** The page of the audit log, whose fields have other names. */
export function eventPage<T>(path: string, asked: PageRequest, { rows, total }: PageOf<T>, request: Request) {
  const { page, limit } = asked;
  const total_pages = pagesOf(total, asked);
  const _links = pageLinks(path, asked, total_pages, request);
  return { events: rows, total_count: total, page, limit, total_pages, _links };
}

const pagesOf = (total: number, { limit }: PageRequest): number => Math.ceil(total / limit);

/** The links keep the request's other query parameters, known ones or not (rule H2). */
function pageLinks(path: string, asked: PageRequest, pages: number, request: Request) {
  const kept = otherParameters(request.url);
  const to = (number: number) => `${path}?page=${number}&limit=${asked.limit}${kept}`;
  const links: { self: string; first: string; last: string; prev?: string; next?: string } = {
    self: to(asked.page),
    first: to(1),
    last: to(Math.max(1, pages)),
  };
  if (asked.page > 1 && pages > 0) links.prev = to(Math.min(asked.page - 1, pages));
  if (asked.page < pages) links.next = to(asked.page + 1);
  return links;
}

/** The query parameters of a URL except `page` and `limit`, as they were sent, each after an ampersand. */
function otherParameters(url: string): string {
  const start = url.indexOf("?");
  if (start === -1) return "";
  let kept = "";
  for (const parameter of url.slice(start + 1).split("&"))
    if (parameter !== "" && !/^(?:page|limit)(?:=|$)/.test(parameter)) kept += `&${parameter}`;
  return kept;
}
