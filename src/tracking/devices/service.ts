import { asc, desc, eq, getTableColumns } from "drizzle-orm";
import type { Actor } from "../../identity/access/actor";
import { transactAs } from "../../identity/access/actor";
import { linkApiKey } from "../../identity/api-keys/service";
import { apiKeys } from "../../identity/api-keys/table";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow } from "../../kernel/db/counters";
import { conflict, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { checkChanged } from "../../kernel/http/validation";
import { iso, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { detach } from "../ingest/detach";
import type { Device, DeviceChange, NewDevice } from "./schema";
import { devices } from "./table";

type Row = typeof devices.$inferSelect & { api_key_id: string | null };

const toDevice = (row: Row): Device => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const selectDevices = () =>
  db
    .select({ ...getTableColumns(devices), api_key_id: apiKeys.id })
    .from(devices)
    .leftJoin(apiKeys, eq(apiKeys.device_id, devices.id));

/** A page of devices, newest first. */
export function listDevices(request: PageRequest): PageOf<Device> {
  return readPage(request, counter("devices"), (fromEnd, offset, limit) =>
    selectDevices()
      .orderBy(fromEnd ? asc(devices.id) : desc(devices.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toDevice),
  );
}

export function getDevice(id: string): Device {
  const row = selectDevices().where(eq(devices.id, id)).get();
  if (!row) throw notFound("Device");
  return toDevice(row);
}

/**
 * Most devices of an installation: the newest position of each is one list, which has no pages unless they
 * are asked for.
 */
const MAX_DEVICES = 2_000;

/**
 * Creates a device, and links the key that posts for it if one is named. Throws 409 if there are too many
 * devices.
 */
export function createDevice(actor: Actor, { api_key_id, ...input }: NewDevice): Promise<Device> {
  return transactAs(actor, () => {
    if (counterNow("devices") >= MAX_DEVICES)
      throw conflict(`There can be at most ${MAX_DEVICES.toLocaleString("en")} devices; delete one first`);
    const id = newId();
    const time = now();
    db.insert(devices)
      .values({ id, ...input, created_at: time, updated_at: time })
      .run();
    adjustCounter("devices", 1);
    if (api_key_id) linkApiKey(actor, api_key_id, id);
    return getDevice(id);
  });
}

/** Changes the given fields; `api_key_id` null unlinks the device's key. */
export function updateDevice(
  actor: Actor,
  id: string,
  { api_key_id, ...input }: DeviceChange,
): Promise<Device> {
  checkChanged({ api_key_id, ...input });
  return transactAs(actor, () => {
    const change = changedOnly(getDevice(id), { ...input, api_key_id });
    const { api_key_id: _, ...fields } = change;
    if (!isEmpty(change))
      db.update(devices)
        .set({ ...fields, updated_at: now() })
        .where(eq(devices.id, id))
        .run();
    if (api_key_id !== undefined) linkApiKey(actor, api_key_id, id);
    return getDevice(id);
  });
}

/**
 * Deletes a device. Its points, trips and templates stay, without it; its key posts for no device any more
 * (rule T6).
 */
export function deleteDevice(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    linkApiKey(actor, null, id);
    const row = db.delete(devices).where(eq(devices.id, id)).returning().get();
    if (!row) throw notFound("Device");
    detach("device", id);
    adjustCounter("devices", -1);
  });
}
