import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { config, configFile, configSources, loadConfig } from "./configuration/config";
import { ANCHOR_WATCH, atAnchor, ofTender, ofVan, zonesOf } from "./demo/scene";
import { type Fix, readTrack, reversed, toGpsBody, underWay } from "./demo/track";
import { SUPER_ADMIN } from "./identity/access/caller";
import { insertUser } from "./identity/directory/new-user";
import { hashPassword } from "./kernel/crypto/crypto";
import { transact } from "./kernel/db/transactions";
import { localAddress } from "./kernel/http/own-addresses";
import { tryAddress } from "./kernel/process/address";
import { reason } from "./kernel/process/disk";
import { AddressInUse, OperatorError } from "./kernel/process/operator";
import { isCompiled, quoted } from "./kernel/process/program";
import { SECOND } from "./kernel/time/clock";
import { distanceKm } from "./kernel/values/great-circle";
import { setSystemValue } from "./runtime-settings/service";
import { type Running, serve, stopOnSignals } from "./serve";

const DEFAULT_SPEED = 10;
const USERNAME = "skipper";

/** The part of the first voyage that lies behind the boat as the demo begins. */
const BEHIND = 0.5;
/** Most positions of a batch. */
const BATCH = 1_000;

/**
 * Serves a throw-away fleet and sails a recorded voyage through its API, there and back, until it is stopped.
 * Everything goes over HTTP as it would from outside, except the first user, whom no client can create.
 */
export async function demo(speed = DEFAULT_SPEED): Promise<void> {
  let running: Running | null = null;
  let leaving = false;
  stopOnSignals(async () => {
    leaving = true;
    await running?.stop();
  });
  const directory = makeDirectory();
  // Runs at any end except a kill: the directory holds an admin and the key of its secrets.
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const isMoved = await configure(directory);
  running = await serve();
  try {
    await present(running, speed, isMoved);
  } catch (error) {
    // A request that was under way when the server stopped is no failure.
    if (!leaving) throw error;
  }
}

/**
 * Loads the configuration for this data directory. A port that is in use is exchanged for a free one, unless
 * `--port` insists on it; returns true if it was.
 */
async function configure(dataDir: string): Promise<boolean> {
  const flags = {
    config: configFile ?? undefined,
    dataDir,
    host: configSources["server.host"] === "command line" ? config["server.host"] : undefined,
    environment: { FAIRLEAD_LOG_LEVEL: "warn", ...process.env },
  };
  const isAsked = configSources["server.port"] === "command line";
  loadConfig({ ...flags, port: isAsked ? String(config["server.port"]) : undefined });
  try {
    await tryAddress();
    return false;
  } catch (error) {
    if (isAsked || !(error instanceof AddressInUse)) throw error;
  }
  say(`Port ${config["server.port"]} is in use, so the demo takes a free one.`);
  loadConfig({ ...flags, port: "0" });
  return true;
}

/** Makes the throw-away directory. Throws OperatorError if that fails. */
function makeDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), "fairlead-demo-"));
  } catch (error) {
    throw new OperatorError(
      `the temporary directory ${tmpdir()} cannot be used (${reason(error)}): set TMPDIR to one that can be written`,
    );
  }
}

