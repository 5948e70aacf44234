import { describe, expect, test } from "bun:test";
import { page, pageRequest } from "../../../src/kernel/http/envelopes";
import { readPage, slice } from "../../../src/kernel/http/paging";
import { randomFrom } from "../../support/random";

/** Whole numbers below any bound, the same in each run. */
const numbersFrom = (seed: number) => {
  const random = randomFrom(seed);
  return (below: number): number => Math.floor(random() * below);
};

const list = (total: number) => Array.from({ length: total }, (_, at) => at);

/** Reads a page as a service does, from a list in memory. */
const readFrom = (rows: number[], request: { page: number; limit: number }) =>
  readPage(request, rows.length, (fromEnd, offset, limit) =>
    (fromEnd ? rows.toReversed() : rows).slice(offset, offset + limit),
  );

describe("a page", () => {
  test("holds what the naive cut of the list holds, from whichever end it was read", () => {
    const below = numbersFrom(4_711);
    for (let round = 0; round < 5_000; round++) {
      const total = below(4) === 0 ? below(5) : below(2_000);
      const request = { page: 1 + below(below(2) === 0 ? 5 : 300), limit: 1 + below(100) };
      const rows = list(total);
      const start = (request.page - 1) * request.limit;
      expect(readFrom(rows, request)).toEqual({ rows: rows.slice(start, start + request.limit), total });
    }
  });

  test("never makes the database skip more than half of the list", () => {
    const below = numbersFrom(42);
    for (let round = 0; round < 5_000; round++) {
      const total = below(3_000);
      const { offset, limit } = slice({ page: 1 + below(100), limit: 1 + below(100) }, total);
      expect(offset).toBeLessThanOrEqual(Math.floor(total / 2));
      expect(offset + limit).toBeLessThanOrEqual(total);
    }
  });

  test("past the end reads nothing, however far", () => {
    for (const number of [3, 1_000, 999_999_999_999_999])
      expect(slice({ page: number, limit: 10 }, 20)).toEqual({ offset: 0, limit: 0, fromEnd: false });
    expect(slice({ page: 1, limit: 10 }, 0).limit).toBe(0);
  });

  test("has the first rows at no offset, and the last ones at none from the end", () => {
    expect(slice({ page: 1, limit: 10 }, 1_000)).toEqual({ offset: 0, limit: 10, fromEnd: false });
    expect(slice({ page: 100, limit: 10 }, 1_000)).toEqual({ offset: 0, limit: 10, fromEnd: true });
    expect(slice({ page: 34, limit: 30 }, 1_000)).toEqual({ offset: 0, limit: 10, fromEnd: true });
  });
});

describe("the envelope of a page", () => {
  const envelope = (number: number, total: number, query = "") => {
    const asked = { page: number, limit: 10 };
    const request = new Request(`http://localhost/v1/things${query}`);
    return page("/v1/things", asked, readFrom(list(total), asked), request);
  };
  const to = (number: number) => `/v1/things?page=${number}&limit=10`;

  test("links to itself, the first, the last and its neighbours where there are any", () => {
    expect(envelope(2, 42)._links).toEqual({
      self: to(2),
      first: to(1),
      last: to(5),
      prev: to(1),
      next: to(3),
    });
    expect(envelope(1, 42)._links).toEqual({ self: to(1), first: to(1), last: to(5), next: to(2) });
    expect(envelope(5, 42)._links).toEqual({ self: to(5), first: to(1), last: to(5), prev: to(4) });
    expect(envelope(1, 10)._links).toEqual({ self: to(1), first: to(1), last: to(1) });
  });

  test("of an empty list has no pages, and its last page is the first", () => {
    expect(envelope(1, 0).pagination).toEqual({ page: 1, limit: 10, total: 0, total_pages: 0 });
    expect(envelope(1, 0)._links).toEqual({ self: to(1), first: to(1), last: to(1) });
  });

  test("past the end is empty, and leads back to a page that exists", () => {
    const { data, pagination, _links } = envelope(9, 42);
    expect(data).toEqual([]);
    expect(pagination).toEqual({ page: 9, limit: 10, total: 42, total_pages: 5 });
    expect(_links).toEqual({ self: to(9), first: to(1), last: to(5), prev: to(5) });
  });

  test("keeps the request's other parameters as they came, known or not, in every link", () => {
    const { _links } = envelope(
      2,
      42,
      "?limit=10&status=active&&search=a%26b%3D%C3%BC%20%23&page=2&pages=x&page",
    );
    const kept = "&status=active&search=a%26b%3D%C3%BC%20%23&pages=x";
    expect(Object.values(_links)).toEqual([2, 1, 5, 1, 3].map((number) => to(number) + kept));
  });

  test("lowers a limit above the maximum, and fills in the defaults", () => {
    expect(pageRequest({ limit: 101 }, 10)).toEqual({ page: 1, limit: 100 });
    expect(pageRequest({ page: 7, limit: 100 }, 10)).toEqual({ page: 7, limit: 100 });
    expect(pageRequest({}, 20)).toEqual({ page: 1, limit: 20 });
  });
});
