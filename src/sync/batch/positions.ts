import { bytesOfUuid, MalformedBatch, Reader, uuidAt, Writer } from "./bytes";
import { readDecimals, writeDecimals } from "./decimals";
import { readIds, writeIds } from "./ids";
import { bitsOf, readIntegers, writeIntegers } from "./integers";
import { readSpeeds, type Speeds, writeSpeeds } from "./speeds";

/**
 * Positions by columns: what resembles lies together, and compresses well. Each column bears its number and its length, so that a
 * reader leaves out those that it doesn't know, and takes for null what isn't there.
 */

const DECIMALS = ["altitude", "heading", "pdop", "hdop", "vdop", "accuracy_m", "battery_percent"] as const;

/** A position on its way. */
export interface SentPosition extends Speeds, Record<(typeof DECIMALS)[number], number | null> {
  /** Its number in its lane. */
  number: number;
  id: string;
  device_id: string | null;
  trip_id: string | null;
  /** Epoch milliseconds. */
  timestamp: number;
  created_at: number;
  /** Degrees. */
  latitude: number;
  longitude: number;
  source: string;
  judgement: string | null;
}

/** The numbers of columns: none may be given to another column. */
const COLUMN = {
  number: 1,
  device: 2,
  trip: 3,
  timestamp: 4,
  created: 5,
  id: 6,
  latitude: 7,
  longitude: 8,
  speeds: 9,
  source: 10,
  judgement: 11,
  altitude: 12,
  heading: 13,
  pdop: 14,
  hdop: 15,
  vdop: 16,
  accuracy_m: 17,
  battery_percent: 18,
} as const;

/** Positions of one block at most. */
export const MOST_POSITIONS = 65_536;

/** Lists of columns that are written or read one by one, with other work between two of them. */
type Steps<T> = Generator<undefined, T>;

// --- Columns ----------------------------------------------------------------------------------------------

/** Groups all the same. */
const alike = (length: number): number[] => new Array<number>(length).fill(0);

/** A column of texts of which few differ: first the different ones, then the place of each, one more than in that list; 0 for null. */
function writeChoices(
  to: Writer,
  values: readonly (string | null)[],
  write: (to: Writer, value: string) => void,
): void {
  const places = new Map<string, number>();
  for (const value of values) if (value !== null && !places.has(value)) places.set(value, places.size + 1);
  to.number(places.size);
  for (const value of places.keys()) write(to, value);
  const chosen = values.map((value) => (value === null ? 0 : (places.get(value) as number)));
  writeIntegers(to, chosen, alike(chosen.length));
}

function readChoices(from: Reader, count: number, read: (from: Reader) => string): (string | null)[] {
  const values: string[] = [];
  for (let left = from.count(count); left > 0; left--) values.push(read(from));
  return readIntegers(from, alike(count)).map((place) => {
    if (place === 0) return null;
    const value = values[place - 1];
    if (value === undefined) throw new MalformedBatch("a choice is none of the list");
    return value;
  });
}

const writeUuid = (to: Writer, uuid: string): void => to.bytes(bytesOfUuid(uuid));
const readUuid = (from: Reader): string => uuidAt(from.bytes(16));
const writeText = (to: Writer, text: string): void => to.text(text);
const readText = (from: Reader): string => from.text();

/** Differences of each number from the one before, the first from `from`. */
const steps = (numbers: readonly number[], from: number): number[] =>
  numbers.map((number, at) => number - (at === 0 ? from : (numbers[at - 1] as number)));

const SECOND = 1_000;

/** Times, in seconds if all of them are whole ones. */
function writeTimes(to: Writer, times: readonly number[], groups: readonly number[]): void {
  const isWhole = times.every((time) => time % SECOND === 0);
  to.byte(isWhole ? 1 : 0);
  writeIntegers(to, isWhole ? times.map((time) => time / SECOND) : times, groups);
}

function readTimes(from: Reader, groups: readonly number[]): number[] {
  const factor = from.byte() === 1 ? SECOND : 1;
  return readIntegers(from, groups).map((time) => time * factor);
}

/** The times at which positions were stored: by themselves, or as the delay since the fix. */
function writeCreated(
  to: Writer,
  created: readonly number[],
  times: readonly number[],
  groups: readonly number[],
): void {
  const delays = created.map((time, at) => time - (times[at] as number));
  const areDelays = bitsOf(delays, groups) < bitsOf(created, groups);
  to.byte(areDelays ? 1 : 0);
  writeIntegers(to, areDelays ? delays : created, groups);
}

function readCreated(from: Reader, times: readonly number[], groups: readonly number[]): number[] {
  const areDelays = from.byte() === 1;
  return readIntegers(from, groups).map((time, at) => (areDelays ? time + (times[at] as number) : time));
}

// --- The block --------------------------------------------------------------------------------------------

/**
 * Writes positions, ordered by their numbers, of which the first is above `after`. Random bits go to `random`: they can't be
 * compressed. Yields between columns.
 */
