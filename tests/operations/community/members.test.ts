import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CommunityBot, Member } from "../../realtime/community-bot";
import { UNKNOWN } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { connectBot, GUILD, guild, ManualBot, member, OTHER_GUILD, requests, Told } from "./support";

/** Members of guilds, by Discord's model (rule M2). */
let server: TestServer;
let told: Told;
let bot: CommunityBot;
let id: string;
let { get, sync, syncMembers, idOf } = {} as ReturnType<typeof requests>;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  ({ get, sync, syncMembers, idOf } = requests(server));
  told = new Told();
  told.all.guilds = [guild(), guild({ guildId: OTHER_GUILD })];
  bot = await connectBot(server, told);
  await sync();
  id = await idOf();
});
afterAll(async () => {
  await bot.close();
  await server.stop();
});

/** Has the bot report these members. */
async function store(...members: Member[]): Promise<void> {
  told.memberList = members;
  const { body } = await syncMembers();
  expect(body).toEqual({ success: true, error: null, members_synced: members.length });
}

const find = async (query = "", guildId = id) => (await get(`/guilds/${guildId}/members?${query}`)).body;
const userIds = (body: { members: { user_id: string }[] }) => body.members.map((one) => one.user_id);
const one = async (userId: string) => (await get(`/guilds/${id}/members/${userId}`)).body;

describe("a member", () => {
  test("has every field that the bot tells, and the computed ones", async () => {
    await store(
      member("80351110224678912", {
        ...{ username: "skipper", discriminator: "0", globalName: "Skipper", nickname: "Käpt'n 🌊" },
        ...{ avatar: "8342729096ea3675442027381ff50dfe", bot: true, system: true },
        ...{ joinedAt: { seconds: 1_700_000_000 }, premiumSince: { seconds: 1_700_000_001 } },
        ...{ deaf: true, mute: true, pending: true, roles: ["7", "8", "7"] },
        communicationDisabledUntil: { seconds: 4_000_000_000, nanos: 500_000_000 },
      }),
    );
    const expected = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      guild_id: id,
      user_id: "80351110224678912",
      username: "skipper",
      discriminator: "0",
      global_name: "Skipper",
      nickname: "Käpt'n 🌊",
      avatar: "8342729096ea3675442027381ff50dfe",
      avatar_url: "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png",
      ...{ bot: true, system: true },
      joined_at: "2023-11-14T22:13:20.000Z",
      premium_since: "2023-11-14T22:13:21.000Z",
      ...{ deaf: true, mute: true, pending: true },
      communication_disabled_until: "2096-10-02T07:06:40.500Z",
      roles: ["7", "8"],
      display_name: "Käpt'n 🌊",
      formatted_username: "@skipper",
      is_timed_out: true,
    };
    expect(await one("80351110224678912")).toEqual(expected);
    expect(await find()).toEqual({ members: [expected], total_count: 1, has_more: false });
  });

  test("that the bot says little of has null and false elsewhere", async () => {
    const texts = { discriminator: "", globalName: "", nickname: "", avatar: "" };
    const times = {
      joinedAt: { seconds: 0 },
      premiumSince: { seconds: 0 },
      communicationDisabledUntil: { seconds: 0 },
    };
    const nothing = {
      ...{ discriminator: null, global_name: null, nickname: null, avatar: null, bot: false, system: false },
      ...{ joined_at: null, premium_since: null, deaf: false, mute: false, pending: false },
      ...{ communication_disabled_until: null, roles: [], is_timed_out: false },
    };
    await store(member("1"), member("2", { ...texts, ...times }));
    for (const userId of ["1", "2"])
      expect(await one(userId)).toMatchObject({ ...nothing, display_name: `user${userId}` });
  });

  const names: [fields: Partial<Member>, display: string, formatted: string][] = [
    [{ globalName: "Global", nickname: "Nick" }, "Nick", "@name"],
    [{ globalName: "Global" }, "Global", "@name"],
    [{ discriminator: "0" }, "name", "@name"],
    [{ discriminator: "0000" }, "name", "@name"],
    [{ discriminator: "0042" }, "name", "name#0042"],
    [{ discriminator: "9999", nickname: "Nick" }, "Nick", "name#9999"],
  ];
  test.each(names)("with %j is shown as %s and %s", async (fields, display_name, formatted_username) => {
    await store(member("1", { username: "name", ...fields }));
    expect(await one("1")).toMatchObject({ display_name, formatted_username });
  });

  const CDN = "https://cdn.discordapp.com";
  const pictures: [userId: string, fields: Partial<Member>, url: string][] = [
    ["80351110224678912", { avatar: "a_834272" }, "/avatars/80351110224678912/a_834272.gif"],
    ["80351110224678912", { avatar: "../x y" }, "/avatars/80351110224678912/..%2Fx%20y.png"],
    // (id >> 22) % 6, and the discriminator % 5.
    ["80351110224678912", {}, "/embed/avatars/5.png"],
    ["175928847299117063", { discriminator: "0" }, "/embed/avatars/2.png"],
    ["18446744073709551615", {}, "/embed/avatars/3.png"],
    ["1", {}, "/embed/avatars/0.png"],
    ["1", { discriminator: "1337" }, "/embed/avatars/2.png"],
  ];
  test.each(pictures)("%s with %j has the picture of Discord's", async (userId, fields, url) => {
    await store(member(userId, fields));
    expect((await one(userId)).avatar_url).toBe(CDN + url);
  });

  test("is timed out until the time has passed", async () => {
    const until = Math.floor(Date.now() / 1_000) + 60;
    await store(member("1", { communicationDisabledUntil: { seconds: until } }));
    expect((await one("1")).is_timed_out).toBe(true);
    await server.advance(61_000);
    expect(await one("1")).toMatchObject({
      is_timed_out: false,
      communication_disabled_until: new Date(until * 1_000).toISOString(),
    });
  });

  test("is found in its own guild alone", async () => {
    await store(member("1", { nickname: "ashore" }), member("2"));
    told.memberList = [member("1", { guildId: OTHER_GUILD, nickname: "there" })];
    await syncMembers(OTHER_GUILD);
    const there = await idOf(OTHER_GUILD);
    expect(await one("1")).toMatchObject({ nickname: "ashore", guild_id: id });
    expect((await get(`/guilds/${there}/members/1`)).body).toMatchObject({
      nickname: "there",
      guild_id: there,
    });
    expect(userIds(await find("", there))).toEqual(["1"]);
    expect((await find("search=ashore", there)).total_count).toBe(0);
    expect((await find("search=user1", there)).total_count).toBe(1);
    expect((await get(`/guilds/${there}/members/2`)).status).toBe(404);
  });

  test("that isn't there, and of a guild that isn't, is 404; identifiers of another form are 400", async () => {
    await store(member("1"));
    expect((await get(`/guilds/${id.toUpperCase()}/members/1`)).status).toBe(200);
    for (const path of [`${id}/members/2`, `${UNKNOWN}/members/1`, `${UNKNOWN}/members`])
      expect([path, (await get(`/guilds/${path}`)).status]).toEqual([path, 404]);
    for (const path of [
      `${GUILD}/members`,
      `${GUILD}/members/1`,
      `${id}/members/x`,
      `${id}/members/${"1".repeat(21)}`,
    ])
      expect([path, (await get(`/guilds/${path}`)).status]).toEqual([path, 400]);
  });
});

