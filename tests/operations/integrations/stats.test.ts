import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { googleProblem, type YoutubeAccount, youtubeAccount } from "../../stand-ins/google";
import { FAILURES } from "../../stand-ins/oauth-platform";
import { type TwitchAccount, twitchAccount } from "../../stand-ins/twitch";
import type { Answer } from "../../support/api";
import { expectRefused } from "../../support/expectations";
import { externalUser } from "../../support/people";
import {
  type Connected,
  callBack,
  connectAs,
  connected,
  consented,
  failed,
  type Harbour,
  isActive,
  outcome,
  SLUGS,
  type Slug,
  startHarbour,
  statsOf,
} from "./support";

/** Statistics of a channel on a platform. */
let harbour: Harbour;
/**
 * Requests that a platform leaves unanswered as long as the bounds permit: they wait while the other tests
 * run.
 */
let unanswered: { stats: Promise<Answer>; user: Connected; connection: Promise<Answer>; started: number };

beforeAll(async () => {
  harbour = await startHarbour();
  const user = await connected(harbour, "discord");
  const stalling = await externalUser(harbour.server);
  const address = await consented(harbour, "discord", stalling.token);
  const never = () => new Promise<Response>(() => {});
  harbour.discord.answerNext("/users/@me", never);
  harbour.discord.answerNext("token", dripping);
  unanswered = {
    user,
    started: performance.now(),
    stats: statsOf(harbour, user),
    connection: callBack(harbour, address),
  };
});
afterAll(() => harbour.stop());

