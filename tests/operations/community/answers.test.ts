import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { channel, guild, ManualBot, member, OTHER_GUILD, requests, role } from "./support";

/** Answers of a bot that fails, or sends records that can't be stored (rules M1 and M2). */
let server: TestServer;
let bot: ManualBot;
let before: Stored;
let { sync } = {} as ReturnType<typeof requests>;
beforeAll(async () => {
  server = await TestServer.start();
  ({ sync } = requests(server));
  bot = await ManualBot.connect(server);
  const parts = { guilds: [guild()], channels: [channel("1")], roles: [role("1")] };
  expect((await answered(parts)).success).toBe(true);
  before = stored();
});
afterAll(async () => {
  await bot.close();
  await server.stop();
});

const failed = (error: unknown) => ({
  ...{ success: false, error },
  ...{ guilds_synced: 0, channels_synced: 0, roles_synced: 0 },
});

type Stored = ReturnType<typeof stored>;

/** All stored records of the community. */
const stored = () =>
  ["guilds", "channels", "roles"].map((what) =>
    rows<object>(server, `SELECT * FROM community_${what} ORDER BY id`),
  );

/** Syncs with an answer in these parts. */
async function answered(...parts: object[]) {
  const answer = sync();
  const asked = await bot.asked();
  for (const [at, part] of parts.entries()) bot.answer(asked, { more: at < parts.length - 1, ...part });
  return (await answer).body;
}

describe("a sync of guilds changes nothing", () => {
  const failures: [what: string, part: object, error: string][] = [
    ["says why", { error: "Missing Access" }, "Missing Access"],
    ["doesn't say why", {}, "The bot does not say why it failed"],
    ["says an empty reason", { error: "" }, "The bot does not say why it failed"],
    ["says a long reason, of which 500 characters are told", { error: "🌊".repeat(4_000) }, "🌊".repeat(250)],
  ];
  test.each(failures)("when the bot fails and %s", async (_, part, error) => {
    expect(await answered({ success: false, guilds: [guild({ name: "new" })], ...part })).toEqual(
      failed(error),
    );
    expect(stored()).toEqual(before);
  });

  test("when the bot fails after the first part", async () => {
    const body = await answered({ guilds: [guild({ name: "new" })] }, { success: false, error: "gone" });
    expect(body).toEqual(failed("gone"));
    expect(stored()).toEqual(before);
  });

  const malformed: [what: string, part: object][] = [
    ["a guild without an identifier", { guilds: [guild({ guildId: "" })] }],
    ["a guild whose identifier is no number", { guilds: [guild({ guildId: "abc" })] }],
    ["a guild whose identifier is too long", { guilds: [guild({ guildId: "1".repeat(21) })] }],
    ["a guild without a name", { guilds: [guild({ name: "" })] }],
    ["a guild whose name is too long", { guilds: [guild({ name: "x".repeat(201) })] }],
    ["a guild whose icon is too long", { guilds: [guild({ icon: "x".repeat(101) })] }],
    ["a guild without an owner", { guilds: [guild({ ownerId: "" })] }],
    ["a guild with -1 members", { guilds: [guild({ memberCount: -1 })] }],
    ["a guild with -1 boosts", { guilds: [guild({ boostCount: -1 })] }],
    ["a guild of tier 4", { guilds: [guild({ premiumTier: 4 })] }],
    [
      "a guild that was joined in the year 10000",
      { guilds: [guild({ botJoinedAt: { seconds: 253_402_300_800 } })] },
    ],
    ["a guild that was joined before all time", { guilds: [guild({ botJoinedAt: { seconds: -9e15 } })] }],
    ["a channel without an identifier", { channels: [channel("")] }],
    ["a channel without a name", { channels: [channel("1", { name: "" })] }],
    ["a channel of a negative type", { channels: [channel("1", { channelType: -1 })] }],
    ["a channel below something that is none", { channels: [channel("1", { parentId: "top" })] }],
    ["a channel with a topic that is too long", { channels: [channel("1", { topic: "x".repeat(10_001) })] }],
    ["a channel of a guild that isn't named", { channels: [channel("1", { guildId: OTHER_GUILD })] }],
    ["a role without an identifier", { roles: [role("")] }],
    ["a role whose color is none", { roles: [role("1", { color: 0x1000000 })] }],
    ["a role of a guild that isn't named", { roles: [role("1", { guildId: OTHER_GUILD })] }],
    ["members", { members: [member("1")] }],
  ];
  test.each(malformed)("when the bot answers with %s", async (_, part) => {
    const guilds = "guilds" in part ? [] : [guild({ name: "new" })];
    const body = await answered({ guilds }, part, { roles: [role("9")] });
    expect(body).toEqual(
      failed(expect.stringMatching(/^The bot('s answer is not valid: a| answered with )/)),
    );
    expect(stored()).toEqual(before);
  });

  test("when the bot answers with another guild than the one that was asked for", async () => {
    const answer = sync({ guild_id: OTHER_GUILD });
    bot.answer(await bot.asked(), { guilds: [guild({ name: "new" })] });
    expect((await answer).body).toEqual(failed("The bot answered with a guild that was not asked for"));
    expect(stored()).toEqual(before);
  });

  const channels = (count: number, fields: object = {}) =>
    Array.from({ length: count }, (_, at) => channel(String(at + 1), fields));

  test("when the bot names more channels of a guild than it may have", async () => {
    const body = await answered({ guilds: [guild({ name: "new" })] }, { channels: channels(1_001) });
    expect(body).toEqual(failed(expect.stringContaining("1000 channels")));
    expect(stored()).toEqual(before);
  });

  test("when its topics are too long together", async () => {
    const parts = Array.from({ length: 41 }, () => ({
      channels: channels(5, { topic: "x".repeat(10_000) }),
    }));
    const body = await answered({ guilds: [guild({ name: "new" })] }, ...parts);
    expect(body).toEqual(failed(expect.stringContaining("topics of 2000000 characters")));
    expect(stored()).toEqual(before);
  });

  test("when the bot names more than can be stored at once", async () => {
    const guilds = Array.from({ length: 1_001 }, (_, at) => guild({ guildId: String(at), name: "n" }));
    const body = await answered({ guilds: guilds.slice(0, 500) }, { guilds: guilds.slice(500) }, {});
    expect(body).toEqual(failed(expect.stringContaining("too large")));
    expect(stored()).toEqual(before);
  });
});
