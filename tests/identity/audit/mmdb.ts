/**
 * Writes databases in MaxMind's format (MaxMind DB File Format 2.0) that say one thing of every address,
 * private ones among them, as no published database does.
 */

type Value = string | number | bigint | Value[] | { [key: string]: Value };

const TYPES = { string: 2, uint32: 6, map: 7, uint64: 9, array: 11 };

/** The control byte of a value: its type, and its size where that is below 29. */
function control(type: number, size: number): Buffer {
  if (size >= 29) throw new Error("only small values can be written");
  return Buffer.from(type < 8 ? [(type << 5) | size] : [size, type - 7]);
}

function encode(value: Value): Buffer {
  if (typeof value === "string") {
    const text = Buffer.from(value);
    return Buffer.concat([control(TYPES.string, text.length), text]);
  }
  if (typeof value === "number") {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(value);
    return Buffer.concat([control(TYPES.uint32, 4), number]);
  }
  if (typeof value === "bigint") {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(value);
    return Buffer.concat([control(TYPES.uint64, 8), number]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(TYPES.array, value.length), ...value.map(encode)]);
  const members = Object.entries(value);
  return Buffer.concat([control(TYPES.map, members.length), ...members.flat().map(encode)]);
}

/** A database of one node, both branches of which lead to this record. */
export function databaseOf(record: Value, databaseType = "Test-City"): Buffer {
  const nodes = 1;
  const leaf = [0, 0, nodes + 16];
  const metadata = {
    node_count: nodes,
    record_size: 24,
    ip_version: 6,
    database_type: databaseType,
    languages: ["en"],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_770_000_000n,
    description: { en: "one record for all" },
  };
  return Buffer.concat([
    Buffer.from([...leaf, ...leaf]),
    Buffer.alloc(16),
    encode(record),
    Buffer.from("\xab\xcd\xefMaxMind.com", "latin1"),
    encode(metadata),
  ]);
}
