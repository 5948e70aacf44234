import type { SentPosition } from "../../src/sync/batch/positions";
import { withAllSpeeds } from "../../src/tracking/ingest/speeds";
import { randomFrom } from "../support/random";

/** Boats that sail, as receivers tell of them: with the noise of a receiver, and the decimals of its protocol. */

const METRES_PER_DEGREE = 111_320;
const KNOT = 1_852 / 3_600;

export interface SeaTrack {
  devices: number;
  /** Of all devices together. */
  fixes: number;
  /** `nmea` tells ten-thousandths of a minute and tenths of a knot, `gpsd` centimetres and millimetres a second. */
  receiver: "nmea" | "gpsd";
  /** Seconds between two fixes of a device. */
  interval?: number;
  /** Epoch milliseconds of the first fix. */
  start?: number;
  seed?: number;
}

const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;

/** Degrees as an NMEA sentence tells them and its reader understands them. */
function toMinutes(degrees: number): number {
  const whole = Math.trunc(degrees);
  return rounded(whole + rounded((degrees - whole) * 60, 4) / 60, 9);
}

function uuid7(time: number, random: () => number): string {
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
  const stamp = time.toString(16).padStart(12, "0");
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
}

/** Positions of some boats in turn, numbered from 1 on. */
export function seaTrack({
  devices,
  fixes,
  receiver,
  interval = 10,
  start,
  seed = 1,
}: SeaTrack): SentPosition[] {
  const random = randomFrom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const begun = start ?? Date.UTC(2026, 4, 4, 8);
  const boats = Array.from({ length: devices }, (_, at) => ({
    id: uuid7(begun - 86_400_000, random),
    trip: at === 0 ? uuid7(begun, random) : null,
    latitude: 54.1 + random(),
    longitude: 13.4 + random(),
    course: random() * 360,
    knots: 5,
    north: 0,
    east: 0,
  }));
  return Array.from({ length: fixes }, (_, at): SentPosition => {
    const boat = boats[at % devices] as (typeof boats)[number];
    const timestamp = begun + Math.floor(at / devices) * interval * 1_000;
    boat.course = (boat.course + normal() * 2 + 360) % 360;
    boat.knots = Math.max(0, boat.knots + normal() * 0.15);
    const metres = boat.knots * KNOT * interval;
    const radians = (boat.course * Math.PI) / 180;
    const perDegree = METRES_PER_DEGREE * Math.cos((boat.latitude * Math.PI) / 180);
    boat.latitude += (metres * Math.cos(radians)) / METRES_PER_DEGREE;
    boat.longitude += (metres * Math.sin(radians)) / perDegree;
    // The error of a receiver wanders.
    boat.north = boat.north * 0.95 + normal() * 0.3;
    boat.east = boat.east * 0.95 + normal() * 0.3;
    const [latitude, longitude] = [
      boat.latitude + boat.north / METRES_PER_DEGREE,
      boat.longitude + boat.east / perDegree,
    ];
    const told =
      receiver === "nmea"
        ? { speed_knots: rounded(boat.knots, 1) }
        : { speed_mps: rounded(boat.knots * KNOT, 3) };
    const { speed_mps, speed_kmh, speed_knots, speed_mph } = withAllSpeeds({
      ...{ latitude: 0, longitude: 0, time: 0 },
      ...told,
    });
    const created_at = timestamp + 200 + Math.floor(random() * 80);
    return {
      number: at + 1,
      id: uuid7(created_at, random),
      device_id: boat.id,
      trip_id: boat.trip,
      timestamp,
      created_at,
      latitude: receiver === "nmea" ? toMinutes(latitude) : rounded(latitude, 7),
      longitude: receiver === "nmea" ? toMinutes(longitude) : rounded(longitude, 7),
      speed_mps: speed_mps as number,
      speed_kmh: speed_kmh as number,
      speed_knots: speed_knots as number,
      speed_mph: speed_mph as number,
      source: receiver,
      judgement: null,
      altitude: rounded(3 + normal(), receiver === "nmea" ? 1 : 3),
      heading: rounded(boat.course, receiver === "nmea" ? 1 : 4) % 360,
      pdop: null,
      hdop: rounded(0.9 + Math.abs(normal()) * 0.1, receiver === "nmea" ? 1 : 2),
      vdop: null,
      accuracy_m: null,
      battery_percent: null,
    };
  });
}
