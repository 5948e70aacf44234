import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { discordAccount } from "../../stand-ins/discord";
import { READONLY, youtubeAccount } from "../../stand-ins/google";
import { challengeOf, FAILURES } from "../../stand-ins/oauth-platform";
import { twitchAccount } from "../../stand-ins/twitch";
import type { Answer } from "../../support/api";
import { auditRows } from "../../support/events";
import { done, expectInvalid, expectRefused } from "../../support/expectations";
import type { ExternalUser } from "../../support/people";
import { externalUser } from "../../support/people";
import {
  APP,
  authorization,
  CONNECTED,
  callBack,
  connectAs,
  connected,
  consent,
  consented,
  failed,
  type Harbour,
  kept,
  linkEvents,
  newAccount,
  outcome,
  PAGE,
  pendingOf,
  refresh,
  SLUGS,
  type Slug,
  startConnect,
  startHarbour,
  statsOf,
} from "./support";

/** Connecting an account on a platform, and attacks on the call-back (rules I1 and I2; RFC 9700). */
let harbour: Harbour;
/** Starts connections that are refused. */
let refusedUser: ExternalUser;
/** Starts connections that fail. */
let unluckyUser: ExternalUser;
beforeAll(async () => {
  harbour = await startHarbour();
  refusedUser = await externalUser(harbour.server);
  unluckyUser = await externalUser(harbour.server);
});
afterAll(() => harbour.stop());

const lastAsked = (slug: Slug, place: Parameters<Harbour["twitch"]["askedOf"]>[0]) => {
  const asked = harbour[slug].askedOf(place).at(-1);
  if (!asked) throw new Error(`${slug} was not asked for ${place}`);
  return asked;
};

const REQUIRED: Record<Slug, string[]> = {
  twitch: ["moderator:read:followers", "channel:read:subscriptions"],
  youtube: [READONLY],
  discord: ["identify"],
};

describe("where a browser is sent to consent", () => {
  test.each(SLUGS)("%s: the configured address, with exactly its parameters", async (slug) => {
    const { token } = await externalUser(harbour.server);
    const { authorization_url, state } = await authorization(harbour, slug, token);
    const url = new URL(authorization_url);
    expect(url.origin + url.pathname).toBe(
      harbour[slug].settings[`integrations.${slug}.authorize_url`] ?? "",
    );
    const { code_challenge, ...parameters } = Object.fromEntries(url.searchParams);
    expect(parameters).toEqual({
      response_type: "code",
      client_id: harbour[slug].clientId,
      redirect_uri: harbour[slug].redirectUri,
      scope: REQUIRED[slug].join(" "),
      state,
      ...(slug !== "twitch" && { code_challenge_method: "S256" }),
      ...(slug === "twitch" ? { force_verify: "true" } : { prompt: "consent" }),
      ...(slug === "youtube" && { access_type: "offline" }),
    });
    if (slug === "twitch") expect(code_challenge).toBeUndefined();
    else expect(code_challenge).toMatch(/^[\w-]{43}$/);
    // 256 random bits, of which the server keeps a hash.
    expect(state).toMatch(/^[\w-]{43}$/);
    expect(authorization_url).not.toContain(harbour[slug].clientSecret);
  });

  test.each(SLUGS)("%s: it asks whoever has consented before again", async (slug) => {
    const { token } = await externalUser(harbour.server);
    newAccount(harbour, slug);
    const asked = harbour[slug].timesAsked;
    await connectAs(harbour, slug, token);
    await connectAs(harbour, slug, token);
    expect(harbour[slug].timesAsked - asked).toBe(2);
  });

  test("state and PKCE verifier are new each time, and none is kept as it is", async () => {
    const user = await externalUser(harbour.server);
    const urls = [1, 2].map(async () => authorization(harbour, "discord", user.token));
    const [one, other] = await Promise.all(urls);
    const challenge = (url = "") => new URL(url).searchParams.get("code_challenge");
    expect(one?.state).not.toBe(other?.state as string);
    expect(challenge(one?.authorization_url)).not.toBe(challenge(other?.authorization_url));
    const pending = JSON.stringify(pendingOf(harbour, user.id));
    expect(pendingOf(harbour, user.id)).toHaveLength(2);
    expect(pending).not.toContain(one?.state as string);
    // The exchange shows the verifier.
    expect(outcome(await callBack(harbour, await consent(one?.authorization_url as string)))).toEqual(
      CONNECTED,
    );
    const { code_verifier = "" } = lastAsked("discord", "token").form;
    expect(challengeOf(code_verifier)).toBe(challenge(one?.authorization_url) as string);
    expect(pending).not.toContain(code_verifier);
  });

  test("asks for what is required and for what was asked for, each once", async () => {
    const { token } = await externalUser(harbour.server);
    const scopes = ["channel:bot", "user:read:email", "channel:bot", "moderator:read:followers"];
    const { authorization_url } = await authorization(harbour, "twitch", token, { scopes });
    const asked = new URL(authorization_url).searchParams.get("scope")?.split(" ");
    expect(asked?.toSorted()).toEqual([...REQUIRED.twitch, "channel:bot", "user:read:email"].toSorted());
  });

  test.each([
    ["an unknown scope", { scopes: ["user:write:everything"] }, "/scopes"],
    ["a scope of another platform", { scopes: ["identify"] }, "/scopes"],
    ["two scopes in one text", { scopes: ["channel:bot user:bot"] }, "/scopes"],
    ["an empty scope", { scopes: [""] }, "/scopes/0"],
    ["a scope that is no text", { scopes: [1] }, "/scopes/0"],
    ["scopes as a text", { scopes: "channel:bot" }, "/scopes"],
    ["more than 50 scopes", { scopes: Array(51).fill("channel:bot") }, "/scopes"],
    ["no redirect_uri", { redirect_uri: undefined }, "/redirect_uri"],
  ])("refuses %s", async (_, body, path) => {
    expectInvalid(await startConnect(harbour, "twitch", refusedUser.token, body), path);
    expect(pendingOf(harbour, refusedUser.id)).toEqual([]);
  });

  test("refuses an unknown platform with 404", async () => {
    for (const slug of ["myspace", "Twitch", "google", "__proto__", "constructor"])
      expectRefused(await startConnect(harbour, slug, refusedUser.token), 404, "NotFound");
    expect(pendingOf(harbour, refusedUser.id)).toEqual([]);
  });
});

