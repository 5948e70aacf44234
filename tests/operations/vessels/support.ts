import type { Report } from "../../../src/operations/vessels/report";

/** AIS messages as a transponder makes them, written from ITU-R M.1371 independently of the decoder. */

/** A field of a message: its value and the bits that it takes; a negative value in two's complement. */
type Field = [value: number, bits: number];

const toBits = ([value, bits]: Field): string =>
  (BigInt(value) & ((1n << BigInt(bits)) - 1n)).toString(2).padStart(bits, "0");

/** 6-bit text of `characters` characters, filled up with `@`. */
export const sixBitText = (text: string, characters: number): Field[] =>
  [...text.padEnd(characters, "@").slice(0, characters)].map((character) => [
    character.charCodeAt(0) % 64,
    6,
  ]);

const ARMOUR = "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVW`abcdefghijklmnopqrstuvw";

/** A message in its armour, and how many bits fill up its last character. */
export function armoured(bits: string): { payload: string; fillBits: number } {
  const fillBits = (6 - (bits.length % 6)) % 6;
  const padded = bits + "0".repeat(fillBits);
  const payload = (padded.match(/.{6}/g) ?? []).map((six) => ARMOUR[Number.parseInt(six, 2)]).join("");
  return { payload, fillBits };
}

export const message = (...fields: Field[]): string => fields.map(toBits).join("");

/** A line with its checksum; `body` is the part between `!` and `*`. */
export function line(body: string): string {
  const sum = Buffer.from(body, "latin1").reduce((all, byte) => all ^ byte, 0);
  return `!${body}*${sum.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** The sentence of a message that fits into one. */
export function sentence(bits: string, talker = "AIVDM"): string {
  const { payload, fillBits } = armoured(bits);
  return line(`${talker},1,1,,A,${payload},${fillBits}`);
}

/** The sentences of a message in `total` parts. */
export function parts(bits: string, total: number, sequence: number | "" = 1, channel = "A"): string[] {
  const { payload, fillBits } = armoured(bits);
  const size = Math.ceil(payload.length / total);
  return Array.from({ length: total }, (_, at) => {
    const text = payload.slice(at * size, (at + 1) * size);
    const fill = at === total - 1 ? fillBits : 0;
    return line(`AIVDM,${total},${at + 1},${sequence},${channel},${text},${fill}`);
  });
}

/** Raw values as they are sent: a position report of class A, at Greifswald by default. */
export const classA = (mmsi: number, raw: Partial<typeof CLASS_A> & { type?: number } = {}): string => {
  const { status, turn, speed, longitude, latitude, course, heading } = { ...CLASS_A, ...raw };
  return message(
    ...([
      [raw.type ?? 1, 6],
      [0, 2],
      [mmsi, 30],
      [status, 4],
      [turn, 8],
      [speed, 10],
      [1, 1],
    ] as Field[]),
    ...([
      [longitude, 28],
      [latitude, 27],
      [course, 12],
      [heading, 9],
    ] as Field[]),
    ...([
      [25, 6],
      [0, 2],
      [0, 3],
      [0, 1],
      [49_323, 19],
    ] as Field[]),
  );
};
const CLASS_A = {
  ...{ status: 0, turn: 0, speed: 84, longitude: 13.4553 * 600_000, latitude: 54.0967 * 600_000 },
  ...{ course: 2601, heading: 258 },
};

const DIMENSION = { a: 67, b: 33, c: 19, d: 1 };
const dimension = ({ a, b, c, d }: typeof DIMENSION): Field[] => [
  [a, 9],
  [b, 9],
  [c, 6],
  [d, 6],
];

/** Static and voyage data of class A: 424 bits. */
export const voyage = (mmsi: number, name: string, type = 70, size: Partial<typeof DIMENSION> = {}): string =>
  message(
    ...([
      [5, 6],
      [0, 2],
      [mmsi, 30],
      [0, 2],
      [9_074_729, 30],
    ] as Field[]),
    ...sixBitText("CALL", 7),
    ...sixBitText(name, 20),
    [type, 8],
    ...dimension({ ...DIMENSION, ...size }),
    ...([
      [1, 4],
      [0, 4],
      [0, 5],
      [24, 5],
      [60, 6],
      [52, 8],
    ] as Field[]),
    ...sixBitText("ROTTERDAM", 20),
    ...([
      [0, 1],
      [0, 1],
    ] as Field[]),
  );

/** A position report of class B (18), or the extended one (19) with a name, type and dimension. */
export function classB(
  mmsi: number,
  raw: Partial<typeof CLASS_A> = {},
  extended?: { name: string; type: number; size?: Partial<typeof DIMENSION> },
): string {
  const { speed, longitude, latitude, course, heading } = { ...CLASS_A, ...raw };
  const common: Field[] = [
    ...([
      [extended ? 19 : 18, 6],
      [0, 2],
      [mmsi, 30],
      [0, 8],
      [speed, 10],
      [0, 1],
    ] as Field[]),
    ...([
      [longitude, 28],
      [latitude, 27],
      [course, 12],
      [heading, 9],
      [25, 6],
    ] as Field[]),
  ];
  if (!extended) return message(...common, [0, 29]);
  return message(
    ...common,
    [0, 4],
    ...sixBitText(extended.name, 20),
    [extended.type, 8],
    ...dimension({ ...DIMENSION, ...extended.size }),
    ...([
      [1, 4],
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 4],
    ] as Field[]),
  );
}

/** Static data, part A: the name. */
export const partA = (mmsi: number, name: string): string =>
  message(
    ...([
      [24, 6],
      [0, 2],
      [mmsi, 30],
      [0, 2],
    ] as Field[]),
    ...sixBitText(name, 20),
    [0, 8],
  );

/** Static data, part B: type and dimension; for an auxiliary craft the dimension's bits are its mother ship's MMSI. */
export const partB = (mmsi: number, type: number, size: Partial<typeof DIMENSION> = {}): string =>
  message(
    ...([
      [24, 6],
      [0, 2],
      [mmsi, 30],
      [1, 2],
      [type, 8],
    ] as Field[]),
    ...sixBitText("VND", 3),
    [0, 24],
    ...sixBitText("CALL", 7),
    ...dimension({ ...DIMENSION, ...size }),
    [0, 6],
  );

/** The fields of a report, without those that are undefined. */
export const said = (report: Report | null): object | null =>
  report && Object.fromEntries(Object.entries(report).filter(([, value]) => value !== undefined));
