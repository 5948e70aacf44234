import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { done } from "../../support/expectations";
import { newUser } from "../../support/people";
import { filesWith, rows } from "../../support/rows";
import { TestServer } from "../../support/server";

/** Enough for some hundred milliseconds of work in steps of 500. */
const EVENTS = 60_000;

/** Kills a server in the middle of a scrubbing; null where this process was held up until the work was done. */
async function killInTheMiddle() {
  const first = await TestServer.start();
  const { dataDir } = first;
  const admin = await first.admin();
  const user = await newUser(first);
  await first.stop();
  const database = new Database(join(dataDir, "fairlead.db"));
  database.transaction(() => {
    const insert = database.prepare(
      "INSERT INTO audit_events (id, user_id, event_type, status, source_service, is_reported, created_at, ip_address, user_agent) VALUES (?, ?, 'login_failed', 'failure', 'api', 0, ?, '203.0.113.7', 'Traceable/1.0')",
    );
    for (let n = 0; n < EVENTS; n++) insert.run(`event${n}`, user.id, 1_000 + n);
  })();
  database.close();

  const second = await TestServer.start({ dataDir });
  const watching = new Database(join(dataDir, "fairlead.db"), { readonly: true });
  const erased = watching.query<{ n: number }, [string]>(
    "SELECT COUNT(*) n FROM audit_events WHERE user_id = ? AND event_type = 'login_failed' AND ip_address IS NULL",
  );
  /** The oldest event, with which the work begins. */
  const oldest = watching.query<{ ip_address: string | null }, []>(
    "SELECT ip_address FROM audit_events WHERE id = 'event0'",
  );
  const answered = second.post(`/v1/admin/users/${user.id}/force-delete`, { token: admin, body: {} }).then(
    () => "answered",
    () => "cut off",
  );
  while (oldest.get()?.ip_address !== null) await Bun.sleep(1);
  await second.stop("SIGKILL");
  const half = erased.get(user.id)?.n ?? 0;
  watching.close();
  if ((await answered) === "answered" || half === EVENTS) return null;
  return { dataDir, admin, user, half };
}

test("kill -9 in the middle of a scrubbing leaves an account that is gone, and the next start finishes it", async () => {
  let killed = await killInTheMiddle();
  for (let tries = 1; tries < 5 && !killed; tries++) killed = await killInTheMiddle();
  if (!killed) throw new Error("each scrubbing was over before the kill");
  const { dataDir, admin, user, half } = killed;
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(EVENTS);
  // A whole number of steps: none was cut in half.
  expect(half % 500).toBe(0);

  const third = await TestServer.start({ dataDir });
  try {
    // The account was deleted before the first step, and stays so.
    const { data } = done(await third.get(`/v1/users/${user.id}`, { token: admin }));
    expect(data.username).toMatch(/^deleted_[a-z0-9]{8}$/);
    const again = await third.post(`/v1/admin/users/${user.id}/force-delete`, { token: admin, body: {} });
    expect(again.status).toBe(409);
    const pending = () =>
      rows<{ scrub_pending: number }>(third, "SELECT scrub_pending FROM users WHERE id = ?", user.id)[0]
        ?.scrub_pending;
    // The job runs at the start.
    while (pending() === 1) await Bun.sleep(100);
    const left = rows(
      third,
      "SELECT id FROM audit_events WHERE user_id = ? AND (ip_address IS NOT NULL OR user_agent IS NOT NULL)",
      user.id,
    );
    expect(left).toEqual([]);
    // The registration's email lay in the outbox.
    expect(filesWith(third, user.email)).toEqual([]);
    const kept = rows<{ n: number }>(third, "SELECT COUNT(*) n FROM audit_events WHERE user_id = ?", user.id);
    expect(kept[0]?.n).toBeGreaterThan(EVENTS);
  } finally {
    await third.stop();
  }
});