describe("a redirect_uri", () => {
  test.each([
    ["a foreign origin", "https://evil.example/settings"],
    ["another scheme", "http://app.example/settings"],
    ["another port", "https://app.example:8443/settings"],
    ["a subdomain", "https://www.app.example/"],
    ["the origin as a subdomain", "https://app.example.evil.example/"],
    ["the origin as the beginning of a name", "https://app.exampleevil.net/"],
    ["the origin as user info", "https://app.example@evil.example/"],
    ["the origin as user and password", "https://app.example:443@evil.example/"],
    ["user info at the right origin", "https://user@app.example/"],
    ["a password at the right origin", "https://:secret@app.example/"],
    ["a backslash before user info", "https://evil.example\\@app.example/"],
    ["javascript:", "javascript:alert(1)//https://app.example/"],
    ["data:", "data:text/html,https://app.example/"],
    ["blob: of the right origin", "blob:https://app.example/0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02"],
    ["file:", "file:///etc/passwd"],
    ["another scheme of an application", "appexample://app.example/settings"],
    ["a scheme-relative address", "//app.example/settings"],
    ["a path", "/settings"],
    ["nothing", ""],
    ["a name with a dot at its end", "https://app.example./settings"],
    ["a wildcard", "https://*.example/settings"],
    ["a look-alike letter", "https://аpp.example/settings"],
    ["a line break in the host", "https://app.example\u2028.evil.example/"],
    ["more than 2048 characters", `https://app.example/${"x".repeat(2_048)}`],
  ])("is refused with %s", async (_, redirect_uri) => {
    expectInvalid(
      await startConnect(harbour, "twitch", refusedUser.token, { redirect_uri }),
      "/redirect_uri",
    );
    expect(pendingOf(harbour, refusedUser.id)).toEqual([]);
  });

  test.each([
    ["in upper case", "HTTPS://APP.EXAMPLE/settings", "https://app.example/settings?status=connected"],
    ["with the default port", "https://app.example:443/a", "https://app.example/a?status=connected"],
    ["with backslashes", "https:\\\\app.example\\@evil.example", `${APP}/@evil.example?status=connected`],
    ["with a query", `${PAGE}?tab=links&tab=2&q=%C3%BC`, `${PAGE}?tab=links&tab=2&q=%C3%BC&status=connected`],
    ["with a fragment", `${PAGE}#/links`, `${PAGE}?status=connected#/links`],
    ["with a status of its own", `${PAGE}?status=x&reason=y&a=1`, `${PAGE}?status=connected&a=1`],
    ["with two statuses", `${PAGE}?status=x&status=error`, `${PAGE}?status=connected`],
    ["on another allowed origin", "http://localhost:5173/", "http://localhost:5173/?status=connected"],
  ])("may be written %s: the browser ends up where it says", async (_, redirect_uri, end) => {
    const { token } = await externalUser(harbour.server);
    const answer = await callBack(harbour, await consented(harbour, "discord", token, { redirect_uri }));
    expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({
      status: 302,
      location: end,
    });
  });
});

