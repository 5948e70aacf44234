import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AuditEventType, EVENT_TYPES } from "../../../src/identity/audit/event-types";
import { putDeliveries } from "../../alerts/deliveries/support";
import { alertsOf } from "../../alerts/support";
import { GUILD, requests } from "../../operations/community/support";
import { done } from "../../support/expectations";
import { externalUser, newPerson, openSession } from "../../support/people";
import { permissionId } from "../../support/roles";
import { Client } from "../../support/socket";
import { bodyOf, Sender } from "../../sync/sender";
import { newBox } from "../../sync/support";
import { DOORS, newTracker } from "../../tracking/doors/support";
import { newLink } from "../../tracking/links/support";
import { postPoint } from "../../tracking/support";
import { newClient, tokensFor } from "../oauth/support";
import { CASES, connectTwitch, gone, newShare, newTarget, syncGuild, twitch } from "./event-types-cases";
import { provider, providerSettings } from "./event-types-oidc";
import { silentPasskeyDoors } from "./event-types-passkeys";
import {
  ask,
  type Case,
  carryOut,
  isRequest,
  type Prepared,
  startWorld,
  type World,
  writtenBy,
} from "./event-types-support";

/**
 * The events that each operation writes (rules E1 and E2). One request at a time, and everything that it
 * wrote, so that an event that is missing, doubled or out of place fails.
 */
let world: World;
beforeAll(async () => {
  // All sessions are new enough, so that no proof is required; one that is sent is checked nevertheless.
  world = await startWorld({
    "metrics.enabled": "true",
    "auth.reauthentication_minutes": "1440",
    "notifications.allowed_hosts": "127.0.0.1",
    ...twitch.settings,
    ...providerSettings,
  });
});
afterAll(async () => {
  await world.server.stop();
  await Promise.all([twitch.stop(), gone.stop(), provider.stop()]);
});

const types = Object.entries(EVENT_TYPES) as [AuditEventType, { by: readonly string[] }][];

describe("the table of event types", () => {
  const pair = (type: string, operation: string) => `${type} by ${operation}`;

  test("has a case for each type and operation, and each case stands in it", () => {
    const told = types.flatMap(([type, { by }]) =>
      by.filter((operation) => !OF_FIRST_START.includes(operation)).map((operation) => pair(type, operation)),
    );
    const tried = CASES.flatMap(({ operation, writes }) =>
      writes.map(({ event_type }) => pair(event_type, operation)),
    );
    expect([...new Set(tried)].sort()).toEqual(told.sort());
  });

  test("names operations that there are", async () => {
    const contract = await world.server.contract();
    const operations = types.flatMap(([, { by }]) => by).filter(isRequest);
    const unknown = operations.filter((operation) => {
      const [method = "", path = ""] = operation.split(" ");
      return contract.document.paths[path]?.[method.toLowerCase()] === undefined;
    });
    expect(unknown).toEqual([]);
  });

  test("holds every type that the specification names, and three of Fairlead's own", async () => {
    const { paths } = (await world.server.contract()).document;
    const arrived = Object.entries(AWAITED).flatMap(([type, path]) => (paths[path] ? [type] : []));
    expect(Object.keys(EVENT_TYPES).sort()).toEqual(
      [...SPECIFIED, ...arrived, "api_key_updated", "reauthenticated", "trip_log_deleted"].sort(),
    );
  });
});

/** Types whose operations don't exist yet, with the path of one. */
const AWAITED = {
  setting_updated: "/v1/settings/{key}",
  account_reconnected: "/v1/integrations/callback/{platform}",
};

/** The remaining types that must exist. */
const SPECIFIED = `
login login_failed logout session_created session_revoked
passkey_added passkey_updated passkey_removed passkey_login passkey_refused
2fa_enabled 2fa_disabled 2fa_verified 2fa_locked 2fa_unlocked 2fa_backup_codes_regenerated password_changed password_reset_requested
user_created user_updated user_deleted account_linked account_unlinked data_exported
client_created client_updated client_secret_regenerated client_deleted consent_granted consent_revoked
api_key_created api_key_revoked bot_command_executed bot_guild_configured
platform_updated user_banned user_unbanned user_deletion_scheduled user_deletion_cancelled
device_shared device_unshared invitation_created invitation_accepted invitation_revoked share_link_created share_link_ended
tracker_created tracker_updated tracker_deleted positions_imported
box_created box_updated box_token_rotated box_resync_requested box_deleted
alert_acknowledged alert_rule_created alert_rule_updated alert_rule_deleted anchor_watch_set anchor_watch_ended
notification_target_created notification_target_updated notification_target_secret_rotated notification_target_deleted
oauth_grant_created oauth_grant_ended signing_key_rotated
role_created role_updated role_deleted role_assigned role_removed permission_created audit_reported moderation_action
`
  .trim()
  .split(/\s+/);

