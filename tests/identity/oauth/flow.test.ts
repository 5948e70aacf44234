import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as oidc from "openid-client";
import { newUser, type User } from "../../support/people";
import { TestServer } from "../../support/server";
import { Agent } from "./agent";
import { CALLBACK, newClient } from "./support";

/** A client of others' making, with its own checks, against the running server: code with PKCE, refresh, revocation, sign-out. */
let server: TestServer;
let user: User;
beforeAll(async () => {
  server = await TestServer.start();
  user = await newUser(server);
});
afterAll(() => server.stop());

const discover = async (
  clientId: string,
  authentication: oidc.ClientAuth,
  algorithm?: "oauth2" | "oidc",
): Promise<oidc.Configuration> =>
  oidc.discovery(new URL(server.url), clientId, {}, authentication, {
    execute: [oidc.allowInsecureRequests],
    ...(algorithm && { algorithm }),
  });

const WAYS = [
  ["client_secret_basic", (secret: string) => oidc.ClientSecretBasic(secret)],
  ["client_secret_post", (secret: string) => oidc.ClientSecretPost(secret)],
  ["none", () => oidc.None()],
] as const;

describe("openid-client", () => {
  test.each(WAYS)(
    "signs a user in, refreshes, revokes and signs out, with %s",
    async (method, authenticate) => {
      const client = await newClient(server, {
        client_type: method === "none" ? "public" : "confidential",
        post_logout_redirect_uris: ["https://app.example/bye"],
      });
      const config = await discover(client.id, authenticate(client.secret ?? ""));
      const verifier = oidc.randomPKCECodeVerifier();
      const state = oidc.randomState();
      const nonce = oidc.randomNonce();
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: "openid profile email offline_access",
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        max_age: "3600",
        state,
        nonce,
      });
      const agent = new Agent(server);
      await agent.open(url.href);
      expect(agent.title).toBe("Sign in");
      await agent.signIn(user.username, user.password);
      expect(agent.title).toBe("Allow Crew app?");
      await agent.submit({ decision: "allow" });

      const tokens = await oidc.authorizationCodeGrant(config, new URL(agent.shown.url), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        maxAge: 3600,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      expect(claims).toMatchObject({
        iss: server.url,
        aud: client.id,
        sub: user.id,
        nonce,
        amr: ["pwd"],
        acr: "urn:fairlead:acr:1fa",
      });
      expect(tokens.token_type).toBe("bearer");
      expect(tokens.expires_in).toBe(900);

      const claimed: object = await oidc.fetchUserInfo(config, tokens.access_token, user.id);
      expect(claimed).toEqual({
        sub: user.id,
        name: user.username,
        preferred_username: user.username,
        updated_at: expect.any(Number),
        email: user.email,
        email_verified: true,
      });

      const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "");
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
      expect(refreshed.claims()?.auth_time).toBe(claims?.auth_time as number);
      await oidc.tokenRevocation(config, refreshed.refresh_token ?? "");
      expect(oidc.fetchUserInfo(config, refreshed.access_token, user.id)).rejects.toThrow();
      expect(oidc.refreshTokenGrant(config, refreshed.refresh_token ?? "")).rejects.toThrow();

      const end = oidc.buildEndSessionUrl(config, {
        id_token_hint: tokens.id_token ?? "",
        post_logout_redirect_uri: "https://app.example/bye",
        state: "left",
      });
      await agent.open(end.href);
      expect(agent.shown.url).toBe("https://app.example/bye?state=left");
      expect(agent.cookies.size).toBe(0);
      await agent.open(url.href);
      expect(agent.title).toBe("Sign in");
    },
  );

  test("lets a confidential client act for itself", async () => {
    const client = await newClient(server, {}, { approved: ["gps:read"] });
    const config = await discover(client.id, oidc.ClientSecretBasic(client.secret ?? ""), "oauth2");
    const { access_token, refresh_token, scope } = await oidc.clientCredentialsGrant(config);
    expect([scope, refresh_token]).toEqual(["gps:read", undefined]);
    expect((await server.get("/v1/gps", { token: access_token })).status).toBe(200);
    expect((await server.get("/v1/devices", { token: access_token })).status).toBe(403);
  });
});
