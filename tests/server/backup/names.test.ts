import { describe, expect, test } from "bun:test";
import {
  backupName,
  backupsAmong,
  beforeName,
  beforesAmong,
  isDue,
  newestBy,
  surplus,
} from "../../../src/server/backup/names";
import { HOUR } from "../../support/time";

const at = (text: string) => Date.parse(text);
const named = (...times: number[]) => backupsAmong(times.map(backupName));

describe("the name of a scheduled backup", () => {
  test("tells its time in UTC, and is read back", () => {
    const name = backupName(at("2026-05-04T09:30:07.900Z"));
    expect(name).toBe("fairlead-20260504T093007Z.db");
    expect(backupsAmong([name])).toEqual([{ name, time: at("2026-05-04T09:30:07Z") }]);
  });

  test("is no other: unfinished ones, former databases and other files don't count", () => {
    const others = [
      "fairlead-20260504T093007Z.db.77.partial",
      "fairlead-before-restore-20260504T093007Z.db",
      "fairlead-20261304T093007Z.db",
      "fairlead-20260504T093007Z.db-wal",
      "copy.db",
      "fairlead.db",
    ];
    expect(backupsAmong(others)).toEqual([]);
  });

  test("orders backups by time", () => {
    const [newer, older] = ["fairlead-20270101T000000Z.db", "fairlead-20261231T235959Z.db"];
    expect(backupsAmong([newer, older]).map(({ name }) => name)).toEqual([older, newer]);
  });
});

describe("the name of a copy from before a migration", () => {
  const name = beforeName("0.2.0-rc.1", at("2026-05-04T09:30:07.900Z"));

  test("tells the version that made it and its time, and is read back", () => {
    expect(name).toBe("before-0.2.0-rc.1-20260504T093007Z.db");
    expect(beforesAmong([name])).toEqual([{ name, time: at("2026-05-04T09:30:07Z") }]);
  });

  test("is no scheduled backup's, and none of theirs is its", () => {
    const others = [`${name}.77.fairlead.partial`, backupName(0), "before-20260504T093007Z.db"];
    expect(backupsAmong([name])).toEqual([]);
    expect(beforesAmong(others)).toEqual([]);
  });

  test("orders them by time, whatever version made them", () => {
    const [newer, older] = [beforeName("0.2.0", 2_000), beforeName("0.10.0", 1_000)];
    expect(beforesAmong([newer, older]).map(({ name }) => name)).toEqual([older, newer]);
  });
});

describe("a backup is due", () => {
  const now = at("2026-05-04T12:00:00Z");

  test("when there is none, and once the newest is as old as the interval", () => {
    expect(isDue([], now, HOUR)).toBe(true);
    expect(isDue(named(now - HOUR), now, HOUR)).toBe(true);
    expect(isDue(named(now - 5 * HOUR, now - HOUR + 1_000), now, HOUR)).toBe(false);
  });

  test("once, when the clock jumps ahead and back again", () => {
    const ahead = now + 1_000 * HOUR;
    const made = named(now, ahead);
    for (const clock of [now, ahead, now + 1_000, ahead + 1_000])
      expect(isDue(made, clock, HOUR)).toBe(false);
    // A backup named far ahead of the clock doesn't stop the next one.
    expect(isDue(made, now + HOUR, HOUR)).toBe(true);
  });

  test("not again when the clock is set back by less than the interval", () => {
    expect(isDue(named(now), now - HOUR / 2, HOUR)).toBe(false);
  });
});

describe("the newest backup", () => {
  const now = at("2026-05-04T12:00:00Z");

  test("is the one before now, and one from the future only where there is no other", () => {
    expect(newestBy([], now)).toBeNull();
    expect(newestBy(named(now - 2 * HOUR, now - HOUR, now + HOUR), now)).toBe(now - HOUR);
    expect(newestBy(named(now + HOUR), now)).toBe(now + HOUR);
  });
});

describe("the surplus", () => {
  const [first, second, third] = named(0, HOUR, 2 * HOUR) as [
    { name: string; time: number },
    { name: string; time: number },
    { name: string; time: number },
  ];

  test("is the oldest beyond how many are kept", () => {
    const all = [first, second, third];
    expect(surplus(all, 3, third.name)).toEqual([]);
    expect(surplus(all, 2, third.name)).toEqual([first]);
    expect(surplus(all, 1, third.name)).toEqual([first, second]);
  });

  test("is never the one just made, even when others seem newer", () => {
    const all = [first, second, third];
    expect(surplus(all, 1, first.name)).toEqual([second, third]);
    expect(surplus(all, 2, first.name)).toEqual([second]);
  });
});
