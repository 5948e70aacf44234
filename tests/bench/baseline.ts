import { join } from "node:path";
import { verify } from "@node-rs/argon2";
import type { Server as BunServer } from "bun";
import { hashToken, mintToken } from "../../src/kernel/crypto/crypto";
import { openDatabase, sqlite } from "../../src/kernel/db/connection";
import { migrate } from "../../src/kernel/db/migrate";
import type { NewGpsPoint } from "../../src/tracking/ingest/schema";

/**
 * A server without framework: `Bun.serve`, prepared statements, `JSON.parse`, on Fairlead's own schema and pragmas, with
 * the same reads, writes and answers, commits grouped, and the token looked up. Nothing is validated, limited, logged or
 * refused, no zone is looked at, and nothing but tokens is kept in memory: Fairlead remembers a device, its trip and the
 * zones around it from one position to the next. Nor do the requests of one turn share a read transaction, as Fairlead's do:
 * that would spare some 5 µs a statement.
 */

openDatabase(join(process.argv[2] ?? "", "fairlead.db"), "full");
migrate();

interface Row extends Required<NewGpsPoint> {
  id: string;
  device_id: string | null;
  trip_id: string | null;
  created_at: number;
  source: string;
  judgement: string | null;
  box_id: string | null;
}

const COLUMNS =
  "id, device_id, trip_id, latitude, longitude, altitude, heading, timestamp, speed_kmh, speed_mps, speed_mph, speed_knots, pdop, hdop, vdop, created_at, accuracy_m, battery_percent, source, judgement, box_id";

const toPoint = ({ judgement, ...row }: Row) => ({
  ...row,
  timestamp: new Date(row.timestamp).toISOString(),
  created_at: new Date(row.created_at).toISOString(),
  is_outlier: judgement === "speed" || judgement === "hand",
  outlier_reason: judgement,
});

/** A position with the fields that subscribers hear. */
const toTold = ({
  accuracy_m: _,
  battery_percent: _1,
  source: _2,
  is_outlier: _3,
  outlier_reason: _4,
  box_id: _5,
  ...told
}: ReturnType<typeof toPoint>) => told;

// --- Tokens -----------------------------------------------------------------------------------------------

/** The device of each key, by the key's hash. */
const devices = new Map(
  sqlite
    .query<{ key_hash: string; device_id: string }, []>("SELECT key_hash, device_id FROM api_keys")
    .all()
    .map((row) => [row.key_hash, row.device_id]),
);

/** The user of each session, by its token's hash. */
const sessionUsers = new Map(
  sqlite
    .query<{ token_hash: string; user_id: string }, []>("SELECT token_hash, user_id FROM sessions")
    .all()
    .map((row) => [row.token_hash, row.user_id]),
);

const refused = () => new Response(null, { status: 401 });

const hashOfToken = (request: Request): string =>
  hashToken((request.headers.get("authorization") ?? "").slice("Bearer ".length));

/** The device that the request's token stands for. */
const deviceOf = (request: Request): string | undefined => devices.get(hashOfToken(request));

// --- Grouped commits --------------------------------------------------------------------------------------

interface Job {
  work: () => unknown;
  resolve: (value: never) => void;
}

const begin = sqlite.prepare("BEGIN IMMEDIATE");
const commit = sqlite.prepare("COMMIT");
const addToCounter = sqlite.prepare<unknown, [number, string]>(
  "INSERT INTO counters (value, name) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + ?1",
);

let queue: Job[] = [];
const added = new Map<string, number>();

/** Runs `work` in a transaction that it shares with the others of this turn; resolves once it is committed. */
function write<T>(work: () => T): Promise<T> {
  return new Promise<T>((resolve) => {
    if (queue.push({ work, resolve }) === 1) setImmediate(flush);
  });
}

function flush(): void {
  const jobs = queue;
  queue = [];
  begin.run();
  const results = jobs.map(({ work }) => work());
  for (const [name, by] of added) addToCounter.run(by, name);
  added.clear();
  commit.run();
  for (const [at, job] of jobs.entries()) job.resolve(results[at] as never);
}

