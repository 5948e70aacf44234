import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { OwnedNote } from "../../boxes";
import { type Craft, fleet, fleetState } from "../../fleet";
import { stage } from "../../map/current";
import { to } from "../../route";
import { may } from "../../session";
import { mayBy } from "../../shares";
import { dayName } from "../../times";
import { Icon, type IconName } from "../../ui/icons";
import { Empty, Facts, Panel } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";
import { bearing, number, place, speed } from "../../units";
import { activeTrips, zonesInside } from "../../whereabouts";
import { AgeSign, lastHeard, useWhereabouts } from "./state";
import { words } from "./words";

/** One device: its state in words and numbers, and the ways to what belongs to it. */
export function DevicePage({ id }: { id: string }): JSX.Element {
  const craft = fleet.value.get(id);
  if (craft) return <Shown craft={craft} />;
  return (
    <Panel title={words().title} back={to(["devices"])}>
      <p class="soft">{fleetState.value === "first" ? common().loading : words().noneForYou}</p>
    </Panel>
  );
}

function Shown({ craft }: { craft: Craft }): JSX.Element {
  const t = words();
  const device = craft.device.value;
  const fix = craft.fix.value;
  const at = lastHeard(craft);
  const doing = useWhereabouts(craft);
  const zones = zonesInside.value.get(device.id) ?? [];
  const trip = activeTrips.value.get(device.id);
  const current = stage.value;
  useEffect(() => {
    const at = craft.fix.peek();
    if (current && at)
      current.map.easeTo({ center: [at.longitude, at.latitude], zoom: Math.max(current.map.getZoom(), 11) });
  }, [current, craft]);
  const manages = mayBy("devices:write", device.id, "manage");
  const changes = manages && device.box_id === null;
  const links: (readonly [IconName, string, string] | false)[] = [
    mayBy("gps:read", device.id, "history") && [
      "day",
      t.day,
      to(["day", device.id, dayName(Date.parse(fix?.timestamp ?? new Date().toISOString()))]),
    ],
    mayBy("alerts:read", device.id, "manage") && ["anchor", t.anchor, to(["anchor", device.id])],
    mayBy("alerts:write", device.id, "manage") && [
      "alerts",
      t.alert,
      to(["alerts", "rules", "new"], { device: device.id }),
    ],
    changes && ["phone", t.trackers, to(["devices", device.id, "trackers"])],
    changes &&
      may("gps:write") &&
      may("devices:write") && ["upload", t.import, to(["devices", device.id, "import"])],
    manages && ["share", t.shares, to(["devices", device.id, "shares"])],
    changes && ["edit", t.settings, to(["devices", device.id, "settings"])],
  ];
  return (
    <Panel title={device.name} back={to(["devices"])}>
      <p class="state">
        <AgeSign at={at} />
        <span>
          {at ? doing.join(" · ") : [...doing, t.neverSeen].join(" · ")}
          {at && (
            <>
              {doing.length > 0 && " · "}
              <Ago at={at} />
            </>
          )}
        </span>
      </p>
      {device.description && <p>{device.description}</p>}
      <OwnedNote boxId={device.box_id} />
      {!at && changes && (
        <Empty icon="phone" title={t.unconnected}>
          <p>{t.unconnectedHint}</p>
          <a class="button main" href={to(["devices", device.id, "trackers"], { new: "1" })}>
            {t.connect}
          </a>
        </Empty>
      )}
      {fix && (
        <Facts
          of={[
            [t.speed, fix.speed_kmh === null ? null : speed(fix.speed_kmh)],
            [t.course, fix.heading === null ? null : bearing(fix.heading)],
            [t.position, <span key="place">{place(fix.latitude, fix.longitude)}</span>],
            [t.altitude, fix.altitude === null ? null : `${number(fix.altitude)} m`],
            [t.battery, device.battery_percent === null ? null : `${number(device.battery_percent)} %`],
            [t.zone, zones.length > 0 ? zones.join(", ") : null],
            [t.trip, trip ? <a href={to(["trips", trip.id])}>{trip.name}</a> : null],
          ]}
        />
      )}
      <ul class="rows">
        {links.map(
          (link) =>
            link && (
              <li key={link[1]}>
                <a class="row" href={link[2]}>
                  <Icon name={link[0]} />
                  <span class="row-main">{link[1]}</span>
                  <Icon name="next" />
                </a>
              </li>
            ),
        )}
      </ul>
    </Panel>
  );
}
