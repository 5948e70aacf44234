import { effect, type ReadonlySignal, untracked } from "@preact/signals";
import type { Feature, FeatureCollection, Geometry } from "geojson";
import type { ExpressionSpecification, GeoJSONSource } from "maplibre-gl";
import { prefersStillness } from "../../looks";
import { unwrapped } from "../../map/geometry";
import type { Palette } from "../../map/palette";
import { aheadSign, craftSign } from "../../map/signs";
import type { Stage } from "../../map/stage";
import { FONT } from "../../map/style";
import { onTap } from "../../map/taps";
import { duration } from "../../times";
import { type Replay, seek } from "./replay";
import type { Shown } from "./shown";
import { gapsOf, momentAt, nearestTime, type Way } from "./way";

/** The ways of a span on the map: lines with their directions, broken ones across gaps, stops; and the devices as they move. */

const WAYS = "day";
const STOPS = "day-stops";
const NOW = "day-now";

const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

const feature = (geometry: Geometry, properties: Feature["properties"]): Feature => ({
  type: "Feature",
  geometry,
  properties,
});

type Line = [number, number][];

/** The pieces of a way, each with at least two points. */
function piecesOf(way: Way): Line[] {
  const pieces: Line[] = [];
  for (const { longitude, latitude, begins } of way) {
    if (begins) pieces.push([]);
    pieces.at(-1)?.push([longitude, latitude]);
  }
  return pieces.filter(({ length }) => length > 1);
}

/** Lines as one feature: the worker is sent thousands of them, each of which would bring properties of its own. */
const lines = (all: readonly Line[], properties: Feature["properties"]): Feature[] =>
  all.length === 0
    ? []
    : [
        feature(
          { type: "MultiLineString", coordinates: all.map((each) => unwrapped(each) as Line) },
          properties,
        ),
      ];

/** Pixels of a way that lies on no other one. */
const WIDTH = 3;
/** Ways that lie on each other are narrower from one to the next, so that each is seen. */
const WIDER = 2.5;
const MOST_WIDER = 3;

function linesOf({ map, palette }: Stage, { id, hue, way }: Shown, above: number): Feature[] {
  const arrow = aheadSign(map, palette(), hue);
  const width = WIDTH + WIDER * Math.min(above, MOST_WIDER);
  return [
    ...lines(piecesOf(way), { id, hue, kind: "piece", arrow, width }),
    ...lines(
      gapsOf(way).map((ends) => ends.map(({ longitude, latitude }) => [longitude, latitude])),
      { id, hue, kind: "gap" },
    ),
  ];
}

const stopsOf = ({ hue, segments }: Shown): Feature[] =>
  segments
    .filter(({ kind }) => kind === "stop")
    .map(({ start, from, duration_seconds }) =>
      feature(
        { type: "Point", coordinates: [start.longitude, start.latitude] },
        { hue, time: Date.parse(from) / 1_000, words: duration(duration_seconds) },
      ),
    );

const colourIn = ({ hues }: Palette): ExpressionSpecification => [
  "to-color",
  ["at", ["get", "hue"], ["literal", [...hues]]],
];
const ofKind = (kind: string): ["==", ["get", string], string] => ["==", ["get", "kind"], kind];

