import type { Schemas } from "../../api";
import type { Stage } from "../../map/stage";

/** Marks the place of an alert on the map, and goes there. Returns the function that takes the mark away. */
export function drawPlace(
  { map, add }: Stage,
  { latitude, longitude, severity }: Pick<Schemas["Alert"], "latitude" | "longitude" | "severity">,
): () => void {
  if (latitude === null || longitude === null) return () => {};
  const coordinates: [number, number] = [longitude, latitude];
  const name = "alert-place";
  map.easeTo({ center: coordinates, zoom: Math.max(map.getZoom(), 12) });
  return add({
    name,
    order: 60,
    sources: () => ({
      [name]: {
        type: "geojson",
        data: { type: "Feature", geometry: { type: "Point", coordinates }, properties: {} },
      },
    }),
    layers: (palette) => [
      {
        id: `${name}-ring`,
        type: "circle",
        source: name,
        paint: {
          "circle-radius": 22,
          "circle-opacity": 0,
          "circle-stroke-width": 4,
          "circle-stroke-color": severity === "info" ? palette.chosen : palette[severity],
        },
      },
    ],
    fill: () => {},
  });
}
