import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ExternalUser, externalUser } from "../../support/people";
import { memoryOf } from "../../support/pressure";
import { TestServer } from "../../support/server";
import { ask, fill, leftovers, openArchives, SETTINGS, unpack } from "./support";

/** Records of each kind. */
const MANY = 100_000;
const MIB = 1024 * 1024;

/**
 * The most by which a large export may take more memory than a small one. 45 MiB were measured, most of it
 * garbage that nobody had collected yet, and 32 MiB of the database's pages, which stay in memory; its JSON
 * alone is 90 MiB, and would come on top if it were held at once.
 */
const BOUND = 122 * MIB;

let server: TestServer;
let small: ExternalUser;
let large: ExternalUser;
beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS, memory: "as shipped" });
  small = await externalUser(server);
  large = await externalUser(server);
  fill(server, large.id, { events: MANY, sessions: MANY });
});
afterAll(() => server.stop());

interface Watched {
  bytes: Buffer;
  /** The peak of the server's memory meanwhile, in bytes. */
  peak: number;
  /** Other requests that were answered meanwhile. */
  answered: number;
}

async function watched(user: ExternalUser): Promise<Watched> {
  let [peak, answered, done] = [memoryOf(server.pid), 0, false];
  const others = (async () => {
    while (!done) {
      expect((await fetch(`${server.url}/v1`)).status).toBe(200);
      answered++;
      peak = Math.max(peak, memoryOf(server.pid));
      await Bun.sleep(20);
    }
  })();
  const { status, bytes } = await ask(server, user.token).finally(() => {
    done = true;
  });
  await others;
  expect(status).toBe(200);
  return { bytes, peak, answered };
}

test("an export of 100,000 events and sessions is complete, in bounded memory, while others are answered", async () => {
  const { peak: before } = await watched(small);
  const { bytes, peak, answered } = await watched(large);
  const { data } = await unpack(bytes);
  for (const [section, more] of [
    ["auditEvents", 3],
    ["sessions", 1],
  ] as const) {
    const ids: string[] = data[section].map(({ id }: { id: string }) => id);
    expect(ids.length).toBe(MANY + more);
    expect(new Set(ids).size).toBe(MANY + more);
  }
  expect(peak - before).toBeLessThan(BOUND);
  // Other requests don't wait for the export.
  expect(answered).toBeGreaterThan(20);
  expect(openArchives(server)).toBe(0);
  expect(leftovers(server)).toEqual([]);
});
