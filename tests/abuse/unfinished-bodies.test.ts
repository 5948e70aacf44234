import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { address, ask, head, Stranger } from "../support/connections";
import { soon } from "../support/expectations";
import { expectBodiesToHoldLittle, memoryGrowth, type Target } from "../support/pressure";
import { TestServer } from "../support/server";

const MB = 1024 * 1024;
const CONNECTIONS = 300;
/** A body of the largest size that the server takes, without its end. */
const UNFINISHED = Buffer.alloc(MB - 1, '{"identifier":"');
/** Longer than the server takes to notice that clients have left. */
const LEAVING = 300;
const JSON_TYPE = "content-type: application/json";

let server: TestServer;
let strangers: Stranger[] = [];

beforeAll(async () => {
  server = await TestServer.start({ compilers: "as shipped" });
  // GraphQL is loaded at its first request.
  const asked = await server.post("/v1/graphql", { body: { query: "{ platforms { slug } }" } });
  expect(asked.status).toBe(200);
});
afterEach(leave);
afterAll(() => server.stop());

function leave(): void {
  for (const stranger of strangers) stranger.leave();
  strangers = [];
}

const declared = (line: string, length: number, ...headers: string[]) =>
  head(line, JSON_TYPE, `content-length: ${length}`, ...headers);
const chunked = (line: string) =>
  `${head(line, JSON_TYPE, "transfer-encoding: chunked")}${MB.toString(16)}\r\n`;

const login = Buffer.from('{"identifier":"nobody","password":"wrong password"}');
const wholeLogin = `${declared("POST /v1/auth/login", login.length)}${login}`;

/** Begins `count` requests, some at once, and finishes none. */
async function begin(
  request: string,
  body: Uint8Array,
  count: number,
  from: string[],
  target: Target = server,
): Promise<void> {
  for (let at = 0; at < count; at++) {
    strangers.push(new Stranger(target, from[at % from.length]).send(request, body));
    if (at % 2 === 1) await Bun.sleep(10);
  }
  await Bun.sleep(1_000);
}

describe("300 bodies of 1 MB that never end cost little memory, and nobody's time:", () => {
  const attacks: [what: string, request: string, bound: number][] = [
    ["declared, to the login", declared("POST /v1/auth/login", MB), 60 * MB],
    ["declared, to GraphQL", declared("POST /v1/graphql", MB), 60 * MB],
    // The bodies of refused requests remain as garbage for a while.
    ["in chunks, to the login", chunked("POST /v1/auth/login"), 120 * MB],
    ["to a path that takes none", declared("GET /v1", MB), 60 * MB],
    ["to an unknown path", declared("POST /v1/nothing", MB), 60 * MB],
  ];
  for (const [what, request, bound] of attacks)
    test(what, async () => {
      const grown: number[] = [];
      await expectBodiesToHoldLittle(server, async (target) => {
        const growth = await memoryGrowth(target.pid, async () => {
          leave();
          await begin(request, UNFINISHED, CONNECTIONS, [address(2)], target);
        });
        if (target === server) grown.push(growth);
      });
      expect(Math.max(...grown)).toBeLessThan(bound);
      for (const who of [address(2), address(200)])
        expect((await ask(server, wholeLogin, who)).status).toBe(401);
    });
});

test("beyond the share of an address a body is refused, and its connection ends", async () => {
  const request = declared("POST /v1/auth/login", MB);
  await begin(request, UNFINISHED, 20, [address(2)]);
  const refused = await ask(server, request, address(2));
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(refused.headers.get("connection")).toBe("close");
  expect(JSON.parse(refused.body.toString()).error).toBe("ServiceUnavailable");
  // It costs other clients nothing, and ends when the bodies do.
  expect((await ask(server, large(), address(3))).status).toBe(400);
  leave();
  await soon(async () => expect((await ask(server, large(), address(2))).status).toBe(400));
});

/** A body of 100 KB that is accepted, and isn't a login. */
const large = () => `${declared("POST /v1/auth/login", 100_002)}{${" ".repeat(100_000)}}`;

test("from many addresses they take no more than 64 MB, and small bodies are still read", async () => {
  const request = declared("POST /v1/auth/login", MB);
  const addresses = Array.from({ length: 10 }, (_, at) => address(10 + at));
  const grown = await memoryGrowth(server.pid, () => begin(request, UNFINISHED, 150, addresses));
  expect(grown).toBeLessThan(120 * MB);
  leave();
  await Bun.sleep(LEAVING);
  await begin(request, UNFINISHED.subarray(0, 1), 70, addresses);
  await begin(declared("POST /v1/auth/login", 100_002), UNFINISHED.subarray(0, 1), 30, addresses);
  expect((await ask(server, request, address(10))).status).toBe(503);
  for (const who of [200, 201, 202, 200]) {
    expect((await ask(server, large(), address(who))).status).toBe(400);
    expect((await ask(server, wholeLogin, address(who))).status).toBe(401);
  }
});

