import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { type ChainedFields, linkAfter } from "../../../src/identity/audit/chain";
import { insertEvent } from "../../../src/identity/audit/service";
import { exportChain } from "../../../src/identity/audit-log/export";
import { verifyChain } from "../../../src/identity/audit-log/verify";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { temporaryDirectory } from "../../support/server";

/** The audit log verified and exported while another process writes: each time right after a step has read its events. */

const EVENTS = 3_000;
const STEP = 500;

let other: Database;
let meanwhile: () => void;

beforeEach(async () => {
  const file = join(temporaryDirectory(), "test.db");
  openDatabase(file, "normal");
  migrate();
  meanwhile = () => {};
  const prepare = sqlite.prepare.bind(sqlite);
  spyOn(sqlite, "prepare").mockImplementation(((text: string) => {
    const statement = prepare(text);
    if (!text.includes("FROM audit_events WHERE rowid > ? ORDER BY rowid")) return statement;
    const all = statement.all.bind(statement);
    return Object.assign(statement, {
      all: (...values: number[]) => {
        const found = all(...values);
        meanwhile();
        return found;
      },
    });
  }) as typeof sqlite.prepare);
  await transact(() => {
    for (let n = 0; n < EVENTS; n++)
      insertEvent({
        ...{ user_id: null, event_type: "bot_command_executed", status: "success" },
        source_service: "community_bot",
      });
  });
  other = new Database(file, { strict: true });
});
afterEach(() => {
  other.close();
  closeDatabase();
});

/** Appends an event as the server does: a copy of the newest one. */
function append(): void {
  const newest = other
    .query<ChainedFields & { number: number; hash: Uint8Array }, []>(
      "SELECT * FROM audit_events ORDER BY rowid DESC LIMIT 1",
    )
    .get();
  if (!newest) throw new Error("there is no event");
  const event = { ...newest, id: Bun.randomUUIDv7() };
  const row = { ...event, ...linkAfter(event, newest.number, newest.hash) };
  const columns = Object.keys(row);
  other.transaction(() => {
    other
      .query(`INSERT INTO audit_events (${columns}) VALUES (${columns.map((column) => `$${column}`)})`)
      .run(row);
    other.query("UPDATE audit_chain SET number = ?, hash = ?").run(row.number, row.hash);
  })();
}

/** Lets the oldest events age out as the server does. */
const age = (count: number): void =>
  other.transaction(() => {
    const gone = other
      .query<{ number: number; hash: Uint8Array }, [number]>(
        `DELETE FROM audit_events WHERE rowid IN (SELECT rowid FROM audit_events ORDER BY rowid LIMIT ?)
         RETURNING number, hash`,
      )
      .all(count);
    const last = gone.sort((a, b) => a.number - b.number).at(-1);
    if (!last) return;
    other.run("DELETE FROM audit_anchors");
    other.query("INSERT INTO audit_anchors VALUES (?, ?)").run(last.number, last.hash);
  })();

const verified = () => verifyChain(0, Number.MAX_SAFE_INTEGER);

describe("an intact log is found intact", () => {
  test("while events are added", async () => {
    meanwhile = append;
    const verdict = await verified();
    expect([verdict?.first_break, verdict?.isAtEnd]).toEqual([null, true]);
    expect(verdict?.entries).toBeGreaterThanOrEqual(EVENTS);
  });

  test("while events age out, faster than they are looked at", async () => {
    meanwhile = () => age(STEP + 100);
    const verdict = await verified();
    expect([verdict?.first_break, verdict?.last.number]).toEqual([null, EVENTS]);
    expect(verdict?.aged_out).toBeGreaterThan(0);
  });

  test("while events age out that were scrubbed", async () => {
    other.run("UPDATE audit_events SET salt = NULL");
    meanwhile = () => age(STEP);
    expect((await verified())?.first_break).toBeNull();
  });

  test("while all of it ages out", async () => {
    meanwhile = () => age(EVENTS);
    const verdict = await verified();
    expect([verdict?.first_break, verdict?.last.number]).toEqual([null, EVENTS]);
  });
});

describe("an export of which events age out meanwhile breaks off", () => {
  test.each([
    ["some", STEP + 100],
    ["all that is left", EVENTS],
  ])("%s", async (_, count) => {
    const lines = exportChain(0, Date.now(), () => {});
    const head = JSON.parse((await lines.next()).value ?? "");
    expect(head).toMatchObject({ first_number: 1, last_number: EVENTS });
    expect((await lines.next()).value?.split("\n")).toHaveLength(STEP + 1);
    age(STEP + count);
    // By then the step before has ended, and what it saw with it.
    await Bun.sleep(1);
    await expect(lines.next()).rejects.toThrow("aged out in the meantime");
  });
});
