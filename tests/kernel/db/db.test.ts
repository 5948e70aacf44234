import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import {
  adjustCounter,
  adjustCounters,
  counter,
  counterNow,
  removeCounter,
} from "../../../src/kernel/db/counters";
import { publish, subscribe } from "../../../src/kernel/db/events";
import { migrate, pendingMigrations } from "../../../src/kernel/db/migrate";
import { shareReadTransaction } from "../../../src/kernel/db/reads";
import {
  afterCommit,
  closeDatabase,
  emptyWriteAheadLog,
  inTransaction,
  transact,
  waitOutsideStatements,
} from "../../../src/kernel/db/transactions";
import { logged } from "../../support/log";
import { temporaryDirectory } from "../../support/server";

declare module "../../../src/kernel/db/events" {
  interface EventMap {
    "test.happened": number;
  }
}

const file = join(temporaryDirectory(), "test.db");
/** A second connection, which sees only committed data. */
let outside: Database;

beforeAll(() => {
  openDatabase(file, "full");
  migrate();
  sqlite.run("CREATE TABLE numbers (n INTEGER PRIMARY KEY) STRICT");
  outside = new Database(file, { readonly: true });
});
beforeEach(() => {
  sqlite.run("DELETE FROM numbers");
});
afterAll(() => {
  outside.close();
  closeDatabase();
});

const insert = (n: number) => sqlite.query("INSERT INTO numbers VALUES (?)").run(n);
const numbers = (database: Database) =>
  database
    .query<{ n: number }, []>("SELECT n FROM numbers ORDER BY n")
    .all()
    .map(({ n }) => n);

class Refused extends Error {}
const refuse = (): never => {
  throw new Refused();
};

describe("shareReadTransaction", () => {
  test("keeps one state until the end of the turn, and shows the next one what others committed", async () => {
    const other = new Database(file);
    shareReadTransaction();
    shareReadTransaction();
    expect(numbers(sqlite)).toEqual([]);
    other.run("INSERT INTO numbers VALUES (1)");
    expect(numbers(sqlite)).toEqual([]);
    await new Promise(setImmediate);
    expect(sqlite.inTransaction).toBe(false);
    expect(numbers(sqlite)).toEqual([1]);
    other.close();
  });

  test("stands in no commit's way, which is seen as soon as it is told", async () => {
    const done = transact(() => insert(1));
    shareReadTransaction();
    expect(numbers(sqlite)).toEqual([]);
    await done;
    shareReadTransaction();
    expect(numbers(sqlite)).toEqual([1]);
    await transact(() => insert(2));
    expect(numbers(sqlite)).toEqual([1, 2]);
    await expect(transact(refuse)).rejects.toThrow(Refused);
    expect(numbers(outside)).toEqual([1, 2]);
  });

  test("stands in the way of neither a checkpoint nor an end", async () => {
    await transact(() => insert(1));
    shareReadTransaction();
    expect(numbers(sqlite)).toEqual([1]);
    emptyWriteAheadLog();
    shareReadTransaction();
    closeDatabase();
    openDatabase(file, "full");
    await new Promise(setImmediate);
    expect(numbers(sqlite)).toEqual([1]);
  });
});

