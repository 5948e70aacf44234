import { expect, test } from "bun:test";
import { withAllSpeeds } from "../../../src/tracking/ingest/speeds";

const HERE = { latitude: 54, longitude: 13, time: 1_777_887_000 };
const NONE = { speed_mps: null, speed_kmh: null, speed_mph: null, speed_knots: null };

test("one speed gives the others, and the one that was told stays as it is", () => {
  expect(withAllSpeeds({ ...HERE, speed_knots: 10 })).toMatchObject({
    speed_knots: 10,
    speed_kmh: 18.52,
    speed_mps: 5.144444,
    speed_mph: 11.507794,
  });
});

test("a speed beyond all that moves is none, so that no unit of it is infinite", () => {
  for (const speed of [100_001, 1e303, Number.MAX_VALUE])
    expect(withAllSpeeds({ ...HERE, speed_mps: speed })).toEqual({ ...HERE, ...NONE });
  expect(withAllSpeeds({ ...HERE, speed_mps: 100_000 })).toMatchObject({ speed_kmh: 360_000 });
});
