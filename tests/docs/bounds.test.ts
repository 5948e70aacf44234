import { describe, expect, test } from "bun:test";
import { command } from "../support/server";

/**
 * Nothing in the API is without a bound. Each operation that answers a list is listed here with its bound,
 * and so is each input that its schema doesn't bound. A test fails for an operation that is new or gone.
 */

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  maxLength?: number;
  maxItems?: number;
}

interface Operation {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

const { stdout } = await command(["openapi"]);
const document: {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
} = JSON.parse(stdout);

const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});

const isA = ({ type }: Schema, name: string): boolean => [type].flat().includes(name);

// --- Lists --------------------------------------------------------------------------------------------------

/** At most 100 records in an answer, always. */
const PAGE = "page of at most 100";
/** Whole without `page` and `limit`: up to 1,000 records and about a megabyte. */
const CUT = "whole up to 1,000 records and a megabyte, or page of at most 100";

/** The bound of each list. */
const LISTS: Record<string, string> = {
  // Arrays inside of a record.
  getTrackOfDevice:
    "20,000 points, or 200,000 within a tolerance; all positions as a file, which is sent as it is read",
  getTrackOfTrip: "likewise",
  getWaterLevelHistory: "1,000 steps",
  listWaterLevelHistories: "1,000 steps of each of 50 stations",
  createShareLink: "devices and zones that the request names, which are bounded",
  getShareLink: "likewise",
  getShared: "likewise",
  getSharedTrack: "20,000 points, or 200,000 within a tolerance",
  createInvitation: "50 roles and 100 devices",
  getInvitation: "likewise",
  listInvitations: PAGE,
  health: "a warning for each way in which a clock can be wrong",
  healthRootPath: "likewise",
  createSystemSetting: "what was stored: 4 MiB of all settings",
  getSystemSetting: "what was stored: 4 MiB of all settings",
  replaceSystemSetting: "what was stored: 4 MiB of all settings",
  importPositions: "the first 20 rejections of a file",
  pushOfBox: "a name for each lane",
  postPositions: "a fate for each of at most 1,000 positions of the request",
  listChanges: "page of at most 5,000, 20,000 looked at and 1 MiB of data",
  // Passkeys: a user has 20, and a sign-in two second factors.
  ...Object.fromEntries(
    [
      ...[
        "signInWithPassword",
        "completeSignInWithSecondFactor",
        "exchangeCodeOfProvider",
        "signInWithPasskey",
        "completeSignInWithPasskey",
      ],
      ...[
        "signInOnPage",
        "completeSignInOnPage",
        "signInOnPageThroughProvider",
        "signInOnPageWithPasskey",
        "completeSignInOnPageWithPasskey",
      ],
      ...["completeRegistration", "acceptInvitation", "makeFirstAdministrator"],
    ].map((operation) => [operation, "two second factors"]),
  ),
  addPasskey: "six transports",
  renamePasskey: "six transports",
  getSessionOfPage: "origins that the operator names",
  listOwnPasskeys: PAGE,
  // Pages.
  listUsers: PAGE,
  listOwnConsents: PAGE,
  listOwnIdentities: PAGE,
  listWaysToSignIn: "OpenID providers of the configuration",
  listOwnAuditEvents: PAGE,
  listAuditEventsOfUser: PAGE,
  listAuditEvents: PAGE,
  listOwnExports: PAGE,
  listPositions: PAGE,
  listPositionsOfTrip: PAGE,
  listDevices: PAGE,
  listTrackers: PAGE,
  listShareLinks: PAGE,
  listAnchorWatches: PAGE,
  listShares: PAGE,
  listNotificationTargets: PAGE,
  listDeliveriesOfNotificationTarget: PAGE,
  listTrips: PAGE,
  listLocations: PAGE,
  listZones: PAGE,
  listBoxes: PAGE,
  listCrossings: PAGE,
  listTimelineOfDevice: PAGE,
  listPresence: PAGE,
  listDevicesInZone: PAGE,
  listVisitsOfZone: PAGE,
  findMembersOfGuild: PAGE,
  // Lists that come whole, and in pages on request.
  listOwnOAuthClients: "whole up to 100 clients of 16 KiB; oauth.max_clients_per_user of a user",
  listAllOAuthClients: "whole up to 100 clients of 16 KiB, or page of at most 100",
  listApiKeys: `${CUT}; 1,000 keys of a user`,
  listOwnSessions: `${CUT}; 500 sessions of a user`,
  listUserBans: CUT,
  listOwnAuditReports: CUT,
  listAuditReports: CUT,
  listSystemSettings: `${CUT}; 1,000 settings, 4 MiB in all`,
  listPublicSettings: `${CUT}; 1,000 settings, 4 MiB in all`,
  listStatusChangesOfTrip: CUT,
  // Never in pages.
  listTripCategories: "1,000 categories, 4 MiB in all",
  listTripTemplates: "1,000 templates, 4 MiB in all",
  ...Object.fromEntries(
    ["createZone", "getZone", "changeZone"].map((name) => [name, "2,000 boxes of a zone"]),
  ),
  getSetOfBox: "200 zones and 200 rules of a box",
  listAlerts: "100 alerts of a page",
  listAlertRules: "100 rules of a page",
  ...Object.fromEntries(
    ["createAlertRule", "getAlertRule", "changeAlertRule"].map((name) => [
      name,
      "2,000 devices, 200 zones, 100 targets and 2,000 boxes of a rule",
    ]),
  ),
  getAnchorWatch: "100 targets",
  setAnchorWatch: "100 targets",
  testAnchorWatch: "100 targets",
  getAlert: "100 targets, and four occasions of an alert",
  // Never cut, since the number of records is bounded.
  listOwnShares: "one share of each of 2,000 devices",
  listCharts: "200 charts, of each 500 layers of its tiles and 512 KiB of its style",
  examineInstallation: "a dozen parts of an installation, and 200 charts",
  getAddressesOfServer: "server.public_url and the addresses of a machine's interfaces",
  listBackups: "backup.keep, at most 10,000, and three before migrations",
  listRoles: "200 roles",
  listRolesOfApiKey: "200 roles",
  listUserRoles: "200 roles",
  listPermissions: "500 permissions beside those of Fairlead",
  listPermissionsOfRole: "500 permissions beside those of Fairlead",
  listUserPermissions: "500 permissions beside those of Fairlead",
  getOwnUser: "200 roles; 500 permissions beside those of Fairlead",
  getTwoFactorRequirement: "200 roles",
  getCurrentPositionOfEachDevice: "2,000 devices",
  getLocation: "200 contacts of a location",
  createLocation: "200 contacts of a location",
  changeLocation: "200 contacts of a location",
  // Written only by services of the installation: an identity service, a bot of the community.
  listPlatformAccountsOfUser: "accounts that the installation's identity service linked",
  listOwnIntegrations: "accounts that the platforms vouch for; 20 tries in 10 minutes",
  listOwnIntegrationsOfPlatform: "accounts that the platforms vouch for; 20 tries in 10 minutes",
  listGuilds: "guilds that the community's bot is on",
  listGuildChannels: "channels of a guild, which the platform bounds",
  getGuildWithItsChannels: "channels of a guild, which the platform bounds",
  getMemberOfGuild: "roles of a guild, which the platform bounds",
  // Of a fixed number: no caller can add one.
  getOpenIdConfiguration: "abilities that come with Fairlead",
  getAuthorizationServerMetadata: "abilities that come with Fairlead",
  getSigningKeys: "a key in 90 days, each kept for 97",
  listPlatforms: "platforms that come with Fairlead",
  listEnabledPlatforms: "platforms that come with Fairlead",
  listSystemConfig: "keys that come with Fairlead",
  listIntegrationPlatforms: "platforms that come with Fairlead",
  listScopesOfPlatform: "scopes that come with Fairlead",
  listWaterLevelStations: "stations of the configured source, of which 16 MiB are read",
  completeSetUpOfTwoFactorAuthentication: "10 backup codes",
  regenerateBackupCodes: "10 backup codes",
  // Parts of one record, bounded by its input.
  getOAuthClient: "16 KiB of a client",
  changeOAuthClient: "16 KiB of a client",
  getApiKey: "100 scopes",
  createApiKey: "100 scopes",
  changeApiKey: "100 scopes",
  regenerateApiKey: "100 scopes",
  createTrip: "50 tags",
  getTrip: "50 tags",
  getStatisticsOfDevice: "401 days",
  getStatisticsOfDevices: "401 days of each of 50 devices",
  getStatisticsOfTrip: "401 days",
  changeTripOrItsStatus: "50 tags",
  createTripTemplate: "50 tags",
  getTripTemplate: "50 tags",
  changeTripTemplate: "50 tags",
  createTripFromTemplate: "50 tags",
  createTracker: "steps that come with Fairlead",
  takeFromOwnTracks: "the nearest 100 zones",
  takeFromOwnTracksByAddress: "the nearest 100 zones",
  getIntegration: "scopes that come with Fairlead",
  queryByGraphQL: "depth and cost of a query",
  askByGraphQL: "depth and cost of a query",
};

