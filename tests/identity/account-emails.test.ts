import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../support/api";
import { commandLineKey, createKey, isAccepted } from "../support/credentials";
import { eventsOf } from "../support/events";
import { done, eventually } from "../support/expectations";
import { mailsTo, newestMail, nextMail } from "../support/mail";
import { externalUser, newUser, type User } from "../support/people";
import { newRole } from "../support/roles";
import { rows } from "../support/rows";
import { ADMIN, TestServer } from "../support/server";
import { requestEmailChange, resetToken } from "./auth/support";
import { guarded } from "./two-factor/support";

/** An email tells the owner of every change to who can get in, so that a thief's work is noticed. */

let server: TestServer;
let keyRole: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  keyRole = (await newRole(server, "api_keys:read", "api_keys:write")).id;
});
afterAll(() => server.stop());

const kindsTo = async (address: string) => (await mailsTo(server, address)).map(({ kind }) => kind);
const queued = (userId: string, kind: string) =>
  rows<{ id: string }>(
    server,
    "SELECT id FROM outbox WHERE lane = 'email' AND user_id = ? AND kind = ?",
    userId,
    kind,
  ).length;

describe("the former address is told of a new one", () => {
  test("that the user has proved, once it counts and not before", async () => {
    const user = await newUser(server);
    const email = "secret.name@example.net";
    const token = await requestEmailChange(server, user, email);
    expect(queued(user.id, "email_changed")).toBe(0);
    done(await server.post("/v1/users/email/verify", { token: user.token, body: { token } }));
    const { text } = await nextMail(server, user.email, "email_changed");
    expect(text).toContain("s…@example.net");
    expect(text).not.toContain("secret.name");
    expect(await kindsTo(email)).toEqual(["email_change"]);
  });

  test("that an administrator has set, in the user's language", async () => {
    const user = await newUser(server);
    const body = { locale: "de" };
    done(await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body }));
    const token = await server.admin();
    const email = "set.by.admin@example.net";
    done(await server.patch(`/v1/users/${user.id}`, { token, body: { email } }));
    expect(await nextMail(server, user.email, "email_changed")).toMatchObject({ locale: "de" });
    // A request that changes nothing sends no email.
    done(await server.patch(`/v1/users/${user.id}`, { token, body: { email } }));
    expect(queued(user.id, "email_changed")).toBe(1);
  });

  test("where the user has proved it: nobody sends strangers emails by setting their addresses in turn", async () => {
    const user = await newUser(server);
    const strangers = ["stranger.one@example.net", "stranger.two@example.net"];
    for (const email of [...strangers, ...strangers, user.email, ...strangers])
      done(await server.patch(`/v1/users/${user.id}`, { token: await server.admin(), body: { email } }));
    expect(queued(user.id, "email_changed")).toBe(1);
    await nextMail(server, user.email, "email_changed");
    expect((await Promise.all(strangers.map(kindsTo))).flat()).toEqual([]);
  });

  test("that is linked to an account from elsewhere, at the address that the platform vouches for", async () => {
    const user = await externalUser(server);
    const email = "linked.now@example.net";
    const body = { email, password: "a long passphrase" };
    done(await server.post(`/v1/users/${user.id}/email-link/request`, { token: user.token, body }));
    const { token } = await newestMail(server, email);
    done(await server.post("/v1/users/email-link/verify", { token: user.token, body: { token } }));
    expect((await nextMail(server, user.email, "email_changed")).text).toContain("l…@example.net");
  });
});

