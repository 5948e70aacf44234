import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { done } from "../../support/expectations";
import { ADMIN, TestServer } from "../../support/server";

/** Overwrites most of a table's first page, as a failing disk does. The database must be closed. */
function damage(file: string, table: string): void {
  const database = new Database(file);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const { page, size } = database
    .query<{ page: number; size: number }, [string]>(
      "SELECT rootpage AS page, page_size AS size FROM sqlite_schema, pragma_page_size WHERE name = ?",
    )
    .get(table) ?? { page: 0, size: 0 };
  database.close();
  const header = 150;
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(size - header, 0xff), 0, size - header, (page - 1) * size + header);
  closeSync(descriptor);
}

test("a page that can't be read fails the answers that need it, and neither other reads nor later writes", async () => {
  const first = await TestServer.start();
  const { dataDir } = first;
  const admin = (await first.login(ADMIN.username, ADMIN.password)).session_token;
  done(await first.post("/v1/locations", { token: admin, body: { name: "Greifswald" } }));
  done(await first.post("/v1/devices", { token: admin, body: { name: "Greif" } }));
  await first.stop();
  damage(join(dataDir, "fairlead.db"), "locations");

  const server = await TestServer.start({ dataDir });
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      ["/v1/locations", "/v1/devices", "/v1/trips", "/v1/locations"].map((path) =>
        server.get(path, { token: admin }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([500, 200, 200, 500]);
    expect(answers[0]?.body).toMatchObject({ error: "InternalServerError" });
    expect(JSON.stringify(answers[0]?.body)).not.toContain("malformed");
    done(await server.post("/v1/devices", { token: admin, body: { name: `Boat ${round}` } }));
  }
  expect((await server.get("/v1/devices", { token: admin })).body.data).toHaveLength(4);
  await server.stop();
});
