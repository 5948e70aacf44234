import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { CommunityBot } from "../../realtime/community-bot";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { channel, connectBot, GUILD, guild, member, OTHER_GUILD, requests, role, Told } from "./support";

/** Guilds with their channels and roles (rule M2). */
let server: TestServer;
let told: Told;
let bot: CommunityBot;
let { get, remove, sync, syncMembers, idOf } = {} as ReturnType<typeof requests>;
beforeAll(async () => {
  server = await TestServer.start();
  ({ get, remove, sync, syncMembers, idOf } = requests(server));
  told = new Told();
  bot = await connectBot(server, told);
});
afterAll(async () => {
  await bot.close();
  await server.stop();
});
beforeEach(async () => {
  told.all = { guilds: [], channels: [], roles: [] };
  await sync();
  told.all.guilds = [guild()];
});

const done = (guilds: number, channels: number, roles: number) => ({
  success: true,
  error: null,
  ...{ guilds_synced: guilds, channels_synced: channels, roles_synced: roles },
});

/** All stored records of the community. */
const stored = () =>
  ["guilds", "channels", "roles"].map((what) => rows(server, `SELECT * FROM community_${what} ORDER BY id`));
const storedRoles = () =>
  rows<object>(
    server,
    "SELECT role_id, name, color, position, permissions, managed FROM community_roles ORDER BY role_id",
  );

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("a sync of all guilds", () => {
  test("takes long topics from the example, in parts that fit a frame", async () => {
    told.all.channels = Array.from({ length: 100 }, (_, at) =>
      channel(String(at + 1), { topic: "€".repeat(1_000) }),
    );
    expect((await sync()).body).toEqual(done(1, 100, 0));
  });

  test("stores what the bot tells of a guild, and computes the rest", async () => {
    told.all.guilds = [
      guild({
        ...{ icon: "a_1269e74af4df7417b13759eae50c83dc", memberCount: 412, boostCount: 3, premiumTier: 1 },
        botJoinedAt: { seconds: 1_700_000_000, nanos: 123_000_000 },
      }),
    ];
    const before = Date.now();
    expect((await sync()).body).toEqual(done(1, 0, 0));
    const { body } = await get(`/guilds/${GUILD}`);
    expect(body).toEqual({
      id: UUID,
      guild_id: GUILD,
      name: "Bodden Sailors",
      icon: "a_1269e74af4df7417b13759eae50c83dc",
      icon_url: `https://cdn.discordapp.com/icons/${GUILD}/a_1269e74af4df7417b13759eae50c83dc.gif`,
      owner_id: "53908099506183680",
      member_count: 412,
      boost_count: 3,
      premium_tier: 1,
      bot_joined_at: "2023-11-14T22:13:20.123Z",
      last_synced_at: TIME,
    });
    expect(Date.parse(body.last_synced_at)).toBeWithin(before, Date.now() + 1);
  });

  test("stores channels with the name of their type, and what can be done in them", async () => {
    /** Discord's types of channels. */
    const types: [raw: number, name: string, isTextBased: boolean, isVoice: boolean][] = [
      [0, "Text", true, false],
      [2, "Voice", true, true],
      [4, "Category", false, false],
      [5, "Announcement", true, false],
      [10, "Announcement Thread", true, false],
      [11, "Public Thread", true, false],
      [12, "Private Thread", true, false],
      [13, "Stage", true, true],
      [14, "Unknown", false, false],
      [15, "Forum", false, false],
      [16, "Media", false, false],
      [4711, "Unknown", false, false],
    ];
    told.all.channels = types.map(([channelType], at) =>
      channel(String(100 + at), { channelType, position: at }),
    );
    expect((await sync()).body).toEqual(done(1, types.length, 0));
    const { body } = await get(`/guilds/${GUILD}/channels`);
    expect(body).toEqual({
      data: types.map(([raw, name, is_text_based, is_voice], at) => ({
        id: UUID,
        channel_id: String(100 + at),
        guild_id: GUILD,
        name: `channel-${100 + at}`,
        channel_type: name,
        channel_type_raw: raw,
        parent_id: null,
        position: at,
        topic: null,
        nsfw: false,
        is_text_based,
        is_voice,
      })),
      _links: { self: `/v1/community/guilds/${GUILD}/channels` },
    });
  });

  test("stores every field of channels and roles", async () => {
    told.all.channels = [
      channel("1", { parentId: "9", topic: "Wind & Wetter 🌊", nsfw: true, position: -2 }),
    ];
    told.all.roles = [
      role("7", { name: "Skipper", color: 0xff8800, position: 3, permissions: "2147483648", managed: true }),
      role("8"),
    ];
    expect((await sync()).body).toEqual(done(1, 1, 2));
    const { body } = await get(`/guilds/${GUILD}/channels`);
    expect(body.data[0]).toMatchObject({
      ...{ channel_id: "1", parent_id: "9", topic: "Wind & Wetter 🌊", nsfw: true, position: -2 },
    });
    expect(storedRoles()).toEqual([
      { role_id: "7", name: "Skipper", color: 0xff8800, position: 3, permissions: "2147483648", managed: 1 },
      { role_id: "8", name: "role-8", color: 0, position: 0, permissions: "0", managed: 0 },
    ]);
  });

  test("takes empty texts and times of 0 for absent ones", async () => {
    told.all.guilds = [guild({ icon: "", botJoinedAt: { seconds: 0, nanos: 0 } })];
    told.all.channels = [channel("1", { parentId: "", topic: "" })];
    await sync();
    const { body } = await get(`/guilds/${GUILD}/full`);
    expect(body.guild).toMatchObject({ icon: null, icon_url: null, bot_joined_at: null });
    expect(body.channels).toMatchObject([{ parent_id: null, topic: null }]);
  });

  test("keeps the identifiers of guilds and channels that stay, and replaces everything else", async () => {
    told.all = {
      guilds: [guild(), guild({ guildId: OTHER_GUILD, name: "Rhine" })],
      channels: [channel("1"), channel("2"), channel("1", { guildId: OTHER_GUILD })],
      roles: [role("5"), role("6")],
    };
    expect((await sync()).body).toEqual(done(2, 3, 2));
    const before = (await get(`/guilds/${GUILD}/full`)).body;
    const other = (await get(`/guilds/${OTHER_GUILD}/full`)).body;

    told.all.guilds[0] = guild({ name: "Renamed", icon: "abc" });
    told.all.channels = [channel("3"), channel("2", { name: "new" }), channel("1", { guildId: OTHER_GUILD })];
    told.all.roles = [role("6", { name: "new" })];
    expect((await sync()).body).toEqual(done(2, 3, 1));
    const after = (await get(`/guilds/${GUILD}/full`)).body;
    expect(after.guild).toMatchObject({ id: before.guild.id, name: "Renamed", icon: "abc" });
    const ids = (channels: { channel_id: string; id: string }[]) =>
      Object.fromEntries(channels.map(({ channel_id, id }) => [channel_id, id]));
    expect(Object.keys(ids(after.channels)).sort()).toEqual(["2", "3"]);
    expect(ids(after.channels)["2"]).toBe(ids(before.channels)["2"]);
    expect(after.channels.find((one: { channel_id: string }) => one.channel_id === "2").name).toBe("new");
    expect((await get(`/guilds/${OTHER_GUILD}/full`)).body.channels).toEqual(other.channels);
    expect(storedRoles()).toMatchObject([{ role_id: "6", name: "new" }]);
  });

  test("removes the guilds that the bot no longer names, with all that they had", async () => {
    told.all.guilds.push(guild({ guildId: OTHER_GUILD }));
    told.all.channels = [channel("1"), channel("2", { guildId: OTHER_GUILD })];
    told.all.roles = [role("5"), role("6", { guildId: OTHER_GUILD })];
    told.memberList = [member("1"), member("2", { guildId: OTHER_GUILD })];
    await sync();
    const id = await idOf(OTHER_GUILD);
    await syncMembers(OTHER_GUILD);
    told.all = { guilds: [guild()], channels: [channel("1")], roles: [role("5")] };
    expect((await sync()).body).toEqual(done(1, 1, 1));
    for (const path of [`/guilds/${OTHER_GUILD}`, `/guilds/${OTHER_GUILD}/channels`, `/guilds/${id}/members`])
      expect((await get(path)).status).toBe(404);
    expect(stored().map((list) => list.length)).toEqual([1, 1, 1]);
  });

  test("that names none removes all", async () => {
    await sync();
    told.all.guilds = [];
    expect((await sync()).body).toEqual(done(0, 0, 0));
    expect((await get("/guilds")).body).toEqual({ data: [], _links: { self: "/v1/community/guilds" } });
  });

  test("takes the last word on what is named twice", async () => {
    told.all = {
      guilds: [guild({ name: "first" }), guild({ name: "last" })],
      channels: [channel("1", { name: "first" }), channel("1", { name: "last" })],
      roles: [role("1", { name: "first" }), role("1", { name: "last" })],
    };
    expect((await sync()).body).toEqual(done(1, 1, 1));
    const { body } = await get(`/guilds/${GUILD}/full`);
    expect([body.guild.name, body.channels[0].name]).toEqual(["last", "last"]);
    expect(storedRoles()).toMatchObject([{ name: "last" }]);
  });

  test("asks for all without a body, with an empty one and with guild_id null", async () => {
    for (const body of [undefined, {}, { guild_id: null }])
      expect((await sync(body)).body).toEqual(done(1, 0, 0));
  });
});