// --- The round trip -----------------------------------------------------------------------------------------

const ACCOUNTS = {
  twitch: () => {
    const account = twitchAccount();
    harbour.twitch.signedIn = account;
    const { id, login, display_name, profile_image_url } = account.user;
    return { platform_user_id: id, username: login, display_name, profile_image_url };
  },
  youtube: () => {
    const account = youtubeAccount();
    harbour.youtube.signedIn = account;
    // biome-ignore lint/suspicious/noExplicitAny: the fields of a stand-in's own account
    const { id, snippet } = account.channel as any;
    return {
      platform_user_id: id,
      username: snippet.customUrl,
      display_name: snippet.title,
      profile_image_url: snippet.thumbnails.default.url,
    };
  },
  discord: () => {
    const account = discordAccount();
    harbour.discord.signedIn = account;
    const { id, username, global_name, avatar } = account;
    return {
      platform_user_id: id,
      username,
      display_name: global_name,
      profile_image_url: `https://cdn.discordapp.com/avatars/${id}/${avatar}.png`,
    };
  },
} satisfies Record<Slug, () => object>;

const NAMES: Record<Slug, string> = { twitch: "Twitch", youtube: "YouTube", discord: "Discord" };

describe("the whole round trip", () => {
  test.each(SLUGS)("%s: connects, and sends the browser back where it came from", async (slug) => {
    const user = await externalUser(harbour.server);
    const account = ACCOUNTS[slug]();
    const before = Date.now();
    const answer = await callBack(
      harbour,
      await consented(harbour, slug, user.token, { redirect_uri: `${PAGE}?tab=links` }),
    );
    expect(answer.status).toBe(302);
    expect(answer.body).toBeNull();
    expect(answer.headers.get("location")).toBe(`${PAGE}?tab=links&status=connected`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");

    const [record, ...others] = done(await harbour.server.get("/v1/integrations", { token: user.token }));
    const { id, connected_at, scopes, ...rest } = record;
    expect(others).toEqual([]);
    expect(rest).toEqual({
      user_id: user.id,
      platform_slug: slug,
      platform_name: NAMES[slug],
      ...account,
      is_active: true,
      bot_status: "active",
      last_refreshed_at: null,
    });
    expect(scopes.toSorted()).toEqual(REQUIRED[slug].toSorted());
    expect(Date.parse(connected_at)).toBeGreaterThanOrEqual(before);
    expect(pendingOf(harbour, user.id)).toEqual([]);

    const events = auditRows(harbour.server, id);
    expect(events).toMatchObject([
      { event_type: "account_linked", user_id: user.id, resource_type: "integration", status: "success" },
    ]);
    expect(JSON.parse(events[0]?.metadata ?? "")).toEqual({ platform: slug });
  });

  test.each(SLUGS)("%s: the code goes to the token address alone, as the standard has it", async (slug) => {
    const { token } = await externalUser(harbour.server);
    newAccount(harbour, slug);
    const standIn = harbour[slug];
    const address = await consented(harbour, slug, token);
    standIn.asked = [];
    expect(outcome(await callBack(harbour, address))).toEqual(CONNECTED);
    const code = new URL(address).searchParams.get("code") as string;
    const { code_verifier, ...form } = lastAsked(slug, "token").form;
    expect(form).toEqual({
      grant_type: "authorization_code",
      code,
      redirect_uri: standIn.redirectUri,
      client_id: standIn.clientId,
      client_secret: standIn.clientSecret,
    });
    expect(code_verifier === undefined).toBe(slug === "twitch");
    const [exchange, ...reads] = standIn.asked;
    expect(exchange?.method).toBe("POST");
    expect(exchange?.query).toEqual({});
    for (const { headers, query, path } of reads) {
      expect(headers.get("authorization")).toMatch(new RegExp(`^Bearer ${slug}-access-`));
      expect(headers.get("client-id")).toBe(slug === "twitch" ? standIn.clientId : null);
      expect(path + JSON.stringify(query)).not.toContain("access-");
    }
    for (const { headers } of standIn.asked) {
      expect(headers.get("host")).toBe(new URL(standIn.url).host);
      expect(headers.get("cookie")).toBeNull();
      expect(JSON.stringify(headers)).not.toContain(token);
    }
  });

  test.each([
    ["as a list", "list"],
    ["as a text", "text"],
    ["not at all", "nothing"],
  ] as const)("keeps the scopes that the platform tells %s", async (_, scopeAs) => {
    const { token } = await externalUser(harbour.server);
    for (const slug of SLUGS) {
      newAccount(harbour, slug);
      harbour[slug].scopeAs = scopeAs;
      const optional = slug === "twitch" ? ["channel:bot"] : [];
      const { scopes } = await connectAs(harbour, slug, token, { scopes: optional });
      harbour[slug].scopeAs = null;
      expect(scopes.toSorted()).toEqual([...REQUIRED[slug], ...optional].toSorted());
    }
  });

  test("keeps the scopes that were granted where the user unticked some", async () => {
    const { token } = await externalUser(harbour.server);
    newAccount(harbour, "discord");
    harbour.discord.changeNext("token", { scope: "identify" });
    const { scopes } = await connectAs(harbour, "discord", token, { scopes: ["guilds"] });
    expect(scopes).toEqual(["identify"]);
  });

  test("the same account may be connected by two users, each with tokens of its own", async () => {
    const [anna, bert] = [await externalUser(harbour.server), await externalUser(harbour.server)];
    newAccount(harbour, "twitch");
    const [one, other] = [
      await connectAs(harbour, "twitch", anna.token),
      await connectAs(harbour, "twitch", bert.token),
    ];
    expect(one.platform_user_id).toBe(other.platform_user_id);
    expect(one.id).not.toBe(other.id);
    expect([one.user_id, other.user_id]).toEqual([anna.id, bert.id]);
  });

  test("one user may connect several accounts of a platform", async () => {
    const { token } = await externalUser(harbour.server);
    for (const _ of [1, 2]) {
      newAccount(harbour, "twitch");
      await connectAs(harbour, "twitch", token);
    }
    const list = done(await harbour.server.get("/v1/integrations/platform/twitch", { token }));
    expect(list).toHaveLength(2);
  });

  test("a picture is kept only where the user wants pictures", async () => {
    const user = await externalUser(harbour.server);
    const change = { token: user.token, body: { avatars_enabled: false } };
    done(await harbour.server.patch(`/v1/users/${user.id}`, change));
    expect((await connectAs(harbour, "twitch", user.token)).profile_image_url).toBeNull();
  });
});

describe("connecting an account again", () => {
  test("that works still keeps its identifier and bot status, with new tokens", async () => {
    const user = await connected(harbour, "twitch");
    const { server } = harbour;
    done(
      await server.patch(`${user.path}/stream-status`, { token: user.token, body: { bot_status: "paused" } }),
    );
    const again = await connectAs(harbour, "twitch", user.token, { scopes: ["channel:bot"] });
    expect(again).toMatchObject({ id: user.id, is_active: true, bot_status: "paused" });
    expect(again.scopes).toContain("channel:bot");
    expect(linkEvents(harbour, user.userId)).toEqual(["account_linked", "account_linked"]);
  });

  test("after the platform refused it makes it active: account_reconnected", async () => {
    const user = await connected(harbour, "twitch");
    harbour.twitch.revokeAll();
    expectRefused(await refresh(harbour, user), 409, "Conflict");
    const again = await connectAs(harbour, "twitch", user.token);
    expect(again).toMatchObject({ id: user.id, is_active: true });
    expect(linkEvents(harbour, user.userId)).toEqual(["account_linked", "account_reconnected"]);
    expect((await statsOf(harbour, user)).status).toBe(200);
  });

  test("after it was removed brings back the same identifier, its bot status anew: account_reconnected", async () => {
    const user = await connected(harbour, "discord");
    const { server } = harbour;
    const { token, path } = user;
    done(await server.patch(`${path}/stream-status`, { token, body: { bot_status: "disabled" } }));
    done(await server.delete(path, { token }));
    const again = await connectAs(harbour, "discord", token);
    expect(again).toMatchObject({ id: user.id, is_active: true, bot_status: "active" });
    expect(linkEvents(harbour, user.userId)).toEqual([
      "account_linked",
      "account_unlinked",
      "account_reconnected",
    ]);
  });

  test("by another user is a connection of its own", async () => {
    const first = await connected(harbour, "discord");
    done(await harbour.server.delete(first.path, { token: first.token }));
    const second = await externalUser(harbour.server);
    const { id } = await connectAs(harbour, "discord", second.token);
    expect(id).not.toBe(first.id);
    expect(linkEvents(harbour, second.id)).toEqual(["account_linked"]);
    expectRefused(await harbour.server.get(first.path, { token: first.token }), 404, "NotFound");
  });
});

// --- Attacks ------------------------------------------------------------------------------------------------

/** Expects that a call-back is refused outright: the browser goes nowhere, no platform is asked, nothing is kept. */
async function expectThrownOut(address: string): Promise<void> {
  const before = kept(harbour);
  for (const slug of SLUGS) harbour[slug].asked = [];
  const answer = await callBack(harbour, address);
  expectRefused(answer, 400, "BadRequest");
  expect(answer.headers.get("location")).toBeNull();
  expect(kept(harbour)).toEqual(before);
  expect(SLUGS.flatMap((slug) => harbour[slug].asked)).toEqual([]);
}

/** Expects that a call-back fails for this reason, and nothing is kept. */
async function expectFailed(address: string, reason: string): Promise<Answer> {
  const before = kept(harbour);
  const answer = await callBack(harbour, address);
  expect(outcome(answer)).toEqual(failed(reason));
  expect(kept(harbour)).toEqual(before);
  return answer;
}

/** The address of a call-back with some parameters changed. */
function altered(address: string, parameters: Record<string, string | null>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

describe("a call-back is refused", () => {
  test.each([
    ["without a state", null],
    ["with an empty state", ""],
    ["with a state that nobody was given", "A".repeat(43)],
  ])("%s", async (_, state) => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    await expectThrownOut(altered(address, { state }));
    // The original address still counts.
    expect(outcome(await callBack(harbour, address))).toEqual(CONNECTED);
  });

  test("with the hash of a state, which is what the database holds", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    const [pending] = pendingOf(harbour, user.id);
    await expectThrownOut(altered(address, { state: pending?.state_hash ?? "" }));
  });

  test("at another platform's address", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    await expectThrownOut(address.replace("callback/discord", "callback/twitch"));
    // That attempt uses up the state.
    await expectThrownOut(address);
  });

  test("at the address of a platform that there isn't", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    for (const slug of ["myspace", "google", "__proto__"])
      expectRefused(await callBack(harbour, address.replace("discord", slug)), 404, "NotFound");
    expect(outcome(await callBack(harbour, address))).toEqual(CONNECTED);
  });

  test("a second time, whatever came of the first", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    expect(outcome(await callBack(harbour, address))).toEqual(CONNECTED);
    await expectThrownOut(address);

    const denied = await consented(harbour, "discord", user.token);
    const error = altered(denied, { code: null, error: "access_denied" });
    await expectFailed(error, "access_denied");
    await expectThrownOut(denied);
    await expectThrownOut(error);

    harbour.discord.answerNext("token", FAILURES["status 500"]);
    const unlucky = await consented(harbour, "discord", user.token);
    await expectFailed(unlucky, "provider_unavailable");
    await expectThrownOut(unlucky);
    expect(harbour.discord.spentCodes).toBe(0);
  });

  test("when it is asked for with HEAD, which uses nothing up", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    const before = kept(harbour);
    const asked = harbour.discord.asked.length;
    const { pathname, search } = new URL(address);
    const head = await fetch(harbour.server.url + pathname + search, { method: "HEAD", redirect: "manual" });
    expect({ status: head.status, location: head.headers.get("location") }).toEqual({
      status: 400,
      location: null,
    });
    expect(await head.text()).toBe("");
    expect(harbour.discord.asked.length).toBe(asked);
    expect(kept(harbour)).toEqual(before);
    expect(outcome(await callBack(harbour, address))).toEqual(CONNECTED);
  });

  test("a second time at the same moment: one of many counts", async () => {
    const user = await externalUser(harbour.server);
    newAccount(harbour, "discord");
    const address = await consented(harbour, "discord", user.token);
    const answers = await Promise.all(Array.from({ length: 8 }, () => callBack(harbour, address)));
    expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array(7).fill(400)]);
    expect(harbour.discord.spentCodes).toBe(0);
    expect(linkEvents(harbour, user.id)).toEqual(["account_linked"]);
  });

  test.each([
    ["two states", (url: URL) => url.searchParams.append("state", "A".repeat(43))],
    ["a state that is too long", (url: URL) => url.searchParams.set("state", "A".repeat(5_000))],
    ["a code that is too long", (url: URL) => url.searchParams.set("code", "A".repeat(5_000))],
  ])("with %s", async (_, change) => {
    const before = kept(harbour);
    const url = new URL(await consented(harbour, "discord", unluckyUser.token));
    change(url);
    expect((await callBack(harbour, url.href)).status).toBe(400);
    expect(kept(harbour)).toEqual(before);
  });
});