test("many small bodies that a few addresses announce stop nobody else's, and are cut for them", async () => {
  const slow = new Stranger(server, address(202)).send(wholeLogin.slice(0, -1));
  const addresses = Array.from({ length: 8 }, (_, at) => address(10 + at));
  const request = declared("POST /v1/auth/login", 65_536);
  await begin(request, UNFINISHED.subarray(0, 1), 640, addresses);
  // They take the last bytes.
  await begin(declared("POST /v1/auth/login", 3), UNFINISHED.subarray(0, 1), 40, addresses);
  for (const who of [200, 201, 200, 201])
    expect((await ask(server, wholeLogin, address(who))).status).toBe(401);
  slow.send(wholeLogin.slice(-1));
  expect((await slow.answer()).status).toBe(401);
  slow.leave();
  const oldest = await strangers[0]?.answer();
  expect([oldest?.status, oldest?.headers.get("retry-after")]).toEqual([503, "5"]);
});

const inChunks = head("POST /v1/auth/login", JSON_TYPE, "transfer-encoding: chunked");
const chunk = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

test("a body in chunks of a byte is refused once they are thousands", async () => {
  const chunks = chunk(" ").repeat(20_000);
  // With few bytes after those for which it is refused: a client that still writes may lose the answer.
  const refused = await ask(server, `${inChunks}${chunk("{")}${chunk(" ").repeat(1_100)}`);
  expect([refused.status, refused.headers.get("connection")]).toEqual([400, "close"]);
  expect(JSON.parse(refused.body.toString()).message).toContain("too many small chunks");
  strangers = Array.from({ length: 8 }, () => new Stranger(server).send(inChunks, chunk("{")));
  const answers = strangers.map((stranger) => stranger.answer());
  const grown = await memoryGrowth(server.pid, async () => {
    for (let round = 0; round < 4; round++) {
      for (const stranger of strangers) stranger.send(chunks);
      await Bun.sleep(50);
    }
    // The reset that meets the rest of a body may reach its client before the answer.
    for (const { status } of await Promise.all(answers)) expect([0, 400]).toContain(status);
  });
  expect(grown).toBeLessThan(40 * MB);
});

test("a small body in chunks of a byte, and a large one in many of a segment, are read", async () => {
  const bytes = [...login.toString()].map(chunk).join("");
  expect((await ask(server, `${inChunks}${bytes}0\r\n\r\n`)).status).toBe(401);
  const segments = chunk(" ".repeat(500)).repeat(2_000);
  const sent = new Stranger(server).send(inChunks, chunk("{"));
  for (let at = 0; at < segments.length; at += 50_000) {
    sent.send(segments.slice(at, at + 50_000));
    await Bun.sleep(5);
  }
  sent.send(chunk("}"), "0\r\n\r\n");
  const { status, body } = await sent.answer();
  expect([status, JSON.parse(body.toString()).error]).toEqual([400, "ValidationError"]);
  sent.leave();
});

test("hundreds of small bodies at once from one address are all read", async () => {
  const key = await server.key("locations:write", "locations:read");
  const body = Buffer.from(JSON.stringify({ name: "Harbour", latitude: 54, longitude: 13 }));
  const request = declared("POST /v1/locations", body.length, `authorization: Bearer ${key}`);
  await begin(request, body.subarray(0, 10), 400, [address(2)]);
  for (const stranger of strangers) stranger.send(body.subarray(10));
  const answers = await Promise.all(strangers.map((stranger) => stranger.answer()));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
});

test("who left in the middle takes no room", async () => {
  const request = declared("POST /v1/auth/login", MB);
  for (let round = 0; round < 3; round++) {
    await begin(request, UNFINISHED.subarray(0, 100), 16, [address(2)]);
    leave();
    await Bun.sleep(LEAVING);
  }
  await soon(async () => expect((await ask(server, large(), address(2))).status).toBe(400));
});

test("a client that waits for 100 Continue, and one that sends slowly, are served", async () => {
  const asking = new Stranger(server).send(
    declared("POST /v1/auth/login", login.length, "expect: 100-continue"),
  );
  await Bun.sleep(100);
  asking.send(login);
  const slow = new Stranger(server).send(declared("POST /v1/auth/login", 30_002));
  const text = Buffer.from(`{${" ".repeat(30_000)}}`);
  for (let at = 0; at < text.length; at += 1_000) {
    slow.send(text.subarray(at, at + 1_000));
    await Bun.sleep(100);
  }
  expect((await slow.answer()).status).toBe(400);
  expect([100, 401]).toContain((await asking.answer()).status);
  slow.leave();
  asking.leave();
});
