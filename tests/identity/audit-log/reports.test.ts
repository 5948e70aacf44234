import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { audited, auditRows, withoutAudit } from "../../support/events";
import { done, expectInvalid, expectRefused, statuses, UNKNOWN } from "../../support/expectations";
import { mailsTo, newestMail } from "../../support/mail";
import { newUser, staff, type User } from "../../support/people";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { countsDiffer, find, insertEvents, report, reportsOf, storedEvents } from "./support";

/** Reports of suspicious events, and their handling. */
let server: TestServer;
let user: User;
let manager: User;
beforeAll(async () => {
  server = await TestServer.start();
  manager = await staff(server, "audit:read", "audit:write");
});
afterAll(() => server.stop());
beforeEach(async () => {
  user = await newUser(server);
});

const newEvent = (userId: string): string => insertEvents(server, [{ user_id: userId }])[0]?.id as string;
const isReported = (id: string): boolean =>
  storedEvents(server).some((event) => event.id === id && event.is_reported === 1);

const ANY_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("a report", () => {
  test("is taken with each reason, with words and without; the event shows that it was reported", async () => {
    const reasons = ["not_me", "suspicious", "unknown_device", "unknown_location", "other"];
    const made = [];
    for (const [n, reason] of reasons.entries()) {
      const eventId = newEvent(user.id);
      const described =
        n % 2 === 0 ? { description: `Ich war's nicht 🌊 ${n}` } : n === 1 ? { description: null } : {};
      const { status, body } = await report(server, user.token, eventId, { reason, ...described });
      expect(status).toBe(201);
      expect(body).toEqual({
        success: true,
        report: {
          id: expect.any(String),
          audit_event_id: eventId,
          user_id: user.id,
          reason,
          description: described.description ?? null,
          status: "pending",
          reviewed_by: null,
          reviewed_at: null,
          resolution_notes: null,
          created_at: ANY_TIME,
          updated_at: body.report.created_at,
        },
        error: null,
      });
      const own = done(await server.get("/v1/users/me/audit?limit=100", { token: user.token })).events;
      expect(own.find(({ id }: { id: string }) => id === eventId).is_reported).toBe(true);
      made.push(body.report);
    }
    expect(done(await server.get("/v1/users/me/audit/reports", { token: user.token }))).toEqual(
      made.reverse(),
    );
    const { events } = await find(server, { is_reported: "true", user_id: user.id });
    expect(events.map(({ id }) => id).sort()).toEqual(made.map((each) => each.audit_event_id).sort());
    expect(countsDiffer(server)).toEqual([]);
  });

  test("writes one audit event, which tells of the reported one", async () => {
    const eventId = newEvent(user.id);
    const headers = { "user-agent": "Reporter/2.0" };
    const path = `/v1/users/me/audit/${eventId}/report`;
    const body = { reason: "unknown_device", description: "secret words" };
    const written = await audited(server, () => server.post(path, { token: user.token, body, headers }));
    expect(written).toMatchObject([
      {
        event_type: "audit_reported",
        user_id: user.id,
        actor_id: null,
        resource_type: "audit_event",
        resource_id: eventId,
        status: "success",
        ip_address: "127.0.0.1",
        user_agent: "Reporter/2.0",
        metadata: '{"reason":"unknown_device"}',
      },
    ]);
    expect(JSON.stringify(written)).not.toContain("secret words");
  });

  test("is taken whole or not at all: without its audit event nothing is stored", async () => {
    const eventId = newEvent(user.id);
    const answer = await withoutAudit(server, "audit_reported", () => report(server, user.token, eventId));
    expectRefused(answer, 500, "InternalServerError");
    expect(isReported(eventId)).toBe(false);
    expect(rows(server, "SELECT id FROM audit_reports WHERE user_id = ?", user.id)).toEqual([]);
    expect(countsDiffer(server)).toEqual([]);
    expect((await report(server, user.token, eventId)).status).toBe(201);
  });

  test("is refused a second time, whatever it says and however the first was handled", async () => {
    const eventId = newEvent(user.id);
    const first = done(await report(server, user.token, eventId)).report;
    expectRefused(await report(server, user.token, eventId, { reason: "other" }), 409, "Conflict");
    done(
      await server.patch(`/v1/admin/audit/reports/${first.id}`, {
        token: manager.token,
        body: { status: "dismissed" },
      }),
    );
    const before = [reportsOf(server), auditRows(server)];
    expectRefused(await report(server, user.token, eventId), 409, "Conflict");
    expect([reportsOf(server), auditRows(server)]).toEqual(before);
  });

  test("is taken once when it is sent many times at once", async () => {
    const eventId = newEvent(user.id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => report(server, user.token, eventId)));
    expect(statuses(answers)).toEqual([201, ...Array(7).fill(409)]);
    expect(rows(server, "SELECT id FROM audit_reports WHERE audit_event_id = ?", eventId)).toHaveLength(1);
    expect(auditRows(server, eventId)).toHaveLength(1);
  });

  test("of somebody else's event, a system event or none gets the same 404, of no identifier 400", async () => {
    const [foreign, external, system] = insertEvents(server, [
      { user_id: manager.id },
      { user_id: "discord-1", actor_id: user.id },
      { user_id: null, actor_id: user.id },
    ]);
    const before = [reportsOf(server), storedEvents(server)];
    const answers = [];
    for (const id of [foreign?.id, external?.id, system?.id, UNKNOWN]) {
      const answer = await report(server, user.token, id as string);
      expectRefused(answer, 404, "NotFound");
      answers.push(answer.body);
    }
    expect(new Set(answers.map((body) => JSON.stringify(body))).size).toBe(1);
    expectInvalid(await report(server, user.token, "17"), "/event_id");
    expect([reportsOf(server), storedEvents(server)]).toEqual(before);
  });

  test("needs a reason that exists and words that fit", async () => {
    const eventId = newEvent(user.id);
    const long = "🌊".repeat(10_000);
    const cases: [body: object, path: string][] = [
      [{}, "/reason"],
      [{ reason: null }, "/reason"],
      [{ reason: "" }, "/reason"],
      [{ reason: "NOT_ME" }, "/reason"],
      [{ reason: "spam" }, "/reason"],
      [{ reason: "other", description: 7 }, "/description"],
      [{ reason: "other", description: `${long}x` }, "/description"],
    ];
    for (const [body, path] of cases) expectInvalid(await report(server, user.token, eventId, body), path);
    expect(isReported(eventId)).toBe(false);
    expect(rows(server, "SELECT id FROM audit_reports WHERE user_id = ?", user.id)).toEqual([]);
    const fits = await report(server, user.token, eventId, {
      reason: "other",
      description: long,
      status: "resolved",
    });
    expect(fits.body.report).toMatchObject({ description: long, status: "pending" });
  });

  test("may come in upper case", async () => {
    const eventId = newEvent(user.id);
    expect((await report(server, user.token, eventId.toUpperCase())).body.report.audit_event_id).toBe(
      eventId,
    );
  });
});

