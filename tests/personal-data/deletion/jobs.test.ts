import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { loadConfig } from "../../../src/configuration/config";
import { transactAs } from "../../../src/identity/access/actor";
import { recordAudit } from "../../../src/identity/audit/service";
import { insertAccount } from "../../../src/identity/directory/accounts";
import { insertUser } from "../../../src/identity/directory/new-user";
import { seedIdentity } from "../../../src/identity/seed";
import { useMasterKey } from "../../../src/kernel/crypto/encryption";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { subscribe } from "../../../src/kernel/db/events";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { deleteDueAccounts, finishScrubs } from "../../../src/personal-data/deletion/service";
import { loadSystemConfig } from "../../../src/runtime-settings/service";
import { temporaryDirectory } from "../../support/server";
import { DAY } from "../../support/time";

/** The jobs behind account deletion (rule A10), run in this process on the test's own clock. */
const START = Date.UTC(2026, 4, 4);
const CLIENT = { address: "203.0.113.7", userAgent: "Traceable/1.0", acceptLanguage: null };
let time = START;
const published: object[] = [];

beforeAll(async () => {
  loadConfig({ environment: {}, dataDir: temporaryDirectory() });
  useMasterKey(randomBytes(32));
  setClock(() => time);
  openDatabase(":memory:", "normal");
  migrate();
  await transact(() => {
    seedIdentity();
    loadSystemConfig();
  });
  subscribe("user.deleted", (event) => published.push(event));
});
afterAll(() => {
  closeDatabase();
  setClock();
});
beforeEach(() => {
  published.length = 0;
});

let people = 0;
const createUser = (roles: string[] = []) =>
  transact(() => {
    const username = `person${++people}`;
    return insertUser({ username, email: `${username}@example.org`, passwordHash: "-", roles }).id;
  });
const set = (id: string, column: string, value: number) =>
  sqlite.query(`UPDATE users SET ${column} = ? WHERE id = ?`).run(value, id);

interface User {
  username: string;
  scheduled_deletion_at: number | null;
  deleted_at: number | null;
  scrub_pending: number;
}
const read = (id: string) => sqlite.query<User, [string]>("SELECT * FROM users WHERE id = ?").get(id) as User;

/** Writes audit events about and by users; they carry an address. */
const record = (count: number, userId: string | null, actorId: string | null = null) =>
  transactAs({ caller: null, client: CLIENT }, () => {
    for (let n = 0; n < count; n++) {
      // Many share a millisecond, as they would on a fast machine.
      time = START + Math.floor(n / 7);
      recordAudit({ event_type: "login_failed", user_id: userId, actor_id: actorId });
    }
    time = START;
  });
const addresses = (column: "user_id" | "actor_id", id: string) =>
  sqlite
    .query<{ n: number }, [string]>(
      `SELECT COUNT(*) n FROM audit_events WHERE ${column} = ? AND (ip_address IS NOT NULL OR user_agent IS NOT NULL)`,
    )
    .get(id)?.n;

test("an audit event outside a transaction is a mistake that shows at once", () => {
  const stored = () => sqlite.query<{ n: number }, []>("SELECT COUNT(*) n FROM audit_events").get()?.n;
  const before = stored();
  expect(() => recordAudit({ event_type: "login_failed", user_id: null })).toThrow("outside transact");
  expect(stored()).toBe(before as number);
});

