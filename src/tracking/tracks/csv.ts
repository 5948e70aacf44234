import type { Fix } from "./fixes";
import { seconds } from "./fixes";
import type { Writer } from "./format";

/** CSV (RFC 4180) with the columns that the import reads. */

const COLUMNS = [
  ...["latitude", "longitude", "timestamp", "altitude", "heading", "speed_mps"],
  ...["accuracy_m", "battery_percent", "pdop", "hdop", "vdop"],
];

export const writeCsv: Writer = async function* (_, parts) {
  yield `${COLUMNS.join(",")}\r\n`;
  for await (const part of parts) yield part.map(([fix]) => lineOf(fix)).join("");
};

function lineOf([, timestamp, latitude, longitude, altitude, speed, heading, ...others]: Fix): string {
  const fields = [latitude, longitude, seconds(timestamp), altitude, heading, speed, ...others];
  return `${fields.map((field) => field ?? "").join(",")}\r\n`;
}
