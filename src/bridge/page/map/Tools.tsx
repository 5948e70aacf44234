import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { chosenDevice, followed } from "../chosen";
import { fleet } from "../fleet";
import { inLanguages } from "../language";
import { prefersStillness } from "../looks";
import { may } from "../session";
import { Button } from "../ui/button";
import { CheckField } from "../ui/form";
import { Popover } from "../ui/popover";
import { Settings } from "../ui/settings";
import { nearbyStation } from "../water";
import { areZonesCut } from "../zones";
import { showAll } from "./fleet";
import { type LayerName, layers } from "./layers";
import { Scale } from "./Scale";
import type { Stage } from "./stage";

const words = inLanguages({
  en: {
    tools: "Map tools",
    layers: "Layers",
    settings: "Looks and units",
    closer: "Zoom in",
    farther: "Zoom out",
    north: "North up",
    all: "Show all devices",
    follow: "Keep the device in the middle",
    charts: "Charts",
    faulty: "Not shown whole: its style or one of its tiles is faulty.",
    noCharts: "Charts that lie in the server's chart folder can be switched here.",
    shown: "Shown",
    names: { trails: "Today's trails", zones: "Zones", vessels: "Vessels (AIS)", water: "Water level" },
    cut: "There are more zones than a map can hold: the newest 5,000 are shown.",
  },
  de: {
    tools: "Kartenwerkzeuge",
    layers: "Ebenen",
    settings: "Aussehen und Einheiten",
    closer: "Näher",
    farther: "Weiter weg",
    north: "Norden oben",
    all: "Alle Geräte zeigen",
    follow: "Gerät in der Mitte halten",
    charts: "Seekarten",
    faulty: "Nicht ganz zu sehen: Ihr Stil oder eine ihrer Kacheln ist fehlerhaft.",
    noCharts: "Seekarten im Kartenordner des Servers lassen sich hier schalten.",
    shown: "Gezeigt",
    names: { trails: "Spuren von heute", zones: "Zonen", vessels: "Schiffe (AIS)", water: "Wasserstand" },
    cut: "Es gibt mehr Zonen, als eine Karte fasst: gezeigt werden die neuesten 5.000.",
  },
});

/** The tools of the map: zoom, north, all devices, following, layers, looks and units; and the scale. */
export function Tools({ stage }: { stage: Stage }): JSX.Element {
  const t = words();
  const { map } = stage;
  const bearing = useBearing(stage);
  const chosen = chosenDevice.value;
  const animation = { animate: !prefersStillness() };
  return (
    <>
      <fieldset class="map-tools" aria-label={t.tools}>
        <Popover icon="layers" label={t.layers} onOpen={() => void stage.readCharts()}>
          {() => <Layers stage={stage} />}
        </Popover>
        <Popover icon="settings" label={t.settings}>
          {() => <Settings />}
        </Popover>
        <div class="map-zoom">
          <Button icon="add" label={t.closer} onClick={() => void map.zoomIn(animation)} />
          <Button icon="minus" label={t.farther} onClick={() => void map.zoomOut(animation)} />
        </div>
        {fleet.value.size > 0 && (
          <Button
            icon="fit"
            label={t.all}
            onClick={() => {
              followed.value = null;
              showAll(stage);
            }}
          />
        )}
        {chosen !== null && (
          <Button
            icon="follow"
            label={t.follow}
            isPressed={followed.value === chosen}
            onClick={() => {
              followed.value = followed.value === chosen ? null : chosen;
            }}
          />
        )}
        {bearing !== 0 && (
          <Button icon="north" label={t.north} onClick={() => void map.rotateTo(0, animation)} />
        )}
      </fieldset>
      <Scale stage={stage} />
    </>
  );
}

function useBearing({ map }: Stage): number {
  const bearing = useSignal(Math.round(map.getBearing()));
  useEffect(() => {
    const update = () => {
      bearing.value = Math.round(map.getBearing());
    };
    map.on("rotate", update);
    return () => {
      map.off("rotate", update);
    };
  }, [map]);
  return bearing.value;
}

/** The layers that there are to switch, for this user. */
const offered = (): LayerName[] =>
  (["trails", "zones", "vessels", "water"] as const).filter(
    (name) =>
      (name !== "zones" || may("geofences:read")) &&
      (name !== "vessels" || may("gps:read")) &&
      (name !== "water" || nearbyStation.value !== null || layers.water.value === "off"),
  );

function Layers({ stage: { charts, hidden, faulty } }: { stage: Stage }): JSX.Element {
  const t = words();
  const ofOperator = charts.value.filter(({ built_in }) => !built_in);
  const toggle = (name: string, isOn: boolean) => {
    const names = new Set(hidden.value);
    if (isOn) names.delete(name);
    else names.add(name);
    hidden.value = names;
  };
  return (
    <>
      <fieldset>
        <legend>{t.shown}</legend>
        {offered().map((name) => (
          <CheckField
            key={name}
            label={t.names[name]}
            isChecked={layers[name].value === "on"}
            onChange={(isOn) => {
              layers[name].value = isOn ? "on" : "off";
            }}
          />
        ))}
        {areZonesCut.value && <p class="hint">{t.cut}</p>}
      </fieldset>
      <fieldset>
        <legend>{t.charts}</legend>
        {ofOperator.length === 0 && <p class="hint">{t.noCharts}</p>}
        {ofOperator.map(({ name, title }) => (
          <CheckField
            key={name}
            label={title || name}
            {...(faulty.value.has(name) && { hint: t.faulty })}
            isChecked={!hidden.value.has(name)}
            onChange={(isOn) => toggle(name, isOn)}
          />
        ))}
      </fieldset>
    </>
  );
}
