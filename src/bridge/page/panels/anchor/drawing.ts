import type { ReadonlySignal } from "@preact/signals";
import type { MapMouseEvent, MapTouchEvent } from "maplibre-gl";
import { followed } from "../../chosen";
import { prefersStillness } from "../../looks";
import { type AnchorShape, drawAnchors } from "../../map/anchor";
import { drawnElsewhere } from "../../map/current";
import { boundsOf, circle } from "../../map/geometry";
import type { Stage } from "../../map/stage";
import { holdTaps } from "../../map/taps";

/** The anchor on the map while its panel is open. */

/** Called as the anchor is moved by hand. */
export interface Hands {
  /** Metres. */
  onRadius: (metres: number) => void;
  onPlace: (longitude: number, latitude: number) => void;
  /** True while a tap on the map puts the anchor there. */
  takesTaps: () => boolean;
}

const NAME = "anchor-edit";

/** Bounds of a radius in metres, as the API has them. */
const LEAST = 5;
const MOST = 5_000;

/** Pixels around a pointer in which the anchor is taken hold of: half of a thumb. */
const REACH = 22;

/** Draws the anchor of a device as it would be, and lets it be moved and resized. Returns the function that ends it. */
export function holdAnchor(
  stage: Stage,
  deviceId: string,
  shape: ReadonlySignal<AnchorShape | null>,
  { onRadius, onPlace, takesTaps }: Hands,
): () => void {
  const { map } = stage;
  drawnElsewhere.anchor.value = deviceId;
  const erase = drawAnchors(stage, {
    name: NAME,
    read: () => (shape.value ? [shape.value] : []),
    onRadius: (metres) => onRadius(Math.min(MOST, Math.max(LEAST, Math.round(metres)))),
  });
  const freeTaps = holdTaps();
  let isHeld = false;
  const begin = (event: MapMouseEvent | MapTouchEvent) => {
    // The handle of the radius has been taken, or it is a pinch.
    if (event.defaultPrevented || ("points" in event && event.points.length > 1)) return;
    const { x, y } = event.point;
    const [hit] = map.queryRenderedFeatures(
      [
        [x - REACH, y - REACH],
        [x + REACH, y + REACH],
      ],
      { layers: [`${NAME}-anchor`] },
    );
    if (!hit) return;
    event.preventDefault();
    isHeld = true;
  };
  const move = ({ lngLat: { lng, lat } }: MapMouseEvent | MapTouchEvent) => {
    if (isHeld) onPlace(lng, lat);
  };
  const end = () => {
    isHeld = false;
  };
  const tap = ({ lngLat: { lng, lat } }: MapMouseEvent) => {
    if (takesTaps()) onPlace(lng, lat);
  };
  const heard = [
    ...[map.on("mousedown", begin), map.on("touchstart", begin)],
    ...[map.on("mousemove", move), map.on("touchmove", move), map.on("click", tap)],
  ];
  // The pointer may be let go of beside the map.
  const ends = ["mouseup", "touchend", "touchcancel"];
  for (const name of ends) addEventListener(name, end);
  return () => {
    freeTaps();
    for (const each of heard) each.unsubscribe();
    for (const name of ends) removeEventListener(name, end);
    erase();
    drawnElsewhere.anchor.value = null;
  };
}

/** A circle of some metres is too small to be held at the zoom that the coast suffices for. */
const MAX_ZOOM = 20;
const ZOOM = 18;
/** Pixels around the circle; the tools of the map lie on the right. */
const PADDING = { top: 40, bottom: 40, left: 40, right: 84 };
/** Milliseconds. */
const GLIDE = 600;

/** Lets the map come near, and shows the whole circle and the boat. Returns the function that ends it. */
export function comeNear({ map }: Stage, shape: AnchorShape | null): () => void {
  const former = map.getMaxZoom();
  map.setMaxZoom(Math.max(former, MAX_ZOOM));
  if (shape) {
    const { longitude, latitude, radius_m, boat } = shape;
    const [ring = []] = circle([longitude, latitude], radius_m / 1_000);
    const bounds = boundsOf([...ring, ...(boat ? [[boat.longitude, boat.latitude]] : [])]);
    followed.value = null;
    if (bounds)
      map.fitBounds(bounds, {
        padding: PADDING,
        maxZoom: ZOOM,
        animate: !prefersStillness(),
        duration: GLIDE,
      });
  }
  return () => {
    map.setMaxZoom(former);
  };
}
