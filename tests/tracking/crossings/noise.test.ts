import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { createGeofence } from "../../../src/tracking/geofences/service";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { newDevice, openTracking, SERVICE } from "../in-process";
import { northOf } from "../support";
import type { TrackFix } from "./reference";
import { recordedTracks } from "./support";

/** A recorded track with noise added at known places: confirmation by two positions tells none of the noise. */

let track: TrackFix[];
beforeAll(async () => {
  await openTracking();
  const [coast] = await recordedTracks();
  track = coast.slice(0, coast.length / 3).filter((_, at) => at % 10 === 0);
  setClock(() => Number(track.at(-1)?.time) * 1_000);
});
afterAll(() => {
  setClock();
  closeDatabase();
});

/** Zones along the track, 300 m around. */
const ZONES = 12;
/** One position in so many jumps away by a kilometre and comes back, as between high walls. */
const NOISE = 23;

async function crossings(confirm_fixes: number, fixes: TrackFix[]): Promise<string[]> {
  sqlite.run("DELETE FROM geofences");
  sqlite.run("DELETE FROM geofence_index");
  for (let n = 0; n < ZONES; n++) {
    const { latitude, longitude } = track[Math.floor(((n + 0.5) * track.length) / ZONES)] as TrackFix;
    await createGeofence(SERVICE, { name: `zone ${n}`, latitude, longitude, radius_km: 0.3, confirm_fixes });
  }
  const device = newDevice();
  await recordPositions("batch", device, fixes);
  return sqlite
    .query<{ event: string; name: string }, [string]>(
      "SELECT event, geofence_name AS name FROM geofence_events WHERE device_id = ? AND event IN ('enter', 'exit') ORDER BY rowid",
    )
    .all(device)
    .map(({ event, name }) => `${event} ${name}`);
}

test("with two positions to confirm, noise tells no crossing that the clean track doesn't have; with one it flaps", async () => {
  const noisy = track.map((fix, at) => (at % NOISE === NOISE - 1 ? { ...fix, ...northOf(fix, 1) } : fix));
  const clean = await crossings(2, track);
  expect(await crossings(2, noisy)).toEqual(clean);
  const flapping = await crossings(1, noisy);
  expect({ clean: clean.length, confirmed: clean.length, flapping: flapping.length }).toEqual({
    clean: 24,
    confirmed: 24,
    flapping: 392,
  });
});
