import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { done, expectRefused } from "../../support/expectations";
import { externalUser, newUser } from "../../support/people";
import { assign, newRole, unassign } from "../../support/roles";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  ask,
  beginExport,
  exported,
  fill,
  HEAVY,
  leftovers,
  logs,
  openArchives,
  SETTINGS,
  squeeze,
  written,
} from "./support";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS });
});
afterAll(() => server.stop());

/** Expects a refusal that logs nothing and leaves nothing. */
async function expectRefusal(token: Token | undefined, status: number, error: string, method = "GET") {
  const before = written(server);
  expectRefused(await ask(server, token, { method }), status, error);
  expect(written(server)).toEqual(before);
  expect(leftovers(server)).toEqual([]);
}

describe("an export", () => {
  test("is of the owner of a session, a key without scopes, or an owned system key", async () => {
    const person = await externalUser(server);
    const key = await commandLineKey(server, { owner: person.username });
    const system = await commandLineKey(server, { owner: person.username, system: true });
    for (const token of [person.token, key.key, system.key])
      expect((await exported(server, token)).data.user.id).toBe(person.id);
    expect((await logs(server, person.token)).body.total).toBe(3);
    const events = rows(
      server,
      "SELECT user_id, actor_id FROM audit_events WHERE event_type = 'data_exported' AND user_id = ?",
      person.id,
    );
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ user_id: person.id, actor_id: null })));
  });

  test("is refused to nobody, to what is no credential, and to a system key of nobody", async () => {
    await expectRefusal(undefined, 401, "Unauthorized");
    await expectRefusal(`flk_${"x".repeat(43)}`, 401, "Unauthorized");
    await expectRefusal("ses_", 401, "Unauthorized");
    await expectRefusal(server.systemKey, 400, "BadRequest");
  });

  test("is refused to the former credentials of whoever is banned, and given again when the ban is over", async () => {
    const person = await newUser(server);
    const { key } = await commandLineKey(server, { owner: person.username });
    const admin = { token: await server.admin() };
    await exported(server, key);
    done(await server.post(`/v1/users/${person.id}/ban`, { ...admin, body: {} }));
    await expectRefusal(person.token, 401, "Unauthorized");
    await expectRefusal(key, 401, "Unauthorized");
    done(await server.delete(`/v1/users/${person.id}/ban`, admin));
    expect((await exported(server, key)).data.user.id).toBe(person.id);
  });

  test("is refused to the former credentials of whoever is deleted", async () => {
    const person = await newUser(server);
    const { key } = await commandLineKey(server, { owner: person.username });
    await exported(server, key);
    const gone = await server.delete(`/v1/users/${person.id}`, { token: await server.admin() });
    expect(gone.status).toBe(204);
    await expectRefusal(person.token, 401, "Unauthorized");
    await expectRefusal(key, 401, "Unauthorized");
  });

  test("takes no other method, and does nothing for HEAD", async () => {
    const person = await externalUser(server);
    const before = written(server);
    const head = await ask(server, person.token, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-type")).toBe("application/zip");
    expect(head.bytes.length).toBe(0);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      expect((await ask(server, person.token, { method })).status).toBe(405);
    expect((await ask(server, undefined, { method: "HEAD" })).status).toBe(401);
    expect(written(server)).toEqual(before);
    expect(leftovers(server)).toEqual([]);
  });
});

describe("while an archive is made", () => {
  test("a session that ends gets nothing, and nothing is logged", async () => {
    const person = await newUser(server);
    fill(server, person.id, HEAVY);
    const before = written(server);
    const { answer } = await beginExport(server, person.token);
    done(await server.post("/v1/auth/logout", { token: person.token }));
    const refused = await answer;
    expectRefused(refused, 401, "Unauthorized");
    expect(squeeze(refused.bytes.toString())).not.toContain(person.email);
    expect(written(server)).toEqual(before);
    expect(openArchives(server)).toBe(0);
    expect(leftovers(server)).toEqual([]);
  });

  test("whoever is banned gets nothing, and nothing is logged", async () => {
    const person = await newUser(server);
    fill(server, person.id, HEAVY);
    const { key } = await commandLineKey(server, { owner: person.username });
    const before = written(server);
    const { answer } = await beginExport(server, key);
    done(await server.post(`/v1/users/${person.id}/ban`, { token: await server.admin(), body: {} }));
    expectRefused(await answer, 401, "Unauthorized");
    expect(written(server)).toEqual(before);
    expect(openArchives(server)).toBe(0);
  });

  test("whoever loses permissions is told so, as the document says, and may try again", async () => {
    const person = await newUser(server);
    fill(server, person.id, HEAVY);
    const role = await newRole(server, "gps:read");
    await assign(server, person.id, role.id);
    const before = written(server);
    const { answer } = await beginExport(server, person.token);
    await unassign(server, person.id, role.id);
    expectRefused(await answer, 403, "Forbidden");
    expect(written(server)).toEqual(before);
    expect((await exported(server, person.token)).data.roles).toEqual(["User"]);
  });
});
