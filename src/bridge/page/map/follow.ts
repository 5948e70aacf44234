import { effect } from "@preact/signals";
import { followed } from "../chosen";
import { fleet } from "../fleet";
import { prefersStillness } from "../looks";
import type { Stage } from "./stage";

/** Keeps the device that is followed in the middle. Whoever pans the map looks elsewhere: that ends it. */

/** Milliseconds of a move of the map. */
const GLIDE = 600;

const isPhone = matchMedia("(max-width: 799px)");

/** Pixels of the map that the page's card covers at the bottom of a phone. */
const covered = (): number =>
  !isPhone.matches
    ? 0
    : Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--covered")) || 0;

/** Follows. Returns the function that ends it. */
export function keepInMiddle({ map }: Stage): () => void {
  let wasFollowed: string | null = null;
  const end = effect(() => {
    const id = followed.value;
    const at = id === null ? null : (fleet.value.get(id)?.fix.value ?? null);
    const isFirst = id !== wasFollowed;
    wasFollowed = id;
    // Zooming keeps the middle while a device lies there.
    if (isFirst) {
      const around = id === null ? undefined : { around: "center" as const };
      map.scrollZoom.disable();
      map.scrollZoom.enable(around);
      map.touchZoomRotate.disable();
      map.touchZoomRotate.enable(around);
    }
    if (!at) return;
    const camera = {
      center: [at.longitude, at.latitude] as [number, number],
      ...(isFirst && map.getZoom() < 10 && { zoom: 12 }),
    };
    const lift = covered() / 2;
    if (prefersStillness()) {
      map.jumpTo({ ...camera, padding: { bottom: 2 * lift, top: 0, left: 0, right: 0 } });
      map.setPadding({ bottom: 0, top: 0, left: 0, right: 0 });
    } else map.easeTo({ ...camera, offset: [0, -lift], duration: GLIDE, easing: (part) => part });
  });
  const stop = ({ originalEvent }: { originalEvent?: unknown }) => {
    if (originalEvent) followed.value = null;
  };
  map.on("dragstart", stop);
  return () => {
    end();
    map.off("dragstart", stop);
  };
}
