import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CommunityBot, type Settings } from "../../realtime/community-bot";
import { eventually } from "../../support/expectations";
import { frame, milliseconds, read } from "../../support/protobuf";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { connectBot, errorEnvelope, GUILD, guild, ManualBot, OTHER_GUILD, requests, Told } from "./support";

/**
 * Settings of the bot, which it is sent (rule M3), and the syncs that they have the server start by itself.
 */
let server: TestServer;
let told: Told;
let { get, put, remove, sync, idOf } = {} as ReturnType<typeof requests>;
beforeAll(async () => {
  server = await TestServer.start();
  ({ get, put, remove, sync, idOf } = requests(server));
  told = new Told();
  told.all.guilds = [guild(), guild({ guildId: OTHER_GUILD })];
});
afterAll(() => server.stop());

const DEFAULTS = {
  id: "global",
  auto_sync_enabled: true,
  sync_interval_seconds: 3_600,
  initial_delay_seconds: 30,
  default_language: "en",
  notify_on_guild_join: true,
  notify_on_guild_leave: true,
  command_cooldown_seconds: 3,
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
};
const CHANGED = {
  auto_sync_enabled: false,
  sync_interval_seconds: 60,
  initial_delay_seconds: 0,
  default_language: "pt-BR",
  notify_on_guild_join: false,
  notify_on_guild_leave: false,
  command_cooldown_seconds: 0,
};
const settings = async () => (await get("/settings")).body;
const audited = () =>
  rows<{ resource_type: string; resource_id: string; metadata: string }>(
    server,
    "SELECT resource_type, resource_id, metadata FROM audit_events WHERE event_type = 'setting_updated' ORDER BY rowid",
  );

describe("the settings for all guilds", () => {
  test("are the defaults until somebody changes them", async () => {
    expect(await settings()).toEqual(DEFAULTS);
  });

  test.each(Object.entries(CHANGED))("change by %s alone", async (field, value) => {
    const before = await settings();
    const { status, body } = await put("/settings", { [field]: value });
    expect([status, body]).toEqual([200, { success: true }]);
    const after = await settings();
    expect(after).toEqual({ ...before, [field]: value, updated_at: expect.any(String) });
    expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    expect(audited().at(-1)).toMatchObject({ resource_type: "community_settings", resource_id: "global" });
    expect(JSON.parse(audited().at(-1)?.metadata ?? "")).toEqual({ change: { [field]: value } });
  });

  test("change all at once, and outlast a restart", async () => {
    const { id: _, updated_at: __, ...defaults } = DEFAULTS;
    await put("/settings", defaults);
    expect(await settings()).toEqual(DEFAULTS);
    await put("/settings", CHANGED);
    const before = await settings();
    expect(before).toMatchObject(CHANGED);
    await server.stop();
    server = await TestServer.start({ dataDir: server.dataDir });
    ({ get, put, remove, sync, idOf } = requests(server));
    expect(await settings()).toEqual(before);
  });

  test("keep every change of several that come at once", async () => {
    const fields = Object.entries({ ...CHANGED, sync_interval_seconds: 77, default_language: "de" });
    await Promise.all(fields.map(([field, value]) => put("/settings", { [field]: value })));
    expect(await settings()).toMatchObject({ ...CHANGED, sync_interval_seconds: 77, default_language: "de" });
  });

  test.each([
    ...[{}, { unknown: 1 }, { id: "x" }, { updated_at: "2026-01-01T00:00:00Z" }],
    ...[{ auto_sync_enabled: "true" }, { auto_sync_enabled: null }, { notify_on_guild_join: 1 }],
    ...[{ sync_interval_seconds: 0 }, { sync_interval_seconds: 1.5 }, { sync_interval_seconds: 2 ** 31 }],
    ...[{ initial_delay_seconds: -1 }, { initial_delay_seconds: 2 ** 31 }, { initial_delay_seconds: "30" }],
    ...[{ command_cooldown_seconds: -1 }, { command_cooldown_seconds: 2 ** 31 }],
    ...[
      { default_language: "" },
      { default_language: null },
      { default_language: "e" },
      { default_language: "en_US" },
    ],
    ...[{ default_language: "en-" }, { default_language: `en${"-abcdefgh".repeat(4)}` }],
    { notify_on_guild_leave: false, command_cooldown_seconds: -1 },
  ] as object[])("are not changed by %j", async (body) => {
    const [before, events] = [await settings(), audited()];
    expect((await put("/settings", body)).status).toBe(400);
    expect(await settings()).toEqual(before);
    expect(audited()).toEqual(events);
  });
});

