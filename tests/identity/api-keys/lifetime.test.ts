import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, isAccepted } from "../../support/credentials";
import { outputOfWholeRun } from "../../support/log";
import { filesWith } from "../../support/rows";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";

let server: TestServer;
let token: Token;
/** Milliseconds by which the server's clock is ahead of this one. */
let ahead = 0;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings: { "log.level": "debug" } });
  token = await server.admin();
});
afterAll(() => server.stop());

const advance = async (milliseconds: number) => {
  await server.advance(milliseconds);
  ahead += milliseconds;
};
const inFuture = (milliseconds: number) => new Date(Date.now() + ahead + milliseconds).toISOString();
const create = async (fields: object) =>
  (await server.post("/v1/api-keys", { token, body: { name: "x", scopes: ["gps:read"], ...fields } })).body;

describe("a key with an end", () => {
  test("is refused from its end on, whether it was used before or not", async () => {
    const expires_at = inFuture(HOUR);
    const [used, unused] = [await create({ expires_at }), await create({ expires_at })];
    const endless = await create({});
    expect(used.expires_at).toBe(expires_at);
    expect(await isAccepted(server, used.key)).toBe(true);
    await advance(59 * MINUTE);
    expect(await isAccepted(server, used.key)).toBe(true);
    await advance(1 * MINUTE);
    const refused = await server.get("/v1/gps", { token: used.key });
    expect([refused.status, refused.body.error]).toEqual([401, "Unauthorized"]);
    expect(await isAccepted(server, unused.key)).toBe(false);
    expect(await isAccepted(server, endless.key)).toBe(true);
    expect((await server.get(`/v1/api-keys/${used.id}`, { token })).body.data.is_active).toBe(true);
  });

  test("is accepted again once its end is moved, and ends there", async () => {
    const { id, key } = await create({ expires_at: inFuture(HOUR) });
    await advance(2 * HOUR);
    expect(await isAccepted(server, key)).toBe(false);
    const move = (expires_at: string | null) =>
      server.patch(`/v1/api-keys/${id}`, { token, body: { expires_at } });
    await move(inFuture(HOUR));
    expect(await isAccepted(server, key)).toBe(true);
    await advance(2 * HOUR);
    expect(await isAccepted(server, key)).toBe(false);
    await move(null);
    expect(await isAccepted(server, key)).toBe(true);
  });

  test("can't be made with an end that the server's clock has passed", async () => {
    const expires_at = inFuture(HOUR);
    await advance(2 * HOUR);
    const answer = await server.post("/v1/api-keys", { token, body: { name: "x", expires_at } });
    expect([answer.status, answer.body.details[0].path]).toEqual([400, "/expires_at"]);
  });
});

describe("last_used_at", () => {
  /** The value once all earlier writes are in the database: writes are committed in their order. */
  const lastUse = async (id: string): Promise<string | null> => {
    await server.post("/v1/devices", { token, body: { name: "barrier" } });
    return (await server.get(`/v1/api-keys/${id}`, { token })).body.data.last_used_at;
  };

  test("is set by a request and at most once a minute", async () => {
    const { id, key } = await create({});
    expect(await lastUse(id)).toBeNull();
    const use = () => server.get("/v1/gps", { token: key });
    await use();
    const first = (await lastUse(id)) as string;
    expect(Math.abs(Date.parse(first) - Date.now() - ahead)).toBeLessThan(30_000);
    await advance(20_000);
    await use();
    expect(await lastUse(id)).toBe(first);
    await advance(MINUTE);
    await use();
    expect(Date.parse((await lastUse(id)) as string) - Date.parse(first)).toBeGreaterThanOrEqual(80_000);
  });

  test("is set by a request that the key may not make, too", async () => {
    const { id, key } = await create({});
    expect((await server.get("/v1/trips", { token: key })).status).toBe(403);
    expect(await lastUse(id)).not.toBeNull();
  });

  test("is empty again for a new value of the key", async () => {
    const { id, key } = await create({});
    await server.get("/v1/gps", { token: key });
    expect(await lastUse(id)).not.toBeNull();
    await server.post(`/v1/api-keys/${id}/regenerate`, { token });
    expect(await lastUse(id)).toBeNull();
  });
});

describe("a key's value", () => {
  test("is random", async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => create({})));
    expect(new Set(keys.map(({ key }) => key.slice(0, 12))).size).toBe(20);
  });

  test("stands nowhere in the data directory and in no line of the server's output", async () => {
    const { id, key } = await create({});
    const regenerated = (await server.post(`/v1/api-keys/${id}/regenerate`, { token })).body.key;
    const system = await commandLineKey(server, { system: true });
    const values = [key, regenerated, system.key];
    for (const value of values) {
      await server.get(`/v1/gps?token=${value}`, { token: value });
      await server.get("/v1/ws", { token: value });
      await server.get(`/v1/ws?token=${value}`);
    }
    const search = () => values.flatMap((value) => filesWith(server, value.slice(12)));
    // The search can find a key: it finds the prefix, which is stored.
    expect(filesWith(server, regenerated.slice(0, 12))).not.toEqual([]);
    expect(search()).toEqual([]);
    const output = await outputOfWholeRun(server);
    expect(output).toContain("/v1/ws");
    for (const value of values) expect(output).not.toContain(value.slice(12));
    expect(search()).toEqual([]);
  });
});
