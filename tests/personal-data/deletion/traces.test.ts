import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alertsOf, newRule, send } from "../../alerts/support";
import { link } from "../../identity/accounts/support";
import {
  countsDiffer,
  insertEvents,
  report,
  type StoredEvent,
  storedEvents,
} from "../../identity/audit-log/support";
import { done, eventually } from "../../support/expectations";
import { mailsTo, nextMail } from "../../support/mail";
import { externalLogin, newUser, signInExternally, staff, type User } from "../../support/people";
import { frame, read } from "../../support/protobuf";
import { filesWith, onDatabase, rows } from "../../support/rows";
import { APP_KEY, type Settings, TestServer, temporaryDirectory } from "../../support/server";
import { Client } from "../../support/socket";

/**
 * A deleted account leaves nothing that names it in any file of the data directory, not even in the texts of
 * others.
 */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "security.id_app_key": APP_KEY } });
});
afterAll(() => server.stop());

const forceDelete = async (id: string, body: object = {}, host = server) =>
  done(await host.post(`/v1/admin/users/${id}/force-delete`, { token: await host.admin(), body }));

const byApp = async (event: object) =>
  done(
    await server.post("/v1/internal/audit", {
      headers: { "x-id-app-key": APP_KEY },
      body: {
        ...{ user_id: null, event_type: "consent_granted", resource_type: "client", status: "success" },
        ...{ source_service: "id", metadata: null, ...event },
      },
    }),
  ).data;

const stored = (id: string) => storedEvents(server).find((event) => event.id === id) as StoredEvent;

/** A text of its own in each place, so that a remainder shows where it was left. */
const words: string[] = [];
const word = (place: string): string => {
  words.push(`Traceword-${place}-${words.length}`);
  return words.at(-1) as string;
};
const leftOf = (traces: string[]) =>
  traces.flatMap((trace) => filesWith(server, trace).map((file) => `${trace} in ${file}`));

/** Free texts that a service may write. */
const texts = (place: string) => ({
  description: word(`${place}-description`),
  error_message: word(`${place}-error`),
  metadata: { name: word(`${place}-metadata`), deep: [{ er: word(`${place}-deep`) }] },
});

test("nothing names a deleted account: in events by all doors, in reasons, reports, bans and the outbox", async () => {
  const [user, other] = [await newUser(server), await newUser(server)];
  await link(server, user, "discord");
  const discord = rows<{ id: string }>(
    server,
    "SELECT platform_user_id AS id FROM platform_accounts WHERE user_id = ? AND platform_user_id LIKE 'discord%'",
    user.id,
  )[0]?.id as string;
  const about = await byApp({ user_id: user.id, resource_id: user.username, ...texts("about") });
  const asApi = await byApp({
    ...{ user_id: user.id, source_service: "api", event_type: "login", status: "failure" },
    ...texts("api"),
  });
  const ownType = await byApp({
    user_id: user.id,
    event_type: "spotted",
    resource_id: other.id,
    ...texts("own"),
  });
  const by = await byApp({ user_id: other.id, actor_id: user.id, resource_id: "kept", ...texts("by") });
  const byNobody = await byApp({ actor_id: user.id, source_service: "backend", ...texts("nobody") });
  const key = await server.key("audit:write", "community:sync");
  const bot = await Client.open(server, { bearer: key });
  await bot.ask(
    frame("createAuditEvent", {
      ...{ userId: user.id, eventType: "bot_command_executed", sourceService: "community_bot" },
      ...{ description: word("bot"), metadataJson: JSON.stringify({ of: user.username }) },
    }),
  );
  const moderation = { requestId: "r", guildId: "1", action: "timeout", durationSeconds: 600 };
  const moderated = async (userId: string, moderatorId: string) =>
    (
      read(
        await bot.ask(frame("moderationEvent", { ...moderation, userId, moderatorId, reason: word("why") })),
      ).moderationEventResponse as { auditEventId: string }
    ).auditEventId;
  const [suffered, did] = [await moderated(discord, "4711"), await moderated("4711", discord)];
  await bot.close();

  const { id: reportId } = done(
    await report(server, user.token, about.id, { reason: "other", description: word("report") }),
  ).report;
  const admin = await server.admin();
  const answer = { token: admin, body: { status: "resolved", resolution_notes: word("answer") } };
  done(await server.patch(`/v1/admin/audit/reports/${reportId}`, answer));
  const body = { reason: word("ban") };
  done(await server.post(`/v1/users/${user.id}/ban`, { token: admin, body }));
  done(await server.delete(`/v1/users/${user.id}/ban`, { token: admin }));
  done(await server.post("/v1/auth/reset-password", { body: { email: user.email } }));
  await nextMail(server, user.email, "password_reset");
  await nextMail(server, user.email, "audit_report_updated");
  const identities = [user.username, user.email, discord];
  expect(leftOf([...words, ...identities]).length).toBeGreaterThan(words.length);
  for (const trace of words) expect(filesWith(server, trace)).not.toEqual([]);
  const written = new Map(storedEvents(server).map((event) => [event.id, event]));

  await forceDelete(user.id, { reason: word("reason") });
  expect(leftOf([...words, ...identities])).toEqual([]);

  // The kind and time of the event stay; so do our identifiers, and its writer.
  const EMPTY = { description: null, error_message: null, metadata: null };
  const places = { country_code: null, country_name: null, city: null, region: null, is_reported: 0 };
  for (const [id, rest] of [
    [about.id, { ...EMPTY, resource_id: null, is_reported: 1 }],
    [asApi.id, EMPTY],
    [ownType.id, EMPTY],
    [by.id, EMPTY],
    [byNobody.id, EMPTY],
    [suffered, { metadata: '{"action":"timeout"}', resource_id: null }],
    [did, { metadata: '{"action":"timeout"}', resource_id: "4711" }],
  ] as const)
    expect(stored(id)).toEqual({ ...(written.get(id) as StoredEvent), ...places, ...rest });
  expect(stored(ownType.id)).toMatchObject({ resource_id: other.id, recorded_by_kind: "app" });
  expect(countsDiffer(server)).toEqual([]);
  const events = storedEvents(server).filter((event) => event.event_type === "user_deleted");
  expect(events.at(-1)).toMatchObject({
    user_id: user.id,
    metadata: '{"reason":"The account was deleted by an administrator"}',
  });
});

