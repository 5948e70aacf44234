import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { go, route, to } from "../../route";
import { may } from "../../session";
import { mayBy } from "../../shares";
import { day, dayName, duration, spanOfDay } from "../../times";
import { Bars } from "../../ui/bars";
import { SelectField, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Empty, Facts, Panel, Section } from "../../ui/panel";
import { distance, number, speed } from "../../units";

/** Days that the API counts at once. */
const MOST_DAYS = 400;

type By = "day" | "week" | "month";
type Figures = Schemas["TimelineFigures"];
type Period = Schemas["TimelinePeriod"];

const words = inLanguages({
  en: {
    title: "Statistics",
    from: "From",
    to: "To",
    by: "By",
    bys: { day: "day", week: "week", month: "month" } satisfies Record<By, string>,
    fleet: "The fleet",
    device: "Device",
    distance: "Distance",
    moving: "Moving",
    stopped: "Stopped",
    average: "Average",
    top: "Top speed",
    stops: "Stops",
    none: "Nothing to count yet",
    noneHint: "Once a device reports, its distances and stops are added up here.",
    installation: "This installation",
    users: "Users",
    devices: "Devices",
    trips: "Trips",
    positions: "Positions",
    sailed: "Distance of completed trips",
    perPeriod: (name: string) => `${name}, distance by period`,
    most: `Shown are the last ${MOST_DAYS} days of this time: more are not counted at once.`,
    anew: "Positions have come late: figures are being computed anew.",
    failed: "–",
  },
  de: {
    title: "Statistik",
    from: "Von",
    to: "Bis",
    by: "Nach",
    bys: { day: "Tagen", week: "Wochen", month: "Monaten" } satisfies Record<By, string>,
    fleet: "Die Flotte",
    device: "Gerät",
    distance: "Entfernung",
    moving: "In Bewegung",
    stopped: "Gestanden",
    average: "Schnitt",
    top: "Höchstens",
    stops: "Halte",
    none: "Noch nichts zu zählen",
    noneHint: "Sobald ein Gerät sich meldet, werden hier Entfernungen und Halte zusammengezählt.",
    installation: "Diese Installation",
    users: "Benutzer",
    devices: "Geräte",
    trips: "Fahrten",
    positions: "Positionen",
    sailed: "Entfernung beendeter Fahrten",
    perPeriod: (name: string) => `${name}, Entfernung nach Zeit`,
    most: `Gezeigt sind die letzten ${MOST_DAYS} Tage dieser Zeit: Mehr werden nicht auf einmal gezählt.`,
    anew: "Positionen sind verspätet gekommen: Zahlen werden neu berechnet.",
    failed: "–",
  },
});

const BYS: readonly By[] = ["day", "week", "month"];
const DAY = 86_400_000;
/** Devices whose figures one request brings. */
const AT_ONCE = 50;
/** Milliseconds after which what is computed anew is asked for again. */
const ANEW = 2_000;

interface Row {
  device_id: string;
  total: Figures;
  periods: Period[];
}
const NOTHING: { rows: Row[]; isAnew: boolean } = { rows: [], isAnew: false };

/** The span of two dates, epoch milliseconds, of which the end alone is left where it is too long; null unless both are dates. */
function spanOf(from: string, until: string): { from: number; to: number; isCut: boolean } | null {
  const [start, end] = [spanOfDay(from), spanOfDay(until)];
  if (!start || !end) return null;
  const earliest = end.to - MOST_DAYS * DAY;
  return { from: Math.max(start.from, earliest), to: end.to, isCut: start.from < earliest };
}

