import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { extractText, getDocumentProxy } from "unpdf";
import type { Token } from "../../support/api";
import { expectRefused, expectStatus } from "../../support/expectations";
import { staff } from "../../support/people";
import { onDatabase } from "../../support/rows";
import { TestServer, temporaryDirectory } from "../../support/server";
import { createTrip, moveTrip, postPoint } from "../support";
import { type Entry, readLog, strike, verify, write } from "./support";

/** The log of a trip as files. */
let server: TestServer;
let token: Token;
let trip: string;
let entries: Entry[];
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
  const { id: device_id, key } = await server.device("Greif");
  const name = "Übers Meer: Łódź–Straße";
  ({ id: trip } = await createTrip(server, { name, device_id, gps_logging_enabled: true }));
  await moveTrip(server, trip, "active");
  const now = Math.floor(Date.now() / 1_000);
  for (const step of [0, 1, 2])
    await postPoint(server, key, { latitude: 54 + step / 10, longitude: 13, timestamp: now + step });
  await write(server, trip, { text: '=HYPERLINK("http://x")', data: { "-a": 1, b: 'Grüße, "x"\nzwei' } });
  const wrong = await write(server, trip, { kind: "weather", text: "Wind 50 Bft" });
  await strike(server, trip, wrong.id, "Tippfehler");
  const { latitude, longitude } = { latitude: 54.1, longitude: 13 };
  await write(server, trip, { kind: "position", data: { latitude, longitude } }, server.systemKey);
  await write(server, trip, { text: "+1 –\u202eὈδυσσεύς", occurred_at: "2026-01-02T03:04:05Z" });
  entries = await readLog(server, trip);
});
afterAll(() => server.stop());

