import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandLineKey } from "../support/credentials";
import { newUser, type User } from "../support/people";
import { TestServer } from "../support/server";
import { Client, type Credentials } from "../support/socket";
import { adminSession } from "./support";

const SOME_ID = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01";

let server: TestServer;
let adminId: string;
let plain: User;
let deputy: User;
beforeAll(async () => {
  server = await TestServer.start();
  adminId = (await adminSession(server)).userId;
  [plain, deputy] = [await newUser(server), await newUser(server, "role_admin")];
});
afterAll(() => server.stop());

const GPS = ["gps", `gps:${SOME_ID}`];
const ZONES = ["geofence", `geofence:${SOME_ID}`];
const RECORDS = ["trips", "devices"];
const VESSELS = ["vessels"];
const PUBLIC = ["public", "public:news", `public:${"x".repeat(64)}`, "public:A-b_9"];
const ADMIN = ["admin:accounts", "admin:anything_else-1"];
const COMMUNITY = ["community"];
const own = (id: string) => [`user:${id}`];

const allChannels = () => [
  ...[GPS, ZONES, RECORDS, VESSELS, PUBLIC, ADMIN, COMMUNITY].flat(),
  ...[adminId, plain.id, deputy.id].flatMap(own),
];

const ownKey = async (...scopes: string[]): Promise<Credentials> => ({ bearer: await server.key(...scopes) });

interface Listener {
  who: string;
  credentials: () => Promise<Credentials>;
  hears: () => string[];
}

const LISTENERS: Listener[] = [
  {
    who: "the session of a super admin",
    credentials: async () => ({ token: await server.admin() }),
    hears: () => [...GPS, ...ZONES, ...RECORDS, ...VESSELS, ...PUBLIC, ...ADMIN, ...own(adminId)],
  },
  {
    who: "the session of a holder of *:* by another role",
    credentials: async () => ({ token: deputy.token }),
    hears: () => [...GPS, ...ZONES, ...RECORDS, ...VESSELS, ...PUBLIC, ...ADMIN, ...own(deputy.id)],
  },
  {
    who: "the session of a user without permissions",
    credentials: async () => ({ token: plain.token }),
    hears: () => [...PUBLIC, ...own(plain.id)],
  },
  {
    who: "a system key",
    credentials: async () => ({ bearer: server.systemKey }),
    hears: () => [...GPS, ...ZONES, ...RECORDS, ...VESSELS, ...PUBLIC, ...ADMIN, ...COMMUNITY],
  },
  {
    who: "a super admin's key with *:*",
    credentials: () => ownKey("*:*"),
    hears: () => [...GPS, ...ZONES, ...RECORDS, ...VESSELS, ...PUBLIC, ...ADMIN, ...COMMUNITY],
  },
  {
    who: "a super admin's key without scopes",
    credentials: () => ownKey(),
    hears: () => PUBLIC,
  },
  {
    who: "a key with gps:read",
    credentials: () => ownKey("gps:read"),
    hears: () => [...GPS, ...VESSELS, ...PUBLIC],
  },
  {
    who: "a key with the wildcard gps:*",
    credentials: () => ownKey("gps:*"),
    hears: () => [...GPS, ...VESSELS, ...PUBLIC],
  },
  {
    who: "a key that may write and delete positions and zones, but not read them",
    credentials: () => ownKey("gps:write", "gps:delete", "geofences:write", "geofences:delete"),
    hears: () => PUBLIC,
  },
  {
    who: "a key with geofences:read",
    credentials: () => ownKey("geofences:read"),
    hears: () => [...ZONES, ...PUBLIC],
  },
  {
    who: "a key with trips:read",
    credentials: () => ownKey("trips:read"),
    hears: () => ["trips", ...PUBLIC],
  },
  {
    who: "a key with devices:read",
    credentials: () => ownKey("devices:read"),
    hears: () => ["devices", ...PUBLIC],
  },
  {
    who: "a key with admin:read",
    credentials: () => ownKey("admin:read"),
    hears: () => [...ADMIN, ...PUBLIC],
  },
  {
    who: "a key with community:sync",
    credentials: () => ownKey("community:sync"),
    hears: () => [...COMMUNITY, ...PUBLIC],
  },
  {
    who: "a key with every other permission of the community",
    credentials: () => ownKey("community:read", "community:edit", "community:delete", "community:guild.sync"),
    hears: () => PUBLIC,
  },
  {
    who: "a key whose scopes exceed its owner's permissions",
    credentials: async () => {
      const { key } = await commandLineKey(server, { owner: plain.username, scopes: ["*:*", "gps:read"] });
      return { bearer: key };
    },
    hears: () => PUBLIC,
  },
];

