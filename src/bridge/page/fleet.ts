import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { Heard } from "./heard";
import { hear } from "./live";
import { may, session } from "./session";
import { hasShares, mayBy, readShares } from "./shares";

/** The devices that the user may see, and their newest positions. */

export type Device = Schemas["Device"];
export type Fix = Schemas["HeardPosition"] &
  Partial<Pick<Schemas["GpsPoint"], "accuracy_m" | "battery_percent">>;

/** A device, and its newest position as a signal of its own: a row that shows it is drawn anew alone. */
export interface Craft {
  device: Signal<Device>;
  fix: Signal<Fix | null>;
}

/** By the device's identifier, in the order of names. A new map whenever a device came or went. */
export const fleet = signal<ReadonlyMap<string, Craft>>(new Map());

/** `first`: nothing is known yet; `failed`: the last attempt brought nothing. */
export const fleetState = signal<"first" | "known" | "failed">("first");

/** Called with the identifiers of devices that moved; the map draws them at its own pace. */
const watchers = new Set<(ids: readonly string[]) => void>();

export function watchFixes(watcher: (ids: readonly string[]) => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Called with the identifier of a device of which late positions came, or one was deleted or marked. */
const lateWatchers = new Set<(id: string) => void>();

export function watchLate(watcher: (id: string) => void): () => void {
  lateWatchers.add(watcher);
  return () => lateWatchers.delete(watcher);
}

const tellLate = (id: string | null): void => {
  if (id !== null) for (const watcher of lateWatchers) watcher(id);
};

const tell = (ids: readonly string[]): void => {
  for (const watcher of watchers) watcher(ids);
};

const PAGE = 100;

/** All records of a list. */
export async function all<T>(
  read: (page: number) => Promise<{ data: T[]; pagination: { total_pages: number } }>,
): Promise<T[]> {
  const first = await read(1);
  const pages = Array.from({ length: Math.max(0, first.pagination.total_pages - 1) }, (_, at) => at + 2);
  const rest: T[] = [];
  for (const page of pages) rest.push(...(await read(page)).data);
  return [...first.data, ...rest];
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function put(devices: readonly Device[], fixes: ReadonlyMap<string, Fix>): void {
  const known = fleet.peek();
  const sorted = [...devices].sort((one, other) => byName.compare(one.name, other.name));
  batch(() => {
    fleet.value = new Map(
      sorted.map((device) => {
        const craft = known.get(device.id) ?? { device: signal(device), fix: signal<Fix | null>(null) };
        craft.device.value = device;
        craft.fix.value = newer(craft.fix.peek(), fixes.get(device.id) ?? null);
        return [device.id, craft];
      }),
    );
    fleetState.value = "known";
  });
  tell([...fleet.peek().keys()]);
}

const newer = (one: Fix | null, other: Fix | null): Fix | null =>
  one && (!other || Date.parse(one.timestamp) > Date.parse(other.timestamp)) ? one : (other ?? one);

/** A device of which the user sees the positions and nothing else: it goes by the end of its identifier. */
const nameless = (id: string): Device => ({
  ...{ id, name: `… ${id.slice(-6)}`, description: null, device_type: null, external_id: null },
  ...{ api_key_id: null, max_speed_kmh: null, stop_radius_m: 0, stop_minutes: 0, gap_minutes: 0 },
  ...{ auto_trip: null, is_active: true, box_id: null, last_position_at: null, battery_percent: null },
  ...{ created_at: "", updated_at: "" },
});

let reading: Promise<void> | null = null;
let isDue = false;

/** Reads all devices that the user may see, and their newest positions. Who asks while it is being read shares the next reading. */
export async function readFleet(): Promise<void> {
  if (reading) {
    isDue = true;
    return reading;
  }
  reading = read().finally(() => {
    reading = null;
    if (!isDue) return;
    isDue = false;
    return readFleet();
  });
  return reading;
}

const heard = new Heard<Device>(({ id }) => id);

async function read(): Promise<void> {
  try {
    await readShares();
    let fixes: readonly Fix[] = [];
    const devices = await heard.read(async () => {
      // The API refuses a list of nothing, which a browser would report as an error.
      const [list, current] = await Promise.all([
        may("devices:read") || hasShares()
          ? all((page) => call(() => api.GET("/v1/devices", { params: { query: { page, limit: PAGE } } })))
          : [],
        may("gps:read") || hasShares() ? call(() => api.GET("/v1/gps/current/devices")) : [],
      ]);
      fixes = current;
      return list;
    });
    if (devices === null) return;
    const found = new Map(fixes.flatMap((fix) => (fix.device_id ? [[fix.device_id, fix] as const] : [])));
    const others = may("devices:read") ? [] : [...found.keys()].filter((id) => !devices.has(id));
    put([...devices.values(), ...others.map(nameless)], found);
  } catch {
    if (fleetState.peek() === "first") fleetState.value = "failed";
  }
}

const listed = (): Device[] => [...fleet.peek().values()].map(({ device }) => device.peek());

function move(fix: Fix): void {
  const id = fix.device_id;
  const craft = id ? fleet.peek().get(id) : undefined;
  if (!id) return;
  if (!craft) {
    // Of a device that has its own message, that of its making comes first.
    if (!may("devices:read")) put([...listed(), nameless(id)], new Map([[id, fix]]));
    return;
  }
  const newest = newer(craft.fix.peek(), fix);
  if (newest === craft.fix.peek()) return;
  craft.fix.value = newest;
  tell([id]);
}

function change(device: Device): void {
  heard.note(device.id, device);
  const craft = fleet.peek().get(device.id);
  if (craft && craft.device.peek().name === device.name) craft.device.value = device;
  else put([...listed().filter(({ id }) => id !== device.id), device], new Map());
}

function remove(id: string): void {
  heard.note(id, null);
  const left = new Map(fleet.peek());
  if (left.delete(id)) fleet.value = left;
  tell([id]);
}

/** A message tells of a record, or of one that is gone. */
export const isGone = (record: object): record is Schemas["GoneRecord"] => "is_deleted" in record;

/** Devices may be known by another right, and their positions not: a channel of theirs would be refused. */
const devicesOfShares: ReadonlySignal<string> = computed(() =>
  may("gps:read") ? "" : [...fleet.value.keys()].filter((id) => mayBy("gps:read", id, "now")).join(","),
);

/** Begins to follow the fleet. */
export function followFleet(): void {
  effect(() => {
    if (session.value !== "open") return;
    // With other rights it is another fleet; nothing else may tell of it, since there may be no channel left to hear.
    may("devices:read");
    void readFleet();
  });
  effect(() => {
    if (session.value !== "open") return;
    const everything = {
      onStart: () => void readFleet(),
      onReset: () => {
        void readFleet();
        for (const id of fleet.peek().keys()) tellLate(id);
      },
    };
    const channels = may("gps:read")
      ? (["gps"] as const)
      : devicesOfShares.value.split(",").flatMap((id) => (id ? [`gps:${id}` as const] : []));
    const ends = channels.map((channel) =>
      hear(channel, {
        ...everything,
        onChange: ({ type, data }) => {
          if (type === "gpsUpdate" && !isGone(data)) return move(data);
          tellLate(data.device_id);
          // A late position moves nothing; one that is gone may have been the newest.
          if (type === "gpsUpdate") void readFleet();
        },
        // A share that has ended: the list tells which devices are left.
        onError: () => void readFleet(),
      }),
    );
    if (may("devices:read"))
      ends.push(
        hear("devices", {
          ...everything,
          onChange: ({ data }) => (isGone(data) ? remove(data.id) : change(data)),
        }),
      );
    return () => {
      for (const end of ends) end();
    };
  });
}