describe("exactly these events are written by", () => {
  const title = ({ operation, which, writes }: Case) =>
    `${operation}${which ? ` (${which})` : ""}: ${writes.map((row) => row.event_type).join(", ") || "none"}`;

  test.each(CASES.map((one): [string, Case] => [title(one), one]))("%s", async (_, one) => {
    const { written, expected } = await carryOut(world, one);
    expect(written).toEqual(expected);
  });
});

// --- Operations that write none ---------------------------------------------------------------------------

type Silent = Omit<Prepared, "user" | "actor" | "run">;

/** Operations that never succeed, and the socket, which has a test of its own. */
const NEVER = ["POST /v1/auth/signin", "POST /v1/auth/validate", "GET /v1/ws"];
/** Operations of an installation without an administrator: tests/bridge/first-start.test.ts has what they write. */
const OF_FIRST_START = [
  "GET /bridge/first-start",
  "POST /bridge/first-start",
  "POST /bridge/first-start/code",
];
/**
 * Operations that ask an outside service, which isn't there:
 * tests/operations/water-levels/water-levels.test.ts has one.
 */
const OUTSIDE = [
  ...["GET /v1/pegel/nearest", "GET /v1/pegel/stations"],
  ...["GET /v1/pegel/history", "GET /v1/pegel/stations/{station_id}/history"],
];
/** Answers without an end. */
const ENDLESS = ["GET /v1/changes/stream"];
/** Operations that ask the community bot: a test below has one. */
const OF_THE_BOT = ["POST /v1/community/sync", "POST /v1/community/guilds/{guild_id}/members/sync"];

