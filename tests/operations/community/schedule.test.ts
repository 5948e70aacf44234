import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { syncOnSchedule } from "../../../src/operations/community/auto-sync";
import { type Bot, botCame, botWent, type SyncRequest } from "../../../src/operations/community/bot";
import { seedCommunitySettings } from "../../../src/operations/community/settings";
import { takePart } from "../../../src/operations/community/sync";

/** Syncs that the server starts by itself, in this process at times that the test chooses. */
const YEAR = 31_536_000;

let asked: SyncRequest[] = [];
const bots: Bot[] = [];

/** A bot that connects at a time, and answers at once. */
function comes(since: number): Bot {
  const bot: Bot = {
    since,
    requestSync(request) {
      asked.push(request);
      queueMicrotask(() =>
        takePart(bot, {
          ...{ requestId: request.requestId, success: true, error: null, more: false },
          ...{ guilds: [], channels: [], roles: [], members: [] },
        }),
      );
    },
  };
  botCame(bot);
  bots.push(bot);
  return bot;
}

const set = (delay: number, interval: number, enabled = true) =>
  sqlite.run(
    "UPDATE community_settings SET initial_delay_seconds = ?, sync_interval_seconds = ?, auto_sync_enabled = ?",
    [delay, interval, enabled],
  );

/** Runs the schedule at a time in seconds; returns the number of syncs that it requested. */
async function at(seconds: number): Promise<number> {
  asked = [];
  await syncOnSchedule(seconds * 1_000);
  return asked.length;
}

beforeAll(async () => {
  openDatabase(":memory:", "normal");
  migrate();
  await transact(seedCommunitySettings);
});
afterAll(() => closeDatabase());
/** The schedule remembers its last request: each test begins later than the one before. */
let start = 0;
beforeEach(() => {
  start += 1_000 * YEAR;
});
afterEach(() => {
  for (const bot of bots.splice(0)) botWent(bot);
});

test("nothing is asked for without a bot", async () => {
  set(0, 1);
  expect(await at(start)).toBe(0);
});

test("the first sync comes after the delay, each other one after the interval, and all are of all guilds", async () => {
  set(30, 3_600);
  comes(start * 1_000);
  expect(await at(start + 29.9)).toBe(0);
  expect(await at(start + 30)).toBe(1);
  expect(asked[0]).toMatchObject({ scope: "guilds", guildId: null });
  expect(await at(start + 31)).toBe(0);
  expect(await at(start + 3_629)).toBe(0);
  expect(await at(start + 3_630)).toBe(1);
  expect(await at(start + 3_631)).toBe(0);
});

test("an interval of a year is one", async () => {
  set(YEAR, YEAR);
  comes(start * 1_000);
  for (const early of [0, 1, 86_400, 2 ** 31 / 1_000, YEAR - 1]) expect(await at(start + early)).toBe(0);
  expect(await at(start + YEAR)).toBe(1);
  expect(await at(start + 2 * YEAR - 1)).toBe(0);
  expect(await at(start + 2 * YEAR)).toBe(1);
});

test("a change of settings counts at once, in either direction", async () => {
  set(YEAR, YEAR);
  comes(start * 1_000);
  expect(await at(start + 100)).toBe(0);
  set(100, YEAR);
  expect(await at(start + 100)).toBe(1);
  set(0, 50);
  expect(await at(start + 149)).toBe(0);
  set(0, 49);
  expect(await at(start + 149)).toBe(1);
  set(0, 1, false);
  expect(await at(start + 1_000)).toBe(0);
  set(0, 1, true);
  expect(await at(start + 1_000)).toBe(1);
});

test("a bot that comes later is asked after the delay, and one that came before after the interval", async () => {
  set(30, 3_600);
  comes(start * 1_000);
  expect(await at(start + 30)).toBe(1);
  const later = comes((start + 100) * 1_000);
  expect(await at(start + 129)).toBe(0);
  expect(await at(start + 130)).toBe(1);
  botWent(later);
  expect(await at(start + 200)).toBe(0);
  expect(await at(start + 3_730)).toBe(1);
});
