import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  done,
  eventually,
  expectInvalid,
  expectPermission,
  expectRefused,
  expectStatus,
} from "../../support/expectations";
import { olderDirectory } from "../../support/older-database";
import { newUser } from "../../support/people";
import { expectFailure } from "../../support/program";
import { randomFrom } from "../../support/random";
import { onDatabase, rows } from "../../support/rows";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../../support/server";
import { DAY, HOUR } from "../../support/time";
import { find } from "./support";

/** The hash chain of the audit log (rule E8), its verification, and its export for a third party. */

const VERIFY = "/v1/admin/audit/verify";
const verified = async (server: TestServer, query = "") =>
  done(await server.get(`${VERIFY}${query}`, { token: server.systemKey }));

const verifyBeside = (dataDir: string, ...args: string[]) =>
  command(["audit", "verify", ...args], { settings: { "data.dir": dataDir } });

const write = (server: TestServer, fields: object = {}) =>
  server.post("/v1/internal/audit", {
    token: server.systemKey,
    body: {
      ...{ user_id: null, event_type: "bot_command_executed", resource_type: "command", status: "success" },
      ...{
        source_service: "community_bot",
        metadata: { command: "/where", n: 1.5 },
        description: "Asked 🛥 where",
      },
      ...{ ip_address: "203.0.113.7", user_agent: "Bot/1.0", resource_id: "where" },
      ...fields,
    },
  });

/** Identifiers of all events in the order of the chain. */
const idsOf = (server: TestServer): string[] =>
  rows<{ id: string }>(server, "SELECT id FROM audit_events ORDER BY rowid").map(({ id }) => id);

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
  await newUser(server);
  for (let n = 0; n < 20; n++) expectStatus(await write(server, { resource_id: `place ${n}` }), 201);
});
afterAll(() => server.stop());

describe("the chain", () => {
  test("has every event, by requests at once too, and each shows its hash", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => write(server, { resource_id: `at once ${n}` })),
    );
    const hashes = answers.map((answer) => expectStatus(answer, 201).body.data.hash);
    expect(new Set(hashes).size).toBe(60);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const ids = idsOf(server);
    const verdict = await verified(server);
    const [newest] = (await find(server, { limit: 1 })).events;
    expect(verdict).toEqual({
      ...{
        is_intact: true,
        entries: ids.length,
        scrubbed: 0,
        aged_out: 0,
        first_break: null,
        next_after: null,
      },
      head: { number: ids.length, hash: newest?.hash },
    });
    expect(rows(server, "SELECT number FROM audit_events ORDER BY rowid")).toEqual(
      ids.map((_, at) => ({ number: at + 1 })),
    );
  });

  test("has nothing of what was refused or undone", async () => {
    const before = await verified(server);
    expectInvalid(await write(server, { actor_id: "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a99" }), "/actor_id");
    expect(await verified(server)).toEqual(before);
  });

  test("keeps texts that JSON and SQLite write in different ways", async () => {
    for (const text of ["half \ud83d of a pair", 'a\u2028b\u0001"\\', "é e\u0301 ﬀ", "\u0000 first", "𝟙"])
      await write(server, {
        description: text,
        error_message: text,
        metadata: { [text]: text, n: 1e21, z: -0 },
      });
    expect(await verified(server)).toMatchObject({ is_intact: true });
  });

  test("leaves out what changes later: a report", async () => {
    const user = await newUser(server);
    const own = done(await server.get("/v1/users/me/audit", { token: user.token })).events[0];
    expectStatus(
      await server.post(`/v1/users/me/audit/${own.id}/report`, {
        token: user.token,
        body: { reason: "not_me" },
      }),
      201,
    );
    expect(await verified(server)).toMatchObject({ is_intact: true });
  });

  test("is verified on from a place, and begins nowhere else", async () => {
    const { entries } = await verified(server);
    expect(await verified(server, "?after=5")).toMatchObject({ is_intact: true, entries: entries - 5 });
    expectRefused(await server.get(`${VERIFY}?after=999999`, { token: server.systemKey }), 400, "BadRequest");
    expectStatus(await server.get(`${VERIFY}?after=-1`, { token: server.systemKey }), 400);
  });

  test("is for those who may read the audit log", async () => {
    await expectPermission(server, "audit:read", 200, (token) => server.get(VERIFY, token ? { token } : {}));
    const fetched = (token?: string) =>
      server.get("/v1/admin/audit/export?from=1999-01-01&to=1999-01-02", token ? { token } : {});
    const nobody = await newUser(server);
    expect([(await fetched()).status, (await fetched(nobody.token)).status]).toEqual([401, 403]);
  });
});