test("a session may report 30 events in an hour", async () => {
  const limited = await TestServer.start({ settings: { "rate_limit.enabled": "true" } });
  try {
    const reporter = await newUser(limited);
    const events = insertEvents(
      limited,
      Array.from({ length: 31 }, () => ({ user_id: reporter.id })),
    );
    const answers = [];
    for (const { id } of events) answers.push(await report(limited, reporter.token, id));
    const last = answers.pop();
    expect(statuses(answers)).toEqual(Array(30).fill(201));
    expect(answers[0]?.headers.get("ratelimit-limit")).toBe("30");
    expect(answers[0]?.headers.get("ratelimit-remaining")).toBe("29");
    if (last) expectRefused(last, 429, "TooManyRequests");
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(reportsOf(limited)).toHaveLength(30);
    const again = await limited.login(reporter.username, reporter.password);
    expect((await report(limited, again.session_token, events[30]?.id as string)).status).toBe(201);
  } finally {
    await limited.stop();
  }
});

const PATH = "/v1/admin/audit/reports";
const newReport = async () =>
  done(await report(server, user.token, newEvent(user.id), { reason: "suspicious", description: "odd" }))
    .report;
const change = (id: string, body?: object, token = manager.token) =>
  server.patch(`${PATH}/${id}`, { token, ...(body && { body }) });
