import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OidcStandIn } from "../../stand-ins/oidc";
import type { Token } from "../../support/api";
import { done, expectRefused } from "../../support/expectations";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { newAccount, signInThrough } from "../oidc/support";
import { newAuthenticator, register } from "../passkeys/support";
import { guarded } from "../two-factor/support";

/** The refusal of an old sign-in names the ways in which this very account can renew it. */

let provider: OidcStandIn;
let server: TestServer;

beforeAll(async () => {
  provider = await OidcStandIn.start();
  server = await TestServer.start({
    settings: provider.settings("harbour", { allow_registration: "true", trust_email: "true" }),
    clock: "movable",
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.account = newAccount();
});

const addPasskey = (token: Token) => server.post("/v1/users/me/passkeys/options", { token });

const ways = (list: string, minutes = 10) =>
  `This needs a sign-in of the last ${minutes} minutes: renew yours with POST /v1/auth/reauthenticate, by ${list}`;

async function expectWays(token: Token, list: string): Promise<void> {
  const answer = await addPasskey(token);
  expectRefused(answer, 403, "ReauthenticationRequired");
  expect(answer.body.message).toBe(ways(list));
}

describe("an account is told of", () => {
  test("what is missing, where it sends nothing", async () => {
    const { token } = await signInThrough(server, "harbour");
    const nothing = () => server.post("/v1/auth/reauthenticate", { token, body: {} });
    expect((await nothing()).body.details).toEqual([{ path: "/oidc_code", message: "is required" }]);
    await register(server, token, newAuthenticator(server));
    expect((await nothing()).body.details).toEqual([{ path: "/passkey", message: "is required" }]);
  });

  // Last, since it moves the clock away from the provider's.
  test("its password, its code, its passkey and its provider, as far as it has them", async () => {
    const plain = await newUser(server);
    const codes = await guarded(server);
    const keyed = await newUser(server);
    await register(server, keyed.token, newAuthenticator(server));
    const { token: elsewhere } = await signInThrough(server, "harbour");
    provider.account = newAccount();
    const { token: both, browser } = await signInThrough(server, "harbour");
    await register(server, both, newAuthenticator(server));
    await server.advance(11 * MINUTE);
    await expectWays(plain.token, "your password");
    await expectWays(codes.token, "your password and a code");
    await expectWays(keyed.token, "your password, or by a passkey");
    await expectWays(elsewhere, "a sign-in at your provider");
    await expectWays(both, "a passkey, or by a sign-in at your provider");
    // Without a password, the same rule is for the first one, and for the end of the account.
    const first = { new_password: "a long passphrase" };
    for (const answer of [
      await server.post("/v1/users/me/password", { token: both, body: first }),
      await server.post("/v1/users/me/deletion", { token: both, body: {} }),
      await browser.asPage("POST", "/v1/users/me/deletion", {}),
    ]) {
      expectRefused(answer, 403, "ReauthenticationRequired");
      expect(answer.body.message).toBe(ways("a passkey, or by a sign-in at your provider"));
    }
  });
});

test("the time is ten minutes, or less where that is configured, for each operation alike", async () => {
  const strict = await TestServer.start({
    settings: {
      ...provider.settings("harbour", { allow_registration: "true", trust_email: "true" }),
      "auth.reauthentication_minutes": "5",
    },
    clock: "movable",
  });
  try {
    const { token } = await signInThrough(strict, "harbour");
    await strict.advance(6 * MINUTE);
    const list = "a sign-in at your provider";
    for (const answer of [
      await strict.post("/v1/users/me/passkeys/options", { token }),
      await strict.post("/v1/users/me/password", { token, body: { new_password: "a long passphrase" } }),
      await strict.post("/v1/users/me/deletion", { token, body: {} }),
    ]) {
      expectRefused(answer, 403, "ReauthenticationRequired");
      expect(answer.body.message).toBe(ways(list, 5));
    }
  } finally {
    await strict.stop();
  }
});

test("a change of the ways in needs it wherever it is made, whatever is configured", async () => {
  const fresh = await TestServer.start({
    settings: provider.settings("harbour", { allow_registration: "true", trust_email: "true" }),
    clock: "movable",
  });
  try {
    provider.account = newAccount();
    const { token } = await signInThrough(fresh, "harbour");
    await register(fresh, token, newAuthenticator(fresh));
    const [identity] = done(await fresh.get("/v1/users/me/identities", { token })).data;
    const user = await newUser(fresh);
    await fresh.advance(11 * MINUTE);
    const begin = (body: object) =>
      fresh.post("/v1/users/me/identities/begin/harbour", { token: user.token, body });
    for (const answer of [
      await fresh.delete(`/v1/users/me/identities/${identity.id}`, { token }),
      await begin({}),
    ])
      expectRefused(answer, 403, "ReauthenticationRequired");
    expectRefused(await begin({ password: "not the password" }), 400, "ValidationError");
    done(await begin({ password: user.password }));
  } finally {
    await fresh.stop();
  }
});
