import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { fleet } from "../../fleet";
import { to } from "../../route";
import { duration, exact } from "../../times";
import { type Loaded, Show, useLoaded } from "../../ui/loaded";
import { Pages } from "../../ui/pages";
import { Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { devicesInside } from "../../whereabouts";
import { words } from "./words";

/** Lists of what happens at a zone, a page at a time. `news` is another number whenever something has happened. */
interface Props {
  id: string;
  news: number;
}

interface PageOf<T> {
  data: T[];
  pagination: Schemas["GeofencePage"]["pagination"];
  recomputing_from: string | null;
}

const LIMIT = 10;

/** Milliseconds until a list is read again that is being computed anew. */
const SOON = 4_000;

/** Reads a page, when something has happened again, and once more as long as it is being computed. */
function usePage<T>(
  read: (page: number) => Promise<PageOf<T>>,
  { id, news }: Props,
): { loaded: Loaded<PageOf<T>>; onPage: (page: number) => void } {
  const page = useSignal(1);
  const loaded = useLoaded(
    () => read(page.value),
    [id, news, page.value],
    ({ recomputing_from }) => recomputing_from !== null && SOON,
  );
  return {
    loaded,
    onPage: (next) => {
      page.value = next;
    },
  };
}

function List<T>({
  title,
  none,
  of: { loaded, onPage },
  children,
}: {
  title: string;
  none: string;
  of: ReturnType<typeof usePage<T>>;
  children: (row: T) => JSX.Element;
}): JSX.Element {
  return (
    <Section title={title}>
      <Show of={loaded}>
        {({ data, pagination, recomputing_from }) => (
          <>
            {recomputing_from !== null && (
              <p class="notice" role="status">
                {words().recomputing(exact(Date.parse(recomputing_from)))}
              </p>
            )}
            {data.length === 0 ? <p class="soft">{none}</p> : <ul class="rows">{data.map(children)}</ul>}
            <Pages pagination={pagination} onPage={onPage} />
          </>
        )}
      </Show>
    </Section>
  );
}

/** A device's name; its link where there is such a device still. */
function Row({
  device,
  name,
  hint,
  children,
}: {
  device: string;
  name: string;
  hint: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <li class="row">
      <span class="row-main">
        <span class="row-title">
          {fleet.value.has(device) ? <a href={to(["devices", device])}>{name}</a> : name}
        </span>
        <span class="hint">{hint}</span>
      </span>
      {children && <span class="row-end small">{children}</span>}
    </li>
  );
}

/** The devices that are inside now. */
export function Inside(props: Props): JSX.Element {
  const t = words();
  const names = devicesInside.value.get(props.id) ?? [];
  const path = { id: props.id };
  const page = usePage<Schemas["DeviceInside"]>(
    (page) =>
      call(() => api.GET("/v1/geofences/{id}/devices", { params: { path, query: { page, limit: LIMIT } } })),
    props,
  );
  return (
    <>
      {/* Times tick in the list: what is read out are names alone. */}
      <p class="unseen" role="status">
        {names.length > 0 ? t.inside(names.join(", ")) : t.empty}
      </p>
      <List title={t.insideNow} none={t.nobody} of={page}>
        {({ device_id, device_name, since, last_position_at }) => (
          <Row
            key={device_id}
            device={device_id}
            name={device_name}
            hint={
              <>
                {t.since} <Ago at={since} />
              </>
            }
          >
            {last_position_at && (
              <>
                {t.lastHeard}
                <br />
                <Ago at={last_position_at} />
              </>
            )}
          </Row>
        )}
      </List>
    </>
  );
}

/** Stays of devices inside, from when to when. */
export function Visits(props: Props): JSX.Element {
  const t = words();
  const path = { id: props.id };
  const page = usePage<Schemas["GeofenceVisit"]>(
    (page) =>
      call(() => api.GET("/v1/geofences/{id}/visits", { params: { path, query: { page, limit: LIMIT } } })),
    props,
  );
  return (
    <List title={t.visits} none={t.noVisits} of={page}>
      {({ device_id, device_name, entered_at, exited_at, duration_seconds }) => (
        <Row
          key={`${device_id} ${entered_at}`}
          device={device_id}
          name={device_name}
          hint={[entered_at, exited_at].map((time) => (time ? exact(Date.parse(time)) : "…")).join(" – ")}
        >
          {duration_seconds === null ? t.still : duration(duration_seconds)}
        </Row>
      )}
    </List>
  );
}

/** Crossings of the border, also those that later positions have corrected. */
export function Crossings(props: Props): JSX.Element {
  const t = words();
  const page = usePage<Schemas["GeofenceEvent"]>(
    (page) =>
      call(() =>
        api.GET("/v1/geofence-events", {
          params: { query: { geofence_id: props.id, include_superseded: true, page, limit: LIMIT } },
        }),
      ),
    props,
  );
  return (
    <List title={t.crossings} none={t.noCrossings} of={page}>
      {({ id, device_id, device_name, event, occurred_at, is_late, superseded_at, box_id }) => (
        <Row
          key={id}
          device={device_id}
          name={device_name}
          hint={
            <>
              {superseded_at ? <del>{t.events[event]}</del> : t.events[event]} · <Ago at={occurred_at} />
            </>
          }
        >
          {superseded_at ? (
            <span class="tag warning">{t.corrected}</span>
          ) : box_id !== null ? (
            <span class="tag">{t.aboard}</span>
          ) : (
            is_late && <span class="tag">{t.late}</span>
          )}
        </Row>
      )}
    </List>
  );
}
