import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { insertEvents, sortByTime } from "../../identity/audit-log/support";
import { commandLineKey } from "../../support/credentials";
import { done, eventually, expectInvalid, expectRefused } from "../../support/expectations";
import { type ExternalUser, externalUser } from "../../support/people";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { exported, FIREFOX, fill, logs, path, SETTINGS, written } from "../export/support";

let server: TestServer;
/** A user with 120 exports. */
let user: ExternalUser;
/** Their identifiers, newest first. */
let ids: string[];

beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS });
  user = await externalUser(server);
  ids = fill(server, user.id, { logs: 120 }).logs;
});
afterAll(() => server.stop());

const idsOf = (body: { logs: { id: string }[] }) => body.logs.map(({ id }) => id);

describe("an export", () => {
  test("is logged with all fields, the size being that of what was sent, and audited", async () => {
    const person = await externalUser(server);
    const before = Date.now();
    const { bytes, data } = await exported(server, person.token, {
      "user-agent": FIREFOX,
      "x-forwarded-for": "203.0.113.9",
      "accept-language": "de;q=0.9, en;q=0.1",
    });
    const { body } = await logs(server, person.token);
    const [{ id, createdAt }] = body.logs;
    expect(body).toEqual({
      logs: [
        {
          id,
          exportedAt: data.exportInfo.exportedAt,
          ipAddress: "203.0.113.9",
          userAgent: FIREFOX,
          exportFormat: "zip",
          fileSizeBytes: bytes.length,
          locale: "de",
          createdAt,
        },
      ],
      total: 1,
      hasMore: false,
    });
    expect(Date.parse(data.exportInfo.exportedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(Date.parse(data.exportInfo.exportedAt));
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
    const events = rows<Record<string, unknown>>(
      server,
      "SELECT * FROM audit_events WHERE user_id = ? AND event_type = 'data_exported'",
      person.id,
    );
    expect(events).toEqual([
      expect.objectContaining({
        resource_type: "export",
        resource_id: id,
        actor_id: null,
        ip_address: "203.0.113.9",
        user_agent: FIREFOX,
        status: "success",
        source_service: "api",
      }),
    ]);
  });

  test("is not in its own list of exports, but in the next one's", async () => {
    const person = await externalUser(server);
    const first = await exported(server, person.token);
    const second = await exported(server, person.token);
    expect(first.data.exportLogs).toEqual([]);
    expect(second.data.exportLogs.length).toBe(1);
    expect(idsOf((await logs(server, person.token)).body)[1]).toBe(second.data.exportLogs[0].id);
  });
});

describe("GET /v1/user/export/logs", () => {
  test("gives the newest 50, newest first", async () => {
    const { body } = await logs(server, user.token);
    expect(idsOf(body)).toEqual(ids.slice(0, 50));
    expect({ total: body.total, hasMore: body.hasMore }).toEqual({ total: 120, hasMore: true });
  });

  test.each([
    ["?limit=0", 0, 1, true],
    ["?limit=-5", 0, 1, true],
    ["?limit=-99999999999999999999", 0, 1, true],
    ["?limit=1", 0, 1, true],
    ["?limit=100", 0, 100, true],
    ["?limit=101", 0, 100, true],
    ["?limit=1000", 0, 100, true],
    ["?limit=99999999999999999999", 0, 100, true],
    ["?offset=70", 70, 50, false],
    ["?offset=69", 69, 50, true],
    ["?limit=100&offset=20", 20, 100, false],
    ["?limit=100&offset=19", 19, 100, true],
    ["?limit=10&offset=115", 115, 5, false],
    ["?offset=120", 120, 0, false],
    ["?offset=99999999999999999999", 120, 0, false],
    ["?limit=0&offset=119", 119, 1, false],
  ])("%s gives from %i on %i, and says whether there are more", async (query, from, count, hasMore) => {
    const { status, body } = await logs(server, user.token, query);
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual(ids.slice(from, from + count));
    expect({ total: body.total, hasMore: body.hasMore }).toEqual({ total: 120, hasMore });
  });

  test.each([
    ["?limit=ten", "/limit"],
    ["?limit=", "/limit"],
    ["?limit=1.5", "/limit"],
    ["?limit=0x10", "/limit"],
    ["?limit=1e1", "/limit"],
    ["?limit=NaN", "/limit"],
    ["?offset=ten", "/offset"],
    ["?offset=-1", "/offset"],
    ["?offset=", "/offset"],
  ])("refuses %s", async (query, field) => {
    expectInvalid(await logs(server, user.token, query), field);
  });

  test("gives an empty list to whoever never exported", async () => {
    const person = await externalUser(server);
    expect((await logs(server, person.token)).body).toEqual({ logs: [], total: 0, hasMore: false });
  });

  test("gives a key of the owner, whatever its scopes, what it gives the session", async () => {
    const { key } = await commandLineKey(server, { owner: user.username });
    const system = await commandLineKey(server, { owner: user.username, system: true });
    const { body } = await logs(server, user.token);
    for (const token of [key, system.key]) expect((await logs(server, token)).body).toEqual(body);
  });

  test("refuses nobody, a made-up key, and a system key of nobody", async () => {
    expectRefused(await logs(server, undefined), 401, "Unauthorized");
    expectRefused(await logs(server, `flk_${"x".repeat(43)}`), 401, "Unauthorized");
    expectRefused(await logs(server, server.systemKey), 400, "BadRequest");
  });

  test("ignores a user that is asked for: one's own exports alone are given", async () => {
    const admin = await server.admin();
    const { body } = await logs(server, admin, `?user_id=${user.id}&limit=100`);
    expect(idsOf(body).filter((id) => ids.includes(id))).toEqual([]);
  });

  test("writes nothing", async () => {
    const before = written(server);
    await logs(server, user.token);
    expect(written(server)).toEqual(before);
    expect((await server.post(`${path}/logs`, { token: user.token, body: {} })).status).toBe(405);
  });
});

describe("an entry's end", () => {
  /**
   * Restarts a server on 1,200 old entries and 3 younger ones, and waits until the work of its start is done.
   */
  async function restarted(days: number, check: (kept: number, shown: string[], made: string[]) => void) {
    const first = await TestServer.start({ settings: SETTINGS });
    const { dataDir } = first;
    const person = await externalUser(first);
    const made = fill(first, person.id, { logs: 1_203 }).logs;
    insertEvents(first, [{ event_type: "ancient", created_at: Date.now() - 40 * DAY }]);
    sortByTime(first);
    onDatabase(first, (database) => {
      const age = database.prepare("UPDATE export_logs SET created_at = ? WHERE id = ?");
      for (const [n, id] of made.entries()) age.run(Date.now() - (n < 3 ? 29 : 31) * DAY, id);
      const set = database.prepare("UPDATE system_config SET value = ? WHERE key = ?");
      set.run(String(days), "export.log_retention_days");
      set.run("30", "audit.retention_days");
    });
    await first.stop();
    const second = await TestServer.start({ settings: SETTINGS, dataDir });
    try {
      const kept = () => rows(second, "SELECT id FROM export_logs").length;
      const ancient = "SELECT id FROM audit_events WHERE event_type = 'ancient'";
      await eventually(() => rows(second, ancient).length === 0 && (days === 0 || kept() <= 3));
      check(kept(), idsOf((await logs(second, person.token)).body), made);
    } finally {
      await second.stop();
    }
  }

  test("comes with the days that the installation keeps it", async () => {
    await restarted(30, (kept, shown, made) => {
      expect(kept).toBe(3);
      expect(shown).toEqual(made.slice(0, 3));
    });
  });

  test("does not come where the installation keeps all, as it does with old events meanwhile", async () => {
    await restarted(0, (kept, shown, made) => {
      expect(kept).toBe(1_203);
      expect(shown).toEqual(made.slice(0, 50));
    });
  });

  test("comes with the account's: nothing of a scrubbed user's exports is left", async () => {
    const [person, other] = [await externalUser(server), await externalUser(server)];
    fill(server, person.id, { logs: 30 });
    fill(server, other.id, { logs: 2 });
    await exported(server, person.token, { "user-agent": "Traceable/7.0" });
    const force = { token: await server.admin(), body: {} };
    done(await server.post(`/v1/admin/users/${person.id}/force-delete`, force));
    expect(rows(server, "SELECT id FROM export_logs WHERE user_id = ?", person.id)).toEqual([]);
    expect(rows(server, "SELECT id FROM export_logs WHERE user_agent = 'Traceable/7.0'")).toEqual([]);
    expect(rows(server, "SELECT id FROM export_logs WHERE user_id = ?", other.id).length).toBe(2);
  });
});
