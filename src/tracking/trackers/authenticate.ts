import { activeBan } from "../../identity/access/active-ban";
import { accessEpoch, authenticate, findKeyCaller, userAccess } from "../../identity/access/caller";
import type { PermissionSet } from "../../identity/access/permissions";
import { shareOf } from "../../identity/access/visible-devices";
import { hashToken } from "../../kernel/crypto/crypto";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { sqlite, statement } from "../../kernel/db/connection";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { logFailure, mayLog } from "../../kernel/errors/trouble";
import { describeError, log } from "../../kernel/logs/log";
import { MINUTE, now } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { deviceEpoch } from "../devices/epoch";
import type { Rejection } from "../ingest/fix";
import type { TrackerFormat } from "./formats";

/** The credentials at the doors of apps. Raw SQL: each position that an app sends comes with one. */

/** Purpose that a secret of OwnTracks' encryption is encrypted for. */
export const trackerKeys = sealedColumn({
  what: { en: "secrets of OwnTracks' encryption", de: "Schlüssel der Verschlüsselung von OwnTracks" },
  ifLost: {
    en: "delete these trackers and make them anew",
    de: "lösche diese Tracker und lege sie neu an",
  },
  table: "trackers",
  id: "id",
  column: "encryption_key",
  boundTo: (id) => `tracker ${id}`,
});

/** Whoever brings positions: a tracker, or the API key of a device. */
export interface Reporter {
  /** Identifier of the tracker or the key. */
  readonly id: string;
  readonly deviceId: string;
  /** The app that the tracker was made for; null for a key. */
  readonly format: TrackerFormat | null;
  /** The secret with which OwnTracks encrypts. */
  readonly encryptionKey: string | null;
  /** True if the app is told the zones, and its maker may see them. */
  readonly sendsZones: boolean;
  /** Epoch milliseconds; null for one without an end. */
  readonly expiresAt: number | null;
}

interface KnownTracker extends Reporter {
  /** Last use as far as the database knows, epoch milliseconds. */
  usedAt: number;
  readonly epoch: string;
}

// --- Loading ----------------------------------------------------------------------------------------------

interface Stored {
  id: string;
  deviceId: string;
  format: TrackerFormat;
  sendsZones: number;
  sealedKey: string | null;
  userId: string | null;
  apiKeyId: string | null;
  expiresAt: number | null;
  usedAt: number | null;
}

const byHash = statement(() =>
  sqlite.prepare<Stored, [string]>(
    `SELECT t.id, t.device_id AS deviceId, t.format, t.send_zones AS sendsZones, t.encryption_key AS sealedKey,
       t.user_id AS userId, t.api_key_id AS apiKeyId, t.expires_at AS expiresAt, t.last_used_at AS usedAt
     FROM trackers t JOIN devices d ON d.id = t.device_id LEFT JOIN users u ON u.id = t.user_id
     WHERE t.token_hash = ? AND t.is_active = 1 AND d.is_active = 1 AND d.box_id IS NULL AND u.deleted_at IS NULL`,
  ),
);

/** The rights of a tracker's maker and their end in epoch milliseconds; null for one who may not post any more. */
function makersRights({
  userId,
  apiKeyId,
  deviceId,
}: Stored): { permissions: PermissionSet; expiresAt: number | null } | null {
  if (userId === null) {
    const key = apiKeyId === null ? null : findKeyCaller(apiKeyId);
    return key?.permissions.has("gps:write") ? key : null;
  }
  if (activeBan(userId)) return null;
  const { permissions } = userAccess(userId);
  if (permissions.has("gps:write")) return { permissions, expiresAt: null };
  const share = shareOf(userId, deviceId);
  return share?.level === "manage" ? { permissions, expiresAt: share.expiresAt } : null;
}

/** The secret of a tracker; null if it can't be decrypted, as with another master key: its plain messages still count. */
function openKey(id: string, sealed: string): string | null {
  try {
    return trackerKeys.open(sealed, id);
  } catch (error) {
    if (mayLog("secrets of trackers"))
      log.error("the secret of a tracker cannot be decrypted", { tracker: id, ...describeError(error) });
    return null;
  }
}