test("the note of an alert that a deleted account acknowledged goes, the alert stays", async () => {
  const user = await staff(server, "alerts:read", "alerts:write");
  const device = await server.device();
  await newRule(server, { type: "speed", above_knots: 1 }, { device_ids: [device.id] });
  await send(server, device);
  const [alert] = await alertsOf(server, `&device_id=${device.id}`);
  const note = word("note");
  done(await server.post(`/v1/alerts/${alert.id}/acknowledge`, { token: user.token, body: { note } }));
  await forceDelete(user.id);
  await eventually(() => leftOf([note]).length === 0);
  const [kept] = await alertsOf(server, `&device_id=${device.id}`);
  expect(kept).toMatchObject({ status: "acknowledged", acknowledge_note: null });
});

test("others keep what services wrote of them, and their emails", async () => {
  const [user, other] = [await newUser(server), await newUser(server)];
  const kept = [
    await byApp({ user_id: other.id, ...texts("other") }),
    await byApp({ user_id: other.id, actor_id: other.id, source_service: "api", ...texts("other") }),
    await byApp({ ...texts("system") }),
    await byApp({ user_id: user.username, source_service: "backend", ...texts("alike") }),
  ].map(({ id }) => stored(id));
  await byApp({ user_id: user.id, ...texts("about") });
  const mails = await mailsTo(server, other.email);
  expect(mails.length).toBeGreaterThan(0);
  await forceDelete(user.id);
  expect(kept.map(({ id }) => stored(id))).toEqual(kept);
  expect(await mailsTo(server, other.email)).toEqual(mails);
  expect(await mailsTo(server, user.email)).toEqual([]);
});

test("what bots wrote of an account by its identifier elsewhere goes too; not what others mean by the same", async () => {
  const user = await newUser(server);
  await link(server, user, "discord");
  const [{ id = "" } = {}] = rows<{ id: string }>(
    server,
    "SELECT platform_user_id AS id FROM platform_accounts WHERE user_id = ? AND platform_user_id LIKE 'discord%'",
    user.id,
  );
  const event = { user_id: id, event_type: "bot_command_executed", ...texts("external") };
  const [bots, backends] = [
    await byApp({ ...event, source_service: "community_bot" }),
    await byApp({ ...event, source_service: "backend" }),
  ];
  const before = stored(backends.id);
  await forceDelete(user.id);
  expect(stored(bots.id)).toMatchObject({ description: null, error_message: null, metadata: null });
  expect(stored(backends.id)).toEqual(before);
});

