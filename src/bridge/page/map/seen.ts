import type { LngLatBounds, Map as MapLibre } from "maplibre-gl";

/**
 * Knows which moves a reader can see. A boat far below takes seconds for a pixel, and one beside the map isn't seen at all: a fleet
 * that is drawn for each of its positions costs much and shows nothing.
 */

/** Pixels and degrees below which nobody sees a difference. */
const STEP = 0.7;
const TURN = 4;

/** Pixels of the world at zoom 0. */
const WORLD = 512;

export interface Seen {
  /** True if whoever looks can tell a device here from where it was drawn. */
  isMove: (id: string, longitude: number, latitude: number, heading: number) => boolean;
  /** Notes where a device is drawn now. */
  draw: (id: string, longitude: number, latitude: number, heading: number) => void;
  end: () => void;
}

/** Watches over the drawings of one part. `onLook` is called when the map shows another area. */
export function seenOn(map: MapLibre, onLook: () => void): Seen {
  const places = new Map<string, readonly [longitude: number, latitude: number, heading: number]>();
  let area: LngLatBounds | null = null;
  const look = () => {
    area = null;
    onLook();
  };
  map.on("moveend", look);
  return {
    isMove: (id, longitude, latitude, heading) => {
      const before = places.get(id);
      if (!before) return true;
      area ??= map.getBounds();
      const [lon, lat, turned] = before;
      if (!area.contains([longitude, latitude]) && !area.contains([lon, lat])) return false;
      const perDegree = (WORLD * 2 ** map.getZoom()) / 360;
      const up = (latitude - lat) / Math.cos((latitude * Math.PI) / 180);
      const turn = Math.abs(((heading - turned + 540) % 360) - 180);
      return Math.hypot(longitude - lon, up) * perDegree >= STEP || turn >= TURN;
    },
    draw: (id, ...at) => void places.set(id, at),
    end: () => {
      map.off("moveend", look);
    },
  };
}