describe("the present address is told of another one that is asked for", () => {
  const ask = async (user: User, email: string, token = user.token) =>
    done(await server.post(`/v1/users/${user.id}/email/request-change`, { token, body: { email } }));

  test("by the user, by the user's PATCH and by an administrator, without the whole address", async () => {
    const user = await newUser(server);
    await ask(user, "asked.once@example.net");
    const own = { token: user.token, body: { email: "asked.twice@example.net" } };
    done(await server.patch(`/v1/users/${user.id}`, own));
    await ask(user, "asked.thrice@example.net", await server.admin());
    const told = (await mailsTo(server, user.email)).filter(({ kind }) => kind === "email_change_requested");
    expect(told).toHaveLength(3);
    for (const { text, token } of told) {
      expect(text).toContain("a…@example.net");
      expect(text).not.toContain("asked.");
      expect(token).toBeNull();
    }
    expect(eventsOf(server, user.id, "user_updated").map(({ metadata }) => metadata)).toEqual(
      Array(3).fill({ changed: ["email_change_requested"] }),
    );
  });

  test("where an account from elsewhere asks for a first one to sign in with", async () => {
    const user = await externalUser(server);
    const body = { email: "linked.soon@example.net", password: "a long passphrase" };
    done(await server.post(`/v1/users/${user.id}/email-link/request`, { token: user.token, body }));
    expect((await nextMail(server, user.email, "email_change_requested")).text).toContain("l…@example.net");
    expect(eventsOf(server, user.id, "user_updated")[0]?.metadata).toEqual({
      changed: ["email_link_requested"],
    });
  });

  test("not where it is that address, or nobody proved it", async () => {
    const [user, external] = [await newUser(server), await externalUser(server)];
    const set = "set.for.a.user@example.net";
    done(await server.patch(`/v1/users/${user.id}`, { token: server.systemKey, body: { email: set } }));
    await ask(user, "elsewhere@example.net");
    await ask(user, set);
    const body = { email: external.email, password: "a long passphrase" };
    done(await server.post(`/v1/users/${external.id}/email-link/request`, { token: external.token, body }));
    for (const { id } of [user, external]) expect(queued(id, "email_change_requested")).toBe(0);
  });

  test("21 times an hour", async () => {
    const user = await newUser(server);
    for (let times = 0; times < 23; times++) await ask(user, `asked.${times}@example.net`);
    expect(queued(user.id, "email_change_requested")).toBe(21);
  });
});

describe("the owner is told of an OAuth client", () => {
  const clientOf = async (user: User): Promise<string> => {
    const body = { name: "Crew app", redirect_uris: ["https://app.example/callback"] };
    return done(await server.post("/v1/oauth/clients", { token: user.token, body })).client.id;
  };

  test("that has a new secret, and of nothing of the secret", async () => {
    const user = await newUser(server);
    const path = `/v1/oauth/clients/${await clientOf(user)}/regenerate-secret`;
    for (const token of [user.token, await server.admin()]) {
      const { client_secret } = done(await server.post(path, { token }));
      const mails = (await mailsTo(server, user.email)).filter(
        ({ kind }) => kind === "client_secret_changed",
      );
      expect(mails.at(-1)?.text).toContain("> Crew app");
      expect(mails.at(-1)?.text).not.toContain(client_secret);
    }
    expect(queued(user.id, "client_secret_changed")).toBe(2);
  });

  test("that sends users elsewhere or needs no secret, and of no other change", async () => {
    const user = await newUser(server);
    const id = await clientOf(user);
    const change = async (body: object) =>
      done(await server.patch(`/v1/oauth/clients/${id}`, { token: user.token, body }));
    const redirect_uris = ["https://app.example/callback"];
    await change({ name: "Night watch", description: "Shows the crew", redirect_uris, is_active: false });
    expect(queued(user.id, "client_redirected")).toBe(0);
    await change({ redirect_uris: [...redirect_uris, "https://else.example/callback"] });
    await change({ client_type: "public" });
    expect(queued(user.id, "client_redirected")).toBe(2);
    expect((await nextMail(server, user.email, "client_redirected")).text).toContain("> Night watch");
  });

  test("21 times an hour, and the last email says so", async () => {
    const user = await newUser(server);
    const path = `/v1/oauth/clients/${await clientOf(user)}/regenerate-secret`;
    for (let times = 0; times < 23; times++) done(await server.post(path, { token: user.token }));
    const mails = (await mailsTo(server, user.email)).filter(({ kind }) => kind === "client_secret_changed");
    expect(mails).toHaveLength(21);
    expect(mails.map(({ text }) => text.includes("no more emails about clients"))).toEqual([
      ...Array(20).fill(false),
      true,
    ]);
  });
});