/** True if an answer holds an array: itself, in a field, or in a field of its record. */
function answersList({ responses }: Operation): boolean {
  const { content } = responses["200"] ?? responses["201"] ?? {};
  const schema = resolved(content?.["application/json"]?.schema ?? {});
  const fields = Object.entries(schema.properties ?? {});
  const inner = fields.flatMap(([name, field]) =>
    name === "data" ? Object.values(resolved(field).properties ?? {}) : [],
  );
  return [schema, ...fields.map(([, field]) => field), ...inner].some((part) => isA(resolved(part), "array"));
}

describe("each operation that answers a list", () => {
  const found = operations.filter(answersList).map(({ operationId }) => operationId);

  test("has a bound that is told above", () => {
    expect(found.toSorted()).toEqual(Object.keys(LISTS).toSorted());
  });

  test("takes a limit where that is the bound, and `page` or `offset`", () => {
    for (const { operationId, parameters = [] } of operations) {
      if (!LISTS[operationId]?.includes("at most 100") && !LISTS[operationId]?.startsWith("whole")) continue;
      const names = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
      const isPaged = names.includes("limit") && (names.includes("page") || names.includes("offset"));
      expect({ operationId, isPaged }).toEqual({ operationId, isPaged: true });
    }
  });
});

// --- Inputs -------------------------------------------------------------------------------------------------

