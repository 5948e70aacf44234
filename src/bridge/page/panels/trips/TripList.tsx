import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { fleet } from "../../fleet";
import { go, route, to } from "../../route";
import { may } from "../../session";
import { day } from "../../times";
import { SelectField } from "../../ui/form";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Pages } from "../../ui/pages";
import { Empty, Panel } from "../../ui/panel";
import { distance } from "../../units";
import { activeTrips } from "../../whereabouts";
import { words } from "./words";

type Status = Schemas["Trip"]["status"];
type Which = Status | "all";

const WHICH: readonly Which[] = ["all", "active", "paused", "draft", "completed"];

/** Trips, newest first, one page at a time. */
export function TripList(): JSX.Element {
  const t = words();
  const { query } = route.value;
  const which = WHICH.find((each) => each === query.get("status")) ?? "all";
  const page = Number(query.get("page") ?? 1);
  const loaded = useLoaded(
    () =>
      call(() =>
        api.GET("/v1/trips", {
          params: { query: { page, limit: 20, ...(which !== "all" && { status: which }) } },
        }),
      ),
    // An active trip that changes is another list.
    [page, which, activeTrips.value],
  );
  const begin = may("trips:write") && (
    <a class="button main" href={to(["trips", "new"])}>
      <Icon name="add" />
      <span>{t.begin}</span>
    </a>
  );
  return (
    <Panel title={t.title} actions={begin}>
      <SelectField
        label={t.which}
        value={which}
        options={WHICH.map((each) => [each, t.statuses[each]] as const)}
        onChange={(value) => go(["trips"], { status: value === "all" ? undefined : value })}
      />
      <Show of={loaded}>
        {({ data, pagination }) => (
          <>
            {data.length === 0 ? (
              <Empty icon="trips" title={which === "all" ? t.none : t.noneHere}>
                {which === "all" && <p>{t.noneHint}</p>}
              </Empty>
            ) : (
              <ul class="rows">
                {data.map((trip) => (
                  <Row key={trip.id} trip={trip} />
                ))}
              </ul>
            )}
            <Pages
              pagination={pagination}
              onPage={(next) =>
                go(["trips"], { status: which === "all" ? undefined : which, page: String(next) })
              }
            />
          </>
        )}
      </Show>
    </Panel>
  );
}

function Row({ trip }: { trip: Schemas["Trip"] }): JSX.Element {
  const t = words();
  const device = trip.device_id === null ? undefined : fleet.value.get(trip.device_id)?.device.value.name;
  const at = Date.parse(trip.started_at ?? trip.created_at);
  return (
    <li>
      <a class="row" href={to(["trips", trip.id])}>
        <span class="row-main">
          <span class="row-title">{trip.name}</span>
          <span class="hint">{[device, day(at)].filter(Boolean).join(" · ")}</span>
        </span>
        <span class="row-end small">
          <span class={`tag ${trip.status === "active" ? "good" : ""}`}>{t.statuses[trip.status]}</span>
          <br />
          {distance(trip.distance_km)}
        </span>
      </a>
    </li>
  );
}
