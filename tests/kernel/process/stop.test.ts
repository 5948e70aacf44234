import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { RawConnection } from "../../support/raw-http";
import { ADMIN, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { fix } from "../../tracking/support";
import { faultsOf } from "../inspection";
import { prepareCast, startWriters } from "../mixed-load";

/** The identifiers of all records of a table that a stopped server left in its database. */
function storedIds(dataDir: string, table: "gps_points" | "sessions"): Set<string> {
  const database = new Database(join(dataDir, "fairlead.db"), { readonly: true });
  try {
    return new Set(
      database
        .query<{ id: string }, []>(`SELECT id FROM ${table}`)
        .all()
        .map(({ id }) => id),
    );
  } finally {
    database.close();
  }
}

describe("a server that is told to stop", () => {
  test("lets a request finish that is under way, stores it, and ends with status 0", async () => {
    const server = await TestServer.start({ settings: { "log.level": "info" } });
    const upload = new RawConnection(server);
    const text = JSON.stringify(fix());
    upload.write(
      `POST /v1/gps HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\nauthorization: Bearer ${server.systemKey}\r\n` +
        "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    upload.write(`${text.slice(0, 30).length.toString(16)}\r\n${text.slice(0, 30)}\r\n`);
    // The answer proves that the upload's first bytes came in.
    await server.get("/health");

    const ended = server.stop();
    while (!server.output.includes('"stopping"')) await Bun.sleep(5);
    upload.write(`${text.slice(30).length.toString(16)}\r\n${text.slice(30)}\r\n0\r\n\r\n`);
    const { status, body } = await upload.answer();
    expect(status).toBe(201);
    expect(await ended).toBe(0);
    upload.close();
    expect(storedIds(server.dataDir, "gps_points")).toContain(JSON.parse(body).data.id);
    expect(server.output).not.toContain('"level":"error"');
  });

  test("has stored whatever it answered and leaves no half change, under mixed load; sockets close with 1001", async () => {
    const server = await TestServer.start();
    const cast = await prepareCast(server);
    const client = await Client.open(server, { token: cast.admin });
    const writers = startWriters(server.url, cast);
    while (cast.acknowledged.changes < 150) await Bun.sleep(5);
    expect(await server.stop()).toBe(0);
    await writers;
    expect((await client.closed).code).toBe(1001);
    expect(cast.acknowledged.unexpected).toEqual([]);
    expect(faultsOf(server.dataDir, cast.acknowledged)).toEqual([]);
    expect(server.output).not.toContain('"level":"error"');
  });

  test("answers every request that has come in, however many wait for their turn", async () => {
    const server = await TestServer.start();
    const { host } = new URL(server.url);
    const body = JSON.stringify({ identifier: ADMIN.username, password: ADMIN.password });
    const connections = Array.from({ length: 8 }, () => {
      const connection = new RawConnection(server);
      connection.write(
        `POST /v1/auth/login HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
          `content-length: ${body.length}\r\n\r\n${body}`,
      );
      return connection;
    });
    // One of them is answered, and so is a later request: the others have been received.
    await Promise.any(connections.map((connection) => connection.answered()));
    await server.get("/health");
    const ended = server.stop();
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    expect(answers.map(({ status }) => status)).toEqual(Array(connections.length).fill(200));
    expect(await ended).toBe(0);
    const sessions = storedIds(server.dataDir, "sessions");
    for (const answer of answers) expect(sessions).toContain(JSON.parse(answer.body).session_id);
  });

  test("ends at once, with status 1, when it is told a second time", async () => {
    const server = await TestServer.start({ settings: { "log.level": "info" } });
    const dangling = new RawConnection(server);
    dangling.write(
      `POST /v1/gps HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${server.systemKey}\r\n` +
        "content-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    await server.get("/health");
    const ended = server.stop();
    while (!server.output.includes('"stopping"')) await Bun.sleep(5);
    await server.stop();
    expect(await ended).toBe(1);
    dangling.close();
  });

  test("ends at once when it has nothing to do, closes idle connections and takes no new one", async () => {
    const server = await TestServer.start();
    const idle = new RawConnection(server);
    idle.write("GET /health HTTP/1.1\r\nhost: a\r\n\r\n");
    expect((await idle.answer()).status).toBe(200);
    const started = performance.now();
    expect(await server.stop()).toBe(0);
    // Far below the five seconds that requests under way would get.
    expect(performance.now() - started).toBeLessThan(4_000);
    expect((await idle.answer()).status).toBe(0);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });

  test("doesn't wait for a client that never finishes its request", async () => {
    const server = await TestServer.start();
    const dangling = new RawConnection(server);
    dangling.write(
      `POST /v1/gps HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${server.systemKey}\r\n` +
        "content-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    await server.get("/health");
    expect(await server.stop()).toBe(0);
    expect((await dangling.answer()).status).toBe(0);
    dangling.close();
  });
});
