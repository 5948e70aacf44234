import { afterAll, beforeAll, expect, test } from "bun:test";
import { address, ask, head, Stranger } from "../support/connections";
import { TestServer } from "../support/server";

const IDLE_SECONDS = 2;
/** The runtime checks its connections every four seconds. */
const CUT_WITHIN = (IDLE_SECONDS + 8) * 1_000;

const page = head("GET /v1/graphql", "accept: text/html");

let server: TestServer;
let whole: Buffer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.idle_seconds": String(IDLE_SECONDS) } });
  whole = (await ask(server, page)).body;
});
afterAll(() => server.stop());

/** Reads an answer whose reader pauses for so long once it has begun. */
async function readAfter(milliseconds: number, ...meanwhile: string[]): Promise<number> {
  const stranger = new Stranger(server).send(page);
  const saying = meanwhile.map((bytes, at) => setTimeout(() => stranger.send(bytes), 1_000 * (at + 1)));
  await Bun.sleep(milliseconds);
  for (const timer of saying) clearTimeout(timer);
  const { body } = await stranger.answer();
  stranger.leave();
  return body.length;
}

test("a reader that takes nothing is cut, whatever it says, and a slow one that goes on gets all of it", async () => {
  expect(whole.length).toBeGreaterThan(8_000_000);
  const slow = new Stranger(server, address(3)).send(page);
  const [silent, talking, { body }] = await Promise.all([
    readAfter(CUT_WITHIN),
    readAfter(CUT_WITHIN, ..."GET /v1/h"),
    // Nine seconds, longer than a connection may be idle.
    slow.answer(1_000_000, 1_000),
  ]);
  slow.leave();
  expect(silent).toBeLessThan(whole.length);
  expect(talking).toBeLessThan(whole.length);
  expect(body.equals(whole)).toBe(true);
});