describe("the settings of a guild", () => {
  let bot: CommunityBot;
  beforeAll(async () => {
    bot = await connectBot(server, told);
    await sync();
  });
  afterAll(() => bot.close());

  const own = async (guildId = GUILD) => (await get(`/guilds/${guildId}/settings`)).body;

  test("are none until it gets a language of its own, and none again after null", async () => {
    expect(await own()).toEqual({ guild_id: GUILD, default_language: null });
    expect((await put(`/guilds/${GUILD}/settings`, { default_language: "de" })).body).toEqual({
      success: true,
    });
    expect(await own()).toEqual({ guild_id: GUILD, default_language: "de" });
    expect(await own(OTHER_GUILD)).toEqual({ guild_id: OTHER_GUILD, default_language: null });
    const { resource_type, resource_id, metadata } = audited().at(-1) ?? {};
    expect([resource_type, resource_id]).toEqual(["community_settings", GUILD]);
    expect(JSON.parse(metadata ?? "")).toEqual({ change: { default_language: "de" } });
    await put(`/guilds/${GUILD}/settings`, { default_language: null });
    expect(await own()).toEqual({ guild_id: GUILD, default_language: null });
  });

  test("outlast syncs, and go with the guild", async () => {
    await put(`/guilds/${GUILD}/settings`, { default_language: "de" });
    await sync();
    await sync({ guild_id: GUILD });
    expect((await own()).default_language).toBe("de");
    await remove(`/guilds/${await idOf()}`);
    expect((await get(`/guilds/${GUILD}/settings`)).status).toBe(404);
    await sync();
    expect((await own()).default_language).toBeNull();
  });

  test.each([
    {},
    { default_language: "" },
    { default_language: 5 },
    { default_language: "x".repeat(36) },
  ] as object[])("are not changed by %j", async (body) => {
    const [before, events] = [await own(), audited()];
    expect((await put(`/guilds/${GUILD}/settings`, body)).status).toBe(400);
    expect([await own(), audited()]).toEqual([before, events]);
  });

  test("of a guild that isn't stored are 404", async () => {
    const events = audited();
    expect((await put("/guilds/4711/settings", { default_language: "de" })).status).toBe(404);
    expect(audited()).toEqual(events);
  });
});

