import { effect } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { type Fix, fleet, watchFixes, watchLate } from "./fleet";
import { GAP_SECONDS, type Point, Trail } from "./map/trail";
import { session } from "./session";
import { mayBy } from "./shares";
import { dayName, present, spanOfDay } from "./times";

/** Today's ways of all devices: those until now are asked for, a few at a time, and grow with each position. */

/** Requests that are under way at once. */
const AT_ONCE = 3;
/** Points of a way: fewer in a large fleet, whose ways are drawn small. */
const pointsFor = (devices: number): number => (devices > 20 ? 300 : 1_500);
/** Milliseconds that late positions are waited for, since they come in batches. */
const LATE_PAUSE = 3_000;

export const trails = new Map<string, Trail>();

/** Called with the identifier of a device whose way has grown (`isNew` false) or is another. */
const watchers = new Set<(id: string, isNew: boolean) => void>();

export function watchTrails(watcher: (id: string, isNew: boolean) => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

const tell = (id: string, isNew: boolean): void => {
  for (const watcher of watchers) watcher(id, isNew);
};

const midnight = (): number => spanOfDay(dayName(Date.now()))?.from ?? 0;

/** Devices whose ways are wanted, and the part of them that was asked for today. */
const waiting = new Set<string>();
let asked = new Set<string>();
let today = midnight();
let running = 0;

/** The device that moved last comes first. */
function next(): string | undefined {
  let found: string | undefined;
  let newest = "";
  for (const id of waiting) {
    const time = fleet.peek().get(id)?.fix.peek()?.timestamp ?? "";
    if (found === undefined || time > newest) [found, newest] = [id, time];
  }
  if (found !== undefined) waiting.delete(found);
  return found;
}

async function read(id: string): Promise<void> {
  const trail = trails.get(id) ?? new Trail();
  trails.set(id, trail);
  try {
    const query = {
      from: new Date(today).toISOString(),
      max_points: pointsFor(fleet.peek().size),
      gap_seconds: GAP_SECONDS,
    };
    // The answer may be a file too, where a request asks for one.
    const { data } = (await call(() =>
      api.GET("/v1/devices/{id}/track", { params: { path: { id }, query } }),
    )) as Schemas["TrackAnswer"];
    trail.begin(data.pieces.map((piece) => piece.map(([lon, lat, time]) => [lon, lat, time] as Point)));
    tell(id, true);
  } catch {
    // It begins with the next position, and is asked for when the connection is back.
    asked.delete(id);
  }
}

function work(): void {
  while (running < AT_ONCE) {
    const id = next();
    if (id === undefined) return;
    running++;
    void read(id).finally(() => {
      running--;
      work();
    });
  }
}

function want(id: string): void {
  asked.add(id);
  waiting.add(id);
  work();
}

/** Asks for the way of a device that has moved today, unless it was asked for. */
function consider(id: string, at: Fix | null): void {
  if (at && !asked.has(id) && Date.parse(at.timestamp) >= today && mayBy("gps:read", id, "history")) want(id);
}

/** Asks for the ways that aren't known yet, of devices that have moved today. */
function review(): void {
  if (midnight() !== today) {
    today = midnight();
    asked = new Set();
    for (const [id, trail] of trails) {
      trail.dropBefore(today / 1_000);
      tell(id, true);
    }
  }
  for (const [id, { fix }] of fleet.peek()) consider(id, fix.peek());
  for (const id of [...trails.keys()])
    if (!fleet.peek().has(id)) {
      trails.delete(id);
      tell(id, true);
    }
}

function grow(ids: readonly string[]): void {
  for (const id of ids) {
    const at = fleet.peek().get(id)?.fix.peek();
    const trail = trails.get(id);
    if (!at) continue;
    if (!trail) consider(id, at);
    else {
      trail.add([at.longitude, at.latitude, Date.parse(at.timestamp) / 1_000]);
      if (trail.isLong) want(id);
      tell(id, false);
    }
  }
}

/** Follows the ways as long as somebody shows them. Returns the function that ends it. */
export function followTrails(): () => void {
  const late = new Map<string, ReturnType<typeof setTimeout>>();
  const ends = [
    effect(() => {
      present.value;
      fleet.value;
      if (session.value === "open") review();
    }),
    watchFixes(grow),
    watchLate((id) => {
      if (!trails.has(id) || late.has(id)) return;
      late.set(
        id,
        setTimeout(() => {
          late.delete(id);
          want(id);
        }, LATE_PAUSE),
      );
    }),
  ];
  return () => {
    for (const end of ends) end();
    for (const timer of late.values()) clearTimeout(timer);
    waiting.clear();
    asked.clear();
    trails.clear();
  };
}
