import type { JSX } from "preact";
import { api, call, type Schemas } from "./api";
import { inLanguages } from "./language";
import { type Loaded, useLoaded } from "./ui/loaded";
import { number } from "./units";

/** Graphs that several panels draw. */

type History = Schemas["WaterLevelHistory"];

const words = inLanguages({
  en: {
    days: "3 days",
    to: "to",
    change: "change",
    none: "No past levels are known yet.",
  },
  de: {
    days: "3 Tage",
    to: "bis",
    change: "Änderung",
    none: "Frühere Stände sind noch nicht bekannt.",
  },
});

/** Height of a graph in its own units; its width is the number of its values. */
export const HEIGHT = 60;

/** The path of the areas below values from 0 to `most`, one for each stretch in which all are known. */
export function areasOf(values: readonly (number | null)[], most: number): string {
  let path = "";
  let isOpen = false;
  for (const [at, value] of [...values, null].entries()) {
    if (value !== null) {
      const y = HEIGHT - (value / most) * (HEIGHT - 2);
      path += isOpen ? `L${at + 0.5} ${y.toFixed(1)}` : `M${at} ${HEIGHT}L${at} ${y.toFixed(1)}`;
      isOpen = true;
    } else if (isOpen) {
      path += `L${at} ${HEIGHT}Z`;
      isOpen = false;
    }
  }
  return path;
}

/** Milliseconds after which levels are asked for again that the source had not told yet. */
const AGAIN = 20_000;

/** The levels of some stations in the last days: at most 50. */
export function useHistories(stationIds: readonly string[]): Loaded<History[]> {
  // An identifier with a comma would be read as two.
  const station_ids = stationIds.filter((id) => !id.includes(",")).join(",");
  return useLoaded(
    async () => {
      if (!station_ids) return [];
      return (await call(() => api.GET("/v1/pegel/history", { params: { query: { station_ids } } }))).data;
    },
    [station_ids],
    (read) => read.some((each) => !each.is_complete) && AGAIN,
  );
}

/** Centimetres over which a graph reaches at least: a still water must not look like a tide. */
const LEAST = 10;

/** A small graph of a station's levels, with its bounds and its change in words; nothing until they are read. */
export function LevelGraph({ of, id }: { of: Loaded<History[]>; id: string }): JSX.Element | null {
  const t = words();
  const found = of.data?.find((each) => each.station_id === id);
  if (!found) return null;
  const { levels_cm, lowest_cm: low, highest_cm: high, change_cm: change } = found;
  if (low === null || high === null || change === null) return <p class="hint">{t.none}</p>;
  const reach = Math.max(high - low, LEAST);
  return (
    <figure class="graph">
      <svg viewBox={`0 0 ${levels_cm.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path
          d={areasOf(
            levels_cm.map((level) => (level === null ? null : level - low + reach / 9)),
            reach * 1.15,
          )}
        />
      </svg>
      <figcaption>
        {`${t.days}: ${number(low)} ${t.to} ${number(high)} cm, ${t.change} ${change > 0 ? "+" : ""}${number(change)} cm`}
      </figcaption>
    </figure>
  );
}
