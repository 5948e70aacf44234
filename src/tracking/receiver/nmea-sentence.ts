import { checksum } from "../../kernel/feeds/lines";
import { dilution, isPlace } from "./reader";

/** The sentences of NMEA 0183 (IEC 61162-1) in which a receiver tells of its own vessel. */

/** The values that a sentence holds; null or absent where it leaves them out. */
export interface Values {
  /** Degrees. */
  latitude?: number;
  longitude?: number;
  /** Metres above mean sea level. */
  altitude?: number | null;
  /** Degrees true. */
  heading?: number | null;
  speed_knots?: number | null;
  pdop?: number | null;
  hdop?: number | null;
  vdop?: number | null;
}

export interface Sentence {
  talker: string;
  /** Seconds since midnight UTC; null in one that has no time. */
  timeOfDay: number | null;
  /** Midnight of its date, Unix seconds; null in one without a date that makes sense. */
  date: number | null;
  /** True for a fix, false for none; null in a sentence that says nothing about that. */
  isFix: boolean | null;
  values: Values;
}

/** Anything framed as a sentence, anywhere in its line: a TAG block may stand before it. */
const FRAME = /\$(?<body>[A-Z][^$!*]*)\*(?<sum>[0-9A-Fa-f]{2})/g;

/** Talkers of radios, which tell of other stations, and P, which begins the sentences of a manufacturer. */
const FOREIGN = /^(?:C[DRSTVX]|P)/;

/** The sentences about the own vessel in a line, and how many had a wrong checksum or were cut short. */
export function sentencesIn(line: string): { sentences: Sentence[]; framed: number; broken: number } {
  const sentences: Sentence[] = [];
  let framed = 0;
  let broken = 0;
  for (const { groups } of line.matchAll(FRAME)) {
    const body = groups?.body ?? "";
    if (checksum(body) !== Number.parseInt(groups?.sum ?? "", 16)) {
      broken++;
      continue;
    }
    framed++;
    const sentence = readBody(body);
    if (sentence) sentences.push(sentence);
  }
  if (framed + broken === 0 && /\$[A-Z]{2}/.test(line)) broken++;
  return { sentences, framed, broken };
}

function readBody(body: string): Sentence | null {
  const [address = "", ...fields] = body.split(",");
  const [talker, type] = [address.slice(0, 2), address.slice(2)];
  const read = Object.hasOwn(READERS, type) && !FOREIGN.test(talker) ? READERS[type as Type] : null;
  if (!read) return null;
  // Fields are counted from 1, as in the standard.
  const field = (number: number): string => fields[number - 1]?.trim() ?? "";
  return { talker, timeOfDay: null, date: null, isFix: null, ...read(field, fields.length) };
}

type Type = keyof typeof READERS;
type Field = (number: number) => string;
type Told = Omit<Partial<Sentence>, "values"> & { values: Values };

