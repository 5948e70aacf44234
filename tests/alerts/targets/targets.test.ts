import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  done,
  expectInvalid,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { filesWith, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { newRule } from "../support";
import { change, HOOK, newTarget, newWebhook, PATH, readTarget } from "./support";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const create = async (body: object, token?: string) =>
  server.post(PATH, { token: token ?? (await server.admin()), body });

const NIGHT = {
  timezone: "Europe/Berlin",
  windows: [{ days: ["fri" as const, "sat" as const], from: "22:00", to: "06:00" }],
};
const BOT = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4";
const NTFY = "tk_3mbq3vd4jzbgjy0fn1cp9t8k1y6eq";

describe("a new target", () => {
  test("of a webhook shows its secret once, and has defaults", async () => {
    const answer = expectStatus(await create({ name: "hook", kind: "webhook", url: HOOK }), 201);
    const { secret, ...target } = answer.body.data;
    expect(answer.headers.get("location")).toBe(`${PATH}/${target.id}`);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(target).toEqual({
      id: expect.any(String),
      name: "hook",
      kind: "webhook",
      url: HOOK,
      to: null,
      server_url: null,
      topic: null,
      chat_id: null,
      has_token: false,
      former_secret_until: null,
      is_active: true,
      is_silent: false,
      is_default: false,
      quiet: null,
      locale: "en",
      created_at: expect.any(String),
      updated_at: target.created_at,
    });
    expect(await readTarget(server, target.id)).toEqual(target);
  });

  test("of the other kinds has their fields, and shows no token", async () => {
    const email = await newTarget(server, {
      kind: "email",
      to: "Crew@example.org",
      quiet: NIGHT,
      is_default: true,
    });
    expect(email).toMatchObject({ to: "Crew@example.org", quiet: NIGHT, is_default: true, secret: null });
    const ntfy = await newTarget(server, { kind: "ntfy", topic: "boat_1", token: NTFY });
    expect(ntfy).toMatchObject({
      server_url: "https://ntfy.sh",
      topic: "boat_1",
      has_token: true,
      secret: null,
    });
    const own = { kind: "ntfy", topic: "a", server_url: "https://1.1.1.1/", locale: "de", is_active: false };
    expect(await newTarget(server, own)).toMatchObject({
      ...{ server_url: "https://1.1.1.1", has_token: false, locale: "de", is_active: false },
    });
    const telegram = await newTarget(server, { kind: "telegram", bot_token: BOT, chat_id: "@boat_alarms" });
    expect(telegram).toMatchObject({ chat_id: "@boat_alarms", has_token: true, secret: null });
  });

  test("keeps its secrets encrypted: no file of the data directory and no audit event holds one", async () => {
    const { secret } = await newWebhook(server);
    await newTarget(server, { kind: "telegram", bot_token: BOT, chat_id: "-1" });
    await newTarget(server, { kind: "ntfy", topic: "b", token: NTFY });
    for (const hidden of [secret, secret.slice(6), BOT, NTFY]) expect(filesWith(server, hidden)).toEqual([]);
    expect(server.output).not.toContain(secret);
  });

  test("speaks the language of whoever makes it", async () => {
    const body = { name: "hook", kind: "webhook", url: HOOK };
    const headers = { "accept-language": "de-AT,de;q=0.9,en;q=0.5" };
    const { data } = done(await server.post(PATH, { token: await server.admin(), headers, body }));
    expect(data.locale).toBe("de");
  });

  test("needs the fields of its kind, and takes none of another", async () => {
    for (const [body, path] of [
      [{ kind: "webhook" }, "/url"],
      [{ kind: "email" }, "/to"],
      [{ kind: "ntfy" }, "/topic"],
      [{ kind: "telegram", bot_token: BOT }, "/chat_id"],
      [{ kind: "telegram", chat_id: "1" }, "/bot_token"],
      [{ kind: "webhook", url: HOOK, topic: "a" }, "/topic"],
      [{ kind: "email", to: "a@example.org", url: HOOK }, "/url"],
      [{ kind: "ntfy", topic: "a", bot_token: BOT }, "/bot_token"],
      [{ kind: "telegram", bot_token: BOT, chat_id: "1", token: NTFY }, "/token"],
      [{ kind: "mqtt", topic: "a" }, "/kind"],
      [{}, "/kind"],
    ] as const)
      expectInvalid(await create({ name: "x", ...body }), path);
  });

  test("takes well-formed values alone", async () => {
    for (const [body, path] of [
      [{ kind: "webhook", url: "ftp://example.org/" }, "/url"],
      [{ kind: "webhook", url: "https://user:pass@example.org/" }, "/url"],
      [{ kind: "webhook", url: "https://user@example.org/" }, "/url"],
      [{ kind: "webhook", url: "/hook" }, "/url"],
      [{ kind: "webhook", url: 1 }, "/url"],
      [{ kind: "email", to: "nobody" }, "/to"],
      [{ kind: "email", to: "a@example.org\r\nBcc: b@example.org" }, "/to"],
      [{ kind: "ntfy", topic: "a/b" }, "/topic"],
      [{ kind: "ntfy", topic: "a".repeat(65) }, "/topic"],
      [{ kind: "ntfy", topic: "a", token: "with space" }, "/token"],
      [{ kind: "ntfy", topic: "a", server_url: "https://1.1.1.1/?a" }, "/server_url"],
      [{ kind: "ntfy", topic: "a", server_url: "https://1.1.1.1/#" }, "/server_url"],
      [{ kind: "telegram", bot_token: "1:2/../x", chat_id: "1" }, "/bot_token"],
      [{ kind: "telegram", bot_token: BOT, chat_id: "me" }, "/chat_id"],
      [{ kind: "telegram", bot_token: BOT, chat_id: 1 }, "/chat_id"],
      [{ kind: "webhook", url: HOOK, name: "" }, "/name"],
      [{ kind: "webhook", url: HOOK, locale: "fr" }, "/locale"],
      [{ kind: "webhook", url: HOOK, quiet: "night" }, "/quiet"],
      [{ kind: "webhook", url: HOOK, quiet: { ...NIGHT, timezone: "Mars/Olympus" } }, "/quiet/timezone"],
      [{ kind: "webhook", url: HOOK, quiet: { ...NIGHT, windows: [] } }, "/quiet/windows"],
      [
        {
          kind: "webhook",
          url: HOOK,
          quiet: { ...NIGHT, windows: [{ days: ["fri"], from: "22:60", to: "6" }] },
        },
        "/quiet/windows/0/from",
        "/quiet/windows/0/to",
      ],
    ] as const) {
      const [given, ...paths] = [body, path].flat() as [object, ...string[]];
      const answer = await create({ name: "x", ...given });
      expect(answer.body.error).toBe("ValidationError");
      expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(paths[0]);
    }
  });

  test("leads to no address of this machine, its link, a cloud's metadata or a private network", async () => {
    for (const host of [
      ...[
        "127.0.0.1",
        "127.0.0.1:8080",
        "0x7f.1",
        "2130706433",
        "017700000001",
        "127.1",
        "[::1]",
        "localhost",
      ],
      ...[
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "a.localhost",
        "127.0.0.1.",
        "0.0.0.0",
      ],
      ...["169.254.169.254", "[fe80::1]", "[fd00:ec2::254]", "100.100.100.200", "１２７.0.0.1"],
    ]) {
      const answer = await create({ name: "x", kind: "webhook", url: `http://${host}/` });
      expectInvalid(answer, "/url");
      expect(answer.body.message).toMatch(/^url leads to an? .* notifications\.allowed_hosts$/);
    }
    for (const host of [
      "10.0.0.1",
      "172.16.0.1",
      "192.168.1.1",
      "[fd12::1]",
      "[::ffff:c0a8:101]",
      "100.64.0.1",
    ]) {
      const answer = await create({ name: "x", kind: "ntfy", topic: "a", server_url: `http://${host}/` });
      expectInvalid(answer, "/server_url");
      expect(answer.body.message).toEndWith("notifications.allow_private_addresses = true");
    }
  });

  test("may lead to a name that doesn't resolve now", async () => {
    await newWebhook(server, "https://no.such.host.invalid/hook");
  });
});

describe("a target", () => {
  test("is changed field by field; nothing is written where nothing changes", async () => {
    const { id } = await newWebhook(server);
    const changed = done(
      await change(server, id, { name: "other", quiet: NIGHT, locale: "de", is_default: true }),
    );
    expect(changed.data).toMatchObject({
      name: "other",
      quiet: NIGHT,
      locale: "de",
      is_default: true,
      url: HOOK,
    });
    const { updated_at } = changed.data;
    expect(done(await change(server, id, { name: "other", quiet: NIGHT, url: HOOK })).data.updated_at).toBe(
      updated_at,
    );
    expect(done(await change(server, id, { quiet: null })).data.quiet).toBeNull();
    expect(done(await change(server, id, { url: "https://1.0.0.1/x" })).data.url).toBe("https://1.0.0.1/x");
    expectInvalid(await change(server, id, {}), "/");
    expectInvalid(await change(server, id, { topic: "a" }), "/topic");
    expectInvalid(await change(server, id, { url: "http://127.0.0.1/" }), "/url");
    expectInvalid(await change(server, id, { url: null }), "/url");
    expectRefused(await change(server, UNKNOWN, { name: "x" }), 404, "NotFound");
  });

  test("forgets a token where null is sent, and takes the same one without a change", async () => {
    const { id, updated_at } = await newTarget(server, { kind: "ntfy", topic: "a", token: NTFY });
    expect(done(await change(server, id, { token: NTFY })).data.updated_at).toBe(updated_at);
    expect(done(await change(server, id, { token: null })).data.has_token).toBe(false);
    expect(done(await change(server, id, { token: "tk_other" })).data.has_token).toBe(true);
  });

  test("gets another secret if it is a webhook's; the former one counts for a day", async () => {
    const { id, secret } = await newWebhook(server);
    const token = await server.admin();
    const { data } = done(await server.post(`${PATH}/${id}/rotate-secret`, { token }));
    expect(data.secret).toMatch(/^whsec_/);
    expect(data.secret).not.toBe(secret);
    const hours = (Date.parse(data.former_secret_until) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect((await readTarget(server, id)).former_secret_until).toBe(data.former_secret_until);
    const email = await newTarget(server, { kind: "email", to: "a@example.org" });
    expectRefused(await server.post(`${PATH}/${email.id}/rotate-secret`, { token }), 409, "Conflict");
    expectRefused(await server.post(`${PATH}/${UNKNOWN}/rotate-secret`, { token }), 404, "NotFound");
  });

  test("is listed, newest first, and deleted", async () => {
    const token = await server.admin();
    const ids = [(await newWebhook(server)).id, (await newWebhook(server)).id];
    const { data, pagination } = done(await server.get(`${PATH}?limit=2`, { token }));
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect(pagination.limit).toBe(2);
    expectStatus(await server.delete(`${PATH}/${ids[0]}`, { token }), 204);
    expectRefused(await server.get(`${PATH}/${ids[0]}`, { token }), 404, "NotFound");
    expectRefused(await server.delete(`${PATH}/${ids[0]}`, { token }), 404, "NotFound");
  });
});

describe("a target that is deleted", () => {
  test("leaves the rules and the anchor watches that named it, whoever deletes it", async () => {
    const token = await server.admin();
    const maker = await staff(server, "alerts:read", "alerts:write");
    const [gone, kept] = [
      await newTarget(server, { kind: "webhook", url: HOOK }, { token: maker.token }),
      await newWebhook(server),
    ];
    const speed = { type: "speed", above_knots: 5 };
    const rule = (targets: object[], further: object[]) => {
      const ids = (of: object[]) => of.map((each) => (each as { id: string }).id);
      return newRule(server, speed, {
        target_ids: ids(targets),
        ...(further.length > 0 && { escalate_after_seconds: 60, escalate_target_ids: ids(further) }),
      });
    };
    const [first, second, third] = [
      await rule([gone, kept], [gone, kept]),
      await rule([gone], [gone]),
      await rule([kept], []),
    ];
    const usual = await newRule(server, speed, { target_ids: null });
    const { id: device } = await server.device();
    const drop = { latitude: 54, longitude: 13, radius_m: 50, target_ids: [gone.id, kept.id] };
    done(await server.put(`/v1/devices/${device}/anchor`, { token, body: drop }));

    done(await server.post(`/v1/admin/users/${maker.id}/force-delete`, { token, body: {} }));
    expectRefused(await server.get(`${PATH}/${gone.id}`, { token }), 404, "NotFound");
    const read = async (id: string) => done(await server.get(`/v1/alert-rules/${id}`, { token })).data;
    const changed = { updated_at: expect.any(String) };
    expect(await read(first.id)).toEqual({
      ...{ ...first, ...changed, target_ids: [kept.id] },
      ...{ escalate_after_seconds: 60, escalate_target_ids: [kept.id] },
    });
    const nobody = { target_ids: [], escalate_after_seconds: null, escalate_target_ids: null };
    const after = await read(second.id);
    expect(after).toEqual({ ...second, ...changed, ...nobody });
    expect(after.updated_at).not.toBe(second.updated_at);
    for (const other of [third, usual]) expect(await read(other.id)).toEqual(other);
    const watch = done(await server.get(`/v1/devices/${device}/anchor`, { token })).data;
    expect(watch.target_ids).toEqual([kept.id]);

    expectStatus(await server.delete(`${PATH}/${kept.id}`, { token }), 204);
    for (const { id } of [first, second, third]) expect(await read(id)).toMatchObject(nobody);
    expect(await read(usual.id)).toEqual(usual);
    // It can be changed as ever: nothing is left that a check would refuse.
    const renamed = await server.patch(`/v1/alert-rules/${first.id}`, { token, body: { name: "renamed" } });
    expect(done(renamed).data).toMatchObject({ ...nobody, name: "renamed" });
  });
});

describe("the permission", () => {
  test("alerts:write lets read, change and delete targets, and alerts:read read deliveries", async () => {
    const { id } = await newWebhook(server);
    await expectPermission(server, "alerts:write", 200, (token) =>
      server.get(PATH, { ...(token && { token }) }),
    );
    const one = (token?: string) => server.get(`${PATH}/${id}`, { ...(token && { token }) });
    await expectPermission(server, "alerts:write", 200, one);
    const renamed = (token?: string) =>
      server.patch(`${PATH}/${id}`, { ...(token && { token }), body: { name: "x" } });
    await expectPermission(server, "alerts:write", 200, renamed);
    const deliveries = (token?: string) =>
      server.get(`${PATH}/${id}/deliveries`, { ...(token && { token }) });
    await expectPermission(server, "alerts:read", 200, deliveries);
    const gone = (token?: string) => server.delete(`${PATH}/${id}`, { ...(token && { token }) });
    await expectPermission(server, "alerts:write", 204, gone);
  });

  test("alerts:read is needed too to say where alerts go", async () => {
    const blind = await staff(server, "alerts:write");
    const body = { name: "x", kind: "webhook", url: HOOK };
    expectRefused(await create(body, blind.token), 403, "Forbidden");
    const { id } = await newWebhook(server);
    expectRefused(await change(server, id, { url: "https://1.0.0.1/" }, blind.token), 403, "Forbidden");
    expectStatus(await change(server, id, { name: "renamed" }, blind.token), 200);
  });

  test("of no seeded role changes", async () => {
    const user = await newUser(server);
    expectRefused(await server.get(PATH, { token: user.token }), 403, "Forbidden");
  });

  test("lost by its maker makes a target silent, until somebody else says where it leads", async () => {
    const maker = await staff(server, "alerts:read", "alerts:write");
    const { id } = await newTarget(server, { kind: "webhook", url: HOOK }, { token: maker.token });
    expect((await readTarget(server, id)).is_silent).toBe(false);
    const token = await server.admin();
    done(await server.post(`/v1/users/${maker.id}/ban`, { token, body: { reason: "test" } }));
    expect((await readTarget(server, id)).is_silent).toBe(true);
    expect(done(await change(server, id, { name: "still silent" })).data.is_silent).toBe(true);
    expect(done(await change(server, id, { url: "https://1.0.0.1/" })).data.is_silent).toBe(false);
  });
});

test("there are at most 100 targets", async () => {
  const other = await TestServer.start();
  try {
    const token = await other.admin();
    const body = { name: "x", kind: "webhook", url: HOOK };
    const answers = await Promise.all(Array.from({ length: 102 }, () => other.post(PATH, { token, body })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expectRefused(answer, 409, "Conflict");
    expect(rows(other, "SELECT id FROM notification_targets")).toHaveLength(100);
  } finally {
    await other.stop();
  }
});
