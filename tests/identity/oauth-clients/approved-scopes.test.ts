import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERMISSIONS } from "../../../src/identity/access/permissions";
import type { Token } from "../../support/api";
import { done, expectInvalid, expectRefused } from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { newClient } from "../oauth/support";

/** Permissions that an administrator approves for a client, one by one. */
let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const change = (id: string, body: object, token = admin) =>
  server.patch(`/v1/oauth/clients/${id}`, { token, body });
const approved = async (id: string) =>
  done(await server.get(`/v1/oauth/clients/${id}`, { token: admin })).data.approved_scopes;

describe("a scope", () => {
  test("is approved by administrators alone, also at the creation", async () => {
    const owner = await newUser(server);
    const { id } = await newClient(
      server,
      { allowed_scopes: ["openid", "gps:read"] },
      { token: owner.token },
    );
    const body = { approved_scopes: ["gps:read"] };
    expectRefused(await change(id, body, owner.token), 403, "Forbidden");
    const almost = await staff(server, ...Object.keys(PERMISSIONS));
    expectRefused(await change(id, body, almost.token), 403, "Forbidden");
    const client = {
      name: "App",
      redirect_uris: ["https://app.example/"],
      allowed_scopes: ["gps:read"],
      ...body,
    };
    const path = "/v1/oauth/clients";
    expectRefused(await server.post(path, { token: owner.token, body: client }), 403, "Forbidden");
    expect(await approved(id)).toEqual([]);
    for (const token of [admin, (await newUser(server, "role_admin")).token, server.systemKey]) {
      expect((await change(id, body, token)).body.data.approved_scopes).toEqual(["gps:read"]);
      done(await change(id, { approved_scopes: [] }, token));
    }
    const made = done(await server.post(path, { token: admin, body: client }));
    expect(await approved(made.client.id)).toEqual(["gps:read"]);
  });

  test("is a single permission of the catalogue that the client names", async () => {
    const { id } = await newClient(server, {
      allowed_scopes: ["openid", "gps:*", "*:*", "no:such", "gps:read"],
    });
    for (const [scopes, at] of [
      [["openid"], 0],
      [["gps:read", "gps:*"], 1],
      [["*:*"], 0],
      [["no:such"], 0],
      [["trips:read"], 0],
    ] as const)
      expectInvalid(await change(id, { approved_scopes: scopes }), `/approved_scopes/${at}`);
    expect(await approved(id)).toEqual([]);
    done(await change(id, { approved_scopes: ["gps:read", "gps:read"] }));
    expect(await approved(id)).toEqual(["gps:read"]);
  });

  test("that its owner takes from the client loses its approval for good", async () => {
    const owner = await newUser(server);
    const { id } = await newClient(server, {}, { approved: ["gps:read", "trips:read"], token: owner.token });
    done(await change(id, { allowed_scopes: ["openid", "gps:read"] }, owner.token));
    expect(await approved(id)).toEqual(["gps:read"]);
    done(await change(id, { allowed_scopes: ["openid", "gps:read", "trips:read"] }, owner.token));
    expect(await approved(id)).toEqual(["gps:read"]);
    // Sent back as it was read, it is no change of the owner's.
    done(await change(id, { name: "Renamed", approved_scopes: ["gps:read"] }, owner.token));
  });

  test("is in the event of its approval", async () => {
    const { id } = await newClient(server, {}, { approved: ["gps:read"] });
    const [event] = rows<{ metadata: string }>(
      server,
      "SELECT metadata FROM audit_events WHERE event_type = 'client_updated' AND resource_id = ?",
      id,
    );
    expect(JSON.parse(event?.metadata ?? "")).toEqual({
      name: "Crew app",
      changed: ["approved_scopes"],
      approved_scopes: ["gps:read"],
    });
  });

  test("needs a recent sign-in where one is asked for, and its withdrawal doesn't", async () => {
    const strict = await TestServer.start({
      clock: "movable",
      settings: { "auth.reauthentication_minutes": "5" },
    });
    try {
      const token = await strict.admin();
      const client = await newClient(strict, { allowed_scopes: ["gps:read"] });
      await strict.advance(6 * 60_000);
      const path = `/v1/oauth/clients/${client.id}`;
      const body = { approved_scopes: ["gps:read"] };
      expectRefused(await strict.patch(path, { token, body }), 403, "ReauthenticationRequired");
      done(await strict.patch(path, { token, body: { ...body, password: ADMIN.password } }));
      await strict.advance(6 * 60_000);
      done(await strict.patch(path, { token, body: { approved_scopes: [] } }));
    } finally {
      await strict.stop();
    }
  });
});

describe("addresses after a sign-out", () => {
  test("are checked as redirect URIs are", async () => {
    const { id } = await newClient(server);
    const bye = "https://app.example/bye";
    done(await change(id, { post_logout_redirect_uris: [bye, bye] }));
    const { data } = done(await server.get(`/v1/oauth/clients/${id}`, { token: admin }));
    expect(data.post_logout_redirect_uris).toEqual([bye]);
    for (const uri of ["http://app.example/", "x", "https://app.example/#f", "javascript:alert(1)"])
      expectInvalid(
        await change(id, { post_logout_redirect_uris: [bye, uri] }),
        "/post_logout_redirect_uris/1",
      );
  });
});
