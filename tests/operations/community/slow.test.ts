import { expect, test } from "bun:test";
import { TestServer } from "../../support/server";
import { guild, ManualBot, member, requests } from "./support";

/**
 * Tests that mostly wait: the time-outs of syncs (rule M1), and that no idle connection is cut earlier
 * (serve.ts: 30 s).
 */
const GUILDS = 30_000;
const MEMBERS = 40_000;

test("a sync of guilds is given up after 30 s, and one of members is waited for still", async () => {
  const server = await TestServer.start();
  const bot = await ManualBot.connect(server);
  const { sync, syncMembers } = requests(server);
  const first = sync();
  bot.answer(await bot.asked(), { guilds: [guild()] });
  await first;

  const start = performance.now();
  const members = syncMembers();
  const askedMembers = await bot.asked();
  const guilds = sync();
  await bot.asked();
  const { status, body } = await guilds;
  expect([status, body.error]).toEqual([503, "BotTimeout"]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(GUILDS);

  await Bun.sleep(start + MEMBERS - performance.now());
  bot.answer(askedMembers, { members: [member("1")] });
  expect((await members).body).toEqual({ success: true, error: null, members_synced: 1 });
  await bot.close();
  await server.stop();
});
