import { clockWatched, lifeWritten, newRule, send } from "../../alerts/support";
import { newTarget, newWebhook } from "../../alerts/targets/support";
import { done, eventually } from "../../support/expectations";
import type { TestServer } from "../../support/server";
import { HOUR } from "../../support/time";
import { createZone, northOf } from "../../tracking/support";
import { HARBOUR } from "./fleet";
import type { Installation } from "./installation";

/** Targets, rules and what they watch: alerts that are over and those that last, a boat at anchor, water levels. */

export interface Watch {
  rule: string;
  target: string;
  anchored: string;
}

export async function watch({ home, hook }: Installation): Promise<Watch> {
  const target = await newWebhook(home, hook.url, { name: "Bridge", is_default: true });
  const rule = await newRule(home, { type: "speed", above_knots: 20 }, { target_ids: [target.id] });
  await newTarget(home, { name: "Crew", kind: "email", to: "crew@example.org" });
  await newRule(home, { type: "silence", seconds: 3_600 }, { name: "Silent" });
  await newRule(home, { type: "battery", below_percent: 20 }, { name: "Battery", hold_seconds: 86_400 });
  // From its next look on, arrivals of all devices are noted.
  await clockWatched(home);
  const device = await home.device("Vilm");
  await send(home, device, { ...HARBOUR, battery_percent: 12 });
  const fast = { speed_knots: 30, speed_mps: 15.4, speed_kmh: 55.6, speed_mph: 34.5 };
  await send(home, device, { ...HARBOUR, ...fast });
  await eventually(() => hook.received.length > 0);
  await atAnchor(home, device);
  await lateCrossing(home);
  await lifeWritten(home);
  return { rule: rule.id, target: target.id, anchored: device.id };
}

async function atAnchor(home: TestServer, device: { id: string; key: string }): Promise<void> {
  await send(home, device, northOf(HARBOUR, 0.02));
  const token = await home.admin();
  const body = { ...HARBOUR, radius_m: 50, warning_radius_m: 40, target_ids: [] };
  done(await home.put(`/v1/devices/${device.id}/anchor`, { token, body }));
}

/** A device whose newest position came too late to raise an alert about the zone that it left. */
async function lateCrossing(home: TestServer): Promise<void> {
  const device = await home.device("Late boat");
  const zone = await createZone(home, { name: "Depot", ...HARBOUR, radius_km: 0.5 });
  await newRule(home, { type: "zone", event: "exit", geofence_ids: [zone.id] }, { device_ids: [device.id] });
  await home.advance(HOUR);
  await send(home, device, HARBOUR, 1_800);
  await send(home, device, northOf(HARBOUR, 3), 1_200);
}