describe("the owner is told of a key", () => {
  test("that is new, and of a new value of one, by its name and first characters", async () => {
    const user = await newUser(server, keyRole);
    const body = { name: "Night watch" };
    const { id } = done(await server.post("/v1/api-keys", { token: user.token, body }));
    const [{ key_prefix }] = done(await server.get("/v1/api-keys", { token: user.token })).data;
    const created = await nextMail(server, user.email, "api_key_created");
    expect(created.text).toContain("Night watch");
    expect(created.text).toContain(key_prefix);
    const again = done(await server.post(`/v1/api-keys/${id}/regenerate`, { token: user.token }));
    const regenerated = await nextMail(server, user.email, "api_key_regenerated");
    expect(regenerated.text).toContain(again.key_prefix);
    for (const { text } of [created, regenerated]) expect(text).not.toContain(again.key);
  });

  test("that may do more or for longer, and not of one that may do less", async () => {
    const user = await newUser(server, keyRole);
    const { id } = done(
      await server.post("/v1/api-keys", {
        token: user.token,
        body: { name: "Tracker", scopes: ["api_keys:read"], expires_at: "2098-01-01T00:00:00Z" },
      }),
    );
    const change = async (body: object) =>
      done(await server.patch(`/v1/api-keys/${id}`, { token: user.token, body }));
    const widened = () => queued(user.id, "api_key_widened");
    for (const body of [
      { name: "Tablet" },
      { scopes: [] },
      { expires_at: "2097-01-01T00:00:00Z" },
      { is_active: false },
      // It can do nothing with it until it is switched on.
      { scopes: ["api_keys:read"] },
    ])
      await change(body);
    expect(widened()).toBe(0);
    await change({ is_active: true });
    expect(widened()).toBe(1);
    await change({ scopes: ["api_keys:read", "api_keys:write"] });
    await change({ expires_at: "2098-01-01T00:00:00Z" });
    await change({ expires_at: null });
    expect(widened()).toBe(4);
    const role = { token: user.token, body: { role_id: "role_user" } };
    for (let times = 0; times < 2; times++) done(await server.post(`/v1/api-keys/${id}/roles`, role));
    expect(widened()).toBe(5);
    const { text } = await nextMail(server, user.email, "api_key_widened");
    expect(text).toContain("Tablet");
  });

  test("that a super admin has given a new value", async () => {
    const user = await newUser(server, keyRole);
    const { id } = await createKey(server, user.token, []);
    done(await server.post(`/v1/api-keys/${id}/regenerate`, { token: await server.admin() }));
    expect((await nextMail(server, user.email, "api_key_regenerated")).to).toBe(user.email);
  });

  test("21 times an hour, so that nobody's mailbox is flooded; the last time says that more may follow", async () => {
    const user = await newUser(server, keyRole);
    const announcements = async (emails: number) => {
      const sent = async () => (await mailsTo(server, user.email)).filter(isNews);
      await eventually(async () => (await sent()).length >= emails);
      return (await sent()).map(({ text }) => text.includes("no more emails about keys"));
    };
    const isNews = ({ kind }: { kind: string }) => kind === "api_key_created";
    for (let count = 0; count < 23; count++) await createKey(server, user.token, []);
    expect(queued(user.id, "api_key_created")).toBe(21);
    expect(await announcements(21)).toEqual([...Array(20).fill(false), true]);
    await server.advance(3_600_000);
    for (let count = 0; count < 22; count++) await createKey(server, user.token, []);
    expect(queued(user.id, "api_key_created")).toBe(42);
    expect((await announcements(42)).slice(21)).toEqual([...Array(20).fill(false), true]);
  });
});

