import { computed, effect, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { watchCrossings } from "./crossings";
import { fleet, isGone } from "./fleet";
import { Heard } from "./heard";
import { hear } from "./live";
import { may, session } from "./session";
import { hasHistories } from "./shares";
import { zones } from "./zones";

/** The doings of devices: the trips that are active, and the zones that they are in. Followed once it is first shown. */

export const activeTrips = signal<ReadonlyMap<string, Schemas["Trip"]>>(new Map());

type Presence = Pick<
  Schemas["GeofencePresence"],
  "device_id" | "device_name" | "geofence_id" | "geofence_name"
>;

/** Devices, each with each zone that it is in. */
const presences = signal<readonly Presence[]>([]);

/** Names by an identifier, in the order of the alphabet. */
function namesBy(id: (of: Presence) => string, name: (of: Presence) => string) {
  const found = new Map<string, string[]>();
  for (const presence of presences.value)
    found.set(id(presence), [...(found.get(id(presence)) ?? []), name(presence)]);
  for (const names of found.values()) names.sort((one, other) => one.localeCompare(other));
  return found;
}

/** The names of the zones that a device is in, and those of the devices that are in a zone. */
export const zonesInside = computed<ReadonlyMap<string, readonly string[]>>(() =>
  namesBy(
    ({ device_id }) => device_id,
    ({ geofence_name }) => geofence_name,
  ),
);
export const devicesInside = computed<ReadonlyMap<string, readonly string[]>>(() =>
  namesBy(
    ({ geofence_id }) => geofence_id,
    ({ device_name }) => device_name,
  ),
);

type Trip = Schemas["Trip"];

const heardTrips = new Heard<Trip>(({ id }) => id);

async function readTrips(): Promise<void> {
  const newest = await heardTrips.read(async () => {
    const active = { query: { status: "active", limit: 100 } } as const;
    return (await call(() => api.GET("/v1/trips", { params: active }))).data;
  });
  if (newest) activeTrips.value = activeAmong([...newest.values()]);
}

const activeAmong = (trips: Trip[]) =>
  new Map(
    trips.flatMap((trip) =>
      trip.status === "active" && trip.device_id ? [[trip.device_id, trip] as const] : [],
    ),
  );

/** A failure shows nothing; the next change reads again. */
const quietly = (read: () => Promise<void>) => () => void read().catch(() => {});

effect(() => {
  if (session.value !== "open") return;
  if (!may("trips:read") && !hasHistories()) {
    activeTrips.value = new Map();
    return;
  }
  const trips = quietly(readTrips);
  trips();
  if (!may("trips:read")) return;
  return hear("trips", { onStart: trips, onReset: trips, onChange: ({ data }) => change(data) });
});

function change(trip: Trip | Schemas["GoneRecord"]): void {
  const now = isGone(trip) ? null : trip;
  heardTrips.note(trip.id, now);
  const others = [...activeTrips.peek().values()].filter(({ id }) => id !== trip.id);
  activeTrips.value = activeAmong(now ? [...others, now] : others);
}

const PAGE = 100;
/** More than these are no list that anybody reads. */
const MOST_PAGES = 50;

async function readPresences(): Promise<void> {
  const found: Presence[] = [];
  let pages = 1;
  for (let page = 1; page <= Math.min(pages, MOST_PAGES); page++) {
    const { data, pagination } = await call(() =>
      api.GET("/v1/geofence-presence", { params: { query: { page, limit: PAGE } } }),
    );
    found.push(...data);
    pages = pagination.total_pages;
  }
  presences.value = found;
}

const isAt = ({ device_id, geofence_id }: Presence, of: Presence): boolean =>
  device_id === of.device_id && geofence_id === of.geofence_id;

function cross({ event, ...crossing }: Schemas["GeofenceCrossing"]): void {
  const device_name = fleet.peek().get(crossing.device_id)?.device.peek().name ?? "";
  const entered = { ...crossing, device_name };
  const others = presences.peek().filter((each) => !isAt(each, entered));
  presences.value = event === "enter" ? [...others, entered] : others;
}

/** Milliseconds after which whoever isn't told of crossings reads where devices are. */
const REFRESH = 60_000;

effect(() => {
  if (session.value !== "open") return;
  const read = quietly(readPresences);
  if (may("geofences:read")) {
    // A zone that was changed or deleted has let its devices go without a word.
    const end = effect(() => {
      zones.value;
      read();
    });
    const silence = watchCrossings((crossing) => (crossing === "anew" ? read() : cross(crossing)));
    return () => {
      end();
      silence();
    };
  }
  if (!hasHistories()) {
    presences.value = [];
    return;
  }
  read();
  const timer = setInterval(() => {
    if (document.visibilityState === "visible") read();
  }, REFRESH);
  return () => clearInterval(timer);
});
