import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { AppError } from "../../../src/kernel/errors/errors";
import type { MemberAnswer } from "../../../src/operations/community/answers";
import { type Bot, botCame, botWent } from "../../../src/operations/community/bot";
import { storeGuilds } from "../../../src/operations/community/guild-store";
import { deleteStrayMembers, MemberStore } from "../../../src/operations/community/member-store";
import { findMembers } from "../../../src/operations/community/members";
import { isAwaited, SyncQueue, type SyncReceiver, takePart } from "../../../src/operations/community/sync";
import { planOf } from "../../support/in-process";
import { logged } from "../../support/log";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { GUILD, guild, ManualBot, requests, member as told } from "./support";

/** Storing and finding members, the duration of a sync, in this process; and the state after a kill. */

const member = (userId: number, fields: Partial<MemberAnswer> = {}): MemberAnswer => ({
  user_id: String(userId),
  username: `user${userId}`,
  ...{ discriminator: null, global_name: null, nickname: null, avatar: null, bot: false, system: false },
  ...{ joined_at: null, premium_since: null, deaf: false, mute: false, pending: false },
  ...{ communication_disabled_until: null, roles: ["7"] },
  ...fields,
});
const members = (count: number) => Array.from({ length: count }, (_, at) => member(1_000 + at));

const row = {
  ...{ guild_id: GUILD, name: "Bodden Sailors", icon: null, owner_id: "1" },
  ...{ member_count: 0, boost_count: 0, premium_tier: 0, bot_joined_at: null },
};

async function open(): Promise<string> {
  openDatabase(":memory:", "normal");
  migrate();
  await transact(() =>
    storeGuilds({ guilds: new Map([[GUILD, row]]), channels: new Map(), roles: new Map() }, true),
  );
  return (sqlite.query("SELECT id FROM community_guilds").get() as { id: string }).id;
}

