import { describe, expect, test } from "bun:test";
import { inMemory, type ListQuery, list, readList } from "../../../src/kernel/http/lists";

/** Lists come whole, up to a bound, or in pages on request. */

const records = (count: number, text = "") => {
  const rows = Array.from({ length: count }, (_, at) => ({ at, text }));
  const { read, count: counted } = inMemory(rows);
  return { rows, stored: { read, count: counted } };
};

const request = (query: string) => new Request(`http://localhost/v1/boats${query}`);

describe("without `page` and `limit` a list", () => {
  test.each([0, 1, 19, 20, 21, 100, 999, 1_000])("of %d is whole, and says nothing of pages", (count) => {
    const { rows, stored } = records(count);
    expect(list("/v1/boats", {}, stored, request(""))).toEqual({ data: rows, _links: { self: "/v1/boats" } });
  });

  test("ends after 1,000 records, and says where to go on", () => {
    const { rows, stored } = records(1_001);
    const { data, _links } = list("/v1/boats", {}, stored, request(""));
    expect(data).toEqual(rows.slice(0, 1_000));
    expect(_links).toEqual({ self: "/v1/boats", next: "/v1/boats?page=51&limit=20" });
    expect(readList({ page: 51, limit: 20 }, stored)).toEqual(rows.slice(1_000));
  });

  test("ends when it comes to more than a megabyte", () => {
    const { rows, stored } = records(200, "x".repeat(20_000));
    const found = readList({}, stored);
    expect(found).toEqual(rows.slice(0, 60));
  });

  test("that is in memory is never cut", () => {
    const { rows } = records(5_000);
    expect(readList({}, inMemory(rows))).toEqual(rows);
  });

  test("may have a bound of its own", () => {
    expect(readList({}, records(150).stored, 100)).toHaveLength(100);
  });
});

describe("a page of a list", () => {
  const { rows, stored } = records(250);
  test.each<[ListQuery, number, number]>([
    [{ page: 2 }, 100, 200],
    [{ limit: 30 }, 0, 30],
    [{ page: 9, limit: 30 }, 240, 250],
    [{ page: 10, limit: 30 }, 250, 250],
    [{ page: 1, limit: 5_000 }, 0, 100],
    [{ page: Number.MAX_SAFE_INTEGER, limit: 100 }, 250, 250],
  ])("%j", (query, from, until) => {
    expect(readList(query, stored)).toEqual(rows.slice(from, until));
    expect(list("/v1/boats", query, stored, request("")).data).toEqual(rows.slice(from, until));
  });
});