describe("a sync of one guild", () => {
  beforeEach(async () => {
    told.all = {
      guilds: [guild(), guild({ guildId: OTHER_GUILD })],
      channels: [channel("1"), channel("2", { guildId: OTHER_GUILD })],
      roles: [],
    };
    await sync();
  });

  test("changes this one alone", async () => {
    const other = (await get(`/guilds/${OTHER_GUILD}/full`)).body;
    told.all.guilds = [guild({ name: "new" })];
    expect((await sync({ guild_id: GUILD })).body).toEqual(done(1, 1, 0));
    expect((await get(`/guilds/${GUILD}`)).body.name).toBe("new");
    expect((await get(`/guilds/${OTHER_GUILD}/full`)).body).toEqual(other);
  });

  test("that the bot doesn't know changes nothing", async () => {
    const before = stored();
    told.all = { guilds: [], channels: [], roles: [] };
    expect((await sync({ guild_id: GUILD })).body).toEqual(done(0, 0, 0));
    expect((await sync({ guild_id: "4711" })).body).toEqual(done(0, 0, 0));
    expect(stored()).toEqual(before);
  });

  test("is refused for an identifier that is none, before the bot is asked", async () => {
    for (const guild_id of ["", "x", "-1", "1.5", " 1", "1".repeat(21), 5, [], {}])
      expect((await sync({ guild_id })).status).toBe(400);
  });
});

