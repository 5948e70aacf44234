import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { findEvents } from "../../../src/identity/audit-log/search";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import type { Answer } from "../../support/api";
import { done, eventually, expectInvalid } from "../../support/expectations";
import { onDatabase } from "../../support/rows";
import { APP_KEY, TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { idsFromScratch } from "./from-scratch";
import { sortByTime, storedEvent, storedEvents, writeEvents } from "./support";

/** Counts have a row for each kind of event and day: kinds from outside are bounded, and few rows are read. */

const MAX_KINDS = 250;

describe("kinds of events from outside", () => {
  test("are bounded in number; known ones go on, and those that aged out are forgotten", async () => {
    let server = await TestServer.start({ settings: { "security.id_app_key": APP_KEY } });
    const write = (event_type: string, resource_type: string): Promise<Answer> =>
      server.post("/v1/internal/audit", {
        headers: { "x-id-app-key": APP_KEY },
        body: {
          ...{ user_id: null, event_type, resource_type, status: "success", source_service: "backend" },
          metadata: null,
        },
      });
    try {
      for (let n = 0; n < MAX_KINDS; n++) done(await write(`kind_${n >> 1}`, n % 2 ? 'a "b' : "c"));
      const before = storedEvents(server);
      const refused = [await write("kind_250", "c"), await write("kind_0", "d"), await write("login", "c")];
      for (const answer of refused) expectInvalid(answer, "/event_type");
      expect(storedEvents(server)).toEqual(before);
      done(await write("kind_0", "c"));
      done(await write("kind_124", 'a "b'));

      onDatabase(server, (database) =>
        database
          .query("UPDATE audit_events SET created_at = ? WHERE event_type IN ('kind_1', 'kind_124')")
          .run(Date.now() - 400 * DAY),
      );
      sortByTime(server);
      onDatabase(server, (database) => database.run("DELETE FROM audit_days"));
      onDatabase(server, (database) =>
        database.run(
          `INSERT INTO audit_days SELECT created_at / 86400000, event_type, coalesce(resource_type, ''), status,
             source_service, is_reported, count(*) FROM audit_events GROUP BY 1, 2, 3, 4, 5, 6`,
        ),
      );
      onDatabase(server, (database) =>
        database.run("UPDATE system_config SET value = '30' WHERE key = 'audit.retention_days'"),
      );
      await server.stop();
      server = await TestServer.start({
        dataDir: server.dataDir,
        settings: { "security.id_app_key": APP_KEY },
      });
      await eventually(async () => (await write("kind_250", "c")).status === 201);
      // Two types with two types of resource each are gone, and one kind has come.
      for (const name of ["x", "y", "z"]) done(await write("kind_251", name));
      expectInvalid(await write("kind_251", "one too many"), "/event_type");
    } finally {
      await server.stop();
    }
  });
});

describe("a list in the order of types", () => {
  const TYPES = 300;
  const DAYS = 60;
  const START = Date.UTC(2026, 2, 3);

  beforeAll(() => {
    openDatabase(":memory:", "normal");
    migrate();
    sqlite.transaction(() => {
      for (let day = 0; day < DAYS; day++)
        writeEvents(
          sqlite,
          Array.from({ length: TYPES }, (_, at) =>
            storedEvent({
              event_type: `kind_${(at * 7) % TYPES}`,
              resource_type: at % 3 === 0 ? null : "thing",
              created_at: START + day * DAY + at * 1_000,
            }),
          ),
        );
    })();
  });
  afterAll(() => closeDatabase());

  test("reads the counts of all days for the types of its page alone", () => {
    const query = sqlite.query.bind(sqlite);
    for (const period of [{}, { from: START + DAY / 3, to: START + 40 * DAY + DAY / 2 }])
      for (const direction of ["asc", "desc"] as const) {
        const order = { field: "event_type", direction } as const;
        const expected = idsFromScratch(period, order);
        for (const page of [1, 2, 90, Math.ceil(expected.length / 100)]) {
          let read = 0;
          const spy = spyOn(sqlite, "query").mockImplementation(((sql: string) => ({
            all: (...values: never[]) => {
              const rows = query(sql).all(...values);
              read += rows.length;
              return rows;
            },
          })) as unknown as typeof sqlite.query);
          try {
            const found = findEvents(period, order, { page, limit: 100 });
            expect(found.total).toBe(expected.length);
            expect(found.rows.map(({ id }) => id)).toEqual(expected.slice((page - 1) * 100, page * 100));
          } finally {
            spy.mockRestore();
          }
          // The types, once more for each cut end of the period; the days of a page's types; the page.
          expect(read).toBeLessThan(3 * TYPES + 4 * DAYS + 4 * 100);
        }
      }
  });
});
