import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { secretbox } from "@noble/ciphers/salsa.js";
import { expectStatus } from "../../support/expectations";
import { LONGEST_HOLD, longestHold } from "../../support/pressure";
import { TestServer } from "../../support/server";
import { newTracker, readTracker } from "./support";

/** Messages that are small enough, and made to take long: the holder of a tracker must not hold up the others. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ compilers: "as shipped" });
});
afterAll(() => server.stop());

const SIZE = 2 * 1024 * 1024;
const filled = (piece: string) => piece.repeat(Math.floor(SIZE / piece.length));
const numbered = (piece: (n: number) => string) => {
  let text = "";
  for (let n = 0; text.length < SIZE - 100; n++) text += piece(n);
  return text;
};

test.each([
  ["parameters of one name", "traccar_client", "osmand", filled("a&")],
  ["parameters of many names", "traccar_client", "osmand", numbered((n) => `p${n}=1&`)],
  ["parameters for GPSLogger", "gpslogger", "gpslogger", numbered((n) => `p${n}=1&`)],
  [
    "members of one object",
    "gpslogger",
    "gpslogger",
    `{${numbered((n) => `"${n}${"k".repeat(14)}":1,`)}"x":1}`,
  ],
  ["brackets that open", "generic", "generic", filled("[")],
  ["brackets in brackets", "owntracks", "owntracks", `${"[".repeat(SIZE / 2)}${"]".repeat(SIZE / 2)}`],
  ["objects in objects", "overland", "overland", filled('{"a":')],
])("%s keep nobody waiting, and count as done", async (_, format, door, raw) => {
  const tracker = await newTracker(server, format);
  const held = await longestHold(server, async () => {
    for (let at = 0; at < 3; at++)
      expectStatus(
        await server.post(`/v1/ingest/${door}`, {
          token: tracker.token,
          raw,
          headers: { "content-type": "application/x-www-form-urlencoded" },
        }),
        200,
      );
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
  expect((await readTracker(server, tracker)).last_rejection.reason).toBe("too_large");
});

test.each([
  ["brackets", "["],
  ["items", "[],"],
])("%s in an encrypted message keep nobody waiting", async (_, piece) => {
  const tracker = await newTracker(server, "owntracks", { with_encryption: true });
  const nonce = randomBytes(24);
  const text = Buffer.from(piece.repeat(1_500_000 / piece.length));
  const box = secretbox(Buffer.from(tracker.answer.encryption_key), nonce).seal(text);
  const body = { _type: "encrypted", data: Buffer.concat([nonce, box]).toString("base64") };
  const held = await longestHold(server, async () => {
    for (let at = 0; at < 3; at++)
      expectStatus(await server.post("/v1/ingest/owntracks", { token: tracker.token, body }), 200);
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
  expect((await readTracker(server, tracker)).last_rejection.reason).toBe("malformed");
});