/** Draws ways and stops; a tap on them moves the clock there. Returns the function that takes them away. */
export function drawWays(stage: Stage, shown: ReadonlySignal<readonly Shown[]>): () => void {
  const { map, add } = stage;
  const put = (name: string, features: Feature[]) =>
    void map.getSource<GeoJSONSource>(name)?.setData({ type: "FeatureCollection", features });
  let drawn: readonly Shown[] = [];
  /** Stops are known later than the ways, of which a year's are thousands of lines: these are sent to be drawn when they change. */
  const fill = (isAnew: boolean) => {
    const all = shown.value;
    const isSame =
      all.length === drawn.length &&
      all.every(({ id, hue, way }, at) => {
        const before = drawn[at];
        return before?.id === id && before.hue === hue && before.way === way;
      });
    if (isAnew || !isSame) {
      drawn = all;
      put(
        WAYS,
        all.flatMap((each, at) => linesOf(stage, each, all.length - 1 - at)),
      );
    }
    put(STOPS, all.flatMap(stopsOf));
  };
  const remove = add({
    name: WAYS,
    order: 20,
    sources: () => ({
      [WAYS]: { type: "geojson", data: EMPTY },
      [STOPS]: { type: "geojson", data: EMPTY },
    }),
    layers: (palette) => {
      const color = colourIn(palette);
      const round = { "line-join": "round" as const, "line-cap": "round" as const };
      return [
        {
          id: `${WAYS}-edges`,
          type: "line",
          source: WAYS,
          filter: ofKind("piece"),
          layout: round,
          paint: {
            "line-color": palette.paper,
            "line-width": ["+", ["get", "width"], 3],
            "line-opacity": 0.8,
          },
        },
        {
          id: `${WAYS}-gaps`,
          type: "line",
          source: WAYS,
          filter: ofKind("gap"),
          paint: { "line-color": color, "line-width": 2, "line-dasharray": [2, 3], "line-opacity": 0.8 },
        },
        {
          id: `${WAYS}-lines`,
          type: "line",
          source: WAYS,
          filter: ofKind("piece"),
          layout: round,
          paint: { "line-color": color, "line-width": ["get", "width"] },
        },
        {
          id: `${WAYS}-arrows`,
          type: "symbol",
          source: WAYS,
          filter: ofKind("piece"),
          layout: {
            "symbol-placement": "line",
            "symbol-spacing": 90,
            "icon-image": ["get", "arrow"],
            "icon-size": 0.6,
            // Signs point up, and along a line that is sideways.
            "icon-rotate": 90,
            "icon-allow-overlap": true,
            "icon-ignore-placement": true,
          },
        },
        {
          id: STOPS,
          type: "circle",
          source: STOPS,
          paint: {
            "circle-color": palette.paper,
            "circle-radius": 7,
            "circle-stroke-color": color,
            "circle-stroke-width": 3,
          },
        },
        {
          id: `${WAYS}-durations`,
          type: "symbol",
          source: STOPS,
          layout: {
            "text-field": ["get", "words"],
            "text-font": FONT,
            "text-size": 12,
            "text-variable-anchor": ["top", "bottom", "left", "right"],
            "text-radial-offset": 0.9,
          },
          paint: { "text-color": palette.name, "text-halo-color": palette.halo, "text-halo-width": 1.6 },
        },
      ];
    },
    fill: () => untracked(() => fill(true)),
  });
  const ends = [
    remove,
    effect(() => fill(false)),
    onTap(stage, [STOPS], ({ feature: { properties } }) => seek(properties.time as number)),
    onTap(stage, [`${WAYS}-lines`, `${WAYS}-gaps`], ({ feature: { properties }, event: { lngLat } }) => {
      const way = shown.peek().find(({ id }) => id === properties.id)?.way ?? [];
      seek(nearestTime(way, [lngLat.lng, lngLat.lat]));
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Milliseconds in which the map comes after a device. */
const GLIDE = 150;

/** Keeps a place in the middle. Who wants nothing to move by itself is shown it anew when it has left the map. */
function follow({ map }: Stage, center: [number, number]): void {
  if (!prefersStillness()) return void map.easeTo({ center, duration: GLIDE, easing: (part) => part });
  const { x, y } = map.project(center);
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const isNear = Math.abs(x / width - 0.5) < 0.4 && Math.abs(y / height - 0.5) < 0.4;
  if (!isNear) map.jumpTo({ center });
}

/** Draws the devices where they were at the time of the replay. Returns the function that takes them away. */
export function drawMoment(
  stage: Stage,
  shown: ReadonlySignal<readonly Shown[]>,
  { time, follows }: Replay,
): () => void {
  const { map, add } = stage;
  const at = () => {
    const now = time.value;
    return now === null ? [] : shown.value.map((each) => ({ ...each, moment: momentAt(each.way, now) }));
  };
  const fill = () => {
    const source = map.getSource<GeoJSONSource>(NOW);
    if (!source) return;
    const features = at().flatMap(({ name, hue, moment }) => {
      if (!moment) return [];
      const { longitude, latitude, heading, isWaiting } = moment;
      const form = heading === null ? "disc" : "arrow";
      const icon = craftSign(map, stage.palette(), hue, form, isWaiting ? "lost" : "fresh");
      const place: Geometry = { type: "Point", coordinates: [longitude, latitude] };
      return [feature(place, { name, hue, icon, rotate: heading ?? 0 })];
    });
    void source.setData({ type: "FeatureCollection", features });
  };
  const remove = add({
    name: NOW,
    order: 55,
    sources: () => ({ [NOW]: { type: "geojson", data: EMPTY } }),
    layers: (palette) => [
      {
        id: `${NOW}-marks`,
        type: "circle",
        source: NOW,
        paint: {
          "circle-color": palette.paper,
          "circle-opacity": 0.6,
          "circle-radius": 20,
          "circle-stroke-color": colourIn(palette),
          "circle-stroke-width": 2,
        },
      },
      {
        id: `${NOW}-signs`,
        type: "symbol",
        source: NOW,
        layout: {
          "icon-image": ["get", "icon"],
          "icon-rotate": ["get", "rotate"],
          "icon-rotation-alignment": "map",
          "icon-allow-overlap": true,
          "text-field": ["get", "name"],
          "text-font": FONT,
          "text-size": 13,
          "text-variable-anchor": ["top", "bottom", "left", "right"],
          "text-radial-offset": 1.8,
          "text-optional": true,
        },
        paint: { "text-color": palette.name, "text-halo-color": palette.halo, "text-halo-width": 1.6 },
      },
    ],
    fill: () => untracked(fill),
  });
  const stop = ({ originalEvent }: { originalEvent?: unknown }) => {
    if (originalEvent) follows.value = false;
  };
  map.on("dragstart", stop);
  const ends = [
    remove,
    () => map.off("dragstart", stop),
    effect(fill),
    effect(() => {
      const moment = at()[0]?.moment;
      if (follows.value && moment) follow(stage, [moment.longitude, moment.latitude]);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
