import { effect, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { watchCrossings } from "./crossings";
import { may, session } from "./session";

/** All zones, as the map draws them and lists show them. */

export type Zone = Schemas["Geofence"];

/** Newest first. Empty until they are read, and for users who may not see zones. */
export const zones = signal<readonly Zone[]>([]);

/** `first`: nothing is known yet; `failed`: the last attempt brought nothing. */
export const zonesState = signal<"first" | "known" | "failed">("first");

const PAGE = 100;
/** There may be many more than a map can show. */
const MOST_PAGES = 50;

/** True if there are more zones than are read. */
export const areZonesCut = signal(false);

/** Reads all zones anew. Whoever changes one calls it. */
export async function readZones(): Promise<void> {
  if (!may("geofences:read")) return;
  try {
    const found: Zone[] = [];
    let pages = 1;
    for (let page = 1; page <= Math.min(pages, MOST_PAGES); page++) {
      const { data, pagination } = await call(() =>
        api.GET("/v1/geofences", { params: { query: { page, limit: PAGE } } }),
      );
      found.push(...data);
      pages = pagination.total_pages;
    }
    areZonesCut.value = pages > MOST_PAGES;
    zones.value = found;
    zonesState.value = "known";
  } catch {
    if (zonesState.peek() === "first") zonesState.value = "failed";
  }
}

/** Milliseconds after which zones are read again: the feed doesn't tell of those that others make or change. */
const REFRESH = 120_000;

/** Begins to follow the zones. A crossing of a zone that isn't known tells that somebody has made one. */
export function followZones(): void {
  effect(() => {
    if (session.value !== "open") return;
    if (!may("geofences:read")) {
      zones.value = [];
      return;
    }
    void readZones();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void readZones();
    }, REFRESH);
    const end = watchCrossings((crossing) => {
      if (crossing === "anew" || !zones.peek().some(({ id }) => id === crossing.geofence_id))
        void readZones();
    });
    return () => {
      clearInterval(timer);
      end();
    };
  });
}