describe("guilds", () => {
  test("are listed newest first", async () => {
    told.all.guilds = [guild(), guild({ guildId: OTHER_GUILD }), guild({ guildId: "3" })];
    await sync();
    told.all.guilds.push(guild({ guildId: "4" }));
    await sync();
    const { body } = await get("/guilds");
    expect(body.data.map((one: { guild_id: string }) => one.guild_id)).toEqual([
      "4",
      "3",
      OTHER_GUILD,
      GUILD,
    ]);
    expect(body.data[3]).toEqual((await get(`/guilds/${GUILD}`)).body);
  });

  test("are read by the platform's identifier, with their channels by position", async () => {
    told.all.channels = [
      channel("1", { position: 3 }),
      channel("2", { position: 1 }),
      channel("3", { position: 2 }),
    ];
    await sync();
    const full = await get(`/guilds/${GUILD}/full`);
    expect(full.body).toEqual({
      guild: (await get(`/guilds/${GUILD}`)).body,
      channels: (await get(`/guilds/${GUILD}/channels`)).body.data,
    });
    expect(full.body.channels.map((one: { channel_id: string }) => one.channel_id)).toEqual(["2", "3", "1"]);
  });

  test("that aren't stored are 404, and identifiers of another form 400", async () => {
    await sync();
    const id = await idOf();
    for (const path of ["", "/channels", "/full", "/settings"]) {
      expect((await get(`/guilds/4711${path}`)).status).toBe(404);
      for (const wrong of [id, "x", "1".repeat(21), "%31%20"])
        expect([path, wrong, (await get(`/guilds/${wrong}${path}`)).status]).toEqual([path, wrong, 400]);
    }
  });

  test("are deleted by their identifier here, and come back with the next sync", async () => {
    told.all.channels = [channel("1")];
    told.all.roles = [role("1")];
    await sync();
    const id = await idOf();
    const { status, body } = await remove(`/guilds/${id.toUpperCase()}`);
    expect([status, body]).toEqual([204, null]);
    expect(stored()).toEqual([[], [], []]);
    expect((await get(`/guilds/${GUILD}`)).status).toBe(404);
    expect((await remove(`/guilds/${id}`)).status).toBe(404);
    await sync();
    expect(await idOf()).not.toBe(id);
  });

  test("are not deleted by the platform's identifier", async () => {
    await sync();
    expect((await remove(`/guilds/${GUILD}`)).status).toBe(400);
    expect((await get(`/guilds/${GUILD}`)).status).toBe(200);
  });

  test("have addresses that each operation explains", async () => {
    const { paths } = (await server.contract()).document;
    const explained = Object.entries(paths)
      .filter(([path]) => path.includes("{guild_id}"))
      .flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { description, parameters }]) => {
          const schema = parameters?.find(({ name }) => name === "guild_id")?.schema as { format?: string };
          const here = schema.format === "uuid";
          expect(description).toContain(here ? "the guild's `id`, a UUID" : "identifier on the platform");
          return [`${method.toUpperCase()} ${path.replace("/v1/community/guilds/{guild_id}", "")}`, here];
        }),
      );
    expect(Object.fromEntries(explained)).toEqual({
      ...{ "GET ": false, "GET /channels": false, "GET /full": false, "DELETE ": true },
      ...{ "GET /settings": false, "PUT /settings": false },
      ...{ "GET /members": true, "GET /members/{user_id}": true, "POST /members/sync": false },
    });
  });
});