type Change = (database: import("bun:sqlite").Database) => void;
type Found = { number: number; reason: string; event_id: string | null } | null;

/** Changes the log past the server, looks at what verification says, and at more if told to, and changes it back. */
async function tampered(change: Change, look: (found: Found) => unknown = () => {}): Promise<Found> {
  const tables = ["audit_events", "audit_chain", "audit_anchors"];
  const kept = Object.fromEntries(
    tables.map((table) => [table, rows<Record<string, never>>(server, `SELECT rowid, * FROM ${table}`)]),
  );
  onDatabase(server, change);
  let first_break: Found;
  try {
    const verdict = await verified(server);
    first_break = verdict.first_break;
    expect(verdict.is_intact).toBe(first_break === null);
    await look(first_break);
  } finally {
    onDatabase(server, (database) => {
      for (const [table, all] of Object.entries(kept)) {
        database.run(`DELETE FROM ${table}`);
        for (const row of all)
          database.run(
            `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
              .map(() => "?")
              .join()})`,
            Object.values(row),
          );
      }
    });
  }
  expect(await verified(server)).toMatchObject({ is_intact: true });
  return first_break;
}

describe("a change past the server is found", () => {
  test("whichever bit of whichever event it is", async () => {
    const random = randomFrom(7);
    const pick = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T;
    const columns = rows<{ name: string; type: string }>(
      server,
      "SELECT name, type FROM pragma_table_info('audit_events') WHERE name NOT IN ('is_reported')",
    );
    const ids = idsOf(server);
    for (let n = 0; n < 150; n++) {
      const at = Math.floor(random() * ids.length);
      const { name, type } = pick(columns);
      const found = await changeBit(ids[at] as string, name, type, random);
      if (found === null) continue;
      // A number of its own stands in the wrong place, and an identifier is what is named.
      expect([name, found.number]).toEqual([name, name === "number" ? found.number : at + 1]);
    }
  });

  /** Flips a bit of a value, and returns the break; null where the value was null and stays so. */
  async function changeBit(id: string, name: string, type: string, random: () => number) {
    const [row] = rows<{ value: string | number | Uint8Array | null }>(
      server,
      `SELECT ${name} AS value FROM audit_events WHERE id = ?`,
      id,
    );
    const value = row?.value ?? null;
    // A text appears where there was none.
    const next = value === null ? (type === "TEXT" ? "x" : null) : flipped(value, random);
    if (next === null) return null;
    const found = await tampered((database) =>
      database.run(`UPDATE audit_events SET ${name} = ? WHERE id = ?`, [next, id]),
    );
    expect([name, value, next, found]).not.toEqual([name, value, next, null]);
    return found;
  }

  function flipped(value: string | number | Uint8Array, random: () => number) {
    if (typeof value === "number") return value ^ 1 ? value + 2 ** Math.floor(random() * 20) : value + 1;
    const bytes = Buffer.from(value as string);
    const at = Math.floor(random() * bytes.length);
    // Bits that leave a text a text: of a character of ASCII, not the highest.
    if (typeof value === "string" && (bytes[at] ?? 0) > 127) return `${value}x`;
    const bit = Math.floor(random() * (typeof value === "string" ? 7 : 8));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    return typeof value === "string" ? bytes.toString() : new Uint8Array(bytes);
  }

  test("an event that is gone, and the newest ones", async () => {
    const ids = idsOf(server);
    expect(
      await tampered((database) => database.run("DELETE FROM audit_events WHERE id = ?", [ids[9] as string])),
    ).toEqual({
      ...{ number: 11, reason: "missing", event_id: ids[10] as string },
    });
    expect(
      await tampered((database) =>
        database.run("DELETE FROM audit_events WHERE id = ?", [ids.at(-1) as string]),
      ),
    ).toEqual({
      ...{ number: ids.length, reason: "missing", event_id: null },
    });
  });

  test("an event that was added past the chain, and two in the other order", async () => {
    const columns = "event_type, status, source_service, is_reported, created_at";
    const id = Bun.randomUUIDv7();
    const added = await tampered((database) =>
      database.run(
        `INSERT INTO audit_events (id, ${columns}) SELECT ?, ${columns} FROM audit_events LIMIT 1`,
        [id],
      ),
    );
    expect(added).toMatchObject({ reason: "unchained", event_id: id });
    const swapped = await tampered((database) => {
      database.run("UPDATE audit_events SET rowid = -1 WHERE number = 4");
      database.run(
        "UPDATE audit_events SET rowid = (SELECT max(rowid) + 1 FROM audit_events) WHERE number = 5",
      );
    });
    expect(swapped).toMatchObject({ reason: "missing", number: 4 });
  });

  test("the head that is gone: events may be missing at the end", async () => {
    const found = await tampered((database) => database.run("DELETE FROM audit_chain"));
    expect(found).toEqual({ number: idsOf(server).length + 1, reason: "missing", event_id: null });
  });

  test("an event that was made to look scrubbed", async () => {
    const found = await tampered((database) =>
      database.run("UPDATE audit_events SET salt = NULL WHERE number = 8"),
    );
    expect(found).toMatchObject({ number: 8, reason: "changed" });
  });

  test("an event that was rewritten as if its account had been scrubbed", async () => {
    const { id } = await newUser(server);
    const [event] = rows<{ number: number }>(
      server,
      "SELECT number FROM audit_events WHERE user_id = ? AND salt IS NOT NULL AND event_type = 'user_created'",
      id,
    );
    const scrub = `UPDATE audit_events SET salt = NULL, ip_address = NULL, user_agent = NULL, description = NULL,
      metadata = '{"name":"another"}', resource_id = 'another' WHERE number = ?`;
    const found = await tampered((database) => database.run(scrub, [event?.number as number]));
    expect(found).toMatchObject({ number: event?.number, reason: "changed" });
    const ofService = (await write(server)).body.data.id;
    const reworded = await tampered((database) =>
      database.run(scrub.replace("number = ?", "id = ?"), [ofService]),
    );
    expect(reworded).toMatchObject({ event_id: ofService, reason: "changed" });
  });

  test("an event before all others", async () => {
    const found = await tampered((database) =>
      database.run("UPDATE audit_events SET rowid = -5 WHERE number = 12"),
    );
    expect(found).toMatchObject({ number: 12, reason: "missing" });
  });

  /** Expects that the command finds the same break as the API, and the program for third parties such an export. */
  async function expectFound(sql: string, at: number, reason: string, ofExport: string): Promise<void> {
    const found = await tampered(
      (database) => database.run(sql),
      async () => {
        const { stderr, status } = await verifyBeside(server.dataDir);
        expect([status, stderr]).toEqual([1, expect.stringContaining("the audit log is broken at")]);
        expect(stderr).toContain(` no. ${at} `);
        expect((await exported(server)).output).toStartWith(ofExport);
      },
    );
    expect(found).toMatchObject({ number: at, reason });
  }

  test.each([
    ["changed", "created_at = 9223372036854775807"],
    ["changed", "created_at = -9223372036854775808"],
    ["changed", "created_at = 8640000000000001"],
    ["changed", "hash = x''"],
    ["changed", "personal_hash = x''"],
    ["changed", "salt = x''"],
    ["changed", "id = ''"],
    ["changed", "id = cast(x'ff00fe' AS TEXT)"],
    ["changed", "event_type = cast(x'c3' AS TEXT)"],
    ["changed", "description = printf('%.*c', 20000000, char(1))"],
    ["unchained", "hash = NULL"],
    ["unchained", "personal_hash = NULL"],
    ["unchained", "number = NULL"],
    ["unchained", "number = -9223372036854775808"],
  ])("an event that is %s by %s", (reason, garbage) =>
    expectFound(
      `UPDATE audit_events SET ${garbage} WHERE number = 9`,
      ...([9, reason, garbage.startsWith("number") ? "BROKEN at no. " : "BROKEN at no. 9 "] as const),
    ),
  );

  test("the newest event, without its hash", async () => {
    const end = idsOf(server).length;
    await expectFound(
      `UPDATE audit_events SET hash = NULL WHERE number = ${end}`,
      ...([end, "unchained", `BROKEN at no. ${end} `] as const),
    );
  });

  test.each([
    "metadata = 'x'",
    "metadata = ''",
    `metadata = '{"action": '`,
    "metadata = cast(x'ff00' AS TEXT)",
    "metadata = printf('%.*c', 2000, '[')",
    "metadata = printf('%.*c', 20000000, '[')",
  ])("an event that was made to look scrubbed, with %s", (garbage) =>
    expectFound(
      `UPDATE audit_events SET salt = NULL, ip_address = NULL, user_agent = NULL, description = NULL,
         error_message = NULL, ${garbage} WHERE number = 9`,
      ...([9, "changed"] as const),
      // It reads no metadata without salt.
      "intact: ",
    ),
  );

  const copyTo = (row: bigint, number: number | string) =>
    `INSERT INTO audit_events (rowid, id, number, user_id, ${others})
     SELECT ${row}, 'copy ' || ${row}, ${number}, user_id, ${others} FROM audit_events WHERE number = 9`;
  const others = "event_type, status, source_service, is_reported, created_at, hash, personal_hash, salt";

  test.each([
    [2n ** 63n - 1n, "end"],
    [2n ** 53n, "end"],
    [-(2n ** 63n), "beginning"],
  ])("an event in row %p, where the server writes none, at the %s", (row, place) =>
    expectFound(
      copyTo(row, "number"),
      // The span of an export doesn't lead there.
      ...([place === "end" ? idsOf(server).length + 1 : 1, "unchained", "intact: "] as const),
    ),
  );

  test("events in such rows, by a walk that begins later, whose search could go round in circles", async () => {
    await tampered(
      (database) => {
        database.run(copyTo(2n ** 60n, 1));
        database.run(copyTo(2n ** 61n, 1_000_000));
      },
      async (found) => {
        expect(found).toMatchObject({ event_id: `copy ${2n ** 60n}`, reason: "unchained" });
        expect((await verified(server, "?after=15")).first_break).toEqual(found);
      },
    );
  });

  test.each(["number = 9223372036854775807", "number = -1", "hash = x''"])(
    "a head that has %s: events may be missing at the end",
    (garbage) =>
      expectFound(
        `UPDATE audit_chain SET ${garbage}`,
        ...([idsOf(server).length + 1, "missing", "intact: "] as const),
      ),
  );

  test("nothing where all rows have moved, and an export has them all", async () => {
    const found = await tampered(
      (database) => database.run("UPDATE audit_events SET rowid = rowid - 1000000"),
      async () =>
        expect((await exported(server)).output).toStartWith(`intact: ${idsOf(server).length} events`),
    );
    expect(found).toBeNull();
  });

  test("events that are said to have aged out, while older ones are left", async () => {
    const [{ hash }] = rows<{ hash: Uint8Array }>(
      server,
      "SELECT hash FROM audit_events WHERE number = 9",
    ) as [{ hash: Uint8Array }];
    const found = await tampered((database) => {
      database.run("INSERT INTO audit_anchors VALUES (9, ?)", [hash]);
      database.run("DELETE FROM audit_events WHERE number IN (8, 9)");
    });
    expect(found).toMatchObject({ number: 10, reason: "missing" });
  });

  test("and `fairlead audit verify` names the same first break, with status 1", async () => {
    const intact = await verifyBeside(server.dataDir);
    const { entries, head } = await verified(server);
    expect([intact.status, intact.stdout]).toEqual([
      0,
      `The audit log is intact: ${entries} events. Head: no. ${head.number}, ${head.hash}\n`,
    ]);
    expect(JSON.parse((await verifyBeside(server.dataDir, "--json")).stdout)).toMatchObject({
      is_intact: true,
      entries,
    });
    const id = idsOf(server)[11] as string;
    const [{ description }] = rows<{ description: string }>(
      server,
      "SELECT description FROM audit_events WHERE id = ?",
      id,
    ) as [{ description: string }];
    onDatabase(server, (database) =>
      database.run("UPDATE audit_events SET description = 'x' WHERE id = ?", [id]),
    );
    const broken = await verifyBeside(server.dataDir);
    expectFailure(
      broken,
      1,
      `the audit log is broken at event no. 12 (${id}): it is not what was hashed; 11 events`,
    );
    expect(await verified(server)).toMatchObject({
      first_break: { event_id: id, number: 12, reason: "changed" },
    });
    onDatabase(server, (database) =>
      database.run("UPDATE audit_events SET description = ? WHERE id = ?", [description, id]),
    );
    expectFailure(await verifyBeside(temporaryDirectory()), 1, "there is no database");
  });
});