/** An answer that comes a byte at a time, and never ends. */
const dripping = () => {
  const body = new ReadableStream({
    async pull(controller) {
      await Bun.sleep(500);
      controller.enqueue(new Uint8Array([0x20]));
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
};

const OFFLINE = {
  followers: 0,
  subscribers: 0,
  is_live: false,
  current_viewers: 0,
  stream_title: null,
  game_name: null,
};

/** A new user with this account on Twitch. */
async function withTwitch(account: Partial<TwitchAccount> = {}): Promise<Connected> {
  const user = await externalUser(harbour.server);
  harbour.twitch.signedIn = twitchAccount(account);
  const { id } = await connectAs(harbour, "twitch", user.token);
  return { userId: user.id, token: user.token, id, path: `/v1/integrations/${id}` };
}

async function withYoutube(account: Partial<YoutubeAccount> = {}): Promise<Connected> {
  const user = await externalUser(harbour.server);
  harbour.youtube.signedIn = youtubeAccount(account);
  const { id } = await connectAs(harbour, "youtube", user.token);
  return { userId: user.id, token: user.token, id, path: `/v1/integrations/${id}` };
}

/** The stats of an integration without their time, which must be that of the request. */
async function figures(user: Connected) {
  const before = Date.now();
  const { status, body } = await statsOf(harbour, user);
  expect({ status, success: body.success }).toEqual({ status: 200, success: true });
  const { updated_at, ...rest } = body.stats;
  expect(Date.parse(updated_at)).toBeWithin(before, Date.now() + 1);
  return rest;
}

const STREAM = { title: "Crossing live", game_name: "Sailing", viewer_count: 57, type: "live" };

describe("Twitch", () => {
  test("tells followers, subscribers and the channel's title while nothing is streamed", async () => {
    expect(await figures(await withTwitch())).toEqual({
      ...OFFLINE,
      followers: 1_204,
      subscribers: 31,
      stream_title: "Across the Bodden",
      game_name: "Travel & Outdoors",
    });
  });

  test("tells the stream's title, category and viewers while it is live", async () => {
    expect(await figures(await withTwitch({ stream: STREAM }))).toEqual({
      followers: 1_204,
      subscribers: 31,
      is_live: true,
      current_viewers: 57,
      stream_title: "Crossing live",
      game_name: "Sailing",
    });
  });

  test("is not live while the stream is of another type", async () => {
    const user = await withTwitch({ stream: { ...STREAM, type: "" } });
    expect(await figures(user)).toMatchObject({
      is_live: false,
      current_viewers: 0,
      stream_title: "Across the Bodden",
    });
  });

  test.each([400, 401, 403])("counts no subscribers of a channel for which it answers %d", async (status) => {
    const user = await withTwitch();
    harbour.twitch.answerNext("/subscriptions", () => Response.json({ status, message: "no" }, { status }));
    harbour.twitch.asked = [];
    expect(await figures(user)).toMatchObject({ followers: 1_204, subscribers: 0 });
    expect(harbour.twitch.renewals).toEqual([]);
    expect(await isActive(harbour, user)).toBe(true);
  });

  test("counts no subscribers of a channel that is no affiliate's", async () => {
    expect(await figures(await withTwitch({ subscribers: null }))).toMatchObject({ subscribers: 0 });
  });

  test("asks about the connected channel, whatever its identifier looks like", async () => {
    const id = "1&broadcaster_id=2#/../users?a=%62";
    const user = await withTwitch({ user: { ...twitchAccount().user, id }, stream: STREAM });
    harbour.twitch.asked = [];
    expect(await figures(user)).toMatchObject({ followers: 1_204, subscribers: 31, is_live: true });
    expect(harbour.twitch.asked.map(({ path, query }) => [path, query])).toEqual([
      ["/helix/channels/followers", { broadcaster_id: id, first: "1" }],
      ["/helix/subscriptions", { broadcaster_id: id, first: "1" }],
      ["/helix/streams", { user_id: id }],
    ]);
  });

  test.each([
    ["counts that are no numbers", { total: "many" }, 0],
    ["a count as a text", { total: "17" }, 17],
    ["a negative count", { total: -3 }, 0],
    ["a count with a fraction", { total: 1.5 }, 0],
    ["a count beyond all bounds", { total: 1e300 }, 0],
    ["a count that is an object", { total: { value: 3 } }, 0],
    ["no count", {}, 0],
  ])("takes %s as it can", async (_, body, followers) => {
    const user = await withTwitch();
    harbour.twitch.answerNext("/channels/followers", () => Response.json(body));
    expect((await figures(user)).followers).toBe(followers);
  });

  test.each([
    ["no list", {}],
    ["a list that is none", { data: "x" }],
    ["a list of something else", { data: ["x"] }],
    ["null", { data: null }],
  ])("is not live where streams and channel are %s", async (_, body) => {
    const user = await withTwitch({ stream: STREAM });
    harbour.twitch.answerNext("/streams", () => Response.json(body));
    harbour.twitch.answerNext("/channels", () => Response.json(body));
    expect(await figures(user)).toEqual({ ...OFFLINE, followers: 1_204, subscribers: 31 });
  });

  test("has titles that are no texts for none, and empty ones too", async () => {
    const user = await withTwitch({ channel: { title: "", game_name: "" } });
    expect(await figures(user)).toMatchObject({ stream_title: null, game_name: null });
    harbour.twitch.answerNext("/channels", () => Response.json({ data: [{ title: 17, game_name: ["x"] }] }));
    expect(await figures(user)).toMatchObject({ stream_title: null, game_name: null });
  });
});

describe("YouTube", () => {
  const statistics = (more: object) => {
    const account = youtubeAccount();
    if (account.channel) account.channel.statistics = { ...account.channel.statistics, ...more };
    return withYoutube(account);
  };

  test("tells subscribers, which are the followers too, from counts that are texts", async () => {
    expect(await figures(await withYoutube())).toEqual({ ...OFFLINE, followers: 1_240, subscribers: 1_240 });
  });

  test("tells title and viewers of the broadcast that is live", async () => {
    const user = await withYoutube({ broadcast: { id: "vid-1", title: "Lock by lock", viewers: "88" } });
    harbour.youtube.asked = [];
    expect(await figures(user)).toEqual({
      followers: 1_240,
      subscribers: 1_240,
      is_live: true,
      current_viewers: 88,
      stream_title: "Lock by lock",
      game_name: null,
    });
    expect(harbour.youtube.asked.map(({ path, query }) => [path, query])).toEqual([
      ["/youtube/v3/channels", { part: "snippet,statistics", mine: "true" }],
      ["/youtube/v3/liveBroadcasts", { part: "snippet,status", broadcastStatus: "active" }],
      ["/youtube/v3/videos", { part: "liveStreamingDetails", id: "vid-1" }],
    ]);
  });

  test("asks about the broadcast, whatever its identifier looks like", async () => {
    const id = "x&part=../evil#?mine=true";
    const user = await withYoutube({ broadcast: { id, title: "Odd", viewers: "5" } });
    expect(await figures(user)).toMatchObject({ is_live: true, current_viewers: 5 });
    expect(harbour.youtube.askedOf("/videos").at(-1)?.query).toEqual({ part: "liveStreamingDetails", id });
  });

  test("is not live for an account that may not stream", async () => {
    expect(await figures(await withYoutube({ broadcast: "forbidden" }))).toMatchObject({
      subscribers: 1_240,
      is_live: false,
    });
  });

  test("asks anew with a fresh token when the question about broadcasts is refused with 401", async () => {
    const user = await withYoutube({ broadcast: { id: "vid-3", title: "Ebb", viewers: "4" } });
    harbour.youtube.answerNext("/liveBroadcasts", () =>
      Response.json({ error: { code: 401, message: "Invalid Credentials" } }, { status: 401 }),
    );
    expect(await figures(user)).toMatchObject({ is_live: true, current_viewers: 4, stream_title: "Ebb" });
  });

  test.each([
    ["hidden", { hiddenSubscriberCount: true, subscriberCount: "1240" }, 0],
    ["hidden and left out", { hiddenSubscriberCount: true, subscriberCount: undefined }, 0],
    ["left out", { subscriberCount: undefined }, 0],
    ["a number", { subscriberCount: 77 }, 77],
    ["no count", { subscriberCount: "about 1k" }, 0],
    ["empty", { subscriberCount: "" }, 0],
    ["written in hexadecimal", { subscriberCount: "0x10" }, 0],
    ["longer than a number can be", { subscriberCount: "9".repeat(30) }, 0],
  ])("takes subscribers that are %s as it can", async (_, more, subscribers) => {
    expect(await figures(await statistics(more))).toMatchObject({ subscribers, followers: subscribers });
  });

  test("counts no viewers where they are hidden", async () => {
    const user = await withYoutube({ broadcast: { id: "vid-2", title: "Fog", viewers: "9" } });
    harbour.youtube.answerNext("/videos", () =>
      Response.json({ items: [{ id: "vid-2", liveStreamingDetails: {} }] }),
    );
    expect(await figures(user)).toMatchObject({ is_live: true, current_viewers: 0, stream_title: "Fog" });
  });

  test("has nothing to tell of an account whose channel is gone", async () => {
    const user = await withYoutube();
    harbour.youtube.answerNext("/channels", () => Response.json({ kind: "youtube#channelListResponse" }));
    expect(await figures(user)).toEqual(OFFLINE);
  });
});

test("Discord has no channels of this kind: all is zero, and the token was tried", async () => {
  const user = await connected(harbour, "discord");
  const { length } = harbour.discord.askedOf("/users/@me");
  expect(await figures(user)).toEqual(OFFLINE);
  expect(harbour.discord.askedOf("/users/@me")).toHaveLength(length + 1);
});

// --- Failures -----------------------------------------------------------------------------------------------

const FIRST = { twitch: "/channels/followers", youtube: "/channels", discord: "/users/@me" } as const;

describe("a platform that fails gives 503, and the integration stays active", () => {
  let users: Record<Slug, Connected>;
  beforeAll(async () => {
    const [twitch, youtube, discord] = [
      await connected(harbour, "twitch"),
      await connected(harbour, "youtube"),
      await connected(harbour, "discord"),
    ];
    users = { twitch, youtube, discord };
  });

  const ways: [string, () => Response][] = [
    ...Object.entries(FAILURES),
    ["status 400", () => Response.json({ status: 400, message: "Bad Request" }, { status: 400 })],
    ["status 403, as YouTube's quota", () => googleProblem(403, "quotaExceeded")],
    ["status 404", () => new Response(null, { status: 404 })],
    ["a redirect", () => Response.redirect(`${harbour.elsewhere.url}/users`, 302)],
    ["a permanent redirect", () => Response.redirect(`${harbour.elsewhere.url}/users`, 308)],
  ];
  test.each(ways)("with %s", async (_, instead) => {
    for (const slug of SLUGS) {
      const user = users[slug];
      harbour[slug].asked = [];
      harbour[slug].answerNext(FIRST[slug], instead);
      const answer = await statsOf(harbour, user);
      expectRefused(answer, 503, "ServiceUnavailable");
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(harbour[slug].renewals).toEqual([]);
      expect(await isActive(harbour, user)).toBe(true);
    }
    expect(harbour.elsewhere.asked).toEqual([]);
  });

  test.each([
    ["twitch", "/subscriptions"],
    ["twitch", "/streams"],
    ["twitch", "/channels"],
    ["youtube", "/liveBroadcasts"],
  ] as const)("at its further questions, too: %s%s", async (slug, place) => {
    const user = users[slug];
    harbour[slug].answerNext(place, FAILURES["status 500"]);
    expectRefused(await statsOf(harbour, user), 503, "ServiceUnavailable");
    expect(await isActive(harbour, user)).toBe(true);
  });

  test("with 429, whose Retry-After is handed on", async () => {
    const user = await connected(harbour, "discord");
    const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
    for (const [asked, least, most] of [
      ["7", 7, 7],
      ["0.5", 30, 30],
      [inTwoMinutes, 60, 120],
    ] as const) {
      harbour.discord.answerNext("/users/@me", () =>
        Response.json(
          { message: "slow down", retry_after: 0.5 },
          { status: 429, headers: { "retry-after": asked } },
        ),
      );
      const answer = await statsOf(harbour, user);
      expectRefused(answer, 503, "ServiceUnavailable");
      expect(Number(answer.headers.get("retry-after"))).toBeWithin(least, most + 1);
    }
  });

  test("by taking too long: 10 seconds for an answer, whole", async () => {
    const [stats, connection] = await Promise.all([unanswered.stats, unanswered.connection]);
    expectRefused(stats, 503, "ServiceUnavailable");
    expect(performance.now() - unanswered.started).toBeGreaterThan(9_000);
    expect(outcome(connection)).toEqual(failed("provider_unavailable"));
    expect(await isActive(harbour, unanswered.user)).toBe(true);
  });
});