/** An account elsewhere that is linked to a user, and unlinked after a bot has written of it. */
async function unlinked(user: User, platform: string, source_service: string) {
  const account = await link(server, user, platform);
  const [{ id = "" } = {}] = rows<{ id: string }>(
    server,
    "SELECT platform_user_id AS id FROM platform_accounts WHERE id = ?",
    account,
  );
  const event = { user_id: id, event_type: "bot_command_executed", source_service };
  const early = await byApp({ ...event, resource_id: id, ...texts("linked") });
  done(await server.delete(`/v1/users/${user.id}/accounts/${account}`, { token: user.token }));
  // Later by the clock, too.
  await Bun.sleep(5);
  return { id, early, late: await byApp({ ...event, ...texts("unlinked") }) };
}

const EMPTY = { description: null, error_message: null, metadata: null };

test("what bots wrote of an account elsewhere goes too when that was unlinked before", async () => {
  const [user, heir] = [await newUser(server), await newUser(server)];
  const kept = await unlinked(user, "twitch", "stream_bot");
  const passed = await unlinked(user, "discord", "community_bot");
  const heirs = { email: heir.email, oauthProvider: "discord", oauthProviderId: passed.id };
  await signInExternally(server, externalLogin(heirs));
  await forceDelete(user.id);
  for (const { id } of [kept.early, kept.late, passed.early]) expect(stored(id)).toMatchObject(EMPTY);
  expect(stored(kept.early.id).resource_id).toBeNull();
  // An event after the unlinking is about whoever has the account there now.
  expect(stored(passed.late.id).metadata).not.toBeNull();
  expect(rows(server, "SELECT 1 FROM scrub_names WHERE user_id = ?", user.id)).toEqual([]);
});

test("what a bot told of moderation before its account was linked goes too, of member and moderator", async () => {
  const user = await newUser(server);
  const discord = externalLogin({ email: user.email });
  const id = discord.oauthProviderId;
  const bot = await Client.open(server, { bearer: await server.key("audit:write", "community:sync") });
  const moderated = async (userId: string, moderatorId: string) => {
    const body = { requestId: "r", guildId: "1", action: "ban", userId, moderatorId, reason: word("early") };
    const answer = read(await bot.ask(frame("moderationEvent", body)));
    return (answer.moderationEventResponse as { auditEventId: string }).auditEventId;
  };
  const [suffered, did] = [await moderated(id, "4711"), await moderated("4711", id)];
  const others = [await moderated("4711", "4712"), await moderated("4712", "4711")];
  await bot.close();
  const before = others.map(stored);
  expect(stored(suffered)).toMatchObject({ user_id: null, resource_id: id });
  await signInExternally(server, discord);
  await forceDelete(user.id);
  expect(stored(suffered)).toMatchObject({ resource_id: null, metadata: '{"action":"ban"}' });
  expect(stored(did)).toMatchObject({ resource_id: "4711", metadata: '{"action":"ban"}' });
  expect(leftOf([id])).toEqual([]);
  expect(others.map(stored)).toEqual(before);
});

test("what services wrote of an account that was but the resource of somebody else's event goes too", async () => {
  const [user, other] = [await newUser(server), await newUser(server)];
  const discord = externalLogin({ email: user.email });
  const elsewhere = discord.oauthProviderId;
  const bots = {
    source_service: "community_bot",
    event_type: "member_noted",
    resource_type: "community_member",
  };
  const mention = { resource_type: "user", resource_id: user.id };
  const gone = [
    await byApp({ ...mention, user_id: other.id, ...texts("mentioned") }),
    await byApp({ ...mention, user_id: "elsewhere-1", source_service: "backend", ...texts("mentioned") }),
    await byApp({ ...mention, ...texts("mentioned") }),
    await byApp({ ...bots, resource_id: elsewhere, ...texts("mentioned") }),
  ];
  const kept = [
    await byApp({ ...mention, resource_id: other.id, ...texts("kept") }),
    await byApp({ ...bots, resource_id: "4711", ...texts("kept") }),
    await byApp({ ...bots, source_service: "backend", resource_id: elsewhere, ...texts("kept") }),
  ].map(({ id }) => stored(id));
  await signInExternally(server, discord);
  await forceDelete(user.id);
  for (const { id } of gone) expect(stored(id)).toMatchObject(EMPTY);
  expect(kept.map(({ id }) => stored(id))).toEqual(kept);
  expect(await byApp({ ...mention, user_id: other.id, ...texts("late") })).toMatchObject(EMPTY);
});

