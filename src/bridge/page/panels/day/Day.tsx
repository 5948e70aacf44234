import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { followed } from "../../chosen";
import { fleet, fleetState, readFleet } from "../../fleet";
import { go, route, to } from "../../route";
import { may } from "../../session";
import { mayBy } from "../../shares";
import { dayName } from "../../times";
import { Button } from "../../ui/button";
import { CheckField, SelectField } from "../../ui/form";
import { Icon } from "../../ui/icons";
import { Empty, Panel } from "../../ui/panel";
import { common } from "../../ui/words";
import { addressOf, type Choice, choiceOf } from "./choice";
import { SpanChoice } from "./SpanChoice";
import { Ways } from "./Ways";
import { words } from "./words";

/** Devices that are shown at once: as many as there are colours. */
const MOST = 8;

const mayLookBack = (id: string): boolean => mayBy("gps:read", id, "history");

/** The time of a device's newest position as text that sorts; empty without one. */
const newest = (id: string): string => fleet.peek().get(id)?.fix.peek()?.timestamp ?? "";

/** The device that moved last, of those whose past the reader may see. */
function lastMoved(): string | undefined {
  const ids = [...fleet.peek().keys()];
  const open = ids.filter(mayLookBack);
  return (open.length > 0 ? open : ids).sort((one, other) => newest(other).localeCompare(newest(one)))[0];
}

/** The ways of devices in a day or a longer span: on the map, replayed, in a list, in figures. */
export function Day(): JSX.Element {
  const t = words();
  useEffect(() => {
    // The map goes after the replay here, not after a device as it moves now.
    followed.value = null;
  }, []);
  const [, device] = route.value.path;
  const isKnown = fleetState.value === "known";
  const first = isKnown && device === undefined ? lastMoved() : undefined;
  useEffect(() => {
    if (first !== undefined) go(["day", first], Object.fromEntries(route.peek().query), true);
  }, [first]);
  return (
    <Panel title={t.title}>
      {fleetState.value === "failed" && <Button onClick={readFleet}>{common().retry}</Button>}
      {!isKnown ? (
        fleetState.value === "first" && (
          <p class="loading" role="status">
            {common().loading}
          </p>
        )
      ) : fleet.value.size === 0 ? (
        <Nothing />
      ) : (
        device !== undefined && <Chosen device={device} />
      )}
    </Panel>
  );
}

function Nothing(): JSX.Element {
  const t = words();
  if (!may("devices:read")) return <Empty icon="day" title={t.noShares} />;
  return (
    <Empty icon="day" title={t.noDevices}>
      <p>{t.noDevicesHint}</p>
      <a class="button main" href={to(["devices"])}>
        <Icon name="devices" />
        <span>{t.toDevices}</span>
      </a>
    </Empty>
  );
}

function Chosen({ device }: { device: string }): JSX.Element {
  const t = words();
  const found = newest(device);
  const lastDay = found === "" ? null : dayName(Date.parse(found));
  const choice = choiceOf(route.value, lastDay ?? dayName(Date.now()));
  const refused = choice.devices.filter((id) => fleet.value.has(id) && !mayLookBack(id));
  const shown = choice.devices.filter((id) => fleet.value.has(id) && mayLookBack(id));
  return (
    <>
      <Devices choice={choice} />
      {choice.trip === null && <SpanChoice choice={choice} />}
      {!fleet.value.has(device) && <p class="notice warn">{t.gone}</p>}
      {refused.map((id) => (
        <p key={id} class="notice">
          {t.nowAlone(fleet.value.get(id)?.device.value.name ?? "")}
        </p>
      ))}
      {shown.length > 0 && <Ways choice={{ ...choice, devices: shown }} lastDay={lastDay} />}
    </>
  );
}

/** Chooses the device, and others that are shown with it. */
function Devices({ choice }: { choice: Choice }): JSX.Element {
  const t = words();
  const [first = "", ...others] = choice.devices;
  const all = [...fleet.value].map(([id, craft]) => [id, craft.device.value.name] as const);
  const show = (devices: readonly string[], trip = choice.trip) =>
    go(...addressOf({ ...choice, devices, trip }));
  return (
    <div class="day-devices">
      <SelectField
        label={t.device}
        value={first}
        options={all}
        // The trip is one of the device before.
        onChange={(id) => show([id, ...others.filter((other) => other !== id)], null)}
      />
      {all.length > 1 && (
        <Others
          of={all.filter(([id]) => id !== first)}
          chosen={others}
          onChoose={(ids) => show([first, ...ids.slice(1 - MOST)])}
        />
      )}
    </div>
  );
}

/** Devices to be shown too. They are listed once that is opened: a large fleet is a long list. */
function Others({
  of,
  chosen,
  onChoose,
}: {
  of: readonly (readonly [id: string, name: string])[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}): JSX.Element {
  const isOpen = useSignal(chosen.length > 0);
  return (
    <details
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{words().withOthers}</summary>
      {isOpen.value &&
        of.map(([id, name]) => (
          <CheckField
            key={id}
            label={name}
            isChecked={chosen.includes(id)}
            onChange={(isChecked) => {
              const kept = chosen.filter((other) => other !== id);
              onChoose(isChecked ? [...kept, id] : kept);
            }}
          />
        ))}
    </details>
  );
}
