import { config } from "../../configuration/config";
import { logFailure } from "../../kernel/errors/trouble";
import { DAY, HOUR, MINUTE, now, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { coverageOf, keepMeasurements, oldestKept, QUARTER, type Span } from "./history";
import { MOST_DAYS, measurementsOf } from "./source";
import { type Measured, readMeasurements, type SourceStation } from "./stations";

/** Asks the source for the past of a station, and keeps it. */

/** A station's levels of the last days, by time, which are kept; null if the source doesn't tell them. */
export async function measure(station: SourceStation, days: number): Promise<Measured[] | null> {
  const until = now();
  const answer = await measurementsOf(station.station_id, days);
  if (!Array.isArray(answer) || station.centimetres === null) return null;
  const measured = readMeasurements(answer, station.centimetres);
  try {
    await keepMeasurements(station.station_id, measured, { from: until - days * DAY, until });
  } catch (error) {
    logFailure("water levels could not be kept", error);
  }
  return measured;
}

/** Age at which what is kept of a station is asked for anew: a graph of days needs no more. */
const GROWS_OLD = HOUR;

/** Days back for which the source has levels of a span that aren't kept; 0 for none. */
function missingDays({ station_id, hasLevel, centimetres }: SourceStation, span: Span): number {
  if (!hasLevel || centimetres === null) return 0;
  const time = now();
  const from = Math.max(span.from, oldestKept(), time - MOST_DAYS * DAY);
  const until = Math.min(span.until, time);
  if (from >= until) return 0;
  const known = coverageOf(station_id);
  const daysSince = (at: number) => Math.min(Math.max(Math.ceil((time - at - QUARTER) / DAY), 1), MOST_DAYS);
  if (!known || known.until > time || known.until < from || known.from - QUARTER > from)
    return daysSince(from);
  return until - known.until > GROWS_OLD ? daysSince(known.until) : 0;
}

/** True if all levels of a span that the source has, and that are young enough, are kept. */
export const isComplete = (station: SourceStation, span: Span): boolean => missingDays(station, span) === 0;

/** Stations of which the source is asked at once, whoever waits for them. */
const AT_ONCE = 5;
/** Least pause before a station is asked for again that could not be told. */
const PAUSE = MINUTE;

const failedAt = new BoundedMap<string, number>(2_000);
const filling = new Map<string, Promise<void>>();
const line: (() => void)[] = [];
let isFree = AT_ONCE;

/** Longest wait for levels of the past in an answer. */
const LONGEST_WAIT = 6 * SECOND;

/** Fetches what is missing of a span of some stations. What takes longer than some seconds comes after the answer. */
export async function fill(stations: readonly SourceStation[], span: Span): Promise<void> {
  const missing = stations.filter((station) => !isComplete(station, span) && mayAsk(station));
  if (missing.length > 0)
    await Promise.race([Promise.all(missing.map((one) => fillOne(one, span))), Bun.sleep(LONGEST_WAIT)]);
}

function mayAsk({ station_id }: SourceStation): boolean {
  const failed = failedAt.get(station_id);
  const pause = Math.max(PAUSE, config["pegel.cache_seconds"] * SECOND);
  return failed === undefined || Math.abs(now() - failed) >= pause;
}

/** A question that is under way may be for another span: what it left missing is asked for after it. */
async function fillOne(station: SourceStation, span: Span): Promise<void> {
  const { station_id } = station;
  for (let under = filling.get(station_id); under; under = filling.get(station_id)) {
    await under;
    if (isComplete(station, span) || !mayAsk(station)) return;
  }
  const asking = ask(station, span).finally(() => filling.delete(station_id));
  filling.set(station_id, asking);
  await asking;
}

async function ask(station: SourceStation, span: Span): Promise<void> {
  if (isFree > 0) isFree--;
  else await new Promise<void>((go) => line.push(go));
  try {
    const days = missingDays(station, span);
    if (days > 0) await measure(station, days);
    if (!isComplete(station, span)) failedAt.renew(station.station_id, now());
  } finally {
    const next = line.shift();
    if (next) next();
    else isFree++;
  }
}