describe("what goes", () => {
  test("when an account is scrubbed leaves the chain whole: salt and fields are gone, the rest is proved", async () => {
    const user = await newUser(server);
    for (let n = 0; n < 5; n++)
      expectStatus(await write(server, { user_id: user.id, source_service: "api" }), 201);
    const before = await verified(server);
    done(await server.post(`/v1/admin/users/${user.id}/force-delete`, { token: server.systemKey }));
    await eventually(
      () => rows(server, "SELECT 1 FROM users WHERE id = ? AND scrubbed_at IS NOT NULL", user.id).length > 0,
    );
    const after = await verified(server);
    expect(after).toMatchObject({ is_intact: true });
    expect(after.scrubbed).toBeGreaterThan(before.scrubbed + 4);
    expect(
      rows(
        server,
        "SELECT 1 FROM audit_events WHERE user_id = ? AND salt IS NOT NULL AND ip_address IS NOT NULL",
        user.id,
      ),
    ).toEqual([]);
  });

  test("by age leaves an anchor", async () => {
    let aged = await TestServer.start({ clock: "movable", settings: { "log.level": "error" } });
    try {
      for (let n = 0; n < 5; n++) await write(aged);
      const dataDir = aged.dataDir;
      await aged.stop();
      aged = await TestServer.start({ dataDir, clock: "movable", ahead: 40 * DAY });
      for (let n = 0; n < 3; n++) await write(aged);
      const before = idsOf(aged).length;
      onDatabase(aged, (database) =>
        database.run("UPDATE system_config SET value = '30' WHERE key = 'audit.retention_days'"),
      );
      await aged.stop();
      aged = await TestServer.start({ dataDir, clock: "movable", ahead: 40 * DAY });
      await eventually(() => idsOf(aged).length < before);
      const verdict = await verified(aged);
      const entries = idsOf(aged).length;
      expect(verdict).toMatchObject({
        ...{ is_intact: true, entries, aged_out: verdict.head.number - entries },
      });
      expect((await verifyBeside(aged.dataDir)).stdout).toStartWith(
        `The audit log is intact: ${entries} events from no. ${verdict.aged_out + 1} on, those before have aged out.`,
      );
      expect((await exported(aged)).status).toBe(0);
      expect(await write(aged).then(({ status }) => status)).toBe(201);
      // The anchor alone tells that they were there.
      onDatabase(aged, (database) => database.run("DELETE FROM audit_anchors"));
      expect((await verified(aged)).first_break).toMatchObject({ reason: "missing" });
    } finally {
      await aged.stop();
    }
  });
});

