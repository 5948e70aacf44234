/** The system config (rule O2): the values that can be changed while the server runs, and their checks. */
export interface Entry<T = number> {
  default: T;
  description: string;
  /** The values that are right, as JSON Schema. */
  schema: object;
  /** Null if the value is right, else the rule that it breaks: "must be …". */
  check: (value: unknown) => string | null;
  /** Only super admins may change it; `settings:write` is not enough. */
  superAdminsAlone?: true;
}

const isWhole = (value: unknown, minimum: number, maximum: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum;

const whole = (fallback: number, minimum: number, maximum: number, description: string): Entry<number> => ({
  default: fallback,
  description,
  schema: { type: "integer", minimum, maximum },
  check: (value) =>
    isWhole(value, minimum, maximum) ? null : `must be a whole number from ${minimum} to ${maximum}`,
});

const number = (fallback: number, minimum: number, maximum: number, description: string): Entry<number> => ({
  default: fallback,
  description,
  schema: { type: "number", minimum, maximum },
  check: (value) =>
    typeof value === "number" && value >= minimum && value <= maximum
      ? null
      : `must be a number from ${minimum} to ${maximum}`,
});

const TEN_YEARS_IN_DAYS = 3_650;
const TEN_YEARS_IN_SECONDS = TEN_YEARS_IN_DAYS * 86_400;

/** With fewer days of audit log a user with `settings:write` could remove the traces of a recent action. */
export const LEAST_AUDIT_DAYS = 30;

export const CATALOGUE = {
  "gps.current_cache_seconds": whole(
    300,
    0,
    86_400,
    "How long a current position is kept in memory, in seconds",
  ),
  "gps.rate_limit_requests": whole(30, 1, 1_000_000, "POST /v1/gps: requests per credential and window"),
  "gps.rate_limit_window_seconds": whole(60, 1, 86_400, "POST /v1/gps: length of the window, in seconds"),
  "gps.retention_days": whole(
    0,
    0,
    TEN_YEARS_IN_DAYS,
    "Positions older than this many days are deleted, unless they belong to a trip; 0 keeps all",
  ),
  "gps.max_future_seconds": whole(
    86_400,
    0,
    TEN_YEARS_IN_SECONDS,
    "How far ahead of the server a position may be, in seconds",
  ),
  "ingest.positions_per_minute": whole(
    6_000,
    1,
    10_000_000,
    "Positions that a credential may bring in a minute by batches, apps and trackers",
  ),
  "ingest.max_future_seconds": whole(
    300,
    0,
    TEN_YEARS_IN_SECONDS,
    "How far ahead of the server the fixes of apps, trackers and imported files may be, in seconds",
  ),
  "changes.retention_hours": whole(
    72,
    1,
    87_600,
    "Changes older than this many hours can't be read again, in hours",
  ),
  "changes.max_rows": whole(5_000_000, 1_000, 1_000_000_000, "Most changes that are kept to be read again"),
  "geofence.exit_margin_m": number(
    10,
    0,
    100_000,
    "Metres beyond a zone's radius at which leaving it counts",
  ),
  "geofence.max_accuracy_m": number(
    0,
    0,
    1_000_000,
    "Positions with a larger accuracy_m count for no zone, unless it has a limit of its own, in metres; 0: all count",
  ),
  "geofence.event_retention_days": whole(
    0,
    0,
    TEN_YEARS_IN_DAYS,
    "Crossings of zones older than this many days are deleted; 0 keeps all",
  ),
  "alerts.retention_days": whole(
    365,
    0,
    TEN_YEARS_IN_DAYS,
    "Alerts that were cleared more than this many days ago are deleted; 0 keeps all",
  ),
  "alerts.delivery_retention_days": whole(
    30,
    0,
    TEN_YEARS_IN_DAYS,
    "Deliveries of alerts older than this many days are deleted; 0 keeps all",
  ),
  "trip.history_position_max_age_seconds": whole(
    900,
    0,
    TEN_YEARS_IN_SECONDS,
    "Oldest position that a status change carries, in seconds",
  ),
  "audit.retention_days": {
    default: 0,
    description:
      "Audit events older than this many days are deleted; 0 keeps all, and else it is at least 30. Changed by super admins alone",
    schema: {
      anyOf: [
        { type: "integer", minimum: LEAST_AUDIT_DAYS, maximum: TEN_YEARS_IN_DAYS },
        { type: "integer", const: 0 },
      ],
    },
    check: (value) =>
      value === 0 || isWhole(value, LEAST_AUDIT_DAYS, TEN_YEARS_IN_DAYS)
        ? null
        : `must be 0 or a whole number from ${LEAST_AUDIT_DAYS} to ${TEN_YEARS_IN_DAYS}`,
    superAdminsAlone: true,
  },
  "pegel.default_radius_km": number(
    30,
    0.1,
    20_038,
    "Radius of the nearest water-level station when none is given, in km",
  ),
  "pegel.history_days": whole(
    7,
    0,
    TEN_YEARS_IN_DAYS,
    "Past water levels older than this many days are deleted; 0 keeps all",
  ),
  "vessels.radius_km": number(
    20,
    1,
    500,
    "Vessels within this distance of the newest position are nearby, in km",
  ),
  "vessels.broadcast_seconds": whole(
    5,
    1,
    3_600,
    "Shortest time between two broadcasts of vessels, in seconds",
  ),
  "accounts.deletion_grace_days": whole(
    7,
    0,
    TEN_YEARS_IN_DAYS,
    "Days between scheduling an account's deletion and the deletion",
  ),
  "export.log_retention_days": whole(
    365,
    0,
    TEN_YEARS_IN_DAYS,
    "Export logs older than this many days are deleted; 0 keeps all",
  ),
} satisfies Record<string, Entry<number>>;

export type SystemConfigKey = keyof typeof CATALOGUE;
