import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, api, call } from "../../api";
import { ShoresNote } from "../../boxes";
import { watchCrossings } from "../../crossings";
import { useStage } from "../../map/current";
import { boundsOf } from "../../map/geometry";
import { showBox } from "../../map/track";
import { drawGround, groundOf } from "../../map/zones";
import { go, to } from "../../route";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Facts, Panel } from "../../ui/panel";
import { common } from "../../ui/words";
import { distance, place } from "../../units";
import { readZones, type Zone, zones } from "../../zones";
import { Crossings, Inside, Visits } from "./Happenings";
import { shapeOf } from "./shape";
import { words } from "./words";

/** One zone: what it is, who is inside, and who was. */
export function ZonePage({ id }: { id: string }): JSX.Element {
  const t = words();
  const loaded = useLoaded(async () => {
    try {
      return (await call(() => api.GET("/v1/geofences/{id}", { params: { path: { id } } }))).data;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return "gone";
      throw error;
    }
  }, [id, zones.value]);
  const zone = loaded.data === "gone" ? null : loaded.data;
  return (
    <Panel
      title={zone?.name ?? t.title}
      back={to(["zones"])}
      actions={
        zone &&
        !zone.is_from_shore &&
        may("geofences:write") && (
          <a class="button" href={to(["zones", id, "edit"])}>
            <Icon name="edit" />
            <span>{common().edit}</span>
          </a>
        )
      }
    >
      <Show of={loaded}>{(found) => (found === "gone" ? <p>{t.gone}</p> : <Shown zone={found} />)}</Show>
    </Panel>
  );
}

/** Shows a zone's whole ground, and marks its border. */
function useGround(zone: Zone): void {
  // A change of the name or the rules moves nothing.
  const shape = JSON.stringify(shapeOf(zone));
  useStage(
    (stage) => {
      const ground = groundOf(zone);
      const box = ground && boundsOf(ground.edge.flat());
      if (box) showBox(stage, box);
      return ground ? drawGround(stage, "zone-chosen", ground) : () => {};
    },
    [zone.id, shape],
  );
}

function Shown({ zone }: { zone: Zone }): JSX.Element {
  const t = words();
  const { id, kind, is_active, description, width_m } = zone;
  useGround(zone);
  // A crossing of this zone, or a correction of any, makes the lists others.
  const news = useSignal(0);
  useEffect(
    () =>
      watchCrossings((crossing) => {
        if (crossing === "anew" || crossing.geofence_id === id) news.value++;
      }),
    [id, news],
  );
  const corners = kind === "circle" ? null : shapeOf(zone).rings.flatMap((ring) => ring.corners).length;
  return (
    <>
      <p class="state">
        <span class={`tag ${is_active ? "good" : ""}`}>{is_active ? t.isActive : t.off}</span>
        <span>{t.kinds[kind]}</span>
      </p>
      {!is_active && <p class="notice">{t.isOff}</p>}
      {description && <p>{description}</p>}
      <ShoresNote isFromShore={zone.is_from_shore} />
      <Facts
        of={[
          [t.around, kind === "circle" ? place(zone.latitude, zone.longitude) : null],
          [t.size, kind === "circle" ? distance(zone.radius_km) : null],
          [t.width, width_m === null ? null : distance(width_m / 1_000)],
          [t.corners, corners === null ? null : String(corners)],
        ]}
      />
      <Inside id={id} news={news.value} />
      <Visits id={id} news={news.value} />
      <Crossings id={id} news={news.value} />
      <Actions zone={zone} />
    </>
  );
}

/** Switches a zone off and on, and deletes it. */
function Actions({ zone: { id, is_active, is_from_shore } }: { zone: Zone }): JSX.Element {
  const t = words();
  const params = { path: { id } };
  const toggle = async () => {
    await call(() => api.PATCH("/v1/geofences/{id}", { params, body: { is_active: !is_active } }));
    await readZones();
  };
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/geofences/{id}", { params }));
        await readZones();
        go(["zones"], {}, true);
      },
    });
  return (
    <div class="actions left">
      {may("alerts:write") && (
        <a class="button" href={to(["alerts", "rules", "new"], { zone: id })}>
          <Icon name="alerts" />
          <span>{t.alert}</span>
        </a>
      )}
      {may("geofences:write") && !is_from_shore && (
        <Button onClick={toggle}>{is_active ? t.switchOff : t.switchOn}</Button>
      )}
      {may("geofences:delete") && !is_from_shore && (
        <Button kind="danger" icon="trash" onClick={remove}>
          {t.remove}
        </Button>
      )}
    </div>
  );
}
