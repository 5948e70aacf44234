import { beforeAll, describe, expect, test } from "bun:test";
import { type Leg, Machine, type Resumption, type TrackFix } from "../../../src/tracking/timeline/machine";
import { randomFrom } from "../../support/random";
import { below } from "../crossings/support";
import { DEFAULTS, type Fix, legsOf, type Measures } from "./reference";
import { anyMeasures, isUndecided, pieceOf, recordings } from "./tracks";

let tracks: Fix[][];
beforeAll(async () => {
  tracks = await recordings();
});

const toMachine = ({ radiusM, stopMinutes, gapMinutes }: Measures) => ({
  ...{ stopRadiusM: radiusM, stopMs: stopMinutes * 60_000, gapMs: gapMinutes * 60_000 },
});
const toTrack = ({ latitude, longitude, time, speed_kmh = null }: Fix): TrackFix => ({
  ...{ latitude, longitude, time: time * 1_000, speedKmh: speed_kmh },
});

function decide(fixes: Fix[], measures: Measures, resumption: Resumption | null = null): [Leg[], Machine] {
  const machine = new Machine(toMachine(measures), resumption);
  return [fixes.flatMap((fix) => machine.take(toTrack(fix))), machine];
}

const kindsOf = (legs: Leg[]) => legs.map(({ kind, to }) => `${to.time / 1_000} ${kind}`);
const expectedKinds = (fixes: Fix[], measures: Measures) =>
  legsOf(fixes, measures).map((kind, at) => `${(fixes[at + 1] as Fix).time} ${kind}`);

describe("the machine", () => {
  test("divides pieces of recordings as the definition does, after each of their fixes", () => {
    const seen = { move: 0, stop: 0, gap: 0 };
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomFrom(seed);
      const fixes = pieceOf(tracks, random);
      const measures = anyMeasures(random);
      if (isUndecided(fixes, measures)) continue;
      const end = seed % 3 === 0 ? below(random, fixes.length) + 1 : fixes.length;
      const seenFixes = fixes.slice(0, end);
      const [legs, machine] = decide(seenFixes, measures);
      const all = [...legs, ...machine.pending()];
      expect({ seed, legs: kindsOf(all) }).toEqual({ seed, legs: expectedKinds(seenFixes, measures) });
      for (const { kind } of all) seen[kind]++;
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
  });

  test("never takes back a decision", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomFrom(900 + seed);
      const fixes = pieceOf(tracks, random);
      const measures = anyMeasures(random);
      const whole = kindsOf(decide(fixes, measures)[0]);
      const begun = kindsOf(decide(fixes.slice(0, below(random, fixes.length)), measures)[0]);
      expect(whole.slice(0, begun.length)).toEqual(begun);
    }
  });

  test("goes on from any decided fix", () => {
    for (let seed = 1; seed <= 120; seed++) {
      const random = randomFrom(5_000 + seed);
      const fixes = pieceOf(tracks, random);
      const measures = anyMeasures(random);
      const [legs, machine] = decide(fixes, measures);
      if (legs.length < 2) continue;
      const at = below(random, legs.length - 1);
      const [leg, next] = [legs[at] as Leg, legs[at + 1] as Leg];
      const isStop = leg.kind === "stop";
      const first = legs.slice(0, at + 1).findLastIndex(({ kind }) => kind !== "stop") + 1;
      const resumption = {
        last: leg.to,
        stop: isStop && next.kind === "stop" ? (legs[first] as Leg).from : null,
        hasStopped: isStop && next.kind !== "stop",
      };
      const rest = fixes.filter(({ time }) => time * 1_000 > leg.to.time);
      const [again, resumed] = decide(rest, measures, resumption);
      expect({ seed, legs: kindsOf([...again, ...resumed.pending()]) }).toEqual({
        seed,
        legs: kindsOf([...legs.slice(at + 1), ...machine.pending()]),
      });
    }
  });

  test("takes the place of one who stays for the fix before and the fix after a silence", () => {
    const at = (time: number, north = 0): Fix => ({ time, latitude: 54 + north, longitude: 13 });
    // Two days at the berth with one message a day are a stop; two days after which it is elsewhere, a gap.
    expect(decide([at(0), at(86_400), at(172_800)], DEFAULTS)[0].map(({ kind }) => kind)).toEqual([
      "stop",
      "stop",
    ]);
    const [legs, machine] = decide([at(0), at(86_400, 1), at(86_401, 1)], DEFAULTS);
    expect([...legs, ...machine.pending()].map(({ kind }) => kind)).toEqual(["gap", "move"]);
  });

  test("holds no more than the fixes of a stop's least duration", () => {
    const machine = new Machine(toMachine(DEFAULTS));
    let most = 0;
    for (let time = 0; time < 20_000; time++) {
      // A walk of one metre a second.
      machine.take(toTrack({ time, latitude: 54 + time * 9e-6, longitude: 13 }));
      most = Math.max(most, machine.size);
    }
    expect(most).toBeLessThan(1_000);
  });
});
