import { computed, effect, signal, untracked } from "@preact/signals";
import { type Alert, openAlerts } from "./alerts";
import { type AnchorWatch, anchorWatches } from "./anchors";
import { fleet } from "./fleet";
import { headline, type Told, words } from "./panels/alerts/words";
import { may, session } from "./session";
import { managesAny } from "./shares";
import { askForSound, chime, siren } from "./sound";
import { urgentTitle } from "./title";

/** The things that ask for attention now, and the page's means to ask for it: a siren, a tone, its title. */

/** An open alert; or a boat that drags or is silent, for whoever watches over it by a share and may read no alerts. */
export interface Urgent extends Told {
  id: string;
  severity: Alert["severity"];
  raised_at: string | null;
  /** The place in the page that says more. */
  path: readonly string[];
  /** Null for what can't be acknowledged. */
  alert: Alert | null;
}

const ofAlert = (alert: Alert): Urgent => ({ ...alert, path: ["alerts", alert.id], alert });

function ofWatch(watch: AnchorWatch): Urgent {
  const { device_id, state, severity, last_position_at, distance_m } = watch;
  const silence = last_position_at === null ? null : (Date.now() - Date.parse(last_position_at)) / 1_000;
  return {
    id: `${device_id} ${state}`,
    severity: state === "warning" ? "warning" : severity,
    raised_at: state === "silent" ? last_position_at : null,
    ...{ condition: "anchor", subject: state, subject_name: null, event: null, geofence_name: null },
    device_name: fleet.value.get(device_id)?.device.value.name ?? null,
    value: state === "silent" ? silence : distance_m,
    ...{ message: "", has_own_message: false },
    ...{ path: ["anchor", device_id], alert: null },
  };
}

/** True if the page tells this user of alarms at all. */
export const isAlarmed = (): boolean => may("alerts:read") || managesAny();

/** The worst first. */
export const urgent = computed<readonly Urgent[]>(() => {
  if (may("alerts:read")) return openAlerts.value.map(ofAlert);
  const troubled = [...anchorWatches.value.values()].filter(({ state }) => state !== "holding");
  return troubled.map(ofWatch).sort((one, other) => Number(isAlarm(other)) - Number(isAlarm(one)));
});

const isAlarm = ({ severity }: Urgent): boolean => severity === "alarm";

/** Alarms that make no sound on this page any more. */
export const muted = signal<ReadonlySet<string>>(new Set());

export function mute(id: string): void {
  muted.value = new Set([...muted.peek(), id]);
}

/** Milliseconds for which the siren is tried. */
const TRIAL = 2_000;
const isTried = signal(false);

/** Lets the siren be heard for a moment. */
export function trySiren(): void {
  void askForSound();
  isTried.value = true;
  setTimeout(() => {
    isTried.value = false;
  }, TRIAL);
}

/** Begins to sound alarms until they are acknowledged, over, or mute; warnings are told by one tone. */
export function soundAlarms(): void {
  effect(() => {
    if (session.value === "open" && isAlarmed()) void askForSound();
  });
  effect(() => {
    const isLoud = urgent.value.some((each) => isAlarm(each) && !muted.value.has(each.id));
    siren(isLoud || isTried.value);
  });
  let known: ReadonlySet<string> = new Set();
  effect(() => {
    const ids = urgent.value.map(({ id }) => id);
    const isNew = urgent.value.some(({ id, severity }) => severity === "warning" && !known.has(id));
    if (isNew) untracked(chime);
    known = new Set(ids);
    // One that comes back after its end is heard again.
    untracked(() => {
      muted.value = new Set(ids.filter((id) => muted.value.has(id)));
    });
  });
  effect(() => {
    const worst = urgent.value.find(({ severity }) => severity !== "info");
    urgentTitle.value = worst
      ? `${words().severity[worst.severity].toUpperCase()}: ${headline(worst)}`
      : null;
  });
}
