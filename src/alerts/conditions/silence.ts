import { sqlite, statement } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { MINUTE, now, SECOND } from "../../kernel/time/clock";
import { COUNTS } from "../../tracking/gps/table";
import type { Place } from "../alerts/register";
import { lastArrival, silentAt, watchArrivals } from "../arrivals/arrivals";
import { activeRule, type RuleOf, rulesFor, rulesOf, rulesVersion } from "../rules/active";
import { type Observation, observe } from "./observe";
import { stateOf } from "./stored";

/**
 * Devices that send nothing. It is noticed by the clock, and ends with the next position: see fix.ts. Raw SQL: many devices may
 * fall silent at once.
 */

const allDevices = statement(() => sqlite.prepare<{ id: string }, []>("SELECT id FROM devices"));
const device = statement(() =>
  sqlite.prepare<{ id: string }, [string]>("SELECT id FROM devices WHERE id = ?"),
);
/** Positions of a device that was deleted still name it for a while. */
const isDevice = (id: string): boolean => device().get(id) !== null;
const newestPlace = statement(() =>
  sqlite.prepare<Place, [string]>(
    `SELECT latitude, longitude, timestamp AS time FROM gps_points WHERE device_id = ? AND ${COUNTS}
     ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);

/** The time at which a device is to be looked at again (epoch milliseconds), by device. */
const dueAt = new Map<string, number>();
/** Devices that were silent at the last look: the next position is looked at soon. */
const silent = new Set<string>();
let version = 0;
/** True while a rule watches all devices, those to come among them. */
let isEachWatched = false;

/** A device that is silent is looked at again after this: a rule may begin to count. */
const LOOK_EVERY = MINUTE;

/** Time without positions that a server which was down adds at most, for rules. */
const LONGEST_GRACE = MINUTE;

/** Lets a device be looked at soon after a position of it has arrived, unless its time is known. */
export function noteLife(deviceId: string): void {
  const known = dueAt.get(deviceId);
  if (known === undefined && !isEachWatched) return;
  const isKnown = known !== undefined && known !== Number.POSITIVE_INFINITY && !silent.has(deviceId);
  if (!isKnown) dueAt.set(deviceId, 0);
}

/** Epoch milliseconds of the last look. */
let lookedAt = 0;

/** Looks at the devices whose time has come. */
export async function watchSilence(): Promise<void> {
  renewRules();
  const time = now();
  // A clock that was set back: the times are far off.
  if (time < lookedAt) for (const deviceId of dueAt.keys()) dueAt.set(deviceId, 0);
  lookedAt = time;
  for (const [deviceId, due] of dueAt) if (due <= time) await lookAt(deviceId, time);
}

function renewRules(): void {
  const { ofAll, ofDevice } = rulesOf("silence");
  if (rulesVersion() === version) return;
  version = rulesVersion();
  isEachWatched = ofAll.length > 0;
  dueAt.clear();
  silent.clear();
  const watched = isEachWatched
    ? allDevices()
        .all()
        .map(({ id }) => id)
    : [...ofDevice.keys()];
  for (const id of watched) dueAt.set(id, 0);
  watchArrivals("rules", isEachWatched ? "all" : watched);
}

async function lookAt(deviceId: string, time: number): Promise<void> {
  if (!isDevice(deviceId)) {
    dueAt.delete(deviceId);
    silent.delete(deviceId);
    return;
  }
  const since = lastArrival(deviceId);
  const met: RuleOf<"silence">[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const rules of rulesFor("silence", deviceId))
    for (const rule of rules) {
      const due =
        silentAt(deviceId, rule.condition.seconds * SECOND, LONGEST_GRACE) ?? Number.POSITIVE_INFINITY;
      if (due <= time) met.push(rule);
      else next = Math.min(next, due);
    }
  if (met.length > 0) silent.add(deviceId);
  else silent.delete(deviceId);
  const looks = observationsOf(deviceId, met, since === null ? 0 : (time - since) / SECOND);
  if (looks.length > 0)
    await transact(() => {
      // It may have been deleted meanwhile.
      if (isDevice(deviceId)) for (const look of looks) observe(look);
    });
  dueAt.set(deviceId, met.length > 0 ? Math.min(next, time + LOOK_EVERY) : next);
}

/** The looks that may change something. */
function observationsOf(deviceId: string, met: RuleOf<"silence">[], seconds: number): Observation[] {
  const over = stateOf(deviceId).conditions.flatMap(({ ruleId }) => {
    const rule = activeRule(ruleId);
    return rule?.condition.type === "silence" && !met.some(({ id }) => id === ruleId) ? [rule] : [];
  });
  const about = { deviceId, subject: null, place: met.length > 0 ? newestPlace().get(deviceId) : null };
  return [
    ...over.map((rule) => ({ ...about, rule, isMet: false, value: null })),
    ...met.map((rule) => ({ ...about, rule, isMet: true, value: Math.round(seconds) })),
  ];
}
