import { type Asked, type Grant, OAuthPlatform, type Refusal } from "./oauth-platform";

/**
 * Google on loopback: its OAuth 2 and the parts of the YouTube Data and Live Streaming APIs that Fairlead
 * uses, as Google's documentation describes them.
 */

export interface YoutubeAccount {
  /** Null for an account that has no channel. */
  channel: { id: string; snippet: object; statistics: object } | null;
  /** The present broadcast; "forbidden" for an account that may not stream. */
  broadcast: { id: string; title: string; viewers: string } | null | "forbidden";
}

export const READONLY = "https://www.googleapis.com/auth/youtube.readonly";

let people = 0;

export function youtubeAccount(more: Partial<YoutubeAccount> = {}): YoutubeAccount {
  const number = ++people;
  return {
    channel: {
      id: `UC-harbour-${number}`,
      snippet: {
        title: `Harbour ${number}`,
        customUrl: `@harbour${number}`,
        thumbnails: { default: { url: `https://yt-cdn.example/${number}.jpg` } },
      },
      statistics: {
        viewCount: "200300",
        subscriberCount: "1240",
        hiddenSubscriberCount: false,
        videoCount: "17",
      },
    },
    broadcast: null,
    ...more,
  };
}

/** An error of Google's APIs. */
export const googleProblem = (code: number, reason: string) =>
  Response.json(
    { error: { code, message: reason, errors: [{ reason, message: reason }] } },
    { status: code },
  );

export class GoogleStandIn extends OAuthPlatform<YoutubeAccount> {
  constructor() {
    super(
      {
        slug: "youtube",
        paths: { authorize: "/o/oauth2/v2/auth", token: "/token", revoke: "/revoke", api: "/youtube/v3" },
        scopes: [READONLY],
        pkce: true,
        asksAgain: { prompt: "consent" },
        expiresIn: 3_599,
        rotates: false,
      },
      youtubeAccount(),
    );
  }

  protected override callbackExtras(scopes: string[]) {
    return { scope: scopes.join(" ") };
  }

  protected override isOffline({ access_type, prompt }: Record<string, string>): boolean {
    return access_type === "offline" && prompt === "consent";
  }

  refuse(what: Refusal): Response {
    const [status, error] =
      what === "client"
        ? [401, "invalid_client"]
        : [400, what === "request" ? "invalid_request" : "invalid_grant"];
    return Response.json({ error, error_description: "Bad Request" }, { status });
  }

  /** Any holder of a token may revoke it. */
  protected revoked(_isClient: boolean, counted: boolean): Response {
    return counted
      ? Response.json({})
      : Response.json({ error: "invalid_token", error_description: "Token expired" }, { status: 400 });
  }

  protected isRevocable(): boolean {
    return true;
  }

  protected unauthorized(): Response {
    return googleProblem(401, "authError");
  }

  protected resource(path: string, { query }: Asked, { account }: Grant<YoutubeAccount>): Response {
    const parts = query.part?.split(",") ?? [];
    const { broadcast } = account;
    const isLive = broadcast !== null && broadcast !== "forbidden";
    switch (path) {
      case "/channels":
        if (query.mine !== "true" || !parts.includes("snippet") || !parts.includes("statistics"))
          return googleProblem(400, "missingRequiredParameter");
        // A list without elements is left out of the answer.
        return Response.json({
          kind: "youtube#channelListResponse",
          ...(account.channel && { items: [account.channel] }),
        });
      case "/liveBroadcasts": {
        const filters = ["broadcastStatus", "id", "mine"].filter((name) => query[name] !== undefined);
        if (filters.length !== 1) return googleProblem(400, "incompatibleParameters");
        if (broadcast === "forbidden") return googleProblem(403, "liveStreamingNotEnabled");
        const item = isLive && {
          id: broadcast.id,
          snippet: { title: broadcast.title },
          status: { lifeCycleStatus: "live" },
        };
        return Response.json({ items: item && query.broadcastStatus === "active" ? [item] : [] });
      }
      case "/videos":
        if (!isLive || query.id !== broadcast.id || !parts.includes("liveStreamingDetails"))
          return Response.json({ items: [] });
        return Response.json({
          items: [{ id: broadcast.id, liveStreamingDetails: { concurrentViewers: broadcast.viewers } }],
        });
      default:
        return googleProblem(404, "notFound");
    }
  }
}
