import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
// biome-ignore lint/suspicious/noTsIgnore: the package has no types of its own
// @ts-ignore
import Provider from "oidc-provider";
import type { Account } from "./oidc";

/**
 * A provider that others wrote (oidc-provider, certified by the OpenID Foundation), on loopback: whoever the test names is signed in
 * there, and agrees.
 */
export class RealOidc {
  readonly clientId = "fairlead";
  readonly clientSecret = "a secret with blanks & signs: %+";
  account: Account = { sub: "nobody" };
  readonly #server: Server;
  readonly issuer: string;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Starts a provider at which an installation at `url` is registered under a provider name. */
  static async start(): Promise<RealOidc> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new RealOidc(server);
  }

  /** Registers the call-backs of a server: until then the provider answers nothing. */
  serve(redirectUris: string[]): void {
    const findAccount = (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ ...this.account, sub: accountId }),
    });
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: this.clientSecret,
          redirect_uris: redirectUris,
          require_auth_time: true,
        },
      ],
      claims: {
        openid: ["sub"],
        profile: ["preferred_username", "name", "groups"],
        email: ["email", "email_verified"],
      },
      findAccount,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      cookies: { keys: ["of the tests"] },
      ttl: { Interaction: 600, Session: 3_600, Grant: 3_600, AccessToken: 300, IdToken: 300 },
    });
    const callback = provider.callback();
    this.#server.on("request", async (request, response) => {
      if (!request.url?.startsWith("/interaction/")) return callback(request, response);
      const { prompt, params, session } = await provider.interactionDetails(request, response);
      if (prompt.name === "login")
        return provider.interactionFinished(request, response, { login: { accountId: this.account.sub } });
      const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
      grant.addOIDCScope(params.scope);
      return provider.interactionFinished(
        request,
        response,
        { consent: { grantId: await grant.save() } },
        { mergeWithLastSubmission: true },
      );
    });
  }

  settings(name: string, more: Record<string, string> = {}): Record<string, string> {
    const own = { issuer: this.issuer, client_id: this.clientId, client_secret: this.clientSecret, ...more };
    return Object.fromEntries(Object.entries(own).map(([key, value]) => [`oidc.${name}.${key}`, value]));
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
