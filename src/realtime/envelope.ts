import protobuf from "protobufjs";
import {
  fieldNumber,
  type Head,
  type PayloadName,
  payloadNumbers,
  typeOf,
} from "../../proto/fairlead/ws/v1/codec";
import { lazy } from "../kernel/values/lazy";

/**
 * Reads a binary frame's tags alone: it may hold thousands of messages, and is decoded only if its sender may
 * send it.
 */

/** The head of a part of a sync's answer. */
export interface SyncHead {
  requestId: string;
  /** Guilds, channels, roles and members. */
  records: number;
  more: boolean;
}

/**
 * Most fields of one message, apart from the records of a sync: known clients send a dozen, and each costs
 * time.
 */
const MAX_FIELDS = 100;

const WIRE = { varint: 0, bytes: 2 } as const;

/** Reads a field and returns true, or leaves it to be skipped. */
type Visit = (reader: protobuf.Reader, number: number, wire: number) => boolean;

/**
 * Visits the fields of a message. Throws if the bytes can't be decoded. Returns false if there are more than
 * `most`.
 */
function walk(bytes: Uint8Array, most: number, visit: Visit): boolean {
  const reader = protobuf.Reader.create(bytes);
  for (let seen = 0; reader.pos < reader.len; seen++) {
    if (seen === most) return false;
    const tag = reader.tag();
    const [number, wire] = [tag >>> 3, tag & 7];
    if (!visit(reader, number, wire)) reader.skipType(wire, 0, number);
  }
  return true;
}

export const NO_ENVELOPE = "The frame is no WsEnvelope";

/**
 * The head of a frame, or an error text for its sender. The last payload counts, and one of a kind that comes
 * in several pieces is all of these (protobuf.dev, "Encoding", "Last One Wins"). The payload decides; a type
 * that contradicts it is refused (rule W4).
 */
export function headOf(frame: Uint8Array): Head | string {
  const names = payloadNumbers();
  let [type, name]: [number, PayloadName | undefined] = [0, undefined];
  let pieces: Uint8Array[] = [];
  const visit: Visit = (reader, number, wire) => {
    if (number === 1 && wire === WIRE.varint) {
      type = reader.int32();
      return true;
    }
    const found = wire === WIRE.bytes ? names.get(number) : undefined;
    if (found === undefined) return false;
    const size = reader.size();
    const start = reader.pos;
    reader.skip(size);
    if (found !== name) pieces = [];
    name = found;
    pieces.push(frame.subarray(start, start + size));
    return true;
  };
  try {
    if (!walk(frame, MAX_FIELDS, visit)) return "The envelope holds too many fields";
  } catch {
    return NO_ENVELOPE;
  }
  if (name === undefined) return "The envelope holds no payload";
  if (type !== 0 && type !== typeOf(name)) return `The type ${type} contradicts the payload ${name}`;
  const [only] = pieces;
  return { name, bytes: pieces.length === 1 && only ? only : Buffer.concat(pieces) };
}

/** True if a payload has no more fields than any known client sends. Throws if the bytes can't be decoded. */
export const isSmall = ({ bytes }: Head): boolean => walk(bytes, MAX_FIELDS, () => false);

/** The identifier of a request that asks for an answer; null if it can't be read. */
export function requestIdOf({ name, bytes }: Head): string | null {
  const field = fieldNumber(name, "requestId");
  let requestId = "";
  const visit: Visit = (reader, number, wire) => {
    if (number !== field || wire !== WIRE.bytes) return false;
    requestId = reader.stringVerify();
    return true;
  };
  try {
    return walk(bytes, MAX_FIELDS, visit) ? requestId : null;
  } catch {
    return null;
  }
}

const syncFields = lazy(() => {
  const number = (field: string) => fieldNumber("communitySyncResponse", field);
  const records = new Set(["guilds", "channels", "roles", "members"].map(number));
  return { requestId: number("requestId"), records, more: number("more") };
});

/** The head of a part of a sync's answer; null if it can't be read. */
export function syncHeadOf({ bytes }: Head): SyncHead | null {
  const fields = syncFields();
  const head: SyncHead = { requestId: "", records: 0, more: false };
  const visit: Visit = (reader, number, wire) => {
    if (number === fields.requestId && wire === WIRE.bytes) head.requestId = reader.stringVerify();
    else if (number === fields.more && wire === WIRE.varint) head.more = reader.bool();
    else {
      if (wire === WIRE.bytes && fields.records.has(number)) head.records++;
      return false;
    }
    return true;
  };
  try {
    walk(bytes, Number.POSITIVE_INFINITY, visit);
    return head;
  } catch {
    return null;
  }
}