test("a service's own words for a type of resource go, Fairlead's stay, and the counts follow", async () => {
  const user = await newUser(server);
  const types = [word("type"), word("type")];
  const own = await byApp({ user_id: user.id, resource_type: types[0] });
  const common = await byApp({ user_id: user.id, resource_type: "session" });
  const reported = await byApp({ user_id: user.id, resource_type: types[1] });
  done(await report(server, user.token, reported.id, { reason: "not_me" }));
  await forceDelete(user.id);
  expect(stored(own.id)).toMatchObject({ resource_type: null, is_reported: 0 });
  expect(stored(common.id)).toMatchObject({ resource_type: "session" });
  expect(stored(reported.id)).toMatchObject({ resource_type: null, is_reported: 1 });
  expect(leftOf(types)).toEqual([]);
  expect(countsDiffer(server)).toEqual([]);
});

test("what a service writes of an account that is gone already keeps none of its words", async () => {
  const user = await newUser(server);
  await forceDelete(user.id);
  const late = await byApp({ user_id: user.id, ...texts("late") });
  expect(late).toMatchObject({ description: null, error_message: null, metadata: null });
  const other = await newUser(server);
  const done = await byApp({ user_id: other.id, actor_id: user.id, ...texts("late") });
  expect(done).toMatchObject({ description: null, error_message: null, metadata: null });
});

test("requests are answered while many events are gone through", async () => {
  const user = await newUser(server);
  const EVENTS = 60_000;
  const metadata = JSON.stringify({ text: `Traceword-many ${"x".repeat(300)}` });
  insertEvents(
    server,
    Array.from({ length: EVENTS }, (_, n) => ({
      ...{ user_id: user.id, event_type: "consent_granted", source_service: "id", metadata },
      created_at: 1_000 + Math.floor(n / 3),
    })),
  );
  const left = () =>
    rows(server, "SELECT 1 FROM audit_events WHERE user_id = ? AND metadata LIKE '%many%'", user.id).length;
  expect(left()).toBe(EVENTS);
  let isOver = false;
  const deleting = forceDelete(user.id).then(() => {
    isOver = true;
  });
  const seen = new Set<number>();
  while (!isOver) {
    expect((await server.get("/health/live")).status).toBe(200);
    seen.add(left());
  }
  await deleting;
  expect(left()).toBe(0);
  // Outside readers see intermediate states, but only those between two steps.
  expect(seen.size).toBeGreaterThan(2);
  for (const n of seen) expect(n % 500).toBe(0);
});

describe("the outbox", () => {
  const DAY = 86_400_000;
  const outboxOf = (host: TestServer) => join(host.dataDir, "outbox");
  const idAt = (time: number) => Bun.randomUUIDv7("hex", time);
  const place = (host: TestServer, name: string, to = "somebody@example.org") => {
    mkdirSync(outboxOf(host), { recursive: true });
    writeFileSync(join(outboxOf(host), name), JSON.stringify({ to, text: "Traceword-outbox" }));
    return name;
  };
  const isThere = (host: TestServer) => (name: string) => existsSync(join(outboxOf(host), name));

  test.each([
    [30, {}],
    [7, { "email.outbox_days": "7" }],
  ])("forgets emails after %p days", async (days, settings: Settings) => {
    const first = await TestServer.start();
    const old = [days + 1, days + 400].map((age) => place(first, `${idAt(Date.now() - age * DAY)}.json`));
    const young = [days - 1, 0].map((age) => place(first, `${idAt(Date.now() - age * DAY)}.json`));
    const foreign = [place(first, "notes.json"), place(first, `${crypto.randomUUID()}.json`)];
    const half = place(first, `.0123456789abcdef.partial`);
    await first.stop();
    const second = await TestServer.start({ dataDir: first.dataDir, settings });
    try {
      const there = isThere(second);
      await eventually(() => !old.some(there) && !there(half));
      expect([...young, ...foreign].map(there)).toEqual([true, true, true, true]);
    } finally {
      await second.stop();
    }
  });

  test("keeps all with 0 days", async () => {
    const first = await TestServer.start();
    const name = place(first, `${idAt(Date.now() - 4_000 * DAY)}.json`);
    await first.stop();
    const second = await TestServer.start({ dataDir: first.dataDir, settings: { "email.outbox_days": "0" } });
    try {
      // By the time a user could be made, the other work of the start is done.
      await newUser(second);
      expect(isThere(second)(name)).toBe(true);
    } finally {
      await second.stop();
    }
  });

  test("loses a deleted account's emails, to a former address too, and leaves whoever has the address next theirs", async () => {
    const user = await newUser(server);
    const former = user.email;
    done(await server.post("/v1/auth/reset-password", { body: { email: former } }));
    const { token } = user;
    await nextMail(server, former, "password_reset");
    const email = `new-${former}`;
    const change = { token, body: { email } };
    done(await server.post(`/v1/users/${user.id}/email/request-change`, change));
    const mail = await nextMail(server, email, "email_change");
    // A file from the time before the queue could remember it.
    place(server, `${idAt(1_000)}.json`, email);
    place(server, "not-json.json");
    done(await server.post("/v1/users/email/verify", { token, body: { token: mail.token } }));
    const later = place(server, `${idAt(Date.now() + DAY)}.json`, email);
    const damaged = join(outboxOf(server), `${idAt(2_000)}.json`);
    writeFileSync(damaged, "{ damaged");
    await forceDelete(user.id);
    rmSync(damaged);
    expect(await mailsTo(server, former)).toEqual([]);
    expect(readdirSync(outboxOf(server))).toContain(later);
    expect(await mailsTo(server, email)).toHaveLength(1);
  });

  test("loses an email that is on its way to a former address while the account goes", async () => {
    for (let times = 0; times < 10; times++) {
      const { id, token, email: former } = await newUser(server);
      const email = `new-${former}`;
      done(await server.post(`/v1/users/${id}/email/request-change`, { token, body: { email } }));
      const mail = await nextMail(server, email, "email_change");
      done(await server.post("/v1/users/email/verify", { token, body: { token: mail.token } }));
      await forceDelete(id);
      expect([await mailsTo(server, former), await mailsTo(server, email)]).toEqual([[], []]);
    }
  });
});

