import { may } from "../../session";

/** The parts of the administration, each with the permission to whose holders it shows something. */
export const PARTS = [
  ["users", "users:read"],
  ["invitations", "users:read"],
  ["roles", "roles:read"],
  ["keys", "api_keys:read"],
  ["audit", "audit:read"],
  ["clients", "oauth_clients:read"],
  ["configuration", "settings:read"],
  ["integrations", "integrations:read"],
  ["boxes", "sync:manage"],
  ["server", "settings:read"],
] as const;

export type Part = (typeof PARTS)[number][0];

/** The parts that the user is shown. */
export const shownParts = (): readonly Part[] =>
  PARTS.flatMap(([part, permission]) => (may(permission) ? [part] : []));
