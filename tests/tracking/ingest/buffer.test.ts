import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { readTrack } from "../../../src/demo/track";
import { randomFrom } from "../../support/random";
import { TestServer, temporaryDirectory } from "../../support/server";
import { createTrip, moveTrip } from "../support";

/** Fixes of the recorded voyage that an app kept while it had no connection. */
const FIXES = 10_000;
/** Times that the server is killed while they come. */
const KILLS = 5;
/** Requests at a time. */
const CLIENTS = 3;

interface Position {
  latitude: number;
  longitude: number;
  timestamp: number;
  speed_mps: number;
  heading: number;
}

/** A data directory whose device logged for two trips while the voyage lasted, with a pause in each and between them. */
async function prepare(seconds: number) {
  const server = await TestServer.start({ clock: "movable" });
  const device = await server.device();
  const begin = Math.floor(Date.now() / 1_000);
  const piece = (seconds * 1_000) / 8;
  for (const name of ["out", "back"]) {
    const trip = await createTrip(server, { name, device_id: device.id, gps_logging_enabled: true });
    for (const status of ["active", "paused", "active", "completed"]) {
      await moveTrip(server, trip.id, status);
      await server.advance(piece);
    }
  }
  await server.stop();
  return { dataDir: server.dataDir, device, begin };
}

/** Everything that fixes leave, but for identifiers and times of arrival. */
function left(dataDir: string) {
  const database = new Database(join(dataDir, "fairlead.db"), { readonly: true });
  const read = (sql: string) => database.query<Record<string, unknown>, []>(sql).all();
  try {
    return {
      positions: read(
        "SELECT device_id, trip_id, latitude, longitude, heading, timestamp, speed_mps, speed_kmh, judgement FROM gps_points ORDER BY timestamp",
      ),
      counters: read(
        "SELECT * FROM counters WHERE name GLOB 'gps_points*' OR name GLOB 'trip_*' OR name GLOB 'device_points*' OR name = 'completed_trip_mm' ORDER BY name",
      ),
    };
  } finally {
    database.close();
  }
}

const send = (server: TestServer, key: string, positions: Position[]) =>
  fetch(`${server.url}/v1/gps/batch`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ positions }),
  });

test(`a buffer of ${FIXES} fixes, sent twice, shuffled and cut, with answers lost and the server killed, ends as an orderly one`, async () => {
  const random = randomFrom(1806);
  const track = (await readTrack()).slice(0, FIXES);
  const first = track[0]?.time ?? 0;
  const { dataDir, device, begin } = await prepare((track.at(-1)?.time ?? 0) - first);
  const positions = track.map(({ time, speed, ...fix }) => ({
    ...fix,
    speed_mps: speed,
    timestamp: begin + time - first,
  }));

  const orderly = await TestServer.start({ dataDir: copyOf(dataDir) });
  for (let at = 0; at < FIXES; at += 1_000)
    expect((await send(orderly, device.key, positions.slice(at, at + 1_000))).status).toBe(200);
  await orderly.stop();
  const expected = left(orderly.dataDir);
  expect(expected.positions).toHaveLength(FIXES);
  expect(new Set(expected.positions.map(({ trip_id }) => trip_id)).size).toBe(3);

  const waiting = cut(
    [...positions, ...positions].toSorted(() => random() - 0.5),
    random,
  );
  const inAll = waiting.length;
  let server = await TestServer.start({ dataDir });
  let answers = 0;
  for (let life = 0; life <= KILLS; life++) {
    const goal = Math.floor(((life + 1) * inAll) / (KILLS + 1));
    const current = server;
    /** Takes requests from the head of the line, and puts those back that were not answered. */
    const work = async () => {
      for (let request = waiting.shift(); request; request = waiting.shift()) {
        const answer = await send(current, device.key, request).catch(() => null);
        if (answer !== null) expect(answer.status).toBe(200);
        const isHeard = answer !== null && ++answers % 3 !== 0;
        if (!isHeard) waiting.push(request);
        if (answer === null || (life < KILLS && inAll - waiting.length >= goal)) return;
      }
    };
    const clients = Array.from({ length: CLIENTS }, work);
    if (life < KILLS) {
      // The first client is done; the others have requests under way.
      await Promise.race(clients);
      await server.stop("SIGKILL");
      server = await TestServer.start({ dataDir });
    }
    await Promise.all(clients);
  }
  await server.stop();
  expect(waiting).toEqual([]);
  expect(left(dataDir)).toEqual(expected);
});

/** Requests of 1 to 1,000 positions, small ones as often as large ones. */
function cut(positions: Position[], random: () => number): Position[][] {
  const requests: Position[][] = [];
  for (let at = 0; at < positions.length; ) {
    const size = Math.ceil(1_000 ** random());
    requests.push(positions.slice(at, at + size));
    at += size;
  }
  return requests;
}

function copyOf(directory: string): string {
  const copy = temporaryDirectory();
  cpSync(directory, copy, { recursive: true });
  return copy;
}
