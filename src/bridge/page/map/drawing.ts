import { effect } from "@preact/signals";
import type { Feature, FeatureCollection, Geometry } from "geojson";
import type { GeoJSONSource, MapMouseEvent, MapTouchEvent } from "maplibre-gl";
import type { Stage } from "./stage";
import { holdTaps } from "./taps";
import type { Ground } from "./zones";

/** A shape that is drawn by mouse or finger: its ground, and the handles by which it is changed. */

export interface Sign {
  /** Longitude and latitude. */
  place: readonly [number, number];
  role: "corner" | "middle" | "centre" | "radius";
  isChosen: boolean;
  isFaulty: boolean;
}

export interface Options<T extends Sign> {
  /** The ground, and the handles, those that are hit first in front. Read from signals: drawn anew when those change. */
  read: () => { ground: Ground | null; signs: readonly T[] };
  /** A tap beside all handles, and a place some way east of it, as far as a radius that can be seen well. */
  onTap: (longitude: number, latitude: number, beside: [number, number]) => void;
  /** A tap on a handle; `isTwice` if the tap before it was on it too, and not long ago. */
  onTapOn: (sign: T, isTwice: boolean) => void;
  /** A handle is drawn away. Returns what moves it. */
  onGrab: (sign: T) => (longitude: number, latitude: number) => void;
}

const NAME = "drawing";
const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

/** Pixels around a handle in which it is hit. */
const REACH = 20;
/** Pixels that a press may move and be a tap. */
const STILL = 3;
/** Milliseconds within which two taps on a handle belong together. */
const TWICE = 500;

/** Draws a shape, and lets it be changed. Returns the function that takes it away. */
export function drawShape<T extends Sign>(stage: Stage, options: Options<T>): () => void {
  const { map, add } = stage;
  const fill = () => {
    const { ground, signs } = options.read();
    const feature = (geometry: Geometry, properties: object = {}): Feature => ({
      type: "Feature",
      geometry,
      properties: { ...properties },
    });
    const features = [
      ...(ground
        ? [feature(ground.area), feature({ type: "MultiLineString", coordinates: ground.edge })]
        : []),
      // The first to be hit lies on top.
      ...signs.toReversed().map(({ place, role, isChosen, isFaulty }) =>
        feature(
          { type: "Point", coordinates: [...place] },
          {
            role,
            state: isFaulty ? "fault" : isChosen ? "chosen" : "",
          },
        ),
      ),
    ];
    void map.getSource<GeoJSONSource>(NAME)?.setData({ type: "FeatureCollection", features });
  };
  const remove = add({
    name: NAME,
    order: 70,
    sources: () => ({ [NAME]: { type: "geojson", data: EMPTY } }),
    layers: ({ chosen, alarm, paper }) => [
      {
        id: `${NAME}-area`,
        type: "fill",
        source: NAME,
        filter: ["==", ["geometry-type"], "Polygon"],
        paint: { "fill-color": chosen, "fill-opacity": 0.14, "fill-antialias": false },
      },
      {
        id: `${NAME}-edge`,
        type: "line",
        source: NAME,
        filter: ["==", ["geometry-type"], "LineString"],
        layout: { "line-join": "round" },
        paint: { "line-color": chosen, "line-width": 2.2 },
      },
      {
        id: `${NAME}-signs`,
        type: "circle",
        source: NAME,
        filter: ["==", ["geometry-type"], "Point"],
        paint: {
          "circle-radius": ["match", ["get", "role"], "middle", 6, 10],
          "circle-color": ["match", ["get", "state"], "fault", alarm, "chosen", chosen, paper],
          "circle-opacity": ["match", ["get", "role"], "middle", 0.75, 1],
          "circle-stroke-color": ["match", ["get", "state"], "fault", paper, "chosen", paper, chosen],
          "circle-stroke-width": ["match", ["get", "role"], "middle", 1.5, 3],
        },
      },
    ],
    fill,
  });
  const ends = [remove, effect(fill), holdTaps(), takeHold(stage, options)];
  return () => {
    for (const end of ends) end();
  };
}

type Press = MapMouseEvent | MapTouchEvent;

/** Tells taps from drawing, on handles and beside them. */
function takeHold<T extends Sign>({ map }: Stage, { read, onTap, onTapOn, onGrab }: Options<T>): () => void {
  const distance = (one: { x: number; y: number }, other: { x: number; y: number }) =>
    Math.hypot(one.x - other.x, one.y - other.y);
  const pixel = ({ place: [lng, lat] }: Sign) => {
    // The copy of the world that is looked at.
    const turns = Math.round((map.getCenter().lng - lng) / 360);
    return map.project([lng + 360 * turns, lat]);
  };
  /** The handle at a point: the nearest corner before any other. */
  const signAt = (point: { x: number; y: number }): T | undefined => {
    const near = read()
      .signs.map((sign) => ({ sign, away: distance(pixel(sign), point) }))
      .filter(({ away }) => away <= REACH)
      .sort((one, other) => one.away - other.away);
    return (near.find(({ sign }) => sign.role !== "middle") ?? near[0])?.sign;
  };

  let held: { sign: T; from: { x: number; y: number }; move: ReturnType<typeof onGrab> | null } | null = null;
  const move = ({ point, lngLat: { lng, lat } }: Press) => {
    if (!held || (!held.move && distance(point, held.from) <= STILL)) return;
    held.move ??= onGrab(held.sign);
    held.move(lng, lat);
  };
  const release = () => {
    held = null;
    map.off("mousemove", move);
    map.off("touchmove", move);
  };
  const press = (event: Press) => {
    release();
    if ("points" in event && event.points.length > 1) return;
    const sign = signAt(event.point);
    if (!sign) return;
    // The map stays where it is.
    event.preventDefault();
    held = { sign, from: event.point, move: null };
    map.on("mousemove", move);
    map.on("touchmove", move);
  };
  let last = { at: 0, place: "" };
  const click = (event: MapMouseEvent) => {
    event.preventDefault();
    const { lng, lat } = event.lngLat;
    const sign = signAt(event.point);
    // When it was tapped, not when a busy page got to know.
    const tapped = { at: event.originalEvent.timeStamp, place: sign ? String(sign.place) : "" };
    if (sign) {
      const isTwice = tapped.place === last.place && tapped.at - last.at < TWICE;
      last = isTwice ? { at: 0, place: "" } : tapped;
      onTapOn(sign, isTwice);
    } else {
      last = tapped;
      const { x, y } = event.point;
      const beside = map.unproject([x + 4 * REACH, y]);
      onTap(lng, lat, [beside.lng, beside.lat]);
    }
  };
  const listeners = [
    ["mousedown", press],
    ["touchstart", press],
    ["mouseup", release],
    ["touchend", release],
    ["touchcancel", release],
    ["click", click],
  ] as const;
  for (const [type, listener] of listeners) map.on(type, listener as (event: Press) => void);
  // Two taps draw two corners.
  map.doubleClickZoom.disable();
  return () => {
    release();
    for (const [type, listener] of listeners) map.off(type, listener as (event: Press) => void);
    map.doubleClickZoom.enable();
  };
}
