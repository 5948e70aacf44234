import { transact } from "../../kernel/db/transactions";
import { AppError } from "../../kernel/errors/errors";
import { now, SECOND } from "../../kernel/time/clock";
import { listStations } from "../../operations/water-levels/service";
import { observe } from "../conditions/observe";
import { type RuleOf, rulesOf } from "../rules/active";
import { MEASURES, type Measure } from "./measures";

/** Rules that look at what no position tells: water levels, and the installation itself. */

/** The job: looks at the measures of the installation that rules name. One that no longer exists counts as within its bounds. */
export async function watchMeasures(): Promise<void> {
  const rules = rulesOf("system").ofAll;
  const named = new Set(rules.map(({ condition }) => condition.what));
  for (const what of named) {
    const measure = await MEASURES[what]();
    const ofThis = rules.filter(({ condition }) => condition.what === what);
    await transact(() => {
      for (const rule of ofThis) lookAt(rule, measure);
    });
  }
}

/** After a start, what isn't known yet stays as it was. */
function lookAt(rule: RuleOf<"system">, measure: Measure | null): void {
  const { what, below } = rule.condition;
  const look = at(rule, what, rule.condition, measure?.value ?? null);
  if (measure?.isAtLeast && (!look.isMet || below !== undefined)) return;
  observe({ ...look, value: look.value && Math.round(look.value * 10) / 10 });
}

let levelsReadAt = Number.NEGATIVE_INFINITY;

/** Levels are read from memory for `pegel.cache_seconds`, so looking often asks the source no more often. */
const LEVELS_EVERY = 60 * SECOND;

/** The job: looks at the water levels of the stations that rules name. What the source doesn't tell stays as it is. */
export async function watchLevels(): Promise<void> {
  const rules = rulesOf("water_level").ofAll;
  if (rules.length === 0 || Math.abs(now() - levelsReadAt) < LEVELS_EVERY) return;
  levelsReadAt = now();
  const stations = await stationsNow();
  if (stations.length === 0) return;
  const levels = new Map(stations.map((station) => [station.station_id.toLowerCase(), station]));
  await transact(() => {
    for (const rule of rules) {
      const { station, above_cm, below_cm } = rule.condition;
      const found = levels.get(station);
      if (!found || found.level_cm === null) continue;
      const bounds = {
        ...(above_cm !== undefined && { above: above_cm }),
        ...(below_cm !== undefined && { below: below_cm }),
      };
      observe({ ...at(rule, station, bounds, found.level_cm), subjectName: found.longname });
    }
  });
}

async function stationsNow() {
  try {
    const { body, isStale } = await listStations(undefined);
    return isStale ? [] : body;
  } catch (error) {
    // The source says so itself in the log.
    if (error instanceof AppError) return [];
    throw error;
  }
}

interface Bounds {
  above?: number;
  below?: number;
}

const at = (
  rule: RuleOf<"system"> | RuleOf<"water_level">,
  subject: string,
  { above, below }: Bounds,
  value: number | null,
) => ({
  ...{ rule, subject, value, deviceId: null, place: null },
  isMet: value !== null && ((above !== undefined && value > above) || (below !== undefined && value < below)),
});
