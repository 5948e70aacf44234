import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Token } from "../../support/api";
import { withoutAudit } from "../../support/events";
import { eventually } from "../../support/expectations";
import { linesOf } from "../../support/log";
import { externalUser } from "../../support/people";
import { TestServer } from "../../support/server";
import {
  ask,
  beginExport,
  exported,
  fill,
  HEAVY,
  LARGE,
  leftovers,
  logs,
  openArchives,
  path,
  SETTINGS,
  written,
} from "./support";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS });
});
afterAll(() => server.stop());

afterEach(async () => {
  expect(leftovers(server)).toEqual([]);
  await eventually(() => openArchives(server) === 0);
});

const directory = () => join(server.dataDir, "exports");

const totalOf = async (token: Token): Promise<number> => (await logs(server, token)).body.total;

describe("a user's exports", () => {
  test("are made one at a time: the others are refused, and nothing is logged of them", async () => {
    const person = await externalUser(server);
    fill(server, person.id, HEAVY);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(server, person.token)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual(
      Array.from({ length: 5 }, () => [429, "TooManyRequests"]),
    );
    for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await totalOf(person.token)).toBe(1);
    const mine = written(server).events.filter(
      (event) => (event as { user_id: string }).user_id === person.id,
    );
    expect(mine.length).toBe(1);
  });

  test("are counted for the user, through whatever credential", async () => {
    const person = await externalUser(server);
    fill(server, person.id, HEAVY);
    const body = { userId: person.id, expires: "2099-01-01T00:00:00Z" };
    const other = await server.post("/v1/sessions", { token: server.systemKey, body });
    const { answer } = await beginExport(server, person.token);
    expect((await ask(server, other.body.sessionToken)).status).toBe(429);
    expect((await answer).status).toBe(200);
  });

  test("don't keep those of others waiting for good: five users at once all succeed", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => externalUser(server)));
    const archives = await Promise.all(people.map(({ token }) => exported(server, token)));
    expect(archives.map(({ data }) => data.user.id)).toEqual(people.map(({ id }) => id));
  });

  test("are possible again after one", async () => {
    const person = await externalUser(server);
    await exported(server, person.token);
    await exported(server, person.token);
    expect(await totalOf(person.token)).toBe(2);
  });
});

describe("an export that fails", () => {
  /**
   * Expects a 500 that reveals nothing of the machine and logs nothing; then that the repaired server
   * exports.
   */
  async function expectFailure(token: Token, repair: () => unknown) {
    const before = written(server);
    const { status, headers, body } = await ask(server, token);
    expect({ status, error: body.error }).toEqual({ status: 500, error: "InternalServerError" });
    expect(body.message).toContain(headers.get("x-request-id") ?? "no request id");
    expect(JSON.stringify(body)).not.toMatch(/E[A-Z]{4,}|exports|SQLITE|abort|refused by/);
    expect(JSON.stringify(body)).not.toContain(server.dataDir);
    expect(written(server)).toEqual(before);
    await eventually(() => openArchives(server) === 0);
    repair();
    await exported(server, token);
  }

  test("because its directory is a file answers 500, logs nothing, and works once that is repaired", async () => {
    const person = await externalUser(server);
    rmSync(directory(), { recursive: true, force: true });
    writeFileSync(directory(), "");
    await expectFailure(person.token, () => rmSync(directory()));
    await linesOf(server, "a request failed");
  });

  test("because it can't be noted sends nothing, logs nothing, and works once it can", async () => {
    const person = await externalUser(server);
    const before = written(server);
    const { status, body } = await withoutAudit(server, "data_exported", () => ask(server, person.token));
    expect({ status, error: body.error }).toEqual({ status: 500, error: "InternalServerError" });
    expect(body.message).not.toContain("refused by the test");
    expect(written(server)).toEqual(before);
    await exported(server, person.token);
  });
});

describe("a client that hangs up", () => {
  test("while the archive is made leaves nothing behind, and the next export works", async () => {
    const person = await externalUser(server);
    fill(server, person.id, HEAVY);
    const client = new AbortController();
    const { answer } = await beginExport(server, person.token, client.signal);
    client.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => openArchives(server) === 0);
    expect((await exported(server, person.token)).data.auditEvents.length).toBeGreaterThan(5_000);
  });

  test("in the middle of the archive leaves nothing behind, and the next export works", async () => {
    const person = await externalUser(server);
    fill(server, person.id, LARGE);
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${person.token}` } });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    expect(openArchives(server)).toBe(1);
    await reader?.cancel();
    await eventually(() => openArchives(server) === 0);
    await exported(server, person.token);
    expect(await totalOf(person.token)).toBe(2);
  });
});

test("kill -9 in the middle leaves no file, and the next start exports", async () => {
  const first = await TestServer.start({ settings: SETTINGS });
  const person = await externalUser(first);
  fill(first, person.id, HEAVY);
  const { answer } = await beginExport(first, person.token);
  await first.stop("SIGKILL");
  await expect(answer).rejects.toThrow();
  expect(leftovers(first)).toEqual([]);
  const second = await TestServer.start({ settings: SETTINGS, dataDir: first.dataDir });
  try {
    expect((await exported(second, person.token)).data.exportLogs).toEqual([]);
    expect(leftovers(second)).toEqual([]);
  } finally {
    await second.stop();
  }
});