const listed = async (query = "") => done(await server.get(PATH + query, { token: manager.token }));
/** The user's emails about reports. */
const news = async () =>
  (await mailsTo(server, user.email)).filter(({ kind }) => kind === "audit_report_updated");

describe("the list of everybody's reports", () => {
  test("is newest first, of one status or of all", async () => {
    const made: { id: string; status: string }[] = [];
    for (const status of ["pending", "reviewed", "resolved", "dismissed"]) {
      const { id } = await newReport();
      made.unshift(done(await change(id, { status })).data);
    }
    expect((await listed()).slice(0, 4)).toEqual(made);
    for (const { id, status } of made) {
      const ofStatus: typeof made = await listed(`?status=${status}`);
      expect(ofStatus[0]?.id).toBe(id);
      expect(new Set(ofStatus.map((each) => each.status))).toEqual(new Set([status]));
    }
    const sorted = (await listed()).map(({ id }: { id: string }) => id);
    expect(sorted).toEqual(sorted.toSorted().reverse());
  });

  test("refuses a status that doesn't exist", async () => {
    for (const status of ["", "open", "PENDING"])
      expectInvalid(await server.get(`${PATH}?status=${status}`, { token: manager.token }), "/status");
  });
});

describe("handling a report", () => {
  test("sets the status, the notes or both, and notes who did it and when", async () => {
    const made = await newReport();
    let known = made;
    for (const body of [
      { status: "reviewed" },
      { resolution_notes: "Looked at it" },
      { status: "resolved", resolution_notes: "The session was revoked" },
      { resolution_notes: null },
      { status: "pending" },
      { status: "dismissed", resolution_notes: "", unknown: true },
    ]) {
      const { status, body: answer } = await change(made.id, body);
      expect(status).toBe(200);
      const { unknown: _, ...set } = body as typeof body & { unknown?: true };
      expect(answer).toEqual({
        data: {
          ...known,
          ...set,
          reviewed_by: manager.id,
          reviewed_at: ANY_TIME,
          updated_at: answer.data.reviewed_at,
        },
        _links: { self: `${PATH}/${made.id}` },
      });
      known = answer.data;
      expect(done(await server.get("/v1/users/me/audit/reports", { token: user.token }))).toEqual([known]);
    }
    expect(known).toMatchObject({ status: "dismissed", resolution_notes: "", created_at: made.created_at });
  });

  test("dates itself, and names the last who did it; a system key of nobody names none", async () => {
    const dated = await TestServer.start({ clock: "movable" });
    try {
      const reporter = await newUser(dated);
      const eventId = insertEvents(dated, [{ user_id: reporter.id }])[0]?.id as string;
      const made = done(await report(dated, reporter.token, eventId)).report;
      const admin = await dated.admin();
      const adminId = done(await dated.get("/v1/users/me", { token: admin })).data.id;
      const patch = async (token: string, body: object) =>
        done(await dated.patch(`${PATH}/${made.id}`, { token, body })).data;
      const first = await patch(admin, { status: "reviewed" });
      expect(first).toMatchObject({ reviewed_by: adminId, created_at: made.created_at });
      await dated.advance(3_600_000);
      const second = await patch(dated.systemKey, { status: "resolved" });
      expect(second.reviewed_by).toBeNull();
      expect(Date.parse(second.reviewed_at) - Date.parse(first.reviewed_at)).toBeGreaterThanOrEqual(
        3_600_000,
      );
      expect(second.updated_at).toBe(second.reviewed_at);
    } finally {
      await dated.stop();
    }
  });

  test("tells the user by email, with status and notes, each time that something changes", async () => {
    const { id } = await newReport();
    expect(await news()).toEqual([]);
    done(await change(id, { status: "reviewed" }));
    done(await change(id, { resolution_notes: "We ended <b>that</b> session" }));
    const [first, second, ...more] = await news();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ to: user.email, locale: "en", token: null, link: null });
    expect(first?.text).toContain("reviewed");
    expect(second?.text).toContain("We ended <b>that</b> session");
    const { html } = second as unknown as { html: string };
    expect(html).toContain("We ended &lt;b&gt;that&lt;/b&gt; session");
    expect(html).not.toContain("<b>that");
  });

  test("tells the user in the user's language", async () => {
    const locale = { token: user.token, body: { locale: "de" } };
    done(await server.patch(`/v1/users/${user.id}/locale`, locale));
    const { id } = await newReport();
    done(
      await server.patch(`${PATH}/${id}`, {
        token: manager.token,
        body: { status: "dismissed", resolution_notes: "Alles gut" },
        headers: { "accept-language": "en" },
      }),
    );
    const mail = await newestMail(server, user.email);
    expect(mail).toMatchObject({ kind: "audit_report_updated", locale: "de" });
    expect(mail.subject).toStartWith("Neues zu deiner Meldung");
    expect(mail.text).toContain("Alles gut");
  });

  test("changes and tells nothing without a field that it knows", async () => {
    const { id } = await newReport();
    const before = done(await change(id, { status: "resolved", resolution_notes: "Done" })).data;
    const told = await news();
    for (const body of [undefined, {}, { unknown: 1 }])
      expect(done(await change(id, body)).data).toEqual(before);
    expect(await news()).toEqual(told);
  });

  test("tells whoever reported nothing of a change that says the same again", async () => {
    const { id } = await newReport();
    const body = { status: "resolved", resolution_notes: "Done" };
    done(await change(id, body));
    const told = await news();
    const { data } = done(await change(id, body));
    expect(data).toMatchObject(body);
    expect(await news()).toEqual(told);
  });

  test("sends five emails an hour about one report and thirty to one user, however often it changes", async () => {
    const reports = [await newReport()];
    const toggle = async (times: number) => {
      for (const { id } of reports)
        for (let time = 0; time < times; time++)
          done(await change(id, { status: time % 2 === 0 ? "reviewed" : "resolved" }));
    };
    await toggle(8);
    expect(await news()).toHaveLength(5);
    for (let more = 0; more < 6; more++) reports.push(await newReport());
    await toggle(8);
    expect(await news()).toHaveLength(30);
  });

  test("emails nobody who is deleted or has no address, and is done nevertheless", async () => {
    const deleted = await newReport();
    done(await server.delete(`/v1/users/${user.id}`, { token: server.systemKey }));
    user = await newUser(server);
    const unreachable = await newReport();
    onDatabase(server, (database) =>
      database.run("UPDATE platform_accounts SET email = NULL WHERE user_id = ?", [user.id]),
    );
    const before = rows(server, "SELECT id FROM outbox WHERE lane = 'email'");
    for (const { id } of [deleted, unreachable])
      expect(done(await change(id, { status: "resolved" })).data.status).toBe("resolved");
    expect(rows(server, "SELECT id FROM outbox WHERE lane = 'email'")).toEqual(before);
  });

  test("refuses what no status is and notes that don't fit, and changes and tells nothing", async () => {
    const { id } = await newReport();
    const before = reportsOf(server);
    for (const status of [null, "", "open", 1]) expectInvalid(await change(id, { status }), "/status");
    const long = "🌊".repeat(10_000);
    for (const resolution_notes of [7, {}, `${long}x`])
      expectInvalid(await change(id, { status: "resolved", resolution_notes }), "/resolution_notes");
    expect(reportsOf(server)).toEqual(before);
    expect(await news()).toEqual([]);
    expect(done(await change(id, { resolution_notes: long })).data.resolution_notes).toBe(long);
  });

  test("of a report that doesn't exist gets 404, of no identifier 400", async () => {
    const before = reportsOf(server);
    expectRefused(await change(UNKNOWN, { status: "resolved" }), 404, "NotFound");
    expectInvalid(await change("17", { status: "resolved" }), "/report_id");
    expect(reportsOf(server)).toEqual(before);
  });
});