describe("a connection fails", () => {
  test("with the code of another authorization: PKCE binds it", async () => {
    const [anna, mallory] = [await externalUser(harbour.server), await externalUser(harbour.server)];
    for (const slug of ["youtube", "discord"] as const) {
      const stolen = new URL(await consented(harbour, slug, anna.token)).searchParams.get("code");
      const own = await consented(harbour, slug, mallory.token);
      await expectFailed(altered(own, { code: stolen }), "grant_refused");
    }
  });

  test.each([
    ["without a code", null, "invalid_request"],
    ["with an empty code", "", "invalid_request"],
    ["with a code that is none", "made-up", "grant_refused"],
  ])("%s", async (_, code, reason) => {
    const address = await consented(harbour, "discord", unluckyUser.token);
    harbour.discord.asked = [];
    await expectFailed(altered(address, { code }), reason);
    expect(harbour.discord.askedOf("token")).toHaveLength(code ? 1 : 0);
  });

  test("when another issuer answers (RFC 9207): the code goes nowhere", async () => {
    const user = await externalUser(harbour.server);
    for (const iss of ["https://evil.example", `${harbour.discord.url}/`, "null"]) {
      const address = await consented(harbour, "discord", user.token);
      harbour.discord.asked = [];
      await expectFailed(altered(address, { iss }), "provider_unavailable");
      expect(harbour.discord.asked).toEqual([]);
    }
    const address = await consented(harbour, "discord", user.token);
    expect(outcome(await callBack(harbour, altered(address, { iss: harbour.discord.url })))).toEqual(
      CONNECTED,
    );
  });

  test("for a user who was banned meanwhile", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    const token = await harbour.server.admin();
    done(await harbour.server.post(`/v1/users/${user.id}/ban`, { token, body: { reason: "spam" } }));
    await expectFailed(address, "account_unavailable");
  });

  test("for a user who was deleted meanwhile", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    const token = await harbour.server.admin();
    expect((await harbour.server.delete(`/v1/users/${user.id}`, { token })).status).toBe(204);
    await expectFailed(address, "account_unavailable");
  });

  test("for a key that lost the permission meanwhile", async () => {
    const { server } = harbour;
    const { id, key } = await server.createKey("integrations:write", "gps:read");
    const address = await consented(harbour, "discord", key);
    const body = { scopes: ["gps:read"] };
    done(await server.patch(`/v1/api-keys/${id}`, { token: await server.admin(), body }));
    await expectFailed(address, "account_unavailable");
  });

  test("for a user who was banned while the platform was asked", async () => {
    const user = await externalUser(harbour.server);
    const held = harbour.discord.hold("/users/@me");
    const answering = expectFailed(await consented(harbour, "discord", user.token), "account_unavailable");
    await held.arrived;
    const token = await harbour.server.admin();
    done(await harbour.server.post(`/v1/users/${user.id}/ban`, { token, body: { reason: "spam" } }));
    held.letGo();
    await answering;
  });

  test("for a user who was scrubbed meanwhile: nothing of the authorization is left", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    const token = await harbour.server.admin();
    done(await harbour.server.post(`/v1/admin/users/${user.id}/force-delete`, { token, body: {} }));
    expect(pendingOf(harbour, user.id)).toEqual([]);
    await expectThrownOut(address);
  });

  test("for a user who signed out meanwhile: whoever held the session starts nothing with it any more", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    done(await harbour.server.post("/v1/auth/logout", { token: user.token }));
    const before = kept(harbour);
    await callBack(harbour, address);
    expect(kept(harbour)).toEqual(before);
  });

  test("for a YouTube account without a channel", async () => {
    harbour.youtube.signedIn = youtubeAccount({ channel: null });
    await expectFailed(await consented(harbour, "youtube", unluckyUser.token), "no_channel");
  });
});

