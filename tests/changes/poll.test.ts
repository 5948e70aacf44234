import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../support/api";
import { done, eventually, expectInvalid, expectRefused, expectStatus } from "../support/expectations";
import { newUser, staff, type User } from "../support/people";
import { assign, newRole, revoke } from "../support/roles";
import { rows, write } from "../support/rows";
import { TestServer } from "../support/server";
import { share, unshare } from "../tracking/shares/support";
import { createTrip, createZone, fix, moveTrip, postPoint } from "../tracking/support";
import { brief, changesSince, epochOf, getChanges, nowOf, numberOf } from "./support";

/** GET /v1/changes, once and waiting. */

let server: TestServer;
let admin: Token;
let device: { id: string; key: Token };
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.idle_seconds": "2" } });
  admin = await server.admin();
  device = await server.device();
  for (let count = 0; count < 3; count++) await postPoint(server, device.key);
});
afterAll(() => server.stop());

const SOME_ID = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01";

describe("since", () => {
  test("now is the present end, and a cursor from then on tells what came", async () => {
    const { status, body } = await getChanges(server, { since: "now" });
    expect(status).toBe(200);
    expect(body).toEqual({
      changes: [],
      next: expect.stringMatching(/^[0-9a-f]{16}-\d+$/),
      is_complete: true,
    });
    const { id } = await postPoint(server, device.key);
    const after = (await getChanges(server, { since: body.next })).body;
    expect(brief(after.changes)).toEqual([["gpsUpdate", id]]);
    expect(after).toMatchObject({ next: after.changes[0].cursor, is_complete: true });
    expect(numberOf(after.next)).toBe(numberOf(body.next) + 1);
    expect((await getChanges(server, { since: after.next })).body.changes).toEqual([]);
  });

  test("0 of this epoch is the beginning", async () => {
    const epoch = epochOf(await nowOf(server));
    const all = await changesSince(server, `${epoch}-0`);
    expect(all.map(({ cursor }) => numberOf(cursor))).toEqual(all.map((_, at) => at + 1));
  });

  test("that this server never gave is 400", async () => {
    const now = await nowOf(server);
    const [epoch, number] = [epochOf(now), numberOf(now)];
    const wrong = [
      ...["x", "0", "NOW", "now ", epoch, `${epoch}-`, `${epoch}--1`, `${epoch}-01`, `${epoch}-1e3`],
      ...[`${epoch}-${number + 1}`, `${epoch}-999999999999999`, `${epoch}-9999999999999999`],
      ...[`${epoch.toUpperCase()}-A1`, ` ${now}`, `${now}\n`, `${epoch}-½`, "__proto__"],
    ];
    for (const since of wrong) expectRefused(await getChanges(server, { since }), 400, "BadRequest");
    expectInvalid(await getChanges(server, { since: "" }), "/since");
    expectInvalid(await getChanges(server, { since: "x".repeat(65) }), "/since");
    expectInvalid(await getChanges(server, {}), "/since");
  });

  test("of another epoch is 410 with the cursor to go on from", async () => {
    const now = await nowOf(server);
    const answer = await getChanges(server, { since: "0123456789abcdef-1" });
    expectRefused(answer, 410, "CursorExpired");
    expect(answer.body.next).toBe(now);
    expect((await getChanges(server, { since: answer.body.next })).status).toBe(200);
  });
});

