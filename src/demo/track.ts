import recording from "./lauterbach-greifswald-2013-06-30.csv.gz" with { type: "file" };

/** One fix of a recorded voyage. */
export interface Fix {
  /** Unix seconds. */
  time: number;
  latitude: number;
  longitude: number;
  /** Degrees true. */
  heading: number;
  /** Metres per second. */
  speed: number;
}

/** The whole recording, oldest first: see ORIGIN.md. */
export async function readTrack(): Promise<Fix[]> {
  const csv = new TextDecoder().decode(Bun.gunzipSync(await Bun.file(recording).bytes()));
  return csv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [time, latitude, longitude, , heading, speed] = line.split(",").map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      return { time, latitude, longitude, heading, speed };
    });
}

/** Slower than this, a boat drifts at its berth. */
const UNDER_WAY = 1;
/** Seconds kept of the time at the berth, before and after the voyage. */
const MARGIN_SECONDS = 60;

/** The part of a recording in which the vessel is under way, with a minute at either berth. */
export function underWay(track: Fix[]): Fix[] {
  const first = track.findIndex((fix) => fix.speed >= UNDER_WAY);
  const last = track.findLastIndex((fix) => fix.speed >= UNDER_WAY);
  return track.slice(Math.max(0, first - MARGIN_SECONDS), last + 1 + MARGIN_SECONDS);
}

/** The same voyage sailed back: positions in reverse, at the same pace. */
export function reversed(track: Fix[]): Fix[] {
  const [first, last] = [track[0]?.time ?? 0, track.at(-1)?.time ?? 0];
  return track
    .toReversed()
    .map((fix) => ({ ...fix, time: first + (last - fix.time), heading: (fix.heading + 180) % 360 }));
}

const KMH_PER_MPS = 3.6;
const MPH_PER_KMH = 1 / 1.609344;
const KNOTS_PER_KMH = 1 / 1.852;

const round = (value: number) => Math.round(value * 1_000) / 1_000;

/** The body of POST /v1/gps for a fix, at another time. */
export function toGpsBody(fix: Fix, timestamp: number) {
  const kmh = fix.speed * KMH_PER_MPS;
  return {
    latitude: fix.latitude,
    longitude: fix.longitude,
    heading: fix.heading,
    timestamp,
    speed_mps: fix.speed,
    speed_kmh: round(kmh),
    speed_mph: round(kmh * MPH_PER_KMH),
    speed_knots: round(kmh * KNOTS_PER_KMH),
  };
}
