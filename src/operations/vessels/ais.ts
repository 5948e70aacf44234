import {
  isAuxiliary,
  type Report,
  readCourse,
  readDimension,
  readHeading,
  readMmsi,
  readName,
  readNavStatus,
  readPosition,
  readShipType,
  readSpeed,
} from "./report";

/**
 * Decodes AIS messages of vessels: ITU-R M.1371-5, Annex 8, messages 1 to 3, 5, 18, 19 and 24. Written by hand:
 * seven message types take a page, and damaged input must yield nothing rather than throw.
 */

/** The bits of a message. A field that the message is too short for is undefined. */
interface Bits {
  unsigned: (start: number, count: number) => number | undefined;
  signed: (start: number, count: number) => number | undefined;
  text: (start: number, characters: number) => string | undefined;
}

/** The six bits of a payload's character (IEC 61162-1, payload armouring). */
const sixBits = (code: number): number => (code < 96 ? code - 48 : code - 56);

function bitsOf(payload: string, fillBits: number): Bits {
  const length = payload.length * 6 - fillBits;
  const unsigned = (start: number, count: number) => {
    if (start + count > length) return undefined;
    let value = 0;
    for (let bit = start; bit < start + count; bit++) {
      const six = sixBits(payload.charCodeAt(Math.floor(bit / 6)));
      value = value * 2 + ((six >> (5 - (bit % 6))) & 1);
    }
    return value;
  };
  const signed = (start: number, count: number) => {
    const value = unsigned(start, count);
    return value !== undefined && value >= 2 ** (count - 1) ? value - 2 ** count : value;
  };
  const text = (start: number, characters: number) => {
    if (start + 6 * characters > length) return undefined;
    const codes = Array.from({ length: characters }, (_, at) => unsigned(start + 6 * at, 6) ?? 0);
    return String.fromCharCode(...codes.map((code) => (code < 32 ? code + 64 : code)));
  };
  return { unsigned, signed, text };
}

const scaled = (value: number | undefined, divisor: number): number | undefined =>
  value === undefined ? undefined : value / divisor;

/**
 * `speed` and `place` are the first bits of speed and longitude: latitude, course and heading follow the
 * longitude at the same distances in messages 1 to 3, 18 and 19.
 */
function movement({ unsigned, signed }: Bits, speed: number, place: number): Omit<Report, "mmsi"> {
  return {
    speed: readSpeed(scaled(unsigned(speed, 10), 10)),
    position: readPosition(scaled(signed(place + 28, 27), 600_000), scaled(signed(place, 28), 600_000)),
    course: readCourse(scaled(unsigned(place + 55, 12), 10)),
    heading: readHeading(unsigned(place + 67, 9)),
  };
}

function dimension({ unsigned }: Bits, start: number) {
  return readDimension({
    a: unsigned(start, 9),
    b: unsigned(start + 9, 9),
    c: unsigned(start + 18, 6),
    d: unsigned(start + 24, 6),
  });
}

const classA = (bits: Bits) => ({
  nav_status: readNavStatus(bits.unsigned(38, 4)),
  ...movement(bits, 50, 61),
});

const voyage = (bits: Bits) => ({
  name: readName(bits.text(112, 20)),
  ship_type: readShipType(bits.unsigned(232, 8)),
  ...dimension(bits, 240),
});

const classB = (bits: Bits) => movement(bits, 46, 57);

const extendedClassB = (bits: Bits) => ({
  ...classB(bits),
  name: readName(bits.text(143, 20)),
  ship_type: readShipType(bits.unsigned(263, 8)),
  ...dimension(bits, 271),
});

function staticClassB(bits: Bits, mmsi: number): Omit<Report, "mmsi"> {
  const part = bits.unsigned(38, 2);
  if (part === 0) return { name: readName(bits.text(40, 20)) };
  if (part !== 1) return {};
  return {
    ship_type: readShipType(bits.unsigned(40, 8)),
    ...(!isAuxiliary(mmsi) && dimension(bits, 132)),
  };
}

const DECODERS = new Map<number | undefined, (bits: Bits, mmsi: number) => Omit<Report, "mmsi">>([
  [1, classA],
  [2, classA],
  [3, classA],
  [5, voyage],
  [18, classB],
  [19, extendedClassB],
  [24, staticClassB],
]);

/**
 * Decodes a message's whole payload in its armour, less the fill bits at its end. Null for messages of other
 * types, and for one that names no vessel.
 */
export function decodeMessage(payload: string, fillBits: number): Report | null {
  const bits = bitsOf(payload, fillBits);
  const decode = DECODERS.get(bits.unsigned(0, 6));
  const mmsi = readMmsi(bits.unsigned(8, 30));
  return decode && mmsi !== null ? { mmsi, ...decode(bits, mmsi) } : null;
}