describe("the deletion of accounts whose grace period has ended", () => {
  test("scrubs those that are due and no other, and says why", async () => {
    const [due, early, none] = [await createUser(), await createUser(), await createUser()];
    set(due, "scheduled_deletion_at", START + 1_000);
    set(early, "scheduled_deletion_at", START + 1_001);
    const before = [early, none].map(read);

    time = START + 999;
    await deleteDueAccounts();
    expect(read(due).deleted_at).toBeNull();
    expect(published).toEqual([]);

    time = START + 1_000;
    await deleteDueAccounts();
    expect(read(due)).toMatchObject({
      ...{ username: expect.stringMatching(/^deleted_[a-z0-9]{8}$/), scheduled_deletion_at: null },
      ...{ deleted_at: START + 1_000, scrub_pending: 0 },
    });
    expect([early, none].map(read)).toEqual(before);
    expect(published).toEqual([{ userId: due, reason: "scheduled deletion" }]);
    const events = sqlite
      .query("SELECT actor_id, metadata FROM audit_events WHERE event_type = 'user_deleted' AND user_id = ?")
      .all(due);
    expect(events).toEqual([{ actor_id: null, metadata: '{"reason":"scheduled deletion"}' }]);

    await deleteDueAccounts();
    expect(published).toHaveLength(1);
    time = START;
  });

  test("tells of each platform account that goes with one", async () => {
    const unlinked: object[] = [];
    subscribe("account.unlinked", (event) => unlinked.push(event));
    const id = await createUser();
    const account = { slug: "discord", platformUserId: "4711", username: "anna", email: null };
    await transact(() => insertAccount(id, account));
    set(id, "scheduled_deletion_at", START);
    const { username } = read(id);
    await deleteDueAccounts();
    expect(unlinked).toHaveLength(2);
    expect(unlinked).toEqual(
      expect.arrayContaining([
        { userId: id, platform: "discord", platformUserId: "4711" },
        { userId: id, platform: "email", platformUserId: `${username}@example.org` },
      ]),
    );
  });

  test("spares an account whose deletion is taken back, or put off, at the same moment", async () => {
    const [cancelled, later] = [await createUser(), await createUser()];
    for (const id of [cancelled, later]) set(id, "scheduled_deletion_at", START);
    const changed = transact(() => {
      sqlite.query("UPDATE users SET scheduled_deletion_at = NULL WHERE id = ?").run(cancelled);
      set(later, "scheduled_deletion_at", START + 1);
    });
    // The job looks for due accounts before that is done, and deletes them after.
    await Promise.all([deleteDueAccounts(), changed]);
    expect([read(cancelled).deleted_at, read(later).deleted_at]).toEqual([null, null]);
    expect(published).toEqual([]);
    set(later, "scheduled_deletion_at", START + DAY);
  });

  test("leaves the last super admin, with one warning, until there is another", async () => {
    const last = await createUser(["role_super_admin"]);
    const other = await createUser();
    for (const id of [last, other]) set(id, "scheduled_deletion_at", START);
    const write = spyOn(process.stdout, "write").mockImplementation(() => true);
    try {
      await deleteDueAccounts();
      await deleteDueAccounts();
      const lines = write.mock.calls.map(([line]) => String(line));
      expect(lines.filter((line) => line.includes("last super admin"))).toHaveLength(1);
      expect(lines.join("")).toContain(last);
    } finally {
      write.mockRestore();
    }
    expect(read(last)).toMatchObject({ deleted_at: null, scheduled_deletion_at: START });
    // It delays no other account.
    expect(read(other).deleted_at).toBe(START);

    await createUser(["role_super_admin"]);
    await deleteDueAccounts();
    expect(read(last).deleted_at).toBe(START);
  });
});

describe("the end of a scrubbing that was cut off", () => {
  /** More than two steps of 500. */
  const MANY = 1_203;

  test("takes the addresses that are left from all events about and by the user, and from no other", async () => {
    const [user, other] = [await createUser(), await createUser()];
    await record(MANY, user);
    await record(MANY, other, user);
    await record(5, other);
    await record(5, user, other);
    // At the cut, the first events had lost their address.
    sqlite
      .query(
        "UPDATE audit_events SET ip_address = NULL, user_agent = NULL WHERE rowid IN (SELECT rowid FROM audit_events WHERE user_id = ? LIMIT 700)",
      )
      .run(user);
    expect([addresses("user_id", user), addresses("actor_id", user)]).not.toEqual([0, 0]);

    await finishScrubs();
    expect(addresses("actor_id", user)).toBe(MANY);

    set(user, "scrub_pending", 1);
    await finishScrubs();
    expect([addresses("user_id", user), addresses("actor_id", user)]).toEqual([0, 0]);
    expect(addresses("user_id", other)).toBe(5);
    expect(read(user).scrub_pending).toBe(0);
    expect(published).toEqual([]);
  });

  test("lets other work in between its steps", async () => {
    const user = await createUser();
    await record(MANY, user);
    set(user, "scrub_pending", 1);
    const seen: (number | undefined)[] = [];
    const finished = finishScrubs().then(() => "finished");
    const turn = () => new Promise<string>((resolve) => setImmediate(() => resolve("turn")));
    while ((await Promise.race([finished, turn()])) === "turn") seen.push(addresses("user_id", user));
    expect(new Set(seen).size).toBeGreaterThanOrEqual(3);
    expect(addresses("user_id", user)).toBe(0);
  });
});