describe("the bot", () => {
  let bot: ManualBot;
  beforeEach(async () => {
    bot = await ManualBot.connect(server);
  });
  afterEach(() => bot.close());

  /** The answer of the API about the present settings. */
  async function current(): Promise<Record<string, unknown>> {
    const { auto_sync_enabled, sync_interval_seconds, initial_delay_seconds, ...rest } = await settings();
    return {
      autoSyncEnabled: auto_sync_enabled,
      syncIntervalSeconds: sync_interval_seconds,
      initialDelaySeconds: initial_delay_seconds,
      defaultLanguage: rest.default_language,
      notifyOnGuildJoin: rest.notify_on_guild_join,
      notifyOnGuildLeave: rest.notify_on_guild_leave,
      commandCooldownSeconds: rest.command_cooldown_seconds,
    };
  }

  async function heard(client = bot.client): Promise<Record<string, unknown>> {
    const { type, communitySettings } = read(await client.next());
    expect(type).toBe(121);
    const { updatedAt, ...told } = communitySettings as { updatedAt: { seconds: number; nanos: number } };
    const age = Date.now() - milliseconds(updatedAt);
    expect(age).toBeWithin(-1_000, 3_600_000);
    // proto3 writes neither false nor 0.
    const off = { autoSyncEnabled: false, notifyOnGuildJoin: false, notifyOnGuildLeave: false };
    return { ...off, initialDelaySeconds: 0, commandCooldownSeconds: 0, ...told };
  }

  test("hears nothing merely because it came", async () => {
    expect(await bot.client.heard()).toEqual([]);
  });

  test("gets the settings for all when it asks", async () => {
    for (const asked of [{}, { guildId: "" }]) {
      bot.client.send(frame("communitySettingsRequest", asked));
      expect(await heard()).toEqual(await current());
    }
  });

  test("gets those of a guild, without a language where it has none of its own", async () => {
    const { defaultLanguage: _, ...all } = await current();
    bot.client.send(frame("communitySettingsRequest", { guildId: OTHER_GUILD }));
    expect(await heard()).toEqual({ ...all, guildId: OTHER_GUILD });
    await put(`/guilds/${OTHER_GUILD}/settings`, { default_language: "nl" });
    await heard();
    bot.client.send(frame("communitySettingsRequest", { guildId: OTHER_GUILD }));
    expect(await heard()).toEqual({ ...all, guildId: OTHER_GUILD, defaultLanguage: "nl" });
  });

  test("gets an error when it asks for a guild that isn't stored", async () => {
    for (const guildId of ["4711", "x", "'", "1".repeat(1_000)])
      expect(read(await bot.client.ask(frame("communitySettingsRequest", { guildId })))).toEqual(
        errorEnvelope("Guild not found"),
      );
  });

  test("hears each change once, and so does every other bot, in binary whatever its format", async () => {
    const inJson = await Client.open(server, { bearer: await server.key("community:sync") });
    await inJson.subscribe("community");
    const stranger = await Client.open(server, { bearer: await server.key("community:sync") });
    await stranger.subscribe("public");
    await put("/settings", { command_cooldown_seconds: 9 });
    const expected = await current();
    expect(expected.commandCooldownSeconds).toBe(9);
    expect(await heard()).toEqual(expected);
    expect(await heard(inJson)).toEqual(expected);
    for (const { client } of [bot, { client: inJson }, { client: stranger }])
      expect(await client.heard()).toEqual([]);
    await Promise.all([inJson.close(), stranger.close()]);
  });

  test("hears the language of a guild change, and go", async () => {
    const { defaultLanguage: _, ...all } = await current();
    await put(`/guilds/${GUILD}/settings`, { default_language: "sv" });
    expect(await heard()).toEqual({ ...all, guildId: GUILD, defaultLanguage: "sv" });
    await put(`/guilds/${GUILD}/settings`, { default_language: null });
    expect(await heard()).toEqual({ ...all, guildId: GUILD });
  });

  test("hears nothing of a change that was refused", async () => {
    await put("/settings", { command_cooldown_seconds: -1 });
    await put("/guilds/4711/settings", { default_language: "de" });
    expect(await bot.client.heard()).toEqual([]);
  });

  test("needs a key with community:sync to ask", async () => {
    for (const credentials of [
      { token: await server.admin() },
      { bearer: await server.key("community:read") },
    ]) {
      const client = await Client.open(server, credentials);
      expect(read(await client.ask(frame("communitySettingsRequest")))).toEqual(
        errorEnvelope("This needs an API key with the permission community:sync"),
      );
      await client.close();
    }
  });

  test("of the example hears and asks for settings", async () => {
    const example = await connectBot(server, told);
    const pushed = new Promise<Settings>((resolve) => example.on("communitySettings", resolve));
    await put("/settings", { command_cooldown_seconds: 11 });
    expect((await pushed).commandCooldownSeconds).toBe(11);
    expect(await example.settings(GUILD)).toMatchObject({ guildId: GUILD, commandCooldownSeconds: 11 });
    // A request for settings takes nothing from other listeners.
    const again = new Promise<Settings>((resolve) => example.on("communitySettings", resolve));
    await put("/settings", { command_cooldown_seconds: 12 });
    expect((await again).commandCooldownSeconds).toBe(12);
    expect(example.settings("999")).rejects.toThrow("Guild not found");
    await example.close();
  });

  test("of the example fails with a wrong key", async () => {
    const url = `${server.url.replace("http", "ws")}/v1/ws`;
    expect(CommunityBot.connect(url, `flk_${"x".repeat(43)}`, told)).rejects.toThrow("refused");
  });
});

describe("with auto_sync_enabled", () => {
  const enable = (change: object) => put("/settings", { auto_sync_enabled: true, ...change });
  beforeEach(async () => {
    await put("/settings", {
      auto_sync_enabled: false,
      sync_interval_seconds: 3_600,
      initial_delay_seconds: 0,
    });
  });

  test("the server asks for all guilds once the delay has passed, and then again and again", async () => {
    await enable({ initial_delay_seconds: 1, sync_interval_seconds: 1 });
    const start = performance.now();
    const bot = await ManualBot.connect(server);
    for (let syncs = 0; syncs < 2; syncs++) {
      const asked = await bot.asked();
      expect([asked.scope ?? 0, asked.guildId]).toEqual([0, undefined]);
      bot.answer(asked, { guilds: [guild({ name: `sync ${syncs}` })] });
      while ((await get(`/guilds/${GUILD}`)).body.name !== `sync ${syncs}`) await Bun.sleep(20);
    }
    expect(performance.now() - start).toBeGreaterThanOrEqual(2_000);
    await bot.close();
  });

  test("a failure is told in one line of the log, and the next sync comes", async () => {
    await enable({ sync_interval_seconds: 1 });
    const failures = () => server.output.match(/.*scheduled sync.*/g) ?? [];
    const before = failures().length;
    const bot = await ManualBot.connect(server);
    bot.answer(await bot.asked(), { success: false, error: "Missing Access" });
    bot.answer(await bot.asked(), { guilds: [guild({ name: "after a failure" })] });
    while ((await get(`/guilds/${GUILD}`)).body.name !== "after a failure") await Bun.sleep(20);
    await eventually(() => failures().length > before);
    expect(failures().slice(before)).toEqual([expect.stringContaining("Missing Access")]);
    expect(failures().at(-1)).toContain('"level":"warn"');
    await bot.close();
  });
});