describe("hears exactly the channels of its rights:", () => {
  for (const { who, credentials, hears } of LISTENERS)
    test(who, async () => {
      const client = await Client.open(server, await credentials());
      const heard: string[] = [];
      for (const channel of allChannels()) {
        const answer = await client.ask({ type: "subscribe", channel });
        if (answer.type === "message") {
          expect(answer).toEqual({ type: "message", channel, data: `Subscribed to ${channel}` });
          heard.push(channel);
        } else expect(answer).toEqual({ type: "error", message: `Access denied to channel: ${channel}` });
      }
      expect(heard.sort()).toEqual(hears().sort());
      await client.close();
    });
});

describe("a name of another form is refused like a forbidden one:", () => {
  const names = [
    ...[
      "gps:*",
      "gps:",
      "gps:xyz",
      `gps:${SOME_ID} `,
      ` gps:${SOME_ID}`,
      `gps:${SOME_ID}:x`,
      "gps::",
      "gps ",
    ],
    ...[`gps:${SOME_ID.toUpperCase()}`, `gps:{${SOME_ID}}`, `gps:${SOME_ID.replaceAll("-", "")}`],
    ...["geofence:*", "geofence:", "geofence:1", `geofence:${SOME_ID.toUpperCase()}`, "geofences"],
    ...[
      "admin",
      "admin:",
      "admin:*",
      `admin:${"x".repeat(65)}`,
      "admin:a b",
      "admin:a:b",
      "admin:ü",
      "admin:a\n",
    ],
    ...["public:", "public:*", `public:${"x".repeat(65)}`, "public:a/b", "public:a.b", "public:\u0000"],
    ...["user", "user:", "user:*", "user:admin"],
    ...[
      "vessels:",
      `vessels:${SOME_ID}`,
      "vessels:*",
      "trips:",
      `trips:${SOME_ID}`,
      "devices:*",
      "community:",
      "community:x",
      "community:*",
    ],
    ...["*", "**", ":", "", " ", "#", "unknown", `unknown:${SOME_ID}`],
    ...["GPS", "Gps", "PUBLIC", "Public:news", "ADMIN:accounts", "Geofence", "VESSELS", "Community"],
    ...[
      "__proto__",
      "__proto__:x",
      "constructor",
      "constructor:x",
      "toString",
      "hasOwnProperty",
      "valueOf:x",
    ],
  ];
  for (const name of names)
    test(
      JSON.stringify(name.length > 70 ? `${name.slice(0, 20)}… of ${name.length} letters` : name),
      async () => {
        for (const credentials of [{ token: await server.admin() }, { bearer: server.systemKey }]) {
          const client = await Client.open(server, credentials);
          const { type, message } = await client.ask({ type: "subscribe", channel: name });
          expect(type).toBe("error");
          // As a forbidden one, and with the forms that there are behind it.
          expect(message).toStartWith(
            `Access denied to channel: ${name} (there is no such channel; there are user:`,
          );
          expect(message).toContain(
            "gps, gps:<device id>, geofence, geofence:<geofence id>, trips, devices, alerts, vessels, community",
          );
          await client.close();
        }
      },
    );

  test("user: with the own identifier in upper case", async () => {
    const client = await Client.open(server, { token: plain.token });
    const channel = `user:${plain.id.toUpperCase()}`;
    expect((await client.ask({ type: "subscribe", channel })).type).toBe("error");
    await client.close();
  });
});

describe("health counts", () => {
  const counts = async () => (await server.get("/v1/health")).body.services.websocket;

  test("connections, and the subscriptions of all: a session's own channel from the start, a key's none", async () => {
    const before = await counts();
    const session = await Client.open(server, { token: plain.token });
    const key = await Client.open(server, await ownKey("gps:read"));
    const opened = {
      status: "up",
      connections: before.connections + 2,
      subscriptions: before.subscriptions + 1,
    };
    expect(await counts()).toEqual(opened);

    await session.subscribe("public", "public:news", `user:${plain.id}`);
    await key.subscribe("gps", "public");
    await key.ask({ type: "subscribe", channel: "geofence" });
    expect(await counts()).toEqual({ ...opened, subscriptions: before.subscriptions + 5 });

    await session.ask({ type: "unsubscribe", channel: "public" });
    expect(await counts()).toEqual({ ...opened, subscriptions: before.subscriptions + 4 });

    await Promise.all([session.close(), key.close()]);
    expect(await counts()).toEqual(before);
  });

  test("a session's own channel no more once it has left it", async () => {
    const before = await counts();
    const session = await Client.open(server, { token: plain.token });
    await session.ask({ type: "unsubscribe", channel: `user:${plain.id}` });
    expect((await counts()).subscriptions).toBe(before.subscriptions);
    await session.subscribe(`user:${plain.id}`);
    expect((await counts()).subscriptions).toBe(before.subscriptions + 1);
    await session.close();
  });
});
