import { computed, signal } from "@preact/signals";
import { fleet } from "./fleet";
import { route } from "./route";

/** The reader's choice on the map. */

/** The device that the address names, in whatever view: it is marked on the map. Null without one. */
export const chosenDevice = computed<string | null>(() => {
  const id = route.value.path[1];
  return id !== undefined && fleet.value.has(id) ? id : null;
});

/** A vessel by its MMSI, or the station of the water level; null for none. */
export const chosenOther = signal<number | "station" | null>(null);

/** The device that stays in the middle of the map; null while the reader moves it. */
export const followed = signal<string | null>(null);