export function* writePositions(
  to: Writer,
  random: Writer,
  rows: readonly SentPosition[],
  after: number,
): Steps<void> {
  to.number(rows.length);
  const devices = new Map<string | null, number>();
  const groups = rows.map(({ device_id }) => {
    const known = devices.get(device_id);
    if (known !== undefined) return known;
    devices.set(device_id, devices.size);
    return devices.size - 1;
  });
  const times = rows.map(({ timestamp }) => timestamp);
  const created = rows.map(({ created_at }) => created_at);
  const columns: [number: number, write: (column: Writer) => void, isNeeded?: boolean][] = [
    [
      COLUMN.number,
      (column) =>
        writeIntegers(
          column,
          steps(
            rows.map(({ number }) => number),
            after,
          ),
          alike(rows.length),
        ),
    ],
    [
      COLUMN.device,
      (column) =>
        writeChoices(
          column,
          rows.map(({ device_id }) => device_id),
          writeUuid,
        ),
    ],
    [
      COLUMN.trip,
      (column) =>
        writeChoices(
          column,
          rows.map(({ trip_id }) => trip_id),
          writeUuid,
        ),
      rows.some(({ trip_id }) => trip_id !== null),
    ],
    [COLUMN.timestamp, (column) => writeTimes(column, times, groups)],
    [COLUMN.created, (column) => writeCreated(column, created, times, groups)],
    [
      COLUMN.id,
      (column) =>
        writeIds(
          column,
          random,
          rows.map(({ id }) => id),
          created,
        ),
    ],
    [
      COLUMN.latitude,
      (column) =>
        writeDecimals(
          column,
          rows.map(({ latitude }) => latitude),
          groups,
        ),
    ],
    [
      COLUMN.longitude,
      (column) =>
        writeDecimals(
          column,
          rows.map(({ longitude }) => longitude),
          groups,
        ),
    ],
    [COLUMN.speeds, (column) => writeSpeeds(column, rows, groups)],
    [
      COLUMN.source,
      (column) =>
        writeChoices(
          column,
          rows.map(({ source }) => source),
          writeText,
        ),
    ],
    [
      COLUMN.judgement,
      (column) =>
        writeChoices(
          column,
          rows.map(({ judgement }) => judgement),
          writeText,
        ),
      rows.some(({ judgement }) => judgement !== null),
    ],
    ...DECIMALS.map((name): [number, (column: Writer) => void, boolean] => [
      COLUMN[name],
      (column) =>
        writeDecimals(
          column,
          rows.map((row) => row[name]),
          groups,
        ),
      rows.some((row) => row[name] !== null),
    ]),
  ];
  for (const [number, write, isNeeded = true] of columns) {
    if (!isNeeded) continue;
    const column = new Writer();
    write(column);
    to.number(number);
    to.sized(column.done());
    yield;
  }
}

/** Reads positions. Yields between columns. Throws MalformedBatch. */
export function* readPositions(from: Reader, random: Reader, after: number): Steps<SentPosition[]> {
  const count = from.count(MOST_POSITIONS);
  const columns = new Map<number, Reader>();
  while (from.left > 0) columns.set(from.number(), new Reader(from.sized()));
  const column = (name: keyof typeof COLUMN): Reader => {
    const found = columns.get(COLUMN[name]);
    if (!found) throw new MalformedBatch(`the column ${COLUMN[name]} is missing`);
    return found;
  };
  const has = (name: keyof typeof COLUMN): boolean => columns.has(COLUMN[name]);
  let last = after;
  const numbers = readIntegers(column("number"), alike(count)).map((step) => {
    last += step;
    if (step < 1 || !Number.isSafeInteger(last)) throw new MalformedBatch("numbers don't rise");
    return last;
  });
  const devices = readChoices(column("device"), count, readUuid);
  const places = new Map<string | null, number>();
  const groups = devices.map((device) => {
    if (!places.has(device)) places.set(device, places.size);
    return places.get(device) as number;
  });
  yield;
  const nothing = new Array<null>(count).fill(null);
  const trips = has("trip") ? readChoices(column("trip"), count, readUuid) : nothing;
  const times = readTimes(column("timestamp"), groups);
  yield;
  const created = readCreated(column("created"), times, groups);
  yield;
  const ids = readIds(column("id"), random, created);
  yield;
  const latitudes = readDecimals(column("latitude"), groups);
  yield;
  const longitudes = readDecimals(column("longitude"), groups);
  yield;
  const speeds = readSpeeds(column("speeds"), groups);
  yield;
  const sources = readChoices(column("source"), count, readText);
  const judgements = has("judgement") ? readChoices(column("judgement"), count, readText) : nothing;
  const decimals: (readonly (number | null)[])[] = [];
  for (const name of DECIMALS) {
    decimals.push(has(name) ? readDecimals(column(name), groups) : nothing);
    yield;
  }
  const [altitudes, headings, pdops, hdops, vdops, accuracies, batteries] = decimals as (number | null)[][];
  return numbers.map((number, at): SentPosition => {
    const [latitude, longitude, source] = [latitudes[at], longitudes[at], sources[at]];
    if (typeof latitude !== "number" || typeof longitude !== "number" || typeof source !== "string")
      throw new MalformedBatch("a position has no place or no source");
    return {
      number,
      id: ids[at] as string,
      device_id: devices[at] ?? null,
      trip_id: trips[at] ?? null,
      timestamp: times[at] as number,
      created_at: created[at] as number,
      latitude,
      longitude,
      ...(speeds[at] as Speeds),
      source,
      judgement: judgements[at] ?? null,
      altitude: altitudes?.[at] ?? null,
      heading: headings?.[at] ?? null,
      pdop: pdops?.[at] ?? null,
      hdop: hdops?.[at] ?? null,
      vdop: vdops?.[at] ?? null,
      accuracy_m: accuracies?.[at] ?? null,
      battery_percent: batteries?.[at] ?? null,
    };
  });
}
