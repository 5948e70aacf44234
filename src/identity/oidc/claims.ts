import type { IDToken, UserInfoResponse } from "oauth4webapi";
import type { Provider } from "../../configuration/provider-options";

/** The words of a provider about a user, as far as they count here. */
export interface Claims {
  issuer: string;
  subject: string;
  /** Name to make a username of; null if the provider tells none. */
  name: string | null;
  /** Name for people to tell identities apart. */
  label: string | null;
  /** In lower case; null unless it looks like an address. */
  email: string | null;
  isEmailVerified: boolean;
  /** Null where the provider tells nothing of groups. */
  groups: ReadonlySet<string> | null;
  /** Epoch milliseconds; null if the provider doesn't say. */
  authenticatedAt: number | null;
}

type Told = IDToken | UserInfoResponse;

const MAX_TEXT = 255;
const MAX_GROUPS = 1_000;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT ? value.trim() : null;

/** A claim by its name, else by a path whose parts are joined by dots; undefined where there is none. */
function claim(told: Told, name: string): unknown {
  if (Object.hasOwn(told, name)) return told[name];
  let found: unknown = told;
  for (const part of name.split(".")) {
    if (!isRecord(found) || !Object.hasOwn(found, part)) return undefined;
    found = found[part];
  }
  return found;
}

/** The groups in a claim: a list, one name, or an object whose keys they are, as Zitadel sends them. */
function groupsIn(told: Told, name: string): ReadonlySet<string> | null {
  const value = claim(told, name);
  if (value === undefined || value === null) return null;
  const listed = isRecord(value) ? Object.keys(value) : [value].flat();
  return new Set(listed.slice(0, MAX_GROUPS).filter((group): group is string => typeof group === "string"));
}

/** True if an ID token leaves out what the endpoint of claims about the user may tell. */
export const isIncomplete = (told: IDToken, { role_map, groups_claim, trust_email }: Provider): boolean =>
  (role_map.length > 0 && groupsIn(told, groups_claim) === null) ||
  told.preferred_username === undefined ||
  (trust_email && told.email === undefined);

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const MAX_ADDRESS = 254;

/** Reads the claims of an ID token and, behind it, of the answer about the user. */
export function readClaims(
  token: IDToken,
  more: UserInfoResponse | null,
  { groups_claim }: Provider,
): Claims {
  const told = [token, ...(more ? [more] : [])];
  const first = (name: string) =>
    told.map((each) => textOf(each[name])).find((text) => text !== null) ?? null;
  const from = told.find((each) => textOf(each.email) !== null);
  const email = textOf(from?.email)?.toLowerCase() ?? null;
  const address = email !== null && email.length <= MAX_ADDRESS && ADDRESS.test(email) ? email : null;
  const name = first("preferred_username") ?? address?.split("@")[0] ?? first("name");
  return {
    issuer: token.iss,
    subject: token.sub,
    name,
    label: first("preferred_username") ?? address ?? first("name"),
    email: address,
    // Some providers send a text.
    isEmailVerified: from?.email_verified === true,
    groups: told.map((each) => groupsIn(each, groups_claim)).find((groups) => groups !== null) ?? null,
    authenticatedAt: typeof token.auth_time === "number" ? token.auth_time * 1_000 : null,
  };
}
