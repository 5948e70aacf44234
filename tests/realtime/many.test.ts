import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connectionsFor, openFilesLimit, unsentAllowance } from "../../src/realtime/capacity";
import type { Heard, ListenOrder } from "../bench/listen";
import { cleanUp, Helper } from "../bench/processes";
import { newUser, type User } from "../support/people";
import { memoryOf } from "../support/pressure";
import { RawClient } from "../support/raw-socket";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { fix } from "../tracking/support";
import { connections } from "./support";

/** Many connections: well-behaved clients are served, whatever the others do. */
const MEGABYTE = 1024 * 1024;

const SOCKETS = 5_000;
const MUTE = 50;
const hasRoom = connectionsFor(openFilesLimit()) / 2 >= SOCKETS + MUTE;

describe.skipIf(process.platform !== "linux" || !hasRoom)("5,000 sockets", () => {
  const MAX_BYTES_EACH = 20_000;
  let server: TestServer;
  const listeners = new Helper<ListenOrder, Heard>("listen.ts");
  beforeAll(async () => {
    server = await TestServer.start({
      memory: "as shipped",
      settings: {
        "websocket.heartbeat_interval_seconds": "1",
        "websocket.client_timeout_seconds": "4",
        "websocket.max_connections_per_user": String(SOCKETS + MUTE),
      },
    });
  });
  afterAll(async () => {
    cleanUp();
    await server.stop();
  });

  test("cost little memory, each hears what is posted, and mute ones beside them are closed", async () => {
    const key = await server.key("gps:read");
    const port = Number(new URL(server.url).port);
    const before = memoryOf(server.pid);
    await listeners.ask({ do: "open", port, key, sockets: SOCKETS, channel: "gps" });
    expect((await server.get("/health")).body.services.websocket).toMatchObject({
      connections: SOCKETS,
      subscriptions: SOCKETS,
    });
    expect((memoryOf(server.pid) - before) / SOCKETS).toBeLessThan(MAX_BYTES_EACH);

    const mute = await Promise.all(
      Array.from({ length: MUTE }, () => RawClient.open(server, { bearer: key })),
    );
    const post = async () => {
      expect((await server.post("/v1/gps", { token: server.systemKey, body: fix() })).status).toBe(201);
    };
    await post();
    await listeners.ask({ do: "expect", port, messages: SOCKETS });
    for (const client of mute) expect((await client.closed()).code).toBe(4408);
    await post();
    await listeners.ask({ do: "expect", port, messages: SOCKETS });
    expect(await connections(server)).toBe(SOCKETS);

    await listeners.ask({ do: "close", port });
    while ((await connections(server)) > 0) await Bun.sleep(20);
  });
});

describe("a server that may open few files", () => {
  const FILES = 256;
  const ALL = connectionsFor(FILES);
  let server: TestServer;
  let user: User;
  beforeAll(async () => {
    server = await TestServer.start({ openFiles: FILES });
    user = await newUser(server);
  });
  afterAll(() => server.stop());

  const openAll = (count: number, token: string) =>
    Promise.all(Array.from({ length: count }, () => Client.open(server, { token })));

  /** The answer to a handshake. */
  async function handshake(token: string): Promise<{ status: number; head: string }> {
    const client = await RawClient.open(server, { token });
    client.cut();
    return client;
  }

  test("takes so many sockets that requests go on; half of them from one user", async () => {
    const admin = await server.admin();
    const ofUser = await openAll(ALL / 2, user.token);
    const refused = await handshake(user.token);
    expect(refused.status).toBe(503);
    expect(refused.head.toLowerCase()).toContain("retry-after: ");
    // Another session of the same user counts for the same user.
    expect((await handshake((await server.login(user.username, user.password)).session_token)).status).toBe(
      503,
    );
    const ofAdmin = await openAll(ALL / 2 - 1, admin);
    const ofService = await Client.open(server, { bearer: server.systemKey });
    const last = await RawClient.open(server, { bearer: server.systemKey });
    expect(last.status).toBe(503);
    expect(await connections(server)).toBe(ALL);
    expect((await server.post("/v1/gps", { token: server.systemKey, body: fix() })).status).toBe(201);

    await ofUser.pop()?.close();
    const again = await Client.open(server, { token: user.token });
    expect(await again.ask({ type: "ping" })).toEqual({ type: "pong" });
    for (const client of [...ofUser, ...ofAdmin, ofService, again]) await client.close();
    expect(await connections(server)).toBe(0);
  });

  test("serves those who are connected while strangers take all files, and everybody once they are gone", async () => {
    const client = await (await Client.open(server, { token: await server.admin() })).subscribe("gps");
    const strangers: Socket[] = [];
    const { hostname, port } = new URL(server.url);
    for (let at = 0; at < FILES; at++) strangers.push(connect(Number(port), hostname).on("error", () => {}));
    const openFiles = () => readdirSync(`/proc/${server.pid}/fd`).length;
    while (openFiles() < FILES) await Bun.sleep(10);
    expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
    const late = server.get("/health");
    for (const stranger of strangers) stranger.destroy();
    expect((await late).status).toBe(200);
    expect((await server.post("/v1/gps", { token: server.systemKey, body: fix() })).status).toBe(201);
    expect((await client.next()).type).toBe("gpsUpdate");
    await client.close();
    expect(server.output).not.toContain("error");
  });
});

describe("the limits", () => {
  test("leave a fifth of the files that may be open, and at least 128", () => {
    expect([0, 128, 256, 1_024, 20_000].map(connectionsFor)).toEqual([0, 0, 128, 819, 16_000]);
    expect([1_048_576, Number.POSITIVE_INFINITY].map(connectionsFor)).toEqual([50_000, 50_000]);
  });

  test("give each client 4 MiB of unsent messages, and less once all together have more than 256 MiB", () => {
    expect(unsentAllowance(0, 0)).toBe(4 * MEGABYTE);
    expect(unsentAllowance(256 * MEGABYTE, 5_000)).toBe(4 * MEGABYTE);
    // If all 5,000 hold the same, all are too slow; beside 4,000 that hold nothing, the other 1,000 aren't.
    expect(unsentAllowance(300 * MEGABYTE, 5_000)).toBe((300 * MEGABYTE) / 5_000 / 2);
    expect(unsentAllowance(300 * MEGABYTE, 10)).toBe(4 * MEGABYTE);
  });
});
