import { type Asked, type Grant, OAuthPlatform, type Refusal } from "./oauth-platform";

/**
 * Discord on loopback: its OAuth 2 and `GET /users/@me` (Discord's developer documentation, "OAuth2" and
 * "User").
 */

export interface DiscordAccount {
  id: string;
  username: string;
  discriminator: string;
  global_name: string | null;
  avatar: string | null;
}

let people = 0;

export function discordAccount(more: Partial<DiscordAccount> = {}): DiscordAccount {
  const number = ++people;
  return {
    id: String(80_351_110_224_678_912n + BigInt(number)),
    username: `bosun${number}`,
    discriminator: "0",
    global_name: `Bosun ${number}`,
    avatar: "8342729096ea3675442027381ff50dfe",
    ...more,
  };
}

export class DiscordStandIn extends OAuthPlatform<DiscordAccount> {
  constructor() {
    super(
      {
        slug: "discord",
        paths: {
          authorize: "/oauth2/authorize",
          token: "/api/oauth2/token",
          revoke: "/api/oauth2/token/revoke",
          api: "/api/v10",
        },
        scopes: ["identify", "email", "guilds"],
        pkce: true,
        asksAgain: { prompt: "consent" },
        expiresIn: 604_800,
        rotates: true,
      },
      discordAccount(),
    );
  }

  refuse(what: Refusal): Response {
    const [status, error] =
      what === "client"
        ? [401, "invalid_client"]
        : [400, what === "request" ? "unsupported_grant_type" : "invalid_grant"];
    return Response.json({ error }, { status });
  }

  /** A token that doesn't count is as good as revoked (RFC 7009, section 2.2). */
  protected revoked(isClient: boolean): Response {
    return isClient ? Response.json({}) : this.refuse("client");
  }

  protected isRevocable(): boolean {
    return true;
  }

  protected unauthorized(): Response {
    return Response.json({ message: "401: Unauthorized", code: 0 }, { status: 401 });
  }

  protected resource(path: string, _asked: Asked, { account }: Grant<DiscordAccount>): Response {
    return path === "/users/@me"
      ? Response.json(account)
      : Response.json({ message: "404: Not Found", code: 0 }, { status: 404 });
  }
}