/** Distances, times and stops of each device over a span, and what the installation holds. */
export function Figures(): JSX.Element {
  const t = words();
  const { query } = route.value;
  const from = query.get("from") ?? dayName(Date.now() - 29 * DAY);
  const until = query.get("to") ?? dayName(Date.now());
  const by = BYS.find((each) => each === query.get("by")) ?? "day";
  const ids = [...fleet.value.keys()].filter((id) => mayBy("gps:read", id, "history")).join(",");
  const set = (change: Record<string, string>) => go(["figures"], { from, to: until, by, ...change }, true);
  const span = spanOf(from, until);
  const read = async () => {
    if (!span || ids === "") return NOTHING;
    const asked = {
      from: new Date(span.from).toISOString(),
      // The last moment of the day: the next midnight would begin another period.
      to: new Date(span.to - 1).toISOString(),
      by,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
    const all = ids.split(",");
    if (may("gps:read")) {
      const found: Row[] = [];
      let isAnew = false;
      for (let at = 0; at < all.length; at += AT_ONCE) {
        const query = { device_ids: all.slice(at, at + AT_ONCE).join(","), ...asked };
        const answer = await call(() => api.GET("/v1/statistics", { params: { query } }));
        found.push(...answer.data);
        isAnew ||= answer.recomputing_from !== null;
      }
      return { rows: found, isAnew };
    }
    // By shares each device is asked for by itself.
    const each = all.map(async (id) => {
      const path = { id };
      const { data, recomputing_from } = await call(() =>
        api.GET("/v1/devices/{id}/statistics", { params: { path, query: asked } }),
      );
      return { device_id: id, ...data, isAnew: recomputing_from !== null };
    });
    const rows = (await Promise.allSettled(each)).flatMap((one) =>
      one.status === "fulfilled" ? [one.value] : [],
    );
    return { rows, isAnew: rows.some(({ isAnew }) => isAnew) };
  };
  const loaded = useLoaded(read, [from, until, by, ids], ({ isAnew }) => isAnew && ANEW);
  return (
    <Panel title={t.title}>
      <div class="pair">
        <TextField
          label={t.from}
          type="date"
          required
          value={from}
          onInput={(value) => set({ from: value })}
        />
        <TextField label={t.to} type="date" required value={until} onInput={(value) => set({ to: value })} />
        <SelectField
          label={t.by}
          value={by}
          options={BYS.map((each) => [each, t.bys[each]] as const)}
          onChange={(value) => set({ by: value })}
        />
      </div>
      {span?.isCut && (
        <p class="notice" role="status">
          {t.most}
        </p>
      )}
      <Show of={loaded}>
        {({ rows, isAnew }) =>
          rows.length === 0 ? (
            <Empty icon="chart" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            <>
              {isAnew && (
                <p class="notice" role="status">
                  {t.anew}
                </p>
              )}
              <Table rows={rows} />
              {rows
                .filter(({ total }) => total.distance_km > 0)
                .map(({ device_id, periods }) => (
                  <Section key={device_id} title={nameOf(device_id)}>
                    <Bars
                      label={t.perPeriod(nameOf(device_id))}
                      bars={periods.map(({ from: at, distance_km }) => ({
                        name: day(Date.parse(at)),
                        value: distance_km,
                        words: distance(distance_km),
                      }))}
                    />
                  </Section>
                ))}
            </>
          )
        }
      </Show>
      <Installation />
    </Panel>
  );
}

const nameOf = (id: string): string => fleet.value.get(id)?.device.value.name ?? id;

function Table({ rows }: { rows: readonly Row[] }): JSX.Element {
  const t = words();
  const kmh = (value: number | null) => (value === null ? t.failed : speed(value));
  return (
    <div class="card scroll">
      <table>
        <caption class="unseen">{t.fleet}</caption>
        <thead>
          <tr>
            {[t.device, t.distance, t.moving, t.stopped, t.average, t.top, t.stops].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ device_id, total }) => (
            <tr key={device_id}>
              <th scope="row">
                <a href={to(["devices", device_id])}>{nameOf(device_id)}</a>
              </th>
              <td>{distance(total.distance_km)}</td>
              <td>{duration(total.moving_seconds)}</td>
              <td>{duration(total.stopped_seconds)}</td>
              <td>{kmh(total.average_speed_kmh)}</td>
              <td>{kmh(total.max_speed_kmh)}</td>
              <td>{number(total.stops)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Installation(): JSX.Element {
  const t = words();
  const loaded = useLoaded(() => call(() => api.GET("/v1/stats/public")), []);
  return (
    <Section title={t.installation}>
      <Show of={loaded}>
        {(stats) => (
          <Facts
            of={[
              [t.users, number(stats.users_total)],
              [t.devices, number(stats.devices_total)],
              [t.trips, number(stats.trips_total)],
              [t.positions, number(stats.gps_points_total)],
              [t.sailed, distance(stats.distance_km_total)],
            ]}
          />
        )}
      </Show>
    </Section>
  );
}