function load(hash: string): KnownTracker | null {
  const epoch = currentEpoch();
  const row = byHash().get(hash);
  const rights = row && makersRights(row);
  if (!row || !rights) return null;
  const ends = [row.expiresAt, rights.expiresAt].filter((end) => end !== null);
  return {
    id: row.id,
    deviceId: row.deviceId,
    format: row.format,
    encryptionKey: row.sealedKey === null ? null : openKey(row.id, row.sealedKey),
    sendsZones: row.sendsZones === 1 && rights.permissions.has("geofences:read"),
    expiresAt: ends.length > 0 ? Math.min(...ends) : null,
    usedAt: row.usedAt ?? 0,
    epoch,
  };
}

// --- Authentication ---------------------------------------------------------------------------------------

/** Trackers by the hash of their token. One that was read before something changed counts as unknown. */
const known = new BoundedMap<string, KnownTracker>(10_000);

let changes = 0;

/** Called by all that changes a tracker, in its transaction. */
export function trackersChanged(): void {
  afterCommit(() => {
    changes++;
  });
}

/** Differs as soon as rights, credentials, devices or trackers have changed. */
const currentEpoch = (): string => `${accessEpoch()} ${deviceEpoch()} ${changes}`;

const TRACKER_TOKEN = /^flt_[A-Za-z0-9_-]{43}$/;

/** The tracker with a token; null if it is unknown, off or ended, or its maker or device may not post any more. */
export function findTracker(token: string): Reporter | null {
  if (!TRACKER_TOKEN.test(token)) return null;
  const hash = hashToken(token);
  let tracker = known.get(hash) ?? null;
  if (tracker?.epoch !== currentEpoch()) {
    known.delete(hash);
    tracker = load(hash);
    if (tracker) known.set(hash, tracker);
  }
  if (!tracker || (tracker.expiresAt !== null && tracker.expiresAt <= now())) return null;
  return tracker;
}

const isDeviceActive = statement(() =>
  sqlite.prepare<{ id: string }, [string]>(
    "SELECT id FROM devices WHERE id = ? AND is_active = 1 AND box_id IS NULL",
  ),
);

/** The API key with a token, if it may post positions of its device; null otherwise. */
export function findDeviceKey(token: string): Reporter | null {
  const caller = token.startsWith("flk_") ? authenticate(token) : null;
  if (caller?.kind !== "key" || caller.deviceId === null) return null;
  if (!caller.isSuperAdmin && !caller.permissions.has("gps:write")) return null;
  if (!isDeviceActive().get(caller.deviceId)) return null;
  const { id, deviceId, expiresAt } = caller;
  return { id, deviceId, format: null, encryptionKey: null, sendsZones: false, expiresAt };
}

// --- Use --------------------------------------------------------------------------------------------------

const touch = statement(() =>
  sqlite.prepare<unknown, [number, string]>("UPDATE trackers SET last_used_at = ? WHERE id = ?"),
);

/** Records that a tracker is in use, at most once a minute; true if this is that once. Nobody waits for the write. */
export function noteUse(reporter: Reporter): boolean {
  const time = now();
  const tracker = reporter as KnownTracker;
  // Written too when the clock was set back and the last use lies in the future.
  if (reporter.format === null || Math.abs(time - tracker.usedAt) < MINUTE) return false;
  tracker.usedAt = time;
  later(() => touch().run(time, tracker.id));
  return true;
}

const addRejections = statement(() =>
  sqlite.prepare<unknown, [number, number, string, string]>(
    "UPDATE trackers SET rejected_total = rejected_total + ?, last_rejection_at = ?, last_rejection_reason = ? WHERE id = ?",
  ),
);

/** Counts at its tracker what was not stored; `reasons` in the order of the message. Nobody waits for the write. */
export function noteRejections({ id, format }: Reporter, reasons: readonly Rejection[]): void {
  const last = reasons.at(-1);
  if (format === null || last === undefined) return;
  later(() => addRejections().run(reasons.length, now(), last, id));
}

function later(write: () => unknown): void {
  transact(() => {
    write();
  }, "retryable").catch((error) => logFailure("the use of a tracker could not be noted", error));
}
