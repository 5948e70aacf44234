import { effect } from "@preact/signals";
import type { FeatureCollection } from "geojson";
import type { GeoJSONSource } from "maplibre-gl";
import { chosenOther } from "../chosen";
import { followVessels, isAtRest, vessels } from "../vessels";
import { vesselSign } from "./signs";
import type { Stage } from "./stage";
import { FONT } from "./style";
import { onTap } from "./taps";

/** Vessels near by, with heading and name; those at rest by a sign without a direction. */

const SOURCE = "vessels";

const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

/** Draws the vessels. Returns the function that takes them away. */
export function drawVessels(stage: Stage): () => void {
  const { map, add, palette } = stage;
  const featuresOf = (): FeatureCollection => ({
    type: "FeatureCollection",
    features: [...vessels.value.values()].map((vessel) => {
      const { mmsi, name, lng, lat, heading, course } = vessel;
      const icon = vesselSign(map, palette(), isAtRest(vessel));
      return {
        type: "Feature",
        geometry: { type: "Point", coordinates: [lng, lat] },
        properties: { mmsi, name, icon, rotate: isAtRest(vessel) ? 0 : (heading ?? course ?? 0) },
      };
    }),
  });
  const fill = () => {
    const source = map.getSource<GeoJSONSource>(SOURCE);
    if (source) void source.setData(featuresOf());
  };
  const ends = [
    followVessels(),
    add({
      name: SOURCE,
      order: 40,
      sources: () => ({ [SOURCE]: { type: "geojson", data: EMPTY } }),
      layers: ({ vessel, halo }) => [
        {
          id: `${SOURCE}-names`,
          type: "symbol",
          source: SOURCE,
          minzoom: 10,
          layout: {
            "text-field": ["get", "name"],
            "text-font": FONT,
            "text-size": 11,
            "text-variable-anchor": ["top", "bottom", "left", "right"],
            "text-radial-offset": 1.1,
          },
          paint: { "text-color": vessel, "text-halo-color": halo, "text-halo-width": 1.4 },
        },
        {
          id: `${SOURCE}-signs`,
          type: "symbol",
          source: SOURCE,
          layout: {
            "icon-image": ["get", "icon"],
            "icon-rotate": ["get", "rotate"],
            "icon-rotation-alignment": "map",
            "icon-allow-overlap": true,
            "icon-size": ["interpolate", ["linear"], ["zoom"], 7, 0.55, 11, 0.85],
          },
        },
      ],
      fill,
    }),
    effect(() => {
      vessels.value;
      fill();
    }),
    onTap(stage, [`${SOURCE}-signs`], ({ feature }) => {
      chosenOther.value = feature.properties.mmsi as number;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
