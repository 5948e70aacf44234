import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Batch,
  joinBody,
  MOST_HEADER,
  NO_HASH,
  readRows,
  type Section,
  splitBody,
  UnknownFormat,
  writeRows,
} from "../../../src/sync/batch/batch";
import { MalformedBatch, Reader, Writer } from "../../../src/sync/batch/bytes";
import { LANES } from "../../../src/sync/batch/lanes";
import { readPositions, type SentPosition, writePositions } from "../../../src/sync/batch/positions";
import { atOnce } from "../../../src/sync/batch/steps";
import { withAllSpeeds } from "../../../src/tracking/ingest/speeds";
import { seaTrack } from "../sea-track";

/** The form of batches: whatever is written is read again, and whatever else is read does no harm. */

const RUNS = Number(process.env.RUNS ?? 300);

const uuid = fc.oneof(
  { weight: 9, arbitrary: fc.uuid({ version: 7 }) },
  { weight: 1, arbitrary: fc.uuid({ version: 4 }) },
);
const time = fc.oneof(
  fc.integer({ min: 0, max: 4_102_444_800 }).map((seconds) => seconds * 1_000),
  fc.integer({ min: 0, max: 4_102_444_800_000 }),
);
const number = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 10),
  fc.constantFrom(0, -0, 1e-12, 54.096_712_345_678_9, 1e300, Number.MAX_SAFE_INTEGER),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const speeds = fc.oneof(
  fc.record({
    speed_mps: maybe(number),
    speed_kmh: maybe(number),
    speed_knots: maybe(number),
    speed_mph: maybe(number),
  }),
  // As the doors store them: one was told, the others follow.
  fc
    .tuple(
      fc.constantFrom("speed_mps", "speed_kmh", "speed_knots", "speed_mph"),
      fc.integer({ min: 0, max: 400 }).map((value) => value / 10),
    )
    .map(([unit, value]) => {
      const { speed_mps, speed_kmh, speed_knots, speed_mph } = withAllSpeeds({
        latitude: 0,
        longitude: 0,
        time: 0,
        [unit]: value,
      });
      return { speed_mps, speed_kmh, speed_knots, speed_mph } as Record<string, number>;
    }),
);
const position = fc
  .tuple(
    fc.record({
      id: uuid,
      device_id: maybe(
        fc.constantFrom("0192f0c1-0000-7000-8000-000000000001", "0192f0c1-0000-7000-8000-000000000002"),
      ),
      trip_id: maybe(uuid),
      timestamp: time,
      created_at: time,
      latitude: number,
      longitude: number,
      source: fc.constantFrom("nmea", "api", "gpx"),
      judgement: maybe(fc.constantFrom("speed", "hand")),
      altitude: maybe(number),
      heading: maybe(number),
      pdop: maybe(number),
      hdop: maybe(number),
      vdop: maybe(number),
      accuracy_m: maybe(number),
      battery_percent: maybe(number),
    }),
    speeds,
    fc.integer({ min: 1, max: 1_000 }),
  )
  .map(([row, speed, step]) => ({ ...row, ...speed, step }));

const numbered = (
  rows: ({ step: number } & Omit<SentPosition, "number">)[],
  after: number,
): SentPosition[] => {
  let last = after;
  return rows.map(({ step, ...row }) => {
    last += step;
    return { ...row, number: last } as SentPosition;
  });
};
const positions = fc.array(position as fc.Arbitrary<{ step: number } & Omit<SentPosition, "number">>, {
  maxLength: 40,
});

function written(rows: SentPosition[], after: number): { columns: Uint8Array; random: Uint8Array } {
  const [columns, random] = [new Writer(), new Writer()];
  atOnce(writePositions(columns, random, rows, after));
  return { columns: columns.done(), random: random.done() };
}

const hash = fc.stringMatching(/^[0-9a-f]{12}$/);
const json = fc.dictionary(
  fc.string({ maxLength: 8 }),
  fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
  {
    maxKeys: 4,
    noNullPrototype: true,
  },
);
const section = (lane: (typeof LANES)[number]): fc.Arbitrary<Section> =>
  fc
    .tuple(
      fc.boolean(),
      fc.integer({ min: 0, max: 1_000_000 }),
      hash,
      fc.array(
        fc.tuple(positions, fc.array(fc.tuple(uuid, maybe(json)), { maxLength: 3 }), hash, fc.boolean()),
        {
          maxLength: 3,
        },
      ),
    )
    .map(([begins, from, first, parts]) => {
      let last = from;
      const chunks = parts.map(([rows, records, end, skips]) => {
        const sent = numbered(rows, last);
        const upTo = (sent.at(-1)?.number ?? last) + 5;
        const chunk = {
          records: records.map(([id, row], at) => ({
            number: at === 0 ? null : last + 1,
            kind: "trip" as const,
            id,
            row,
          })),
          positions: sent,
          skipped: skips ? [{ from: last + 1, to: upTo, rows: 3 }] : [],
          upTo,
          hash: end,
        };
        last = upTo;
        return chunk;
      });
      return { lane, begins, from, hash: first, chunks };
    });

