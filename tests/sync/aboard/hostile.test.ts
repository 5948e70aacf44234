import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { PushAnswer } from "../../../src/sync/push/schema";
import { eventually } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import type { TestServer } from "../../support/server";
import { MINUTE, SECOND } from "../../support/time";
import { StandInShore } from "./shore";
import { alertsAt, boatAt, catchUp, caughtUp, linkOf, post, raise, speedRule, TOKEN } from "./support";

/** A shore that is none, or a bad one: the boat takes no harm, says what is wrong, and goes on once it is answered properly. */

let shore: StandInShore;
let elsewhere: StandInShore;
let server: TestServer;
let key: string;

beforeAll(async () => {
  shore = new StandInShore();
  elsewhere = new StandInShore();
  server = await boatAt(shore);
  ({ key } = await server.device());
  await speedRule(server);
  await catchUp(server);
});
afterAll(async () => {
  expect(await outputOfWholeRun(server)).not.toContain(TOKEN);
  expect(server.output).not.toMatch(/"level":"error"/);
  await shore.stop();
  await elsewhere.stop();
});
beforeEach(() => {
  shore.mishap = () => null;
});

const deep = "[".repeat(15_000);
const wrong = (change: object) => (answer: () => PushAnswer) => Response.json({ ...answer(), ...change });
const plain =
  (text: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  () =>
    new Response(text, { headers });
const NO_ANSWER = "its answer is none that a shore gives";

const ANSWERS: [what: string, answer: (answer: () => PushAnswer) => Response, trouble: string | RegExp][] = [
  ["nothing", plain(""), NO_ANSWER],
  ["a page", plain("<html>Log in to the harbour's Wi-Fi</html>"), NO_ANSWER],
  ["another value", plain("null"), NO_ANSWER],
  ["a list that never ends", plain(deep), NO_ANSWER],
  ["more than an answer holds", plain("x".repeat(17_000)), "its answer is too long"],
  [
    "what unpacks to more than an answer holds",
    plain(Bun.gzipSync(new Uint8Array(30_000_000)), { "content-encoding": "gzip" }),
    "its answer is too long",
  ],
  ["numbers below none", wrong({ acknowledged: { alerts: -1 } }), NO_ANSWER],
  ["numbers that are none", wrong({ acknowledged: { backlog: "12" } }), NO_ANSWER],
  ["numbers beyond all", plain('{"acknowledged":{"alerts":1e400},"refused":0}'), NO_ANSWER],
  ["no lanes at all", plain('{"refused":0,"set":{"tag":"0","version":0}}'), NO_ANSWER],
  ["hashes that are none", wrong({ hashes: { alerts: "<script>" } }), NO_ANSWER],
  ["a set without a name", wrong({ set: { tag: "", version: 0 } }), NO_ANSWER],
  ["lanes without end", wrong({ unknown: Array(33).fill("alerts") }), NO_ANSWER],
  [
    "a place elsewhere",
    () => new Response(null, { status: 307, headers: { location: `${elsewhere.url}/v1/sync/push` } }),
    /^it sends requests elsewhere \(status 307\): set sync\.url/,
  ],
  ["nobody", () => new Response("?", { status: 404 }), /^there is no Fairlead at its address/],
  [
    "a refusal of the batch",
    () => new Response("?", { status: 400 }),
    "it does not take the request (status 400)",
  ],
  ["a proxy's failure", () => new Response("?", { status: 502 }), "it fails, or is not up (status 502)"],
];

/** Lets the next request come, whatever pauses there are. */
async function nextRequest(): Promise<void> {
  const before = shore.requests.length;
  await server.advance(15 * MINUTE);
  await eventually(() => shore.requests.length > before);
}

/** Answers properly again, and waits until all is well. */
async function mend(): Promise<void> {
  shore.mishap = () => null;
  await nextRequest();
  await catchUp(server);
}

describe("a shore that answers", () => {
  for (const [what, answer, trouble] of ANSWERS)
    test(`${what} changes nothing`, async () => {
      const position = await post(server, key);
      shore.mishap = (_, proper) => answer(proper);
      await nextRequest();
      await eventually(async () => (await linkOf(server)).trouble !== null);
      const { trouble: words } = await linkOf(server);
      if (typeof trouble === "string") expect(words).toBe(trouble);
      else expect(words).toMatch(trouble);
      await mend();
      expect(shore.rows("position").has(position)).toBe(true);
      expect(elsewhere.requests).toEqual([]);
    });

  test("that it holds nothing of what it gets is asked ever more rarely", async () => {
    let told: PushAnswer | null = null;
    shore.mishap = (_, proper) => {
      told = proper();
      return Response.json(told);
    };
    await nextRequest();
    await eventually(() => told !== null);
    const before = shore.requests.length;
    // Before there is anything to tell: a request that comes by itself would be answered properly, and nothing be left.
    shore.mishap = () => Response.json({ ...told, hashes: {} });
    await post(server, key);
    for (let requests = 0; requests < 3; requests++) await nextRequest();
    await eventually(async () => (await linkOf(server)).trouble !== null);
    expect((await linkOf(server)).trouble).toStartWith("its answers bring nothing further");
    expect(shore.requests.length - before).toBe(3);
    await mend();
  });

  test("that it knows another life of the box, again and again, is asked ever more rarely", async () => {
    await post(server, key);
    const before = shore.requests.length;
    shore.mishap = (_, proper) => {
      const answer = proper();
      const others = Object.keys(answer.acknowledged).map((lane) => [lane, "0123456789ab"]);
      return Response.json({ ...answer, hashes: Object.fromEntries(others) });
    };
    await nextRequest();
    await eventually(async () => (await linkOf(server)).trouble !== null);
    expect(shore.requests.length - before).toBeLessThan(8);
    shore.mishap = () => null;
    await raise(server, key);
    await server.advance(10 * SECOND);
    await eventually(() => alertsAt(shore) > 0);
    await mend();
  });

  test("a byte at a time is given up by the clock", async () => {
    await post(server, key);
    shore.mishap = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new Uint8Array([0x20]));
            await Bun.sleep(50);
          },
        }),
      );
    await nextRequest();
    await server.advance(5 * MINUTE);
    await eventually(async () => (await linkOf(server)).trouble !== null);
    expect((await linkOf(server)).trouble).toBe("it does not answer in time");
    await mend();
  });

  test("503 with a wish is left alone for so long", async () => {
    await post(server, key);
    shore.mishap = () => new Response("busy", { status: 503, headers: { "retry-after": "600" } });
    await nextRequest();
    await eventually(async () => (await linkOf(server)).trouble !== null);
    const before = shore.requests.length;
    shore.mishap = () => null;
    await server.advance(590 * SECOND);
    // An answer of the server comes after its looks at the clock.
    for (let looks = 0; looks < 5; looks++) await linkOf(server).then(() => Bun.sleep(60));
    expect(shore.requests.length).toBe(before);
    await server.advance(20 * SECOND);
    await caughtUp(server);
  });
});

test("a certificate that nobody vouches for is not accepted", async () => {
  const tls = join(import.meta.dir, "../../stand-ins/tls");
  const requests: Request[] = [];
  const secure = Bun.serve({
    port: 0,
    tls: { cert: Bun.file(join(tls, "localhost.pem")), key: Bun.file(join(tls, "localhost.key")) },
    fetch: (request) => {
      requests.push(request);
      return new Response("heard");
    },
  });
  const other = await boatAt({ url: `https://localhost:${secure.port}` });
  await eventually(async () => (await linkOf(other)).trouble !== null);
  expect((await linkOf(other)).trouble).toStartWith("its certificate cannot be verified");
  expect(requests).toEqual([]);
  await other.stop();
  await secure.stop(true);
});
