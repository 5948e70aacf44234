import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { TestServer } from "../support/server";
import { fix, RawConnection } from "./support";

/** The identifiers of all points that a stopped server left in its database. */
function storedPoints(dataDir: string): Set<string> {
  const database = new Database(join(dataDir, "fairlead.db"), { readonly: true });
  try {
    return new Set(
      database
        .query<{ id: string }, []>("SELECT id FROM gps_points")
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
    // Answered after the upload's first bytes came in.
    await server.get("/health");

    const ended = server.stop();
    while (!server.output.includes('"stopping"')) await Bun.sleep(5);
    upload.write(`${text.slice(30).length.toString(16)}\r\n${text.slice(30)}\r\n0\r\n\r\n`);
    const { status, body } = await upload.answer();
    expect(status).toBe(201);
    expect(await ended).toBe(0);
    upload.close();
    expect(storedPoints(server.dataDir)).toContain(JSON.parse(body).data.id);
    expect(server.output).not.toContain('"level":"error"');
  });

  test("has stored whatever it answered, under load", async () => {
    const server = await TestServer.start();
    const answered: string[] = [];
    const clients = Array.from({ length: 8 }, async () => {
      for (;;) {
        const response = await fetch(`${server.url}/v1/gps`, {
          method: "POST",
          headers: { authorization: `Bearer ${server.systemKey}`, "content-type": "application/json" },
          body: JSON.stringify(fix()),
        }).catch(() => null);
        // The connection is refused once the server has stopped.
        if (!response) return;
        expect(response.status).toBe(201);
        answered.push(((await response.json()) as { data: { id: string } }).data.id);
      }
    });
    while (answered.length < 200) await Bun.sleep(5);
    expect(await server.stop()).toBe(0);
    await Promise.all(clients);
    const stored = storedPoints(server.dataDir);
    expect(answered.filter((id) => !stored.has(id))).toEqual([]);
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
