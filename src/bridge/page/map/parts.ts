import { effect, untracked } from "@preact/signals";
import { type AnchorWatch, anchorWatches } from "../anchors";
import { chosenDevice, chosenOther, followed } from "../chosen";
import { fleet } from "../fleet";
import { go, route } from "../route";
import { VIEWS } from "../views";
import { followZones } from "../zones";
import { followAccuracy } from "./accuracy";
import { type AnchorShape, drawAnchors } from "./anchor";
import { drawnElsewhere } from "./current";
import { drawFleet } from "./fleet";
import { keepInMiddle } from "./follow";
import { isShown, type LayerName } from "./layers";
import type { Stage } from "./stage";
import { onTap } from "./taps";
import { drawTrails } from "./trails";
import { drawVessels } from "./vessels";
import { drawWater } from "./water";
import { drawZones } from "./zones";

/** All that the map of whoever is signed in shows. */

let isFollowing = false;

/** Draws everything. What can be switched off comes and goes with its switch. */
export function drawAll(stage: Stage): void {
  if (!isFollowing) {
    isFollowing = true;
    followZones();
    followAccuracy();
  }
  const whileShown = (name: LayerName, draw: (stage: Stage) => () => void) => {
    let erase: (() => void) | null = null;
    effect(() => {
      if (isShown(name)) erase ??= untracked(() => draw(stage));
      else {
        erase?.();
        erase = null;
      }
    });
  };
  drawFleet(stage);
  onTap(stage, ["chosen-sign", "chosen-mark", "fleet-signs"], ({ feature }) => {
    const id = (feature.properties.id as string | undefined) ?? chosenDevice.peek();
    if (id !== null) choose(id);
  });
  whileShown("zones", (there) => drawZones(there, () => drawnElsewhere.zone.value));
  whileShown("trails", drawTrails);
  whileShown("vessels", drawVessels);
  whileShown("water", drawWater);
  drawAnchors(stage, {
    name: "anchors",
    read: () =>
      [...anchorWatches.value.values()]
        .filter(({ device_id }) => device_id !== drawnElsewhere.anchor.value)
        .map(shapeOf),
  });
  keepInMiddle(stage);
  stage.map.on("click", (event) => {
    // Whoever listens for signs does so after this: a tap beside all of them chooses nothing any more.
    queueMicrotask(() => {
      if (event.defaultPrevented || !isMap()) return;
      chosenOther.value = null;
      if (chosenDevice.peek() !== null) go(["map"]);
    });
  });
  effect(() => {
    if (chosenDevice.value !== null) chosenOther.value = null;
    else if (followed.peek() !== null && isMap()) followed.value = null;
  });
}

/** An anchor watch as it is drawn, with the line to its boat. */
export function shapeOf(watch: AnchorWatch): AnchorShape {
  return { ...watch, boat: fleet.value.get(watch.device_id)?.fix.value ?? null };
}

const isMap = (): boolean => (route.peek().path[0] ?? "map") === "map";

/** Chooses a device, in the view that is open where that shows single ones. */
function choose(id: string): void {
  const name = route.peek().path[0] ?? "map";
  if (name === "devices") go(["devices", id]);
  // Views below or beside which the map is worked on have their own taps.
  else if (VIEWS.find((view) => view.name === name)?.layout !== "half") go(["map", id]);
}
