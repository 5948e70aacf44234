import { effect } from "@preact/signals";
import type { Feature } from "geojson";
import type { GeoJSONSource } from "maplibre-gl";
import { ageOf } from "../age";
import { boundsOf } from "../map/geometry";
import { craftSign } from "../map/signs";
import type { Stage } from "../map/stage";
import { FONT } from "../map/style";
import { drawTrack } from "../map/track";
import { present } from "../times";
import { positions, shared, tracks } from "./link";

const SOURCE = "shared";

/** The devices of a link as signs with their names. */
function featuresOf(stage: Stage): Feature[] {
  return (shared.peek()?.devices ?? []).flatMap(({ device_id, name }, at) => {
    const fix = positions.peek().get(device_id ?? "");
    if (!fix) return [];
    const form = fix.heading === null ? "disc" : "arrow";
    const age = ageOf(fix, present.peek());
    return {
      type: "Feature" as const,
      geometry: { type: "Point" as const, coordinates: [fix.longitude, fix.latitude] },
      properties: {
        name,
        rotate: fix.heading ?? 0,
        icon: craftSign(stage.map, stage.palette(), at, form, age),
      },
    };
  });
}

/** Draws the devices and the tracks of a link, and shows all of them at first. */
export function drawShared(stage: Stage): void {
  const { map } = stage;
  const data = () => ({ type: "FeatureCollection" as const, features: featuresOf(stage) });
  const fill = () => map.getSource<GeoJSONSource>(SOURCE)?.setData(data());
  stage.add({
    name: SOURCE,
    order: 50,
    sources: () => ({ [SOURCE]: { type: "geojson", data: data() } }),
    layers: (palette) => [
      {
        id: `${SOURCE}-signs`,
        type: "symbol",
        source: SOURCE,
        layout: {
          "icon-image": ["get", "icon"],
          "icon-rotate": ["get", "rotate"],
          "icon-rotation-alignment": "map",
          "icon-allow-overlap": true,
          "text-field": ["get", "name"],
          "text-font": FONT,
          "text-size": 13,
          "text-offset": [0, 1.4],
          "text-optional": true,
        },
        paint: {
          "text-color": palette.text,
          "text-halo-color": palette.halo,
          "text-halo-width": 1.5,
        },
      },
    ],
    fill,
  });
  effect(() => {
    positions.value;
    present.value;
    fill();
  });
  effect(() => {
    const ends = [...tracks.value].map(([id, { pieces }]) => drawTrack(stage, `track-${id}`, pieces));
    return () => {
      for (const end of ends) end();
    };
  });
  let isPlaced = false;
  effect(() => {
    const fixes = [...positions.value.values()].map(({ longitude, latitude }) => [longitude, latitude]);
    const lines = [...tracks.value.values()].flatMap(({ pieces }) =>
      pieces.flatMap((piece) => piece.map(([longitude, latitude]) => [longitude ?? 0, latitude ?? 0])),
    );
    const bounds = boundsOf([...fixes, ...lines]);
    if (!bounds || isPlaced) return;
    isPlaced = true;
    map.fitBounds(bounds, { padding: 80, maxZoom: 12, animate: false });
  });
}
