import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FAILURES } from "../../stand-ins/oauth-platform";
import { done, eventually, expectRefused } from "../../support/expectations";
import { write } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  type Connected,
  connectAs,
  connected,
  type Harbour,
  integrationRow,
  isActive,
  kept,
  refresh,
  registerCallBacks,
  SLUGS,
  startHarbour,
  statsOf,
} from "./support";

/**
 * Tokens are renewed before they expire and when they are refused; a refused renewal makes inactive (rule
 * I2).
 */
let harbour: Harbour;
beforeAll(async () => {
  harbour = await startHarbour();
});
afterAll(() => harbour.stop());

const { parse } = Date;
const record = async ({ path, token }: Connected) => done(await harbour.server.get(path, { token })).data;

/** The refresh token that was presented last, and its successor. */
const lastRenewal = (slug: "twitch" | "youtube" | "discord") =>
  harbour[slug].renewals.at(-1)?.form.refresh_token;

describe("POST /v1/integrations/{id}/refresh", () => {
  test.each(SLUGS)("%s: renews the tokens, and says until when they count", async (slug) => {
    const user = await connected(harbour, slug);
    const { length } = harbour[slug].renewals;
    const before = Date.now();
    const { status, body } = await refresh(harbour, user);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: "The tokens were renewed",
      expires_at: expect.any(String),
    });
    const expiresAt = before + harbour[slug].contract.expiresIn * 1_000;
    expect(parse(body.expires_at)).toBeWithin(expiresAt, expiresAt + 60_000);
    expect(harbour[slug].renewals).toHaveLength(length + 1);
    expect(harbour[slug].renewals.at(-1)?.form).toEqual({
      grant_type: "refresh_token",
      refresh_token: expect.stringContaining(`${slug}-refresh-`),
      client_id: harbour[slug].clientId,
      client_secret: harbour[slug].clientSecret,
    });
    expect(parse((await record(user)).last_refreshed_at)).toBeGreaterThanOrEqual(before);
    // The new access token is the one that is used.
    harbour[slug].asked = [];
    expect((await statsOf(harbour, user)).status).toBe(200);
    expect(harbour[slug].renewals).toEqual([]);
  });

  test.each(["twitch", "discord"] as const)(
    "%s: keeps the refresh token that takes the place of the old",
    async (slug) => {
      const user = await connected(harbour, slug);
      const presented = new Set<string | undefined>();
      for (const _ of [1, 2, 3]) {
        expect((await refresh(harbour, user)).status).toBe(200);
        presented.add(lastRenewal(slug));
      }
      expect(presented.size).toBe(3);
      expect(harbour[slug].reuses).toBe(0);
    },
  );

  test("youtube: keeps the old refresh token, since no new one comes", async () => {
    const user = await connected(harbour, "youtube");
    expect((await refresh(harbour, user)).status).toBe(200);
    const first = lastRenewal("youtube");
    expect((await refresh(harbour, user)).status).toBe(200);
    expect(lastRenewal("youtube")).toBe(first as string);
  });

  test("keeps the scopes where the answer names none, and takes those that it names", async () => {
    const user = await connected(harbour, "discord", { scopes: ["guilds"] });
    harbour.discord.scopeAs = "nothing";
    expect((await refresh(harbour, user)).status).toBe(200);
    expect((await record(user)).scopes).toEqual(["identify", "guilds"]);
    harbour.discord.scopeAs = null;
    harbour.discord.changeNext("token", { scope: "identify" });
    expect((await refresh(harbour, user)).status).toBe(200);
    expect((await record(user)).scopes).toEqual(["identify"]);
  });

  test.each([
    ["no lifetime", null],
    ["a lifetime beyond all time", 1e300],
    ["a lifetime of millennia", 9e15],
    ["a lifetime with a fraction", 599.9996],
  ])("takes an answer with %s", async (_, expires_in) => {
    const user = await connected(harbour, "discord");
    harbour.discord.changeNext("token", { expires_in });
    const { status, body } = await refresh(harbour, user);
    expect(status).toBe(200);
    if (expires_in === null) expect(body.expires_at).toBeNull();
    else expect(parse(body.expires_at)).toBeGreaterThan(Date.now());
    harbour.discord.asked = [];
    expect((await statsOf(harbour, user)).status).toBe(200);
    expect(harbour.discord.renewals).toEqual([]);
  });
});

