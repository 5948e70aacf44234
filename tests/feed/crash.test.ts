import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { TestServer } from "../support/server";
import { fix } from "../tracking/support";

/** Number of times that the server is killed; many more by hand. */
const KILLS = Number(process.env.KILLS ?? 5);

const WRITERS = 32;
/** The fewest changes that are acknowledged before a kill, and a number of more of them that chance decides. */
const LEAST = 100;
const MORE = 200;

interface Row {
  number: number;
  kind: number;
  record: string;
}

/** Records that a kill hit before their answers came, at most one of each writer. */
const UNANSWERED = WRITERS;

/** Sends POST requests until the server is gone; notes the identifiers that it acknowledged. */
async function writeOn(
  url: string,
  token: string,
  path: string,
  body: () => object,
  taken: string[],
): Promise<void> {
  for (;;) {
    try {
      const answer = await fetch(url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body()),
      });
      const { data } = (await answer.json()) as { data?: { id: string } };
      if (!data) throw new Error(`answered ${answer.status}`);
      taken.push(data.id);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("answered")) throw error;
      return;
    }
  }
}

test(
  "kill -9 under 32 writers leaves a feed without a gap that holds each acknowledged change once, and none that is not there",
  async () => {
    const first = await TestServer.start();
    const { dataDir, systemKey } = first;
    const epochs = new Set<string>();
    await first.stop("SIGKILL");
    const taken: string[] = [];
    let before: Row[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const server = await TestServer.start({ dataDir });
      const goal = taken.length + LEAST + Math.floor(Math.random() * MORE);
      const writers = Array.from({ length: WRITERS }, (_, at) =>
        at % 4 === 3
          ? writeOn(server.url, systemKey, "/v1/trips", () => ({ name: "trip" }), taken)
          : writeOn(server.url, systemKey, "/v1/gps", () => fix(), taken),
      );
      while (taken.length < goal) await Bun.sleep(1);
      await server.stop("SIGKILL");
      await Promise.all(writers);

      const database = new Database(join(dataDir, "fairlead.db"));
      const all = <T>(sql: string) => database.query<T, []>(sql).all();
      const rows = all<Row>("SELECT number, kind, record FROM changes ORDER BY number");
      const points = all<{ id: string }>("SELECT id FROM gps_points").map(({ id }) => id);
      const trips = all<{ id: string }>("SELECT id FROM trips").map(({ id }) => id);
      for (const { epoch } of all<{ epoch: string }>("SELECT epoch FROM feed_state")) epochs.add(epoch);
      database.close();
      const records = rows.map(({ record }) => record);
      const told = new Set(records);
      expect(rows.every(({ number }, at) => number === at + 1)).toBe(true);
      expect(told.size).toBe(records.length);
      expect([...records].sort()).toEqual([...points, ...trips].sort());
      expect(taken.filter((id) => !told.has(id))).toEqual([]);
      expect(records.length - taken.length).toBeLessThanOrEqual((kill + 1) * UNANSWERED);
      // A number stays with its change.
      expect(rows.slice(0, before.length)).toEqual(before);
      before = rows;
    }
    expect(epochs.size).toBe(1);
    if (process.env.KILLS !== undefined)
      process.stdout.write(
        `${KILLS} kills, ${taken.length} changes acknowledged, ${before.length} in the feed\n`,
      );
  },
  30_000 + KILLS * 20_000,
);
