import { statfs } from "node:fs/promises";
import { config } from "../../configuration/config";
import { waitingEmails } from "../../identity/email/service";
import { HOUR, now, SECOND } from "../../kernel/time/clock";
import { vesselsState } from "../../operations/vessels/service";
import { backupSince, backupState } from "../../server/backup/schedule";
import { waitingRows } from "../../sync/aboard/link";
import { positionState } from "../../tracking/receiver/state";
import type { SystemMeasure } from "../kinds";

/** The measures of the installation, in the units that the document names. Null for one that there is not. */

const MEGABYTE = 1_000_000;

export interface Measure {
  value: number;
  /** True if it may be more: it is the time since something that hasn't happened since the start, or ever. */
  isAtLeast: boolean;
}

const exactly = (value: number): Measure => ({ value, isAtLeast: false });

/** The time since a moment (epoch milliseconds; null for none since the start), in a unit of so many milliseconds. */
const since = (time: number | null, unit: number): Measure =>
  // The clock may be set while the server runs.
  time === null
    ? { value: performance.now() / unit, isAtLeast: true }
    : exactly(Math.max(0, now() - time) / unit);

export const MEASURES: Record<SystemMeasure, () => Measure | null | Promise<Measure>> = {
  backup_age: () => {
    const state = backupState();
    if (state === null) return null;
    const { time, isOwn } = backupSince(state);
    return { ...since(time, HOUR), isAtLeast: !isOwn };
  },
  disk_free: async () => {
    const { bavail, bsize } = await statfs(config["data.dir"]);
    return exactly((bavail * bsize) / MEGABYTE);
  },
  position_source: () => {
    const state = positionState();
    return state && since(state.lastFixAt, SECOND);
  },
  vessel_source: () => {
    const { source, lastHeardAt } = vesselsState();
    return source === "none" ? null : since(lastHeardAt, SECOND);
  },
  sync_backlog: () => {
    const rows = waitingRows();
    return rows === null ? null : exactly(rows);
  },
  email_queue: () => exactly(waitingEmails()),
};
