import { isObject, type Json } from "../../kernel/values/json";
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

/** Reads the messages of aisstream: missing fields and fields of another type are ignored. No network. */

type Told = Omit<Report, "mmsi">;

const objectOr = (value: unknown): Json => (isObject(value) ? value : {});

const movement = ({ Latitude, Longitude, Sog, Cog, TrueHeading }: Json): Told => ({
  position: readPosition(Latitude, Longitude),
  speed: readSpeed(Sog),
  course: readCourse(Cog),
  heading: readHeading(TrueHeading),
});

function dimension(value: unknown): Told {
  const { A, B, C, D } = objectOr(value);
  return readDimension({ a: A, b: B, c: C, d: D });
}

const identity = ({ Name, Type, Dimension }: Json): Told => ({
  name: readName(Name),
  ship_type: readShipType(Type),
  ...dimension(Dimension),
});

/** Of its two parts the one that is valid counts. */
function staticData({ ReportA, ReportB }: Json, mmsi: number): Told {
  const [a, b] = [objectOr(ReportA), objectOr(ReportB)];
  return {
    ...(a.Valid === true && { name: readName(a.Name) }),
    ...(b.Valid === true && {
      ship_type: readShipType(b.ShipType),
      ...(!isAuxiliary(mmsi) && dimension(b.Dimension)),
    }),
  };
}

const READERS = new Map<unknown, (message: Json, mmsi: number) => Told>([
  [
    "PositionReport",
    (message) => ({ nav_status: readNavStatus(message.NavigationalStatus), ...movement(message) }),
  ],
  ["StandardClassBPositionReport", movement],
  ["ExtendedClassBPositionReport", (message) => ({ ...movement(message), ...identity(message) })],
  ["ShipStaticData", identity],
  ["StaticDataReport", staticData],
]);

/** The types of messages that tell of vessels, as a subscription names them. */
export const MESSAGE_TYPES = [...READERS.keys()] as string[];

/**
 * A frame of the feed that makes sense: a report about a vessel, null if it says nothing of one, or a
 * refusal.
 */
export type Frame = { report: Report | null } | { refusal: string };

/** Reads a frame. Null for one that makes no sense. */
export function readFrame(text: string): Frame | null {
  const frame = parsed(text);
  if (!isObject(frame)) return null;
  if (frame.error !== undefined) return { refusal: refusalOf(frame.error) };
  const type = frame.MessageType;
  if (typeof type !== "string") return null;
  const message = objectOr(objectOr(frame.Message)[type]);
  const metadata = objectOr(frame.MetaData);
  const mmsi = readMmsi(message.UserID) ?? readMmsi(metadata.MMSI);
  const read = READERS.get(type);
  if (!read || mmsi === null || message.Valid === false) return { report: null };
  return { report: { mmsi, ...read(message, mmsi), known_as: readName(metadata.ShipName) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Known refusals (the documentation and issues of aisstream.io), reworded: the feed's own text might repeat
 * the key.
 */
const REFUSALS: [RegExp, string][] = [
  [/api ?key/i, "it refuses the API key (vessels.api_key)"],
  [/malformed/i, "it refuses the subscription"],
  [/concurrent/i, "the API key has too many connections"],
];

const refusalOf = (error: unknown): string =>
  REFUSALS.find(([pattern]) => typeof error === "string" && pattern.test(error))?.[1] ??
  "it answers with an error";
