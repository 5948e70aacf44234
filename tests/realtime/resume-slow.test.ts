import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { nowOf } from "../changes/support";
import { mainThreadTimeOf } from "../support/pressure";
import { maskedFrame, OPCODE, RawClient } from "../support/raw-socket";
import { write } from "../support/rows";
import { TestServer } from "../support/server";
import { createTrip } from "../tracking/support";

/** Clients that missed much, and read it slowly or not at all. */

let server: TestServer;
let token: string;
let start: string;
beforeAll(async () => {
  server = await TestServer.start({
    memory: "as shipped",
    settings: { "websocket.heartbeat_interval_seconds": "1", "websocket.client_timeout_seconds": "3" },
  });
  token = await server.admin();
  start = await nowOf(server);
  const { id } = await createTrip(server);
  // 120 MB of messages.
  write(
    server,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
     INSERT INTO changes (kind, record, made_at) SELECT 3, '${id}', 0 FROM n`,
  );
});
afterAll(() => server.stop());

const megabytes = (line: string) =>
  Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) /
  1_024;

async function replaying(): Promise<RawClient> {
  const client = await RawClient.open(server, { token });
  client.sendJson({ type: "subscribe", channel: "trips", since: start });
  await client.until(() => client.frames.length > 0);
  return client;
}

/** Reads ten messages a millisecond at most, on however fast a machine, and answers the pings that come so far. */
async function readSlowly(client: RawClient, milliseconds: number): Promise<void> {
  let looked = 0;
  const until = performance.now() + milliseconds;
  while (performance.now() < until && !client.ended) {
    client.readAgain();
    await Bun.sleep(1);
    client.stopReading();
    const came = client.frames.length - looked;
    for (; looked < client.frames.length; looked++) {
      const frame = client.frames[looked];
      if (frame?.opcode === OPCODE.ping) client.write(maskedFrame(OPCODE.pong, frame.payload));
    }
    await Bun.sleep(Math.max(40, came / 10));
  }
}

describe.skipIf(process.platform !== "linux")("a replay", () => {
  test("to clients that read slowly goes on, and costs little memory; one that reads nothing is given up", async () => {
    const before = megabytes("VmRSS");
    const slow = await Promise.all(Array.from({ length: 4 }, replaying));
    const stalled = await replaying();
    stalled.stopReading();
    await Promise.all(slow.map((client) => readSlowly(client, 8_000)));
    for (const client of slow) {
      expect(client.ended).toBe(false);
      expect(client.frames.some(({ opcode }) => opcode === OPCODE.close)).toBe(false);
      expect(client.frames.length).toBeGreaterThan(1_000);
      expect(client.frames.length).toBeLessThan(200_000);
    }
    expect(megabytes("VmHWM") - before).toBeLessThan(100);
    stalled.readAgain();
    expect([4408, 1006]).toContain((await stalled.closed()).code);
    for (const client of slow) client.cut();
  });

  test("holds nobody else up", async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, replaying));
    const took: number[] = [];
    for (let count = 0; count < 100; count++) {
      const before = mainThreadTimeOf(server.pid);
      await fetch(`${server.url}/v1/health/live`);
      took.push(mainThreadTimeOf(server.pid) - before);
      await Bun.sleep(5);
    }
    // Of processor time, since such a machine may do other things too.
    expect(took.sort((a, b) => a - b)[90] ?? 0).toBeLessThan(50);
    for (const client of clients) client.cut();
  });
});