const add = (name: string, by: number) => added.set(name, (added.get(name) ?? 0) + by);

/** Counts a point in a list: in all, in its season, its day and its quarter of an hour. */
function count(list: string, time: number): void {
  add(list, 1);
  add(`${list} season ${String(Math.floor(time / 11_059_200_000)).padStart(8, "0")}`, 1);
  add(`${list} day ${String(Math.floor(time / 86_400_000)).padStart(8, "0")}`, 1);
  add(`${list} quarter ${String(Math.floor(time / 900_000)).padStart(8, "0")}`, 1);
}

// --- POST -------------------------------------------------------------------------------------------------

const insert = sqlite.prepare<unknown, (string | number | null)[]>(
  `INSERT INTO gps_points (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);
const reporter = sqlite.prepare<{ tripId: string | null; newest: number | null }, [string]>(
  `SELECT (SELECT id FROM trips WHERE device_id = d.id AND status = 'active' AND gps_logging_enabled = 1) AS tripId,
     (SELECT timestamp FROM gps_points WHERE device_id = d.id ORDER BY timestamp DESC LIMIT 1) AS newest
   FROM devices d WHERE d.id = ?`,
);
const newestOfTrip = sqlite.prepare<{ latitude: number; longitude: number }, [string]>(
  "SELECT latitude, longitude FROM gps_points WHERE trip_id = +? ORDER BY timestamp DESC, rowid DESC LIMIT 1",
);
// `+?`, here and below: beside ORDER BY and in LIMIT, SQLite plans a statement anew whenever a bare `?` is bound.
const newestOfDevice = sqlite.prepare<Row, [string]>(
  `SELECT ${COLUMNS} FROM gps_points WHERE device_id = +? ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
);

/** Stores a fix in the current transaction. */
function store(deviceId: string, fix: NewGpsPoint, source: string): Row {
  const tripId = reporter.get(deviceId)?.tripId ?? null;
  const last = tripId === null ? null : newestOfTrip.get(tripId);
  const row: Row = {
    id: Bun.randomUUIDv7(),
    device_id: deviceId,
    trip_id: tripId,
    latitude: fix.latitude,
    longitude: fix.longitude,
    altitude: fix.altitude ?? null,
    heading: fix.heading ?? null,
    timestamp: fix.timestamp * 1_000,
    speed_kmh: fix.speed_kmh,
    speed_mps: fix.speed_mps,
    speed_mph: fix.speed_mph,
    speed_knots: fix.speed_knots,
    pdop: fix.pdop ?? null,
    hdop: fix.hdop ?? null,
    vdop: fix.vdop ?? null,
    created_at: Date.now(),
    accuracy_m: fix.accuracy_m ?? null,
    battery_percent: fix.battery_percent ?? null,
    source,
    judgement: null,
    box_id: null,
  };
  insert.run(...Object.values(row));
  count("gps_points", row.timestamp);
  if (tripId !== null) {
    count(`trip_points ${tripId}`, row.timestamp);
    const metres = last
      ? 111_200 * Math.hypot(row.latitude - last.latitude, row.longitude - last.longitude)
      : 0;
    add(`trip_mm ${tripId}`, Math.round(1_000 * metres));
  }
  return row;
}

async function post(request: Request, server: BunServer<undefined>): Promise<Response> {
  const deviceId = deviceOf(request);
  if (deviceId === undefined) return refused();
  const fix = JSON.parse(await request.text()) as NewGpsPoint;
  const point = toPoint(await write(() => store(deviceId, fix, "api")));
  server.publish("gps", JSON.stringify({ type: "gpsUpdate", data: toTold(point) }));
  return Response.json({ data: point, _links: { self: `/v1/gps/${point.id}` } }, { status: 201 });
}

