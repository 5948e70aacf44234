import proto from "../../proto/fairlead/ws/v1/ws.proto" with { type: "text" };
import { publicUrl } from "../configuration/config";
import { VERSION } from "../configuration/version";
import { CLIENT_MESSAGES, channelList, closeCodeList, SERVER_MESSAGES } from "../realtime/schema";
import { exampleOf, finishSchema, type Json } from "./schemas";

/** The AsyncAPI document: the messages of the WebSocket, which OpenAPI can't tell. */

/** The steps by which a client stays connected, as Markdown. */
export const RECONNECTING = `1. Reconnect when the socket closes, whatever the code. Wait a second first, and twice as long after each failure, up to a minute; add a random part, so that a fleet doesn't return at once. Start over at a second once a connection has lasted a minute.
2. After 4401, or when the handshake is refused with 401, sign in again first. A browser shows a refused handshake as 1006: \`GET /v1/users/me\` tells whether the token is still good. After 503 wait as long as \`Retry-After\` says.
3. Subscribe to every channel again: a new connection has only the automatic \`user:\` channel.
4. Miss nothing: subscribe with \`"since": "now"\` and read the state once that is confirmed; keep the \`cursor\` of the newest message, or of the confirmation, and subscribe with it as \`since\` after each reconnection. What was missed follows in order, then what comes. After \`reset\` read the state anew, and go on from its cursor. A record may be told again, or as \`is_deleted\`: keep one of each \`id\`. Without \`since\` read what was missed yourself: after the subscription is confirmed, \`GET /v1/gps/current/devices\` for where everything is now, or the pages of \`GET /v1/gps\` until a known \`id\` appears. A position may come both ways: keep one of each \`id\`.
5. Answer ping frames, as WebSocket libraries do by themselves. The server sends one every \`websocket.heartbeat_interval_seconds\` (5): a client that heard nothing for three of them may take the connection for dead.`;

const DESCRIPTION = `One WebSocket carries positions, zones, vessels and messages about accounts and rights. Text frames hold one JSON message each; binary frames hold one \`WsEnvelope\` of Protobuf each. Both may be mixed. A new \`type\` may be added at any time: ignore those that you don't know.

**Connecting.** \`Authorization: Bearer\` with a session token or an API key; \`?token=\` with a session token, for browsers; or the cookie \`fairlead_session\`, for pages of the server's own origin or an allowed one. API keys go into the header alone, which keeps them out of addresses and logs.

**Channels.** Send \`subscribe\` for each:

${channelList()}

**Close codes.**

${closeCodeList()}

**Reconnecting.**

${RECONNECTING}`;

const PROTOBUF = "WsEnvelope";
const ref = (path: string): Json => ({ $ref: `#/${path}` });
const inChannel = (names: string[]) => names.map((name) => ref(`channels/socket/messages/${name}`));

const clientTypes = Object.keys(CLIENT_MESSAGES);
const serverTypes = Object.keys(SERVER_MESSAGES);

/** Answers to the messages of clients. */
const REPLIES: Record<string, string[]> = {
  subscribe: ["message", "error"],
  unsubscribe: ["message"],
  ping: ["pong"],
};

/** The messages with their schemas, which are added to `schemas`, and an example of each. */
function messagesWith(schemas: Json): Json {
  const json = Object.entries({ ...CLIENT_MESSAGES, ...SERVER_MESSAGES }).map(([name, schema]) => {
    const payload = finishSchema(schema as unknown as Json, schemas);
    return [
      name,
      {
        name,
        title: name,
        summary: schema.description,
        contentType: "application/json",
        payload,
        examples: [{ name: "example", payload: exampleOf(payload, schemas) }],
      },
    ];
  });
  const binary = {
    name: PROTOBUF,
    title: "Binary frame",
    summary: "One `WsEnvelope`; its comments say who sends which payload",
    contentType: "application/x-protobuf",
    payload: { schemaFormat: "application/vnd.google.protobuf;version=3", schema: proto },
  };
  return { ...Object.fromEntries(json), [PROTOBUF]: binary };
}

/** Operations as the server carries them out: it receives what clients send. */
function operations(): Json {
  const socket = ref("channels/socket");
  const received = clientTypes.map((name) => [
    `receive_${name}`,
    {
      action: "receive",
      channel: socket,
      description: CLIENT_MESSAGES[name as keyof typeof CLIENT_MESSAGES].description,
      messages: inChannel([name]),
      reply: { channel: socket, messages: inChannel(REPLIES[name] ?? []) },
    },
  ]);
  const sent = serverTypes.map((name) => [
    `send_${name}`,
    {
      action: "send",
      channel: socket,
      description: SERVER_MESSAGES[name as keyof typeof SERVER_MESSAGES].description,
      messages: inChannel([name]),
    },
  ]);
  const binary = (action: string, description: string) => ({
    action,
    channel: socket,
    description,
    messages: inChannel([PROTOBUF]),
  });
  return {
    ...Object.fromEntries([...received, ...sent]),
    receive_binary: binary("receive", "A message of a service or a community bot, in Protobuf"),
    send_binary: binary("send", "A message to a service or a community bot, in Protobuf"),
  };
}

/** Builds the document. The server's address is `server.public_url`. */
export function buildAsyncApi(): Json {
  const { host, protocol } = new URL(publicUrl());
  const schemas: Json = {};
  const messages = messagesWith(schemas);
  const names = Object.keys(messages);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Fairlead WebSocket",
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: "Whoever runs this installation" },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
      tags: [{ name: "Realtime", description: "The WebSocket" }],
    },
    defaultContentType: "application/json",
    servers: {
      this: {
        host,
        protocol: protocol === "https:" ? "wss" : "ws",
        description: "This server",
        security: ["bearer", "sessionToken", "sessionCookie"].map((name) =>
          ref(`components/securitySchemes/${name}`),
        ),
      },
    },
    channels: {
      socket: {
        address: "/v1/ws",
        title: "The WebSocket",
        description: "The only address; what a connection hears is chosen with `subscribe`.",
        servers: [ref("servers/this")],
        messages: Object.fromEntries(names.map((name) => [name, ref(`components/messages/${name}`)])),
        bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } },
      },
    },
    operations: operations(),
    components: {
      messages,
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A session token or an API key" },
        sessionToken: {
          type: "httpApiKey",
          in: "query",
          name: "token",
          description: "A session token, for clients that can set no header",
        },
        sessionCookie: {
          type: "httpApiKey",
          in: "cookie",
          name: "fairlead_session",
          description: "A session token, for pages of the server's own or an allowed origin",
        },
      },
    },
  };
}