const count = (table: string) =>
  (sqlite.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
const TABLES = ["community_members", "community_member_names", "community_member_roles_docsize"];
const stored = () => TABLES.map(count);

let id = "";
beforeEach(async () => {
  id = await open();
});
afterEach(async () => {
  await deleteStrayMembers();
  closeDatabase();
});

async function replace(list: MemberAnswer[]): Promise<void> {
  const store = new MemberStore(GUILD);
  store.add(list);
  expect(await store.commit()).toBe(list.length);
}

describe("members that are no guild's", () => {
  test("are deleted: those of before, of a sync that was dropped, of a guild that went", async () => {
    await replace(members(250));
    await replace(members(130));
    await deleteStrayMembers();
    expect(stored()).toEqual([130, 130, 130]);

    const dropped = new MemberStore(GUILD);
    dropped.add(members(350));
    while (count("community_members") < 330) await new Promise(setImmediate);
    dropped.drop();
    await deleteStrayMembers();
    expect(stored()).toEqual([130, 130, 130]);
    expect(findMembers(id, {}).total_count).toBe(130);

    sqlite.run("DELETE FROM community_guilds");
    await deleteStrayMembers();
    expect(stored()).toEqual([0, 0, 0]);
  });

  test("are left alone while a sync stores them", async () => {
    await replace(members(10));
    const store = new MemberStore(GUILD);
    store.add(members(350));
    while (count("community_members") < 110) await new Promise(setImmediate);
    await deleteStrayMembers();
    expect(await store.commit()).toBe(350);
    await deleteStrayMembers();
    expect(findMembers(id, { search: "user1" }).total_count).toBe(350);
    expect(stored()).toEqual([350, 350, 350]);
  });

  test("are none of the next sync's, though their own was dropped in the middle of a step", async () => {
    const dropped = new MemberStore(GUILD);
    dropped.add(members(250));
    const next = new MemberStore(GUILD);
    next.add([member(1), member(2)]);
    expect(await next.commit()).toBe(2);
    expect(findMembers(id, {}).members.map((one) => one.user_id)).toEqual(["2", "1"]);
  });
});

test("a disk that is full leaves the members of before, and the store goes on once there is room", async () => {
  await replace(members(120));
  const [{ page_count: pages }] = sqlite.query("PRAGMA page_count").all() as [{ page_count: number }];
  sqlite.run(`PRAGMA max_page_count = ${pages + 5}`);
  const store = new MemberStore(GUILD);
  store.add(members(2_000));
  await logged(async () => {
    await expect(store.commit()).rejects.toMatchObject({ code: "SQLITE_FULL" });
    expect(findMembers(id, {}).total_count).toBe(120);
    sqlite.run("PRAGMA max_page_count = 1073741823");
    await deleteStrayMembers();
  });
  expect(stored()).toEqual([120, 120, 120]);
  await replace(members(300));
  expect(findMembers(id, { has_role: "7" }).total_count).toBe(300);
});

test("more members than a guild may have are refused", () => {
  const store = new MemberStore(GUILD);
  expect(() => store.add(Array(1_000_001).fill(member(1)))).toThrow("too large");
  store.drop();
});

describe("no list reads the rows of another guild, nor sorts", () => {
  /** The plans of all statements that a list runs. */
  function plans(query: Parameters<typeof findMembers>[1]): string[] {
    const spy = spyOn(sqlite, "query");
    findMembers(id, query);
    const statements = spy.mock.calls.map(([sql]) => String(sql)).filter((sql) => sql.includes("BETWEEN"));
    spy.mockRestore();
    expect(statements.length).toBeGreaterThan(0);
    return statements.flatMap(planOf);
  }

  const BY_ROW = /^SEARCH n USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/;
  const JOINED = /^SEARCH n USING INTEGER PRIMARY KEY \(rowid=\?\)$/;
  const BY_BOT =
    /^SEARCH n USING (COVERING )?INDEX community_member_names_bot \(bot=\? AND rowid>\? AND rowid<\?\)$/;
  // FTS5 describes its search: a match, and rows from and to.
  const INDEX = /^SCAN i VIRTUAL TABLE INDEX \d+:M1><$/;
  const cases: [query: Parameters<typeof findMembers>[1], allowed: RegExp[]][] = [
    [{}, [BY_ROW]],
    [{ bot_only: true }, [BY_BOT]],
    [{ humans_only: true }, [BY_BOT]],
    [{ search: "us" }, [BY_ROW]],
    [{ search: "us", bot_only: true }, [BY_ROW]],
    [{ search: "user" }, [INDEX, JOINED]],
    [{ search: "user", humans_only: true }, [INDEX, JOINED]],
    [{ has_role: "7" }, [INDEX]],
    [{ has_role: "7", bot_only: true }, [INDEX, JOINED]],
    [{ has_role: "7", search: "us" }, [INDEX, JOINED]],
    [
      { has_role: "7", search: "user1001" },
      [INDEX, JOINED, /^SEARCH m USING INTEGER PRIMARY KEY/, /SCALAR SUBQUERY/],
    ],
  ];
  test.each(cases)("with %j", async (query, allowed) => {
    await replace(members(30));
    const found = plans(query);
    expect(found.filter((line) => !allowed.some((one) => one.test(line)))).toEqual([]);
  });
});

describe("a sync that takes too long", () => {
  const TIMEOUT = 200;
  const line = new SyncQueue<string>("guilds", TIMEOUT);
  const part = (requestId: string, fields: object = {}) => ({
    ...{ requestId, success: true, error: null, more: false },
    ...{ guilds: [], channels: [], roles: [], members: [], ...fields },
  });
  let asked: string[] = [];
  const bot: Bot = { since: 0, requestSync: ({ requestId }) => asked.push(requestId) };
  let dropped = 0;
  const intake = (commit: () => Promise<string> = async () => "stored"): SyncReceiver<string> => ({
    ...{ take() {}, isBusy: () => false, commit, failed: (error: string) => `failed: ${error}` },
    drop() {
      dropped++;
    },
  });
  beforeEach(() => {
    [asked, dropped] = [[], 0];
    botCame(bot);
  });
  afterEach(() => botWent(bot));

  const TIMED_OUT = [503, "BotTimeout"];
  const timedOut = (answer: Promise<unknown>) =>
    answer.then(
      () => "answered",
      (error) => (error instanceof AppError ? [error.status, error.name] : error),
    );

  test("is 503 BotTimeout for all who asked, and what comes later is nobody's", async () => {
    const answers = [line.ask("1", intake), line.ask("1", intake)];
    expect(await Promise.all(answers.map(timedOut))).toEqual([TIMED_OUT, TIMED_OUT]);
    expect(dropped).toBe(1);
    expect(isAwaited(bot, asked[0] as string)).toBe(false);
    expect(takePart(bot, part(asked[0] as string))).toBe(false);
  });

  test("counts from when the bot is asked: the wait for another takes nothing from it", async () => {
    const first = timedOut(line.ask("1", intake));
    const second = line.ask("2", intake);
    expect(asked).toHaveLength(1);
    expect(await first).toEqual(TIMED_OUT);
    expect(asked).toHaveLength(2);
    expect(takePart(bot, part(asked[1] as string))).toBe(true);
    expect(await second).toBe("stored");
  });

  test("is waited for by ten others of its kind, and by no more", async () => {
    const first = timedOut(line.ask("0", intake));
    const others = Array.from({ length: 10 }, (_, at) => line.ask(`${at + 1}`, intake).catch(() => {}));
    expect(() => line.ask("11", intake)).toThrow("Too many syncs are already queued");
    await first;
    botWent(bot);
    await Promise.all(others);
  });

  test("lets the next one run", async () => {
    const first = timedOut(line.ask("1", intake));
    await first;
    const second = line.ask("2", intake);
    expect(takePart(bot, part(asked.at(-1) as string))).toBe(true);
    expect(await second).toBe("stored");
  });

  test("though every part but the last has come, stores none", async () => {
    const answer = timedOut(line.ask("1", intake));
    expect(takePart(bot, part(asked[0] as string, { more: true }))).toBe(true);
    expect(await answer).toEqual(TIMED_OUT);
    expect(dropped).toBe(1);
  });

  test("while it is stored is told so, and what the store says then is nobody's", async () => {
    const store = Promise.withResolvers<string>();
    const answer = timedOut(line.ask("1", () => intake(() => store.promise)));
    takePart(bot, part(asked[0] as string));
    expect(await answer).toEqual(TIMED_OUT);
    expect(dropped).toBe(1);
    store.resolve("late");
    expect(await timedOut(answer)).toBe("answered");
  });
});

test("kill -9 in the middle of a sync leaves the former members, and what it had stored goes", async () => {
  const server = await TestServer.start();
  const bot = await ManualBot.connect(server);
  const { sync, syncMembers } = requests(server);
  const answer = sync();
  bot.answer(await bot.asked(), { guilds: [guild()] });
  await answer;
  const former = syncMembers();
  bot.answer(await bot.asked(), { members: [told("1", { nickname: "former" }), told("2")] });
  expect((await former).body.members_synced).toBe(2);

  const lost = syncMembers().catch(() => "lost");
  const asked = await bot.asked();
  bot.answer(asked, { members: Array.from({ length: 100 }, (_, at) => told(String(at))), more: true });
  const inDatabase = (of: TestServer) =>
    rows<{ n: number }>(of, "SELECT count(*) AS n FROM community_members")[0]?.n ?? 0;
  while (inDatabase(server) < 102) await Bun.sleep(10);
  await server.stop("SIGKILL");
  expect(await lost).toBe("lost");

  const again = await TestServer.start({ dataDir: server.dataDir });
  const { get, idOf } = requests(again);
  const { body } = await get(`/guilds/${await idOf()}/members`);
  expect(body).toMatchObject({ total_count: 2, members: [{ user_id: "2" }, { nickname: "former" }] });
  while (inDatabase(again) !== 2) await Bun.sleep(10);
  await again.stop();
});
