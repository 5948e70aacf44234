import { effect } from "@preact/signals";
import type { Feature, FeatureCollection } from "geojson";
import type { GeoJSONSource, MapMouseEvent, MapTouchEvent } from "maplibre-gl";
import { drawingOf } from "./canvas";
import { circle, destination, distanceKm } from "./geometry";
import type { Stage } from "./stage";

/** An anchor with its rings and the line to the boat; with a handle, its radius is drawn by hand. */

export interface AnchorShape {
  /** Degrees. */
  latitude: number;
  longitude: number;
  /** Metres. */
  radius_m: number;
  warning_radius_m: number | null;
  state: "holding" | "warning" | "dragging" | "silent";
  boat: { latitude: number; longitude: number } | null;
}

export interface Options {
  /** Begins the names of its sources and layers: one for each drawing. */
  name: string;
  /** Anchors to draw, read from signals: drawn anew when those change. */
  read: () => readonly AnchorShape[];
  /** Shows a handle on the ring of the first anchor, and gets the radius in metres as it is drawn. */
  onRadius?: (metres: number) => void;
}

/** Farther away, the boat's own sign says more than that of its anchor, which would lie on it. */
const SIGN_FROM = 12;

/** The direction in which the handle lies. */
const HANDLE = 90;

function featuresOf(shape: AnchorShape, hasHandle: boolean): Feature[] {
  const { latitude, longitude, radius_m, warning_radius_m, state, boat } = shape;
  const at: [number, number] = [longitude, latitude];
  const isAlarm = state === "dragging" || state === "silent";
  const feature = (part: string, geometry: Feature["geometry"]): Feature => ({
    type: "Feature",
    geometry,
    properties: { part, state: isAlarm ? "alarm" : state },
  });
  return [
    feature("ring", { type: "Polygon", coordinates: circle(at, radius_m / 1_000) }),
    ...(warning_radius_m === null
      ? []
      : [feature("warning", { type: "Polygon", coordinates: circle(at, warning_radius_m / 1_000) })]),
    ...(boat
      ? [feature("line", { type: "LineString", coordinates: [at, [boat.longitude, boat.latitude]] })]
      : []),
    feature("anchor", { type: "Point", coordinates: at }),
    ...(hasHandle
      ? [feature("handle", { type: "Point", coordinates: destination(at, HANDLE, radius_m / 1_000) })]
      : []),
  ];
}

/** The sign of an anchor, as a picture. */
function drawSign(colour: string, paper: string): ImageData {
  const size = 56;
  const context = drawingOf(size);
  const path = new Path2D("M12 8v12M8 11h8M12 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5 14c0 4 3 6 7 6s7-2 7-6");
  context.scale(size / 24, size / 24);
  context.lineCap = context.lineJoin = "round";
  for (const [style, width] of [
    [paper, 5],
    [colour, 2.2],
  ] as const) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.stroke(path);
  }
  return context.getImageData(0, 0, size, size);
}

const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

/** Draws anchors. Returns the function that takes them away. */
export function drawAnchors(stage: Stage, { name, read, onRadius }: Options): () => void {
  const { map, add, palette } = stage;
  const hasHandle = onRadius !== undefined;
  const sign = `${name}-sign`;
  const fill = () => {
    const features = read().flatMap((shape, at) => featuresOf(shape, hasHandle && at === 0));
    const source = map.getSource<GeoJSONSource>(name);
    if (!source) return;
    if (!map.hasImage(sign))
      map.addImage(sign, drawSign(palette().chosen, palette().paper), { pixelRatio: 2 });
    void source.setData({ type: "FeatureCollection", features });
  };
  const of = (part: string) => ["==", ["get", "part"], part] as ["==", ["get", string], string];
  const remove = add({
    name,
    order: 60,
    sources: () => ({ [name]: { type: "geojson", data: EMPTY } }),
    layers: ({ chosen, alarm, warning, paper }) => {
      const colour = ["match", ["get", "state"], "alarm", alarm, "warning", warning, chosen] as [
        "match",
        ["get", string],
        string,
        string,
        string,
        string,
        string,
      ];
      return [
        {
          id: `${name}-area`,
          type: "fill",
          source: name,
          filter: of("ring"),
          paint: { "fill-color": colour, "fill-opacity": 0.08 },
        },
        {
          id: `${name}-ring`,
          type: "line",
          source: name,
          filter: of("ring"),
          paint: { "line-color": colour, "line-width": 2.4 },
        },
        {
          id: `${name}-warning`,
          type: "line",
          source: name,
          filter: of("warning"),
          paint: { "line-color": warning, "line-width": 1.4, "line-dasharray": [2, 2] },
        },
        {
          id: `${name}-line`,
          type: "line",
          source: name,
          filter: of("line"),
          paint: { "line-color": colour, "line-width": 1.4 },
        },
        {
          id: `${name}-anchor`,
          type: "symbol",
          source: name,
          filter: of("anchor"),
          minzoom: SIGN_FROM,
          layout: { "icon-image": sign, "icon-allow-overlap": true, "icon-ignore-placement": true },
        },
        {
          id: `${name}-handle`,
          type: "circle",
          source: name,
          filter: of("handle"),
          paint: {
            "circle-radius": 11,
            "circle-color": paper,
            "circle-stroke-color": colour,
            "circle-stroke-width": 3,
          },
        },
      ];
    },
    fill,
  });
  const ends = [remove, effect(fill), ...(onRadius ? [dragHandle(stage, name, read, onRadius)] : [])];
  return () => {
    for (const end of ends) end();
  };
}

/** Pixels around the handle in which it is taken hold of. */
const REACH = 22;

/** Lets the handle be drawn by mouse or finger. */
function dragHandle(
  { map }: Stage,
  name: string,
  read: () => readonly AnchorShape[],
  onRadius: (metres: number) => void,
): () => void {
  type Press = MapMouseEvent | MapTouchEvent;
  const isHit = ({ point: { x, y } }: Press) =>
    map.queryRenderedFeatures(
      [
        [x - REACH, y - REACH],
        [x + REACH, y + REACH],
      ],
      { layers: [`${name}-handle`] },
    ).length > 0;
  const move = ({ lngLat: { lng, lat } }: Press) => {
    const shape = read()[0];
    if (shape) onRadius(distanceKm([shape.longitude, shape.latitude], [lng, lat]) * 1_000);
  };
  const release = () => {
    map.off("mousemove", move);
    map.off("touchmove", move);
  };
  const press = (event: Press) => {
    if (("points" in event && event.points.length > 1) || !isHit(event)) return;
    event.preventDefault();
    map.on("mousemove", move);
    map.on("touchmove", move);
    map.once("mouseup", release);
    map.once("touchend", release);
    map.once("touchcancel", release);
  };
  map.on("mousedown", press);
  map.on("touchstart", press);
  return () => {
    release();
    map.off("mousedown", press);
    map.off("touchstart", press);
  };
}