/** Requests that need more than the admin's token, the document's example and an existing record. */
const SPECIAL: Record<string, () => Silent | Promise<Silent>> = {
  "POST /v1/auth/register": () => ({ body: newPerson() }),
  "POST /v1/auth/2fa/check": () => ({ token: world.server.systemKey, body: { user_id: world.guarded.id } }),
  "POST /v1/users/me/2fa/setup": async () => ({ token: (await externalUser(world.server)).token }),
  "GET /v1/sessions/{token}": async () => ({
    ...{ token: world.server.systemKey, params: await openSession(world.server, world.member.id) },
  }),
  "GET /v1/users/email/{email}": () => ({ params: { email: world.member.email } }),
  "GET /v1/graphql": () => ({ query: "?query={platforms{slug}}" }),
  "GET /v1/changes": () => ({ query: "?since=now" }),
  "POST /v1/gps/batch": async () => ({
    token: (await world.server.device()).key,
    body: { positions: [{ latitude: 54, longitude: 13, timestamp: 1_777_887_000 }] },
  }),
  ...silentPasskeyDoors(() => world),
  "GET /bridge/session": () => ({ headers: { "x-fairlead-page": "1" } }),
  "GET /bridge/addresses": () => ({ headers: { "x-fairlead-page": "1" } }),
  "POST /bridge/downloads": () => ({
    token: world.admin.token,
    headers: { "x-fairlead-page": "1" },
    body: { path: "/v1/devices" },
  }),
  "GET /v1/charts/{name}/{z}/{x}/{y}": () => ({ params: { name: "coast", z: "0", x: "0", y: "0" } }),
  "GET /v1/shared": async () => ({ headers: await linkHeaders("live") }),
  "GET /v1/shared/track": async () => ({ headers: await linkHeaders("history") }),
  "GET /v1/statistics": async () => ({ query: `?device_ids=${(await world.server.device()).id}` }),
  "GET /bridge/downloads/{token}": async () => {
    const { server, admin } = world;
    const headers = { "x-fairlead-page": "1", cookie: `fairlead_session=${admin.token}` };
    const made = done(await server.post("/bridge/downloads", { headers, body: { path: "/v1/devices" } }));
    return { params: { token: made.data.url.split("/").at(-1) } };
  },
  "GET /v1/devices/{id}/shares/{user_id}": async () => ({ params: await newShare(world) }),
  "GET /v1/trips/{id}/log/{entry_id}": async () => ({ params: await newLogEntry() }),
  "POST /v1/trips/{id}/log/{entry_id}/strike": async () => ({
    params: await newLogEntry(),
    body: { reason: "wrong" },
  }),
  "GET /v1/devices/{id}/trackers/{tracker_id}": async () => {
    const { deviceId, id } = await newTracker(world.server, "generic");
    return { params: { id: deviceId, tracker_id: id } };
  },
  ...Object.fromEntries(
    ["POST", "GET"].flatMap((method) =>
      [...DOORS.map(({ path }) => path), "/v1/ingest/traccar"].flatMap((path) =>
        [path, `${path}/{token}`].map((door) => [
          `${method} ${door}`,
          async () => {
            const { token } = await newTracker(world.server, "generic");
            return { token, params: { token } };
          },
        ]),
      ),
    ),
  ),
  ...Object.fromEntries(
    ["GET /v1/devices/{id}/anchor", "POST /v1/devices/{id}/anchor/test"].map((operation) => [
      operation,
      async () => {
        const { id } = await world.server.device();
        const { token } = world.admin;
        const body = { latitude: 54, longitude: 13, radius_m: 50, target_ids: [] };
        done(await world.server.put(`/v1/devices/${id}/anchor`, { token, body }));
        return { params: { id } };
      },
    ]),
  ),
  "GET /v1/alerts/{id}": async () => {
    const [alert] = await alertsOf(world.server);
    return { params: { id: alert.id } };
  },
  "POST /v1/deliveries/{id}/retry": async () => {
    const [id = ""] = putDeliveries(world.server, (await newTarget(world)).id, 1, { status: "failed" });
    return { params: { id } };
  },
  "GET /v1/sync/boxes/{id}": async () => ({ params: { id: (await newBox(world.server)).id } }),
  "POST /v1/sync/push": async () => {
    const { token } = await newBox(world.server);
    const raw = bodyOf(new Sender(world.server, token).batch({}));
    return { token, raw, headers: { "content-type": "application/octet-stream" } };
  },
  "GET /v1/sync/set": async () => ({ token: (await newBox(world.server)).token }),
  ...Object.fromEntries(
    ["GET", "POST"].map((method) => [
      `${method} /oauth/userinfo`,
      async () => ({
        token: (await tokensFor(world.server, await newClient(world.server), world.member.token))
          .access_token,
      }),
    ]),
  ),
  "POST /v1/auth/oidc/{name}/reauthenticate": () => ({ params: { name: "harbour" }, body: {} }),
  "POST /v1/users/me/identities/begin/{name}": () => ({ params: { name: "harbour" }, body: {} }),
  "GET /v1/users/me/consents": () => ({ token: world.member.token }),
  "GET /v1/platforms/{id_or_slug}": () => ({ params: { id_or_slug: "email" } }),
  "PATCH /v1/admin/audit/reports/{report_id}": async () => ({
    ...{ params: { report_id: await newReport() }, body: { status: "reviewed" } },
  }),
  "GET /v1/integrations/platform/{slug}": () => ({ params: { slug: "twitch" } }),
  "GET /v1/integrations/platform/{slug}/scopes": () => ({ params: { slug: "twitch" } }),
  "POST /v1/integrations/platform/{slug}/connect": () => ({
    ...{
      params: { slug: "twitch" },
      body: { redirect_uri: world.server.url.replace("127.0.0.1", "localhost") },
    },
  }),
  // Their paths name two records, or one by its key.
  ...Object.fromEntries(
    ["PATCH", "DELETE"].map((method) => [
      `${method} /v1/locations/{id}/contacts/{cid}`,
      async () => {
        const { id, contacts } = await newLocation();
        return { params: { id, cid: contacts[0].id } };
      },
    ]),
  ),
  "POST /v1/locations/{id}/contacts": async () => ({ params: { id: (await newLocation()).id } }),
  "GET /v1/settings/{key}": async () => {
    const body = { key: "read", value: 1 };
    return {
      params: {
        key: done(await world.server.post("/v1/settings", { token: world.admin.token, body })).data.key,
      },
    };
  },
  ...Object.fromEntries(
    ["", "/channels", "/full", "/settings"].map((what) => [
      `GET /v1/community/guilds/{guild_id}${what}`,
      () => ({ params: { guild_id: GUILD } }),
    ]),
  ),
  ...Object.fromEntries(
    ["GET {}/members", "GET {}/members/{user_id}", "DELETE {}"].map((operation) => [
      operation.replace("{}", "/v1/community/guilds/{guild_id}"),
      async () => ({ params: { guild_id: await requests(world.server).idOf(), user_id: "1" } }),
    ]),
  ),
  "GET /v1/system-config/{key}": () => ({ params: { key: "vessels.radius_km" } }),
  "PATCH /v1/trips/{id}": () => ({ body: { name: "there and back", notes: "again" } }),
};

/** A location with a contact. */
async function newLocation() {
  const body = { name: "pier", contacts: [{ name: "Anna" }] };
  return done(await world.server.post("/v1/locations", { token: world.admin.token, body })).data;
}