test("events age out in the order in which they were written, whatever the clock said", async () => {
  const aged = await TestServer.start({ clock: "movable" });
  try {
    done(
      await aged.patch("/v1/system-config/audit.retention_days", {
        token: await aged.admin(),
        body: { value: 30 },
      }),
    );
    const [past, future, last] = [-15_000, 400, 10];
    const ids = new Map<number, string>();
    let day = 0;
    const leapTo = async (to: number) => {
      await aged.leap((to - day) * DAY);
      day = to;
    };
    for (const to of [past, future, last]) {
      await leapTo(to);
      ids.set(to, expectStatus(await write(aged), 201).body.data.id);
    }
    for (const [to, left] of [
      [25, [past, future, last]],
      [35, [future, last]],
      [45, []],
    ] as [number, number[]][]) {
      await leapTo(to);
      await aged.runJobs(HOUR);
      const all = idsOf(aged);
      expect([to, [...ids.keys()].filter((at) => all.includes(ids.get(at) as string))]).toEqual([to, left]);
      expect(await verified(aged)).toMatchObject({ is_intact: true });
    }
  } finally {
    await aged.stop();
  }
});

const directory = temporaryDirectory();

/** Runs the program for third parties over lines. */
async function checkFile(lines: string[], ...more: string[]) {
  const path = join(directory, "log.ndjson");
  writeFileSync(path, `${lines.join("\n")}\n`);
  const check = resolve(import.meta.dir, "../../../docs/verify-audit.mjs");
  const child = Bun.spawn([process.execPath, check, path, ...more], { stdout: "pipe" });
  return { output: (await new Response(child.stdout).text()).trim(), status: await child.exited };
}