describe("transact", () => {
  test("resolves with the result once the change is visible to others, and not before", async () => {
    let seenInside: number[] = [];
    const result = await transact(() => {
      insert(1);
      seenInside = numbers(outside);
      return "done";
    });
    expect(result).toBe("done");
    expect(seenInside).toEqual([]);
    expect(numbers(outside)).toEqual([1]);
  });

  test("runs nothing before the caller's turn ends, and everything of a turn in one commit, in order", async () => {
    const seen: number[][] = [];
    const jobs = Array.from({ length: 50 }, (_, n) =>
      transact(() => {
        seen.push(numbers(outside));
        insert(n);
      }),
    );
    expect(numbers(sqlite)).toEqual([]);
    await Promise.all(jobs);
    // No job saw the work of an earlier one committed.
    expect(seen).toEqual(Array.from({ length: 50 }, () => []));
    expect(numbers(outside)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test("lets a later job of the same commit see what an earlier one did", async () => {
    const [, seen] = await Promise.all([transact(() => void insert(1)), transact(() => numbers(sqlite))]);
    expect(seen).toEqual([1]);
  });

  test("undoes only the job that throws, which rejects with what it threw", async () => {
    const outcomes = await Promise.allSettled([
      transact(() => void insert(1)),
      transact(() => {
        insert(2);
        return refuse();
      }),
      transact(() => void insert(3)),
      // A constraint: 1 is taken.
      transact(() => void insert(1)),
      transact(() => void insert(4)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(Refused);
    expect((outcomes[3] as PromiseRejectedResult).reason.code).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
    expect(numbers(outside)).toEqual([1, 3, 4]);
  });

  test("undoes only the retryable job that throws, and tells the effects and counters of the others once", async () => {
    const effects: number[] = [];
    const counted = counter("repeated");
    let runs = 0;
    const store = (n: number) =>
      transact(() => {
        runs++;
        insert(n);
        adjustCounter("repeated", 1);
        afterCommit(() => effects.push(n));
        if (n === 2) refuse();
        return n;
      }, "retryable");
    const results = await Promise.allSettled([store(1), store(2), store(3)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    // Two of them together, and then each by itself.
    expect(runs).toBe(5);
    expect(numbers(outside)).toEqual([1, 3]);
    expect(effects).toEqual([1, 3]);
    expect(counter("repeated") - counted).toBe(2);
  });

  test("runs retryable jobs once each as long as none throws, and beside others", async () => {
    let runs = 0;
    const store = (n: number) => () => {
      runs++;
      insert(n);
    };
    await Promise.all([transact(store(1), "retryable"), transact(store(2), "retryable")]);
    const mixed = [transact(store(3), "retryable"), transact(refuse), transact(store(4), "retryable")];
    await Promise.allSettled(mixed);
    expect(runs).toBe(4);
    expect(numbers(outside)).toEqual([1, 2, 3, 4]);
  });

  test("runs retryable jobs once beside one that throws in each commit: a long one that is undone each time gets nowhere", async () => {
    const refused = () => transact(refuse, "retryable");
    await Promise.allSettled([refused()]);
    let runs = 0;
    for (let n = 1; n <= 3; n++) {
      const stored = transact(() => {
        runs++;
        insert(n);
      }, "retryable");
      await Promise.allSettled([stored, refused()]);
    }
    expect(runs).toBe(3);
    expect(numbers(outside)).toEqual([1, 2, 3]);
  });

  test("refuses a nested call, and undoes the job that made it", async () => {
    const outer = transact(() => {
      insert(1);
      transact(() => void insert(2));
    });
    await expect(outer).rejects.toThrow("transact inside transact");
    expect(numbers(outside)).toEqual([]);
    await transact(() => void insert(3));
    expect(numbers(outside)).toEqual([3]);
  });

  test("may be called from an effect and after an await, as a transaction of its own", async () => {
    await transact(() => afterCommit(() => void transact(() => void insert(1))));
    await transact(() => void insert(2));
    expect(numbers(outside)).toEqual([1, 2]);
  });

  test("takes more jobs than fit into one commit", async () => {
    const count = 2_500;
    const results = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        transact(() => {
          insert(n);
          return n;
        }),
      ),
    );
    expect(results).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(numbers(outside)).toHaveLength(count);
  });

  test("rejects every job of a commit that fails, stores none of them, and works again afterwards", async () => {
    sqlite.run("CREATE TABLE IF NOT EXISTS parents (id INTEGER PRIMARY KEY)");
    sqlite.run(
      "CREATE TABLE IF NOT EXISTS children (id INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)",
    );
    const effects: string[] = [];
    const outcomes = await Promise.allSettled([
      transact(() => {
        insert(1);
        afterCommit(() => effects.push("effect"));
      }),
      // A deferred foreign key is checked at the commit, which then fails as a whole.
      transact(() => void sqlite.run("INSERT INTO children VALUES (5)")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(effects).toEqual([]);
    expect(numbers(outside)).toEqual([]);
    await transact(() => void insert(2));
    expect(numbers(outside)).toEqual([2]);
  });

  test("knows whether the caller is inside", async () => {
    expect(inTransaction()).toBe(false);
    expect(await transact(() => inTransaction())).toBe(true);
    await transact(refuse).catch(() => {});
    expect(inTransaction()).toBe(false);
  });
});

describe("afterCommit", () => {
  test("runs effects after the commit, in their order, before the promise resolves", async () => {
    const order: string[] = [];
    const job = (name: string) =>
      transact(() => {
        for (const step of [1, 2])
          afterCommit(() => order.push(`${name}${step} sees ${numbers(outside).length}`));
        insert(name.charCodeAt(0));
      }).then(() => order.push(`${name} resolved`));
    await Promise.all([job("a"), job("b")]);
    expect(order.slice(0, 4)).toEqual(["a1 sees 2", "a2 sees 2", "b1 sees 2", "b2 sees 2"]);
    expect(order.slice(4)).toEqual(["a resolved", "b resolved"]);
  });

  test("runs no effect of a job that threw", async () => {
    const ran: string[] = [];
    await Promise.allSettled([
      transact(() => {
        afterCommit(() => ran.push("failed"));
        refuse();
      }),
      transact(() => afterCommit(() => void ran.push("fine"))),
    ]);
    expect(ran).toEqual(["fine"]);
  });

  test("goes on with the other effects when one throws, and the change stands", async () => {
    const ran: string[] = [];
    const log = await logged(() =>
      transact(() => {
        insert(1);
        afterCommit(refuse);
        afterCommit(() => ran.push("next"));
      }),
    );
    expect(log).toContain("an effect of a committed change failed");
    expect(ran).toEqual(["next"]);
    expect(numbers(outside)).toEqual([1]);
  });

  test("is refused outside a transaction", () => {
    expect(() => afterCommit(() => {})).toThrow("outside transact");
  });
});

describe("events", () => {
  test("are told after the commit inside a transaction, never for one that failed, and at once elsewhere", async () => {
    const heard: string[] = [];
    subscribe("test.happened", (n) => heard.push(`${n} sees ${numbers(outside).length}`));
    publish("test.happened", 0);
    expect(heard).toEqual(["0 sees 0"]);
    await Promise.allSettled([
      transact(() => {
        publish("test.happened", 1);
        insert(1);
      }),
      transact(() => {
        publish("test.happened", 2);
        refuse();
      }),
    ]);
    expect(heard).toEqual(["0 sees 0", "1 sees 1"]);
  });

  test("reach every listener, whatever another one throws", async () => {
    const heard: number[] = [];
    subscribe("test.happened", refuse);
    subscribe("test.happened", (n) => heard.push(n));
    expect(await logged(() => publish("test.happened", 7))).toContain("a listener failed");
    expect(heard).toEqual([7]);
  });
});

describe("counters", () => {
  test("add up what the jobs of a commit counted, without those that threw", async () => {
    const add = (by: number, fail = false) =>
      transact(() => {
        adjustCounter("ships", by);
        if (fail) refuse();
      });
    await Promise.allSettled([add(3), add(10, true), add(-1), add(100, true)]);
    expect(counter("ships")).toBe(2);
    await add(5);
    expect(counter("ships")).toBe(7);
  });

  test("are 0 when they were never adjusted, or were removed", async () => {
    expect(counter("unknown")).toBe(0);
    await transact(() => adjustCounter("boats", 4));
    await transact(() => {
      adjustCounter("boats", 1);
      removeCounter("boats");
    });
    expect(counter("boats")).toBe(0);
  });

  test("stay as they were when the transaction that removed one failed", async () => {
    await transact(() => adjustCounter("kept", 4));
    await transact(() => {
      removeCounter("kept");
      refuse();
    }).catch(() => {});
    expect(counter("kept")).toBe(4);
  });

  test("that a job removes lose what earlier jobs of the same commit added, and keep what later ones add", async () => {
    const add = (by: number) => transact(() => adjustCounter("trip", by));
    await Promise.all([add(5), transact(() => removeCounter("trip"))]);
    expect(sqlite.query("SELECT * FROM counters WHERE name = 'trip'").all()).toEqual([]);
    await Promise.all([add(5), transact(() => removeCounter("trip")), add(2)]);
    expect(counter("trip")).toBe(2);
  });

  test("show a transaction what it changed so far, and what earlier jobs of its commit did", async () => {
    const add = (name: string, ...steps: number[]) =>
      transact(() =>
        steps.map((by) => {
          adjustCounter(name, by);
          return [counterNow(name), counter(name)];
        }),
      );
    expect(await add("now", 5, -2)).toEqual([
      [5, 0],
      [3, 0],
    ]);
    const [first, second, other] = await Promise.all([add("now", 10), add("now", 1, 1), add("else", 7)]);
    expect(first).toEqual([[13, 3]]);
    expect(second).toEqual([
      [14, 3],
      [15, 3],
    ]);
    expect(other).toEqual([[7, 0]]);
    expect(await transact(() => [counterNow("now"), counterNow("never")])).toEqual([15, 0]);
    expect([counter("now"), counter("else")]).toEqual([15, 7]);
  });

  test("show a transaction nothing of jobs that threw, before or in the commit before", async () => {
    const look = () => transact(() => counterNow("rejected"));
    const [, seen] = await Promise.allSettled([
      transact(() => {
        adjustCounter("rejected", 5);
        removeCounter("rejected");
        adjustCounter("rejected", 7);
        refuse();
      }),
      look(),
    ]);
    expect(seen).toEqual({ status: "fulfilled", value: 0 });
    expect(await look()).toBe(0);
    await transact(() => adjustCounter("rejected", 3));
    await transact(() => {
      removeCounter("rejected");
      refuse();
    }).catch(() => {});
    expect(await look()).toBe(3);
  });

  test("show a transaction that they were removed, by itself or an earlier job, and what came then", async () => {
    await transact(() => adjustCounter("gone", 4));
    const [, own, , later] = await Promise.all([
      transact(() => adjustCounter("gone", 1)),
      transact(() => {
        const before = counterNow("gone");
        adjustCounter("gone", 10);
        removeCounter("gone");
        const removed = counterNow("gone");
        adjustCounter("gone", 2);
        return [before, removed, counterNow("gone")];
      }),
      transact(() => adjustCounter("gone", 3)),
      transact(() => {
        const before = counterNow("gone");
        removeCounter("gone");
        return [before, counterNow("gone")];
      }),
    ]);
    expect(own).toEqual([5, 0, 2]);
    expect(later).toEqual([5, 0]);
    expect(sqlite.query("SELECT * FROM counters WHERE name = 'gone'").all()).toEqual([]);
  });

  test("show a transaction what a commit holds that is split into several", async () => {
    const seen = await Promise.all(
      Array.from({ length: 2_100 }, () =>
        transact(() => {
          adjustCounter("many", 1);
          return counterNow("many");
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 2_100 }, (_, n) => n + 1));
    expect(counter("many")).toBe(2_100);
  });

  test.each([undefined, "retryable"] as const)("of a group change together: %p", async (how) => {
    const [whole, part] = [`group ${how}`, `group ${how} day 1`];
    const names = [whole, part];
    const add = (by: number) => transact(() => adjustCounters(names, by), how);
    const look = () =>
      transact(() => {
        adjustCounter(part, 3);
        adjustCounters(names, 2);
        return [counterNow(whole), counterNow(part)];
      }, how);
    const [, seen] = await Promise.all([add(5), look(), add(1)]);
    expect(seen).toEqual([7, 10]);
    expect([counter(whole), counter(part)]).toEqual([8, 11]);
    const fail = () =>
      transact(() => {
        adjustCounters(names, 100);
        throw new Error("undone");
      }, how);
    const outcomes = await Promise.allSettled([add(1), fail(), add(1)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect([counter(whole), counter(part)]).toEqual([10, 13]);
    const remove = () =>
      transact(() => {
        adjustCounters(names, 5);
        removeCounter(whole);
        return [counterNow(whole), counterNow(part)];
      }, how);
    const [, removed] = await Promise.all([add(4), remove(), add(2)]);
    expect(removed).toEqual([0, 0]);
    expect(counter(whole)).toBe(2);
  });

  test("are refused outside a transaction", () => {
    expect(() => adjustCounter("x", 1)).toThrow("outside transact");
    expect(() => adjustCounters(["x"], 1)).toThrow("outside transact");
    expect(() => counterNow("x")).toThrow("outside transact");
    expect(() => removeCounter("x")).toThrow("outside transact");
  });
});

describe("a lock that another process holds", () => {
  test("is waited for while the event loop goes on, and nothing is lost", async () => {
    waitOutsideStatements();
    const other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const written = [1, 2].map((n) => transact(() => void insert(n)));
    while (turns < 20) await Bun.sleep(5);
    expect(numbers(outside)).toEqual([]);
    other.run("COMMIT");
    other.close();
    await Promise.all(written);
    clearInterval(timer);
    expect(numbers(outside)).toEqual([1, 2]);
    await transact(() => void insert(3));
    expect(numbers(outside)).toEqual([1, 2, 3]);
  });

  test("is given up after five seconds: what waited is refused, and what comes later is taken", async () => {
    const other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    await logged(async () => {
      const results = await Promise.allSettled([1, 2].map((n) => transact(() => void insert(n))));
      expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      const later = transact(() => void insert(3));
      other.run("COMMIT");
      other.close();
      await later;
    });
    expect(numbers(outside)).toEqual([3]);
  });
});

describe("migrations", () => {
  test("are applied once, and foreign keys hold afterwards", () => {
    expect(pendingMigrations()).toEqual([]);
    expect(migrate()).toEqual([]);
    expect(sqlite.query("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
    expect(() => sqlite.run("INSERT INTO passwords VALUES ('nobody', 'x', 0)")).toThrow("FOREIGN KEY");
  });

  test("leave a database that keeps acknowledged writes: WAL, synchronous full", () => {
    expect(sqlite.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(sqlite.query("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  });
});

test("closing the database commits what is queued", async () => {
  const path = join(temporaryDirectory(), "queued.db");
  closeDatabase();
  openDatabase(path, "normal");
  sqlite.run("CREATE TABLE numbers (n INTEGER)");
  const queued = transact(() => void insert(1));
  closeDatabase();
  const reopened = new Database(path, { readonly: true });
  expect(numbers(reopened)).toEqual([1]);
  reopened.close();
  openDatabase(file, "full");
  await queued;
  // The flush that was scheduled for it comes now, and needs an open database.
  await new Promise(setImmediate);
});
