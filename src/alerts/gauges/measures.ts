import { statfs } from "node:fs/promises";
import { config } from "../../configuration/config";
import { waitingEmails } from "../../identity/email/service";
import { HOUR, now, SECOND } from "../../kernel/time/clock";
import { vesselsState } from "../../operations/vessels/service";
import { backupState } from "../../server/backup/schedule";
import { positionState } from "../../tracking/receiver/state";
import type { SystemMeasure } from "../kinds";

/** The measures of the installation, in the units that the document names. Null for one that there is not. */

const MEGABYTE = 1_000_000;

/** An event that has never happened counts from here. Epoch milliseconds. */
const startedAt = now();

const since = (time: number | null): number => Math.max(0, now() - (time ?? startedAt));

export const MEASURES: Record<SystemMeasure, () => number | null | Promise<number | null>> = {
  backup_age: () => {
    const state = backupState();
    return state && since(state.newest) / HOUR;
  },
  disk_free: async () => {
    const { bavail, bsize } = await statfs(config["data.dir"]);
    return (bavail * bsize) / MEGABYTE;
  },
  position_source: () => {
    const state = positionState();
    return state && since(state.lastFixAt) / SECOND;
  },
  vessel_source: () => {
    const { source, lastHeardAt } = vesselsState();
    return source === "none" ? null : since(lastHeardAt) / SECOND;
  },
  // No shore is configured, so nothing waits for one.
  sync_backlog: () => null,
  email_queue: waitingEmails,
};