describe("a page", () => {
  test("has at most `limit` changes, and `next` goes on without a gap", async () => {
    const since = await nowOf(server);
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.push((await postPoint(server, device.key)).id);
    const pages: string[][] = [];
    for (let next = since, isComplete = false; !isComplete; ) {
      const { body } = expectStatus(await getChanges(server, { since: next, limit: 3 }), 200);
      pages.push(body.changes.map(({ data }: { data: { id: string } }) => data.id));
      [next, isComplete] = [body.next, body.is_complete];
    }
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });

  test("finds the few of one device among many others, whatever the limit", async () => {
    const other = await server.device();
    const since = await nowOf(server);
    const positions = Array.from({ length: 900 }, (_, at) => ({ ...fix(), timestamp: 1_777_887_000 + at }));
    expectStatus(await server.post("/v1/gps/batch", { token: device.key, body: { positions } }), 200);
    const { id } = await postPoint(server, other.key);
    const { body } = await getChanges(server, { since, device_id: other.id, limit: 1 });
    expect(brief(body.changes)).toEqual([["gpsUpdate", id]]);
    expect(await changesSince(server, since, { limit: 5_000 })).toHaveLength(101);
  });

  test("ends early where data are many, and goes on", async () => {
    const notes = "☸".repeat(4_000);
    const since = await nowOf(server);
    const { id } = await createTrip(server, { notes });
    write(
      server,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
       INSERT INTO changes (kind, record, made_at) SELECT 3, '${id}', 0 FROM n`,
    );
    const { body } = expectStatus(await getChanges(server, { since, limit: 5_000 }), 200);
    expect(body.is_complete).toBe(false);
    expect(body.changes.length).toBeLessThan(400);
    expect(await changesSince(server, since, { limit: 5_000 })).toHaveLength(501);
  });

  test("has only the types that are asked for", async () => {
    const since = await nowOf(server);
    const { id } = await createTrip(server);
    await postPoint(server, device.key);
    expect(brief(await changesSince(server, since, { types: "tripUpdate" }))).toEqual([["tripUpdate", id]]);
    expect(await changesSince(server, since, { types: "tripUpdate,gpsUpdate,tripUpdate" })).toHaveLength(2);
    expect(await changesSince(server, since, { types: "deviceUpdate" })).toEqual([]);
    for (const types of ["", "position", "gpsUpdate,", "gpsUpdate, tripUpdate", "gpsupdate", "constructor"])
      expect((await getChanges(server, { since, types })).status).toBe(400);
  });

  test("has only the changes of a device, whose name must be one", async () => {
    const since = await nowOf(server);
    await postPoint(server, device.key);
    expect(await changesSince(server, since, { device_id: device.id.toUpperCase() })).toHaveLength(1);
    expect(await changesSince(server, since, { device_id: SOME_ID })).toEqual([]);
    expectInvalid(await getChanges(server, { since, device_id: "x" }), "/device_id");
  });

  test.each([
    ["limit", "0"],
    ["limit", "5001"],
    ["limit", "x"],
    ["wait_seconds", "-1"],
    ["wait_seconds", "61"],
    ["wait_seconds", "0.5"],
  ])("with %s %s is refused", async (name, value) => {
    expectInvalid(await getChanges(server, { since: "now", [name]: value }), `/${name}`);
  });

  test("is compressed for those who ask", async () => {
    const epoch = epochOf(await nowOf(server));
    const answer = await fetch(`${server.url}/v1/changes?since=${epoch}-0&limit=5000`, {
      headers: { authorization: `Bearer ${admin}`, "accept-encoding": "gzip" },
    });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(((await answer.json()) as { changes: unknown[] }).changes.length).toBeGreaterThan(100);
  });
});

describe("each type needs the permission of its channel:", () => {
  const RIGHTS: [permission: string, ...types: string[]][] = [
    ["gps:read", "gpsLate", "gpsUpdate"],
    ["geofences:read", "geofenceEvent"],
    ["trips:read", "tripUpdate"],
    ["devices:read", "deviceUpdate"],
  ];
  let since: string;
  beforeAll(async () => {
    since = await nowOf(server);
    const zone = await createZone(server, { latitude: 54.1, longitude: 13.4 });
    // A position from the second before the zone began to watch causes no crossing.
    const seconds = Math.floor(Date.now() / 1_000);
    await postPoint(server, device.key, { latitude: 54.1, longitude: 13.4, timestamp: seconds });
    const late = { ...fix(), timestamp: seconds - 10_000 };
    done(await server.post("/v1/gps/batch", { token: device.key, body: { positions: [late] } }));
    await moveTrip(server, (await createTrip(server)).id, "active");
    await server.device();
    done(await server.delete(`/v1/geofences/${zone.id}`, { token: admin }));
  });

  const typesFor = async (token: Token): Promise<string[]> => {
    const changes = await changesSince(server, since, {}, token);
    return [...new Set(changes.map(({ type }) => type))].sort();
  };

  test.each(RIGHTS)("%s", async (permission, ...types) => {
    const key = await server.key(permission);
    expect(await typesFor(key)).toEqual(types);
    for (const [other, ...theirs] of RIGHTS)
      if (other !== permission) {
        expectRefused(await getChanges(server, { since, types: theirs.join() }, key), 403, "Forbidden");
        // The others are left out beside those that it may see.
        const both = await changesSince(server, since, { types: [...types, ...theirs].join() }, key);
        expect(new Set(both.map(({ type }) => type))).toEqual(new Set(types));
      }
  });

  test("all of them for a super admin and a system key, none for others: 403, and 401 without a credential", async () => {
    for (const token of [admin, server.systemKey])
      expect(await typesFor(token)).toEqual(RIGHTS.flatMap(([, ...types]) => types).sort());
    const plain = await newUser(server);
    for (const token of [plain.token, await server.key("gps:write", "admin:read")]) {
      expectRefused(await getChanges(server, { since }, token), 403, "Forbidden");
      expectRefused(await server.get("/v1/changes/stream", { token }), 403, "Forbidden");
    }
    for (const path of [`/v1/changes?since=${since}`, "/v1/changes/stream"])
      expectRefused(await server.get(path), 401, "Unauthorized");
  });
});

describe("a device that is shared", () => {
  const ask = (user: User, query: Record<string, string | number>) =>
    getChanges(server, { device_id: device.id, types: "gpsUpdate,gpsLate,tripUpdate", ...query }, user.token);

  test("shows its positions, and nothing else, by a share of its history", async () => {
    const user = await newUser(server);
    const since = await nowOf(server);
    await share(server, device.id, user.id, "history");
    await createTrip(server, { device_id: device.id });
    const { id } = await postPoint(server, device.key);
    expect(brief((await ask(user, { since })).body.changes)).toEqual([["gpsUpdate", id]]);
    expectRefused(await ask(user, { since, device_id: SOME_ID }), 403, "Forbidden");
    expectRefused(await ask(user, { since, types: "tripUpdate" }), 403, "Forbidden");
    expectRefused(await getChanges(server, { since, types: "gpsUpdate" }, user.token), 403, "Forbidden");
  });

  test("shows what comes alone by a share of the present, and ends with it", async () => {
    const user = await newUser(server);
    const before = await nowOf(server);
    await share(server, device.id, user.id, "now");
    await postPoint(server, device.key);
    const refused = await ask(user, { since: before });
    expectRefused(refused, 410, "CursorExpired");
    expect(refused.body.next).toBe(await nowOf(server));
    const headers = { "last-event-id": before };
    const path = `/v1/changes/stream?device_id=${device.id}`;
    expectRefused(await server.get(path, { token: user.token, headers }), 410, "CursorExpired");
    /** A position that comes while the user waits; once more if the request came too late for it. */
    const hear = async (): Promise<Answer> => {
      const waiting = ask(user, { since: await nowOf(server), wait_seconds: 20 });
      await Bun.sleep(100);
      const { id } = await postPoint(server, device.key);
      const answer = await waiting;
      if (answer.status === 410) return hear();
      expect(brief(answer.body.changes)).toEqual([["gpsUpdate", id]]);
      return answer;
    };
    const { body } = await hear();
    const last = ask(user, { since: body.next, wait_seconds: 20 });
    await Bun.sleep(100);
    await unshare(server, device.id, user.id);
    expectRefused(await last, 403, "Forbidden");
  });
});

describe("a wait", () => {
  const wait = async (seconds: number, query: Record<string, string> = {}, token?: Token) =>
    getChanges(server, { since: await nowOf(server), wait_seconds: seconds, ...query }, token);

  /** Acts once the wait has begun. */
  const soon = async (act: () => Promise<unknown>) => {
    await Bun.sleep(100);
    await act();
  };

  test("ends at once when a change comes", async () => {
    const began = performance.now();
    const [answer, { id }] = await Promise.all([
      wait(30),
      Bun.sleep(200).then(() => postPoint(server, device.key)),
    ]);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(brief(answer.body.changes)).toEqual([["gpsUpdate", id]]);
  });

  test("goes on through changes that it doesn't ask for", async () => {
    const asked = wait(30, { types: "tripUpdate" });
    let isOver = false;
    asked.then(() => {
      isOver = true;
    });
    await soon(() => postPoint(server, device.key));
    await soon(() => postPoint(server, device.key));
    expect(isOver).toBe(false);
    const { id } = await createTrip(server);
    expect(brief((await asked).body.changes)).toEqual([["tripUpdate", id]]);
  });

  test("is none where a change is there already, also behind more silent ones than a page looks at", async () => {
    const since = await nowOf(server);
    write(
      server,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45000)
       INSERT INTO changes (kind, record, made_at) SELECT 5, 'x', 0 FROM n`,
    );
    const { id } = await postPoint(server, device.key);
    const began = performance.now();
    const { body } = await getChanges(server, { since, wait_seconds: 30 });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(brief(body.changes)).toEqual([["gpsUpdate", id]]);
    // Without a wait an empty page says that there is more.
    const first = (await getChanges(server, { since })).body;
    expect(first).toMatchObject({ changes: [], is_complete: false });
    expect(numberOf(first.next)).toBe(numberOf(since) + 20_000);
  });

  test("that brings nothing ends empty after its time, beyond the idle time-out of connections", async () => {
    const began = performance.now();
    const { status, body } = await wait(7);
    const took = performance.now() - began;
    expect(status).toBe(200);
    expect(body).toMatchObject({ changes: [], is_complete: true });
    expect(took).toBeGreaterThan(6_900);
    expect(took).toBeLessThan(12_000);
  });

  test("hears of another process's change within seconds", async () => {
    const trip = await createTrip(server);
    const since = await nowOf(server);
    const asked = getChanges(server, { since, wait_seconds: 30 });
    await server.get("/health/live");
    await soon(async () =>
      write(server, `INSERT INTO changes (kind, record, made_at) VALUES (3, '${trip.id}', 0)`),
    );
    const began = performance.now();
    expect(brief((await asked).body.changes)).toEqual([["tripUpdate", trip.id]]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("ends with 403 when a right is taken, without any change, and with 401 when the credential ends", async () => {
    const role = await newRole(server, "gps:read", "trips:read");
    const user = await newUser(server, role.id);
    const began = performance.now();
    const asked = wait(40, {}, user.token);
    await soon(() => revoke(server, role.id, "gps:read"));
    expectRefused(await asked, 403, "Forbidden");
    const trips = wait(40, {}, user.token);
    await soon(() => server.post("/v1/auth/logout", { token: user.token }));
    expectRefused(await trips, 401, "Unauthorized");
    const { id, key } = await server.createKey("gps:read");
    const byKey = wait(40, {}, key);
    await soon(() => server.delete(`/v1/api-keys/${id}`, { token: admin }));
    expectRefused(await byKey, 401, "Unauthorized");
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("goes on when a right comes, or when others lose theirs", async () => {
    const [user, other] = [await staff(server, "gps:read"), await newUser(server)];
    const more = await newRole(server, "trips:read");
    const asked = wait(30, {}, user.token);
    await soon(() => assign(server, user.id, more.id));
    await soon(() => server.post("/v1/auth/logout", { token: other.token }));
    const { id } = await postPoint(server, device.key);
    expect(brief((await asked).body.changes)).toEqual([["gpsUpdate", id]]);
  });

  test("ends with 410 when what it waits behind expires meanwhile", async () => {
    const since = await nowOf(server);
    const asked = getChanges(server, { since, wait_seconds: 30, types: "tripUpdate" });
    await soon(async () => {
      const number = numberOf(since);
      write(
        server,
        `INSERT INTO changes (number, kind, record, made_at) VALUES (${number + 10}, 5, 'x', 0)`,
        `DELETE FROM changes WHERE number < ${number + 10}`,
      );
    });
    expectRefused(await asked, 410, "CursorExpired");
  });
});

describe("requests that are held", () => {
  const MOST = 100;

  test("are at most 100 of a credential, and those that left make room", async () => {
    const { key } = await server.createKey("gps:read");
    const since = await nowOf(server);
    const leaving = new AbortController();
    // Some more than there is room for: the requests below that try it may take a place before the last of them.
    const held = Array.from({ length: MOST + 20 }, (_, at) =>
      fetch(
        `${server.url}/v1/changes${at % 2 === 0 ? `?since=${since}&wait_seconds=50` : `/stream?since=${since}`}`,
        { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal },
      )
        .then((answer) => answer.text())
        .catch(() => "left"),
    );
    const isFull = async () => (await getChanges(server, { since, wait_seconds: 1 }, key)).status === 503;
    await eventually(isFull);
    const refused = await getChanges(server, { since, wait_seconds: 1 }, key);
    expectRefused(refused, 503, "ServiceUnavailable");
    expect(refused.headers.get("retry-after")).toBe("5");
    expectRefused(
      await server.get(`/v1/changes/stream?since=${since}`, { token: key }),
      503,
      "ServiceUnavailable",
    );
    // Whoever doesn't wait is answered, and so are others.
    expect((await getChanges(server, { since }, key)).status).toBe(200);
    expect((await getChanges(server, { since, wait_seconds: 1 })).status).toBe(200);
    leaving.abort();
    await Promise.all(held);
    await eventually(async () => !(await isFull()));
    const again = Array.from({ length: MOST - 10 }, () =>
      getChanges(server, { since, wait_seconds: 30 }, key),
    );
    await Bun.sleep(300);
    await postPoint(server, device.key);
    expect(new Set((await Promise.all(again)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("are not left over by HEAD", async () => {
    const { key } = await server.createKey("gps:read");
    for (let count = 0; count < MOST + 5; count++) {
      const answer = await fetch(`${server.url}/v1/changes/stream?since=now`, {
        method: "HEAD",
        headers: { authorization: `Bearer ${key}` },
      });
      expect(answer.status).toBe(200);
    }
    expect((await getChanges(server, { since: "now", wait_seconds: 1 }, key)).status).toBe(200);
  });

  test("end when the server stops, with an answer", async () => {
    const stopping = await TestServer.start();
    const token = await stopping.admin();
    const since = (await stopping.get("/v1/changes?since=now", { token })).body.next;
    const poll = stopping.get(`/v1/changes?since=${since}&wait_seconds=60`, { token });
    const stream = fetch(`${stopping.url}/v1/changes/stream?since=${since}`, {
      headers: { authorization: `Bearer ${token}` },
    }).then((answer) => answer.text());
    await Bun.sleep(200);
    // An answer to a later request: those before have come.
    await stopping.get("/health/live");
    const began = performance.now();
    expect(await stopping.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(await poll).toMatchObject({ status: 200, body: { changes: [], next: since, is_complete: true } });
    expect(await stream).toBe(": changes\n\n");
  });
});

test("the epoch outlasts a restart, and the numbers go on", async () => {
  const first = await TestServer.start();
  const { id } = await postPoint(first, first.systemKey);
  const since = await nowOf(first);
  await first.stop("SIGKILL");
  const second = await TestServer.start({ dataDir: first.dataDir });
  expect(await nowOf(second)).toBe(since);
  await postPoint(second, second.systemKey);
  const [change] = await changesSince(second, since);
  expect(numberOf(change?.cursor ?? "")).toBe(numberOf(since) + 1);
  expect(rows(second, "SELECT record FROM changes WHERE number = ?", numberOf(since))).toEqual([
    { record: id },
  ]);
  await second.stop();
});
