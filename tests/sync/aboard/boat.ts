import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { insertAlert } from "../../../src/alerts/alerts/stored";
import { note, openFeed } from "../../../src/feed/journal";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { now, setClock } from "../../../src/kernel/time/clock";
import type { Mode } from "../../../src/sync/aboard/filling";
import type { Walk } from "../../../src/sync/aboard/table";
import type { Prepared, Result, Transfer } from "../../../src/sync/aboard/transfer";
import type { Remarks } from "../../../src/sync/batch/batch";
import type { PushAnswer } from "../../../src/sync/push/schema";
import { createDevice } from "../../../src/tracking/devices/service";
import { configure } from "../../support/in-process";
import { type Settings, temporaryDirectory } from "../../support/server";
import { openTracking, record, SERVICE } from "../../tracking/in-process";
import type { ModelShore } from "./shore";

/** A box in the test's own process: its database, its clock, and a transfer that is driven by hand. */

export const START = Date.UTC(2026, 4, 4, 8);
export const EVERYTHING: Walk["kind"][] = ["device", "alert", "trip", "entry", "crossing", "position"];
export const FREE: Mode = { isMetered: false, thinSeconds: 60, alertsOnly: false };
export const METERED: Mode = { ...FREE, isMetered: true };
export const SPARING: Mode = { ...FREE, alertsOnly: true };
export const PLENTY = 256 * 1024;

let time = START;

/** Opens an empty database at the beginning of the test's time. */
export async function openBoat(settings: Settings = {}): Promise<void> {
  configure({ "sync.url": "http://127.0.0.1:1", "sync.token": "flb_token", ...settings });
  setTime(START);
  await openTracking();
  await transact(openFeed);
}

export function setTime(next: number): void {
  time = next;
  setClock(() => time);
}

export const pass = (milliseconds: number): void => setTime(time + milliseconds);

/** A copy of the database's file, as it is now. */
export function copyOfDatabase(): string {
  const file = join(mkdtempSync(join(temporaryDirectory(), "copy-")), "fairlead.db");
  writeFileSync(file, sqlite.serialize());
  return file;
}

/** Goes on with a copy of a database, as after a restart, or as a box that was copied. */
export async function goOnWith(file: string): Promise<void> {
  closeDatabase();
  openDatabase(file, "normal");
  await transact(openFeed);
}

export const newBoatDevice = async (name = "Greif"): Promise<string> =>
  (await createDevice(SERVICE, { name })).id;

/** Records fixes of a device, ten seconds apart, as time goes by. Returns their times in seconds. */
export async function sail(device: string, fixes: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < fixes; at++) {
    pass(10_000);
    times.push(now() / 1_000);
    await record(device, now() / 1_000);
  }
  return times;
}

/** Raises an alert of a device; returns its identifier. */
export async function alarm(device: string): Promise<string> {
  const id = Bun.randomUUIDv7("hex", now());
  const none = {
    ...{ rule_id: null, rule_name: null, event: null, subject: null, subject_name: null, crossing_id: null },
    ...{ message: null, value: null, latitude: null, longitude: null, position_at: null, cleared_at: null },
    ...{ acknowledged_at: null, acknowledged_by: null, acknowledge_note: null, escalate_at: null },
    ...{ escalated_at: null, box_id: null },
  };
  await transact(() => {
    insertAlert({
      ...none,
      ...{ id, key: id, condition: "speed", severity: "alarm", status: "open", device_id: device },
      ...{ device_name: "Greif", count: 1, is_corrected: false, is_told: true, told: [] },
      ...{ raised_at: now(), last_seen_at: now() },
    });
    note("alertRaised", id, device);
  });
  return id;
}

/** Makes one request, and has it heard: `lost` is the answer that goes astray. */
export async function exchange(
  transfer: Transfer,
  shore: ModelShore,
  { mode = FREE, limit = PLENTY, remarks = {} }: { mode?: Mode; limit?: number; remarks?: Remarks } = {},
): Promise<{ prepared: Prepared; answer: PushAnswer; result: Result }> {
  const prepared = await transfer.prepare(limit, mode, remarks);
  const answer = shore.take(prepared.body);
  return { prepared, answer, result: await transfer.settle(prepared, answer, 0) };
}

/** Tells the shore all that waits; returns the number of requests. */
export async function tellAll(
  transfer: Transfer,
  shore: ModelShore,
  { mode = FREE, limit = PLENTY }: { mode?: Mode; limit?: number } = {},
): Promise<number> {
  for (let requests = 0; ; requests++) {
    if (!transfer.waiting(mode).some) return requests;
    if (requests === 1_000) throw new Error("there is no end of it");
    await exchange(transfer, shore, { mode, limit });
  }
}