/** Reports an event of the member's that wasn't reported yet. */
async function newReport(): Promise<string> {
  const { member, server } = world;
  await openSession(world.server, member.id);
  const [newest] = done(await server.get("/v1/users/me/audit?limit=1", { token: member.token })).events;
  const options = { token: member.token, body: { reason: "other" } };
  return done(await server.post(`/v1/users/me/audit/${newest.id}/report`, options)).report.id;
}

/** A record of each kind, by the part of a path before its identifier. */
async function makeRecords(): Promise<Record<string, string>> {
  const { server, admin, member } = world;
  const create = async (path: string, body: object) =>
    done(await server.post(path, { token: admin.token, body }));
  const { id: devices, key } = await server.device();
  const client = { name: "app", redirect_uris: ["https://app.example/callback"] };
  const zone = { name: "pier", latitude: 54, longitude: 13, radius_km: 1 };
  return {
    users: member.id,
    roles: "role_user",
    integrations: await connectTwitch(world, world.admin.token),
    permissions: permissionId(server, "gps:read"),
    clients: (await create("/v1/oauth/clients", client)).client.id,
    "api-keys": (await server.createKey()).id,
    gps: (await postPoint(server, key)).id,
    devices,
    trips: (await create("/v1/trips", { name: "there" })).data.id,
    geofences: (await create("/v1/geofences", zone)).data.id,
    "notification-targets": (await newTarget(world)).id,
    locations: (await create("/v1/locations", { name: "pier" })).data.id,
    "trip-categories": (await create("/v1/trip-categories", { name: "transfer" })).data.id,
    "trip-templates": (await create("/v1/trip-templates", { name: "supply run" })).data.id,
  };
}

/** The credential of a new link to a device. */
async function linkHeaders(level: "live" | "history"): Promise<Record<string, string>> {
  const { server, admin } = world;
  const from = level === "history" ? { from: "2026-01-01T00:00:00Z" } : {};
  const fields = { device_ids: [(await server.device()).id], level, ...from };
  const { token } = await newLink(server, fields, admin.token);
  return { authorization: `Share ${token}` };
}

/** An entry of the log of a new trip. */
async function newLogEntry(): Promise<{ id: string; entry_id: string }> {
  const { server, admin } = world;
  const { token } = admin;
  const { id } = done(await server.post("/v1/trips", { token, body: { name: "trip" } })).data;
  const entry = done(await server.post(`/v1/trips/${id}/log`, { token, body: { text: "Cast off" } })).data;
  return { id, entry_id: entry.id };
}

/** The document's example without references: the records that it names don't exist. */
const withoutReferences = (example: object) =>
  Object.fromEntries(Object.entries(example).filter(([field]) => !field.endsWith("_id")));

test("every other operation writes no event when it succeeds", async () => {
  const { server, admin } = world;
  const { paths } = (await server.contract()).document;
  const writing = new Set(CASES.map(({ operation }) => operation));
  const isDeletion = ({ operation }: { operation: string }) => Number(operation.startsWith("DELETE"));
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]) => ({
        operation: `${method.toUpperCase()} ${path}`,
        example: requestBody?.content["application/json"]?.example as object | undefined,
      })),
    )
    .filter(
      ({ operation }) =>
        !writing.has(operation) &&
        ![...NEVER, ...OF_FIRST_START, ...OUTSIDE, ...ENDLESS, ...OF_THE_BOT].includes(operation),
    )
    .toSorted((a, b) => isDeletion(a) - isDeletion(b));
  expect(operations.length).toBeGreaterThan(50);

  const records = await makeRecords();
  await syncGuild(server);
  const findings: string[] = [];
  for (const { operation, example } of operations) {
    const request = {
      token: admin.token,
      params: { id: records[/([\w-]+)\/\{id\}/.exec(operation)?.[1] ?? ""] ?? "" },
      body: example && withoutReferences(example),
      ...(await SPECIAL[operation]?.()),
    };
    const [written, { status }] = await writtenBy(server, () => ask(server, operation, request));
    if (status >= 300) findings.push(`${operation} answered ${status}: say in SPECIAL how it succeeds`);
    if (written.length > 0) findings.push(`${operation} wrote ${written.map((row) => row.event_type)}`);
  }
  expect(findings).toEqual([]);
});

test("syncs of the community bot write no event", async () => {
  const [written] = await writtenBy(world.server, () => syncGuild(world.server));
  // Making the bot's key writes an event as well.
  expect(written.map(({ event_type }) => event_type)).toEqual(["api_key_created"]);
});

test("a WebSocket that is opened, subscribed and closed writes no event", async () => {
  const { server, member } = world;
  const [written] = await writtenBy(server, async () => {
    const client = await Client.open(server, { bearer: member.token });
    await client.subscribe(`user:${member.id}`);
    await client.close();
  });
  expect(written).toEqual([]);
});