const TOKEN = "compared with what is stored, never kept; the body is bounded by server.max_body_bytes";
const METADATA = "16 KiB of JSON (checkMetadata)";

/** The bound of each input whose schema has none: the limits of a body (1 MiB, 100 levels) hold for all. */
const CHALLENGE = "not looked at without a bot protection; the body";
const INPUTS: Record<string, string> = {
  "register body.challenge_token": CHALLENGE,
  "signInWithPassword body.challenge_token": CHALLENGE,
  "requestPasswordReset body.challenge_token": CHALLENGE,
  "setNewPassword body.challenge_token": CHALLENGE,
  "signInOnPage body.challenge_token": CHALLENGE,
  "completeSignInOnPage body.temp_token": TOKEN,
  "completeSignInOnPage body.code": TOKEN,
  "completeSignInWithSecondFactor body.temp_token": TOKEN,
  "completeSignInWithSecondFactor body.code": TOKEN,
  "askForPasskeyAsSecondFactor body.temp_token": TOKEN,
  "completeSignInWithPasskey body.temp_token": TOKEN,
  "completeSignInOnPageWithPasskey body.temp_token": TOKEN,
  "turnTwoFactorAuthenticationOff body.code": TOKEN,
  "openWebSocket query.share": "the address and the headers are bounded to 16 KiB",
  "openWebSocket query.token": "likewise",
  "writeAuditEvent body.metadata": METADATA,
  "pushOfBox body": "256 KiB and its header, 8 MiB once it is decompressed (tests/sync/push/hostile.test.ts)",
  "writeLogEntry body.data": "16 KiB of JSON and 16 levels",
  "createZone body.metadata": METADATA,
  "changeZone body.metadata": METADATA,
  "createZone body.geometry.coordinates[][]": "2,000 corners in all (shape-check.ts)",
  "changeZone body.geometry.coordinates[][]": "2,000 corners in all (shape-check.ts)",
  "createSystemSetting body.value": "4 MiB of all settings; the body",
  "createSystemSetting body.value[]": "4 MiB of all settings; the body",
  "replaceSystemSetting body.value": "4 MiB of all settings; the body",
  "replaceSystemSetting body.value[]": "4 MiB of all settings; the body",
  "queryByGraphQL query.query": "16 KiB of the address and the headers, depth and cost",
  "queryByGraphQL query.variables": "16 KiB of the address and the headers",
  "queryByGraphQL query.operationName": "16 KiB of the address and the headers",
  "askByGraphQL body.query": "16 KiB, depth and cost",
  "askByGraphQL body.variables": "16 KiB with all but the query",
  "askByGraphQL body.operationName": "16 KiB with all but the query",
  "importPositions body": "ingest.max_import_mb; it is read as it arrives",
};

