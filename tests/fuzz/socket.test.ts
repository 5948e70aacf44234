import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Envelope, frame, schema } from "../support/protobuf";
import { TestServer } from "../support/server";
import { Client, type Credentials } from "../support/socket";
import { claimDiscreet } from "./judge";
import { parameters, RUNS, reproducibly, tell } from "./settings";
import { hostile, hostileName, jsonOf } from "./values";

/** Random frames to the socket: each is answered, and none ends the connection. */
const server = await TestServer.start({
  settings: {
    "websocket.max_messages_per_second": "100000",
    "websocket.max_bytes_per_second": "1000000000",
    "websocket.max_subscriptions": "5",
  },
});
const session = await server.admin();
const service = await server.key("audit:write", "gps:read");
const bot = await server.key("community:sync");
afterAll(() => server.stop());
let frames = 0;

const CLIENTS: [string, Credentials][] = [
  ["a session", { token: session }],
  ["a service's key", { bearer: service }],
  ["a bot's key", { bearer: bot }],
];

// --- Text -------------------------------------------------------------------------------------------------

const channel = fc.oneof(
  fc.constantFrom(
    "gps",
    "geofence",
    "public",
    "public:a",
    "admin:accounts",
    "community",
    "vessels",
    "user:me",
  ),
  fc.constantFrom(
    "",
    "*",
    "admin:*",
    "gps:",
    ":",
    "__proto__",
    "public:\0",
    `public:${"x".repeat(65)}`,
    "GPS",
  ),
  fc.string({ unit: "grapheme" }),
);
const type = fc.constantFrom(
  "subscribe",
  "unsubscribe",
  "pong",
  "message",
  "gpsUpdate",
  "",
  "__proto__",
  "toString",
);

const text: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(type, channel).map(([name, value]) => jsonOf({ type: name, channel: value })),
  fc.tuple(type, hostile).map(([name, value]) => jsonOf({ type: name, channel: value })),
  fc
    .tuple(hostileName, hostile)
    .map(([name, value]) => jsonOf({ type: "subscribe", channel: "gps", [name]: value })),
  hostile.map((value) => jsonOf({ type: value })),
  hostile.map(jsonOf),
  fc.string({ unit: "binary" }),
);

// --- Protobuf ---------------------------------------------------------------------------------------------

const PAYLOADS = Envelope.oneofs.payload?.oneof ?? [];

/** A value for a field: mostly of the field's type. */
const ofType = (name: string): fc.Arbitrary<unknown> => {
  switch (name) {
    case "bool":
      return fc.boolean();
    case "double":
      return fc.double();
    case "int32":
      return fc.integer();
    case "int64":
      return fc.maxSafeInteger();
    case "string":
      return fc.oneof(channel, fc.string({ unit: "binary", maxLength: 2_000 }), fc.uuid(), fc.json());
    case "google.protobuf.Timestamp":
      return fc.record({ seconds: fc.maxSafeInteger(), nanos: fc.integer() });
    default:
      return fc.constant({});
  }
};

/** An envelope with a payload whose fields are random, and whose type mostly belongs to it. */
const envelope: fc.Arbitrary<Uint8Array> = fc.constantFrom(...PAYLOADS).chain((payload) => {
  const message = Envelope.fields[payload]?.type ?? "";
  const members = schema.lookupType(message).fieldsArray.map((field) => {
    const value = ofType(field.type);
    return [field.name, field.repeated ? fc.array(value, { maxLength: 3 }) : value] as const;
  });
  const fields = fc.record(Object.fromEntries(members), { requiredKeys: [], noNullPrototype: true });
  return fields.map((values) => {
    try {
      return frame(payload, values);
    } catch {
      return frame(payload);
    }
  });
});

/** An envelope with some bytes changed, cut off or added. */
const mutated: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    envelope,
    fc.nat(),
    fc.integer({ min: 0, max: 255 }),
    fc.uint8Array({ maxLength: 20 }),
    fc.nat({ max: 3 }),
  )
  .map(([bytes, at, value, more, how]) => {
    const place = at % Math.max(1, bytes.length);
    if (how === 0 && bytes.length > 0) return bytes.with(place, value);
    if (how === 1) return bytes.slice(0, place);
    return new Uint8Array([
      ...bytes.slice(0, place),
      ...more,
      ...bytes.slice(how === 2 ? place : bytes.length),
    ]);
  });

/** The limit websocket.max_message_bytes: a longer frame ends the connection with 1009 (rule W6). */
const MOST_BYTES = 65_536;

const anyFrame: fc.Arbitrary<string | Uint8Array> = fc
  .oneof(
    text,
    envelope,
    mutated,
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ minLength: 5_000, maxLength: 20_000 }),
  )
  .filter((one) => Buffer.byteLength(one) <= MOST_BYTES);

// --- The run ----------------------------------------------------------------------------------------------

/** Sends frames and waits for the answer to a ping behind them; judges every message before that answer. */
async function hold(client: Client, sent: (string | Uint8Array)[]): Promise<void> {
  for (const one of sent) client.send(one);
  frames += sent.length;
  client.send({ type: "ping", mark: "end" });
  for (;;) {
    const message = await client.next();
    if (message instanceof Uint8Array) {
      claimDiscreet(Buffer.from(message).toString("latin1"));
      Envelope.decode(message);
      continue;
    }
    claimDiscreet(JSON.stringify(message));
    if (message.type === "pong") return;
  }
}

describe("random frames never end the connection of", () => {
  for (const [at, [name, credentials]] of CLIENTS.entries())
    test(name, async () => {
      const client = await Client.open(server, credentials);
      const property = fc.asyncProperty(fc.array(anyFrame, { minLength: 1, maxLength: 10 }), (sent) =>
        hold(client, sent),
      );
      await reproducibly(() => fc.assert(property, parameters(10 + at, RUNS * 10)));
      await client.close();
    }, 3_600_000);
});

test("the server lives, has logged no error, and others heard nothing of it", async () => {
  expect((await server.get("/health")).status).toBe(200);
  expect(server.output).not.toContain('"level":"error"');
  tell(`${frames} frames`);
});
