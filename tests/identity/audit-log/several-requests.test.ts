import { afterAll, beforeAll, expect, test } from "bun:test";
import { done, expectStatus } from "../../support/expectations";
import { expectFailure } from "../../support/program";
import { onDatabase, rows } from "../../support/rows";
import { command, TestServer } from "../../support/server";

/** A log that takes several requests to verify: nothing can be put between two of them, or behind the last. */

/** Events that one request verifies. */
const OF_REQUEST = 100_000;

let server: TestServer;
beforeAll(async () => {
  const template = await TestServer.start();
  await template.stop();
  // As if an earlier version had written them: the server chains them at its start.
  onDatabase(template, (database) => {
    database
      .query(
        `WITH RECURSIVE n (i) AS (SELECT 1 + count(*) FROM audit_events UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO audit_events (id, event_type, status, source_service, is_reported, created_at)
         SELECT printf('%036d', i), 'login', 'success', 'api', 0, i FROM n`,
      )
      .run(OF_REQUEST);
    database.run("UPDATE audit_chain SET number = 0, hash = zeroblob(32), chained_to = ''");
  });
  server = await TestServer.start({ dataDir: template.dataDir });
});
afterAll(() => server.stop());

/** The answers of all requests that verify the log, each of which goes on from the one before. */
async function verifyAll() {
  const answers: { is_intact: boolean; entries: number; first_break: unknown; next_after: number | null }[] =
    [];
  for (let after: number | null = 0; after !== null; after = answers.at(-1)?.next_after ?? null)
    answers.push(
      done(await server.get(`/v1/admin/audit/verify?after=${after}`, { token: server.systemKey })),
    );
  return answers;
}

const COLUMNS =
  "event_type, status, source_service, is_reported, created_at, number, hash, personal_hash, salt";

/** Copies up to ten events, from one on, to the rows after another, under identifiers of their own. */
const copies = (first: number, after: number) =>
  `INSERT INTO audit_events (rowid, id, ${COLUMNS})
   SELECT ${after} + 1 + number - ${first}, 'copy ' || number, ${COLUMNS} FROM audit_events
   WHERE number BETWEEN ${first} AND min(${first} + 9, ${OF_REQUEST})`;

/** The search for the place to go on from passes over the first of these, and is led astray by the others. */
const COPIED = [OF_REQUEST, 7];

const REMOVED = "DELETE FROM audit_events WHERE id LIKE 'copy %'";

/** Expects that the last request, and the command, name the copy of this event. */
async function expectCopyFound(number: number): Promise<void> {
  const [first, ...others] = await verifyAll();
  expect(first).toMatchObject({ is_intact: true, entries: OF_REQUEST, next_after: OF_REQUEST });
  const first_break = { event_id: `copy ${number}`, number: OF_REQUEST + 1, reason: "unchained" };
  expect(others).toMatchObject([{ is_intact: false, entries: OF_REQUEST, first_break, next_after: null }]);
  expectFailure(
    await command(["audit", "verify"], { settings: { "data.dir": server.dataDir } }),
    1,
    `the audit log is broken at event no. ${OF_REQUEST + 1} (copy ${number}): it was written past the chain; ${OF_REQUEST} events before it are intact`,
  );
}

const lastRow = () => rows<{ at: number }>(server, "SELECT max(rowid) AS at FROM audit_events")[0]?.at ?? 0;

test("events behind the last one of a request", async () => {
  const intact = { is_intact: true, first_break: null };
  expect(await verifyAll()).toMatchObject([
    { ...intact, entries: OF_REQUEST },
    { ...intact, entries: 0 },
  ]);
  const last = lastRow();
  for (const number of COPIED) {
    onDatabase(server, (database) => database.run(copies(number, last)));
    await expectCopyFound(number);
    onDatabase(server, (database) => database.run(REMOVED));
  }
  expect(await verifyAll()).toMatchObject([intact, intact]);
});

test("events between the last one of a request and the first one of the next", async () => {
  const last = lastRow();
  for (let n = 0; n < 3; n++)
    expectStatus(
      await server.post("/v1/internal/audit", {
        token: server.systemKey,
        body: {
          ...{ user_id: null, event_type: "bot_command_executed", resource_type: "command" },
          ...{ status: "success", source_service: "community_bot", metadata: null },
        },
      }),
      201,
    );
  expect(await verifyAll()).toMatchObject([{ is_intact: true }, { is_intact: true, entries: 3 }]);
  onDatabase(server, (database) => {
    // In two moves, since a row may not meet the next one on its way.
    database.run(`UPDATE audit_events SET rowid = -rowid WHERE number > ${OF_REQUEST}`);
    database.run(`UPDATE audit_events SET rowid = 10 - rowid WHERE number > ${OF_REQUEST}`);
  });
  for (const number of COPIED) {
    onDatabase(server, (database) => database.run(copies(number, last)));
    await expectCopyFound(number);
    onDatabase(server, (database) => database.run(REMOVED));
  }
  expect(await verifyAll()).toMatchObject([{ is_intact: true }, { is_intact: true, entries: 3 }]);
});
