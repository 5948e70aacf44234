import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { resume } from "../realtime/feed-support";
import { expectRefused } from "../support/expectations";
import { command, TestServer, temporaryDirectory } from "../support/server";
import { Client } from "../support/socket";
import { createTrip, postPoint } from "../tracking/support";
import { epochOf, getChanges, nowOf, numberOf } from "./support";

/** A backup that is restored: the next numbers are others than those that clients know. */

/** The ways in which a copy of the database is made, from a running server. */
const COPIES: [how: string, copy: (server: TestServer, file: string) => Promise<void>][] = [
  [
    "a backup",
    async ({ dataDir }, file) => {
      const { status, stderr } = await command(["backup", file], { settings: { "data.dir": dataDir } });
      if (status !== 0) throw new Error(stderr);
    },
  ],
  [
    "plain copies of the database and its log",
    async ({ dataDir }, file) => {
      for (const beside of ["", "-wal"]) copyFileSync(join(dataDir, `fairlead.db${beside}`), file + beside);
    },
  ],
];

test.each(COPIES)("after a restore from %s cursors of before are of another epoch", async (_, copy) => {
  const first = await TestServer.start();
  const { dataDir } = first;
  const begin = await nowOf(first);
  await createTrip(first);
  const file = join(temporaryDirectory(), "copy.db");
  await copy(first, file);
  const inCopy = await nowOf(first);
  // The copy lacks these, and other changes will have their numbers.
  for (let count = 0; count < 5; count++) await postPoint(first, first.systemKey);
  const last = await nowOf(first);
  await first.stop();
  const restored = await command(["restore", file], { settings: { "data.dir": dataDir } });
  expect(restored).toMatchObject({ status: 0 });

  const server = await TestServer.start({ dataDir });
  const now = await nowOf(server);
  expect(epochOf(now)).not.toBe(epochOf(last));
  expect(numberOf(now)).toBe(numberOf(inCopy));
  for (let count = 0; count < 10; count++) await postPoint(server, server.systemKey);
  const token = await server.admin();
  for (const since of [begin, inCopy, last]) {
    const next = await nowOf(server);
    const answer = await getChanges(server, { since });
    expectRefused(answer, 410, "CursorExpired");
    expect(answer.body.next).toBe(next);
    const stream = await server.get("/v1/changes/stream", { token, headers: { "last-event-id": since } });
    expectRefused(stream, 410, "CursorExpired");
    const client = await Client.open(server, { token });
    expect(await resume(client, "gps", since)).toBe(next);
    expect(await client.next()).toEqual({ type: "reset", channel: "gps", cursor: next, reason: "epoch" });
    const { id } = await postPoint(server, server.systemKey);
    expect((await client.next()).data.id).toBe(id);
    await client.close();
  }
  // A restart keeps it.
  await server.stop();
  const again = await TestServer.start({ dataDir });
  expect(epochOf(await nowOf(again))).toBe(epochOf(now));
  await again.stop();
  const database = new Database(join(dataDir, "fairlead.db"), { readonly: true });
  expect(database.query("SELECT count(*) AS n FROM feed_state").get()).toEqual({ n: 1 });
  database.close();
});
