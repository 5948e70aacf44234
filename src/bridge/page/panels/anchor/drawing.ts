import { effect, type ReadonlySignal } from "@preact/signals";
import type { Feature, FeatureCollection } from "geojson";
import type { GeoJSONSource, MapMouseEvent, MapTouchEvent } from "maplibre-gl";
import type { AnchorWatch } from "../../anchors";
import type { Fix } from "../../fleet";
import { prefersStillness } from "../../looks";
import { bearingDeg, boundsOf, circle, destination, distanceKm } from "../../map/geometry";
import type { Stage } from "../../map/stage";
import { FONT } from "../../map/style";
import { holdTaps } from "../../map/taps";

/** The anchor on the map while its panel is open: its circles, the boat's way to it, and a handle for its radius. */

type Place = readonly [longitude: number, latitude: number];

export interface Shape {
  anchor: Place;
  radiusM: number;
  warningM: number | null;
  boat: Place | null;
  isAlarm: boolean;
}

/** What may be done to the anchor by a pointer. */
export interface Hands {
  onRadius: (metres: number) => void;
  onPlace: (place: Place) => void;
  /** True while a tap on the map puts the anchor there. */
  takesTaps: () => boolean;
}

export const shapeOf = (watch: AnchorWatch, fix: Fix | null): Shape => ({
  anchor: [watch.longitude, watch.latitude],
  radiusM: watch.radius_m,
  warningM: watch.warning_radius_m,
  boat: fix && [fix.longitude, fix.latitude],
  isAlarm: watch.state === "dragging" || watch.state === "silent",
});

const NAME = "anchor-edit";
const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

/** Bounds of a radius, in metres, as the API has them. */
const LEAST = 5;
const MOST = 5_000;

/** A circle of some metres is too small to be held at the zoom that the coast suffices for. */
const MAX_ZOOM = 20;

/** Pixels around a pointer in which a handle is taken: half of a thumb. */
const REACH = 22;

const line = (kind: string, coordinates: Place[]): Feature => ({
  type: "Feature",
  geometry: { type: "LineString", coordinates: coordinates.map((at) => [...at]) },
  properties: { kind },
});

const point = (kind: string, at: Place, text = ""): Feature => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [...at] },
  properties: { kind, text },
});

const ring = (kind: string, anchor: Place, metres: number): Feature => ({
  type: "Feature",
  geometry: { type: "Polygon", coordinates: circle([...anchor], metres / 1_000) },
  properties: { kind },
});

function featuresOf(
  { anchor, radiusM, warningM, boat, isAlarm }: Shape,
  handle: Place | null,
): FeatureCollection {
  const features = [ring(isAlarm ? "alarm" : "radius", anchor, radiusM)];
  if (warningM !== null) features.push(ring("warning", anchor, warningM));
  if (boat) features.push(line("way", [anchor, boat]));
  features.push(point("anchor", anchor));
  if (handle) features.push(point("handle", handle, `${Math.round(radiusM)} m`));
  return { type: "FeatureCollection", features };
}

const ANCHOR = new Path2D("M12 8v12M7 12h10M12 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5 14c0 4 3 6 7 6s7-2 7-6");

/** The sign of the anchor, which layers colour. */
function drawSign(): ImageData {
  const size = 72;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser draws no canvas");
  context.scale(size / 24, size / 24);
  context.lineWidth = 2.4;
  context.lineCap = context.lineJoin = "round";
  context.stroke(ANCHOR);
  return context.getImageData(0, 0, size, size);
}

