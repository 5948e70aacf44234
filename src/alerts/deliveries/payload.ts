import type { PermissionSet } from "../../identity/access/permissions";

/** The permission that each part of a payload needs beside `alerts:read`. */
const NEEDS: Record<string, string> = {
  device: "devices:read",
  position: "gps:read",
  zone: "geofences:read",
};

/** The parts of a payload that a target's maker may see; the others are null. */
export const visibleTo = (rights: PermissionSet, payload: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(payload).map(([part, value]) => {
      const needed = NEEDS[part];
      return [part, needed === undefined || rights.has(needed) ? value : null];
    }),
  );