const epoch = fc.stringMatching(/^[0-9a-f]{16}$/);
const natural = fc.integer({ min: 0, max: 10_000_000 });
const batch: fc.Arbitrary<Batch> = fc.record({
  epoch,
  parent: maybe(epoch),
  sequence: fc.integer({ min: 0, max: 2 ** 40 }),
  clock: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  backlog: fc.record({ rows: natural, bytes: natural, ageSeconds: natural }),
  version: fc.stringMatching(/^[0-9a-z.]{1,16}$/),
  remarks: fc.constantFrom({}, { set: { version: 3, error: null } }),
  sections: fc.subarray([...LANES]).chain((lanes) => fc.tuple(...lanes.map(section))),
});

function packed(value: Batch) {
  const { plain, random } = atOnce(writeRows(value));
  return joinBody(value, Bun.zstdCompressSync(plain), plain.length, random);
}

function unpacked(body: Uint8Array): Batch {
  const { head, frame, random } = splitBody(body);
  return { ...head, ...atOnce(readRows(head, Bun.zstdDecompressSync(frame), random)) };
}

describe("positions in columns", () => {
  test("come back as they were, whatever they hold", () => {
    fc.assert(
      fc.property(positions, natural, (rows, after) => {
        const sent = numbered(rows, after);
        const { columns, random } = written(sent, after);
        expect(atOnce(readPositions(new Reader(columns), new Reader(random), after))).toEqual(sent);
      }),
      { numRuns: RUNS, seed: 26 },
    );
  });

  test("take less than 18 bytes each, with their identifiers, as NMEA 0183 tells them", () => {
    const bytesOf = (receiver: "nmea" | "gpsd") => {
      const rows = seaTrack({ devices: 3, fixes: 6_000, receiver });
      const { columns, random } = written(rows, 0);
      return (Bun.zstdCompressSync(columns, { level: 15 }).length + random.length) / rows.length;
    };
    expect(bytesOf("nmea")).toBeLessThan(15);
    // A receiver that tells millimetres tells noise, which doesn't compress.
    expect(bytesOf("gpsd")).toBeLessThan(20);
  });

  test("of a column that this version doesn't know are read without it", () => {
    const rows = seaTrack({ devices: 2, fixes: 50, receiver: "nmea" });
    const { columns, random } = written(rows, 0);
    const more = new Writer();
    more.bytes(columns);
    more.number(999);
    more.sized(new Uint8Array([1, 2, 3]));
    expect(atOnce(readPositions(new Reader(more.done()), new Reader(random), 0))).toEqual(rows);
  });
});

describe("a batch", () => {
  test("comes back as it was", () => {
    fc.assert(
      fc.property(batch, (value) => {
        expect(unpacked(packed(value).body)).toEqual(value);
      }),
      { numRuns: RUNS, seed: 27 },
    );
  });

  test("has a header of at most 120 bytes, with sections of six lanes and the largest numbers of a life", () => {
    const sections = LANES.filter((lane) => lane !== "thinned").map((lane) => ({
      ...{ lane, begins: false, from: 2 ** 34, hash: NO_HASH, chunks: [] },
    }));
    const head = {
      epoch: "0123456789abcdef",
      parent: null,
      sequence: 2 ** 34,
      clock: Date.UTC(2100, 0),
      backlog: { rows: 2 ** 27, bytes: 2 ** 33, ageSeconds: 2 ** 27 },
      version: "10.20.30",
    };
    const { header } = packed({ ...head, sections, remarks: {} });
    expect(header).toBeLessThanOrEqual(MOST_HEADER);
  });

  test("of another version is told apart from what is none", () => {
    const { body } = packed({
      ...{ epoch: "0123456789abcdef", parent: null, sequence: 1, clock: 0, version: "1" },
      backlog: { rows: 0, bytes: 0, ageSeconds: 0 },
      ...{ sections: [], remarks: {} },
    });
    const other = Uint8Array.from(body);
    other[3] = 2;
    expect(() => splitBody(other)).toThrow(UnknownFormat);
    other[0] = 0;
    expect(() => splitBody(other)).toThrow(MalformedBatch);
    expect(() => splitBody(other)).not.toThrow(UnknownFormat);
  });

  test("that is broken anywhere is refused or read, and nothing else", () => {
    fc.assert(
      fc.property(
        batch,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }),
        fc.option(fc.nat(), { nil: null }),
        (value, changes, cut) => {
          const { plain, random } = atOnce(writeRows(value));
          const { body } = joinBody(value, plain, plain.length, random);
          // Broken before it is compressed: zstd itself finds most of what breaks later.
          const broken = Uint8Array.from(cut === null ? body : body.subarray(0, cut % (body.length + 1)));
          for (const [at, byte] of changes) if (broken.length > 0) broken[at % broken.length] = byte;
          try {
            const { head, frame, random: bits } = splitBody(broken);
            atOnce(readRows(head, frame, bits));
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedBatch);
          }
        },
      ),
      { numRuns: RUNS * 5, seed: 28 },
    );
  });
});