describe("the user is told of a password", () => {
  test("that was changed, and of no attempt that failed", async () => {
    const user = await newUser(server);
    const change = (current_password: string) =>
      server.post("/v1/users/me/password", {
        token: user.token,
        body: { current_password, new_password: "another passphrase" },
      });
    expect((await change("wrong")).status).toBe(400);
    expect(queued(user.id, "password_changed")).toBe(0);
    done(await change(user.password));
    expect((await nextMail(server, user.email, "password_changed")).text).toContain("was changed");
  });

  test("that was set anew", async () => {
    const user = await newUser(server);
    const body = { token: await resetToken(server, user), new_password: "another passphrase" };
    done(await server.post("/v1/auth/reset-password/complete", { body }));
    await nextMail(server, user.email, "password_changed");
  });
});

test("the user is told of a second factor that an administrator turned off", async () => {
  const user = await guarded(server);
  const [code] = user.backupCodes;
  const body = { code, user_id: user.id };
  done(await server.delete("/v1/users/me/2fa", { token: await server.admin(), body }));
  await nextMail(server, user.email, "two_factor_disabled");
});

describe("revoke_api_keys, when a reset is completed", () => {
  const complete = async (user: User, more: object) =>
    server.post("/v1/auth/reset-password/complete", {
      body: { token: await resetToken(server, user), new_password: "another passphrase", ...more },
    });
  const signedIn = async (user: User): Promise<Token> =>
    (await server.login(user.username, "another passphrase")).session_token;

  test("switches the user's keys off at once, each with its event; the user can switch one on again", async () => {
    const user = await newUser(server, keyRole);
    const other = await newUser(server, keyRole);
    const mine = [await createKey(server, user.token, []), await createKey(server, user.token, [])];
    const theirs = await createKey(server, other.token, []);
    done(await complete(user, { revoke_api_keys: true }));
    for (const { key } of mine) expect(await isAccepted(server, key)).toBe(false);
    expect(await isAccepted(server, theirs.key)).toBe(true);
    expect(eventsOf(server, user.id, "api_key_revoked")).toMatchObject(
      mine.map(() => ({ actor_id: null, metadata: { reason: "password reset" } })),
    );
    const token = await signedIn(user);
    const { data } = done(await server.get("/v1/api-keys", { token }));
    expect(data.map(({ is_active }: { is_active: boolean }) => is_active)).toEqual([false, false]);
    const body = { is_active: true };
    done(await server.patch(`/v1/api-keys/${mine[0]?.id}`, { token, body }));
    expect(await isAccepted(server, mine[0]?.key ?? "")).toBe(true);
  });

  test.each([{}, { revoke_api_keys: false }])("leaves them unless it is asked for (%j)", async (more) => {
    const user = await newUser(server, keyRole);
    const { key } = await createKey(server, user.token, []);
    done(await complete(user, more));
    expect(await isAccepted(server, key)).toBe(true);
  });

  test("does nothing with a token that is not valid", async () => {
    const user = await newUser(server, keyRole);
    const { key } = await createKey(server, user.token, []);
    const body = { token: "wrong", new_password: "another passphrase", revoke_api_keys: true };
    expect((await server.post("/v1/auth/reset-password/complete", { body })).status).toBe(400);
    expect(await isAccepted(server, key)).toBe(true);
  });

  test("spares a system key, which is the installation's", async () => {
    const apart = await TestServer.start();
    try {
      const { key } = await commandLineKey(apart, { owner: ADMIN.username, system: true });
      const { token } = await (async () => {
        await apart.post("/v1/auth/reset-password", { body: { email: ADMIN.email } });
        return nextMail(apart, ADMIN.email, "password_reset");
      })();
      const body = { token, new_password: "another passphrase", revoke_api_keys: true };
      done(await apart.post("/v1/auth/reset-password/complete", { body }));
      expect(await isAccepted(apart, key)).toBe(true);
    } finally {
      await apart.stop();
    }
  });
});
