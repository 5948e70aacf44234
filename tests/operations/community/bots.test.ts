import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { frame, read, subscribeInBinary } from "../../support/protobuf";
import { RawClient } from "../../support/raw-socket";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { channel, errorEnvelope, GUILD, guild, ManualBot, member, OTHER_GUILD, requests } from "./support";

/** The newest connection is the bot, and takes the syncs (rules M1 and M2). */
let server: TestServer;
let bot: ManualBot;
let { get, remove, sync, syncMembers, idOf } = {} as ReturnType<typeof requests>;
beforeAll(async () => {
  server = await TestServer.start();
  ({ get, remove, sync, syncMembers, idOf } = requests(server));
});
afterAll(() => server.stop());
beforeEach(async () => {
  bot = await ManualBot.connect(server);
  const answer = sync();
  bot.answer(await bot.asked(), { guilds: [guild(), guild({ guildId: OTHER_GUILD })] });
  expect((await answer).body.guilds_synced).toBe(2);
});
afterEach(() => bot.close());

const notConnected = { error: "BotNotConnected", message: expect.any(String) };
const done = { success: true, error: null, guilds_synced: 1, channels_synced: 0, roles_synced: 0 };
const answered = (...parts: [name: string]) => ({ guilds: parts.map((name) => guild({ name })) });
const nameOfGuild = async () => (await get(`/guilds/${GUILD}`)).body.name;
const membersOf = async () => (await get(`/guilds/${await idOf()}/members`)).body;