/** Creates the fleet, introduces it to the person, and sails. */
async function present(running: Running, speed: number, isMoved: boolean): Promise<void> {
  // A position each second is more than a tracker should send.
  await transact(() => setSystemValue("gps.rate_limit_requests", 1_000_000));
  const password = randomBytes(9).toString("base64url");
  const passwordHash = await hashPassword(password);
  await transact(() => {
    insertUser({ username: USERNAME, email: "skipper@example.org", passwordHash, roles: [SUPER_ADMIN] });
  });

  const address = localAddress(running.port);
  const api = client(address);
  const session = await api.post<{ session_token: string }>("/v1/auth/login", null, {
    identifier: USERNAME,
    password,
  });
  const token = session.session_token;
  const key = await api.post<{ id: string; key: string }>("/v1/api-keys", token, {
    name: "Tracker of the Greif",
    scopes: ["gps:write"],
  });
  const device = await api.post<Enveloped>("/v1/devices", token, { name: "Greif", api_key_id: key.id });
  const voyage = underWay(await readTrack());
  for (const zone of zonesOf(voyage)) await api.post("/v1/geofences", token, zone);
  const begun = Math.floor(voyage.length * BEHIND);
  await api.post("/v1/gps/batch", key.key, { positions: past(voyage.slice(0, begun)) });
  await makeFleet(api, token, voyage);

  // A configured public address leads to the port from which the demo has moved.
  const url = isMoved && configSources["server.public_url"] !== "default" ? address : running.url;
  introduce({ url, speed, password, token, key: key.key, deviceId: device.data.id });
  announceZoneEvents(address, token);
  for (let leg = 0; ; leg++) {
    const [track, name] =
      leg % 2 === 0 ? [voyage, "Lauterbach to Greifswald"] : [reversed(voyage), "Greifswald to Lauterbach"];
    const trip = await api.post<Enveloped>("/v1/trips", token, {
      name,
      device_id: device.data.id,
      gps_logging_enabled: true,
      tags: ["demo"],
    });
    await api.patch(`/v1/trips/${trip.data.id}`, token, { status: "active" });
    await sail(leg === 0 ? track.slice(begun) : track, speed, (body) => api.post("/v1/gps", key.key, body));
    await api.patch(`/v1/trips/${trip.data.id}`, token, { status: "completed" });
  }
}

const unixNow = (): number => Math.floor(Date.now() / SECOND);

/** Positions of a track that ended a moment ago, as many as a batch may have. */
function past(track: Fix[]): object[] {
  const step = Math.ceil(track.length / BATCH);
  const [end, now] = [track.at(-1)?.time ?? 0, unixNow()];
  return track
    .filter((_, at) => at % step === 0)
    .map((fix) => ({ ...toGpsBody(fix, now - 1 - (end - fix.time)), accuracy_m: 5 }));
}

/** Milliseconds between two positions of the boat at anchor. */
const SWING = 5 * SECOND;

/** Makes the boats and the van beside the one that sails: at anchor, silent for a while, silent for long. */
async function makeFleet(api: ReturnType<typeof client>, token: string, voyage: Fix[]): Promise<void> {
  const make = async (name: string, positions: object[]) => {
    const { data } = await api.post<Enveloped>("/v1/devices", token, { name });
    await api.post("/v1/gps/batch", token, { device_id: data.id, positions });
    return data.id;
  };
  const now = unixNow();
  const swung = Array.from({ length: 120 }, (_, at) => atAnchor(now - 10 * (120 - at)));
  const yacht = await make("Vilm", swung);
  await api.put(`/v1/devices/${yacht}/anchor`, token, ANCHOR_WATCH);
  await make("Tender", ofTender(voyage, now));
  await make("Depot van", ofVan(now));
  const timer = setInterval(() => {
    // The server that stops has no use for it; any other refusal would be one of the boat that sails, too.
    api
      .post("/v1/gps", token, { device_id: yacht, ...atAnchor(unixNow()) })
      .catch(() => clearInterval(timer));
  }, SWING);
  timer.unref();
}

interface Enveloped {
  data: { id: string };
}

/**
 * Posts where the boat is by now, a position each second with the time of the clock: sailed faster, it leaves some of the
 * recording out, and its receiver tells the speed at which it is moved, so that speeds fit the ways.
 */
async function sail(track: Fix[], speed: number, post: (body: object) => Promise<unknown>): Promise<void> {
  const [origin, began] = [track[0]?.time ?? 0, performance.now()];
  let posted = -1;
  let last: Posted | null = null;
  while (posted < track.length - 1) {
    const sailed = origin + ((performance.now() - began) / SECOND) * speed;
    const at = track.findLastIndex(({ time }) => time <= sailed);
    const recorded = track[at];
    if (recorded && at > posted) {
      const timestamp = unixNow();
      const fix: Fix = {
        ...recorded,
        speed: speed === 1 ? recorded.speed : speedMade(last, recorded, timestamp),
      };
      await post({ ...toGpsBody(fix, timestamp), accuracy_m: 5 });
      posted = at;
      last = { fix, timestamp };
      showProgress(at + 1, track.length, fix, timestamp);
    }
    await Bun.sleep(SECOND - (Date.now() % SECOND));
  }
}