describe("a token that runs out", () => {
  test("is renewed shortly before that, and not earlier", async () => {
    const user = await connected(harbour, "discord");
    const lifetime = harbour.discord.contract.expiresIn * 1_000;
    harbour.discord.asked = [];
    await harbour.server.advance(lifetime - 5 * 60_000);
    expect((await statsOf(harbour, user)).status).toBe(200);
    expect(harbour.discord.renewals).toEqual([]);
    await harbour.server.advance(5 * 60_000 - 20_000);
    harbour.discord.asked = [];
    expect((await statsOf(harbour, user)).status).toBe(200);
    // Renewed before the request: the old token was never refused.
    expect(harbour.discord.asked.map(({ path }) => path)).toEqual([
      harbour.discord.pathOf("token"),
      harbour.discord.pathOf("/users/@me"),
    ]);
    expect(parse((await record(user)).last_refreshed_at)).toBeGreaterThan(Date.now() + lifetime - 60_000);
  });

  test.each(SLUGS)("%s: is renewed when it is refused, and the question asked again", async (slug) => {
    const user = await connected(harbour, slug);
    harbour[slug].expireAccess();
    harbour[slug].asked = [];
    expect((await statsOf(harbour, user)).status).toBe(200);
    expect(harbour[slug].renewals).toHaveLength(1);
    expect(await isActive(harbour, user)).toBe(true);
  });

  test("is renewed once for many requests at a time", async () => {
    const user = await connected(harbour, "twitch");
    harbour.twitch.expireAccess();
    harbour.twitch.asked = [];
    const many = <T>(ask: (n: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)));
    const read = await many(() => statsOf(harbour, user));
    expect(read.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(harbour.twitch.renewals).toHaveLength(1);
    // Users who renew at the same time interfere, and still no refresh token is presented twice.
    harbour.twitch.expireAccess();
    const mixed = await many((n) => (n % 3 ? statsOf : refresh)(harbour, user));
    expect(mixed.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(harbour.twitch.reuses).toBe(0);
    expect(await isActive(harbour, user)).toBe(true);
  });

  test("is renewed once for two requests of which one learns late that it was refused", async () => {
    const user = await connected(harbour, "twitch");
    harbour.twitch.expireAccess();
    harbour.twitch.asked = [];
    const late = harbour.twitch.hold("/channels/followers");
    const slow = statsOf(harbour, user);
    await late.arrived;
    expect((await statsOf(harbour, user)).status).toBe(200);
    // The request that is released now carries the old token.
    late.letGo();
    expect((await slow).status).toBe(200);
    expect(harbour.twitch.reuses).toBe(0);
    expect(harbour.twitch.renewals).toHaveLength(1);
    expect(await isActive(harbour, user)).toBe(true);
  });
});

test("a renewed token that is refused since it was renewed once more is not the end", async () => {
  const user = await connected(harbour, "discord");
  harbour.discord.answerNext("/users/@me", () => Response.json({ code: 0 }, { status: 401 }));
  const held = harbour.discord.hold("/users/@me");
  const reading = statsOf(harbour, user);
  await held.arrived;
  // The request is under way with the renewed token, which this renewal ends.
  expect((await refresh(harbour, user)).status).toBe(200);
  held.letGo();
  expect((await reading).status).toBe(200);
  expect(await isActive(harbour, user)).toBe(true);
});

test("a renewed token that is refused while it is renewed once more is not the end", async () => {
  const user = await connected(harbour, "discord");
  harbour.discord.answerNext("/users/@me", () => Response.json({ code: 0 }, { status: 401 }));
  const held = harbour.discord.hold("/users/@me");
  const reading = statsOf(harbour, user);
  await held.arrived;
  // This renewal ends the renewed token at the platform, and its answer is still on the way when the request
  // is refused.
  const late = harbour.discord.hold("token", "answer");
  const renewing = refresh(harbour, user);
  await late.arrived;
  held.letGo();
  const isPending = await Promise.race([reading.then(() => false), Bun.sleep(200).then(() => true)]);
  late.letGo();
  expect((await renewing).status).toBe(200);
  expect((await reading).status).toBe(200);
  expect(isPending).toBe(true);
  expect(await isActive(harbour, user)).toBe(true);
});

describe("a platform that refuses", () => {
  test.each(SLUGS)("%s: to renew gives 409 and makes inactive", async (slug) => {
    const user = await connected(harbour, slug);
    harbour[slug].revokeAll();
    expectRefused(await refresh(harbour, user), 409, "Conflict");
    expect(await isActive(harbour, user)).toBe(false);
    expect(integrationRow(harbour, user.id)).toMatchObject({ access_token: null, refresh_token: null });
    // From then on the platform isn't asked.
    harbour[slug].asked = [];
    expectRefused(await statsOf(harbour, user), 409, "Conflict");
    expectRefused(await refresh(harbour, user), 409, "Conflict");
    expect(harbour[slug].asked).toEqual([]);
  });

  test.each(SLUGS)("%s: a token and its renewal gives 409 and makes inactive", async (slug) => {
    const user = await connected(harbour, slug);
    harbour[slug].revokeAll();
    expectRefused(await statsOf(harbour, user), 409, "Conflict");
    expect(await isActive(harbour, user)).toBe(false);
  });

  test("the renewed token, too, gives 409 and makes inactive", async () => {
    const user = await connected(harbour, "discord");
    const unauthorized = () => Response.json({ message: "401: Unauthorized", code: 0 }, { status: 401 });
    harbour.discord.answerNext("/users/@me", unauthorized, unauthorized);
    harbour.discord.asked = [];
    expectRefused(await statsOf(harbour, user), 409, "Conflict");
    expect(harbour.discord.askedOf("/users/@me")).toHaveLength(2);
    expect(await isActive(harbour, user)).toBe(false);
  });

  test("with status 401, as Twitch does at times, gives 409 as well", async () => {
    const user = await connected(harbour, "twitch");
    harbour.twitch.answerNext("token", () =>
      Response.json({ status: 401, message: "Invalid refresh token" }, { status: 401 }),
    );
    expectRefused(await refresh(harbour, user), 409, "Conflict");
    expect(await isActive(harbour, user)).toBe(false);
  });

  test("an account that has no refresh token, once its token is refused", async () => {
    const user = await connected(harbour, "discord");
    harbour.discord.changeNext("token", { refresh_token: null });
    const { id } = await connectAs(harbour, "discord", user.token);
    expect(id).toBe(user.id);
    expect(integrationRow(harbour, user.id)?.refresh_token).toBeNull();
    expect((await statsOf(harbour, user)).status).toBe(200);
    harbour.discord.expireAccess();
    expectRefused(await statsOf(harbour, user), 409, "Conflict");
    expect(await isActive(harbour, user)).toBe(false);
  });

  test("a renewal that is under way while the account is connected again: the new tokens stay", async () => {
    const user = await connected(harbour, "discord");
    const held = harbour.discord.hold("token");
    const renewing = refresh(harbour, user);
    await held.arrived;
    harbour.discord.revokeAll();
    await connectAs(harbour, "discord", user.token);
    held.letGo();
    await renewing;
    expect(await isActive(harbour, user)).toBe(true);
    expect((await statsOf(harbour, user)).status).toBe(200);
  });
});

test("a renewal that ends after the account was connected again does not replace the new tokens", async () => {
  const user = await connected(harbour, "discord");
  const held = harbour.discord.hold("token");
  const renewing = refresh(harbour, user);
  await held.arrived;
  const { scopes } = await connectAs(harbour, "discord", user.token, { scopes: ["guilds"] });
  const row = integrationRow(harbour, user.id);
  held.letGo();
  await renewing;
  expect(integrationRow(harbour, user.id)).toEqual(row);
  expect((await record(user)).scopes).toEqual(scopes);
});

test.each(["twitch", "discord"] as const)(
  "%s: a renewal that ends after the account was removed leaves no token that counts",
  async (slug) => {
    const user = await connected(harbour, slug);
    const grant = harbour[slug].grants.at(-1);
    // The platform has renewed, and its answer is still on the way.
    const held = harbour[slug].hold("token", "answer");
    const renewing = refresh(harbour, user);
    await held.arrived;
    done(await harbour.server.delete(user.path, { token: user.token }));
    const before = integrationRow(harbour, user.id);
    expect(grant?.access.size).toBe(1);
    held.letGo();
    expectRefused(await renewing, 404, "NotFound");
    expect(integrationRow(harbour, user.id)).toEqual(before);
    expect(grant).toMatchObject({ access: new Set(), refresh: null });
  },
);

describe("a platform that fails to renew", () => {
  const WAYS: [string, () => Response][] = [
    ...Object.entries(FAILURES),
    ["a redirect", () => Response.redirect(`${harbour.elsewhere.url}/token`, 307)],
    ["a refusal of this installation", () => harbour.discord.refuse("client")],
    ["Twitch's refusal of this installation", () => harbour.twitch.refuse("client")],
    [
      "Twitch's refusal of this client",
      () => Response.json({ status: 400, message: "invalid client" }, { status: 400 }),
    ],
    ["unauthorized_client", () => Response.json({ error: "unauthorized_client" }, { status: 400 })],
  ];
  let user: Connected;
  beforeAll(async () => {
    user = await connected(harbour, "discord");
  });

  test.each(WAYS)("with %s gives 503, and all stays as it was", async (_, instead) => {
    const before = kept(harbour);
    harbour.discord.answerNext("token", instead);
    const answer = await refresh(harbour, user);
    expectRefused(answer, 503, "ServiceUnavailable");
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(kept(harbour)).toEqual(before);
    expect(harbour.elsewhere.asked).toEqual([]);
    // And it works again as soon as the platform does.
    expect((await refresh(harbour, user)).status).toBe(200);
  });

  test("since it can't be reached gives 503, and all stays as it was", async () => {
    const before = kept(harbour);
    const comeBack = await harbour.discord.goDown();
    expectRefused(await refresh(harbour, user), 503, "ServiceUnavailable");
    expectRefused(await statsOf(harbour, user), 503, "ServiceUnavailable");
    comeBack();
    expect(kept(harbour)).toEqual(before);
    expect((await refresh(harbour, user)).status).toBe(200);
  });

  test.each([
    ["120", "120"],
    ["999999", "3600"],
    ["soon", "30"],
    ["-5", "30"],
  ])("and says Retry-After: %s has the client wait %s seconds", async (asked, told) => {
    harbour.discord.answerNext(
      "token",
      () => new Response(null, { status: 429, headers: { "retry-after": asked } }),
    );
    const answer = await refresh(harbour, user);
    expectRefused(answer, 503, "ServiceUnavailable");
    expect(answer.headers.get("retry-after")).toBe(told);
  });
});

test("tokens that were put into another integration, or damaged, are sent to nobody", async () => {
  const [anna, bert] = [await connected(harbour, "discord"), await connected(harbour, "discord")];
  const tokens = [anna, bert].map(({ id }) => integrationRow(harbour, id)?.access_token ?? "");
  const put = (id: string, token = "") =>
    write(harbour.server, `UPDATE integrations SET access_token = '${token}' WHERE id = '${id}'`);
  harbour.discord.asked = [];
  for (const wrong of [tokens[1], integrationRow(harbour, anna.id)?.refresh_token ?? "", "AAAA", ""]) {
    put(anna.id, wrong);
    expect((await statsOf(harbour, anna)).status).toBe(500);
  }
  expect(harbour.discord.asked).toEqual([]);
  put(anna.id, tokens[0]);
  expect((await statsOf(harbour, anna)).status).toBe(200);
});

// --- The job ------------------------------------------------------------------------------------------------

describe("the validation that Twitch asks for", () => {
  const VALIDATED = "validate";

  /**
   * Restarts the server at a moment at which these were last validated `age` ago: the job runs at the start.
   */
  async function restart(age: number, ...users: Connected[]): Promise<void> {
    await harbour.server.stop();
    const time = Date.now();
    write(
      harbour.server,
      `UPDATE integrations SET validated_at = ${time}, token_expires_at = ${time + 86_400_000}`,
      ...users.map(
        ({ id }, n) => `UPDATE integrations SET validated_at = ${time - age + n} WHERE id = '${id}'`,
      ),
    );
    for (const slug of SLUGS) harbour[slug].asked = [];
    const settings = SLUGS.map((slug) => harbour[slug].settings);
    const { dataDir } = harbour.server;
    harbour.server = await TestServer.start({
      clock: "movable",
      dataDir,
      settings: {
        ...Object.assign({}, ...settings),
        "integrations.allowed_redirects": "https://app.example",
      },
    });
    registerCallBacks(harbour);
  }

  const HOUR = 3_600_000;
  const validatedAt = ({ id }: Connected) => integrationRow(harbour, id)?.validated_at ?? 0;

  test("asks for each token that was not validated for an hour, once, and for no other", async () => {
    const [old, recent, discord] = [
      await connected(harbour, "twitch"),
      await connected(harbour, "twitch"),
      await connected(harbour, "discord"),
    ];
    const before = Date.now();
    await restart(HOUR + 1_000, old, discord);
    await eventually(() => validatedAt(old) >= before);
    expect(harbour.twitch.askedOf(VALIDATED)).toHaveLength(1);
    expect(harbour.discord.asked).toEqual([]);
    expect(harbour.twitch.renewals).toEqual([]);
    expect(validatedAt(recent)).toBeLessThanOrEqual(Date.now());
  });

  test("renews a token that is refused, makes inactive what is refused for good, and goes on", async () => {
    const [gone, expired, fine] = [
      await connected(harbour, "twitch"),
      await connected(harbour, "twitch"),
      await connected(harbour, "twitch"),
    ];
    const [lost, old] = harbour.twitch.grants.slice(-3);
    lost?.access.clear();
    if (lost) lost.refresh = null;
    old?.access.clear();
    const before = Date.now();
    await restart(2 * HOUR, gone, expired, fine);
    await eventually(() => validatedAt(fine) >= before);
    expect(integrationRow(harbour, gone.id)).toMatchObject({ is_active: 0, access_token: null });
    expect(integrationRow(harbour, expired.id)).toMatchObject({ is_active: 1 });
    expect(validatedAt(expired)).toBeGreaterThanOrEqual(before);
    // The request is repeated with the renewed token.
    expect(harbour.twitch.renewals).toHaveLength(2);
    expect((await statsOf(harbour, expired)).status).toBe(200);
  });

  test("comes to the next account whatever is answered about one, but for a refusal", async () => {
    const odd = [
      () => Response.json({ status: 403, message: "Forbidden" }, { status: 403 }),
      () => Response.json({ status: 400, message: "Bad Request" }, { status: 400 }),
      () => Response.json({ data: [] }),
      () => Response.json({ data: "none" }),
    ];
    const users: Connected[] = [];
    for (const _ of [...odd, "the next"]) users.push(await connected(harbour, "twitch"));
    harbour.twitch.answerNext(VALIDATED, ...odd);
    const before = Date.now();
    await restart(2 * HOUR, ...users);
    for (const user of users) {
      await eventually(() => validatedAt(user) >= before);
      expect(await isActive(harbour, user)).toBe(true);
    }
  });

  test("comes to the others while one account's renewal fails", async () => {
    const [broken, fine] = [await connected(harbour, "twitch"), await connected(harbour, "twitch")];
    harbour.twitch.grants.at(-2)?.access.clear();
    harbour.twitch.answerAlways("token", FAILURES["status 500"]);
    const before = Date.now();
    await restart(2 * HOUR, broken, fine);
    await eventually(() => validatedAt(fine) >= before);
    expect(validatedAt(broken)).toBeLessThan(before);
    expect(await isActive(harbour, broken)).toBe(true);
    harbour.twitch.answerAlways("token", null);
  });

  test("leaves all as it is while Twitch fails", async () => {
    const users = [await connected(harbour, "twitch"), await connected(harbour, "twitch")];
    harbour.twitch.answerAlways(VALIDATED, FAILURES["status 500"]);
    await restart(2 * HOUR, ...users);
    await eventually(() => harbour.twitch.askedOf(VALIDATED).length > 0);
    for (const user of users) expect(await isActive(harbour, user)).toBe(true);
    harbour.twitch.answerAlways(VALIDATED, null);
  });

  test("finds a renewal that a request made meanwhile, and does not renew again", async () => {
    const [first, second] = [await connected(harbour, "twitch"), await connected(harbour, "twitch")];
    const held = harbour.twitch.hold(VALIDATED);
    await restart(2 * HOUR, first, second);
    await held.arrived;
    const before = Date.now();
    // The job has already read its list when the second user's tokens change.
    expect((await refresh(harbour, second)).status).toBe(200);
    held.letGo();
    await eventually(() => validatedAt(first) >= before);
    await eventually(() => harbour.twitch.askedOf(VALIDATED).length >= 2);
    expect((await statsOf(harbour, second)).status).toBe(200);
    expect(harbour.twitch.reuses).toBe(0);
    expect(await isActive(harbour, second)).toBe(true);
  });
});
