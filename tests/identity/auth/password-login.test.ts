import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OidcStandIn } from "../../stand-ins/oidc";
import { login } from "../../support/credentials";
import { done } from "../../support/expectations";
import { mailsTo, newestMail } from "../../support/mail";
import { newPerson, newUser, pending, register, type User, verifyRegistration } from "../../support/people";
import { newRole } from "../../support/roles";
import { ADMIN, TestServer } from "../../support/server";
import { accepting, newInvitation } from "../invitations/support";
import { Agent } from "../oauth/agent";
import { authorizationOf, newClient, type TestClient } from "../oauth/support";
import { newAccount, signInThrough } from "../oidc/support";

/** `auth.password_login`: sign-in with a password for all, for administrators alone, or for nobody (rule C21). */

interface Prepared {
  server: TestServer;
  user: User;
  admin: User;
  /** A registration that waits for its verification, and a reset that waits to be completed. */
  registration: string;
  reset: string;
  client: TestClient;
}

let provider: OidcStandIn;
const prepared: Record<string, Prepared> = {};

/** A server on which people have passwords, started anew in a mode in which they may not sign in with them. */
async function prepare(mode: string): Promise<Prepared> {
  const first = await TestServer.start();
  const user = await newUser(first);
  const admin = await newUser(first, (await newRole(first, "users:write")).id);
  const registration = await pending(first, newPerson());
  done(await first.post("/v1/auth/reset-password", { body: { email: user.email } }));
  const reset = (await newestMail(first, user.email)).token;
  const client = await newClient(first);
  await first.stop();
  const server = await TestServer.start({
    dataDir: first.dataDir,
    settings: { ...provider.settings("harbour", { trust_email: "true" }), "auth.password_login": mode },
  });
  return { server, user, admin, registration, reset, client };
}

beforeAll(async () => {
  provider = await OidcStandIn.start();
  for (const mode of ["local_admins", "none"]) prepared[mode] = await prepare(mode);
});
afterAll(async () => {
  await Promise.all(Object.values(prepared).map(({ server }) => server.stop()));
  await provider.stop();
});

for (const mode of ["local_admins", "none"])
  describe(`with ${mode}`, () => {
    const given = () => prepared[mode] as Prepared;

    test("the right password of a user is answered as a wrong one", async () => {
      const { server, user } = given();
      const right = await login(server, user.username, user.password);
      const wrong = await login(server, user.username, "not the password");
      const nobody = await login(server, "nobody_at_all", "not the password");
      expect([right.status, right.body]).toEqual([wrong.status, wrong.body]);
      expect([right.status, right.body]).toEqual([nobody.status, nobody.body]);
      expect(right.status).toBe(401);
    });

    test(`administrators ${mode === "none" ? "neither do" : "do"}`, async () => {
      const { server, admin } = given();
      const expected = mode === "none" ? 401 : 200;
      expect((await login(server, admin.username, admin.password)).status).toBe(expected);
      expect((await login(server, ADMIN.username, ADMIN.password)).status).toBe(expected);
    });

    test("nobody registers with a password, nor with a link of before", async () => {
      const { server, registration } = given();
      expect((await register(server, newPerson())).status).toBe(400);
      expect((await verifyRegistration(server, registration)).status).toBe(403);
      expect((await server.get("/v1/auth/ways-in")).body).toMatchObject({
        password_login: mode,
        registration: false,
      });
    });

    test("a reset sends nothing, answers the same, and a link of before is good no more", async () => {
      const { server, user, reset } = given();
      const before = (await mailsTo(server, user.email)).length;
      const known = await server.post("/v1/auth/reset-password", { body: { email: user.email } });
      const unknown = await server.post("/v1/auth/reset-password", { body: { email: "nobody@example.org" } });
      expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
      expect((await mailsTo(server, user.email)).length).toBe(before);
      const body = { token: reset, new_password: "another passphrase" };
      expect((await server.post("/v1/auth/reset-password/complete", { body })).status).toBe(400);
    });

    test("sessions of before stay, and the password still proves in one who its user is", async () => {
      const { server, user } = given();
      const { token } = user;
      expect((await server.get("/v1/users/me", { token })).status).toBe(200);
      const proved = await server.post("/v1/auth/reauthenticate", {
        token,
        body: { password: user.password },
      });
      expect(proved.status).toBe(200);
      expect(done(await server.get("/v1/users/me/ways-in", { token }))).toMatchObject({
        has_password: true,
        may_use_password: false,
      });
    });

    test("the sign-in page for applications shows the provider, and takes no password of a user's", async () => {
      const { server, user, client } = given();
      const agent = new Agent(server);
      await agent.open(authorizationOf(server, client).url);
      expect(agent.text).toContain("Sign in with harbour");
      expect(agent.shown.html.includes('name="password"')).toBe(mode !== "none");
      if (mode === "none") return;
      await agent.signIn(user.username, user.password);
      expect(agent.text).toContain("The name or the password is wrong.");
    });

    test("the user signs in at the provider, by the address that both have proved", async () => {
      const { server, user } = given();
      provider.account = newAccount({ email: user.email });
      const { session, token } = await signInThrough(server, "harbour");
      expect(session.user_id).toBe(user.id);
      // Its user may have forgotten the password, and can still delete the account by that sign-in.
      const wrong = { password: "not the password" };
      expect((await server.post("/v1/users/me/deletion", { token, body: wrong })).status).toBe(400);
      done(await server.post("/v1/users/me/deletion", { token, body: {} }));
      done(await server.delete("/v1/users/me/deletion", { token }));
    });

    test("an invitation with a password is accepted by whom its roles let sign in with it", async () => {
      const { server, admin } = given();
      const role = done(
        await server.get(`/v1/users/${admin.id}/roles`, { token: server.systemKey }),
      ).roles.find(({ id }: { id: string }) => id !== "role_user");
      const accept = async (role_ids: string[]) => {
        const { token } = await newInvitation(server, { role_ids }, server.systemKey);
        return accepting(server, token);
      };
      expect((await accept([])).status).toBe(403);
      expect((await accept([role.id])).status).toBe(mode === "none" ? 403 : 201);
    });
  });
