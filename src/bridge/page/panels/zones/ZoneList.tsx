import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { to } from "../../route";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { bound, TextField } from "../../ui/form";
import { Icon } from "../../ui/icons";
import { Empty, Panel } from "../../ui/panel";
import { common } from "../../ui/words";
import { devicesInside } from "../../whereabouts";
import { areZonesCut, readZones, type Zone, zones, zonesState } from "../../zones";
import { words } from "./words";

/** Lists shorter than this are looked through faster than a name is typed. */
const WORTH_SEARCHING = 8;

/** Rows that are drawn at once; the search finds the rest. */
const MOST_ROWS = 200;

/** All zones, with who is inside. */
export function ZoneList(): JSX.Element {
  const t = words();
  const sought = useSignal("");
  useEffect(() => {
    void readZones();
  }, []);
  const all = zones.value;
  const name = sought.value.trim().toLowerCase();
  const found = name ? all.filter((zone) => zone.name.toLowerCase().includes(name)) : all;
  const draw = may("geofences:write") && (
    <a class="button main" href={to(["zones", "new"])}>
      <Icon name="add" />
      <span>{t.draw}</span>
    </a>
  );
  return (
    <Panel title={t.title} actions={all.length > 0 && draw}>
      {zonesState.value === "failed" && <Button onClick={readZones}>{common().retry}</Button>}
      {zonesState.value === "first" && (
        <p class="loading" role="status">
          {common().loading}
        </p>
      )}
      {zonesState.value === "known" && all.length === 0 && (
        <Empty icon="zones" title={t.none}>
          <p>{may("geofences:write") ? t.noneHint : t.noneForYou}</p>
          {draw}
        </Empty>
      )}
      {all.length >= WORTH_SEARCHING && <TextField label={t.search} type="search" {...bound(sought)} />}
      {all.length > 0 && found.length === 0 && <p class="soft">{t.noMatch}</p>}
      {found.length > 0 && (
        <ul class="rows">
          {found.slice(0, MOST_ROWS).map((zone) => (
            <Row key={zone.id} zone={zone} />
          ))}
        </ul>
      )}
      {(areZonesCut.value || found.length > MOST_ROWS) && <p class="soft">{t.cut}</p>}
    </Panel>
  );
}

function Row({ zone }: { zone: Zone }): JSX.Element {
  const t = words();
  const inside = devicesInside.value.get(zone.id) ?? [];
  return (
    <li>
      <a class="row" href={to(["zones", zone.id])}>
        <span class="row-main">
          <span class="row-title">{zone.name}</span>
          <span class="hint">
            {[
              t.kinds[zone.kind],
              zone.is_active && (inside.length > 0 ? t.inside(inside.join(", ")) : t.empty),
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
        </span>
        {!zone.is_active && <span class="tag">{t.off}</span>}
        <Icon name="next" />
      </a>
    </li>
  );
}