describe("what a platform says in place of a code", () => {
  test.each(SLUGS)("%s: the user says no, and the application is told", async (slug) => {
    const user = await externalUser(harbour.server);
    harbour[slug].denial = {
      error: "access_denied",
      error_description: "The user denied you access <script>",
    };
    const address = await consented(harbour, slug, user.token);
    harbour[slug].denial = null;
    harbour[slug].asked = [];
    const answer = await expectFailed(address, "access_denied");
    expect(answer.headers.get("location")).toBe(`${PAGE}?status=error&reason=access_denied`);
    expect(harbour[slug].asked).toEqual([]);
  });

  test.each([
    "",
    "access denied",
    "ACCESS_DENIED",
    "access_denied&status=connected",
    "<script>alert(1)</script>",
    "access_denied\r\nset-cookie: a=b",
    "../../evil",
    "https://evil.example",
    "x".repeat(65),
    "ünwilling",
    "\u0000",
    "%0d%0aset-cookie:%20a=b",
  ])("that is no plain word is not handed on: %j", async (error) => {
    const address = await consented(harbour, "discord", unluckyUser.token);
    const answer = await expectFailed(altered(address, { code: null, error }), "provider_error");
    expect(answer.headers.get("location")).toBe(`${PAGE}?status=error&reason=provider_error`);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("an error beside a code is an error: the code goes nowhere", async () => {
    const address = await consented(harbour, "discord", unluckyUser.token);
    harbour.discord.asked = [];
    await expectFailed(altered(address, { error: "server_error" }), "server_error");
    expect(harbour.discord.asked).toEqual([]);
  });
});

// --- Platforms that fail ------------------------------------------------------------------------------------

describe("a token address that", () => {
  const BROKEN: [string, (() => Response) | object][] = [
    ...Object.entries(FAILURES),
    ["status 400 with invalid_client", () => Response.json({ error: "invalid_client" }, { status: 400 })],
    ["status 401 with invalid_client", () => Response.json({ error: "invalid_client" }, { status: 401 })],
    ["status 403", () => Response.json({ status: 403, message: "invalid client secret" }, { status: 403 })],
    ["status 404", () => new Response("not here", { status: 404 })],
    ["a redirect", () => Response.redirect(`${harbour.elsewhere.url}/token`, 302)],
    ["a redirect that keeps the form", () => Response.redirect(`${harbour.elsewhere.url}/token`, 307)],
    ["no access token", { access_token: undefined }],
    ["an access token that is null", { access_token: null }],
    ["an access token that is no text", { access_token: 17 }],
    ["an empty access token", { access_token: "" }],
    ["an access token with a line break", { access_token: "one\r\nx-evil: two" }],
    ["a token type that is unknown", { token_type: "mac" }],
    ["no token type", { token_type: undefined }],
    ["a refresh token that is no text", { refresh_token: { a: 1 } }],
    ["a lifetime that is no number", { expires_in: "soon" }],
    ["a negative lifetime", { expires_in: -1 }],
    ["scopes that are no text", { scope: { identify: true } }],
  ];

  test.each(BROKEN)("answers with %s: provider_unavailable, and nothing is kept", async (_, instead) => {
    const address = await consented(harbour, "discord", unluckyUser.token);
    if (typeof instead === "function") harbour.discord.answerNext("token", instead as () => Response);
    else harbour.discord.changeNext("token", instead);
    await expectFailed(address, "provider_unavailable");
    expect(harbour.elsewhere.asked).toEqual([]);
  });

  test.each([
    ["status 400 with invalid_grant", () => Response.json({ error: "invalid_grant" }, { status: 400 })],
    ["Twitch's way to refuse a code", () => harbour.twitch.refuse("code")],
    ["status 401", () => Response.json({ status: 401, message: "no" }, { status: 401 })],
  ])("answers with %s: grant_refused, and nothing is kept", async (_, instead) => {
    const address = await consented(harbour, "discord", unluckyUser.token);
    harbour.discord.answerNext("token", instead);
    await expectFailed(address, "grant_refused");
  });

  test.each([
    [
      "null in place of what may be left out",
      { refresh_token: null, expires_in: null, scope: null },
      ["identify"],
    ],
    ["a list of scopes, and null beside it", { refresh_token: null, scope: ["identify"] }, ["identify"]],
    ["a lifetime as a text", { expires_in: "600" }, ["identify"]],
    ["a lifetime with a fraction", { expires_in: 599.9996 }, ["identify"]],
    ["a lifetime beyond all time", { expires_in: 1e300 }, ["identify"]],
    ["a lifetime of millennia", { expires_in: 9e15 }, ["identify"]],
    ["scopes separated by commas", { scope: "identify,guilds" }, ["identify", "guilds"]],
    ["an empty text for scopes", { scope: "" }, []],
    ["fields that nobody knows", { id: "x", refresh_expires_in: "never" }, ["identify"]],
  ])("answers with %s: connected all the same", async (_, more, scopes) => {
    const user = await connected(harbour, "discord");
    newAccount(harbour, "discord");
    harbour.discord.changeNext("token", more);
    const record = await connectAs(harbour, "discord", user.token);
    expect(record.scopes).toEqual(scopes);
    // Any answer of the platform is kept in a form that works.
    expect((await statsOf(harbour, { ...user, path: `/v1/integrations/${record.id}` })).status).toBe(200);
  });

  test("can't be reached: provider_unavailable, and nothing is kept", async () => {
    const user = await externalUser(harbour.server);
    const address = await consented(harbour, "discord", user.token);
    const comeBack = await harbour.discord.goDown();
    await expectFailed(address, "provider_unavailable");
    comeBack();
  });
});

describe("an account that", () => {
  const ways: [string, () => Response, string][] = [
    ...Object.entries(FAILURES).map(([name, instead]): [string, () => Response, string] => [
      name,
      instead,
      "provider_unavailable",
    ]),
    ["status 401", () => new Response(null, { status: 401 }), "grant_refused"],
    ["status 403", () => new Response(null, { status: 403 }), "not_permitted"],
    ["a redirect", () => Response.redirect(`${harbour.elsewhere.url}/me`, 302), "provider_unavailable"],
    ["no identifier", () => Response.json({ username: "x" }), "provider_unavailable"],
    ["an identifier that is no text", () => Response.json({ id: 17, username: "x" }), "provider_unavailable"],
    ["an empty identifier", () => Response.json({ id: "", username: "x" }), "provider_unavailable"],
    ["no name", () => Response.json({ id: "1" }), "provider_unavailable"],
  ];
  test.each(ways)("is answered with %s is not connected", async (_, instead, reason) => {
    const address = await consented(harbour, "discord", unluckyUser.token);
    harbour.discord.answerNext("/users/@me", instead);
    await expectFailed(address, reason);
    expect(harbour.elsewhere.asked).toEqual([]);
  });

  test.each([
    ["javascript:alert(1)", null],
    ["data:image/svg+xml,<svg onload=alert(1)>", null],
    ["//cdn.example/x.png", null],
    ["", null],
    [17, null],
    [{ url: "https://cdn.example/x.png" }, null],
    ["https://cdn.example/x y.png", "https://cdn.example/x%20y.png"],
  ])("has %j for a picture has this one: %j", async (profile_image_url, picture) => {
    const { token } = await externalUser(harbour.server);
    const { user } = twitchAccount();
    harbour.twitch.answerNext("/users", () => Response.json({ data: [{ ...user, profile_image_url }] }));
    expect((await connectAs(harbour, "twitch", token)).profile_image_url).toBe(picture);
    expect(harbour.elsewhere.asked).toEqual([]);
  });

  test.each([
    [{ avatar: "a_8342729096ea3675442027381ff50dfe" }, "a_8342729096ea3675442027381ff50dfe.gif"],
    [{ avatar: null }, null],
    [{ avatar: "../../evil" }, null],
    [{ avatar: "x?y=z" }, null],
    [{ id: "1/../2" }, null],
    [{ avatar: 17 }, null],
  ])("is %j on Discord has this picture: %j", async (more, file) => {
    const { token } = await externalUser(harbour.server);
    const account = { ...discordAccount(), ...more };
    harbour.discord.answerNext("/users/@me", () => Response.json(account));
    expect((await connectAs(harbour, "discord", token)).profile_image_url).toBe(
      file && `https://cdn.discordapp.com/avatars/${account.id}/${file}`,
    );
  });

  test("has no handle on YouTube goes by the title of its channel", async () => {
    const { token } = await externalUser(harbour.server);
    const channel = { id: "UC-bare", snippet: { title: "Bare poles" }, statistics: {} };
    harbour.youtube.signedIn = youtubeAccount({ channel });
    expect(await connectAs(harbour, "youtube", token)).toMatchObject({
      username: "Bare poles",
      display_name: "Bare poles",
      profile_image_url: null,
    });
  });

  test("has long and broken texts is kept with as much of them as is kept of anybody", async () => {
    const { token } = await externalUser(harbour.server);
    const account = { ...discordAccount(), global_name: `\ud800${"x".repeat(100_000)}` };
    harbour.discord.answerNext("/users/@me", () => Response.json(account));
    const { display_name } = await connectAs(harbour, "discord", token);
    expect(display_name).toBe(`\ufffd${"x".repeat(2_047)}`);
  });
});

// --- Time ---------------------------------------------------------------------------------------------------

describe("a state", () => {
  test("counts for 10 minutes, and no longer", async () => {
    const user = await externalUser(harbour.server);
    const [early, late] = [
      await consented(harbour, "discord", user.token),
      await consented(harbour, "discord", user.token),
    ];
    await harbour.server.advance(9 * 60_000);
    expect(outcome(await callBack(harbour, early))).toEqual(CONNECTED);
    await harbour.server.advance(60_000);
    await expectThrownOut(late);
  });
});
