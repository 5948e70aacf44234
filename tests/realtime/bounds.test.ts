import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectBot, guild, ManualBot, member, requests, Told } from "../operations/community/support";
import { createKey } from "../support/credentials";
import { newUser } from "../support/people";
import { frame, read } from "../support/protobuf";
import { RawClient } from "../support/raw-socket";
import { newRole } from "../support/roles";
import { TestServer } from "../support/server";
import { Client, type Credentials } from "../support/socket";
import { connections } from "./support";

/**
 * Bounds on one user's messages and subscriptions, whatever the number of sockets, and on reading messages of
 * users who may not send them.
 */

describe("a message that its sender may not send", () => {
  /** A field that ends before its length. */
  const BROKEN = [0x0a, 9, 0x61];
  const envelope = (number: number, bytes: number[]) => {
    const tag = (number << 3) | 2;
    return new Uint8Array([(tag & 127) | 128, tag >> 7, bytes.length, ...bytes]);
  };
  const error = (message: unknown) => ({ type: 20, error: { message } });
  const NOT_A_BOT = error("This needs an API key with the permission community:sync");
  const NO_ENVELOPE = error("The frame is no WsEnvelope");

  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  async function answers(credentials: Credentials, ...frames: Uint8Array[]): Promise<unknown[]> {
    const client = await Client.open(server, credentials);
    const all: unknown[] = [];
    for (const one of frames) all.push(read(await client.ask(one)));
    await client.close();
    return all;
  }

  test("is answered without being read: what it holds may be broken", async () => {
    const { token } = await newUser(server);
    const refusals = await answers(
      { token },
      envelope(100, BROKEN),
      envelope(111, BROKEN),
      envelope(120, BROKEN),
      envelope(110, BROKEN),
      envelope(121, BROKEN),
      envelope(141, BROKEN),
    );
    expect(refusals).toEqual([
      {
        type: 101,
        createAuditEventResponse: {
          error: "This needs an API key or an access token with the permission audit:write",
        },
      },
      NOT_A_BOT,
      NOT_A_BOT,
      error("communitySyncRequest is for the server to send"),
      error("communitySettings is for the server to send"),
      error("moderationEventResponse is for the server to send"),
    ]);
    // A user with the permission is told that it is broken.
    const bearer = await server.key("audit:write", "community:sync");
    expect(
      await answers({ bearer }, envelope(100, BROKEN), envelope(120, BROKEN), envelope(140, BROKEN)),
    ).toEqual([NO_ENVELOPE, NO_ENVELOPE, NO_ENVELOPE]);
  });

  test("has the identifier of its request repeated, the last one of several", async () => {
    const { token } = await newUser(server);
    const refused = (requestId?: string) => ({
      type: 141,
      moderationEventResponse: {
        ...(requestId !== undefined && { requestId }),
        error: "This needs an API key or an access token with the permission community:sync",
      },
    });
    const withId = frame("moderationEvent", { requestId: "4711", reason: "x".repeat(10_000) });
    const twice = envelope(140, [0x0a, 1, 0x61, 0x12, 1, 0x62, 0x0a, 1, 0x63]);
    const [first, second, third, fourth] = await answers(
      { token },
      withId,
      twice,
      frame("moderationEvent"),
      envelope(140, [0x0a, 2, 0xff, 0xfe]),
    );
    expect([first, second]).toMatchObject([refused("4711"), refused("c")]);
    expect(third).toMatchObject(refused());
    expect(fourth).toEqual(NO_ENVELOPE);
  });

  test("of a bot that is asked nothing is refused by its head", async () => {
    const bearer = await server.key("community:sync");
    const bot = await ManualBot.connect(server, bearer);
    expect(await bot.wrongAnswer("4711", { members: Array(5_000).fill({}) })).toEqual(
      error("No sync with this request_id waits for an answer of this connection"),
    );
    await bot.close();
  });

  test("doesn't hide behind another payload: the last one counts, and no other is read", async () => {
    const { token } = await newUser(server);
    const ping = frame("ping");
    const [pong] = await answers({ token }, new Uint8Array([...envelope(111, BROKEN), ...ping]));
    expect(pong).toEqual({ type: 2, pong: {} });
  });

  test("may have a hundred fields, and no more", async () => {
    const { token } = await newUser(server);
    const channels = (count: number) => envelope(20, Array(count).fill([0x0a, 0]).flat().slice(0, 127));
    const short = channels(50);
    const long = new Uint8Array([0xa2, 1, 0xca, 1, ...Array(101).fill([0x0a, 0]).flat()]);
    expect(await answers({ token }, short, long)).toEqual([
      error(expect.stringContaining("Access denied to channel:  (there is no such channel")),
      error("The payload holds too many fields"),
    ]);
  });
});

