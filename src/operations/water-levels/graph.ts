import { invalid, notFound } from "../../kernel/errors/errors";
import { inTurns } from "../../kernel/limits/turns";
import { DAY, iso, now, spanOf } from "../../kernel/time/clock";
import { levelsOf, QUARTER, type Span } from "./history";
import { fill, isComplete } from "./measurements";
import { DEFAULT_DAYS, DEFAULT_POINTS, type LevelHistory, MOST_SPAN_DAYS } from "./schema";
import { allStations } from "./source";
import { type SourceStation, toHundredths } from "./stations";

/** The levels of the past as graphs need them: a bounded number of values, equally far apart. */

export interface HistoryQuery {
  from?: string;
  to?: string;
  points?: number;
}

/** A station's levels in a span of time. Throws 404, 400, and 503 as the list of stations does. */
export async function historyOf(stationId: string, query: HistoryQuery): Promise<LevelHistory> {
  const [history] = await historiesOf([stationId], query);
  if (!history) throw notFound("Water-level station");
  return history;
}

const turn = inTurns();

/**
 * The levels of several stations in a span of time, in the order asked for; each identifier in either case. The source is asked
 * for what isn't kept, if it can be. Throws 404, 400, and 503 as the list of stations does.
 */
export async function historiesOf(ids: readonly string[], query: HistoryQuery): Promise<LevelHistory[]> {
  const span = spanAsked(query);
  const { stations, isStale } = await allStations();
  const known = new Map(stations.map((station) => [station.station_id.toLowerCase(), station]));
  const asked = [...new Set(ids.map((id) => id.toLowerCase()))].map((id) => {
    const station = known.get(id);
    if (!station) throw notFound("Water-level station");
    return station;
  });
  if (!isStale) await fill(asked, span);
  const histories: LevelHistory[] = [];
  for (const station of asked) {
    await turn();
    histories.push(drawn(station, span, query.points ?? DEFAULT_POINTS));
  }
  return histories;
}

/** A graph begins up to a step earlier and ends up to one later, in years that RFC 3339 can write too. */
const [FIRST, LAST] = [Date.parse("1900-01-01"), Date.parse("9999-01-01") - 1];

function spanAsked({ from, to }: HistoryQuery): Span {
  const until = to === undefined ? now() : spanOf(to)[1];
  const begin = from === undefined ? until - DEFAULT_DAYS * DAY : spanOf(from)[0];
  if (until < FIRST || LAST < until) throw invalid("/to", "must be in the years 1900 to 9998");
  if (begin > until) throw invalid("/from", "must not be after to");
  if (until - begin > MOST_SPAN_DAYS * DAY)
    throw invalid("/to", `must be at most ${MOST_SPAN_DAYS} days after from`);
  return { from: begin, until };
}

/** Steps are whole quarters of an hour, counted back from the one that the span ends in. */
function drawn(station: SourceStation, span: Span, points: number): LevelHistory {
  const end = Math.floor(span.until / QUARTER);
  const quarters = Math.max(1, Math.round((span.until - span.from) / QUARTER));
  const step = Math.ceil(quarters / points);
  const steps = Math.ceil(quarters / step);
  const begin = end + 1 - steps * step;
  const levels = levelsOf(station.station_id, begin, end);
  const levels_cm = Array<number | null>(steps).fill(null);
  let [lowest_cm, highest_cm] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [quarter, level_cm] of levels) {
    levels_cm[Math.floor((quarter - begin) / step)] = level_cm;
    lowest_cm = Math.min(lowest_cm, level_cm);
    highest_cm = Math.max(highest_cm, level_cm);
  }
  const [first, last] = [levels[0]?.[1], levels.at(-1)?.[1]];
  const hasLevels = first !== undefined && last !== undefined;
  return {
    station_id: station.station_id,
    from: iso(begin * QUARTER),
    to: iso((end + 1) * QUARTER),
    step_seconds: (step * QUARTER) / 1_000,
    levels_cm,
    lowest_cm: hasLevels ? lowest_cm : null,
    highest_cm: hasLevels ? highest_cm : null,
    change_cm: hasLevels ? toHundredths(last - first) : null,
    is_complete: isComplete(station, span),
  };
}