describe("a sync of members", () => {
  test("replaces those of before, and keeps the identifiers of those who stay", async () => {
    await store(member("1"), member("2", { nickname: "old" }), member("3"));
    const before = await find();
    const idAmong = (body: typeof before, userId: string) =>
      body.members.find((each: { user_id: string }) => each.user_id === userId).id;
    await store(member("4"), member("2", { nickname: "new", roles: ["9"] }));
    const after = await find();
    expect(userIds(after)).toEqual(["2", "4"]);
    expect(idAmong(after, "2")).toBe(idAmong(before, "2"));
    expect((await find("search=old")).total_count).toBe(0);
    expect(userIds(await find("search=new"))).toEqual(["2"]);
    expect(userIds(await find("has_role=9"))).toEqual(["2"]);
    expect((await get(`/guilds/${id}/members/1`)).status).toBe(404);
  });

  test("that brings nobody leaves nobody", async () => {
    await store(member("1"));
    await store();
    expect(await find()).toEqual({ members: [], total_count: 0, has_more: false });
    await store(member("1"));
    expect((await find()).total_count).toBe(1);
  });

  test("takes the last word on whom it names twice", async () => {
    told.memberList = [
      member("1", { nickname: "first", roles: ["5"] }),
      ...Array.from({ length: 150 }, (_, at) => member(String(100 + at))),
      member("1", { nickname: "last" }),
    ];
    expect((await syncMembers()).body.members_synced).toBe(151);
    expect((await find("search=user1")).total_count).toBe(101);
    expect((await find("search=first")).total_count).toBe(0);
    expect((await find("has_role=5")).total_count).toBe(0);
    expect(await find("limit=1")).toMatchObject({ members: [{ nickname: "last" }], total_count: 151 });
  });

  test("of a guild that isn't stored is 404, and the bot is not asked", async () => {
    const manual = await ManualBot.connect(server);
    expect((await syncMembers("4711")).status).toBe(404);
    expect((await syncMembers(id)).status).toBe(400);
    expect(await manual.client.heard()).toEqual([]);
    await manual.close();
  });

  test("keeps its guild's members through a sync of guilds, and loses them with the guild", async () => {
    await store(member("1"));
    await sync();
    expect(userIds(await find())).toEqual(["1"]);
    told.all.guilds = [guild({ guildId: OTHER_GUILD })];
    await sync();
    told.all.guilds = [guild(), guild({ guildId: OTHER_GUILD })];
    await sync();
    id = await idOf();
    expect((await find()).total_count).toBe(0);
  });

  describe("changes nothing", () => {
    let manual: ManualBot;
    let before: object;
    beforeAll(async () => {
      await store(member("1", { roles: ["7"] }), member("2"));
      before = await find();
      manual = await ManualBot.connect(server);
    });
    afterAll(() => manual.close());

    async function answered(...parts: object[]) {
      const answer = syncMembers();
      const asked = await manual.asked();
      expect(asked).toMatchObject({ guildId: GUILD, scope: 1 });
      for (const [at, part] of parts.entries())
        manual.answer(asked, { more: at < parts.length - 1, ...part });
      return (await answer).body;
    }
    const failed = (error: unknown) => ({ success: false, error, members_synced: 0 });

    test("when the bot fails, at once or after some parts", async () => {
      expect(await answered({ success: false, error: "Missing Intent" })).toEqual(failed("Missing Intent"));
      const some = { members: [member("3")] };
      expect(await answered(some, { success: false, error: "gone" })).toEqual(failed("gone"));
      expect(await find()).toEqual(before);
    });

    const malformed: [what: string, wrong: object][] = [
      ["of another guild", member("3", { guildId: OTHER_GUILD })],
      ["of no guild", member("3", { guildId: "" })],
      ["without an identifier", member("")],
      ["whose identifier is no number", member("me")],
      ["without a username", member("3", { username: "" })],
      ["with a username that is too long", member("3", { username: "x".repeat(201) })],
      ["with a nickname that is too long", member("3", { nickname: "x".repeat(201) })],
      ["with a discriminator that is no number", member("3", { discriminator: "#1" })],
      ["with an avatar that is too long", member("3", { avatar: "x".repeat(101) })],
      ["with a role that is none", member("3", { roles: ["7", ""] })],
      ["with more roles than there can be", member("3", { roles: Array(1_001).fill("7") })],
      ["who joined in the year 10000", member("3", { joinedAt: { seconds: 253_402_300_800 } })],
    ];
    test.each(malformed)("when one is a member %s", async (_, wrong) => {
      const body = await answered(
        { members: [member("4")] },
        { members: [wrong] },
        { members: [member("5")] },
      );
      expect(body).toEqual(failed(expect.stringMatching(/^The bot's answer is not valid: a member's /)));
      expect(await find()).toEqual(before);
    });

    test("when it comes with guilds", async () => {
      const body = await answered({ members: [member("4")] }, { guilds: [guild({ name: "new" })] });
      expect(body).toEqual(failed(expect.stringContaining("not asked for")));
      expect(await find()).toEqual(before);
      expect((await get(`/guilds/${GUILD}`)).body.name).toBe("Bodden Sailors");
    });
  });

  test("deletes what it replaced, from the tables and from the indexes", async () => {
    told.memberList = [];
    await syncMembers(OTHER_GUILD);
    await store(member("1", { roles: ["7"] }), member("2", { roles: ["7"] }));
    const count = (table: string) => rows<{ n: number }>(server, `SELECT count(*) AS n FROM ${table}`)[0]?.n;
    const counts = () => [count("community_members"), count("community_member_names")];
    while (counts()[0] !== 2) await Bun.sleep(20);
    expect(counts()).toEqual([2, 2]);
    const indexed = (table: string, query: string) =>
      rows<{ n: number }>(server, `SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`, query)[0]?.n;
    expect(indexed("community_member_roles", "7")).toBe(2);
    expect(indexed("community_member_trigrams", "use")).toBe(2);
  });
});
