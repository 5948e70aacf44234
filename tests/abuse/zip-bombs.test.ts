import { afterAll, beforeAll, expect, test } from "bun:test";
import * as zlib from "node:zlib";
import { ask, head } from "../support/connections";
import { LONGEST_HOLD, longestHold, memoryGrowth } from "../support/pressure";
import { TestServer } from "../support/server";

/** Compressed bodies that are small, and large once they are decoded. */

const MB = 1024 * 1024;
const CONNECTIONS = 100;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ compilers: "as shipped" });
});
afterAll(() => server.stop());

const ZEROS = Buffer.alloc(200 * MB);
const repeated = (frame: Uint8Array): Buffer =>
  Buffer.concat(Array<Uint8Array>(Math.floor(MB / frame.length)).fill(frame));

const BOMBS: [what: string, coding: string, bytes: Buffer, statuses: number[]][] = [
  ["200 MB of zeros in gzip", "gzip", zlib.gzipSync(ZEROS), [413, 503]],
  ["200 MB of zeros in deflate", "deflate", zlib.deflateSync(ZEROS), [413, 503]],
  ["200 MB of zeros in zstd", "zstd", zlib.zstdCompressSync(ZEROS), [413, 503]],
  ["a MB of empty gzip members", "gzip", repeated(zlib.gzipSync("")), [400, 503]],
  ["a MB of empty zstd frames", "zstd", repeated(zlib.zstdCompressSync("")), [400, 503]],
];

test.each(BOMBS)("%s costs little memory, and nobody's time", async (_, coding, bytes, statuses) => {
  const request = Buffer.concat([
    Buffer.from(
      head(
        "POST /v1/auth/login",
        "content-type: application/json",
        `content-encoding: ${coding}`,
        `content-length: ${bytes.length}`,
      ),
    ),
    bytes,
  ]);
  const grown: number[] = [];
  const attack = async () => {
    const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => ask(server, request)));
    for (const { status } of answers) expect(statuses).toContain(status);
    // Some found room, and were decoded up to the bound.
    expect(answers.map(({ status }) => status)).toContain(statuses[0] ?? 0);
  };
  const held = await longestHold(server, async () => grown.push(await memoryGrowth(server.pid, attack)));
  // A hundred bodies of a MB that come as they are may take as much.
  expect(Math.max(...grown)).toBeLessThan(120 * MB);
  expect(held).toBeLessThan(LONGEST_HOLD);
});
