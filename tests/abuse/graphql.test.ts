import { afterAll, beforeAll, expect, test } from "bun:test";
import { newUser } from "../support/people";
import { LONGEST_HOLD, longestHold, memoryOf } from "../support/pressure";
import { TestServer } from "../support/server";

/**
 * Strangers who send GraphQL documents that are large, many and never the same: the server must keep none of
 * them.
 */

const MEBIBYTE = 1024 * 1024;
const MAX_GROWTH = 40 * MEBIBYTE;
const AT_ONCE = 4;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    settings: { "server.trusted_proxies": "127.0.0.1" },
    memory: "as shipped",
  });
});
afterAll(() => server.stop());

/** Sends a document of each number, a few at once. Returns the statuses that are answered. */
async function sendAll(count: number, document: (at: number) => string): Promise<number[]> {
  const answered: number[] = [];
  let next = 0;
  const sendSome = async () => {
    while (next < count) {
      const response = await fetch(`${server.url}/v1/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: document(next++) }),
      });
      await response.arrayBuffer();
      answered.push(response.status);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
  return answered;
}

/** Sends so many documents, after a first try-out. Returns the statuses, the hold and the growth of memory. */
async function pressure(count: number, document: (at: number) => string) {
  await sendAll(count / 4, (at) => document(count + at));
  const before = memoryOf(server.pid);
  const answered: number[] = [];
  let sent = 0;
  const sendThird = async () => {
    const first = sent;
    sent += count / 3;
    answered.push(...(await sendAll(count / 3, (at) => document(first + at))));
  };
  const held = await longestHold(server, async () => {
    do await sendThird();
    while (sent < count);
  });
  return { answered: new Set(answered), held, growth: memoryOf(server.pid) - before };
}

const LARGE = 1_000_000;
const SMALL = 15_000;

const ATTACKS: [name: string, count: number, status: number, document: (at: number) => string][] = [
  ["1 MB", 300, 413, (at) => `#${at}${"x".repeat(LARGE)}\n{ __typename }`],
  ["15 KB, of comments", 1_200, 200, (at) => `#${at}${"\n#".repeat(SMALL / 2)}\n{ __typename }`],
  ["15 KB, wrong in hundreds of places", 1_200, 200, (at) => `{ ${fields(at)} }`],
  ["15 KB, broken at the end", 1_200, 200, (at) => `{ ${fields(at)} `],
];

/** Unknown fields, 15 KB of them. */
const fields = (at: number) =>
  Array.from({ length: 480 }, (_, place) => `${"x".repeat(24)}${10_000 + at}x${place}`).join(" ");

test.each(ATTACKS)("different documents of %s don't stay in memory", async (_, count, status, document) => {
  const { answered, held, growth } = await pressure(count, document);
  expect(answered).toEqual(new Set([status]));
  expect(growth).toBeLessThan(MAX_GROWTH);
  expect(held).toBeLessThan(LONGEST_HOLD);
});

const list = (length: number, part: (at: number) => string) =>
  Array.from({ length }, (_, at) => part(at)).join(" ");

/** Sends one request so many times at once; the address is told by the proxy. */
const burst = (times: number, body: (at: number) => object, headers: Record<string, string> = {}) =>
  Promise.all(
    Array.from({ length: times }, async (_, at) => {
      const response = await fetch(`${server.url}/v1/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body(at)),
      });
      const { errors } = (await response.json()) as { errors: { extensions: object }[] };
      return { status: response.status, retryAfter: response.headers.get("retry-after"), errors };
    }),
  );

const SIGN_IN =
  "mutation ($input: VerifyTwoFactorLoginInput!) { verifyTwoFactorLogin(input: $input) { userId } }";
const unknownKeys = (count: number) => ({
  query: SIGN_IN,
  variables: {
    input: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at.toString(36)}`, 0])),
  },
});

const BURSTS: [name: string, body: (at: number) => object][] = [
  ["1,800 unknown keys in a variable", () => unknownKeys(1_800)],
  ["99 unknown keys in a variable", () => unknownKeys(99)],
  [
    "300 fields that contradict each other",
    (at) => ({ query: `{ ${list(300, (field) => `a: f${field}`)} } #${at}` }),
  ],
  [
    "119 fields that contradict each other",
    (at) => ({ query: `{ ${list(119, (field) => `a: f${field}`)} } #${at}` }),
  ],
];

test.each(BURSTS)("100 requests of %s at once keep nobody waiting", async (_, body) => {
  await burst(20, body);
  expect(await longestHold(server, () => burst(100, body))).toBeLessThan(LONGEST_HOLD);
});

test("set-ups of a second factor by one user keep nobody waiting, by however many names and pictures", async () => {
  const { token } = await newUser(server);
  const setUps = (count: number, fields: string) => () => ({
    query: `mutation { ${list(count, (at) => `a${at}: setupTwoFactor { ${fields} }`)} }`,
  });
  const bodies = [
    setUps(70, "secret"),
    setUps(
      5,
      list(20, (at) => `i${at}: qrCodeImage`),
    ),
  ];
  for (const body of bodies) {
    const send = () => burst(20, body, { authorization: `Bearer ${token}` });
    expect(await longestHold(server, send)).toBeLessThan(LONGEST_HOLD);
  }
});

test("a hundred requests of one address wait at most, and those of others go before them", async () => {
  const conflicting = (at: number) => ({ query: `{ ${list(119, (field) => `a: f${field}`)} } #${at}` });
  const from = (address: string) => ({ "x-forwarded-for": address });
  const flood = burst(250, conflicting, from("203.0.113.1"));
  await Bun.sleep(50);
  const [other] = await burst(1, () => ({ query: "{ a }" }), from("203.0.113.2"));
  expect(other?.status).toBe(200);
  const answers = await flood;
  const refused = answers.filter(({ status }) => status === 503);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  for (const { retryAfter, errors } of refused) {
    expect(retryAfter).toBe("1");
    expect(errors).toMatchObject([{ extensions: { code: "ServiceUnavailable", status: 503 } }]);
  }
  const [again] = await burst(1, conflicting, from("203.0.113.1"));
  expect(again?.status).toBe(200);
});