const READERS = {
  RMC(field: Field): Told {
    const values = { speed_knots: speed(field(7)), heading: degrees(field(8)), ...place(field, 3) };
    // A navigational status of V (field 13) only says that the receiver gives none.
    const isFix = field(2) === "A" && isMeasured(field(12)) && isPlaced(values);
    return { timeOfDay: timeOfDay(field(1)), date: shortDate(field(9)), isFix, values };
  },
  GGA(field: Field): Told {
    const values = {
      hdop: dilution(number(field(8))),
      altitude: field(10) === "" || field(10) === "M" ? number(field(9)) : null,
      ...place(field, 2),
    };
    // 6 is estimated, 7 typed in, 8 simulated. The number of satellites is 00 in good fixes of some receivers.
    const isFix = /^[1-5]$/.test(field(6)) && isPlaced(values);
    return { timeOfDay: timeOfDay(field(1)), isFix, values };
  },
  GLL(field: Field): Told {
    const values = place(field, 1);
    const isFix = field(6) === "A" && isMeasured(field(7)) && isPlaced(values);
    return { timeOfDay: timeOfDay(field(5)), isFix, values };
  },
  GNS(field: Field): Told {
    const values = { hdop: dilution(number(field(8))), altitude: number(field(9)), ...place(field, 2) };
    // One letter for each system.
    const modes = field(6);
    const isFix = /[ADPRF]/.test(modes) && !modes.includes("S") && isPlaced(values);
    return { timeOfDay: timeOfDay(field(1)), isFix, values };
  },
  VTG(field: Field, count: number): Told {
    // The old form has the four numbers without a letter after each.
    const knots = count <= 4 ? field(3) : field(5);
    return isMeasured(field(9))
      ? { values: { heading: degrees(field(1)), speed_knots: speed(knots) } }
      : NONE;
  },
  GSA(field: Field): Told {
    const at = (number_: number) => dilution(number(field(number_)));
    return { values: { pdop: at(15), hdop: at(16), vdop: at(17) } };
  },
  ZDA(field: Field): Told {
    const date = dateOf(field(4), field(3), field(2));
    return { timeOfDay: timeOfDay(field(1)), date, values: {} };
  },
} satisfies Record<string, (field: Field, count: number) => Told>;

const NONE: Told = { values: {} };

// --- Fields -----------------------------------------------------------------------------------------------

const number = (text: string): number | null => (/^-?\d+(?:\.\d*)?$/.test(text) ? Number(text) : null);

const speed = (text: string): number | null => {
  const knots = number(text);
  return knots !== null && knots >= 0 ? knots : null;
};

const degrees = (text: string): number | null => {
  const value = number(text);
  return value !== null && value >= 0 && value <= 360 ? value : null;
};

/**
 * The mode of a fix that was measured: autonomous, differential, precise, real-time kinematic. Not so E, dead
 * reckoning, M, typed in, S, simulated, and N. Sentences older than version 2.3 have none.
 */
const isMeasured = (mode: string): boolean => mode === "" || /^[ADPRF]$/.test(mode);

const isPlaced = ({ latitude }: Values): boolean => latitude !== undefined;

/** A place in four fields from `first` on: ddmm.mm, N or S, dddmm.mm, E or W. Empty unless it is one on Earth. */
function place(field: Field, first: number): Pick<Values, "latitude" | "longitude"> {
  const latitude = angle(field(first), field(first + 1), "N", "S");
  const longitude = angle(field(first + 2), field(first + 3), "E", "W");
  return latitude !== null && longitude !== null && isPlace(latitude, longitude)
    ? { latitude, longitude }
    : {};
}

function angle(text: string, letter: string, positive: string, negative: string): number | null {
  const value = number(text);
  if (value === null || value < 0 || (letter !== positive && letter !== negative)) return null;
  const whole = Math.trunc(value / 100);
  const minutes = value - 100 * whole;
  if (minutes >= 60) return null;
  const size = Math.round((whole + minutes / 60) * 1e9) / 1e9;
  return letter === negative && size !== 0 ? -size : size;
}

function timeOfDay(text: string): number | null {
  const [, hours, minutes, seconds] = /^(\d\d)(\d\d)(\d\d(?:\.\d*)?)$/.exec(text) ?? [];
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  // A leap second is 60.
  return h < 24 && m < 60 && s < 61 ? h * 3_600 + m * 60 + s : null;
}

/** ddmmyy; receivers of the system's first years are gone, and their 69 to 99 are a week count that rolled over. */
function shortDate(text: string): number | null {
  const [, day = "", month = "", year = ""] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  return year === "" ? null : dateOf(`${Number(year) < 69 ? 20 : 19}${year}`, month, day);
}

function dateOf(year: string, month: string, day: string): number | null {
  if (![year, month, day].every((part) => /^\d{1,4}$/.test(part))) return null;
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const date = new Date(Date.UTC(y, m - 1, d));
  const isReal = date.getUTCFullYear() === y && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
  return isReal ? date.getTime() / 1_000 : null;
}