const FORMATS = ["uuid", "date-time", "date"];
/** A pattern that only fits texts of bounded length. */
const FINITE = /^\^[^*+]*\$$/;

function* unbounded(given: Schema, path: string): Generator<string> {
  const schema = resolved(given);
  const { oneOf, anyOf = oneOf, enum: words, format = "", pattern = "", properties, items } = schema;
  if (anyOf) {
    for (const member of anyOf) yield* unbounded(member, path);
    return;
  }
  if (words || schema.const !== undefined) return;
  if (schema.type === undefined && !properties) yield path;
  const isBounded = schema.maxLength !== undefined || FORMATS.includes(format) || FINITE.test(pattern);
  if (isA(schema, "string") && !isBounded) yield path;
  if (isA(schema, "array")) {
    if (schema.maxItems === undefined) yield path;
    yield* unbounded(items ?? {}, `${path}[]`);
  }
  if (isA(schema, "object") && !properties) yield path;
  for (const [name, property] of Object.entries(properties ?? {}))
    yield* unbounded(property, `${path}.${name}`);
}

/** Apps send what they like: 2 MiB at most, 100,000 values, and a token that is compared alone. */
const isDoor = ({ security }: Operation): boolean => security.some((each) => "trackerPassword" in each);

describe("each input", () => {
  test("is bounded by its schema, or by what is told above", () => {
    const others = operations.filter((operation) => !isDoor(operation));
    expect(others.length).toBe(operations.length - 18);
    const found = others.flatMap(({ operationId, requestBody, parameters = [] }) => [
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => [
        ...unbounded(schema, `${operationId} body`),
      ]),
      ...parameters.flatMap((parameter) => [
        ...unbounded(parameter.schema, `${operationId} ${parameter.in}.${parameter.name}`),
      ]),
    ]);
    expect([...new Set(found)].toSorted()).toEqual(Object.keys(INPUTS).toSorted());
  });

  test("that is unbounded would be found", () => {
    expect([...unbounded({ type: "string" }, "text")]).toEqual(["text"]);
    expect([
      ...unbounded({ type: ["array", "null"], items: { type: "string", maxLength: 3 } }, "list"),
    ]).toEqual(["list"]);
    expect([...unbounded({ type: "object", properties: { any: {} } }, "body")]).toEqual(["body.any"]);
  });
});