/** Returns a stopped server's data to the form that the version before this migration wrote. */
function asBefore(host: TestServer): void {
  onDatabase(host, (database) => {
    for (const column of ["recorded_by_kind", "recorded_by_id"])
      database.run(`ALTER TABLE audit_events DROP COLUMN ${column}`);
    database.run("DROP TABLE scrub_names");
    database.run("DELETE FROM __migrations WHERE tag LIKE '%who_wrote_it'");
  });
}

test("an upgrade goes through the accounts that a former version deleted, and raises days that are too few", async () => {
  const first = await TestServer.start();
  const user: User = await newUser(first);
  await forceDelete(user.id, {}, first);
  const own = insertEvents(first, [
    { user_id: user.id, event_type: "user_deleted", metadata: '{"reason":"Erika asked"}' },
    { user_id: user.id, event_type: "login", metadata: '{"provider":"email"}' },
    { user_id: user.id, event_type: "login_failed", status: "failure", error_message: "wrong password" },
  ]);
  const services = insertEvents(first, [
    { user_id: user.id, event_type: "spotted", metadata: '{"who":"Erika"}' },
    { user_id: user.id, event_type: "login", source_service: "id", description: "Erika", error_message: "E" },
    { user_id: user.id, event_type: "moderation_action", metadata: '{"action":"Erika","reason":"Erika"}' },
  ]);
  const ids = [...own, ...services].map(({ id }) => id);
  await first.stop();
  onDatabase(first, (database) =>
    database.run("UPDATE system_config SET value = '7' WHERE key = 'audit.retention_days'"),
  );
  asBefore(first);
  // The copy made before the migration still holds the old data, and lies elsewhere.
  const settings = { "backup.dir": temporaryDirectory() };
  const second = await TestServer.start({ dataDir: first.dataDir, settings });
  try {
    const path = "/v1/system-config/audit.retention_days";
    expect(done(await second.get(path, { token: second.systemKey })).data.value).toBe(30);
    const pending = () => rows(second, "SELECT 1 FROM users WHERE scrub_pending = 1").length;
    await eventually(() => pending() === 0);
    // The write-ahead log is emptied after the last step.
    await eventually(() => filesWith(second, "Erika").length === 0);
    const left = new Map(storedEvents(second).map((event) => [event.id, event]));
    expect(ids.map((id) => [left.get(id)?.metadata, left.get(id)?.error_message])).toEqual([
      ["{}", null],
      ['{"provider":"email"}', null],
      [null, "wrong password"],
      [null, null],
      [null, null],
      [null, null],
    ]);
  } finally {
    await second.stop();
  }
});
