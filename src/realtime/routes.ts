import { Elysia } from "elysia";
import { config, publicUrl } from "../config";
import { authenticate, type Caller } from "../identity/access/caller";
import { callerOf, guard } from "../identity/access/guard";
import { forwardedProtocol, listeningServer } from "../kernel/client";
import { AppError, badRequest, unauthorized } from "../kernel/errors";
import { errors, t } from "../kernel/schema";
import { requireRoom } from "./capacity";
import { newConnection } from "./connections";

/** The address of the WebSocket, and the credentials that open one. */

const COOKIE = /(?:^|;\s*)fairlead_session=([^;\s]+)/;

/**
 * The caller of a handshake. The Authorization header counts, else `token`, else the cookie; if the one that
 * counts is invalid, the handshake is refused and no other is tried (rule W1).
 */
function callerOfHandshake(request: Request, token: string | undefined): Caller {
  if (request.headers.has("authorization")) return callerOf(request);
  // Keys stay out of URLs: `token` takes session tokens alone.
  if (token !== undefined) return sessionCaller(token);
  const cookie = COOKIE.exec(request.headers.get("cookie") ?? "")?.[1];
  if (cookie === undefined || !comesFromOwnPage(request))
    throw unauthorized(
      "Authentication is required: the Authorization header, the token parameter or the session cookie",
    );
  return sessionCaller(cookie);
}

function sessionCaller(token: string): Caller {
  if (token.startsWith("flk_"))
    throw unauthorized(
      "An API key goes into the header, `Authorization: Bearer`: keys stay out of addresses and cookies",
    );
  const caller = token.startsWith("ses_") ? authenticate(token) : null;
  if (!caller) throw unauthorized("The session token is not valid, or has ended");
  return caller;
}

/**
 * A browser sends the cookie for any page: it counts only for the server's own pages and allowed origins
 * (rule W1).
 */
function comesFromOwnPage(request: Request): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  const own = `${forwardedProtocol(request) ?? "http"}://${request.headers.get("host")}`;
  return (
    origin === own ||
    origin === new URL(publicUrl()).origin ||
    config["server.cors_origins"].some((allowed) => allowed !== "*" && allowed === origin)
  );
}

const HandshakeQuery = t.Object({
  // No bound on the length: a token that is too long is a wrong one (401), and doesn't count beside a header.
  token: t.Optional(
    t.String({
      description: "A session token, for clients that can set no header; API keys go into the header alone",
      examples: ["ses_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
    }),
  ),
});

export const socketRoutes = new Elysia({ tags: ["Realtime"] }).use(guard).get(
  "/v1/ws",
  ({ request, query, set }) => {
    const caller = callerOfHandshake(request, query.token);
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
      throw new AppError("UpgradeRequired", "Open this address as a WebSocket", {
        headers: { upgrade: "websocket" },
      });
    requireRoom(caller);
    const headers = {
      "x-request-id": String(set.headers["x-request-id"]),
      "x-content-type-options": "nosniff",
    };
    if (!listeningServer()?.upgrade(request, { data: newConnection(caller), headers }))
      throw badRequest("The WebSocket handshake is not complete");
    // The connection is the socket's from here on; there is no response to send, the log alone reads the status.
    set.status = 101;
    return undefined as never;
  },
  {
    handshake: true,
    query: HandshakeQuery,
    response: {
      101: t.Void({ description: "The WebSocket is open" }),
      200: t.Void({ description: "The same over HTTP/2, where a proxy speaks it (RFC 8441, section 5)" }),
      ...errors(400, 401, 426, 503),
    },
    detail: {
      summary: "Open the WebSocket",
      description: [
        "Upgrades to a WebSocket. Authenticate with `Authorization: Bearer` (services, API keys), `?token=` (a session token; an API key there is refused, it goes into the header) or the cookie `fairlead_session` (pages of the server's own or an allowed origin).",
        'Send JSON text: `{"type":"subscribe","channel":"gps"}`, `{"type":"unsubscribe","channel":"gps"}`, `{"type":"ping"}`; or binary frames, each a `WsEnvelope` of `proto/ws.proto`. Both may be mixed. Positions, zones and vessels come as JSON text always, messages about accounts and rights in the format in which their channel was subscribed.',
        "Vessels near the newest position come as one list, soon after subscribing and then at most every `vessels.broadcast_seconds`, when anything was heard since.",
        "Services with an API key that holds `audit:write` may send `CreateAuditEventRequest`, and get a `CreateAuditEventResponse`; with an API key that holds `community:sync`, `ModerationEvent` is answered by `ModerationEventResponse`.",
        "Subscribing to `community` makes a connection a community bot: the newest one is sent `CommunitySyncRequest`, which it answers with one `CommunitySyncResponse` or more; all are sent `CommunitySettings` when settings change, and when they ask with `CommunitySettingsRequest`.",
        "Channels: `gps` and `gps:<device id>` (gps:read), `geofence` and `geofence:<geofence id>` (geofences:read), `vessels` (gps:read), `public` and `public:<name>`, `user:<own id>`, `admin:<name>` (admin:read), `community` (API key with community:sync). A session hears its own `user:` channel without asking.",
        "Close codes: 1001 the server stops, 1008 too many messages on this connection or too many bytes of its user on all of them, 1009 message too large, 1013 the client cannot keep up, 4401 the credential ended, 4408 no pong in time. 503 when there are too many connections, in all or of this user.",
      ].join("\n\n"),
    },
  },
);
