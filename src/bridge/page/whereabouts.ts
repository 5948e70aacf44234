import { effect, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { isGone } from "./fleet";
import { hear } from "./live";
import { may, session } from "./session";

/** The doings of devices: the trips that are active, and the zones that they are in. Followed once it is first shown. */

export const activeTrips = signal<ReadonlyMap<string, Schemas["Trip"]>>(new Map());
export const zonesInside = signal<ReadonlyMap<string, readonly string[]>>(new Map());

async function readTrips(): Promise<void> {
  const { data } = await call(() =>
    api.GET("/v1/trips", { params: { query: { status: "active", limit: 100 } } }),
  );
  activeTrips.value = new Map(
    data.flatMap((trip) => (trip.device_id ? [[trip.device_id, trip] as const] : [])),
  );
}

/** A failure shows nothing; the next change reads again. */
const quietly = (read: () => Promise<void>) => () => void read().catch(() => {});

effect(() => {
  if (session.value !== "open") return;
  const trips = quietly(readTrips);
  trips();
  if (!may("trips:read")) return;
  return hear("trips", { onStart: trips, onReset: trips, onChange: ({ data }) => change(data) });
});

function change(trip: Schemas["Trip"] | Schemas["GoneRecord"]): void {
  const left = new Map([...activeTrips.peek()].filter(([, { id }]) => id !== trip.id));
  if (!isGone(trip) && trip.status === "active" && trip.device_id) left.set(trip.device_id, trip);
  activeTrips.value = left;
}