/** Draws the anchor as it is; with hands, it can be moved and resized. Returns the function that takes it away. */
export function drawAnchor(stage: Stage, shape: ReadonlySignal<Shape | null>, hands?: Hands): () => void {
  const { map, add } = stage;
  // The handle stays in the direction in which it was left.
  let direction = 90;
  const fill = () => {
    const now = shape.peek();
    const handle = now && hands ? destination(now.anchor, direction, now.radiusM / 1_000) : null;
    map.getSource<GeoJSONSource>(NAME)?.setData(now ? featuresOf(now, handle) : EMPTY);
  };
  const kind = (...names: string[]) => ["in", ["get", "kind"], ["literal", names]] as never;
  const remove = add({
    name: NAME,
    order: 70,
    // A circle of some metres keeps its corners: it would become a diamond.
    sources: () => ({ [NAME]: { type: "geojson", data: EMPTY, tolerance: 0 } }),
    layers: (palette) => [
      {
        id: `${NAME}-area`,
        type: "fill",
        source: NAME,
        filter: kind("radius", "alarm"),
        paint: {
          "fill-color": ["match", ["get", "kind"], "alarm", palette.alarm, palette.craft],
          "fill-opacity": 0.12,
        },
      },
      {
        id: `${NAME}-ring`,
        type: "line",
        source: NAME,
        filter: kind("radius", "alarm"),
        paint: {
          "line-color": ["match", ["get", "kind"], "alarm", palette.alarm, palette.craft],
          "line-width": ["match", ["get", "kind"], "alarm", 5, 3],
        },
      },
      {
        id: `${NAME}-warning`,
        type: "line",
        source: NAME,
        filter: kind("warning"),
        paint: { "line-color": palette.warning, "line-width": 2, "line-dasharray": [3, 2] },
      },
      {
        id: `${NAME}-way`,
        type: "line",
        source: NAME,
        filter: kind("way"),
        paint: { "line-color": palette.craft, "line-width": 1.5, "line-dasharray": [1, 2] },
      },
      {
        id: `${NAME}-handle`,
        type: "circle",
        source: NAME,
        filter: kind("handle"),
        paint: {
          "circle-radius": 12,
          "circle-color": palette.chosen,
          "circle-stroke-color": palette.paper,
          "circle-stroke-width": 3,
        },
      },
      {
        id: `${NAME}-text`,
        type: "symbol",
        source: NAME,
        filter: kind("handle"),
        layout: {
          "text-field": ["get", "text"],
          "text-font": FONT,
          "text-size": 15,
          "text-offset": [0, 1.6],
          "text-allow-overlap": true,
        },
        paint: { "text-color": palette.chosen, "text-halo-color": palette.halo, "text-halo-width": 2 },
      },
      {
        id: `${NAME}-sign`,
        type: "symbol",
        source: NAME,
        filter: kind("anchor"),
        layout: { "icon-image": "anchor", "icon-allow-overlap": true },
        paint: { "icon-color": palette.chosen, "icon-halo-color": palette.halo, "icon-halo-width": 1 },
      },
    ],
    fill: () => {
      if (!map.hasImage("anchor")) map.addImage("anchor", drawSign(), { sdf: true, pixelRatio: 2.5 });
      fill();
    },
  });
  const former = map.getMaxZoom();
  map.setMaxZoom(Math.max(former, MAX_ZOOM));
  const stop = effect(() => {
    shape.value;
    fill();
  });
  const letGo = hands
    ? takeInHand(stage, shape, hands, (bearing) => {
        direction = bearing;
      })
    : () => {};
  return () => {
    letGo();
    stop();
    remove();
    map.setMaxZoom(former);
  };
}

/** Lets pointers move the handle and the anchor, and put the anchor at a place. */
function takeInHand(
  { map }: Stage,
  shape: ReadonlySignal<Shape | null>,
  { onRadius, onPlace, takesTaps }: Hands,
  turn: (direction: number) => void,
): () => void {
  const freeTaps = holdTaps();
  let held: "handle" | "anchor" | null = null;
  const begin = (event: MapMouseEvent | MapTouchEvent) => {
    if ("points" in event && event.points.length > 1) return;
    const { x, y } = event.point;
    const [hit] = map.queryRenderedFeatures(
      [
        [x - REACH, y - REACH],
        [x + REACH, y + REACH],
      ],
      { layers: [`${NAME}-handle`, `${NAME}-sign`] },
    );
    if (!hit) return;
    event.preventDefault();
    held = hit.layer.id === `${NAME}-handle` ? "handle" : "anchor";
  };
  const move = ({ lngLat }: MapMouseEvent | MapTouchEvent) => {
    const now = shape.peek();
    if (!held || !now) return;
    const at: Place = [lngLat.lng, lngLat.lat];
    if (held === "anchor") {
      onPlace(at);
      return;
    }
    turn(bearingDeg(now.anchor, at));
    onRadius(Math.min(MOST, Math.max(LEAST, Math.round(distanceKm(now.anchor, at) * 1_000))));
  };
  const end = () => {
    held = null;
  };
  const tap = ({ lngLat }: MapMouseEvent) => {
    if (takesTaps()) onPlace([lngLat.lng, lngLat.lat]);
  };
  map.on("mousedown", begin);
  map.on("touchstart", begin);
  map.on("mousemove", move);
  map.on("touchmove", move);
  map.on("click", tap);
  // The pointer may be let go of beside the map.
  for (const name of ["mouseup", "touchend", "touchcancel"]) addEventListener(name, end);
  return () => {
    freeTaps();
    map.off("mousedown", begin);
    map.off("touchstart", begin);
    map.off("mousemove", move);
    map.off("touchmove", move);
    map.off("click", tap);
    for (const name of ["mouseup", "touchend", "touchcancel"]) removeEventListener(name, end);
  };
}

/** Shows the whole circle, and the boat. */
export function showAll({ map }: Stage, shape: Shape | null): () => void {
  if (!shape) return () => {};
  const [around = []] = circle([...shape.anchor], shape.radiusM / 1_000);
  const bounds = boundsOf([...around, ...(shape.boat ? [[...shape.boat]] : [])]);
  if (bounds)
    map.fitBounds(bounds, { padding: 48, maxZoom: 18, animate: !prefersStillness(), duration: 600 });
  return () => {};
}
