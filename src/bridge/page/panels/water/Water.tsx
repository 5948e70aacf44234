import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call, type Schemas } from "../../api";
import { LevelGraph, useHistories } from "../../graphs";
import { inLanguages, locale } from "../../language";
import { may } from "../../session";
import { bound, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Empty, Panel, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { bearing, distance, number, speed } from "../../units";
import { vesselWords } from "../../vessel-words";
import { followVessels, vessels } from "../../vessels";

type Station = Schemas["WaterLevelStation"];
type Histories = ReturnType<typeof useHistories>;

const words = inLanguages({
  en: {
    title: "Water and vessels",
    levels: "Water levels",
    find: "Water, such as PEENE",
    off: "Water levels are switched off",
    offHint: "Whoever runs the server can switch them on with pegel.enabled.",
    none: "No station is known there.",
    trend: { "-1": "falling", "0": "steady", "1": "rising" } as Record<string, string>,
    vessels: "Vessels nearby",
    noVessels: "No vessels are heard",
    noVesselsHint: "They come from an AIS receiver on board or from a service ashore: vessels.source.",
    unknown: "Unnamed vessel",
    course: "course",
  },
  de: {
    title: "Wasser und Schiffe",
    levels: "Wasserstände",
    find: "Gewässer, etwa PEENE",
    off: "Wasserstände sind abgeschaltet",
    offHint: "Wer den Server betreibt, kann sie mit pegel.enabled einschalten.",
    none: "Dort ist kein Pegel bekannt.",
    trend: { "-1": "fallend", "0": "gleichbleibend", "1": "steigend" } as Record<string, string>,
    vessels: "Schiffe in der Nähe",
    noVessels: "Es sind keine Schiffe zu hören",
    noVesselsHint: "Sie kommen von einem AIS-Empfänger an Bord oder einem Dienst an Land: vessels.source.",
    unknown: "Schiff ohne Namen",
    course: "Kurs",
  },
});

/** Stations that a list shows; a name finds the others. */
const MOST = 50;

/** Water levels by the name of the water, and the vessels that are heard. */
export function Water(): JSX.Element {
  return (
    <Panel title={words().title}>
      {may("pegel:read") && <Levels />}
      {may("gps:read") && <Vessels />}
    </Panel>
  );
}

function Levels(): JSX.Element {
  const t = words();
  const water = useSignal("");
  const sought = water.value.trim().toUpperCase();
  const loaded = useLoaded(async () => {
    // The list is refused where there is no source, which a browser would report as an error: this isn't.
    const { reason } = await call(() => api.GET("/v1/pegel/nearby"));
    if (reason === "off") return "off";
    return call(() => api.GET("/v1/pegel/stations", { params: { query: sought ? { water: sought } : {} } }));
  }, [sought]);
  return (
    <Section title={t.levels}>
      <TextField label={t.find} type="search" {...bound(water)} />
      <Show of={loaded}>
        {(stations) =>
          stations === "off" ? (
            <Empty icon="water" title={t.off}>
              <p>{t.offHint}</p>
            </Empty>
          ) : stations.length === 0 ? (
            <p class="soft">{t.none}</p>
          ) : (
            <List stations={stations.slice(0, MOST)} />
          )
        }
      </Show>
    </Section>
  );
}

function List({ stations }: { stations: readonly Station[] }): JSX.Element {
  const histories = useHistories(stations.map(({ station_id }) => station_id));
  return (
    <>
      <ul class="rows">
        {stations.map((station) => (
          <Level key={station.station_id} station={station} histories={histories} />
        ))}
      </ul>
      <Show of={histories}>{() => null}</Show>
    </>
  );
}

function Level({ station, histories }: { station: Station; histories: Histories }): JSX.Element {
  const t = words();
  return (
    <li class="row level">
      <span class="row-main">
        <span class="row-title">{station.longname}</span>
        <span class="hint">{station.water_longname}</span>
      </span>
      <span class="row-end">
        {station.level_cm !== null && <strong>{number(station.level_cm)} cm</strong>}
        <span class="hint">
          {" "}
          {station.trend !== null && t.trend[String(station.trend)]}{" "}
          {station.measured_at !== null && <Ago at={station.measured_at} />}
        </span>
      </span>
      <LevelGraph of={histories} id={station.station_id} />
    </li>
  );
}

function Vessels(): JSX.Element {
  const t = words();
  useEffect(followVessels, []);
  const heard = [...vessels.value.values()].sort((one, other) => one.name.localeCompare(other.name));
  return (
    <Section title={t.vessels}>
      {heard.length === 0 ? (
        <Empty icon="vessel" title={t.noVessels}>
          <p>{t.noVesselsHint}</p>
        </Empty>
      ) : (
        <ul class="rows">
          {heard.map((vessel) => (
            <li key={vessel.mmsi} class="row">
              <span class="row-main">
                <span class="row-title">{vessel.name || t.unknown}</span>
                <span class="hint">
                  {vesselWords(vessel.ship_type_label, locale.value)} ·{" "}
                  {vesselWords(vessel.nav_status_label, locale.value)} · MMSI {vessel.mmsi}
                </span>
              </span>
              <span class="row-end small">
                {speed(vessel.speed_kmh)}
                {vessel.course !== null && (
                  <>
                    <br />
                    {t.course} {bearing(vessel.course)}
                  </>
                )}
                {vessel.length !== null && (
                  <>
                    <br />
                    {distance(vessel.length / 1_000)}
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
