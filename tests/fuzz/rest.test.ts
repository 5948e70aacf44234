import { afterAll, describe, expect, test } from "bun:test";
import { unchanged } from "../support/changes";
import { memoryOf } from "../support/pressure";
import { Fuzzer } from "./fuzzer";
import { tell } from "./settings";

const MEBIBYTE = 1_048_576;

/**
 * Random requests, valid and invalid by their schemas, to every operation of the live OpenAPI document. A
 * failure prints the seed and the request. Longer: `bun run fuzz --runs 1000`.
 */
const fuzzer = await Fuzzer.start();
const { server, operations } = fuzzer;
afterAll(async () => {
  await fuzzer.stop();
});

/**
 * The most by which memory may grow over any number of requests, in MiB: caches, statements, the runtime's
 * own reserve.
 */
const MOST_GROWTH = 400;
const memoryBefore = memoryOf(server.pid) / MEBIBYTE;

const isClosed = ({ document }: (typeof operations)[number]) =>
  document.security.length > 0 && document.security.every((way) => Object.keys(way).length > 0);

test("a stranger gets 401 from every closed operation, and changes nothing", async () => {
  const asked = await unchanged(server, () => fuzzer.askAsStranger(operations.filter(isClosed)));
  // A wrong link is unknown, as at its other doors.
  const isLink = (operation: string, status: number) => operation === "GET /v1/ws" && status === 404;
  expect(asked.filter(({ operation, status }) => status !== 401 && !isLink(operation, status))).toEqual([]);
  expect(asked.length).toBeGreaterThan(140);
});

describe("random requests are answered as documented:", () => {
  for (const operation of operations)
    test(`${operation.method} ${operation.template}`, () => fuzzer.check(operation), 3_600_000);
});

test("most operations took one request or more", () => {
  const taken = operations.filter((operation) => fuzzer.accepted.has(operation));
  tell(`${taken.length} of ${operations.length} operations took one request or more`);
  expect(taken.length).toBeGreaterThan(operations.length / 2);
});

test("the server lives, has logged no error, and holds no more memory than it should", async () => {
  expect((await server.get("/health")).status).toBe(200);
  expect(server.output).not.toContain('"level":"error"');
  const memory = memoryOf(server.pid) / MEBIBYTE;
  tell(`${fuzzer.requests} requests, ${Math.round(memory)} MiB resident`);
  expect(memory).toBeLessThan(memoryBefore + MOST_GROWTH);
});
