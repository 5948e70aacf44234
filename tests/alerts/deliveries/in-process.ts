import { existsSync } from "node:fs";
import { join } from "node:path";
import { enqueue, type Telling } from "../../../src/alerts/deliveries/outbox";
import { startDeliveries } from "../../../src/alerts/deliveries/sender";
import { targetSecrets } from "../../../src/alerts/targets/secrets";
import { notificationTargets } from "../../../src/alerts/targets/table";
import { loadConfig } from "../../../src/configuration/config";
import { useMasterKey } from "../../../src/kernel/crypto/encryption";
import { newId } from "../../../src/kernel/crypto/id";
import { db, openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { transact } from "../../../src/kernel/db/transactions";
import { configureLog } from "../../../src/kernel/logs/log";
import { now, setClock } from "../../../src/kernel/time/clock";
import { type OutboxRow, outbox } from "../../../src/outbox/table";
import { startOutbox } from "../../../src/outbox/worker";
import { loadSystemConfig } from "../../../src/runtime-settings/service";

/** The outbox in the test's own process, where a test can put things into it and move the clock. */

/** The system key whose targets these are. */
export const MAKER = "019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5d";

/**
 * Opens the database of a directory, or makes one, and starts to deliver; returns the function that stops. Addresses of this
 * machine are allowed.
 */
export async function openOutbox(directory: string): Promise<() => Promise<void>> {
  loadConfig({
    environment: { FAIRLEAD_DATA_DIR: directory, FAIRLEAD_NOTIFICATIONS_ALLOWED_HOSTS: "127.0.0.1" },
  });
  useMasterKey(Buffer.alloc(32, 7));
  // Most of what is tried here fails, and says so.
  configureLog("error", "json");
  const file = join(directory, "outbox.db");
  const isNew = !existsSync(file);
  openDatabase(file, "full");
  migrate();
  await transact(loadSystemConfig);
  if (isNew) insertMaker();
  startDeliveries();
  return startOutbox();
}

function insertMaker(): void {
  sqlite.run(
    `INSERT INTO api_keys (id, key_hash, key_prefix, name, scopes, is_active, is_system, created_at, updated_at)
     VALUES ('${MAKER}', 'hash', 'flk_', 'bridge', '[]', 1, 1, 0, 0)`,
  );
}

let ahead = 0;

/** Sets the clock forward, or back. */
export function advance(milliseconds: number): void {
  ahead += milliseconds;
  setClock(() => Date.now() + ahead);
}

type NewRow = Partial<typeof notificationTargets.$inferInsert>;

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3Nd3Rj5bV0k=";

/** Stores a target, by default of a webhook, and returns its identifier. */
export function target(url: string, fields: NewRow = {}): string {
  const id = newId();
  db.insert(notificationTargets)
    .values({
      ...{ id, name: "target", kind: "webhook", settings: { url }, locale: "en" },
      secret: targetSecrets.seal(SECRET, id),
      api_key_id: MAKER,
      created_at: now(),
      updated_at: now(),
      ...fields,
    })
    .run();
  return id;
}

/** Data of an alert, all parts of which a system key may see. */
export const PAYLOAD = {
  alert: { id: "a", raised_at: "2026-05-04T09:30:00.000Z" },
  rule: { name: "Harbour" },
  device: { name: "Greif" },
  position: { latitude: 54.0967, longitude: 13.4553 },
  zone: { name: "Pier" },
};

/** Puts something into the outbox, by default the raising of an alarm. */
export const tell = (targetIds: string[], what: Partial<Telling> = {}): Promise<string[]> =>
  transact(() =>
    enqueue({
      alertId: newId(),
      targetIds,
      type: "alert.raised",
      severity: "alarm",
      payload: PAYLOAD,
      text: (locale) => ({ title: locale === "de" ? "Alarm" : "Alert", body: "The anchor drags." }),
      ...what,
    }),
  );

/** All deliveries in order. */
export const stored = (): OutboxRow[] => db.select().from(outbox).orderBy(outbox.number).all();

export const statusOf = (id: string): string | undefined => stored().find((row) => row.id === id)?.status;
