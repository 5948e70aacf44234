import type { Answer, Token } from "../../support/api";
import { createKey } from "../../support/credentials";
import { done } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";
import { fix } from "../../tracking/support";
import { completeReset, resetToken } from "../auth/support";
import { type Guarded, guarded } from "../two-factor/support";

/** Shared by the tests of requests that are under way while their caller's rights end. */

// --- Callers ----------------------------------------------------------------------------------------------

/** An Admin with two-factor authentication and a key, and three people whom no other test knows. */
export interface Actor extends Guarded {
  key: { id: string; key: Token };
  people: { id: string }[];
}

export async function newActor(server: TestServer): Promise<Actor> {
  const user = await guarded(server, "role_admin");
  const key = await createKey(server, user.token, ["gps:write", "devices:*"]);
  // A key posts positions for the device that it is linked to.
  const device = { name: "linked", api_key_id: key.id };
  done(await server.post("/v1/devices", { token: user.token, body: device }));
  const people = [await externalUser(server), await externalUser(server), await externalUser(server)];
  return { ...user, key, people };
}

// --- Requests ---------------------------------------------------------------------------------------------

export interface Ask {
  method: string;
  path: string;
  token: Token;
  body?: object;
}

let number = 0;

/**
 * Requests about the own account that need nothing but a session, in an order in which all of them succeed.
 */
export function ownRequests({ id, token, password, backupCodes }: Actor): Ask[] {
  const [first = "", second = ""] = backupCodes;
  const own = "/v1/users/me";
  const email = `held${++number}@example.net`;
  return [
    { method: "POST", path: `/v1/users/${id}/email/request-change`, token, body: { email } },
    { method: "PATCH", path: `/v1/users/${id}`, token, body: { privacy_mode: true } },
    { method: "PATCH", path: `/v1/users/${id}/locale`, token, body: { locale: "de" } },
    { method: "POST", path: `${own}/deletion`, token, body: { password, code: first } },
    { method: "DELETE", path: `${own}/2fa`, token, body: { code: second } },
    {
      ...{ method: "POST", path: `${own}/password`, token },
      body: { current_password: password, new_password: `${password}, changed` },
    },
  ];
}

/** Requests that need an Admin's permissions, one of each kind, in an order in which all of them succeed. */
export function adminRequests({ token, people }: Actor): Ask[] {
  const [member, banned, deleted] = people.map(({ id }) => id);
  const name = `held ${++number}`;
  return [
    { method: "POST", path: "/v1/api-keys", token, body: { name, scopes: ["gps:read"] } },
    { method: "POST", path: `/v1/users/${member}/roles`, token, body: { role_id: "role_admin" } },
    { method: "POST", path: `/v1/users/${banned}/ban`, token, body: { reason: "spam" } },
    { method: "POST", path: `/v1/admin/users/${deleted}/force-delete`, token, body: {} },
    {
      ...{ method: "PATCH", path: "/v1/platforms/twitch/settings", token },
      body: { registration_enabled: number % 2 === 0 },
    },
    { method: "POST", path: "/v1/roles", token, body: { name, permissions: ["gps:read"] } },
  ];
}

/** Requests without a body, which act at once. */
export const bodilessRequests = ({ token, key, people }: Actor): Ask[] => [
  { method: "DELETE", path: "/v1/users/me/sessions", token },
  { method: "DELETE", path: "/v1/users/me/deletion", token },
  { method: "POST", path: `/v1/api-keys/${key.id}/regenerate`, token },
  { method: "DELETE", path: `/v1/api-keys/${key.id}`, token },
  { method: "DELETE", path: `/v1/users/${people[0]?.id}`, token },
];

/** Requests that leave a record of tracking behind, and no audit event; the last, with a key, a position. */
export const trackingRequests = ({ token, key }: Actor): Ask[] => [
  ...Object.entries({
    devices: {},
    geofences: { latitude: 54, longitude: 13, radius_km: 1 },
    locations: {},
    trips: {},
    "trip-categories": {},
    "trip-templates": {},
  }).map(([what, fields]) => ({
    ...{ method: "POST", path: `/v1/${what}`, token },
    body: { name: `held ${++number}`, ...fields },
  })),
  { method: "POST", path: "/v1/gps", token: key.key, body: fix() },
];

export const shown = ({ method, path }: Ask): string =>
  `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "{id}")}`;

// --- Ends of rights ---------------------------------------------------------------------------------------

type End = (server: TestServer, actor: Actor) => Promise<Answer>;

const asAdmin = async (server: TestServer, method: string, path: string, body?: object) =>
  server.request(method, path, { token: await server.admin(), body });

export const logout: End = (server, { token }) => server.post("/v1/auth/logout", { token });
export const ban: End = (server, { id }) => asAdmin(server, "POST", `/v1/users/${id}/ban`, {});
export const remove: End = (server, { id }) => asAdmin(server, "DELETE", `/v1/users/${id}`);
export const forceDelete: End = (server, { id }) =>
  asAdmin(server, "POST", `/v1/admin/users/${id}/force-delete`);
export const resetPassword: End = async (server, actor) =>
  completeReset(server, await resetToken(server, actor), "a passphrase set anew");

/** Removes an Admin's permissions from an actor. */
export const demote: End = (server, { id }) => asAdmin(server, "DELETE", `/v1/users/${id}/roles/role_admin`);

// --- Stored state -----------------------------------------------------------------------------------------

/** Tables of tracking, whose changes leave no audit event. */
const RECORDS = [
  "devices",
  "geofences",
  "locations",
  "trips",
  "trip_categories",
  "trip_templates",
  "gps_points",
];

const CHANGEABLE: Record<string, string> = {
  users: "*",
  platform_accounts: "*",
  platforms: "*",
  passwords: "*",
  password_resets: "id, user_id",
  verifications: "*",
  sessions: "id, user_id, expires_at",
  api_keys: "id, owner_id, scopes, is_active",
  roles: "*",
  user_roles: "*",
  bans: "*",
  two_factor: "*",
  backup_codes: "*",
  audit_events: "*",
  ...Object.fromEntries(RECORDS.map((table) => [table, "*"])),
};

/** Everything that one of the requests could have changed. */
export const everything = (server: TestServer) =>
  Object.entries(CHANGEABLE).map(([table, columns]) => [
    table,
    rows(server, `SELECT ${columns} FROM ${table} ORDER BY 1, 2`),
  ]);

/** The numbers of records of tracking. */
export const recordsOf = (server: TestServer): number[] =>
  RECORDS.map((table) => rows(server, `SELECT id FROM ${table}`).length);
