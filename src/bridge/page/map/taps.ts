import type { MapGeoJSONFeature, MapMouseEvent } from "maplibre-gl";
import type { Stage } from "./stage";

/** Taps on the map. A view in which the map is drawn on takes them all for itself. */

interface Tap {
  feature: MapGeoJSONFeature;
  event: MapMouseEvent;
}

/** Pixels around a tap in which a sign counts as hit: half of a thumb. */
const REACH = 14;

let holders = 0;

/** Keeps taps from choosing anything, as long as a panel draws on the map. Returns the function that ends it. */
export function holdTaps(): () => void {
  holders++;
  return () => {
    holders--;
  };
}

/** Calls back for a tap on a feature of these layers, the nearest first. Returns the function that ends it. */
export function onTap({ map }: Stage, layers: readonly string[], callBack: (tap: Tap) => void): () => void {
  const present = () => layers.filter((id) => map.getLayer(id));
  const at = ({ x, y }: { x: number; y: number }, reach: number) =>
    map.queryRenderedFeatures(
      [
        [x - reach, y - reach],
        [x + reach, y + reach],
      ],
      { layers: present() },
    );
  const click = (event: MapMouseEvent) => {
    if (holders > 0 || event.defaultPrevented) return;
    const feature = at(event.point, 0)[0] ?? at(event.point, REACH)[0];
    if (!feature) return;
    event.preventDefault();
    callBack({ feature, event });
  };
  const enter = () => {
    if (holders === 0) map.getCanvas().style.cursor = "pointer";
  };
  const leave = () => {
    map.getCanvas().style.cursor = "";
  };
  const [first, ...rest] = layers;
  const all = first === undefined ? [] : [first, ...rest];
  map.on("click", click);
  map.on("mouseenter", all, enter);
  map.on("mouseleave", all, leave);
  return () => {
    map.off("click", click);
    map.off("mouseenter", all, enter);
    map.off("mouseleave", all, leave);
  };
}
