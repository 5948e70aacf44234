import { effect } from "@preact/signals";
import type { Feature, FeatureCollection, Point } from "geojson";
import type { GeoJSONSource, LngLatBoundsLike } from "maplibre-gl";
import { ageOf, fleet, watchFixes } from "../fleet";
import { go } from "../route";
import { present } from "../times";
import type { Stage } from "./stage";
import { FONT } from "./style";

/** The devices on the map: a sign with heading, name and age. */

const SOURCE = "fleet";

/** The sign of a craft as a distance field, which layers colour. */
function drawArrow(): ImageData {
  const size = 48;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser draws no canvas");
  context.beginPath();
  context.moveTo(size / 2, 4);
  context.lineTo(size - 10, size - 6);
  context.lineTo(size / 2, size - 15);
  context.lineTo(10, size - 6);
  context.closePath();
  context.fill();
  return context.getImageData(0, 0, size, size);
}

function featuresOf(): FeatureCollection<Point> {
  const features: Feature<Point>[] = [];
  for (const [id, { device, fix }] of fleet.peek()) {
    const at = fix.peek();
    if (!at) continue;
    features.push({
      type: "Feature",
      geometry: { type: "Point", coordinates: [at.longitude, at.latitude] },
      properties: { id, name: device.peek().name, heading: at.heading ?? 0, age: ageOf(at, present.peek()) },
    });
  }
  return { type: "FeatureCollection", features };
}

/** Milliseconds between two drawings of what has moved. */
const PACE = 250;

export function drawFleet({ map, add }: Stage): void {
  const fill = () => map.getSource<GeoJSONSource>(SOURCE)?.setData(featuresOf());
  add({
    name: SOURCE,
    order: 50,
    sources: () => ({ [SOURCE]: { type: "geojson", data: featuresOf() } }),
    layers: (palette) => [
      {
        id: `${SOURCE}-signs`,
        type: "symbol",
        source: SOURCE,
        layout: {
          "icon-image": "craft",
          "icon-rotate": ["get", "heading"],
          "icon-rotation-alignment": "map",
          "icon-allow-overlap": true,
          "text-field": ["get", "name"],
          "text-font": FONT,
          "text-size": 13,
          "text-offset": [0, 1.4],
          "text-optional": true,
        },
        paint: {
          "icon-color": [
            "match",
            ["get", "age"],
            "fresh",
            palette.craft,
            "old",
            palette.craftOld,
            palette.craftLost,
          ],
          "text-color": palette.text,
          "text-halo-color": palette.halo,
          "text-halo-width": 1.5,
        },
      },
    ],
    fill: () => {
      if (!map.hasImage("craft")) map.addImage("craft", drawArrow(), { sdf: true, pixelRatio: 2 });
      fill();
    },
  });

  let isDue = false;
  watchFixes(() => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      fill();
    }, PACE);
  });
  effect(() => {
    present.value;
    fleet.value;
    fill();
  });

  let isPlaced = false;
  effect(() => {
    if (isPlaced || fleet.value.size === 0) return;
    const points = featuresOf().features.map(({ geometry }) => geometry.coordinates as [number, number]);
    if (points.length === 0) return;
    isPlaced = true;
    const [west, south] = [Math.min(...points.map(([x]) => x)), Math.min(...points.map(([, y]) => y))];
    const [east, north] = [Math.max(...points.map(([x]) => x)), Math.max(...points.map(([, y]) => y))];
    const bounds: LngLatBoundsLike = [west, south, east, north];
    map.fitBounds(bounds, { padding: 80, maxZoom: 11, animate: false });
  });

  map.on("click", `${SOURCE}-signs`, ({ features }) => {
    const id = features?.[0]?.properties.id as string | undefined;
    if (id) go(["devices", id]);
  });
}
