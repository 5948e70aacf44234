import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call, type Schemas } from "./api";
import { inLanguages } from "./language";
import { areasOf, HEIGHT } from "./ui/area";
import { type Loaded, useLoaded } from "./ui/loaded";
import { number } from "./units";

type History = Schemas["WaterLevelHistory"];

const words = inLanguages({
  en: {
    span: (low: string, high: string, change: string) => `3 days: ${low} to ${high} cm, ${change}`,
    higher: "cm higher",
    lower: "cm lower",
    same: "unchanged",
    none: "No levels of the last days are known yet.",
  },
  de: {
    span: (low: string, high: string, change: string) => `3 Tage: ${low} bis ${high} cm, ${change}`,
    higher: "cm höher",
    lower: "cm tiefer",
    same: "unverändert",
    none: "Von den letzten Tagen ist noch kein Stand bekannt.",
  },
});

/** Milliseconds after which levels are asked for again that the source had not told yet. */
const AGAIN = 20_000;

/** What the API takes for an identifier. */
const NAMEABLE = /^[\w-]{1,64}$/;

/** The levels of some stations in the last days, by station: at most 50. */
export function useHistories(stationIds: readonly string[]): Loaded<Map<string, History>> {
  const station_ids = stationIds.filter((id) => NAMEABLE.test(id)).join(",");
  const loaded = useLoaded(async () => {
    if (station_ids === "") return new Map<string, History>();
    const { data } = await call(() => api.GET("/v1/pegel/history", { params: { query: { station_ids } } }));
    return new Map(data.map((each) => [each.station_id, each]));
  }, [station_ids]);
  useEffect(() => {
    if (![...(loaded.data?.values() ?? [])].some(({ is_complete }) => !is_complete)) return;
    const timer = setTimeout(loaded.reload, AGAIN);
    return () => clearTimeout(timer);
  }, [loaded.data]);
  return loaded;
}

/** Centimetres over which a graph reaches at least: a still water must not look like a tide. */
const LEAST = 10;

/** A small graph of a station's levels, with its bounds and its change in words. */
export function LevelGraph({ of }: { of: History | undefined }): JSX.Element | null {
  const t = words();
  if (!of) return null;
  const { levels_cm, lowest_cm: low, highest_cm: high, change_cm: change } = of;
  const isKnown = levels_cm.filter((level) => level !== null).length > 1;
  if (!isKnown || low === null || high === null || change === null)
    return <p class="hint level-graph">{t.none}</p>;
  const reach = Math.max(high - low, LEAST);
  const [by, going] = [number(Math.abs(change)), change < 0 ? t.lower : t.higher];
  return (
    <figure class="level-graph">
      <svg viewBox={`0 0 ${levels_cm.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path
          d={areasOf(
            levels_cm.map((level) => (level === null ? null : level - low + reach / 9)),
            reach * 1.15,
          )}
        />
      </svg>
      <figcaption class="hint">
        {t.span(number(low), number(high), change === 0 ? t.same : `${by} ${going}`)}
      </figcaption>
    </figure>
  );
}
