import { effect } from "@preact/signals";
import type { Schemas } from "./api";
import { hear } from "./live";
import { may, session } from "./session";

/** Crossings of zones as they happen: one subscription for all that care, since a socket carries a channel once. */

/** A crossing; `anew` where any may have changed: after late positions, a gap, or at the beginning. */
type Watcher = (crossing: Schemas["GeofenceCrossing"] | "anew") => void;

const watchers = new Set<Watcher>();

/** Hears of crossings, for users who may see zones. Returns the function that ends it. */
export function watchCrossings(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

const tell: Watcher = (crossing) => {
  for (const watcher of watchers) watcher(crossing);
};

effect(() => {
  if (session.value !== "open" || !may("geofences:read")) return;
  const anew = () => tell("anew");
  return hear("geofence", {
    onStart: anew,
    onReset: anew,
    onChange: (change) => (change.type === "geofenceEvent" ? tell(change.data) : anew()),
  });
});
