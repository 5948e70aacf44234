import { eq, placeholder } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { mirrorAlert } from "../../alerts/alerts/mirror";
import { alerts } from "../../alerts/alerts/table";
import { db, statement } from "../../kernel/db/connection";
import { mirrorCrossing } from "../../tracking/crossings/mirror";
import { hasAllDevices, mirrorDevice, removeDevice } from "../../tracking/devices/service";
import { devices } from "../../tracking/devices/table";
import { geofenceEvents } from "../../tracking/geofences/table";
import type { Mirror } from "../../tracking/ingest/mirror";
import { mirrorEntry } from "../../tracking/log/mirror";
import { mirrorTrip } from "../../tracking/trips/mirror";
import { dropTrip } from "../../tracking/trips/service";
import { trips } from "../../tracking/trips/table";
import type { SentRecord } from "../batch/batch";
import { type SoundRecord, soundRecord } from "../batch/rows";

/**
 * The records of a push, handed to the mirrors of their rooms. A box may write what is its own and name what is its own: whatever
 * else it sends is refused, whether by a mistake, by a copied database or on purpose.
 */

type OwnerColumns = typeof devices | typeof trips | typeof alerts | typeof geofenceEvents;

/** The owner of a record: a box, null for this server; undefined for a record that isn't here. */
const ownerOf = (table: OwnerColumns) => {
  const read = statement(() =>
    db
      .select({ box_id: table.box_id as SQLiteColumn })
      .from(table as typeof devices)
      .where(eq(table.id, placeholder("id")))
      .prepare(),
  );
  return (id: string) => (read().get({ id }) as { box_id: string | null } | undefined)?.box_id;
};
const ownerOfDevice = ownerOf(devices);
const ownerOfTrip = ownerOf(trips);
const ownerOfAlert = ownerOf(alerts);
const ownerOfCrossing = ownerOf(geofenceEvents);

const trip = statement(() =>
  db
    .select()
    .from(trips)
    .where(eq(trips.id, placeholder("id")))
    .prepare(),
);

/** Takes a record of a box in the current transaction. False if it was refused: then nothing has changed. */
export function takeRecord(boxId: string, sent: SentRecord, mirror: Mirror): boolean {
  const record = soundRecord(sent);
  if (record === null) return false;
  switch (record.kind) {
    case "device":
      return takeDevice(boxId, record);
    case "trip":
      return takeTrip(boxId, record);
    case "entry":
      return takeEntry(boxId, record);
    case "crossing":
      return takeCrossing(boxId, record);
    case "alert":
      return takeAlert(boxId, record);
    case "position":
      return mirror.remove(record.id) !== "not_own";
  }
}

type Sound<K extends SoundRecord["kind"]> = Extract<SoundRecord, { kind: K }>;

/** True if a box may write a record: it is its own, or isn't here. */
const mayWrite = (boxId: string, owner: string | null | undefined): boolean =>
  owner === undefined || owner === boxId;

function takeDevice(boxId: string, { id, row }: Sound<"device">): boolean {
  const owner = ownerOfDevice(id);
  if (!mayWrite(boxId, owner)) return false;
  if (row === null) {
    if (owner !== undefined) removeDevice(id);
    return true;
  }
  if (owner === undefined && hasAllDevices(boxId)) return false;
  mirrorDevice(boxId, id, row);
  return true;
}

function takeTrip(boxId: string, { id, row }: Sound<"trip">): boolean {
  const known = trip().get({ id });
  if (!mayWrite(boxId, known?.box_id)) return false;
  if (row === null) {
    if (known) dropTrip(known, null);
    return true;
  }
  const ownDevice = (device: string | null) =>
    device !== null && ownerOfDevice(device) === boxId ? device : null;
  const history = row.history.toSorted((a, b) => a.changed_at - b.changed_at || (a.id < b.id ? -1 : 1));
  const spans = row.spans
    .map((span) => ({ ...span, device_id: ownDevice(span.device_id) }))
    .sort((a, b) => a.from_time - b.from_time);
  mirrorTrip(boxId, { ...row, id, device_id: ownDevice(row.device_id), history, spans });
  return true;
}

/** A log goes with its trip: no entry is deleted by itself. */
function takeEntry(boxId: string, { id, row }: Sound<"entry">): boolean {
  if (row === null || ownerOfTrip(row.trip_id) !== boxId) return false;
  return mirrorEntry({ id, ...row }) !== "not_own";
}

/** Crossings outlive their device and age out: none is deleted by itself. */
function takeCrossing(boxId: string, { id, row }: Sound<"crossing">): boolean {
  if (row === null || !mayWrite(boxId, ownerOfCrossing(id))) return false;
  if (!mayWrite(boxId, ownerOfDevice(row.device_id))) return false;
  const trip_id = row.trip_id !== null && ownerOfTrip(row.trip_id) === boxId ? row.trip_id : null;
  mirrorCrossing(boxId, { ...row, id, trip_id });
  return true;
}

/** Alerts outlive what they tell of and age out: none is deleted by itself. */
function takeAlert(boxId: string, { id, row }: Sound<"alert">): boolean {
  if (row === null || !mayWrite(boxId, ownerOfAlert(id))) return false;
  if (row.device_id !== null && !mayWrite(boxId, ownerOfDevice(row.device_id))) return false;
  mirrorAlert(boxId, { ...row, id });
  return true;
}