describe("without a bot, a sync is 503 BotNotConnected", () => {
  test("for guilds and for members, with Retry-After", async () => {
    await bot.close();
    for (const { status, headers, body } of [
      await sync(),
      await sync({ guild_id: GUILD }),
      await syncMembers(),
    ]) {
      expect([status, body]).toEqual([503, notConnected]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("though a key with community:sync listens to other channels, or anybody else is there", async () => {
    await bot.close();
    const listener = await Client.open(server, { bearer: await server.key("community:sync") });
    await listener.subscribe("public");
    const session = await Client.open(server, { token: await server.admin() });
    expect((await session.ask({ type: "subscribe", channel: "community" })).type).toBe("error");
    expect((await sync()).body).toEqual(notConnected);
    expect(await listener.heard()).toEqual([]);
    await Promise.all([listener.close(), session.close()]);
  });
});

test("a connection that ended serves no more, though it subscribed again among frames that waited", async () => {
  const answer = sync({ guild_id: GUILD });
  const asked = await bot.asked();
  for (let part = 0; part < 200; part++) bot.answer(asked, { channels: [channel("1")], more: true });
  bot.client.send(frame("unsubscribe", { channel: "community" }));
  bot.client.send(frame("subscribe", { channel: "community" }));
  await bot.close();
  expect((await answer).body).toEqual(notConnected);
  expect((await sync()).body).toEqual(notConnected);
});

describe("the bot is asked", () => {
  test("with an identifier of the request, the guild where one is meant, and what for", async () => {
    const asked = async (answer: Promise<unknown>) => {
      const one = await bot.asked();
      bot.answer(one, {});
      await answer;
      return { scope: one.scope ?? 0, guildId: one.guildId, isUnique: one.requestId.length === 36 };
    };
    expect(await asked(sync())).toEqual({ scope: 0, guildId: undefined, isUnique: true });
    const second = sync();
    bot.answer(await bot.asked(), { guilds: [guild()] });
    await second;
    expect(await asked(sync({ guild_id: GUILD }))).toEqual({ scope: 0, guildId: GUILD, isUnique: true });
    expect(await asked(syncMembers())).toEqual({ scope: 1, guildId: GUILD, isUnique: true });
  });

  test("in binary also where it subscribed in JSON", async () => {
    const inJson = await Client.open(server, { bearer: await server.key("community:sync") });
    await inJson.subscribe("community");
    const answer = sync({ guild_id: GUILD });
    const { communitySyncRequest } = read(await inJson.next());
    const { requestId } = communitySyncRequest as { requestId: string };
    inJson.send(frame("communitySyncResponse", { requestId, success: true, ...answered("in JSON") }));
    expect((await answer).body).toEqual(done);
    await inJson.close();
  });

  test("once for one sync that three ask for, and all get its answer", async () => {
    const answers = [sync({ guild_id: GUILD }), sync({ guild_id: GUILD }), sync({ guild_id: GUILD })];
    const asked = await bot.asked();
    // The answer to a later request proves that the other syncs have come in.
    await get("/guilds");
    bot.answer(asked, { more: true });
    answers.push(sync({ guild_id: GUILD }));
    await get("/guilds");
    bot.answer(asked, answered("shared"));
    for (const { status, body } of await Promise.all(answers)) expect([status, body]).toEqual([200, done]);
    expect(await bot.client.heard()).toEqual([]);
  });

  test("for one of two syncs of guilds after the other", async () => {
    const first = sync({ guild_id: GUILD });
    const askedFirst = await bot.asked();
    const second = sync({ guild_id: OTHER_GUILD });
    await get("/guilds");
    expect(await bot.client.heard()).toEqual([]);
    bot.answer(askedFirst, answered("first"));
    const askedSecond = await bot.asked();
    expect([askedFirst.guildId, askedSecond.guildId]).toEqual([GUILD, OTHER_GUILD]);
    expect((await first).body).toEqual(done);
    bot.answer(askedSecond, { guilds: [guild({ guildId: OTHER_GUILD })] });
    expect((await second).body).toEqual(done);
  });

  test("for guilds and for members at the same time", async () => {
    const members = syncMembers();
    const askedMembers = await bot.asked();
    const guilds = sync({ guild_id: GUILD });
    bot.answer(await bot.asked(), answered("meanwhile"));
    expect((await guilds).body).toEqual(done);
    bot.answer(askedMembers, { members: [member("1")] });
    expect((await members).body.members_synced).toBe(1);
  });

  test("anew after a sync that failed", async () => {
    const first = sync();
    bot.answer(await bot.asked(), { success: false });
    expect((await first).body.success).toBe(false);
    const second = sync({ guild_id: GUILD });
    bot.answer(await bot.asked(), answered("again"));
    expect((await second).body).toEqual(done);
  });
});

describe("a bot that goes while a sync runs", () => {
  const ways: [how: string, go: () => Promise<unknown>][] = [
    ["closes its connection", () => bot.close()],
    ["unsubscribes", () => bot.client.ask(frame("unsubscribe", { channel: "community" }))],
    ["unsubscribes in JSON", () => bot.client.ask({ type: "unsubscribe", channel: "community" })],
    [
      "sends too many messages",
      async () => {
        for (let sent = 0; sent < 100; sent++) bot.client.send(frame("ping"));
        expect((await bot.client.closed).code).toBe(1008);
      },
    ],
  ];
  test.each(ways)("and %s ends it with 503 for all who wait, and stores nothing", async (_, go) => {
    const before = await membersOf();
    const answers = [syncMembers(), syncMembers(), sync({ guild_id: GUILD })];
    for (const asked of [await bot.asked(), await bot.asked()])
      bot.answer(
        asked,
        asked.scope === 1 ? { members: [member("1")], more: true } : { ...answered("half"), more: true },
      );
    await go();
    for (const { status, body } of await Promise.all(answers))
      expect([status, body]).toEqual([503, notConnected]);
    expect(await nameOfGuild()).toBe("Bodden Sailors");
    expect(await membersOf()).toEqual(before);
  });

  test("because its key is deleted, or loses community:sync, ends it likewise", async () => {
    const token = await server.admin();
    for (const scopes of [null, ["audit:write"]]) {
      const { id, key } = await server.createKey("community:sync");
      const revoked = await ManualBot.connect(server, key);
      const answer = sync();
      await revoked.asked();
      if (scopes) await server.patch(`/v1/api-keys/${id}`, { token, body: { scopes } });
      else await server.delete(`/v1/api-keys/${id}`, { token });
      expect((await answer).body).toEqual(notConnected);
      if (scopes) await revoked.close();
    }
  });

  test("without a word (the connection is cut) ends it likewise", async () => {
    const raw = await RawClient.open(server, { bearer: await server.key("community:sync") });
    raw.sendJson({ type: "subscribe", channel: "community" });
    await raw.until(() => raw.messages.length > 0);
    const answer = sync();
    await raw.until(() => raw.frames.length > 1);
    raw.cut();
    expect((await answer).body).toEqual(notConnected);
  });

  test("leaves the syncs that wait to the one that came before it", async () => {
    const second = await ManualBot.connect(server);
    const running = sync({ guild_id: OTHER_GUILD });
    await second.asked();
    const waiting = sync({ guild_id: GUILD });
    await get("/guilds");
    await second.close();
    expect((await running).body).toEqual(notConnected);
    bot.answer(await bot.asked(), answered("of the first bot"));
    expect((await waiting).body).toEqual(done);
  });

  test("ends the waiting ones as well where it was the only one", async () => {
    const answers = [sync(), sync({ guild_id: GUILD }), sync({ guild_id: OTHER_GUILD })];
    await bot.asked();
    await get("/guilds");
    await bot.close();
    for (const { body } of await Promise.all(answers)) expect(body).toEqual(notConnected);
  });

  test("after the last part of its answer changes nothing any more", async () => {
    const answer = syncMembers();
    bot.answer(await bot.asked(), { members: [member("1")] });
    await bot.close();
    expect((await answer).body).toEqual({ success: true, error: null, members_synced: 1 });
  });
});

describe("of several bots", () => {
  test("the newest serves, the next newest once it has gone, and one that comes meanwhile takes over later", async () => {
    const serve = async (by: ManualBot) => {
      const answer = sync({ guild_id: GUILD });
      by.answer(await by.asked(), answered("x"));
      expect((await answer).body).toEqual(done);
    };
    const second = await ManualBot.connect(server);
    await serve(second);
    const running = sync({ guild_id: GUILD });
    const asked = await second.asked();
    const third = await ManualBot.connect(server);
    second.answer(asked, answered("by the one that was asked"));
    expect((await running).body).toEqual(done);
    expect(await nameOfGuild()).toBe("by the one that was asked");
    await serve(third);
    await third.close();
    await serve(second);
    // The newest is the one that subscribed last, not the one that connected last.
    await bot.client.ask(frame("unsubscribe", { channel: "community" }));
    await subscribeInBinary(bot.client, "community");
    await serve(bot);
    await second.close();
    await serve(bot);
  });

  test("subscribing again, in the other format too, neither ends a sync nor makes a bot newer", async () => {
    const second = await ManualBot.connect(server);
    const answer = sync({ guild_id: GUILD });
    const asked = await second.asked();
    await second.client.subscribe("community");
    await subscribeInBinary(second.client, "community");
    await bot.client.subscribe("community");
    second.answer(asked, answered("still"));
    expect((await answer).body).toEqual(done);
    const next = sync({ guild_id: GUILD });
    second.answer(await second.asked(), answered("still"));
    expect((await next).body).toEqual(done);
    await second.close();
  });
});

describe("an answer that nobody waits for is an error, and stores nothing,", () => {
  const unknown = errorEnvelope("No sync with this request_id waits for an answer of this connection");
  const forbidden = errorEnvelope("This needs an API key with the permission community:sync");

  test("with an identifier that was never given, or none", async () => {
    const before = await membersOf();
    for (const requestId of ["", "x", "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01"])
      expect(await bot.wrongAnswer(requestId, { ...answered("new"), members: [member("1")] })).toEqual(
        unknown,
      );
    expect([await nameOfGuild(), await membersOf()]).toEqual(["Bodden Sailors", before]);
  });

  test("with the identifier of a sync that has ended", async () => {
    for (const success of [true, false]) {
      const answer = sync({ guild_id: GUILD });
      const asked = await bot.asked();
      bot.answer(asked, { success, ...answered("once") });
      await answer;
      expect(await bot.wrongAnswer(asked.requestId, answered("twice"))).toEqual(unknown);
    }
    expect(await nameOfGuild()).toBe("once");
  });

  test("from a bot that wasn't asked, and the sync goes on", async () => {
    const second = await ManualBot.connect(server);
    const answer = sync({ guild_id: GUILD });
    const asked = await second.asked();
    expect(await bot.wrongAnswer(asked.requestId, answered("wrong"))).toEqual(unknown);
    second.answer(asked, answered("right"));
    expect((await answer).body).toEqual(done);
    expect(await nameOfGuild()).toBe("right");
    await second.close();
  });

  test("from whoever may not be a bot: sessions, and keys without community:sync", async () => {
    const answer = sync({ guild_id: GUILD });
    const asked = await bot.asked();
    for (const credentials of [
      { token: await server.admin() },
      {
        bearer: await server.key(
          "community:read",
          "community:edit",
          "community:delete",
          "community:guild.sync",
        ),
      },
    ]) {
      const client = await Client.open(server, credentials);
      const part = { requestId: asked.requestId, success: true, ...answered("wrong") };
      expect(read(await client.ask(frame("communitySyncResponse", part)))).toEqual(forbidden);
      await client.close();
    }
    bot.answer(asked, answered("right"));
    expect((await answer).body).toEqual(done);
    expect(await nameOfGuild()).toBe("right");
  });
});

describe("a guild that is deleted while its members are synced", () => {
  test("ends the sync with 404, and leaves nothing", async () => {
    const answer = syncMembers();
    const asked = await bot.asked();
    bot.answer(asked, { members: [member("1")], more: true });
    const id = await idOf();
    await remove(`/guilds/${id}`);
    bot.answer(asked, { members: [member("2")] });
    expect((await answer).status).toBe(404);
    const count = () => rows<{ n: number }>(server, "SELECT count(*) AS n FROM community_members")[0]?.n;
    while (count() !== 0) await Bun.sleep(20);
  });

  test("and comes back meanwhile has them in the end", async () => {
    const answer = syncMembers();
    const asked = await bot.asked();
    bot.answer(asked, { members: [member("1")], more: true });
    await remove(`/guilds/${await idOf()}`);
    const back = sync({ guild_id: GUILD });
    bot.answer(await bot.asked(), answered("back"));
    await back;
    bot.answer(asked, { members: [member("2")] });
    expect((await answer).body.members_synced).toBe(2);
    expect((await membersOf()).total_count).toBe(2);
  });
});

describe("many parts", () => {
  const PARTS = 300;
  const burst = (asked: { requestId: string }) => {
    for (let part = 0; part < PARTS; part++) {
      const members = Array.from({ length: 10 }, (_, at) => member(String(1 + part * 10 + at)));
      bot.answer(asked, { members, more: part < PARTS - 1 });
    }
  };

  test("of an answer are no flood", async () => {
    const answer = syncMembers();
    burst(await bot.asked());
    expect((await answer).body.members_synced).toBe(PARTS * 10);
    expect((await membersOf()).total_count).toBe(PARTS * 10);
    expect(await bot.client.heard()).toEqual([]);
  });

  test("that bring nothing are a flood", async () => {
    const answer = sync();
    const asked = await bot.asked();
    for (let part = 0; part < 100; part++) bot.answer(asked, { more: true });
    expect((await bot.client.closed).code).toBe(1008);
    expect((await answer).body).toEqual(notConnected);
  });

  test("of an answer that can't be stored aren't either", async () => {
    const answer = syncMembers();
    const asked = await bot.asked();
    bot.answer(asked, { members: [member("")], more: true });
    burst(asked);
    expect((await answer).body.success).toBe(false);
    expect(await bot.client.heard()).toEqual([]);
  });

  test("that nobody waits for are", async () => {
    for (let part = 0; part < PARTS; part++)
      bot.answer({ requestId: "x" }, { members: [member("1")], more: true });
    expect((await bot.client.closed).code).toBe(1008);
  });

  test("never show half of an answer: whoever reads sees the former members or the new ones", async () => {
    const id = await idOf();
    const first = syncMembers();
    bot.answer(await bot.asked(), { members: [member("1", { nickname: "former" })] });
    await first;
    const answer = syncMembers();
    burst(await bot.asked());
    let isOver = false;
    answer.finally(() => {
      isOver = true;
    });
    const totals = new Set<number>();
    while (!isOver) totals.add((await get(`/guilds/${id}/members?limit=1`)).body.total_count);
    expect([...totals].every((total) => total === 1 || total === PARTS * 10)).toBe(true);
    expect((await answer).body.members_synced).toBe(PARTS * 10);
  });
});

test("syncs that wait are limited", async () => {
  const running = sync();
  const asked = await bot.asked();
  const waiting = Array.from({ length: 11 }, (_, at) => sync({ guild_id: String(1_000 + at) }));
  const refused = await Promise.race(waiting);
  expect([refused.status, refused.body.error]).toEqual([503, "ServiceUnavailable"]);
  bot.answer(asked, { success: false });
  await running;
  await bot.close();
  const statuses = (await Promise.all(waiting)).map(({ body }) => body.error);
  expect(statuses.filter((error) => error === "BotNotConnected")).toHaveLength(10);
});
