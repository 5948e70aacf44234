import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exported } from "../../personal-data/export/support";
import { FAILURES } from "../../stand-ins/oauth-platform";
import type { Answer, Token } from "../../support/api";
import { camelCased } from "../../support/camel-case";
import { commandLineKey, createKey } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { done, eventually, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { externalUser } from "../../support/people";
import { assign, newRole } from "../../support/roles";
import { filesWith, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import {
  type Connected,
  callBack,
  connectAs,
  connected,
  consented,
  type Harbour,
  integrationRow,
  kept,
  linkEvents,
  newAccount,
  outcome,
  PAGE,
  pendingOf,
  refresh,
  SLUGS,
  startConnect,
  startHarbour,
  statsOf,
} from "./support";

/** A user's integrations, and the status of their bots (rules I1 to I3). */
let harbour: Harbour;
let server: TestServer;
beforeAll(async () => {
  harbour = await startHarbour();
  server = harbour.server;
});
afterAll(() => harbour.stop());

const root = "/v1/integrations";

/** All operations on an integration, or a platform, with a body that they accept. */
const ONE: [string, string, object | undefined][] = [
  ["GET", "", undefined],
  ["POST", "/stats", undefined],
  ["POST", "/refresh", undefined],
  ["PATCH", "/stream-status", { bot_status: "paused" }],
  ["DELETE", "", undefined],
];

const ask = (method: string, path: string, token: Token, body?: object): Promise<Answer> =>
  server.request(method, path, { token, ...(body && { body }) });

describe("reading", () => {
  test("the lists hold the caller's own, newest first, bare", async () => {
    const [anna, bert] = [await connected(harbour, "twitch"), await connected(harbour, "twitch")];
    for (const slug of ["discord", "twitch"] as const) {
      newAccount(harbour, slug);
      await connectAs(harbour, slug, anna.token);
    }
    const all = done(await server.get(root, { token: anna.token }));
    expect(all.map((one: { platform_slug: string }) => one.platform_slug)).toEqual([
      "twitch",
      "discord",
      "twitch",
    ]);
    expect(all.at(-1).id).toBe(anna.id);
    expect(new Set(all.map((one: { user_id: string }) => one.user_id))).toEqual(new Set([anna.userId]));
    const onTwitch = done(await server.get(`${root}/platform/twitch`, { token: anna.token }));
    expect(onTwitch).toEqual([all[0], all[2]]);
    expect(done(await server.get(`${root}/platform/youtube`, { token: anna.token }))).toEqual([]);
    const berts = done(await server.get(root, { token: bert.token }));
    expect(berts.map(({ id }: { id: string }) => id)).toEqual([bert.id]);
  });

  test("one is enveloped, and the same as in the list", async () => {
    const user = await connected(harbour, "discord");
    const { data, _links } = done(await server.get(user.path, { token: user.token }));
    expect(_links).toEqual({ self: user.path });
    expect(done(await server.get(root, { token: user.token }))).toEqual([data]);
  });

  test("an account connected again is the newest", async () => {
    const user = await externalUser(harbour.server);
    for (const slug of ["discord", "youtube", "discord"] as const) await connectAs(harbour, slug, user.token);
    const all = done(await server.get(root, { token: user.token }));
    expect(all.map((one: { platform_slug: string }) => one.platform_slug)).toEqual(["discord", "youtube"]);
  });

  test("a platform's path may not be confused with an integration's", async () => {
    const { token } = await externalUser(harbour.server);
    for (const slug of ["platforms", "callback", "platform"])
      expect((await server.get(`${root}/${slug}`, { token })).status).toBe(slug === "platforms" ? 200 : 400);
  });

  test("an unknown platform gives 404", async () => {
    const { token } = await externalUser(harbour.server);
    for (const slug of ["myspace", "TWITCH", "google", "__proto__", "toString"]) {
      expectRefused(await server.get(`${root}/platform/${slug}`, { token }), 404, "NotFound");
      expectRefused(await server.get(`${root}/platform/${slug}/scopes`, { token }), 404, "NotFound");
    }
  });
});

describe("an integration of somebody else's", () => {
  test.each(ONE)("%s {id}%s: isn't found, by whomever", async (method, suffix, body) => {
    const owner = await connected(harbour, "twitch");
    const other = await connected(harbour, "twitch");
    const before = kept(harbour);
    harbour.twitch.asked = [];
    for (const token of [other.token, await server.admin()])
      expectRefused(await ask(method, owner.path + suffix, token, body), 404, "NotFound");
    expectRefused(await ask(method, `${root}/${UNKNOWN}${suffix}`, owner.token, body), 404, "NotFound");
    expect((await ask(method, `${root}/nonsense${suffix}`, owner.token, body)).status).toBe(400);
    expect(kept(harbour)).toEqual(before);
    expect(harbour.twitch.asked).toEqual([]);
  });
});

describe("an API key", () => {
  /** A connected user who may have keys, and a key with these scopes. */
  async function keyed(...scopes: string[]): Promise<Connected & { key: Token }> {
    const user = await connected(harbour, "twitch");
    const held = ["integrations:read", "integrations:write", "api_keys:read", "api_keys:write"];
    await assign(server, user.userId, (await newRole(server, ...held)).id);
    return { ...user, key: (await createKey(server, user.token, scopes)).key };
  }

  const READS: [string, string, object?][] = [
    ["GET", root],
    ["GET", `${root}/platform/twitch`],
    ["GET", "{id}"],
    ["POST", "{id}/stats"],
  ];
  const WRITES: [string, string, object?][] = [
    ["POST", `${root}/platform/twitch/connect`, { redirect_uri: PAGE }],
    ["POST", "{id}/refresh"],
    ["PATCH", "{id}/stream-status", { bot_status: "paused" }],
    ["DELETE", "{id}"],
  ];

  test("with integrations:read reads its owner's, and changes nothing", async () => {
    const user = await keyed("integrations:read");
    for (const [method, path, body] of READS)
      expect((await ask(method, path.replace("{id}", user.path), user.key, body)).status).toBe(200);
    const before = kept(harbour);
    for (const [method, path, body] of WRITES)
      expectRefused(await ask(method, path.replace("{id}", user.path), user.key, body), 403, "Forbidden");
    expect(kept(harbour)).toEqual(before);
    expect(pendingOf(harbour, user.userId)).toEqual([]);
  });

  test("with integrations:write changes its owner's, and reads none", async () => {
    const user = await keyed("integrations:write");
    for (const [method, path, body] of READS)
      expectRefused(await ask(method, path.replace("{id}", user.path), user.key, body), 403, "Forbidden");
    for (const [method, path, body] of WRITES)
      expect((await ask(method, path.replace("{id}", user.path), user.key, body)).status).toBe(200);
    expect(integrationRow(harbour, user.id)?.removed_at).not.toBeNull();
  });

  test("without either may do neither, nor read what is no user's", async () => {
    const user = await keyed();
    for (const [method, path, body] of [...READS, ...WRITES])
      expectRefused(await ask(method, path.replace("{id}", user.path), user.key, body), 403, "Forbidden");
    for (const path of [`${root}/platforms`, `${root}/platform/twitch/scopes`])
      expectRefused(await server.get(path, { token: user.key }), 403, "Forbidden");
  });

  test("starts a connection for its owner", async () => {
    const user = await keyed("integrations:write");
    newAccount(harbour, "discord");
    expect(outcome(await callBack(harbour, await consented(harbour, "discord", user.key)))).toEqual({
      status: "connected",
      reason: null,
    });
    expect(done(await server.get(`${root}/platform/discord`, { token: user.token }))).toHaveLength(1);
  });

  test("of the system without an owner gets 400", async () => {
    const { path } = await connected(harbour, "twitch");
    const token = server.systemKey;
    for (const [method, where, body] of [...READS, ...WRITES])
      expectRefused(await ask(method, where.replace("{id}", path), token, body), 400, "BadRequest");
  });

  test("of the system with an owner acts for the owner", async () => {
    const user = await externalUser(harbour.server);
    const { key } = await commandLineKey(server, { system: true, owner: user.username });
    await connectAs(harbour, "discord", key);
    const all = done(await server.get(root, { token: user.token }));
    expect(all).toHaveLength(1);
    expect(done(await server.get(root, { token: key }))).toEqual(all);
  });
});

describe("platforms and scopes", () => {
  test("all three are there, with their features, and an icon that no other host sends", async () => {
    const { token } = await externalUser(harbour.server);
    const { platforms } = done(await server.get(`${root}/platforms`, { token }));
    expect(
      platforms.map(({ slug, name, enabled, features }: Record<string, unknown>) => [
        slug,
        name,
        enabled,
        features,
      ]),
    ).toEqual([
      ["twitch", "Twitch", true, ["channel_stats", "bot_commands", "channel_points"]],
      ["youtube", "YouTube", true, ["channel_stats"]],
      ["discord", "Discord", true, ["bot_commands"]],
    ]);
    for (const { icon_url, description } of platforms) {
      expect(icon_url).toStartWith("data:image/svg+xml,");
      expect(description).not.toBe("");
    }
  });

  test("the scopes of Twitch are those of its catalogue, with what is required", async () => {
    const { token } = await externalUser(harbour.server);
    const { platform, scopes } = done(await server.get(`${root}/platform/twitch/scopes`, { token }));
    expect(platform).toBe("twitch");
    const named = (required: boolean) =>
      scopes
        .filter((one: { required: boolean }) => one.required === required)
        .map((one: { name: string }) => one.name);
    expect(named(true).toSorted()).toEqual(["channel:read:subscriptions", "moderator:read:followers"]);
    expect([...named(true), ...named(false)].toSorted()).toEqual(harbour.twitch.contract.scopes.toSorted());
  });

  test("every scope that is told may be asked for", async () => {
    const { token } = await externalUser(harbour.server);
    for (const slug of SLUGS) {
      const { scopes } = done(await server.get(`${root}/platform/${slug}/scopes`, { token }));
      const names = scopes.map(({ name }: { name: string }) => name);
      newAccount(harbour, slug);
      const record = await connectAs(harbour, slug, token, { scopes: names });
      expect(record.scopes.toSorted()).toEqual(names.toSorted());
    }
  });

  test("a stranger learns of neither", async () => {
    for (const path of [
      root,
      `${root}/platforms`,
      `${root}/platform/twitch/scopes`,
      `${root}/platform/twitch`,
    ])
      expectRefused(await server.get(path), 401, "Unauthorized");
  });
});

describe("the bot status", () => {
  const set = (user: Connected, body: object) =>
    server.patch(`${user.path}/stream-status`, { token: user.token, body });

  test("is set to each of its states from each", async () => {
    const user = await connected(harbour, "twitch");
    for (const bot_status of ["paused", "disabled", "paused", "active", "disabled", "active", "active"]) {
      const { status, body } = await set(user, { bot_status });
      expect({ status, body }).toEqual({ status: 200, body: { success: true, bot_status } });
      expect(done(await server.get(user.path, { token: user.token })).data.bot_status).toBe(bot_status);
    }
    expect(linkEvents(harbour, user.userId)).toEqual(["account_linked"]);
  });

  test.each([
    [{}],
    [{ bot_status: "on" }],
    [{ bot_status: "Active" }],
    [{ bot_status: null }],
    [{ bot_status: ["active"] }],
    [{ bot_status: true }],
  ])("is not set by %j", async (body) => {
    const user = await connected(harbour, "twitch");
    const before = kept(harbour);
    expectInvalid(await set(user, body), "/bot_status");
    expect(kept(harbour)).toEqual(before);
  });

  test("is set of an inactive integration too, and stays when it works again", async () => {
    const user = await connected(harbour, "twitch");
    harbour.twitch.revokeAll();
    expectRefused(await refresh(harbour, user), 409, "Conflict");
    expect((await set(user, { bot_status: "disabled" })).status).toBe(200);
    expect(await connectAs(harbour, "twitch", user.token)).toMatchObject({
      bot_status: "disabled",
      is_active: true,
    });
  });
});

describe("removing", () => {
  test.each(SLUGS)("%s: takes the integration away, and its tokens count no more", async (slug) => {
    const user = await connected(harbour, slug);
    const grant = harbour[slug].grants.at(-1);
    const [access = ""] = grant?.access ?? [];
    harbour[slug].asked = [];
    const { status, body } = await server.delete(user.path, { token: user.token });
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, message: expect.stringContaining("revoked") },
    });
    expect(grant).toMatchObject({ access: new Set(), refresh: null });
    const revocations = harbour[slug].askedOf("revoke");
    expect(revocations.map(({ form }) => form.token)).toContain(access);
    for (const { method, form, query } of revocations) {
      expect(method).toBe("POST");
      expect(form.client_id).toBe(harbour[slug].clientId);
      expect(query).toEqual({});
    }
    expect(done(await server.get(root, { token: user.token }))).toEqual([]);
    for (const [how, suffix, change] of ONE)
      expectRefused(await ask(how, user.path + suffix, user.token, change), 404, "NotFound");
    expect(integrationRow(harbour, user.id)).toMatchObject({
      access_token: null,
      refresh_token: null,
      is_active: 0,
    });
    const events = auditRows(server, user.id);
    expect(events.map(({ event_type, actor_id }) => [event_type, actor_id ?? user.userId])).toEqual([
      ["account_linked", user.userId],
      ["account_unlinked", user.userId],
    ]);
    expect(JSON.parse(events[1]?.metadata ?? "")).toEqual({ platform: slug });
  });

  const WAYS: [string, () => Response][] = [
    ["status 500", FAILURES["status 500"]],
    ["status 429", FAILURES["status 429"]],
    ["an enormous answer", FAILURES["an enormous answer"]],
    [
      "Twitch's refusal of this client",
      () => Response.json({ status: 404, message: "client does not exist" }, { status: 404 }),
    ],
    [
      "400 for this client",
      () => Response.json({ error: "invalid_client", error_description: "Unauthorized" }, { status: 400 }),
    ],
    ["a redirect", () => Response.redirect(`${harbour.elsewhere.url}/revoke`, 307)],
  ];
  test.each(WAYS)("takes it away also when the platform answers %s, and says so", async (_, instead) => {
    const user = await connected(harbour, "discord");
    harbour.discord.answerAlways("revoke", instead);
    const { status, body } = await server.delete(user.path, { token: user.token });
    harbour.discord.answerAlways("revoke", null);
    expect({ status, success: body.success }).toEqual({ status: 200, success: true });
    expect(body.message).toContain("could not be told");
    expect(integrationRow(harbour, user.id)).toMatchObject({
      access_token: null,
      refresh_token: null,
      is_active: 0,
    });
    expect(linkEvents(harbour, user.userId)).toEqual(["account_linked", "account_unlinked"]);
    expect(harbour.elsewhere.asked).toEqual([]);
  });

  test("takes it away also when the platform can't be reached", async () => {
    const user = await connected(harbour, "discord");
    const comeBack = await harbour.discord.goDown();
    const { status, body } = await server.delete(user.path, { token: user.token });
    comeBack();
    expect(status).toBe(200);
    expect(body.message).toContain("could not be told");
    expect(done(await server.get(root, { token: user.token }))).toEqual([]);
  });

  test("a token that counted no more is as good as revoked", async () => {
    const user = await connected(harbour, "youtube");
    harbour.youtube.revokeAll();
    expect(done(await server.delete(user.path, { token: user.token })).message).not.toContain("could not");
  });

  test("an inactive integration asks nobody", async () => {
    const user = await connected(harbour, "twitch");
    harbour.twitch.revokeAll();
    expectRefused(await refresh(harbour, user), 409, "Conflict");
    harbour.twitch.asked = [];
    expect((await server.delete(user.path, { token: user.token })).status).toBe(200);
    expect(harbour.twitch.asked).toEqual([]);
  });

  test("twice at a time succeeds once: one event", async () => {
    const user = await connected(harbour, "twitch");
    const answers = await Promise.all([1, 2, 3].map(() => server.delete(user.path, { token: user.token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(linkEvents(harbour, user.userId)).toEqual(["account_linked", "account_unlinked"]);
  });

  test("leaves the user's others alone", async () => {
    const user = await connected(harbour, "twitch");
    newAccount(harbour, "twitch");
    const { id } = await connectAs(harbour, "twitch", user.token);
    done(await server.delete(user.path, { token: user.token }));
    expect((await statsOf(harbour, { ...user, path: `${root}/${id}` })).status).toBe(200);
  });
});

test("a community bot hears of no integration: it is no account that its user signs in with", async () => {
  const bot = await Client.open(server, { bearer: await server.key("community:sync") });
  await bot.subscribe("community");
  const { token, path } = await connected(harbour, "discord");
  // The user signed in through Discord, which the bot hears.
  expect(await bot.heard()).toHaveLength(1);
  done(await server.delete(path, { token }));
  expect(await bot.heard()).toEqual([]);
  await bot.close();
});

describe("an account that is scrubbed", () => {
  test("leaves no integration, no authorization under way and no token that counts", async () => {
    const user = await connected(harbour, "twitch");
    for (const slug of ["discord", "youtube"] as const) {
      newAccount(harbour, slug);
      await connectAs(harbour, slug, user.token);
    }
    const removed = await connectAs(harbour, "discord", user.token);
    done(await server.delete(`${root}/${removed.id}`, { token: user.token }));
    newAccount(harbour, "discord");
    await connectAs(harbour, "discord", user.token);
    await consented(harbour, "twitch", user.token);
    const bystander = await connected(harbour, "twitch");
    const grants = SLUGS.map((slug) => harbour[slug].grants.at(slug === "twitch" ? -2 : -1));
    expect(grants.map((grant) => grant?.access.size)).toEqual([1, 1, 1]);

    const token = await server.admin();
    done(await server.post(`/v1/admin/users/${user.userId}/force-delete`, { token, body: {} }));
    expect(rows(server, "SELECT id FROM integrations WHERE user_id = ?", user.userId)).toEqual([]);
    expect(pendingOf(harbour, user.userId)).toEqual([]);
    await eventually(() => grants.every((grant) => grant?.access.size === 0 && grant.refresh === null));
    expect((await statsOf(harbour, bystander)).status).toBe(200);
  });

  test("is scrubbed also when the platforms fail", async () => {
    const user = await connected(harbour, "discord");
    const comeBack = await harbour.discord.goDown();
    const token = await server.admin();
    done(await server.post(`/v1/admin/users/${user.userId}/force-delete`, { token, body: {} }));
    comeBack();
    expect(integrationRow(harbour, user.id)).toBeUndefined();
  });
});

describe("an export", () => {
  test("holds the user's own integrations, as the API tells them", async () => {
    const user = await connected(harbour, "twitch");
    await connected(harbour, "twitch");
    newAccount(harbour, "discord");
    const second = await connectAs(harbour, "discord", user.token);
    const records = done(await server.get(root, { token: user.token }));
    expect((await exported(server, user.token)).data.integrations).toEqual(records.map(camelCased));
    done(await server.delete(`${root}/${second.id}`, { token: user.token }));
    const { data } = await exported(server, user.token);
    expect(data.integrations).toEqual([camelCased(records[1])]);
  });
});

// --- Other configurations -----------------------------------------------------------------------------------

describe("a server that is registered with no platform", () => {
  let bare: TestServer;
  beforeAll(async () => {
    bare = await TestServer.start();
  });
  afterAll(() => bare.stop());

  test("says so, and gives 503 to whoever connects; all else works", async () => {
    const token = await bare.admin();
    const { platforms } = done(await bare.get(`${root}/platforms`, { token }));
    expect(platforms.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([false, false, false]);
    // Without integrations.allowed_redirects, a browser may end up at the server's own origin.
    const redirect_uri = `http://localhost:${new URL(bare.url).port}/docs`;
    for (const slug of SLUGS) {
      const answer = await bare.post(`${root}/platform/${slug}/connect`, { token, body: { redirect_uri } });
      expectRefused(answer, 503, "ServiceUnavailable");
      expectInvalid(
        await bare.post(`${root}/platform/${slug}/connect`, { token, body: { redirect_uri: PAGE } }),
        "/redirect_uri",
      );
      expect(done(await bare.get(`${root}/platform/${slug}/scopes`, { token })).scopes).not.toEqual([]);
      expectRefused(await bare.get(`${root}/callback/${slug}?code=x&state=y`), 400, "BadRequest");
    }
    expect(rows(bare, "SELECT * FROM integration_states")).toEqual([]);
    expect(done(await bare.get(root, { token }))).toEqual([]);
  });
});

describe("limits, and what is written where", () => {
  let other: Harbour;
  beforeAll(async () => {
    other = await startHarbour({ "rate_limit.enabled": "true", "log.level": "debug" });
  });
  afterAll(() => other.stop());

  /** The number of requests until one is refused, with the time to come back. */
  async function passing(request: () => Promise<Answer>): Promise<number> {
    for (let passed = 0; ; passed++) {
      const answer = await request();
      if (answer.status !== 429) continue;
      expectRefused(answer, 429, "TooManyRequests");
      expect(Number(answer.headers.get("retry-after"))).toBeWithin(1, 601);
      return passed;
    }
  }

  test("a credential starts 20 connections in 10 minutes", async () => {
    const [anna, bert] = [await externalUser(other.server), await externalUser(other.server)];
    expect(await passing(() => startConnect(other, "twitch", anna.token))).toBe(20);
    expect(pendingOf(other, anna.id)).toHaveLength(20);
    expect((await startConnect(other, "twitch", bert.token)).status).toBe(200);
  });

  test("a credential asks platforms 120 times in 10 minutes, by stats and renewals together", async () => {
    const user = await externalUser(other.server);
    let asked = 0;
    const where = () => `${root}/${UNKNOWN}/${++asked % 2 ? "stats" : "refresh"}`;
    expect(await passing(() => other.server.post(where(), { token: user.token }))).toBe(120);
  });

  test("an address calls back 60 times in 10 minutes, and then again", async () => {
    const user = await externalUser(other.server);
    const address = await consented(other, "discord", user.token);
    const made = () => other.server.get(`${root}/callback/discord?code=x&state=made-up`);
    expect(await passing(made)).toBe(60);
    // A call-back that is refused by the limit doesn't use up its state.
    expect((await callBack(other, address)).status).toBe(429);
    expect(pendingOf(other, user.id)).toHaveLength(1);
    await other.server.advance(10 * 60_000);
    const again = await consented(other, "discord", user.token);
    expect(outcome(await callBack(other, again)).status).toBe("connected");
  });

  test("no token, code, verifier, state or secret is in a file, a log line, an answer, an event or an export", async () => {
    const secrets: string[] = [];
    const answers: Answer[] = [];
    const { twitch, youtube, discord } = other;
    const note = (answer: Answer) => {
      answers.push(answer);
      return answer;
    };
    for (const slug of SLUGS) {
      const standIn = other[slug];
      const user = await connected(other, slug);
      note(await refresh(other, user));
      note(await statsOf(other, user));
      // Platforms quote the request in their errors, and the OAuth library quotes their answers.
      const quoting = () =>
        Response.json({ error: "server_error", secrets: standIn.issued }, { status: 500 });
      const odd = () =>
        Response.json({ access_token: 17, refresh_token: standIn.issued.at(-1), token_type: "bearer" });
      const half = () =>
        new Response(`{"access_token": "${standIn.issued.at(-1)}`, {
          headers: { "content-type": "application/json" },
        });
      for (const instead of [quoting, odd, half]) {
        standIn.answerNext("token", instead);
        note(await refresh(other, user));
        standIn.answerNext("revoke", quoting, quoting);
        const address = await consented(other, slug, user.token);
        secrets.push(new URL(address).searchParams.get("state") ?? "");
        standIn.answerNext("token", instead);
        note(await callBack(other, address));
      }
      standIn.expireAccess();
      note(await statsOf(other, user));
      const again = await consented(other, slug, user.token);
      secrets.push(new URL(again).searchParams.get("state") ?? "");
      note(await callBack(other, again));
      note(await callBack(other, again));
      note(await other.server.get(root, { token: user.token }));
      note(await other.server.get(user.path, { token: user.token }));
      note(await other.server.get("/v1/users/me/audit", { token: user.token }));
      const { bytes, files } = await exported(other.server, user.token);
      answers.push({ status: 200, headers: new Headers(), body: [bytes, files["data.json"]].map(String) });
      if (slug !== "youtube") note(await other.server.delete(user.path, { token: user.token }));
    }
    const verifiers = [youtube, discord].flatMap((standIn) =>
      standIn.askedOf("token").flatMap(({ form }) => (form.code_verifier ? [form.code_verifier] : [])),
    );
    expect(verifiers.length).toBeGreaterThanOrEqual(10);
    for (const { issued, clientSecret } of [twitch, youtube, discord]) secrets.push(...issued, clientSecret);
    secrets.push(...verifiers);
    expect(secrets.length).toBeGreaterThan(60);
    expect(secrets.filter((secret) => secret.length < 20)).toEqual([]);

    const told = JSON.stringify(answers.map(({ headers, body }) => [[...headers], body]));
    const output = await outputOfWholeRun(other.server);
    const files = (text: string) => filesWith(other.server, text);
    const formsOf = (secret: string) => [secret, Buffer.from(secret).toString("base64").replace(/=+$/, "")];
    const found = secrets
      .flatMap(formsOf)
      .filter((text) => told.includes(text) || output.includes(text) || files(text).length > 0);
    expect(found).toEqual([]);
    // The search can find a text that is there.
    expect(told).toContain(youtube.slug);
    expect(output).toContain("a platform does not answer as it should");
    expect(files("moderator:read:followers").length + files("youtube.readonly").length).toBeGreaterThan(0);
  });
});
