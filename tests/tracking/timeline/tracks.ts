import { below, type Random, recordedTracks } from "../crossings/support";
import { greatCircleKm } from "../support";
import type { Fix, Measures } from "./reference";

export const recordings = recordedTracks;

/**
 * A piece of a recorded track, thinned out, with pauses in which the receiver stays where it is or is silent, and speeds that it
 * tells here and there.
 */
export function pieceOf(tracks: readonly Fix[][], random: Random): Fix[] {
  const track = tracks[below(random, tracks.length)] as Fix[];
  const every = 1 + below(random, 30);
  const length = Math.min(20 + below(random, 200), Math.floor(track.length / every) - 1);
  const begin = below(random, track.length - length * every);
  const fixes: Fix[] = [];
  let later = 0;
  for (let n = 0; n < length; n++) {
    const { time, ...place } = track[begin + n * every] as Fix;
    const speed_kmh = random() < 0.3 ? Math.round(400 * random()) / 10 : null;
    fixes.push({ ...place, time: time + later, speed_kmh });
    if (random() < 0.03) later += Math.round(60 * 10 ** (random() * 3));
    if (random() < 0.02)
      for (const last = time + later + below(random, 900); time + later < last; ) {
        later += 1 + below(random, 120);
        const drift = () => (random() - 0.5) * 0.0012;
        const { latitude, longitude } = place;
        fixes.push({ latitude: latitude + drift(), longitude: longitude + drift(), time: time + later });
      }
  }
  return fixes.filter(({ time }, at) => at === 0 || time > (fixes[at - 1] as Fix).time);
}

/** Measures with which a track has several segments of each kind. */
export const anyMeasures = (random: Random): Measures => ({
  radiusM: 10 + below(random, 200),
  stopMinutes: 1 + below(random, 8),
  gapMinutes: 1 + below(random, 40),
});

/** True if a distance in a track is so near to the radius that rounding would decide. */
export const isUndecided = (fixes: readonly Fix[], { radiusM }: Measures): boolean =>
  fixes.some((a, n) =>
    fixes.slice(n + 1, n + 60).some((b) => Math.abs(greatCircleKm(a, b) * 1_000 - radiusM) < 1e-6),
  );
