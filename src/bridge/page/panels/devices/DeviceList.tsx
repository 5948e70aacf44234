import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type Craft, fleet, fleetState, readFleet } from "../../fleet";
import { to } from "../../route";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { bound, TextField } from "../../ui/form";
import { Icon } from "../../ui/icons";
import { Empty, Panel } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";
import { AgeSign, lastHeard, useWhereabouts } from "./state";
import { words } from "./words";

/** Lists shorter than this are looked through faster than a name is typed. */
const WORTH_SEARCHING = 8;

/** All devices: everything that the map shows, in words. */
export function DeviceList(): JSX.Element {
  const t = words();
  const sought = useSignal("");
  const all = [...fleet.value.values()];
  const name = sought.value.trim().toLowerCase();
  const found = name ? all.filter(({ device }) => device.value.name.toLowerCase().includes(name)) : all;
  const add = may("devices:write") && (
    <a class="button main" href={to(["devices", "new"])}>
      <Icon name="add" />
      <span>{t.add}</span>
    </a>
  );
  return (
    <Panel title={t.title} actions={all.length > 0 && add}>
      {fleetState.value === "failed" && <Button onClick={readFleet}>{common().retry}</Button>}
      {fleetState.value === "first" && <p class="loading">{common().loading}</p>}
      {fleetState.value === "known" && all.length === 0 && (
        <Empty icon="devices" title={t.none}>
          <p>{may("devices:write") ? t.noneHint : t.noneForYou}</p>
          {add}
        </Empty>
      )}
      {all.length >= WORTH_SEARCHING && <TextField label={t.search} type="search" {...bound(sought)} />}
      {all.length > 0 && found.length === 0 && <p class="soft">{t.noMatch}</p>}
      {found.length > 0 && (
        <ul class="rows">
          {found.map((craft) => (
            <Row key={craft.device.peek().id} craft={craft} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Row({ craft }: { craft: Craft }): JSX.Element {
  const t = words();
  const device = craft.device.value;
  const doing = useWhereabouts(craft);
  const at = lastHeard(craft);
  return (
    <li>
      <a class="row" href={to(["devices", device.id])}>
        <AgeSign at={at} />
        <span class="row-main">
          <span class="row-title">{device.name}</span>
          <span class="hint">{doing.length > 0 ? doing.join(" · ") : !at && t.neverSeen}</span>
        </span>
        <span class="row-end small">
          {at && <Ago at={at} />}
          {device.battery_percent !== null && (
            <span class="battery">
              <Icon name="battery" size={16} />
              <span class="unseen">{t.battery}</span> {Math.round(device.battery_percent)} %
            </span>
          )}
        </span>
      </a>
    </li>
  );
}