async function file(format: string, headers: Record<string, string> = {}, by: Token = token, id = trip) {
  const response = await fetch(`${server.url}/v1/trips/${id}/log?format=${format}`, {
    headers: { authorization: `Bearer ${by}`, ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    name: response.headers.get("content-disposition"),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const squeezed = (text: string): string => text.replaceAll(/[\s\u200b]+/g, "");
async function textOf(pdf: Buffer): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: true });
  return squeezed(text);
}

describe("JSON", () => {
  test("has all entries as they were hashed, and the head", async () => {
    const { status, type, name, bytes } = await file("json");
    expect([status, type, name]).toEqual([
      200,
      "application/json;charset=utf-8",
      'attachment; filename="log-ubers-meer-odz-strasse.json"',
    ]);
    const { data, head, trip_id } = JSON.parse(bytes.toString());
    expect(data).toEqual(entries);
    expect(head).toBe(entries.at(-1).hash);
    expect(trip_id).toBe(trip);
    // As declared: the contract looks at what this client gets.
    expectStatus(await server.get(`/v1/trips/${trip}/log?format=json`, { token }), 200);
  });

  test("of an empty log has none", async () => {
    const { id } = await createTrip(server, { name: "…" });
    const { name, bytes } = await file("json", {}, token, id);
    expect(name).toBe('attachment; filename="log-trip.json"');
    expect(JSON.parse(bytes.toString())).toMatchObject({ data: [], head: null });
  });

  test("of a long log comes whole", async () => {
    const { id } = await createTrip(server);
    const { id: first } = await write(server, id, { text: "x" });
    onDatabase(server, (database) =>
      database.run(
        `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)
         INSERT INTO log_entries (id, trip_id, number, kind, occurred_at, recorded_at, is_automatic, hash)
         SELECT ?1 || i, ?2, i, 'note', 0, 0, 0, 'h' || i FROM n`,
        [first, id],
      ),
    );
    const { data, head } = JSON.parse((await file("json", {}, token, id)).bytes.toString());
    expect(data.map(({ number }: Entry) => number)).toEqual(Array.from({ length: 5_001 }, (_, at) => at + 1));
    expect(head).toBe("h5001");
    expect((await file("csv", {}, token, id)).bytes.toString().split("\r\n")).toHaveLength(5_003);
    expectRefused(await server.get(`/v1/trips/${id}/log?format=pdf`, { token }), 409, "Conflict");
  });
});

describe("the program for third parties", () => {
  const directory = join(temporaryDirectory(), "exports");
  mkdirSync(directory);
  async function verify(content: object, ...more: string[]) {
    const path = join(directory, "log.json");
    writeFileSync(path, JSON.stringify(content));
    const program = resolve(import.meta.dir, "../../../docs/verify-log.mjs");
    const child = Bun.spawn([process.execPath, program, path, ...more], { stdout: "pipe" });
    return { output: (await new Response(child.stdout).text()).trim(), status: await child.exited };
  }
  const exported = async () => JSON.parse((await file("json")).bytes.toString());

  test("finds a real export intact, and the signed entry in it", async () => {
    const log = await exported();
    expect(await verify(log)).toEqual({
      output: `intact: 5 entries, head ${log.head}`,
      status: 0,
    });
    const { output } = await verify(log, entries[2].hash);
    expect(output).toEndWith("; signed up to no. 3");
  });

  test.each<[string, (log: Entry) => void, string]>([
    ["a changed text", ({ data }) => (data[1].text = "Wind 5 Bft"), "no. 2"],
    ["changed data", ({ data }) => (data[0].data["-a"] = 2), "no. 1"],
    ["another time", ({ data }) => (data[3].occurred_at = data[2].occurred_at), "no. 4"],
    ["a removed entry", ({ data }) => data.splice(1, 1), "no. 3"],
    ["the log of another trip", (log) => (log.trip_id = log.data[0].id), "no. 1"],
    ["entries in another order", ({ data }) => data.reverse(), "no. 5"],
    ["an end that was cut off", ({ data }) => data.pop(), "missing at the end"],
  ])("finds %s", async (_, tamper, told) => {
    const log = await exported();
    tamper(log);
    const { output, status } = await verify(log);
    expect(status).toBe(1);
    expect(output).toContain(told);
  });

  test("finds a signed hash that is not in the log", async () => {
    expect(await verify(await exported(), "0".repeat(64))).toMatchObject({ status: 1 });
  });
});

test("CSV has a line for each entry with its strike, and no formula", async () => {
  const { status, type, name, bytes } = await file("csv");
  expect([status, type, name]).toEqual([
    200,
    "text/csv; charset=utf-8; header=present",
    'attachment; filename="log-ubers-meer-odz-strasse.csv"',
  ]);
  const [first, second, third] = entries;
  const text = bytes.toString();
  expect(text).toStartWith(
    "number,occurred_at,kind,text,data,struck_at,struck_reason,is_automatic,user_id,api_key_id,recorded_at,id,strikes_id,previous_hash,hash\r\n",
  );
  expect(text).toContain(
    `1,${first.occurred_at},note,"'=HYPERLINK(""http://x"")","{""-a"":1,""b"":""Grüße, \\""x\\""\\nzwei""}",,,false,`,
  );
  expect(text).toContain(
    `2,${second.occurred_at},weather,Wind 50 Bft,,${third.occurred_at},Tippfehler,false,`,
  );
  expect(text).toContain(",'+1 –");
  expect(text.trimEnd().split("\r\n")).toHaveLength(entries.length + 1);
});

describe("the sheet", () => {
  const GERMAN = [
    "Logbuch",
    "Schiff oder Gerät",
    "Fahrtverlauf",
    "Gestrichen durch Nr. 3: Tippfehler",
    "Wetter",
  ];
  const ENGLISH = [
    "Vessel or device",
    "Track",
    "Struck out by no. 3: Tippfehler",
    "Strikes out no. 2",
    "Weather",
  ];
  test.each([
    ["pdf&locale=de", {}, GERMAN],
    ["pdf&locale=en", { "accept-language": "de" }, ENGLISH],
    ["pdf", { "accept-language": "fr, de-AT;q=0.5" }, GERMAN],
    ["pdf", { "accept-language": "fr" }, ENGLISH],
    ["pdf", {}, ENGLISH],
  ])("%s %p is in the right language, and complete", async (format, headers, words) => {
    const { status, type, name, bytes } = await file(format, headers as Record<string, string>);
    expect([status, type, name]).toEqual([
      200,
      "application/pdf",
      'attachment; filename="log-ubers-meer-odz-strasse.pdf"',
    ]);
    const text = await textOf(bytes);
    for (const word of [
      ...words,
      ...["Greif", "Übers Meer: Łódź–Straße", '=HYPERLINK("http://x")', "Wind 50 Bft", "Ὀδυσσεύς", "admin"],
      ...["km", "54°05′N", entries.at(-1).hash],
    ])
      expect(text).toContain(squeezed(word));
  });

  test("names authors only to those who may read users, and to themselves", async () => {
    const pdf = await file("pdf", {}, await server.key("trips:read"));
    // A key of the admin, who wrote these entries.
    expect(await textOf(pdf.bytes)).toContain("admin");
    const mate = await staff(server, "trips:read");
    const other = await file("pdf", {}, mate.token);
    const text = await textOf(other.bytes);
    expect(text).not.toContain("admin");
    expect(text).toContain(squeezed(`User ${entries[0].user_id.slice(-8)}`));
  });

  test("names a deleted account's author no more, while the entries stay as they were", async () => {
    const { id } = await createTrip(server);
    const mate = await staff(server, "trips:write");
    const entry = await write(server, id, { text: "Changed the oil" }, mate.token);
    expect(await textOf((await file("pdf", {}, token, id)).bytes)).toContain(squeezed(mate.username));
    expectStatus(await server.post(`/v1/admin/users/${mate.id}/force-delete`, { token }), 200);
    expect(await readLog(server, id)).toEqual([entry]);
    expect((await verify(server, id)).is_intact).toBe(true);
    const text = await textOf((await file("pdf", {}, token, id)).bytes);
    expect(text).not.toContain(squeezed(mate.username));
    expect(text).toContain(squeezed("deleted account"));
  });

  test("says so where the chain is broken", async () => {
    const { id } = await createTrip(server);
    for (const text of ["one", "two", "three"]) await write(server, id, { text });
    onDatabase(server, (database) =>
      database.run("UPDATE log_entries SET text = 'other' WHERE trip_id = ? AND number = 2", [id]),
    );
    const { bytes } = await file("pdf", {}, token, id);
    expect(await textOf(bytes)).toContain(squeezed("The chain of this log is broken at entry no. 2"));
  });

  test("of a log without entries and positions is one too", async () => {
    const { id } = await createTrip(server);
    const text = await textOf((await file("pdf", {}, token, id)).bytes);
    expect(text).toContain(squeezed("No positions were recorded."));
    expect(text).toContain(squeezed("The log has no entries."));
  });

  test("of long and strange entries is whole", async () => {
    const { id } = await createTrip(server, { name: "x".repeat(200) });
    const long = `${"word ".repeat(1_999)}END`;
    await write(server, id, { text: long, data: { deep: { list: ["y".repeat(15_000)] } } });
    await write(server, id, { text: "z".repeat(10_000) });
    await write(server, id, { text: "</text>&<svg>\u0000😀" });
    const data = { latitude: "north", longitude: 400 };
    await write(server, id, { kind: "position", data });
    const text = await textOf((await file("pdf", {}, token, id)).bytes);
    expect(text).toContain("END");
    expect(text.split("z").length - 1).toBeGreaterThanOrEqual(10_000);
    expect(text).toContain(squeezed("latitude: north · longitude: 400"));
  });
});

test("HEAD tells the headers and makes nothing", async () => {
  for (const format of ["json", "csv", "pdf"]) {
    const answer = await server.request("HEAD", `/v1/trips/${trip}/log?format=${format}`, { token });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toContain(`.${format}`);
  }
});

test("an unknown format or language is 400", async () => {
  for (const query of ["format=xml", "format=pdf&locale=fr"])
    expectRefused(await server.get(`/v1/trips/${trip}/log?${query}`, { token }), 400, "ValidationError");
});
