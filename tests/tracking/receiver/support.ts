import { isRejected, type Reading } from "../../../src/tracking/ingest/fix";
import type { Reader } from "../../../src/tracking/receiver/reader";
import { eventually, expectStatus } from "../../support/expectations";
import type { TestServer } from "../../support/server";

/** A sentence of NMEA 0183 with its checksum; `body` is the part between `$` and `*`. */
export function nmea(body: string): string {
  const sum = Buffer.from(body, "latin1").reduce((all, byte) => all ^ byte, 0);
  return `$${body}*${sum.toString(16).toUpperCase().padStart(2, "0")}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** hhmmss of a time in Unix seconds. */
export const clockOf = (time: number): string => {
  const date = new Date(time * 1_000);
  return [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join("");
};

/** ddmmyy of a time in Unix seconds. */
export const dayOf = (time: number): string => {
  const date = new Date(time * 1_000);
  return [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear() % 100].map(two).join("");
};

/** ddmm.mmmmmm,N and the like. */
function angle(degrees: number, digits: number, letters: string): string {
  const size = Math.abs(degrees);
  const whole = Math.floor(size);
  const minutes = ((size - whole) * 60).toFixed(6).padStart(9, "0");
  return `${String(whole).padStart(digits, "0")}${minutes},${letters[degrees < 0 ? 1 : 0]}`;
}

export interface OwnFix {
  latitude: number;
  longitude: number;
  /** Unix seconds. */
  time: number;
  knots?: number;
  course?: number;
}

export const placeOf = ({ latitude, longitude }: OwnFix): string =>
  `${angle(latitude, 2, "NS")},${angle(longitude, 3, "EW")}`;

/** The RMC of a fix, or of none. */
export const rmc = (fix: OwnFix, { status = "A", mode = "A", talker = "GP" } = {}): string =>
  nmea(
    `${talker}RMC,${clockOf(fix.time)},${status},${placeOf(fix)},${fix.knots ?? 0},${fix.course ?? ""},${dayOf(fix.time)},,,${mode}`,
  );

/** The readings of lines or messages, the last one included. */
export const read = (reader: Reader, ...texts: string[]): Reading[] => [
  ...texts.flatMap((text) => reader.take(text).readings),
  ...reader.flush(),
];

/** All that was told of a fix: it without the values that are null. */
export const told = (reading: Reading): object =>
  isRejected(reading)
    ? reading
    : Object.fromEntries(Object.entries(reading).filter(([, value]) => value !== null));

/** All positions, oldest first. */
export async function positions(server: TestServer, deviceId?: string) {
  const path = `/v1/gps?limit=100${deviceId === undefined ? "" : `&device_id=${deviceId}`}`;
  const answer = await server.get(path, { token: await server.admin() });
  return expectStatus(answer, 200).body.data.toReversed();
}

/** The positions once there are this many. */
export async function stored(server: TestServer, count: number, deviceId?: string) {
  await eventually(async () => (await positions(server, deviceId)).length >= count);
  return positions(server, deviceId);
}

/** The times of positions in Unix seconds. */
export const timesOf = (points: { timestamp: string }[]): number[] =>
  points.map(({ timestamp }) => Date.parse(timestamp) / 1_000);

/** All devices, oldest first. */
export async function devices(server: TestServer) {
  const answer = await server.get("/v1/devices", { token: await server.admin() });
  return expectStatus(answer, 200).body.data.toReversed();
}

/** The state of the receiver, and of the server as a whole, by /health. */
export async function healthOf(server: TestServer) {
  const { status, services } = expectStatus(await server.get("/health"), 200).body;
  return { server: status, ...services.position };
}
