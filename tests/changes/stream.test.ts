import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import type { Token } from "../support/api";
import { done, eventually, expectRefused } from "../support/expectations";
import { newUser } from "../support/people";
import { holdDuring } from "../support/pressure";
import { newRole, revoke } from "../support/roles";
import { write } from "../support/rows";
import { seen } from "../support/seen";
import { TestServer } from "../support/server";
import { createTrip, postPoint } from "../tracking/support";
import { changesSince, getChanges, nowOf, type Told } from "./support";

/** GET /v1/changes/stream: server-sent events (HTML Standard, section 9.2). */

let server: TestServer;
let admin: Token;
let key: Token;
let deviceId: string;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.idle_seconds": "3" }, memory: "as shipped" });
  admin = await server.admin();
  ({ key, id: deviceId } = await server.device());
});
afterAll(() => server.stop());

/** A reader of the stream, as a browser is one. */
class Reader {
  readonly events: Told[] = [];
  /** Milliseconds at which comments came. */
  readonly comments: number[] = [];
  readonly askedAt = performance.now();
  isOver = false;
  readonly #leaving = new AbortController();

  static async open(query: string, token: Token, headers: Record<string, string> = {}): Promise<Reader> {
    const reader = new Reader();
    const answer = await fetch(`${server.url}/v1/changes/stream${query}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: reader.#leaving.signal,
    });
    expect(answer.status).toBe(200);
    seen.add("streamChanges 200");
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-accel-buffering")).toBe("no");
    reader.#read(answer.body as ReadableStream<Uint8Array>).catch(() => {
      reader.isOver = true;
    });
    await eventually(() => reader.comments.length > 0);
    return reader;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() as string;
      for (const block of blocks) this.#take(block);
    }
    this.isOver = true;
  }

  #take(block: string): void {
    if (block.startsWith(":")) {
      this.comments.push(performance.now());
      return;
    }
    const lines = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block);
    if (!lines) throw new Error(`no event: ${block}`);
    const [, cursor = "", type = "", data = ""] = lines;
    this.events.push({ cursor, type, data: JSON.parse(data) });
  }

  async until(count: number): Promise<Told[]> {
    await eventually(() => this.events.length >= count || this.isOver);
    return this.events;
  }

  leave(): void {
    this.#leaving.abort();
  }
}

const firstOf = (query: string, token: Token, headers?: Record<string, string>) =>
  Reader.open(query, token, headers);

test("tells of what comes, as the list does: id, event and data", async () => {
  const since = await nowOf(server);
  const reader = await firstOf("", admin);
  await postPoint(server, key);
  await createTrip(server, { name: "line\nbreak\r\nand ☸" });
  await server.device();
  const events = await reader.until(3);
  expect(events.map(({ type }) => type)).toEqual(["gpsUpdate", "tripUpdate", "deviceUpdate"]);
  expect(events).toEqual(await changesSince(server, since));
  reader.leave();
});

test("resumes behind Last-Event-ID, which comes before since", async () => {
  const since = await nowOf(server);
  for (let count = 0; count < 5; count++) await postPoint(server, key);
  const all = await changesSince(server, since);
  const bySince = await firstOf(`?since=${since}`, admin);
  expect(await bySince.until(5)).toEqual(all);
  const resumed = await firstOf(`?since=${since}`, admin, { "last-event-id": all[2]?.cursor ?? "" });
  expect(await resumed.until(2)).toEqual(all.slice(3));
  await postPoint(server, key);
  expect(await resumed.until(3)).toEqual([
    ...all.slice(3),
    ...(await changesSince(server, all[4]?.cursor ?? "")),
  ]);
  for (const reader of [bySince, resumed]) reader.leave();
});

test("has only the types and the device that are asked for", async () => {
  const other = await server.device();
  const since = await nowOf(server);
  await postPoint(server, key);
  await postPoint(server, other.key);
  const trip = await createTrip(server);
  const ofDevice = await firstOf(`?since=${since}&device_id=${deviceId}`, admin);
  const trips = await firstOf(`?since=${since}&types=tripUpdate`, admin);
  expect((await ofDevice.until(1))[0]?.data.device_id).toBe(deviceId);
  expect((await trips.until(1))[0]?.data.id).toBe(trip.id);
  await postPoint(server, other.key);
  const { id } = await postPoint(server, key);
  expect((await ofDevice.until(2)).map(({ data }) => data.id)).toContain(id);
  expect([ofDevice.events.length, trips.events.length]).toEqual([2, 1]);
  for (const reader of [ofDevice, trips]) reader.leave();
});

test("refuses what is no cursor, and one of another epoch", async () => {
  const ask = (query: string, headers = {}) =>
    server.get(`/v1/changes/stream${query}`, { token: admin, headers });
  expectRefused(await ask("?since=x"), 400, "BadRequest");
  expectRefused(await ask("", { "last-event-id": "x" }), 400, "BadRequest");
  const expired = await ask("", { "last-event-id": "0123456789abcdef-1" });
  expectRefused(expired, 410, "CursorExpired");
  expect(expired.body.next).toBe(await nowOf(server));
});

test("has a comment each 15 s while it has nothing to tell, also while others' changes come", async () => {
  const [quiet, busy] = [await firstOf("", admin), await firstOf("?types=tripUpdate", admin)];
  while (quiet.comments.length < 2 && !quiet.isOver) {
    await Bun.sleep(200);
    if (busy.comments.length === 1) await postPoint(server, server.systemKey);
    // The first one hears of these; it has a comment only when it is left alone.
    if (busy.comments.length > 1) break;
  }
  expect(busy.events).toEqual([]);
  const [first = 0, second = 0] = busy.comments;
  // The first one may be read late; the pause begins after the request was sent.
  expect(second - busy.askedAt).toBeGreaterThanOrEqual(15_000);
  expect(second - first).toBeLessThan(30_000);
  expect(quiet.events.length).toBeGreaterThan(10);
  expect([quiet.isOver, busy.isOver]).toEqual([false, false]);
  for (const reader of [quiet, busy]) reader.leave();
});

test("ends when a right is taken, and when the credential ends; who comes again learns why", async () => {
  const role = await newRole(server, "gps:read", "trips:read");
  const user = await newUser(server, role.id);
  const reader = await firstOf("", user.token);
  await postPoint(server, key);
  const cursor = (await reader.until(1))[0]?.cursor ?? "";
  done(await revoke(server, role.id, "gps:read"));
  await eventually(() => reader.isOver);
  await postPoint(server, key);
  expect(reader.events).toHaveLength(1);
  const again = await firstOf("", user.token, { "last-event-id": cursor });
  const trip = await createTrip(server);
  expect((await again.until(1)).map(({ data }) => data.id)).toEqual([trip.id]);
  await server.post("/v1/auth/logout", { token: user.token });
  await eventually(() => again.isOver);
  expectRefused(await server.get("/v1/changes/stream", { token: user.token }), 401, "Unauthorized");
});

test("ends when changes are forgotten before they were read", async () => {
  const user = await server.key("trips:read");
  const since = await nowOf(server);
  const reader = await firstOf("", user);
  const number = Number(since.split("-")[1]);
  write(
    server,
    `INSERT INTO changes (number, kind, record, made_at) VALUES (${number + 10}, 5, 'x', 0)`,
    `DELETE FROM changes WHERE number < ${number + 10}`,
  );
  await eventually(() => reader.isOver);
  expectRefused(await getChanges(server, { since }, user), 410, "CursorExpired");
});

describe.skipIf(process.platform !== "linux")("a reader that doesn't read", () => {
  const READERS = 20;
  /** Together they would get 2 GB. */
  const MISSED = 200_000;
  const MAX_MB = 160;
  const megabytes = (line: string) =>
    Number(
      new RegExp(`${line}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1],
    ) / 1_024;

  test("costs no memory, and holds nobody up", async () => {
    const since = await nowOf(server);
    const { id } = await postPoint(server, key);
    write(
      server,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MISSED})
         INSERT INTO changes (kind, record, made_at) SELECT 0, '${id}', 0 FROM n`,
    );
    const before = megabytes("VmRSS");
    const { hostname, port } = new URL(server.url);
    const sockets = Array.from({ length: READERS }, () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      socket.pause();
      socket.write(
        `GET /v1/changes/stream?since=${since} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`,
      );
      return socket;
    });
    expect(await holdDuring(server, () => Bun.sleep(2_000))).toBeLessThan(500);
    expect(megabytes("VmHWM") - before).toBeLessThan(MAX_MB);
    for (const socket of sockets) socket.destroy();
  });
});
