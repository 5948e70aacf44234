import type { TSchema } from "@sinclair/typebox";
import type { SessionCaller } from "../identity/access/caller";
import { callerWho } from "../identity/access/guard";
import { upsertExternalLogin } from "../identity/accounts/external-login";
import { ExternalLogin, PlatformIdentity } from "../identity/accounts/schema";
import { findUserByPlatform } from "../identity/accounts/service";
import { logoutEverywhere } from "../identity/auth/service";
import { verifyTwoFactorLogin } from "../identity/auth/two-factor-login";
import { listPlatforms } from "../identity/platforms/service";
import { listRoles } from "../identity/roles/service";
import { twoFactorRequirement } from "../identity/two-factor/requirement";
import {
  ChallengeInput,
  DisableInput,
  SetupInput,
  SubjectQuery,
  TotpInput,
} from "../identity/two-factor/schema";
import {
  disableTwoFactor,
  enableTwoFactor,
  regenerateBackupCodes,
  setUpTwoFactor,
  subjectOf,
  twoFactorStatus,
} from "../identity/two-factor/service";
import { countSignInFrom, countSignInOf, subjectTryingCode } from "../identity/two-factor/tries";
import { getUser } from "../identity/users/service";
import { camelCased, snakeCased } from "../kernel/case";
import { clientAddress, clientOf } from "../kernel/client";
import { canonicalUuids, isReference } from "../kernel/schema";
import { checked } from "../kernel/validation";

/**
 * The operations of schema.ts. Each says who may call it, checks its input by the schema of the REST route that does
 * the same, and calls the same function: in this order, as REST does.
 */

/** The request (`request` is yoga's word for one of its own), and the headers of the answer: limits are noted there. */
export interface Context {
  incoming: Request;
  headers: Parameters<typeof countSignInOf>[1];
}

interface Args {
  input?: object | null;
  [name: string]: unknown;
}

type Resolver = (parent: unknown, args: Args, context: Context) => unknown;

/** An input by the names of REST, once it fits the schema. An optional field that is null is one left out. */
function read<T extends TSchema>(schema: T, input: object | null | undefined) {
  const given = Object.entries(snakeCased(input ?? {})).filter(([, value]) => value !== null);
  const fields = Object.fromEntries(given);
  canonicalUuids(fields, isReference);
  return checked(schema, fields);
}

const anybody = ({ incoming }: Context) => callerWho(incoming, "authenticated");

const Query: Record<string, Resolver> = {
  twoFactorStatus(_, args, context) {
    const caller = anybody(context);
    const { user_id } = read(SubjectQuery, args);
    return camelCased(twoFactorStatus(subjectOf(caller, user_id, "two_factor:read")));
  },

  userRequiresTwoFactor(_, args, context) {
    const caller = anybody(context);
    const { user_id } = read(SubjectQuery, args);
    return camelCased(twoFactorRequirement(subjectOf(caller, user_id, "two_factor:read")));
  },

  platforms: () => listPlatforms().map(camelCased),

  roles(_, _args, { incoming }) {
    callerWho(incoming, "roles:read");
    return listRoles().map(camelCased);
  },

  findUserByPlatform(_, args, { incoming }) {
    callerWho(incoming, "users:read");
    const { platform_slug, platform_user_id } = read(PlatformIdentity, args);
    return findUserByPlatform(platform_slug, platform_user_id);
  },
};

const Mutation: Record<string, Resolver> = {
  async setupTwoFactor(_, { input }, context) {
    const caller = anybody(context);
    const { user_id, platform_id } = read(SetupInput, input);
    const user = subjectOf(caller, user_id, "two_factor:write");
    return camelCased(await setUpTwoFactor(caller, user, platform_id));
  },

  async verifyTwoFactor(_, { input }, context) {
    const caller = anybody(context);
    const { user_id, code } = read(TotpInput, input);
    const user = subjectTryingCode(caller, user_id, context.headers);
    return camelCased(await enableTwoFactor(caller, user, code, clientOf(context.incoming)));
  },

  async disableTwoFactor(_, { input }, context) {
    const caller = anybody(context);
    const { user_id, code } = read(DisableInput, input);
    const user = subjectTryingCode(caller, user_id, context.headers);
    await disableTwoFactor(caller, user, code, clientOf(context.incoming));
    return true;
  },

  async regenerateBackupCodes(_, { input }, context) {
    const caller = anybody(context);
    const { user_id, code } = read(TotpInput, input);
    const user = subjectTryingCode(caller, user_id, context.headers);
    return camelCased(await regenerateBackupCodes(caller, user, code, clientOf(context.incoming)));
  },

  async verifyTwoFactorLogin(_, { input }, { incoming, headers }) {
    countSignInFrom(clientAddress(incoming), headers);
    const challenge = read(ChallengeInput, input);
    countSignInOf(challenge.temp_token, headers);
    return camelCased(await verifyTwoFactorLogin(challenge, clientOf(incoming)));
  },

  async logout(_, _args, { incoming }) {
    await logoutEverywhere(callerWho(incoming, "session") as SessionCaller, clientOf(incoming));
    return true;
  },

  async oauthSignin(_, { input }, { incoming }) {
    callerWho(incoming, "system");
    const { emailVerified, ...login } = input as { emailVerified?: boolean | null };
    const verified =
      emailVerified === undefined || emailVerified === null ? {} : { email_verified: emailVerified };
    const user = await upsertExternalLogin(
      checked(ExternalLogin, { ...login, ...verified }),
      clientOf(incoming),
    );
    const { preferred_locale: preferredLocale } = getUser(user.id);
    return { user: { ...camelCased(user), preferredLocale }, message: "Signed in" };
  },
};

export const resolvers = { Query, Mutation };
