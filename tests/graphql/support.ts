import { expect } from "bun:test";
import { toCamelCase, toSnakeCase } from "../../src/kernel/values/case";
import type { Answer, Token } from "../support/api";
import type { changesBy } from "../support/changes";
import type { TestServer } from "../support/server";

/** Shared by the tests of GraphQL: both doors to each operation, and the effects of a request. */

export const PATH = "/v1/graphql";

// --- Asking -----------------------------------------------------------------------------------------------

export interface Asking {
  token?: Token | undefined;
  variables?: object;
  operationName?: string;
  headers?: Record<string, string>;
}

/** A request by GraphQL. */
export const ask = (server: TestServer, query: string, { token, headers, ...body }: Asking = {}) =>
  server.post(PATH, {
    body: { query, ...body },
    ...(token !== undefined && { token }),
    ...(headers && { headers }),
  });

/** A request by GraphQL in the URL. */
export const askByGet = (
  server: TestServer,
  parameters: Record<string, string>,
  options: { token?: Token; headers?: Record<string, string> } = {},
) => server.get(`${PATH}?${new URLSearchParams(parameters)}`, options);

/** The data of GraphQL's answer; throws on an error, so that no test goes on from a wrong start. */
export function dataOf({ status, body }: Answer) {
  if (status !== 200 || body.errors) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body.data;
}

/** A refusal, whichever door it came through. */
export interface Refusal {
  code: string;
  status: number;
  message: string;
  details?: { path: string; message: string }[];
}

/** The refusal of GraphQL: the only error of an answer without data. */
export function refusalOf({ body }: Answer): Refusal {
  if (body.errors?.length !== 1) throw new Error(`answered no single error: ${JSON.stringify(body)}`);
  const [{ message, extensions }] = body.errors;
  return { message, ...extensions };
}

/** Expects that GraphQL refuses, by the name of REST and its status. */
export function expectError(answer: Answer, status: number, code: string): void {
  const refusal = refusalOf(answer);
  expect({ status: refusal.status, code: refusal.code }).toEqual({ status, code });
  expect(Object.values(answer.body.data ?? {}).filter((value) => value !== null)).toEqual([]);
}

// --- The operations ---------------------------------------------------------------------------------------

/** The operations of GraphQL, each with all fields of its answer. */
export const DOCUMENTS = {
  twoFactorStatus: `query ($userId: String) {
    twoFactorStatus(userId: $userId) { enabled enabledAt setupPlatform backupCodesRemaining }
  }`,
  userRequiresTwoFactor: `query ($userId: String) {
    userRequiresTwoFactor(userId: $userId) { required requiredByRoles enabled canEnable reason }
  }`,
  platforms: "{ platforms { id name slug twoFactorSupported twoFactorRequired } }",
  roles: "{ roles { id name requiresTwoFactor } }",
  findUserByPlatform: `query ($platformSlug: String!, $platformUserId: String!) {
    findUserByPlatform(platformSlug: $platformSlug, platformUserId: $platformUserId)
  }`,
  setupTwoFactor: `mutation ($input: SetupTwoFactorInput) {
    setupTwoFactor(input: $input) { secret qrCodeUrl qrCodeImage expiresAt platformSlug }
  }`,
  verifyTwoFactor: `mutation ($input: VerifyTwoFactorInput!) {
    verifyTwoFactor(input: $input) { backupCodes message platformSlug }
  }`,
  disableTwoFactor: "mutation ($input: DisableTwoFactorInput!) { disableTwoFactor(input: $input) }",
  regenerateBackupCodes: `mutation ($input: RegenerateBackupCodesInput!) {
    regenerateBackupCodes(input: $input) { backupCodes message platformSlug }
  }`,
  verifyTwoFactorLogin: `mutation ($input: VerifyTwoFactorLoginInput!) {
    verifyTwoFactorLogin(input: $input) {
      userId email username sessionToken sessionId expiresAt provider preferredLocale
    }
  }`,
  logout: "mutation { logout }",
  oauthSignin: `mutation ($input: OauthSigninInput!) {
    oauthSignin(input: $input) { user { id username email avatarUrl platform preferredLocale } message }
  }`,
} as const;

export type Operation = keyof typeof DOCUMENTS;
export const OPERATIONS = Object.keys(DOCUMENTS) as Operation[];
const takesInput = (operation: Operation) => DOCUMENTS[operation].includes("$input");

/** The caller and the arguments, by their names in GraphQL. */
export interface Call {
  token?: Token | undefined;
  args?: Record<string, unknown>;
}

export type Door = (server: TestServer, operation: Operation, call: Call) => Promise<Answer>;

export const byGraphQL: Door = (server, operation, { token, args }) =>
  ask(server, DOCUMENTS[operation], {
    token,
    ...(args && { variables: takesInput(operation) ? { input: args } : args }),
  });

const snakeCased = (args: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [toSnakeCase(name), value]));

