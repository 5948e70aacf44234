import { api, call, type Schemas } from "../../api";
import { may } from "../../session";
import type { Choice } from "./choice";
import type { Way } from "./way";

/** Readings for a span: tracks first, since they are waited for; then moves, stops and figures. */

export type Segment = Schemas["TimelineSegment"];
export type Track = Schemas["Track"];

/** A device as the view shows it. */
export interface Shown {
  id: string;
  name: string;
  /** The number of its hue on the map. */
  hue: number;
  way: Way;
  segments: readonly Segment[];
}

/** Points of a track: what a phone draws at once. */
const MOST_POINTS = 5_000;

const iso = (time: number): string => new Date(time).toISOString();

/** The span as the API is asked for it, whose ends are both part of it. */
export const queryOf = ({ from, to }: { from: number; to: number }): { from: string; to: string } => ({
  from: iso(from),
  to: iso(to - 1),
});

const trackOfDevice = async (id: string, span: { from: string; to: string }): Promise<Track> => {
  const query = { ...span, max_points: MOST_POINTS };
  const answer = await call(() => api.GET("/v1/devices/{id}/track", { params: { path: { id }, query } }));
  // The answer may be a file too, where a request asks for one.
  return (answer as Schemas["TrackAnswer"]).data;
};

export interface Trip {
  id: string;
  name: string;
}

export interface Tracks {
  /** Names the choice, to tell it from the next one. */
  key: string;
  trip: Trip | null;
  /** By device, in the order of the choice. */
  tracks: ReadonlyMap<string, Track>;
  /** Epoch milliseconds: those of the choice, or of its trip. */
  from: number;
  to: number;
}

export const keyOf = ({ devices, trip, from, to }: Choice): string =>
  [trip ?? `${from}-${to}`, ...devices].join(" ");

/** Reads the tracks of a choice. Throws an ApiError. */
export async function readTracks(choice: Choice): Promise<Tracks> {
  const key = keyOf(choice);
  const [first, ...others] = choice.devices;
  if (choice.trip === null || first === undefined) {
    const { from, to } = choice;
    const read = choice.devices.map(async (id) => [id, await trackOfDevice(id, queryOf(choice))] as const);
    return { key, trip: null, tracks: new Map(await Promise.all(read)), from, to };
  }
  const path = { id: choice.trip };
  const [trip, answer] = await Promise.all([
    call(() => api.GET("/v1/trips/{id}", { params: { path } })),
    call(() => api.GET("/v1/trips/{id}/track", { params: { path, query: { max_points: MOST_POINTS } } })),
  ]);
  const track = (answer as Schemas["TrackAnswer"]).data;
  const { from, to } = track;
  const rest = others.map(async (id) => [id, await trackOfDevice(id, { from, to })] as const);
  return {
    key,
    trip: { id: trip.data.id, name: trip.data.name },
    tracks: new Map([[trip.data.device_id ?? first, track], ...(await Promise.all(rest))]),
    // Its end is the time of its last position, which is part of it.
    ...{ from: Date.parse(from), to: Date.parse(to) + 1 },
  };
}

export interface Figures {
  /** The first ones. */
  segments: readonly Segment[];
  /** The number of all segments. */
  segmentsTotal: number;
  total: Schemas["TimelineFigures"];
  /** ISO 8601; null when nothing is being computed anew. */
  recomputingFrom: string | null;
}

const MOST_DAYS = 400;
/** True for a span that has no figures. */
export const isTooLong = ({ from, to }: { from: number; to: number }): boolean =>
  to - from > MOST_DAYS * 86_400_000;

const PAGE = 100;
/** Segments that are read: a longer list is read by nobody, and takes a minute to come. */
const MOST_SEGMENTS = 2_000;

async function figuresOf(id: string, { from, to, trip }: Tracks, isFirst: boolean): Promise<Figures> {
  const span = queryOf({ from, to });
  const segments: Segment[] = [];
  let recomputingFrom: string | null = null;
  let all = 0;
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { ...span, page, limit: PAGE };
    const answer = await call(() =>
      api.GET("/v1/devices/{id}/timeline", { params: { path: { id }, query } }),
    );
    segments.push(...answer.data);
    all = answer.pagination.total;
    pages = Math.min(answer.pagination.total_pages, MOST_SEGMENTS / PAGE);
    recomputingFrom ??= answer.recomputing_from;
  }
  const query = {
    ...{ ...span, by: "month" as const },
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const statistics =
    trip && isFirst
      ? await call(() => api.GET("/v1/trips/{id}/statistics", { params: { path: { id: trip.id } } }))
      : await call(() => api.GET("/v1/devices/{id}/statistics", { params: { path: { id }, query } }));
  return {
    ...{ segments, segmentsTotal: all, total: statistics.data.total },
    recomputingFrom: recomputingFrom ?? statistics.recomputing_from,
  };
}

/** Reads moves, stops and figures of the devices whose tracks were read; of none where the span is too long. Throws an ApiError. */
export async function readFigures(tracks: Tracks): Promise<ReadonlyMap<string, Figures>> {
  if (isTooLong(tracks)) return new Map();
  const ids = [...tracks.tracks].filter(([, { points_total }]) => points_total > 0).map(([id]) => id);
  const [first] = tracks.tracks.keys();
  const read = ids.map(async (id) => [id, await figuresOf(id, tracks, id === first)] as const);
  return new Map(await Promise.all(read));
}

/** Names of stored locations that were read before. */
const known = new Map<string, string>();

/** The names of the stored locations at which devices stopped; those that can't be read are left out. */
export async function readPlaces(segments: readonly Segment[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(segments.flatMap(({ location_id }) => location_id ?? []));
  if (may("locations:read"))
    await Promise.allSettled(
      [...ids]
        .filter((id) => !known.has(id))
        .map(async (id) => {
          const { data } = await call(() => api.GET("/v1/locations/{id}", { params: { path: { id } } }));
          known.set(id, data.name);
        }),
    );
  return known;
}