/** Parses a batch, and inserts the same rows in one commit. */
async function postBatch(request: Request): Promise<Response> {
  const deviceId = deviceOf(request);
  if (deviceId === undefined) return refused();
  const { positions } = JSON.parse(await request.text()) as { positions: NewGpsPoint[] };
  const ids = await write(() => positions.map((fix) => store(deviceId, fix, "batch").id));
  return Response.json({
    stored: ids.length,
    duplicates: 0,
    rejected: 0,
    results: ids.map((id, index) => ({ index, status: "stored", id, reason: null })),
  });
}

// --- GET --------------------------------------------------------------------------------------------------

const byId = sqlite.prepare<Row, [string]>(`SELECT ${COLUMNS} FROM gps_points WHERE id = ?`);
const newestFirst = sqlite.prepare<Row, [number]>(
  `SELECT ${COLUMNS} FROM gps_points ORDER BY timestamp DESC, rowid DESC LIMIT +?`,
);
const counter = sqlite.prepare<{ value: number }, [string]>("SELECT value FROM counters WHERE name = ?");

/** The text behind `name=` at the end of the URL. */
const lastParameter = (request: Request, name: string): string =>
  request.url.slice(request.url.indexOf(name) + name.length + 1);

const single = (row: Row | null, self: string): Response =>
  row === null
    ? new Response(null, { status: 404 })
    : Response.json({ data: toPoint(row), _links: { self } });

function getCurrent(request: Request): Response {
  if (deviceOf(request) === undefined) return refused();
  const deviceId = lastParameter(request, "device_id");
  return single(newestOfDevice.get(deviceId), `/v1/gps/current?device_id=${deviceId}`);
}

function getPage(request: Request): Response {
  if (deviceOf(request) === undefined) return refused();
  const limit = Number(lastParameter(request, "limit"));
  const total = counter.get("gps_points")?.value ?? 0;
  const pages = Math.ceil(total / limit);
  const link = (page: number) => `/v1/gps?page=${page}&limit=${limit}`;
  return Response.json({
    data: newestFirst.all(limit).map(toPoint),
    pagination: { page: 1, limit, total, total_pages: pages },
    _links: { self: link(1), first: link(1), last: link(pages), next: link(2) },
  });
}

// --- Users ------------------------------------------------------------------------------------------------

interface User {
  id: string;
  username: string;
  primary_platform_account_id: string | null;
  created_at: number;
  updated_at: number;
  last_login_at: number | null;
  deleted_at: number | null;
  privacy_mode: number;
  preferred_locale: string | null;
  avatars_enabled: number;
}

const userById = sqlite.prepare<User, [string]>(
  `SELECT id, username, primary_platform_account_id, created_at, updated_at, last_login_at, deleted_at, privacy_mode,
     preferred_locale, avatars_enabled FROM users WHERE id = ?`,
);

const emailOf = sqlite.prepare<{ email: string }, [string]>(
  `SELECT email FROM platform_accounts a JOIN platforms p ON p.id = a.platform_id
     WHERE a.user_id = ? AND p.slug = 'email'`,
);
const rolesOf = sqlite.prepare<{ id: string }, [string]>(
  "SELECT role_id AS id FROM user_roles WHERE user_id = ? ORDER BY 1",
);
const permissionsOf = sqlite.prepare<{ permission: string }, [string]>(
  `SELECT DISTINCT resource || ':' || action AS permission FROM user_roles held
     JOIN role_permissions rp ON rp.role_id = held.role_id JOIN permissions p ON p.id = rp.permission_id
     WHERE held.user_id = ?`,
);

/** The permissions of a user; `*:*` holds all others. */
function permissionsOfUser(userId: string): string[] {
  const held = permissionsOf.all(userId).map(({ permission }) => permission);
  return held.includes("*:*") ? ["*:*"] : held.sort();
}

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());

