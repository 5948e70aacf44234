import { type Fix, toGpsBody } from "./track";

/** Things around the voyage: zones of all kinds, and a fleet beside the boat that sails. */

/** A vessel that sails the voyage leaves and enters all of these that are circles. */
const CIRCLES = [
  { name: "Lauterbach harbour", latitude: 54.3412, longitude: 13.5066, radius_km: 0.4 },
  { name: "Greifswalder Bodden, middle", latitude: 54.2166, longitude: 13.5415, radius_km: 2 },
  {
    name: "Wieck bridge",
    latitude: 54.0967,
    longitude: 13.4553,
    radius_km: 0.5,
    metadata: { opens: "hourly" },
  },
  { name: "Greifswald museum harbour", latitude: 54.1005, longitude: 13.3932, radius_km: 0.3 },
];

const REGATTA = {
  name: "Regatta area",
  kind: "polygon",
  color: "#b45309",
  geometry: {
    type: "Polygon",
    coordinates: [
      [
        [13.56, 54.235],
        [13.64, 54.245],
        [13.66, 54.29],
        [13.6, 54.3],
        [13.56, 54.235],
      ],
    ],
  },
};

const NATURE = {
  name: "Nature reserve, no anchoring",
  kind: "polygon",
  color: "#15803d",
  geometry: {
    type: "Polygon",
    coordinates: [
      [
        [13.535, 54.318],
        [13.57, 54.312],
        [13.565, 54.33],
        [13.545, 54.333],
        [13.535, 54.318],
      ],
    ],
  },
};

/** The fairway of the last miles, from the recording itself. */
function fairway(voyage: readonly Fix[]): object {
  const inner = voyage.filter(({ latitude }) => latitude < 54.15);
  const step = Math.max(1, Math.ceil(inner.length / 40));
  const coordinates = inner
    .filter((_, at) => at % step === 0)
    .map(({ longitude, latitude }) => [longitude, latitude]);
  return {
    ...{ name: "Fairway to Greifswald", kind: "corridor", color: "#0369a1", width_m: 150 },
    geometry: { type: "LineString", coordinates },
  };
}

export const zonesOf = (voyage: readonly Fix[]): object[] => [...CIRCLES, REGATTA, NATURE, fairway(voyage)];

const METRES_PER_DEGREE = 111_195;

/** The anchor around which a boat swings. */
const ANCHOR = { latitude: 54.3292, longitude: 13.5062 };
const SWING_METRES = 24;

export const ANCHOR_WATCH = { ...ANCHOR, radius_m: 45, warning_radius_m: 35, silence_seconds: 300 };

/** A fix of the boat at anchor at a Unix time: it swings from one side to the other in ten minutes. */
export function atAnchor(time: number): object {
  const angle = ((200 + 40 * Math.sin((time / 600) * 2 * Math.PI)) * Math.PI) / 180;
  const [north, east] = [SWING_METRES * Math.cos(angle), SWING_METRES * Math.sin(angle)];
  const { latitude, longitude } = ANCHOR;
  const place = {
    latitude: latitude + north / METRES_PER_DEGREE,
    longitude: longitude + east / (METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180)),
  };
  const heading = (((angle * 180) / Math.PI) % 360) - 180;
  const fix = { time, ...place, heading: (heading + 360) % 360, speed: 0.05 };
  return { ...toGpsBody(fix, time), accuracy_m: 4, battery_percent: 91 };
}

/** A tender that went back to the harbour and was switched off twelve minutes ago. */
export function ofTender(voyage: readonly Fix[], now: number): object[] {
  const leg = voyage.slice(0, 900).filter((_, at) => at % 10 === 0);
  const last = leg.at(-1)?.time ?? 0;
  return leg.map((fix) => ({ ...toGpsBody(fix, now - 720 - (last - fix.time)), battery_percent: 38 }));
}

/** A van in the depot, silent for three hours; its tracker knows no heading. */
export function ofVan(now: number): object[] {
  return [0, 60, 120].map((seconds) => ({
    ...{ latitude: 54.0869, longitude: 13.4012, timestamp: now - 10_900 + seconds },
    ...{ speed_kmh: 0, speed_mps: 0, speed_mph: 0, speed_knots: 0, accuracy_m: 12, battery_percent: 64 },
  }));
}
