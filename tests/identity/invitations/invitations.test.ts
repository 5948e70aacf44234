import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditRows } from "../../support/events";
import {
  done,
  expectInvalid,
  expectKept,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { freshEmail, newPerson, newUser, readUser, staff } from "../../support/people";
import { newRole } from "../../support/roles";
import { filesWith, rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { HOUR } from "../../support/time";
import { accepted, BASE, inviting, newInvitation, PATH, tokenIn } from "./support";

/** Invitations: made, read, sent and revoked. Their acceptance: accept.test.ts. */

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const read = async (id: string) => done(await server.get(`${PATH}/${id}`, { token: admin })).data;
const count = () => rows(server, "SELECT id FROM invitations").length;

describe("POST /v1/invitations", () => {
  test("without an address answers the link to hand over, once", async () => {
    const device = await server.device();
    const role = await newRole(server, "gps:read");
    const answer = await inviting(server, {
      role_ids: [role.id],
      device_shares: [{ device_id: device.id, level: "history" }],
      note: "Welcome",
    });
    const { data, _links } = expectStatus(answer, 201).body;
    expect(answer.headers.get("location")).toBe(`${PATH}/${data.id}`);
    expect(_links).toEqual({ self: `${PATH}/${data.id}` });
    expect(data.url).toMatch(/^https:\/\/boat\.example\.org\/invitation#token=[\w-]{43}(&|$)/);
    expect(Date.parse(data.expires_at) - Date.parse(data.created_at)).toBe(72 * HOUR);
    const { url, ...shown } = data;
    expect(shown).toEqual({
      id: data.id,
      email: null,
      role_ids: [role.id],
      device_shares: [{ device_id: device.id, level: "history", expires_at: null }],
      note: "Welcome",
      status: "pending",
      made_by: (await server.login(ADMIN.username, ADMIN.password)).user_id,
      created_at: data.created_at,
      expires_at: data.expires_at,
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    });
    expect(await read(data.id)).toEqual(shown);
    expect(filesWith(server, tokenIn(url))).toEqual([]);
  });

  test("with an address sends the link there, with the note, and answers none", async () => {
    const email = freshEmail();
    const { data } = done(await inviting(server, { email: email.toUpperCase(), note: "<b>Ahoy</b>" }));
    expect([data.email, data.url]).toEqual([email, null]);
    const mail = await newestMail(server, email);
    expect(mail.kind).toBe("invitation");
    expect(mail.link).toEndWith(`/invitation#token=${mail.token}`);
    expect(mail.text).toStartWith("Hello,\n");
    expect(mail.text).toContain(`${ADMIN.username} invites you`);
    expect(mail.text).toContain("> <b>Ahoy</b>");
    expect(mail.html).toContain("&lt;b&gt;Ahoy&lt;/b&gt;");
    expect(
      (await accepted(server, mail.token, { ...newPerson(), email: undefined as never })).id,
    ).toBeString();
  });

  test("writes German where the inviter does", async () => {
    const email = freshEmail();
    const headers = { "accept-language": "de-AT" };
    done(await server.post(PATH, { token: admin, headers, body: { email } }));
    const { text, locale } = await newestMail(server, email);
    expect(locale).toBe("de");
    expect(text).toStartWith("Hallo,\n");
    expect(text).toContain("lädt dich zu");
  });

  test("needs an address that leads others here, for a link to hand over alone", async () => {
    for (const base_url of [undefined, "http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080"])
      expectRefused(await inviting(server, { base_url }), 409, "PublicUrlNeeded");
    expectInvalid(await inviting(server, { email: freshEmail(), base_url: BASE }), "/base_url");
    for (const rest of ["/?a=b", "/#a", "/?", "/#"])
      expectInvalid(await inviting(server, { base_url: BASE + rest }), "/base_url");
  });

  test.each([
    ["/email", { email: "nobody" }],
    ["/role_ids/0", { role_ids: ["role_nothing"] }],
    ["/role_ids/0", { role_ids: ["' OR 1=1"] }],
    ["/role_ids", { role_ids: Array.from({ length: 51 }, (_, at) => `role_${"x".repeat(at + 1)}`) }],
    ["/device_shares/0/device_id", { device_shares: [{ device_id: UNKNOWN, level: "now" }] }],
    ["/device_shares/0/level", { device_shares: [{ device_id: UNKNOWN, level: "all" }] }],
    [
      "/device_shares/0/expires_at",
      { device_shares: [{ device_id: UNKNOWN, level: "now", expires_at: "2020-01-01T00:00:00Z" }] },
    ],
    ["/expires_in_hours", { expires_in_hours: 0 }],
    ["/expires_in_hours", { expires_in_hours: 721 }],
    ["/note", { note: "x".repeat(501) }],
  ])("refuses a wrong %s", async (path, fields) => {
    await expectKept(count, async () => expectInvalid(await inviting(server, fields), path));
  });

  test("refuses a device that is there twice, in either case of its letters", async () => {
    const { id } = await server.device();
    const device_shares = [id, id.toUpperCase()].map((device_id) => ({ device_id, level: "now" }));
    expectInvalid(await inviting(server, { device_shares }), "/device_shares/1/device_id");
  });

  test("refuses an address in use", async () => {
    const { email } = await newUser(server);
    expectRefused(await inviting(server, { email }), 409, "Conflict");
  });

  test("takes the permission users:write, and reading users:read", async () => {
    const { id } = await newInvitation(server);
    await expectPermission(server, "users:write", 201, (token) =>
      server.post(PATH, { ...(token && { token }), body: { base_url: BASE } }),
    );
    await expectPermission(server, "users:read", 200, (token) =>
      server.get(PATH, { ...(token && { token }) }),
    );
    await expectPermission(server, "users:read", 200, (token) =>
      server.get(`${PATH}/${id}`, { ...(token && { token }) }),
    );
    await expectPermission(server, "users:write", 404, (token) =>
      server.delete(`${PATH}/${UNKNOWN}`, { ...(token && { token }) }),
    );
  });

  test("gives nothing that the inviter doesn't hold", async () => {
    const device = await server.device();
    const wide = await newRole(server, "users:write", "gps:read", "gps:delete");
    const inviter = await staff(server, "users:write", "gps:read", "devices:read");
    const attempt = (fields: object, token = inviter.token) =>
      expectKept(count, async () => expectRefused(await inviting(server, fields, token), 403, "Forbidden"));
    await attempt({ role_ids: [wide.id] });
    await attempt({ role_ids: ["role_super_admin"] });
    // Neither devices:write nor a share that manages the device.
    await attempt({ device_shares: [{ device_id: device.id, level: "now" }] });
    await attempt({ device_shares: [{ device_id: UNKNOWN, level: "now" }] });
    const sharer = await staff(server, "users:write", "devices:read", "devices:write", "gps:read");
    await attempt({ device_shares: [{ device_id: device.id, level: "history" }] }, sharer.token);
    done(await inviting(server, { device_shares: [{ device_id: device.id, level: "now" }] }, sharer.token));
    // A key of an administrator with all permissions is no super admin.
    await attempt({ role_ids: ["role_super_admin"], password: ADMIN.password }, server.systemKey);
  });

  test("with a share that manages a device gives that device, and no longer", async () => {
    const [device, other] = [await server.device(), await server.device()];
    const manager = await staff(server, "users:write");
    const expires_at = new Date(server.time + 24 * HOUR).toISOString();
    const body = { level: "manage", expires_at };
    done(await server.put(`/v1/devices/${device.id}/shares/${manager.id}`, { token: admin, body }));
    const share = (device_id: string, fields: object = {}) =>
      inviting(server, { device_shares: [{ device_id, level: "history", ...fields }] }, manager.token);
    expectRefused(await share(device.id), 403, "Forbidden");
    expectRefused(await share(other.id, { expires_at }), 403, "Forbidden");
    const { data } = done(await share(device.id, { expires_at }));
    const user = await accepted(server, tokenIn(data.url));
    const seen = done(await server.get("/v1/devices", { token: user.token })).data;
    expect(seen.map(({ id }: { id: string }) => id)).toEqual([device.id]);
  });

  test("writes an event without the address", async () => {
    const email = freshEmail();
    const { data } = done(await inviting(server, { email, role_ids: ["role_user"] }));
    const [event] = auditRows(server, data.id);
    expect([event?.event_type, JSON.parse(event?.metadata ?? "{}")]).toEqual([
      "invitation_created",
      { role_ids: ["role_user"], device_ids: [], by_email: true },
    ]);
  });
});

describe("GET /v1/invitations", () => {
  test("tells where each stands, newest first, and counts by that", async () => {
    const [waiting, old, revoked, used] = [
      await newInvitation(server, { expires_in_hours: 100 }),
      await newInvitation(server, { expires_in_hours: 1 }),
      await newInvitation(server),
      await newInvitation(server),
    ];
    const user = await accepted(server, used.token);
    expectStatus(await server.delete(`${PATH}/${revoked.id}`, { token: admin }), 204);
    await server.advance(HOUR + 1_000);
    const expected = { pending: waiting, expired: old, revoked, accepted: used };
    for (const [status, { id }] of Object.entries(expected)) {
      const { data, pagination } = done(
        await server.get(`${PATH}?status=${status}&limit=100`, { token: admin }),
      );
      expect(data.map((each: { status: string }) => each.status)).toEqual(data.map(() => status));
      expect(data.some((each: { id: string }) => each.id === id)).toBe(true);
      expect(pagination.total).toBe(data.length);
    }
    const { data } = done(await server.get(`${PATH}?limit=4`, { token: admin }));
    expect(data.map(({ id }: { id: string }) => id)).toEqual([used.id, revoked.id, old.id, waiting.id]);
    expect(data[0]).toMatchObject({ status: "accepted", accepted_by: user.id });
    expect(data[0].accepted_at).not.toBeNull();
    expect(JSON.stringify(data)).not.toContain("token");
    expectInvalid(await server.get(`${PATH}?status=lost`, { token: admin }), "/status");
  });
});

describe("an invitation ends", () => {
  const statusOf = async (id: string) => (await read(id)).status;

  test("once: another revocation is 409, and an unknown one 404", async () => {
    const { id } = await newInvitation(server);
    expectStatus(await server.delete(`${PATH}/${id}`, { token: admin }), 204);
    expectRefused(await server.delete(`${PATH}/${id}`, { token: admin }), 409, "Conflict");
    expectRefused(await server.delete(`${PATH}/${UNKNOWN}`, { token: admin }), 404, "NotFound");
    expect(auditRows(server, id).map(({ event_type }) => event_type)).toEqual([
      "invitation_created",
      "invitation_revoked",
    ]);
  });

  test("with the session that made it, if that is revoked, and stays after a sign-out", async () => {
    const inviter = await staff(server, "users:write");
    const signIn = () => server.login(inviter.username, inviter.password);
    const [stolen, own, left] = [await signIn(), await signIn(), await signIn()];
    const made = (token: string) => newInvitation(server, {}, token);
    const [byThief, mine, before] = [
      await made(stolen.session_token),
      await made(own.session_token),
      await made(left.session_token),
    ];
    done(await server.post("/v1/auth/logout", { token: left.session_token }));
    expect(await statusOf(before.id)).toBe("pending");
    const path = `/v1/users/me/sessions/${stolen.session_id}`;
    expect((await server.delete(path, { token: own.session_token })).status).toBeLessThan(300);
    expect([await statusOf(byThief.id), await statusOf(mine.id)]).toEqual(["revoked", "pending"]);
    const body = { current_password: inviter.password, new_password: "another passphrase" };
    done(await server.post("/v1/users/me/password", { token: own.session_token, body }));
    expect([await statusOf(before.id), await statusOf(mine.id)]).toEqual(["revoked", "pending"]);
  });

  test("with the key that made it, if that gets another value", async () => {
    const { id: keyId, key } = await server.createKey("users:write");
    const { id, made_by } = await newInvitation(server, {}, key);
    expect(made_by).not.toBeNull();
    const body = { password: ADMIN.password };
    done(await server.post(`/v1/api-keys/${keyId}/regenerate`, { token: admin, body }));
    expect(await statusOf(id)).toBe("revoked");
  });

  test("with the account of its maker, and with that of its user nothing of it is left", async () => {
    const inviter = await staff(server, "users:write");
    const made = await newInvitation(server, {}, inviter.token);
    const email = freshEmail();
    const sent = await newInvitation(server, { email, note: "a secret wish" });
    const { token } = await newestMail(server, email);
    const user = await accepted(server, token, { ...newPerson(), email: undefined as never });
    for (const { id } of [inviter, user])
      done(
        await server.post(`/v1/admin/users/${id}/force-delete`, {
          token: admin,
          body: { password: ADMIN.password },
        }),
      );
    for (const { id } of [made, sent]) expectStatus(await server.get(`${PATH}/${id}`, { token: admin }), 404);
    expect(filesWith(server, email)).toEqual([]);
    expect(auditRows(server, made.id).at(-1)?.event_type).toBe("invitation_revoked");
  });

  test("gives a role or a device no more that is deleted", async () => {
    const [device, role] = [await server.device(), await newRole(server, "gps:read")];
    const { id, token } = await newInvitation(server, {
      role_ids: [role.id],
      device_shares: [{ device_id: device.id, level: "now" }],
    });
    expectStatus(await server.delete(`/v1/devices/${device.id}`, { token: admin }), 204);
    expect((await server.delete(`/v1/roles/${role.id}`, { token: admin })).status).toBeLessThan(300);
    expect(await read(id)).toMatchObject({ role_ids: [], device_shares: [], status: "pending" });
    const user = await accepted(server, token);
    expect((await readUser(server, user.id)).username).toBe(user.username);
  });
});

test("proves who invites to roles where the sign-in must be recent", async () => {
  const strict = await TestServer.start({
    clock: "movable",
    settings: { "auth.reauthentication_minutes": "5" },
  });
  const token = await strict.admin();
  await strict.advance(HOUR);
  const invite = (fields: object) => inviting(strict, { role_ids: ["role_user"], ...fields }, token);
  expectRefused(await invite({}), 403, "ReauthenticationRequired");
  expectInvalid(await invite({ password: "wrong" }), "/password");
  expectStatus(await invite({ password: ADMIN.password }), 201);
  await strict.stop();
});
