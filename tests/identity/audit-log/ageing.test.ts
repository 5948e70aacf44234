import { expect, test } from "bun:test";
import { done, eventually } from "../../support/expectations";
import { newUser } from "../../support/people";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { countsDiffer, find, insertEvents, report, reportsOf, sortByTime, storedEvents } from "./support";

/** Events age out by `audit.retention_days` (rule E1). The job runs at the start, and hourly. */

/** Restarts a server with another retention on the same data. */
async function withRetention(server: TestServer, days: number): Promise<TestServer> {
  onDatabase(server, (database) =>
    database.run("UPDATE system_config SET value = ? WHERE key = 'audit.retention_days'", [String(days)]),
  );
  await server.stop();
  return TestServer.start({ dataDir: server.dataDir });
}

test("events older than the days of retention go, their reports and counts with them; the others stay", async () => {
  let server = await TestServer.start();
  try {
    const user = await newUser(server);
    const now = Date.now();
    const DAYS = 30;
    // More than one step of the job, and many in a millisecond.
    const old = insertEvents(
      server,
      Array.from({ length: 1_203 }, (_, n) => ({
        user_id: n % 2 === 0 ? user.id : null,
        event_type: n % 3 === 0 ? "login" : "logout",
        created_at: now - DAYS * DAY - 1 - Math.floor(n / 700) * DAY,
      })),
    );
    const young = insertEvents(server, [
      // Within an hour of the bound: time passes until the job runs.
      { user_id: user.id, created_at: now - DAYS * DAY + 3_600_000 },
      { user_id: user.id, created_at: now },
    ]);
    for (const { id } of [old[0], old[2], young[0]] as { id: string }[])
      done(await report(server, user.token, id));
    sortByTime(server);
    const before = storedEvents(server);
    const isOld = new Set(old.map(({ id }) => id));

    server = await withRetention(server, DAYS);
    await eventually(
      () => rows(server, "SELECT 1 FROM audit_events WHERE created_at < ?", now - DAYS * DAY).length === 0,
    );
    expect(storedEvents(server)).toEqual(before.filter(({ id }) => !isOld.has(id)));
    expect(reportsOf(server).map((each) => each.audit_event_id)).toEqual([young[0]?.id]);
    expect(countsDiffer(server)).toEqual([]);
    const oldest = await find(server, { user_id: user.id, sort_direction: "asc", limit: 1 });
    expect(oldest.events[0]?.id).toBe(young[0]?.id as string);
    expect((await find(server, { end_date: new Date(now - DAYS * DAY).toISOString() })).total_count).toBe(0);
    expect((await find(server, {})).total_count).toBe(before.length - old.length);
    const own = await server.get("/v1/users/me/audit/reports", { token: user.token });
    expect(done(own).map((each: { audit_event_id: string }) => each.audit_event_id)).toEqual([young[0]?.id]);
  } finally {
    await server.stop();
  }
});

test("a retention of fewer days than there may be, which a former version stored, counts as 30", async () => {
  let server = await TestServer.start();
  try {
    const ages = [2, 28, 31, 400].map((days) => ({ created_at: Date.now() - days * DAY }));
    const events = insertEvents(server, ages);
    sortByTime(server);
    server = await withRetention(server, 1);
    const left = () => {
      const stored = new Set(storedEvents(server).map(({ id }) => id));
      return events.map(({ id }) => stored.has(id));
    };
    await eventually(() => left().includes(false));
    expect(left()).toEqual([true, true, false, false]);
  } finally {
    await server.stop();
  }
});

test("a retention of 0 keeps events of any age", async () => {
  let server = await TestServer.start();
  try {
    const ages = [1, 400, 4_000, 20_000].map((days) => ({ created_at: Date.now() - days * DAY }));
    const events = insertEvents(server, ages);
    server = await withRetention(server, 0);
    // By the time a user could be made, the other work of the start is done.
    await newUser(server);
    const stored = new Set(storedEvents(server).map(({ id }) => id));
    for (const { id } of events) expect(stored.has(id)).toBe(true);
  } finally {
    await server.stop();
  }
});