/** A position, and the Unix time under which it was posted. */
interface Posted {
  fix: Fix;
  timestamp: number;
}

/** Metres per second from the position before, of which there may be none, to one at a Unix time. */
function speedMade(before: Posted | null, fix: Fix, timestamp: number): number {
  if (before === null) return fix.speed;
  return (distanceKm(before.fix, fix) * 1_000) / Math.max(1, timestamp - before.timestamp);
}

function client(base: string) {
  const send = async <T>(method: string, path: string, token: string | null, body: object): Promise<T> => {
    const response = await fetch(base + path, {
      method,
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    post: <T>(path: string, token: string | null, body: object) => send<T>("POST", path, token, body),
    put: <T>(path: string, token: string | null, body: object) => send<T>("PUT", path, token, body),
    patch: <T>(path: string, token: string | null, body: object) => send<T>("PATCH", path, token, body),
  };
}

// --- Output for the person ------------------------------------------------------------------------------

interface Introduction {
  url: string;
  speed: number;
  password: string;
  token: string;
  key: string;
  deviceId: string;
}

function introduce({ url, speed, password, token, key, deviceId }: Introduction): void {
  const socket = url.replace(/^http/, "ws");
  // The executable is a Bun too, for machines that have no other; a bunfig.toml in the current directory must
  // not count.
  const bun = isCompiled
    ? `BUN_BE_BUN=1 ${quoted(process.execPath)} --config=/dev/null --no-env-file`
    : "npx bun";
  say(`
Fairlead demo: the boat Greif sails from Lauterbach to Greifswald and back, ${speed} times as fast as it did in 2013.
Everything is stored in a directory that is removed when you press Ctrl-C.

  Open            ${url}/
  Sign in         ${USERNAME} / ${password}

  Swagger UI      ${url}/docs        (press Authorize and paste the session token)
  Session token   ${token}
  Device          ${deviceId}
  Device key      ${key}

Where is she now?
  curl -s -H 'Authorization: Bearer ${token}' ${url}/v1/gps/current

Watch her move (in another terminal, here):
  ${bun} -e 'const s=new WebSocket("${socket}/v1/ws?token=${token}");s.onopen=()=>["gps","geofence"].forEach(channel=>s.send(JSON.stringify({type:"subscribe",channel})));s.onmessage=m=>console.log(m.data)'
`);
}

const isTerminal = process.stdout.isTTY === true;

/** Clears the progress line first, so that the text stands above it. */
function say(line: string): void {
  process.stdout.write(`${isTerminal ? "\r\x1b[K" : ""}${line}\n`);
}

function showProgress(done: number, all: number, fix: Fix, timestamp: number): void {
  if (!isTerminal) return;
  const clock = new Date(timestamp * SECOND).toISOString().slice(11, 19);
  const position = `${fix.latitude.toFixed(4)}° N ${fix.longitude.toFixed(4)}° E`;
  const knots = ((fix.speed * 3.6) / 1.852).toFixed(1).padStart(4);
  process.stdout.write(`\r\x1b[K  ${clock} UTC  ${position}  ${knots} kn  ${done} of ${all} positions `);
}

interface ZoneMessage {
  type: string;
  data: { event: "enter" | "exit"; geofence_name: string; distance_km: number };
}

/** Subscribes to the zone events as any client would, and prints them. */
function announceZoneEvents(address: string, token: string): void {
  const socket = new WebSocket(`${address.replace(/^http/, "ws")}/v1/ws?token=${token}`);
  socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", channel: "geofence" }));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as ZoneMessage;
    if (message.type !== "geofenceEvent") return;
    const { event, geofence_name, distance_km } = message.data;
    say(
      `  Greif ${event === "enter" ? "enters" : "leaves"} ${geofence_name} (${distance_km.toFixed(2)} km from its centre)`,
    );
  };
}
