import type { VisibleDevices } from "../../identity/access/visible-devices";
import { notFound } from "../../kernel/errors/errors";
import { iso } from "../../kernel/time/clock";
import { staysOf, zonesBetween } from "../geofences/stays";
import { isTripShown } from "../shares/trips";
import { addSums, blank, Figures, type Piece, type Sums, toShown } from "./figures";
import type { Period } from "./kinds";
import { tailOf } from "./live";
import { periodsOf } from "./periods";
import type { DeviceStatistics, Statistics } from "./schema";
import { requireDevice } from "./service";
import { recomputingFrom } from "./spans";
import { partsFrom } from "./stored";
import { type Tally, tallyOf } from "./tally";
import { fixAt, fixesAfter } from "./track";
import { type Stretch, stretchesOf } from "./trip";
import { type Window, windowOf } from "./window";

/** Figures of devices and trips. They come from parts: the cost follows the days, not the fixes. */

export interface StatisticsQuery {
  from?: string;
  to?: string;
  by?: Period;
  timezone?: string;
}

/** Figures, with the time from which on they are being computed anew. */
export interface Answer<T> {
  data: T;
  recomputing_from: string | null;
}

/** The figures of a device in a span of time. Throws 404 and 400. */
export async function deviceStatistics(
  deviceId: string,
  query: StatisticsQuery,
): Promise<Answer<Statistics>> {
  requireDevice(deviceId);
  const window = windowOf(query);
  const data = await figuresOf([{ ...window, deviceId }], askedPeriods(window, query));
  return { data, recomputing_from: recomputingFrom(deviceId, window.until) };
}

/** The figures of several devices in a span of time, in the order asked for. Throws 404 and 400. */
export async function fleetStatistics(
  deviceIds: readonly string[],
  query: StatisticsQuery,
): Promise<Answer<DeviceStatistics[]>> {
  const window = windowOf(query);
  const periods = askedPeriods(window, query);
  for (const deviceId of deviceIds) requireDevice(deviceId);
  const data: DeviceStatistics[] = [];
  for (const device_id of deviceIds)
    data.push({ device_id, ...(await figuresOf([{ ...window, deviceId: device_id }], periods)) });
  const begun = deviceIds.flatMap((id) => recomputingFrom(id, window.until) ?? []).sort();
  return { data, recomputing_from: begun[0] ?? null };
}

/**
 * The figures of a trip from its first position to its last one, without its pauses; or of a span in between. Throws 404 for
 * no trip, and 400.
 */
export async function tripStatistics(
  tripId: string,
  query: StatisticsQuery,
  visible: VisibleDevices = "all",
): Promise<Answer<Statistics>> {
  const stretches = stretchesOf(tripId);
  if (stretches === null || !isTripShown(tripId, visible)) throw notFound("Trip");
  const [first, last] = [stretches[0], stretches.at(-1)];
  const window = windowOf({
    ...(first && { from: iso(first.from) }),
    ...(last && { to: iso(last.until) }),
    ...query,
  });
  const data = await figuresOf(
    stretches.flatMap(({ deviceId, from, until }) => {
      const cut = { deviceId, from: Math.max(from, window.from), until: Math.min(until, window.until) };
      return cut.from < cut.until ? [cut] : [];
    }),
    askedPeriods(window, query),
  );
  const begun = stretches.flatMap(({ deviceId, until }) => recomputingFrom(deviceId, until + 1) ?? []).sort();
  return { data, recomputing_from: begun[0] ?? null };
}

const askedPeriods = (window: Window, { by = "day", timezone = "UTC" }: StatisticsQuery): Window[] =>
  periodsOf(window, by, timezone);

// --- Adding up --------------------------------------------------------------------------------------------

/** Parts that are read in one turn of the event loop: some milliseconds. */
const PAGE = 1_000;

interface Collected {
  sums: Sums;
  zones: Set<string>;
}

const nothing = (): Collected => ({ sums: blank(), zones: new Set() });

/** The figures of periods within some stretches of devices' tracks. */
async function figuresOf(stretches: readonly Stretch[], periods: readonly Window[]): Promise<Statistics> {
  const total = nothing();
  const collected = periods.map(nothing);
  for (const { deviceId, ...stretch } of stretches) {
    const cut = periods.map((period) => {
      const from = Math.max(period.from, stretch.from);
      return { from, until: Math.max(from, Math.min(period.until, stretch.until)) };
    });
    const figures = new Figures(cut);
    await addParts(figures, deviceId, stretch);
    const stays = staysOf(deviceId, stretch.from, stretch.until);
    for (const [at, { from, until }] of cut.entries())
      for (const into of [total, collected[at] as Collected]) {
        addSums(into.sums, figures.sums[at] as Sums);
        if (from < until) for (const zone of zonesBetween(stays, from, until)) into.zones.add(zone);
      }
  }
  return {
    total: toFigures(total),
    periods: periods.map(({ from, until }, at) => ({
      from: iso(from),
      to: iso(until),
      ...toFigures(collected[at] as Collected),
    })),
  };
}

const toFigures = ({ sums, zones }: Collected) => ({ ...toShown(sums), zone_ids: [...zones].sort() });

/** Adds the parts of a device that touch a span, in turns with requests in between. */
async function addParts(figures: Figures, deviceId: string, { from, until }: Window): Promise<void> {
  let next = from + 1;
  for (let page = partsFrom(deviceId, next, PAGE); page.length > 0; ) {
    for (const part of page) {
      if (part.from_time >= until) return;
      addPiece(figures, deviceId, part);
      next = part.until_time + 1;
    }
    if (page.length < PAGE) break;
    await new Promise(setImmediate);
    page = partsFrom(deviceId, next, PAGE);
  }
  for (const { part } of tailOf(deviceId)) {
    const { sums, begunTime } = part;
    if (sums.until.time >= next) addPiece(figures, deviceId, toPiece(sums, begunTime));
  }
}

const toPiece = ({ box, from, until, ...sums }: Tally, begun_time: number): Piece => ({
  ...{ ...sums, ...box, begun_time },
  ...{ from_time: from.time, until_time: until.time },
});

/** Adds a part, where a period begins or ends in its quarter of an hour leg by leg. */
function addPiece(figures: Figures, deviceId: string, piece: Piece): void {
  if (!figures.isDivided(piece)) {
    figures.add(piece);
    return;
  }
  let last = fixAt(deviceId, piece.from_time);
  if (!last) return;
  for (const fix of fixesAfter(deviceId, piece.from_time)) {
    if (fix.time > piece.until_time) return;
    figures.add(toPiece(tallyOf({ kind: piece.kind, from: last, to: fix }), piece.begun_time));
    last = fix;
  }
}
