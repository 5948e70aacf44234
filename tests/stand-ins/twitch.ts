import { type Asked, type Grant, OAuthPlatform, type Refusal } from "./oauth-platform";

/** Twitch on loopback: its OAuth and the part of the Helix API that Fairlead uses (dev.twitch.tv/docs). */

export interface TwitchAccount {
  user: { id: string; login: string; display_name: string; profile_image_url: string };
  followers: number;
  /** Null for a channel that isn't an affiliate's. */
  subscribers: number | null;
  /** The present stream. */
  stream: { title: string; game_name: string; viewer_count: number; type: string } | null;
  channel: { title: string; game_name: string };
}

let people = 0;

export function twitchAccount(more: Partial<TwitchAccount> = {}): TwitchAccount {
  const id = String(141_981_764 + ++people);
  const login = `skipper_${people}`;
  return {
    user: {
      id,
      login,
      display_name: `Skipper_${people}`,
      profile_image_url: `https://static-cdn.example/${id}.png`,
    },
    followers: 1_204,
    subscribers: 31,
    stream: null,
    channel: { title: "Across the Bodden", game_name: "Travel & Outdoors" },
    ...more,
  };
}

/** An error of Twitch's. */
const problem = (status: number, message: string, error = "") =>
  Response.json({ ...(error && { error }), status, message }, { status });

export class TwitchStandIn extends OAuthPlatform<TwitchAccount> {
  constructor() {
    super(
      {
        slug: "twitch",
        paths: {
          authorize: "/oauth2/authorize",
          token: "/oauth2/token",
          revoke: "/oauth2/revoke",
          validate: "/oauth2/validate",
          api: "/helix",
        },
        scopes: [
          "user:read:email",
          "moderator:read:followers",
          "channel:read:subscriptions",
          "channel:bot",
          "user:bot",
          "user:read:chat",
          "user:write:chat",
          "channel:read:redemptions",
          "channel:manage:broadcast",
        ],
        pkce: false,
        asksAgain: { force_verify: "true" },
        expiresIn: 14_000,
        rotates: true,
      },
      twitchAccount(),
    );
  }

  protected override callbackExtras(scopes: string[]) {
    return { scope: scopes.join(" ") };
  }

  refuse(what: Refusal): Response {
    switch (what) {
      case "client":
        return problem(403, "invalid client secret");
      case "code":
        return problem(400, "Invalid authorization code");
      case "refresh":
        return problem(400, "Invalid refresh token");
      case "request":
        return problem(400, "missing grant type");
    }
  }

  protected revoked(isClient: boolean, counted: boolean): Response {
    if (!isClient) return problem(404, "client does not exist");
    return counted ? new Response(null, { status: 200 }) : problem(400, "Invalid token");
  }

  /** Twitch revokes access tokens, not refresh tokens. */
  protected isRevocable(token: string, { access }: Grant<TwitchAccount>): boolean {
    return access.has(token);
  }

  protected unauthorized(): Response {
    return problem(401, "Invalid OAuth token", "Unauthorized");
  }

  protected override validate({ headers }: Asked): Response {
    const token = /^OAuth (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    const grant = this.grants.find(({ access }) => access.has(token));
    if (!grant) return problem(401, "invalid access token");
    const { id, login } = grant.account.user;
    return Response.json({
      client_id: this.clientId,
      login,
      scopes: grant.scopes,
      user_id: id,
      expires_in: 5_000,
    });
  }

  protected resource(path: string, { query, headers }: Asked, { account, scopes }: Grant<TwitchAccount>) {
    if (headers.get("client-id") !== this.clientId)
      return problem(401, "Client ID and OAuth token do not match", "Unauthorized");
    const isOwn = query.broadcaster_id === account.user.id;
    switch (path) {
      case "/users":
        return Response.json({ data: [account.user] });
      case "/channels/followers":
        if (!query.broadcaster_id) return problem(400, "Missing broadcaster_id", "Bad Request");
        return Response.json({ total: isOwn ? account.followers : 0, data: [], pagination: {} });
      case "/subscriptions":
        if (!scopes.includes("channel:read:subscriptions") || !isOwn)
          return problem(401, "The token is not the broadcaster's", "Unauthorized");
        if (account.subscribers === null) return problem(403, "Not an affiliate or partner", "Forbidden");
        return Response.json({
          total: account.subscribers,
          points: account.subscribers,
          data: [],
          pagination: {},
        });
      case "/streams":
        return Response.json({
          data: query.user_id === account.user.id && account.stream ? [account.stream] : [],
          pagination: {},
        });
      case "/channels":
        return Response.json({
          data: isOwn ? [{ broadcaster_id: account.user.id, ...account.channel }] : [],
        });
      default:
        return problem(404, "no such resource", "Not Found");
    }
  }
}
