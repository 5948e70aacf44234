import { effect } from "@preact/signals";
import type { Feature, FeatureCollection } from "geojson";
import type { ExpressionSpecification, GeoJSONSource, LayerSpecification } from "maplibre-gl";
import { present } from "../times";
import { followTrails, trails, watchTrails } from "../trails";
import { drawnElsewhere } from "./current";
import { hueOf, isLarge, pause } from "./fleet";
import { paced } from "./paced";
import { seenOn } from "./seen";
import type { Stage } from "./stage";
import { BANDS, type Part, partsOf } from "./trail";

/**
 * The trails of today, which fade with age. What is behind is drawn rarely; the end of each, which grows with every position, is a
 * source of its own: so the cost of a second doesn't grow with the day.
 */

const PAST = "trails";
const TIPS = "trail-tips";

/** Milliseconds after which the ends are drawn as the past. */
const pauseOfPast = (): number => (isLarge() ? 120_000 : 30_000);

/** Opacities of the bands of age. */
const OPACITIES = [0.95, 0.75, 0.55, 0.4, 0.28];

const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

const featureOf = (id: string, { band, line }: Part): Feature => ({
  type: "Feature",
  geometry: { type: "LineString", coordinates: line },
  properties: { id, band, hue: hueOf(id) },
});

/** Draws the trails. Returns the function that takes them away. */
export function drawTrails(stage: Stage): () => void {
  const { map, add } = stage;
  /** Points of the last piece of each trail that are drawn as the past, and the number of pieces then. */
  const folded = new Map<string, { pieces: number; points: number }>();
  const moved = new Set<string>();
  /** True while ends have grown, but not so far that it is seen. */
  let isBehind = false;
  const seen = seenOn(map, () => {
    if (isBehind) drawTipsSoon();
  });

  const fold = () => {
    const features: Feature[] = [];
    const now = Date.now() / 1_000;
    moved.clear();
    isBehind = false;
    for (const [id, { pieces }] of trails) {
      folded.set(id, { pieces: pieces.length, points: pieces.at(-1)?.length ?? 0 });
      if (drawnElsewhere.devices.peek().has(id)) continue;
      for (const part of partsOf(pieces, now)) features.push(featureOf(id, part));
    }
    map.getSource<GeoJSONSource>(PAST)?.setData({ type: "FeatureCollection", features });
    map.getSource<GeoJSONSource>(TIPS)?.setData(EMPTY);
  };
  const drawTips = () => {
    const features: Feature[] = [];
    const now = Date.now() / 1_000;
    isBehind = false;
    for (const id of moved) {
      if (drawnElsewhere.devices.peek().has(id)) continue;
      const pieces = trails.get(id)?.pieces ?? [];
      const { pieces: known, points } = folded.get(id) ?? { pieces: 0, points: 0 };
      const tips = pieces.slice(Math.max(0, known - 1));
      // The last point before a fold may have given way to another.
      const from = Math.max(0, points - 2);
      const [first = [], ...rest] = tips;
      const ends = known > 0 ? [first.slice(from), ...rest] : tips;
      for (const part of partsOf(ends, now)) features.push(featureOf(id, part));
      const end = pieces.at(-1)?.at(-1);
      if (end) seen.draw(id, end[0], end[1], 0);
    }
    map.getSource<GeoJSONSource>(TIPS)?.setData({ type: "FeatureCollection", features });
  };

  const drawTipsSoon = paced(drawTips, () => (isLarge() ? 10_000 : pause()));

  const layersOf = (source: string, hues: readonly string[]): LayerSpecification => {
    const opacity: ExpressionSpecification = [
      "match",
      ["get", "band"],
      ...BANDS.flatMap((_, band) => [band, OPACITIES[band] as number]),
      OPACITIES.at(-1) as number,
    ] as unknown as ExpressionSpecification;
    return {
      id: source,
      type: "line",
      source,
      layout: { "line-cap": "round", "line-join": "round" },
      paint: {
        "line-color": ["to-color", ["at", ["get", "hue"], ["literal", [...hues]]]],
        "line-opacity": opacity,
        "line-width": ["interpolate", ["linear"], ["zoom"], 6, 1.4, 12, 2.6, 16, 3.4],
      },
    };
  };
  const ends = [
    seen.end,
    followTrails(),
    add({
      name: PAST,
      order: 30,
      sources: () => ({
        [PAST]: { type: "geojson", data: EMPTY, tolerance: 0.5 },
        [TIPS]: { type: "geojson", data: EMPTY, tolerance: 0.5 },
      }),
      layers: ({ hues }) => [layersOf(PAST, hues), layersOf(TIPS, hues)],
      fill: fold,
    }),
  ];
  const foldSoon = paced(fold, () => (isLarge() ? 5_000 : 300));
  let foldedAt = Date.now();
  ends.push(
    watchTrails((id, isNew) => {
      if (isNew) return foldSoon();
      moved.add(id);
      isBehind = true;
      const end = trails.get(id)?.pieces.at(-1)?.at(-1);
      if (end && seen.isMove(id, end[0], end[1], 0)) drawTipsSoon();
    }),
    effect(() => {
      drawnElsewhere.devices.value;
      foldSoon();
    }),
    effect(() => {
      present.value;
      if (Date.now() - foldedAt < pauseOfPast()) return;
      foldedAt = Date.now();
      foldSoon();
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}
