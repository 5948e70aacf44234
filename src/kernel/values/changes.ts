import { isDeepStrictEqual } from "node:util";

/**
 * The fields of a change whose values differ from the stored ones; undefined ones count as left out. An empty
 * result means no write, no new `updated_at`, no audit event and no message.
 */
export function changedOnly<T extends object, C extends object>(stored: T, change: C): Partial<C> {
  const present = stored as Record<string, unknown>;
  const differing = Object.entries(change).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, present[field]),
  );
  return Object.fromEntries(differing) as Partial<C>;
}

/** True if the change has no fields left. */
export const isEmpty = (change: object): boolean => Object.keys(change).length === 0;