describe("bytes", () => {
  const PER_SECOND = 50_000;
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      settings: { "websocket.max_bytes_per_second": String(PER_SECOND) },
    });
  });
  afterAll(() => server.stop());

  const text = (bytes: number) => JSON.stringify({ type: "x".repeat(bytes) });
  const binary = (bytes: number) => frame("subscribe", { channel: "x".repeat(bytes) });

  test.each([
    ["text", text],
    ["binary", binary],
  ])(
    "of a user are limited over all sockets, in %s frames: who sends too many is closed",
    async (_, make) => {
      const user = await newUser(server, (await newRole(server, "api_keys:write")).id);
      const { key } = await createKey(server, user.token, []);
      const [one, other, stranger] = await Promise.all([
        Client.open(server, { token: user.token }),
        Client.open(server, { bearer: key }),
        Client.open(server, { token: await server.admin() }),
      ]);
      one.send(make(30_000));
      other.send(make(30_000));
      stranger.send(make(30_000));
      const tooMany = { code: 1008, reason: "too many bytes" };
      expect(await Promise.race([one.closed, other.closed])).toEqual(tooMany);
      expect(await stranger.next()).toBeDefined();
      await Bun.sleep(1_000);
      const again = await Client.open(server, { token: user.token });
      expect(await again.ask(make(40_000))).toBeDefined();
      for (const client of [again, stranger]) await client.close();
    },
  );

  test("are not forgotten with the connection", async () => {
    const { token } = await newUser(server);
    for (;;) {
      const since = performance.now();
      const first = await Client.open(server, { token });
      await first.ask(text(40_000));
      await first.close();
      const second = await Client.open(server, { token });
      second.send(text(40_000));
      const ended = await Promise.race([second.closed, second.next().catch(() => second.closed)]);
      const isOneSecond = performance.now() - since < 1_000;
      if (isOneSecond) expect(ended).toEqual({ code: 1008, reason: "too many bytes" });
      if (isOneSecond) return;
      await second.close();
    }
  });

  test("of an answer that the server waits for don't count", async () => {
    const { sync, syncMembers } = requests(server);
    const told = new Told();
    told.all.guilds = [guild()];
    told.memberList = Array.from({ length: 2_000 }, (_, at) =>
      member(String(at + 1), { nickname: "x".repeat(50) }),
    );
    const bot = await connectBot(server, told);
    expect((await sync()).body.success).toBe(true);
    expect((await syncMembers()).body).toEqual({ success: true, error: null, members_synced: 2_000 });
    await bot.close();
  });

  test("of a part with more than 10,000 records spoil the answer", async () => {
    const { sync } = requests(server);
    const bot = await ManualBot.connect(server);
    const answer = sync();
    const { requestId } = await bot.asked();
    bot.answer({ requestId }, { members: Array(10_001).fill({}), more: true });
    const { body } = await answer;
    expect(body).toMatchObject({ success: false, error: "A part of the answer may hold 10000 records" });
    expect(read(await bot.client.next())).toEqual({
      type: 20,
      error: { message: "A part of the answer may hold 10000 records" },
    });
    await bot.close();
  });
});

describe("connections", () => {
  const MOST = 5;
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      settings: { "websocket.max_connections_per_user": String(MOST) },
    });
  });
  afterAll(() => server.stop());

  test("of a user are limited, whatever the session or key, and however many come at once", async () => {
    const user = await newUser(server, (await newRole(server, "api_keys:write")).id);
    const { key } = await createKey(server, user.token, []);
    const tries = await Promise.all(
      Array.from({ length: 4 * MOST }, (_, at) =>
        RawClient.open(server, at % 2 ? { token: user.token } : { bearer: key }),
      ),
    );
    const [open, refused] = [101, 503].map((status) => tries.filter((client) => client.status === status));
    expect([open?.length, refused?.length]).toEqual([MOST, 3 * MOST]);
    expect(refused?.[0]?.head.toLowerCase()).toContain("retry-after: ");
    // Other users connect, and so does this one after one of its sockets is closed.
    const other = await Client.open(server, { token: await server.admin() });
    open?.[0]?.cut();
    while ((await connections(server)) > MOST) await Bun.sleep(10);
    const again = await Client.open(server, { token: user.token });
    for (const client of [other, again]) await client.close();
    for (const client of tries) client.cut();
    while ((await connections(server)) > 0) await Bun.sleep(10);
  });

  test("of a system key are not", async () => {
    const clients = await Promise.all(
      Array.from({ length: 3 * MOST }, () => Client.open(server, { bearer: server.systemKey })),
    );
    for (const client of clients) await client.close();
  });

  test("beyond it are refused with words that say what to do", async () => {
    const clients = await Promise.all(
      Array.from({ length: MOST }, async () => Client.open(server, { token: await server.admin() })),
    );
    const answer = await server.get("/v1/ws", {
      token: await server.admin(),
      headers: { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" },
    });
    expect([answer.status, answer.body]).toEqual([
      503,
      {
        error: "ServiceUnavailable",
        message: `You hold ${MOST} connections, which is as many as you may: close some of them first`,
      },
    ]);
    for (const client of clients) await client.close();
  });
});

describe("a server of which strangers take all connections", () => {
  let server: TestServer;
  beforeAll(async () => {
    // 128 connections are for sockets, of which 16 are reserved.
    server = await TestServer.start({
      openFiles: 256,
      // The strangers answer no ping.
      settings: { "websocket.max_connections_per_user": "40", "websocket.client_timeout_seconds": "3600" },
    });
  });
  afterAll(() => server.stop());

  test("still lets super admins and system keys in", async () => {
    const strangers: RawClient[] = [];
    for (let user = 0; user < 5; user++) {
      const { token } = await newUser(server);
      for (let at = 0; at < 40; at++) {
        const client = await RawClient.open(server, { token });
        if (client.status === 101) strangers.push(client);
      }
    }
    expect(strangers).toHaveLength(112);
    const operators = [
      await Client.open(server, { token: await server.admin() }),
      await Client.open(server, { bearer: server.systemKey }),
    ];
    for (const client of operators) expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
    // A key of the admin with fewer permissions isn't an administrator.
    const narrow = await RawClient.open(server, { bearer: await server.key("gps:read") });
    expect(narrow.status).toBe(503);
    for (const client of strangers) client.cut();
    for (const client of operators) await client.close();
  });
});