function getMe(request: Request): Response {
  const userId = sessionUsers.get(hashOfToken(request));
  const row = userId === undefined ? null : userById.get(userId);
  if (!row) return refused();
  const data = {
    ...row,
    created_at: isoOrNull(row.created_at),
    updated_at: isoOrNull(row.updated_at),
    last_login_at: isoOrNull(row.last_login_at),
    deleted_at: isoOrNull(row.deleted_at),
    privacy_mode: row.privacy_mode === 1,
    avatars_enabled: row.avatars_enabled === 1,
    email: emailOf.get(row.id)?.email ?? null,
    roles: rolesOf.all(row.id).map(({ id }) => id),
    permissions: permissionsOfUser(row.id),
  };
  return Response.json({ data, _links: { self: "/v1/users/me" } });
}

const accountByName = sqlite.prepare<
  { id: string; username: string; email: string; locale: string | null; hash: string },
  [string]
>(
  `SELECT users.id, users.username, email, preferred_locale AS locale, hash FROM users
     JOIN passwords ON passwords.user_id = users.id JOIN platform_accounts a ON a.user_id = users.id
     WHERE users.username = ?`,
);
const noteLogin = sqlite.prepare<unknown, [number, string]>(
  "UPDATE users SET last_login_at = ?, last_login_provider = 'email' WHERE id = ?",
);
const insertSession = sqlite.prepare<unknown, (string | number)[]>(
  `INSERT INTO sessions (id, user_id, token_hash, provider, ip_address, created_at, last_activity_at, expires_at)
     VALUES (?1, ?2, ?3, 'email', ?4, ?5, ?5, ?6)`,
);
const insertEvent = sqlite.prepare<unknown, (string | number)[]>(
  `INSERT INTO audit_events (id, user_id, event_type, resource_type, resource_id, ip_address, metadata, status,
     source_service, is_reported, created_at)
     VALUES (?, ?, ?, 'session', ?, ?, '{"provider":"email"}', 'success', 'api', 0, ?)`,
);

const SESSION_LIFETIME = 30 * 86_400_000;

async function login(request: Request, server: BunServer<undefined>): Promise<Response> {
  const input = JSON.parse(await request.text()) as { identifier: string; password: string };
  const account = accountByName.get(input.identifier);
  if (!account || !(await verify(account.hash, input.password))) return refused();
  const { token, hash } = mintToken("ses_");
  const sessionId = Bun.randomUUIDv7();
  const address = server.requestIP(request)?.address ?? "";
  const time = Date.now();
  await write(() => {
    noteLogin.run(time, account.id);
    insertSession.run(sessionId, account.id, hash, address, time, time + SESSION_LIFETIME);
    for (const type of ["session_created", "login"])
      insertEvent.run(Bun.randomUUIDv7(), account.id, type, sessionId, address, time);
  });
  sessionUsers.set(hash, account.id);
  return Response.json({
    user_id: account.id,
    email: account.email,
    username: account.username,
    session_token: token,
    session_id: sessionId,
    expires_at: new Date(time + SESSION_LIFETIME).toISOString(),
    provider: "email",
    requires_2fa: false,
    preferred_locale: account.locale,
  });
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[3] ?? 0),
  development: false,
  routes: {
    "/v1/gps": { GET: getPage, POST: post },
    "/v1/gps/batch": { POST: postBatch },
    "/v1/gps/current": { GET: getCurrent },
    "/v1/gps/:id": {
      GET: (request) =>
        deviceOf(request) === undefined
          ? refused()
          : single(byId.get(request.params.id), `/v1/gps/${request.params.id}`),
    },
    "/v1/users/me": { GET: getMe },
    "/v1/auth/login": { POST: login },
    "/v1/ws": (request, server) =>
      server.upgrade(request) ? undefined : new Response(null, { status: 426 }),
  },
  websocket: {
    perMessageDeflate: false,
    backpressureLimit: 16 * 1024 * 1024,
    closeOnBackpressureLimit: true,
    message(socket) {
      socket.subscribe("gps");
      socket.send('{"type":"message","channel":"gps","data":"Subscribed to gps"}');
    },
  },
});
process.stdout.write(`the baseline listens on http://localhost:${server.port}\n`);
