import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { newUser, type User } from "../../support/people";
import { LONGEST_HOLD, longestHold } from "../../support/pressure";
import { onDatabase } from "../../support/rows";
import { TestServer } from "../../support/server";

/** OAuth clients are bounded in number and size, and their lists come in pages. */

const PATH = "/v1/oauth/clients";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ compilers: "as shipped" });
});
afterAll(() => server.stop());

const create = (token: Token, fields: object = {}) =>
  server.post(PATH, { token, body: { name: "App", redirect_uris: ["https://app.example/cb"], ...fields } });

/** Clients as an older version let a user make them, oldest first. */
function storeClients(owner: User, count: number, description: string | null = null): string[] {
  return onDatabase(server, (database) =>
    Array.from({ length: count }, () => {
      const id = Bun.randomUUIDv7();
      database.run(
        `INSERT INTO oauth_clients (id, owner_id, name, description, redirect_uris, allowed_scopes, client_type, is_active, is_first_party, created_at, updated_at)
         VALUES (?, ?, 'Old', ?, '["https://app.example/cb"]', '[]', 'public', 1, 0, 1, 1)`,
        [id, owner.id, description],
      );
      return id;
    }),
  );
}

const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe("a user has at most 50 clients", () => {
  test("also when 60 are asked for at once; deleting one makes room", async () => {
    const anna = await newUser(server);
    const answers = await Promise.all(Array.from({ length: 60 }, () => create(anna.token)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(50).fill(201), ...Array(10).fill(409)]);
    const own = await server.get(PATH, { token: anna.token });
    expect(own.body.data).toHaveLength(50);
    expect(own.body._links).toEqual({ self: PATH });
    expect((await server.delete(`${PATH}/${idsOf(own)[0]}`, { token: anna.token })).status).toBe(204);
    expect((await create(anna.token)).status).toBe(201);
    expect((await create(anna.token)).body.message).toContain("at most 50 OAuth clients");
    expect((await create((await newUser(server)).token)).status).toBe(201);
  });

  test("but keeps those that it has already", async () => {
    const bert = await newUser(server);
    const [oldest = ""] = storeClients(bert, 60);
    expect((await create(bert.token)).status).toBe(409);
    const path = `${PATH}/${oldest}`;
    expect((await server.patch(path, { token: bert.token, body: { name: "New" } })).body.data.name).toBe(
      "New",
    );
    expect((await server.delete(path, { token: bert.token })).status).toBe(204);
    expect((await create(bert.token)).status).toBe(409);
  });
});

describe("a client stores at most 16 KiB", () => {
  const uris = (count: number) =>
    Array.from({ length: count }, (_, at) => `https://app.example/${at}/${"x".repeat(2_000)}`);

  test("of all that it stores together; more is 400 and stores nothing", async () => {
    const { token } = await newUser(server);
    const refused = await create(token, { redirect_uris: uris(9) });
    expect([refused.status, refused.body.error]).toEqual([400, "ValidationError"]);
    expect((await create(token, { description: "ж".repeat(8_300) })).status).toBe(400);
    expect((await server.get(PATH, { token })).body.data).toEqual([]);
    const { body } = await create(token, { redirect_uris: uris(7) });
    const path = `${PATH}/${body.client.id}`;
    const before = (await server.get(path, { token })).body;
    const grown = await server.patch(path, {
      token,
      body: { description: "x".repeat(5_000), name: "Grown" },
    });
    expect(grown.status).toBe(400);
    expect((await server.get(path, { token })).body).toEqual(before);
  });

  test("a larger one from before is read, and may shrink or stay, but not grow", async () => {
    const owner = await newUser(server);
    const { token } = owner;
    const [id] = storeClients(owner, 1, "x".repeat(50_000));
    const path = `${PATH}/${id}`;
    expect((await server.get(path, { token })).body.data.description).toHaveLength(50_000);
    const change = async (body: object) => (await server.patch(path, { token, body })).status;
    expect(await change({ homepage_url: "https://app.example" })).toBe(400);
    expect(await change({ is_active: false })).toBe(200);
    expect(await change({ description: "short" })).toBe(200);
    expect(await change({ homepage_url: "https://app.example" })).toBe(200);
  });
});

describe("the lists of clients", () => {
  let owner: User;
  let newestFirst: string[];
  beforeAll(async () => {
    owner = await newUser(server);
    newestFirst = storeClients(owner, 250).reverse();
  });

  test("hold 100 without `page` and `limit`, and then say where the next page is", async () => {
    const first = await server.get(PATH, { token: owner.token });
    expect(idsOf(first)).toEqual(newestFirst.slice(0, 100));
    expect(first.body).not.toHaveProperty("pagination");
    let found = idsOf(first);
    for (let next = first.body._links.next; next !== undefined; ) {
      const page = await server.get(next, { token: owner.token });
      found = [...found, ...idsOf(page)];
      next = page.body._links.next;
    }
    expect(found).toEqual(newestFirst);
  });

  test("come in pages, from either end", async () => {
    const page = await server.get(`${PATH}?page=12&limit=20`, { token: owner.token });
    expect(idsOf(page)).toEqual(newestFirst.slice(220, 240));
    expect(page.body.pagination).toEqual({ page: 12, limit: 20, total: 250, total_pages: 13 });
    expect(page.body._links).toEqual({
      self: `${PATH}?page=12&limit=20`,
      first: `${PATH}?page=1&limit=20`,
      last: `${PATH}?page=13&limit=20`,
      prev: `${PATH}?page=11&limit=20`,
      next: `${PATH}?page=13&limit=20`,
    });
    expect(idsOf(await server.get(`${PATH}?limit=1000`, { token: owner.token }))).toEqual(
      newestFirst.slice(0, 100),
    );
    expect(idsOf(await server.get(`${PATH}?page=99`, { token: owner.token }))).toEqual([]);
    expect((await server.get(`${PATH}?page=0`, { token: owner.token })).status).toBe(400);
  });

  test("count all clients too, also when their owner is deleted", async () => {
    const all = async () =>
      (await server.get(`${PATH}/all?limit=1`, { token: server.systemKey })).body.pagination.total;
    const before = await all();
    const gone = await server.post(`/v1/admin/users/${owner.id}/force-delete`, {
      token: await server.admin(),
      body: {},
    });
    expect(gone.status).toBe(200);
    expect(await all()).toBe(before - 250);
  });
});

test("whoever makes as many and as large ones as possible stops nobody: others wait less than 100 ms", async () => {
  const mallory = await newUser(server);
  const filler = {
    redirect_uris: Array.from({ length: 7 }, (_, at) => `https://m.example/${at}/${"x".repeat(2_000)}`),
  };
  for (let made = 0; made < 60; made++) await create(mallory.token, filler);
  let bytes = 0;
  const attack = async () => {
    for (let round = 0; round < 5; round++)
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          const answer = await fetch(server.url + PATH, {
            headers: { authorization: `Bearer ${mallory.token}` },
          });
          bytes = (await answer.arrayBuffer()).byteLength;
        }),
      );
  };
  expect(await longestHold(server, attack)).toBeLessThan(LONGEST_HOLD);
  expect(bytes).toBeWithin(50 * 14_000, 50 * 17_000);
});
