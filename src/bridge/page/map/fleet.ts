import { effect } from "@preact/signals";
import type { Feature, FeatureCollection } from "geojson";
import type { ExpressionSpecification, GeoJSONSource } from "maplibre-gl";
import { type Age, ageOf } from "../age";
import { chosenDevice } from "../chosen";
import { type Craft, fleet, watchFixes } from "../fleet";
import { prefersStillness } from "../looks";
import { present } from "../times";
import { accuracy } from "./accuracy";
import { drawnElsewhere } from "./current";
import { boundsOf, circle } from "./geometry";
import { paced } from "./paced";
import { HUES, type Palette } from "./palette";
import { type Seen, seenOn } from "./seen";
import { craftSign } from "./signs";
import type { Stage } from "./stage";
import { FONT } from "./style";
import { onTap } from "./taps";

/** The devices on the map: a sign with heading, name and age; many of them as a number when far. */

const SOURCE = "fleet";
const CHOSEN = "chosen";

/** From this zoom on each device is shown by itself. */
export const CLUSTERED_BELOW = 9;

/** From so many devices on, a fleet is drawn less often, and its names are left out when far. */
const LARGE = 100;
export const isLarge = (): boolean => fleet.peek().size > LARGE;
const NAMES_OF_LARGE_FROM = 11;

/** Milliseconds between two drawings of what has moved. */
export const pause = (): number => (isLarge() ? 2_000 : 250);

let hues: ReadonlyMap<string, number> = new Map();

/** Numbers of hues in the order in which devices were made: their identifiers grow with time. */
effect(() => {
  hues = new Map([...fleet.value.keys()].sort().map((id, at) => [id, at % HUES]));
});

/** The number of a device's hue. */
export const hueOf = (id: string): number => hues.get(id) ?? 0;

function featureOf({ map }: Stage, colours: Palette, id: string, craft: Craft): Feature | null {
  const at = craft.fix.peek();
  if (!at || drawnElsewhere.devices.peek().has(id)) return null;
  const age = ageOf(at, present.peek());
  const icon = craftSign(map, colours, hueOf(id), at.heading === null ? "disc" : "arrow", age);
  return {
    type: "Feature",
    geometry: { type: "Point", coordinates: [at.longitude, at.latitude] },
    properties: { id, name: craft.device.peek().name, rotate: at.heading ?? 0, icon },
  };
}

/** The ages with which devices were drawn. */
const ages = new Map<string, Age>();

const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

/** The devices but the chosen one, which lies above all and in no cluster. */
function others(stage: Stage, seen: Seen): FeatureCollection {
  const [chosen, colours] = [chosenDevice.peek(), stage.palette()];
  const features: Feature[] = [];
  for (const [id, craft] of fleet.peek()) {
    ages.set(id, ageOf(craft.fix.peek(), present.peek()));
    const feature = id === chosen ? null : featureOf(stage, colours, id, craft);
    const at = craft.fix.peek();
    if (!feature || !at) continue;
    features.push(feature);
    seen.draw(id, at.longitude, at.latitude, at.heading ?? 0);
  }
  return { type: "FeatureCollection", features };
}

/** The chosen device, and the circle in which it lies. */
function chosen(stage: Stage): FeatureCollection {
  const id = chosenDevice.peek();
  const craft = id === null ? undefined : fleet.peek().get(id);
  const feature = id !== null && craft ? featureOf(stage, stage.palette(), id, craft) : null;
  if (feature?.geometry.type !== "Point") return EMPTY;
  const metres = accuracy.peek();
  const ring: Feature[] =
    metres === null
      ? []
      : [
          {
            type: "Feature",
            geometry: { type: "Polygon", coordinates: circle(feature.geometry.coordinates, metres / 1_000) },
            properties: {},
          },
        ];
  return { type: "FeatureCollection", features: [feature, ...ring] };
}

const nameField = (): ExpressionSpecification =>
  isLarge() ? ["step", ["zoom"], "", NAMES_OF_LARGE_FROM, ["get", "name"]] : ["get", "name"];

/** True if a device, where it is now, looks different from how it was drawn. */
function isMove(seen: Seen, id: string): boolean {
  const at = fleet.peek().get(id)?.fix.peek();
  return !at || id === chosenDevice.peek() || seen.isMove(id, at.longitude, at.latitude, at.heading ?? 0);
}

