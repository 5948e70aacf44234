import { afterAll, beforeAll, expect, test } from "bun:test";
import { changesSince, nowOf, numberOf, numbersOf, type Told } from "../changes/support";
import type { Token } from "../support/api";
import { eventually } from "../support/expectations";
import { TestServer } from "../support/server";
import { Client, type Message } from "../support/socket";
import { createTrip, createZone, postPoint } from "../tracking/support";
import { asChanges, resume } from "./feed-support";

/** Clients that come and go while many write: what each hears is the feed of its channel, without gap, double or disorder. */

let server: TestServer;
let admin: Token;
let devices: { id: string; key: Token }[];
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  devices = [];
  for (let count = 0; count < WRITERS; count++) devices.push(await server.device());
  await createZone(server, { latitude: 54.1, longitude: 13.4 });
});
afterAll(() => server.stop());

const WRITERS = 8;
const ROUNDS = 60;
const TYPES: Record<string, string[]> = {
  gps: ["gpsUpdate", "gpsLate"],
  geofence: ["geofenceEvent", "geofenceCorrection"],
  trips: ["tripUpdate"],
};

/** Writes as device number `at`: positions in and out of a zone, batches, trips. */
async function writing(at: number): Promise<void> {
  const { id, key } = devices[at] as { id: string; key: Token };
  const from = Math.floor(Date.now() / 1_000) - 10_000;
  for (let round = 0; round < ROUNDS; round++) {
    const latitude = round % 3 === 0 ? 54.1 : 54.9;
    const timestamp = from + round * 10;
    if (round % 10 === 9) {
      const positions = [1, -500, 2, -501].map((seconds) => ({
        latitude,
        longitude: 13.4,
        timestamp: timestamp + seconds,
      }));
      await server.post("/v1/gps/batch", { token: key, body: { positions } });
    } else if (round % 15 === 14) await createTrip(server, { device_id: id });
    else await postPoint(server, key, { latitude, longitude: 13.4, timestamp });
  }
}

/** Hears a channel on from a cursor; loses its connection now and then, and resumes behind what it heard. */
class Follower {
  readonly heard: Told[] = [];
  connections = 0;
  #cursor: string;
  #client: Client | null = null;
  #isOver = false;
  readonly done: Promise<void>;

  constructor(
    readonly channel: string,
    since: string,
    readonly isPatient: boolean,
  ) {
    this.#cursor = since;
    this.done = this.#follow();
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const client = await Client.open(server, { token: admin });
      this.#client = client;
      this.connections++;
      try {
        // The end may have come while the connection was being made: it closed the one before.
        if (this.#isOver) return await client.close();
        await resume(client, this.channel, this.#cursor);
        for (let left = this.isPatient ? Number.POSITIVE_INFINITY : Math.random() * 40; left > 0; left--)
          this.#take(await client.next());
        await client.close();
      } catch (error) {
        if (!this.#isOver) throw error;
      }
    }
  }

  #take(message: Message): void {
    this.heard.push(...asChanges([message]));
    this.#cursor = message.cursor;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#client?.close();
    await this.done;
  }
}

test("the union of what each client hears is exactly the feed", async () => {
  const start = await nowOf(server);
  const followers = Object.keys(TYPES).flatMap((channel) => [
    new Follower(channel, start, true),
    ...Array.from({ length: 3 }, () => new Follower(channel, start, false)),
  ]);
  const own = new Follower(`gps:${devices[0]?.id}`, start, false);
  const writers = Array.from({ length: WRITERS }, (_, at) => writing(at));
  // Some come in the middle, and begin at the start, at a cursor, or now.
  const late: [Follower, string][] = [];
  for (let count = 0; count < 12; count++) {
    await Bun.sleep(30);
    const all = await changesSince(server, start);
    const since = count % 3 === 0 ? start : (all[Math.floor(Math.random() * all.length)]?.cursor ?? start);
    late.push([new Follower("gps", since, count % 2 === 0), since]);
  }
  await Promise.all(writers);

  const all = await changesSince(server, start, { limit: 5_000 });
  const feedOf = (channel: string, since = start) =>
    all.filter(
      ({ type, cursor, data }) =>
        numberOf(cursor) > numberOf(since) &&
        TYPES[channel.split(":")[0] as string]?.includes(type) &&
        (!channel.includes(":") || data.device_id === channel.split(":")[1]),
    );
  expect(feedOf("gps").length).toBeGreaterThan(WRITERS * ROUNDS * 0.8);
  expect(feedOf("geofence").length).toBeGreaterThan(100);
  const expected: [Follower, Told[]][] = [
    ...followers.map((follower): [Follower, Told[]] => [follower, feedOf(follower.channel)]),
    ...late.map(([follower, since]): [Follower, Told[]] => [follower, feedOf("gps", since)]),
    [own, feedOf(own.channel)],
  ];
  for (const [follower, changes] of expected) {
    await eventually(() => follower.heard.length >= changes.length);
    expect(follower.heard.map(({ cursor }) => cursor)).toEqual(changes.map(({ cursor }) => cursor));
    expect(follower.heard.map(({ type }) => type)).toEqual(changes.map(({ type }) => type));
    await follower.end();
    expect(follower.heard).toHaveLength(changes.length);
  }
  expect(followers.some(({ connections }) => connections > 3)).toBe(true);
  const { low, high, count } = numbersOf(server);
  expect(count).toBe((high as number) - (low as number) + 1);
});
