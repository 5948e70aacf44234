import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { address, ask, head } from "../support/connections";
import { newUser } from "../support/people";
import { expectBodiesToHoldLittle, LONGEST_HOLD, longestHold, type Target } from "../support/pressure";
import { ADMIN, TestServer } from "../support/server";

/** Bodies that are complete, within the bound of size, and costly to read: many come at once. */

const SIZE = 1_000_000;
const AT_ONCE = 60;
const ADDRESSES = 10;
const JSON_TYPE = "content-type: application/json";

let server: TestServer;
beforeAll(async () => {
  // Each address may send this often in three rounds; all else is the default.
  server = await TestServer.start({
    settings: { "rate_limit.enabled": "true", "rate_limit.login": "1000/60" },
    compilers: "as shipped",
  });
});
afterAll(() => server.stop());

const post = (path: string, body: string, ...headers: string[]) =>
  `${head(`POST ${path}`, JSON_TYPE, `content-length: ${Buffer.byteLength(body)}`, ...headers)}${body}`;

/** An object of so many bytes with as many members as they hold; an array in its member `a` for `[`. */
function many(unit: (at: number) => string, open: "{" | "[", size = SIZE): string {
  const units: string[] = [];
  for (let at = 0, length = 0; length < size; at++) {
    const next = unit(at);
    units.push(next);
    length += next.length + 1;
  }
  return open === "{" ? `{${units.join(",")}}` : `{"a":[${units.join(",")}]}`;
}

const BODIES: [what: string, body: string][] = [
  ["members", many((at) => `"k${at.toString(36)}":0`, "{")],
  ["empty arrays", many(() => "[]", "[")],
  ["characters in two escapes", many(() => '"\\ud83d\\ude00"', "[")],
  ["members of many objects", many((at) => `{"a${at}":0,"b${at}":0,"c${at}":0}`, "[")],
];

const send = async (target: Target, count: number, request: string) => {
  const bytes = Buffer.from(request);
  const answers = Array.from({ length: count }, (_, at) => ask(target, bytes, address(2 + (at % ADDRESSES))));
  return (await Promise.all(answers)).map(({ status, body }) => ({ status, text: body.toString() }));
};

describe(`${AT_ONCE} bodies of 1 MB at once keep nobody waiting, and are refused:`, () => {
  for (const path of ["/v1/auth/login", "/v1/auth/verify-email"])
    test.each(BODIES)(`%s, to ${path}`, async (_, body) => {
      await expectBodiesToHoldLittle(server, async (target) => {
        for (const { status, text } of await send(target, AT_ONCE, post(path, body))) {
          expect(status).toBe(400);
          if (target !== server) continue;
          expect(JSON.parse(text).message).toBe("The request body holds more than 16000 values");
        }
      });
    });
});

test("500 small bodies at once, as costly as may be, keep nobody waiting", async () => {
  const request = post(
    "/v1/auth/verify-email",
    many((at) => `"k${at.toString(36)}":0`, "{", 60_000),
  );
  await expectBodiesToHoldLittle(server, async (target) => {
    for (const { status } of await send(target, 500, request)) expect(status).toBe(400);
  });
});

/** Resolves with the statuses that the requests get, each on a connection of its own and all at once. */
const statusesOf = async (requests: { request: string; from?: string }[]) =>
  new Set(
    (await Promise.all(requests.map(({ request, from }) => ask(server, request, from)))).map(
      ({ status }) => status,
    ),
  );

test("900 writes of one user at once, by several sessions, keep nobody waiting", async () => {
  const user = await newUser(server);
  const tokens = [user.token];
  while (tokens.length < 6) tokens.push((await server.login(user.username, user.password)).session_token);
  let made = 0;
  const write = () => {
    const authorization = `authorization: Bearer ${tokens[made % tokens.length]}`;
    const request = post("/v1/users/me", JSON.stringify({ privacy_mode: made++ % 2 === 0 }), authorization);
    return { request: request.replace("POST", "PATCH") };
  };
  const held = await longestHold(server, async () => {
    expect(await statusesOf(Array.from({ length: 900 }, write))).toEqual(new Set([200]));
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
});

test("500 resets of one password at once, from an address each, keep nobody waiting", async () => {
  const request = post("/v1/auth/reset-password", JSON.stringify({ email: ADMIN.email }));
  let clients = 0;
  const reset = () => ({ request, from: `127.1.${clients >> 8}.${clients++ & 255}` });
  const held = await longestHold(server, async () => {
    expect(await statusesOf(Array.from({ length: 500 }, reset))).toEqual(new Set([200]));
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
});

test("a body of as many values as metadata may have is read", async () => {
  const { user_id } = await server.login(ADMIN.username, ADMIN.password);
  const metadata = { list: Array.from({ length: 8_000 }, () => 0) };
  const { status } = await server.post("/v1/internal/audit", {
    token: server.systemKey,
    body: {
      user_id,
      event_type: "consent_granted",
      resource_type: "client",
      status: "success",
      source_service: "api",
      metadata,
    },
  });
  expect(status).toBe(201);
});