/** Draws the devices. Returns the function that takes them away. */
export function drawFleet(stage: Stage): () => void {
  const { map, add } = stage;
  let wasChosen = false;
  let wasLarge = isLarge();
  const seen = seenOn(map, () => drawSoon());
  const fill = () => {
    // While another style is being loaded there are neither sources nor places for pictures.
    const [source, above] = [map.getSource<GeoJSONSource>(SOURCE), map.getSource<GeoJSONSource>(CHOSEN)];
    if (!source || !above) return;
    void source.setData(others(stage, seen));
    const now = chosen(stage);
    if (wasChosen || now !== EMPTY) void above.setData(now);
    wasChosen = now !== EMPTY;
  };
  const drawSoon = paced(fill, pause);
  const remove = add({
    name: SOURCE,
    order: 50,
    sources: () => ({
      [SOURCE]: {
        type: "geojson",
        data: EMPTY,
        cluster: true,
        clusterMaxZoom: CLUSTERED_BELOW - 1,
        clusterRadius: 44,
      },
      [CHOSEN]: { type: "geojson", data: EMPTY },
    }),
    layers: (palette) => {
      const name = {
        "text-field": ["get", "name"] as ["get", string],
        "text-font": FONT,
        "text-size": 13,
        "text-variable-anchor": ["top" as const, "bottom" as const, "left" as const, "right" as const],
        "text-radial-offset": 1.25,
        "text-max-width": 12,
        "text-optional": true,
      };
      const ink = { "text-color": palette.name, "text-halo-color": palette.halo, "text-halo-width": 1.6 };
      const sign = {
        "icon-image": ["get", "icon"] as ["get", string],
        "icon-rotate": ["get", "rotate"] as ["get", string],
        "icon-rotation-alignment": "map" as const,
        "icon-allow-overlap": true,
      };
      return [
        {
          id: `${SOURCE}-clusters`,
          type: "circle",
          source: SOURCE,
          filter: ["has", "point_count"],
          paint: {
            "circle-color": palette.paper,
            "circle-radius": ["step", ["get", "point_count"], 18, 10, 22, 100, 27],
            "circle-stroke-color": palette.craft,
            "circle-stroke-width": 2.5,
          },
        },
        {
          id: `${SOURCE}-counts`,
          type: "symbol",
          source: SOURCE,
          filter: ["has", "point_count"],
          layout: {
            "text-field": ["get", "point_count_abbreviated"],
            "text-font": FONT,
            "text-size": 14,
            "text-allow-overlap": true,
          },
          paint: { "text-color": palette.craft },
        },
        {
          id: `${SOURCE}-signs`,
          type: "symbol",
          source: SOURCE,
          filter: ["!", ["has", "point_count"]],
          layout: {
            ...sign,
            ...name,
            "text-field": nameField(),
          },
          paint: ink,
        },
        {
          id: `${CHOSEN}-accuracy`,
          type: "fill",
          source: CHOSEN,
          filter: ["==", ["geometry-type"], "Polygon"],
          paint: { "fill-color": palette.chosen, "fill-opacity": 0.1 },
        },
        {
          id: `${CHOSEN}-accuracy-edge`,
          type: "line",
          source: CHOSEN,
          filter: ["==", ["geometry-type"], "Polygon"],
          paint: { "line-color": palette.chosen, "line-width": 1.2, "line-dasharray": [3, 2] },
        },
        {
          id: `${CHOSEN}-mark`,
          type: "circle",
          source: CHOSEN,
          filter: ["==", ["geometry-type"], "Point"],
          paint: {
            "circle-color": palette.paper,
            "circle-opacity": 0.55,
            "circle-radius": 21,
            "circle-stroke-color": palette.chosen,
            "circle-stroke-width": 2.5,
          },
        },
        {
          id: `${CHOSEN}-sign`,
          type: "symbol",
          source: CHOSEN,
          filter: ["==", ["geometry-type"], "Point"],
          layout: {
            ...sign,
            ...name,
            "text-size": 14,
            "text-radial-offset": 1.8,
          },
          paint: ink,
        },
      ];
    },
    fill,
  });

  const ends = [
    remove,
    seen.end,
    watchFixes((ids) => {
      if (ids.some((id) => isMove(seen, id))) drawSoon();
    }),
    effect(() => {
      fleet.value;
      drawSoon();
    }),
    effect(() => {
      const now = present.value;
      // Time alone changes nothing but ages, and those seldom.
      if ([...fleet.peek()].some(([id, { fix }]) => ages.get(id) !== ageOf(fix.peek(), now))) drawSoon();
    }),
    effect(() => {
      if (fleet.value.size > LARGE === wasLarge) return;
      wasLarge = !wasLarge;
      if (map.getLayer(`${SOURCE}-signs`))
        map.setLayoutProperty(`${SOURCE}-signs`, "text-field", nameField());
    }),
    effect(() => {
      chosenDevice.value;
      accuracy.value;
      drawnElsewhere.devices.value;
      fill();
    }),
    onTap(stage, [`${SOURCE}-clusters`], ({ feature: { properties, geometry } }) => {
      const source = map.getSource<GeoJSONSource>(SOURCE);
      if (!source || geometry.type !== "Point") return;
      const center = geometry.coordinates as [number, number];
      void source.getClusterExpansionZoom(properties.cluster_id as number).then((zoom) => {
        const camera = { center, zoom: Math.min(zoom, map.getMaxZoom()) };
        if (prefersStillness()) map.jumpTo(camera);
        else map.easeTo(camera);
      });
    }),
    placeOnce(stage),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Shows all devices, or the places that are given. */
export function showAll({ map }: Stage, isAnimated = !prefersStillness()): void {
  const places = [...fleet.peek().values()].flatMap(({ fix }) => {
    const at = fix.peek();
    return at ? [[at.longitude, at.latitude]] : [];
  });
  const bounds = boundsOf(places);
  if (bounds) map.fitBounds(bounds, { padding: 80, maxZoom: 12, animate: isAnimated });
}

/** Shows all devices once they are first known, unless the reader has moved the map by then. */
function placeOnce(stage: Stage): () => void {
  let isPlaced = false;
  stage.map.once("movestart", ({ originalEvent }: { originalEvent?: unknown }) => {
    isPlaced ||= originalEvent !== undefined;
  });
  return effect(() => {
    if (isPlaced || ![...fleet.value.values()].some(({ fix }) => fix.value)) return;
    isPlaced = true;
    showAll(stage, false);
  });
}
