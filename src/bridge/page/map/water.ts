import { effect } from "@preact/signals";
import type { FeatureCollection } from "geojson";
import type { GeoJSONSource } from "maplibre-gl";
import { chosenOther } from "../chosen";
import { number } from "../units";
import { followWater, nearbyStation, type Station } from "../water";
import { drawingOf } from "./canvas";
import type { Stage } from "./stage";
import { FONT } from "./style";
import { onTap } from "./taps";

/** The water level near by: a sign with its value and where it is going. */

const SOURCE = "water-level";
const SIGN = "water-sign";

/** A trend as an arrow. */
export const arrowOf = (trend: Station["trend"]): string =>
  trend === null ? "" : trend > 0 ? "↗" : trend < 0 ? "↘" : "→";

function drawSign(colour: string, paper: string): ImageData {
  const context = drawingOf(44);
  context.fillStyle = paper;
  context.strokeStyle = colour;
  context.lineWidth = 4;
  context.beginPath();
  context.roundRect(3, 3, 38, 38, 9);
  context.fill();
  context.stroke();
  context.lineCap = "round";
  for (const y of [17, 28]) context.stroke(new Path2D(`M11 ${y}c4-5 7-5 11 0s7 5 11 0`));
  return context.getImageData(0, 0, 44, 44);
}

const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

/** Draws the water level. Returns the function that takes it away. */
export function drawWater(stage: Stage): () => void {
  const { map, add, palette } = stage;
  const data = (): FeatureCollection => {
    const station = nearbyStation.value;
    if (!station || station.latitude === null || station.longitude === null) return EMPTY;
    const level =
      station.level_cm === null ? "–" : `${number(station.level_cm)} cm ${arrowOf(station.trend)}`;
    return {
      type: "FeatureCollection",
      features: [
        {
          type: "Feature",
          geometry: { type: "Point", coordinates: [station.longitude, station.latitude] },
          properties: { level },
        },
      ],
    };
  };
  const fill = () => {
    const level = data();
    const source = map.getSource<GeoJSONSource>(SOURCE);
    if (!source) return;
    if (!map.hasImage(SIGN))
      map.addImage(SIGN, drawSign(palette().craft, palette().paper), { pixelRatio: 2 });
    void source.setData(level);
  };
  const ends = [
    followWater(),
    add({
      name: SOURCE,
      order: 35,
      sources: () => ({ [SOURCE]: { type: "geojson", data: EMPTY } }),
      layers: ({ craft, halo }) => [
        {
          id: SOURCE,
          type: "symbol",
          source: SOURCE,
          layout: {
            "icon-image": SIGN,
            "icon-allow-overlap": true,
            "text-field": ["get", "level"],
            "text-font": FONT,
            "text-size": 13,
            "text-anchor": "left",
            "text-offset": [1.1, 0],
            "text-optional": true,
          },
          paint: { "text-color": craft, "text-halo-color": halo, "text-halo-width": 1.6 },
        },
      ],
      fill,
    }),
    effect(fill),
    onTap(stage, [SOURCE], () => {
      chosenOther.value = "station";
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
