import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { OwnedNote } from "../../boxes";
import { fleet } from "../../fleet";
import { useStage } from "../../map/current";
import { boxOf, drawTrack, showBox } from "../../map/track";
import { go, to } from "../../route";
import { may } from "../../session";
import { dayName, duration, exact } from "../../times";
import { useAtMostEvery } from "../../ui/at-most-every";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Downloads } from "../../ui/downloads";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Facts, Panel } from "../../ui/panel";
import { common } from "../../ui/words";
import { distance, speed } from "../../units";
import { activeTrips } from "../../whereabouts";
import { words } from "./words";

type Trip = Schemas["Trip"];

/** Milliseconds between two readings of a trip that is sailed. */
const PAUSE = 5_000;

/** One trip: its state, its figures, its track on the map. */
export function TripPage({ id }: { id: string }): JSX.Element {
  const t = words();
  const path = { id };
  const trip = useLoaded(
    async () => (await call(() => api.GET("/v1/trips/{id}", { params: { path } }))).data,
    [id, activeTrips.value],
  );
  // Its changes tell of its status alone: what it has gathered comes with the positions of its device.
  const device = trip.data?.status === "active" ? trip.data.device_id : null;
  const fix = device === null ? null : (fleet.value.get(device)?.fix.value ?? null);
  useAtMostEvery(PAUSE, trip.reload, fix);
  return (
    <Panel title={trip.data?.name ?? t.title} back={to(["trips"])}>
      <Show of={trip}>{(found) => <Shown trip={found} onChanged={trip.reload} />}</Show>
    </Panel>
  );
}

const mayShare = (): boolean => may("devices:write") && may("devices:read") && may("gps:read");

function Shown({ trip, onChanged }: { trip: Trip; onChanged: () => Promise<void> }): JSX.Element {
  const t = words();
  const path = { id: trip.id };
  const figures = useLoaded(async () => {
    const [track, statistics] = await Promise.all([
      call(() => api.GET("/v1/trips/{id}/track", { params: { path, query: { max_points: 2_000 } } })),
      call(() => api.GET("/v1/trips/{id}/statistics", { params: { path } })),
    ]);
    return { track: (track as { data: Schemas["Track"] }).data, total: statistics.data.total };
  }, [trip]);
  const track = figures.data?.track ?? null;
  useStage(
    (stage) => {
      const box = boxOf(track?.bbox ?? null);
      if (box) showBox(stage, box);
      return track ? drawTrack(stage, "trip", track.pieces) : () => {};
    },
    [track],
  );
  const device = trip.device_id === null ? undefined : fleet.value.get(trip.device_id)?.device.value;
  const began = trip.started_at === null ? null : Date.parse(trip.started_at);
  const ended = trip.ended_at === null ? Date.now() : Date.parse(trip.ended_at);
  return (
    <>
      <p class="state">
        <span class={`tag ${trip.status === "active" ? "good" : ""}`}>{t.statuses[trip.status]}</span>
        {device && <a href={to(["devices", device.id])}>{device.name}</a>}
      </p>
      {trip.description && <p>{trip.description}</p>}
      <OwnedNote boxId={trip.box_id} />
      {may("trips:write") && trip.box_id === null && <Actions trip={trip} onChanged={onChanged} />}
      <Facts
        of={[
          [t.distance, distance(trip.distance_km)],
          [t.started, began === null ? null : exact(began)],
          [t.ended, trip.ended_at === null ? null : exact(ended)],
          [t.duration, began === null ? null : duration((ended - began) / 1_000)],
        ]}
      />
      <Show of={figures}>
        {({ track: found, total }) => (
          <>
            <Facts
              of={[
                [t.moving, total.moving_seconds > 0 ? duration(total.moving_seconds) : null],
                [t.average, total.average_speed_kmh === null ? null : speed(total.average_speed_kmh)],
                [t.top, total.max_speed_kmh === null ? null : speed(total.max_speed_kmh)],
                [t.stops, total.stops > 0 ? String(total.stops) : null],
              ]}
            />
            {found.points_total === 0 && (
              <p class="soft">{trip.device_id === null ? t.noLogging : t.noPositions}</p>
            )}
          </>
        )}
      </Show>
      <ul class="rows">
        <li>
          <a class="row" href={to(["trips", trip.id, "log"])}>
            <Icon name="edit" />
            <span class="row-main">{t.log}</span>
            <Icon name="next" />
          </a>
        </li>
        {device && began !== null && (
          <li>
            <a class="row" href={to(["day", device.id, dayName(began)], { trip: trip.id })}>
              <Icon name="play" />
              <span class="row-main">{t.replay}</span>
              <Icon name="next" />
            </a>
          </li>
        )}
        {mayShare() && (
          <li>
            <a class="row" href={to(["links"], { trip: trip.id })}>
              <Icon name="share" />
              <span class="row-main">{t.share}</span>
              <Icon name="next" />
            </a>
          </li>
        )}
      </ul>
      <Downloads
        label={t.take}
        formats={["gpx", "kml", "geojson", "csv"]}
        pathOf={(format) => `/v1/trips/${trip.id}/track?format=${format}`}
      />
      {may("trips:delete") && trip.box_id === null && (
        <Button
          kind="danger"
          icon="trash"
          onClick={() =>
            ask({
              title: t.remove,
              text: t.removeText,
              action: common().remove,
              perform: async () => {
                await call(() => api.DELETE("/v1/trips/{id}", { params: { path } }));
                go(["trips"], {}, true);
              },
            })
          }
        >
          {t.remove}
        </Button>
      )}
    </>
  );
}

/** Begins, pauses, goes on with, or completes a trip. */
function Actions({ trip, onChanged }: { trip: Trip; onChanged: () => Promise<void> }): JSX.Element | null {
  const t = words();
  const change = async (status: Trip["status"]) => {
    await call(() => api.PATCH("/v1/trips/{id}", { params: { path: { id: trip.id } }, body: { status } }));
    await onChanged();
  };
  if (trip.status === "completed") return null;
  const complete = () =>
    ask({
      title: t.completeTitle,
      text: t.completeText,
      action: t.complete,
      perform: () => change("completed"),
    });
  return (
    <div class="actions left">
      {trip.status === "draft" && (
        <Button kind="main" icon="play" onClick={() => change("active")}>
          {t.start}
        </Button>
      )}
      {trip.status === "active" && (
        <Button icon="pause" onClick={() => change("paused")}>
          {t.pause}
        </Button>
      )}
      {trip.status === "paused" && (
        <Button kind="main" icon="play" onClick={() => change("active")}>
          {t.resume}
        </Button>
      )}
      {trip.status !== "draft" && (
        <Button icon="check" onClick={complete}>
          {t.complete}
        </Button>
      )}
    </div>
  );
}
