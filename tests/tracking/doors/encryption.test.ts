import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { secretbox } from "@noble/ciphers/salsa.js";
import { expectStatus } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { newTracker, nextTime, ownTracks, positionsOf, readTracker } from "./support";

/** Messages that OwnTracks encrypted. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

function sealed(secret: string, message: object) {
  const key = new Uint8Array(32);
  key.set(Buffer.from(secret).subarray(0, 32));
  const nonce = randomBytes(24);
  const box = secretbox(key, nonce).seal(Buffer.from(JSON.stringify(message)));
  return { _type: "encrypted", data: Buffer.concat([nonce, box]).toString("base64") };
}

const say = async (token: string, body: object) =>
  expectStatus(await server.post("/v1/ingest/owntracks", { token, body }), 200).body;

test("are opened with the secret that was shown once, and is kept encrypted", async () => {
  const tracker = await newTracker(server, "owntracks", { with_encryption: true });
  const secret = tracker.answer.encryption_key;
  expect(secret).toMatch(/^[\w-]{32}$/);
  expect(tracker.answer.is_encrypted).toBe(true);
  expect(decodeURIComponent(tracker.answer.setup_link)).toContain("inline=");
  expect(await say(tracker.token, sealed(secret, ownTracks(nextTime())))).toEqual([]);
  expect(await positionsOf(server, tracker.deviceId)).toHaveLength(1);
  const shown = await readTracker(server, tracker);
  expect(shown).toMatchObject({ is_encrypted: true, rejected_total: 0 });
  expect(JSON.stringify(shown)).not.toContain(secret);
  const [row] = rows<Record<string, unknown>>(server, "SELECT * FROM trackers WHERE id = ?", tracker.id);
  expect(JSON.stringify(row)).not.toContain(secret);
});

test("are counted after the master key was lost, and plain ones are stored", async () => {
  const first = await TestServer.start();
  const tracker = await newTracker(first, "owntracks", { with_encryption: true });
  await first.stop();
  rmSync(join(first.dataDir, "master.key"));
  const lost = await TestServer.start({
    dataDir: first.dataDir,
    under: (command) => [...command, "--key-lost"],
  });
  const { token } = tracker;
  for (const body of [sealed(tracker.answer.encryption_key, ownTracks(nextTime())), ownTracks(nextTime())])
    expectStatus(await lost.post("/v1/ingest/owntracks", { token, body }), 200);
  expect(await positionsOf(lost, tracker.deviceId)).toHaveLength(1);
  expect((await readTracker(lost, tracker)).last_rejection.reason).toBe("not_decrypted");
  await lost.stop();
});

test("are counted where the secret is another, or there is none, and plain ones are taken too", async () => {
  for (const with_encryption of [true, false]) {
    const tracker = await newTracker(server, "owntracks", { with_encryption });
    expect(await say(tracker.token, sealed("another secret", ownTracks(nextTime())))).toEqual([]);
    expect(await readTracker(server, tracker)).toMatchObject({
      rejected_total: 1,
      last_rejection: { reason: "not_decrypted" },
    });
    await say(tracker.token, ownTracks(nextTime()));
    expect(await positionsOf(server, tracker.deviceId)).toHaveLength(1);
  }
});
