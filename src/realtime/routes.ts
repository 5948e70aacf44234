import { Elysia } from "elysia";
import { authenticate, type Caller } from "../identity/access/caller";
import { guard, takeFromLimit } from "../identity/access/guard";
import { comesFromOwnPage, cookieToken } from "../identity/access/page";
import { callerOf } from "../identity/access/request-caller";
import { AppError, badRequest, unauthorized } from "../kernel/errors/errors";
import { errors } from "../kernel/http/answers";
import { addressBlock, clientAddress, listeningServer } from "../kernel/http/client";
import { t } from "../kernel/http/schema";
import { sharedLimit } from "../tracking/shared/limit";
import { linkOfToken } from "../tracking/shared/service";
import { requireRoom } from "./capacity";
import { type Format, newConnection } from "./connections";
import { callerOfLink, MOST_OF_LINK } from "./links";
import { channelList, closeCodeList } from "./schema";

/** The address of the WebSocket, and the credentials that open one. */

/**
 * The caller of a handshake. The Authorization header counts, else `token`, else the cookie; if the one that
 * counts is invalid, the handshake is refused and no other is tried (rule W1).
 */
function callerOfHandshake(request: Request, token: string | undefined): Caller {
  if (request.headers.has("authorization")) return callerOf(request);
  // Keys stay out of URLs: `token` takes session tokens alone.
  if (token !== undefined) return sessionCaller(token);
  const cookie = cookieToken(request);
  if (cookie === null || !comesFromOwnPage(request))
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
  if (token.startsWith("fla_"))
    throw unauthorized(
      "An access token goes into the header, `Authorization: Bearer`: it stays out of addresses and cookies",
    );
  const caller = token.startsWith("ses_") ? authenticate(token) : null;
  if (!caller) throw unauthorized("The session token is not valid, or has ended");
  return caller;
}

/** The version of the protocol that RFC 6455 describes, the only one in use. */
const VERSION = "13";

/** Throws 426 unless a request asks for a WebSocket of that version. */
function requireHandshake({ headers }: Request): void {
  const isUpgrade =
    headers.get("upgrade")?.toLowerCase() === "websocket" &&
    /(^|,)\s*upgrade\s*(,|$)/i.test(headers.get("connection") ?? "");
  if (isUpgrade && headers.get("sec-websocket-version") === VERSION) return;
  throw new AppError("UpgradeRequired", `Open this address as a WebSocket of version ${VERSION}`, {
    headers: { upgrade: "websocket", "sec-websocket-version": VERSION },
  });
}

/** Subprotocols, by the format of what comes on the automatic channel. */
const SUBPROTOCOLS = new Map<string, Format>([
  ["fairlead.json", "json"],
  ["fairlead.protobuf", "protobuf"],
]);

/** The first known subprotocol that a client offers; undefined if it offers none. */
const subprotocolOf = ({ headers }: Request): string | undefined =>
  headers
    .get("sec-websocket-protocol")
    ?.split(",")
    .map((offered) => offered.trim())
    .find((offered) => SUBPROTOCOLS.has(offered));

const HandshakeQuery = t.Object({
  // No bound on the length: a token that is too long is a wrong one (401), and doesn't count beside a header.
  token: t.Optional(
    t.String({
      description: "A session token, for clients that can set no header; API keys go into the header alone",
      examples: ["ses_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
    }),
  ),
  share: t.Optional(
    t.String({
      description:
        "The token of a link, in place of any credential: the connection may subscribe to `gps`, and hears what the link shows",
      examples: ["0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
    }),
  ),
});

export const socketRoutes = new Elysia({ tags: ["Realtime"] }).use(guard).get(
  "/v1/ws",
  ({ request, query, set }) => {
    if (query.share !== undefined)
      takeFromLimit(sharedLimit, addressBlock(clientAddress(request)), set.headers);
    const link = query.share === undefined ? null : linkOfToken(query.share);
    const caller = link ? callerOfLink(link) : callerOfHandshake(request, query.token);
    requireHandshake(request);
    requireRoom(caller, link ? MOST_OF_LINK : undefined);
    const subprotocol = subprotocolOf(request) ?? "";
    const headers = {
      // Bun would agree to whatever is offered first; empty, it is left out.
      "sec-websocket-protocol": subprotocol,
      "x-request-id": String(set.headers["x-request-id"]),
      "x-content-type-options": "nosniff",
    };
    if (
      !listeningServer()?.upgrade(request, {
        data: newConnection(caller, SUBPROTOCOLS.get(subprotocol), link?.id),
        headers,
      })
    )
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
      ...errors(400, 401, 404, 426, 429, 503),
    },
    detail: {
      operationId: "openWebSocket",
      summary: "Open the WebSocket",
      description: [
        "Upgrades to a WebSocket. `GET /v1/asyncapi.json` describes every message with an example, and how to reconnect; `x-messages` names their schemas here. Authenticate with `Authorization: Bearer` (services, API keys), `?token=` (a session token; an API key is refused there and goes into the header) or the cookie `fairlead_session` or `__Host-fairlead_session` (pages of the server's own or an allowed origin).",
        'Send JSON text, such as `{"type":"subscribe","channel":"gps"}`, `{"type":"unsubscribe","channel":"gps"}` or `{"type":"ping"}`; or binary frames, each a `WsEnvelope` of Protobuf. Both may be mixed. Positions, zones and vessels come as JSON text always, messages about accounts and rights in the format in which their channel was subscribed.',
        "No subprotocol is needed. `fairlead.json` and `fairlead.protobuf` are agreed to: the own `user:` channel, which is heard without asking, then comes as JSON or as binary frames. No other is.",
        `**Channels**, and what they need:\n\n${channelList()}`,
        "**Services.** An API key with `audit:write` may send `CreateAuditEventRequest`, and gets a `CreateAuditEventResponse`. With `community:sync`, `ModerationEvent` is answered by `ModerationEventResponse`, and subscribing to `community` makes a connection a community bot: the newest one is sent `CommunitySyncRequest`, which it answers with one `CommunitySyncResponse` or more; all are sent `CommunitySettings` when settings change, and when they ask with `CommunitySettingsRequest`.",
        `**Close codes**:\n\n${closeCodeList()}`,
        "**Links.** `?share=` with the token of a link (`POST /v1/share-links`) takes the place of a credential. Such a connection may subscribe to `gps` alone, without `since`, and hears the `gpsUpdate` of the link's devices: `id` and `trip_id` null, late and rounded as the link says, and none in a hidden zone. It is closed with 4401 as the link ends. 404 for a token that is wrong, ended or revoked; at most 20 connections of a link (503), and 60 handshakes and requests a minute from one address (429).",
        "503 when there are too many connections, in all or of this user.",
      ].join("\n\n"),
    },
  },
);
