import type { JSX } from "preact";
import { ageOf } from "../../age";
import { followed } from "../../chosen";
import type { Craft } from "../../fleet";
import { accuracy } from "../../map/accuracy";
import { go, to } from "../../route";
import { mayBy } from "../../shares";
import { dayName } from "../../times";
import { Button } from "../../ui/button";
import { Icon, type IconName } from "../../ui/icons";
import { Facts } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { bearing, distance, number, place, speed } from "../../units";
import { activeTrips, zonesInside } from "../../whereabouts";
import { AgeSign } from "../devices/state";
import { Card } from "./Card";
import { words } from "./words";

/** Slower than this (km/h) a receiver at rest reports by itself. */
const AT_REST = 1;

/** In words: what the device is doing. */
function stateOf({ device, fix }: Craft): string {
  const t = words();
  const { id, is_active } = device.value;
  const age = ageOf(fix.value);
  const kmh = fix.value?.speed_kmh ?? null;
  const zones = zonesInside.value.get(id) ?? [];
  const trip = activeTrips.value.get(id);
  const parts = [
    !is_active && t.off,
    age === "fresh" && kmh !== null ? (kmh > AT_REST ? t.moving : t.still) : t.age[age],
    zones.length > 0 && t.inZone(zones.join(", ")),
    trip && t.inTrip(trip.name),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** The chosen device: what it is doing, where, and what can be done. */
export function DeviceCard({ craft }: { craft: Craft }): JSX.Element {
  const t = words();
  const { id, name, battery_percent } = craft.device.value;
  const fix = craft.fix.value;
  const metres = accuracy.value;
  const day = dayName(Date.parse(fix?.timestamp ?? new Date().toISOString()));
  const links: (readonly [IconName, string, string] | false)[] = [
    mayBy("gps:read", id, "history") && ["day", t.day, to(["day", id, day])],
    mayBy("alerts:read", id, "manage") && ["anchor", t.anchor, to(["anchor", id])],
    ["devices", t.details, to(["devices", id])],
  ];
  return (
    <Card title={name} onClose={() => go(["map"])}>
      <p class="map-card-state">
        <AgeSign at={fix?.timestamp ?? null} />
        <span>
          {stateOf(craft)}
          {fix && (
            <>
              {" · "}
              <Ago at={fix.timestamp} />
            </>
          )}
        </span>
      </p>
      {fix && (
        <Facts
          of={[
            [t.speed, fix.speed_kmh === null ? null : speed(fix.speed_kmh)],
            [t.course, fix.heading === null ? null : bearing(fix.heading)],
            [t.battery, battery_percent === null ? null : `${number(battery_percent)} %`],
            [t.accuracy, metres === null ? null : `±${distance(metres / 1_000)}`],
            [t.position, place(fix.latitude, fix.longitude)],
          ]}
        />
      )}
      <div class="map-card-actions">
        {fix && (
          <Button
            icon="follow"
            isPressed={followed.value === id}
            onClick={() => {
              followed.value = followed.value === id ? null : id;
            }}
          >
            {t.follow}
          </Button>
        )}
        {links.map(
          (link) =>
            link && (
              <a key={link[2]} class="button" href={link[2]}>
                <Icon name={link[0]} />
                <span>{link[1]}</span>
              </a>
            ),
        )}
      </div>
    </Card>
  );
}