const inQuery = (args: Record<string, unknown>) => {
  const parameters = Object.entries(snakeCased(args)).map(([name, value]) => [name, String(value)]);
  return parameters.length === 0 ? "" : `?${new URLSearchParams(parameters)}`;
};

const twoFactor = "/v1/users/me/2fa";

/**
 * The same by REST. A look-up of a platform account has no operation there, and neither does signing out
 * everywhere.
 */
const REST: Partial<Record<Operation, (args: Record<string, unknown>) => [string, string, object?]>> = {
  twoFactorStatus: (args) => ["GET", `${twoFactor}/status${inQuery(args)}`],
  userRequiresTwoFactor: (args) => ["GET", `${twoFactor}/requirement${inQuery(args)}`],
  platforms: () => ["GET", "/v1/platforms"],
  roles: () => ["GET", "/v1/roles"],
  setupTwoFactor: (args) => ["POST", `${twoFactor}/setup`, snakeCased(args)],
  verifyTwoFactor: (args) => ["POST", `${twoFactor}/verify`, snakeCased(args)],
  disableTwoFactor: (args) => ["DELETE", twoFactor, snakeCased(args)],
  regenerateBackupCodes: (args) => ["POST", `${twoFactor}/backup-codes/regenerate`, snakeCased(args)],
  verifyTwoFactorLogin: (args) => ["POST", "/v1/auth/2fa/verify", snakeCased(args)],
  logout: () => ["POST", "/v1/auth/logout"],
  oauthSignin: ({ emailVerified, ...login }) => [
    "POST",
    "/v1/users/oauth",
    emailVerified === undefined ? login : { ...login, email_verified: emailVerified },
  ],
};

export const byRest: Door = (server, operation, { token, args = {} }) => {
  const request = REST[operation]?.(args);
  if (!request) throw new Error(`REST has no ${operation}`);
  const [method, path, body] = request;
  return server.request(method, path, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
};

/** A refusal by REST in the form of GraphQL's: names of fields in camelCase. */
export function restRefusalOf({ status, body }: Answer): Refusal {
  const { error, message, details } = body;
  if (error === undefined) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  const paths: string[] = (details ?? []).map(({ path }: { path: string }) => path.slice(1));
  const first = paths[0];
  return {
    code: error,
    status,
    message: first && message.startsWith(first) ? message.replace(first, toCamelCase(first)) : message,
    ...(details && {
      details: details.map((detail: { path: string }) => ({ ...detail, path: toCamelCase(detail.path) })),
    }),
  };
}

/** A copy of a record with these fields alone. Throws where one is missing. */
export function pick(record: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  const missing = fields.filter((field) => !(field in record));
  if (missing.length > 0) throw new Error(`${missing} not in ${JSON.stringify(record)}`);
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}

// --- Equal effects ---------------------------------------------------------------------------------

/**
 * A text that is the same for equal users: without identifiers, times, secrets and other values made anew
 * each time.
 */
export function normalised<T>(value: T, user: { id: string; sessionId?: string }): T {
  const text = JSON.stringify(value)
    .replaceAll(user.id, "(user)")
    .replaceAll(user.sessionId ?? "(none)", "(session)")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "(id)")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)")
    .replaceAll(/\d{1,2} [A-Z][a-z]+ \d{4}[^"\\]*?UTC/g, "(time)")
    .replaceAll(/(?<=[":])1\d{12}(?=[",}])/g, "0")
    .replaceAll(/(?<=(?:last_step|number|duration_ms)\\*":)\d+/g, "0")
    .replaceAll(/(?<=failures\\*":)\d+/g, "0")
    .replaceAll(/(?<=failed_at\\*":)null/g, "0")
    .replaceAll(/(?<=users\\*",\\*"value\\*":)\d+/g, "0")
    .replaceAll(/data:image\/png;base64,[\w+/=]+/g, "(picture)")
    .replaceAll(/(ses_|2fa_)[\w-]{43}/g, "$1(secret)")
    .replaceAll(/\b[2-9A-Z]{5}-[2-9A-Z]{5}\b/g, "(backup code)")
    .replaceAll(/\b[A-Z2-7]{32}\b/g, "(secret)")
    .replaceAll(/(?<=\\?")[\w+/=.:-]{40,}(?=\\?")/g, "(secret)")
    .replaceAll(/(newcomer_|person_?|discord-|Person |cdn.example.org\/)\d+/g, "$1N");
  return JSON.parse(text);
}

/**
 * Changes in a form that is the same for equal users: see `normalised`. The order of the rows doesn't depend
 * on the removed parts.
 */
export function comparable(
  changes: Awaited<ReturnType<typeof changesBy>>,
  user: { id: string; sessionId?: string },
) {
  const entries = Object.entries(normalised(changes, user)).map(([table, change]) => [
    table,
    { gone: change.gone.toSorted(), new: change.new.toSorted() },
  ]);
  return Object.fromEntries(entries);
}