async function exportOf(from: TestServer, query = ""): Promise<string[]> {
  const response = await fetch(`${from.url}/v1/admin/audit/export${query}`, {
    headers: { authorization: `Bearer ${from.systemKey}` },
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  return (await response.text()).trimEnd().split("\n");
}

const exported = async (from: TestServer) => checkFile(await exportOf(from));

describe("an export", () => {
  test("is proved by a program that shares no code, and holds what the list shows", async () => {
    const lines = await exportOf(server);
    const { entries, head, scrubbed } = await verified(server);
    const first = JSON.parse(lines[0] as string);
    expect(first).toMatchObject({
      type: "fairlead_audit_log",
      first_number: 1,
      last_number: head.number,
      head,
    });
    expect(lines).toHaveLength(entries + 1);
    const { output, status } = await checkFile(lines, head.hash);
    expect(output).toBe(
      `intact: ${entries} events (${scrubbed} scrubbed), no. 1 to no. ${head.number}, ${head.hash}; told of up to no. ${head.number}`,
    );
    expect(status).toBe(0);
    const { event, personal, hash } = JSON.parse(lines.at(-1) as string);
    const [newest] = (await find(server, { limit: 1 })).events;
    expect([event.id, event.created_at, personal.resource_type, hash]).toEqual([
      ...[newest?.id, newest?.created_at, newest?.resource_type, newest?.hash],
    ]);
  });

  test("of a span is a part of the chain, and of a span without events its head alone", async () => {
    const all = (await exportOf(server)).slice(1).map((line) => JSON.parse(line));
    const [from, to] = [all[10].event.created_at, all[20].event.created_at];
    const lines = await exportOf(server, `?from=${from}&to=${to}`);
    expect((await checkFile(lines)).status).toBe(0);
    const inSpan = all.filter(({ event }) => event.created_at >= from && event.created_at <= to);
    expect(lines.slice(1).map((line) => JSON.parse(line).event.id)).toEqual(
      inSpan.map(({ event }) => event.id),
    );
    expect(JSON.parse(lines[0] as string).previous_hash).toBe(all[all.indexOf(inSpan[0]) - 1].hash);
    const none = await exportOf(server, "?from=1999-01-01&to=1999-12-31");
    expect(none).toHaveLength(1);
    expect(JSON.parse(none[0] as string)).toMatchObject({ first_number: null, last_hash: null });
    expectInvalid(
      await server.get("/v1/admin/audit/export?from=2026-05-04&to=2026-05-01", { token: server.systemKey }),
      "/to",
    );
    expectInvalid(
      await server.get("/v1/admin/audit/export?from=9000-01-01", { token: server.systemKey }),
      "/from",
    );
  });

  // biome-ignore lint/suspicious/noExplicitAny: lines of JSON
  test.each<[string, (lines: any[]) => unknown, string]>([
    [
      "a changed time",
      (lines) => (lines[3].event.created_at = lines[2].event.created_at.replace("Z", "1Z")),
      "no. 3",
    ],
    ["a changed address", (lines) => (lines[12].personal.ip_address = "203.0.113.8"), "no. 12"],
    ["changed metadata", (lines) => (lines[15].personal.metadata = "{}"), "no. 15"],
    ["an event of somebody else", (lines) => (lines[5].event.user_id = "x"), "no. 5"],
    ["two in the other order", (lines) => lines.splice(4, 2, lines[5], lines[4]), "no. 5"],
    ["an end that was cut off", (lines) => lines.pop(), "missing at the end"],
    ["an event that was left out", (lines) => lines.splice(3, 1), "no. 4"],
    ["its first event left out", (lines) => lines.splice(1, 1), "no. 2"],
  ])("is found to have %s", async (_, tamper, told) => {
    const lines = (await exportOf(server)).map((line) => JSON.parse(line));
    tamper(lines);
    const { output, status } = await checkFile(
      lines.map((line) => JSON.stringify(line).replaceAll("\u2028", "\\u2028")),
    );
    expect([status, output]).toEqual([1, expect.stringContaining(told)]);
  });
});

test("the program for third parties says how it is called, and that there is no such file", async () => {
  const check = resolve(import.meta.dir, "../../../docs/verify-audit.mjs");
  for (const [args, told] of [
    [[], "usage: node verify-audit.mjs"],
    [["/nowhere.ndjson"], "there is no file /nowhere.ndjson"],
  ] as const) {
    const child = Bun.spawn([process.execPath, check, ...args], { stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toStartWith(told);
    expect(await child.exited).toBe(2);
  }
});

describe("a file that is no whole export", () => {
  test("isn't called intact", async () => {
    const lines = await exportOf(server);
    const cut = (lines[4] as string).slice(0, 80);
    for (const [broken, told] of [
      [lines.slice(0, 1), "missing at the end"],
      [[...lines.slice(0, 4), cut], "not an export"],
      [['{"error":"Unauthorized","message":"sign in"}'], "not an export"],
      [["Bad gateway"], "not an export"],
      [[], "not an export"],
      [["{}"], "not an export"],
      [[...lines.slice(0, 4), "null"], "not an export"],
    ] as [string[], string][]) {
      const { output, status } = await checkFile(broken);
      expect([broken.at(-1), status, output]).toEqual([broken.at(-1), 1, expect.stringContaining(told)]);
    }
  });

  test("of a span without events is whole", async () => {
    const none = await exportOf(server, "?from=1999-01-01&to=1999-12-31");
    expect(await checkFile(none)).toEqual({ status: 0, output: "intact: 0 events" });
  });
});

describe("events of an earlier version", () => {
  const MANY = 40_000;
  const events = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
    INSERT INTO audit_events (id, user_id, event_type, resource_type, status, source_service, metadata, is_reported, created_at)
    SELECT printf('%036d', i), iif(i % 3, 'u' || i % 9, NULL), 'login', iif(i % 5, 'user', NULL), 'success', 'api',
      iif(i % 2, '{"a": [1, "ü"]}', NULL), i % 7 = 0, i * 1000 FROM n`;

  test("are chained before anything is served, also after kills in between; new ones follow", async () => {
    const dataDir = olderDirectory(events);
    const random = randomFrom(11);
    const settings: Settings = { "data.dir": dataDir, "log.level": "error" };
    const database = join(dataDir, "fairlead.db");
    const chained = () =>
      rows<{ number: number; chained_to: string | null }>(
        { dataDir } as TestServer,
        "SELECT number, chained_to FROM audit_chain",
      )[0];
    let interrupted = 0;
    for (let n = 0; n < 30 && interrupted < 3; n++) {
      const child = Bun.spawn([...program, "migrate", "--no-backup"], {
        env: environment(settings),
        stdio: ["ignore", "ignore", "ignore"],
      });
      const isChaining = () => {
        try {
          return (chained()?.number ?? 0) > 0;
        } catch {
          return false;
        }
      };
      while (child.exitCode === null && !isChaining()) await Bun.sleep(2);
      await Bun.sleep(random() * 100);
      child.kill("SIGKILL");
      await child.exited;
      const state = chained();
      if (state?.chained_to === null) break;
      interrupted++;
    }
    expect(existsSync(database)).toBe(true);
    const later = await TestServer.start({ dataDir });
    try {
      const { entries, is_intact, first_break } = await verified2(later);
      expect([first_break, is_intact]).toEqual([null, true]);
      expect(entries).toBeGreaterThanOrEqual(MANY);
      expect(rows(later, "SELECT number FROM audit_events WHERE id = printf('%036d', 40000)")).toEqual([
        { number: MANY },
      ]);
      expect(rows(later, "SELECT 1 FROM audit_events WHERE hash IS NULL")).toEqual([]);
    } finally {
      await later.stop();
    }
    expect(interrupted).toBeGreaterThan(0);
  });

  /** That database has no system key of the tests. */
  async function verified2({ dataDir }: TestServer) {
    return JSON.parse((await verifyBeside(dataDir, "--json")).stdout);
  }
});
