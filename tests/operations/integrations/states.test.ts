import { afterAll, beforeAll, expect, test } from "bun:test";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { deleteExpiredStates } from "../../../src/operations/integrations/service";

/**
 * The job that removes authorizations that nobody completed (rule I1), run in this process on the test's own
 * clock.
 */
const START = Date.UTC(2026, 4, 4);
let time = START;

beforeAll(() => {
  setClock(() => time);
  openDatabase(":memory:", "normal");
  migrate();
  sqlite.run("INSERT INTO users (id, username, created_at, updated_at) VALUES ('anna', 'anna', 0, 0)");
});
afterAll(() => {
  closeDatabase();
  setClock();
});

const start = (state: string, expiresAt: number) =>
  sqlite.run(
    `INSERT INTO integration_states
       (state_hash, user_id, started_by_kind, started_by_hash, platform, redirect_uri, scopes, expires_at)
     VALUES (?, 'anna', 'session', '-', 'discord', 'https://app.example', '[]', ?)`,
    [state, expiresAt],
  );
const left = () =>
  sqlite.query<{ state_hash: string }, []>("SELECT state_hash FROM integration_states ORDER BY 1").all();

test("authorizations that were not completed in time are forgotten, the others kept", async () => {
  for (let n = 0; n < 3; n++) start(`early${n}`, START + 1_000);
  start("late", START + 2_000);
  const all = left();

  time = START + 1_000;
  await deleteExpiredStates();
  expect(left()).toEqual(all);

  time = START + 1_001;
  await deleteExpiredStates();
  expect(left()).toEqual([{ state_hash: "late" }]);

  time = START + 2_001;
  await deleteExpiredStates();
  expect(left()).toEqual([]);
});
