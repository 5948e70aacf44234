import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { done } from "../../support/expectations";
import { RawConnection } from "../../support/raw-http";
import { TestServer } from "../../support/server";
import {
  type Actor,
  type Ask,
  adminRequests,
  ban,
  demote,
  everything,
  forceDelete,
  logout,
  newActor,
  ownRequests,
  remove,
  resetPassword,
  shown,
  trackingRequests,
} from "./stale-rights-support";

/**
 * A request is admitted when its head arrives, and its body may come as late as the client likes. A caller
 * whose session, key or rights ended meanwhile must not act any more (rule R6).
 */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** A request whose head and half of whose body were sent. */
class HeldRequest {
  readonly #connection = new RawConnection(server);
  readonly #ask: Ask;
  readonly #body: Buffer;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#body = Buffer.from(JSON.stringify(ask.body ?? {}));
  }

  /** Resolves when the server has read the head, and waits for the rest of the body. */
  async begin(): Promise<this> {
    const host = new URL(server.url).host;
    const { method, path, token } = this.#ask;
    // An answer on the same connection proves that the server reads from it at once.
    this.#connection.write(`GET /v1/health HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await this.#connection.answer();
    const head = [
      ...[`${method} ${path} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${token}`],
      ...["content-type: application/json", `content-length: ${this.#body.length}`],
    ];
    this.#connection.write(`${head.join("\r\n")}\r\n\r\n`);
    this.#connection.write(this.#body.subarray(0, 1));
    await server.get("/v1/health");
    return this;
  }

  /** Sends the rest, and returns the status of the answer, which must be one that the document declares. */
  async finish(): Promise<number> {
    this.#connection.write(this.#body.subarray(1));
    const { status, headers, body } = await this.#connection.answer();
    this.#connection.close();
    const { method, path } = this.#ask;
    const answer = { status, headers, body: body === "" ? null : JSON.parse(body) };
    (await server.contract()).check(method, path, answer);
    return status;
  }
}

/** Holds requests while `meanwhile` runs; returns the status that each then got. */
async function held(asks: Ask[], meanwhile: () => Promise<unknown>): Promise<Record<string, number>> {
  const requests = await Promise.all(asks.map((ask) => new HeldRequest(ask).begin()));
  await meanwhile();
  const statuses: Record<string, number> = {};
  for (const [at, request] of requests.entries()) statuses[shown(asks[at] as Ask)] = await request.finish();
  return statuses;
}

const allWith = (asks: Ask[], status: number) => Object.fromEntries(asks.map((ask) => [shown(ask), status]));

/** Expects that each of the held requests gets this status, and that none changes anything. */
async function expectAllRefused(asks: Ask[], status: number, end: () => Promise<Answer>): Promise<void> {
  let before: unknown;
  const statuses = await held(asks, async () => {
    done(await end());
    before = everything(server);
  });
  expect(statuses).toEqual(allWith(asks, status));
  expect(everything(server)).toEqual(before as ReturnType<typeof everything>);
}

const allOf = (actor: Actor) => [...ownRequests(actor), ...adminRequests(actor), ...trackingRequests(actor)];
const sessionsOnly = (asks: Ask[]) => asks.filter(({ token }) => token.startsWith("ses_"));
const keysOnly = (asks: Ask[]) => asks.filter(({ token }) => token.startsWith("flk_"));

test("a request whose body comes late succeeds when nothing happened meanwhile", async () => {
  const asks = allOf(await newActor(server));
  const statuses = await held(asks, async () => {});
  expect(Object.values(statuses).filter((status) => status >= 300)).toEqual([]);
  expect(Object.keys(statuses)).toHaveLength(asks.length);
});

describe("a request that was held back is refused, and changes nothing, after", () => {
  test.each([
    ["a ban", ban],
    ["a deletion", remove],
    ["a forced deletion", forceDelete],
  ])("%s: each with 401", async (_, end) => {
    const actor = await newActor(server);
    await expectAllRefused(allOf(actor), 401, () => end(server, actor));
  });

  test.each([
    ["a logout", logout],
    ["a password reset", resetPassword],
  ])("%s: each with 401, but for those with a key", async (_, end) => {
    const actor = await newActor(server);
    await expectAllRefused(sessionsOnly(allOf(actor)), 401, () => end(server, actor));
  });

  test("the role that permitted it was taken: each with 403", async () => {
    const actor = await newActor(server);
    const asks = [...adminRequests(actor), ...trackingRequests(actor)];
    await expectAllRefused(asks, 403, () => demote(server, actor));
  });

  test("a key was deleted, got a new value, was switched off, or lost its scope", async () => {
    const ends: [status: number, end: (path: string) => Promise<Answer>][] = [
      [401, async (path) => server.delete(path, { token: await server.admin() })],
      [401, async (path) => server.post(`${path}/regenerate`, { token: await server.admin() })],
      [401, async (path) => server.patch(path, { token: await server.admin(), body: { is_active: false } })],
      [403, async (path) => server.patch(path, { token: await server.admin(), body: { scopes: [] } })],
    ];
    for (const [status, end] of ends) {
      const actor = await newActor(server);
      const device = { method: "POST", path: "/v1/devices", token: actor.key.key, body: { name: "held" } };
      const asks = [...keysOnly(trackingRequests(actor)), device];
      await expectAllRefused(asks, status, () => end(`/v1/api-keys/${actor.key.id}`));
    }
  });
});

test("what a user may still do goes on after a role was taken", async () => {
  const actor = await newActor(server);
  const asks = ownRequests(actor);
  const statuses = await held(asks, async () => done(await demote(server, actor)));
  expect(statuses).toEqual(allWith(asks, 200));
});
