import type { TSchema } from "@sinclair/typebox";
import type { SessionCaller } from "../identity/access/caller";
import { requireCaller } from "../identity/access/guard";
import { countWrite } from "../identity/access/write-limit";
import { upsertExternalLogin } from "../identity/accounts/external-login";
import { ExternalLogin, PlatformIdentity } from "../identity/accounts/schema";
import { findUserByPlatform } from "../identity/accounts/service";
import { logoutEverywhere } from "../identity/auth/service";
import { verifyTwoFactorLogin } from "../identity/auth/two-factor-login";
import { listPlatforms } from "../identity/platforms/service";
import { countProof } from "../identity/reauthentication/limits";
import { listRoles } from "../identity/roles/service";
import { twoFactorRequirement } from "../identity/two-factor/requirement";
import {
  ChallengeInput,
  DisableInput,
  EnableInput,
  SetupInput,
  SubjectQuery,
  TotpInput,
} from "../identity/two-factor/schema";
import { disableTwoFactor, regenerateBackupCodes, twoFactorStatus } from "../identity/two-factor/service";
import { enableTwoFactor, qrCodeOf, setUpTwoFactor } from "../identity/two-factor/setup";
import { subjectOf } from "../identity/two-factor-codes/service";
import { countedSubject, countSignInFrom, countSignInOf } from "../identity/two-factor-codes/tries";
import { getUser } from "../identity/users/service";
import { clientAddress, clientOf } from "../kernel/http/client";
import { canonicalUuids, isReference } from "../kernel/http/schema";
import { checked } from "../kernel/http/validation";
import { camelCased, snakeCased } from "../kernel/values/case";
import { lazy } from "../kernel/values/lazy";

/**
 * The operations of schema.ts. Each checks the caller's rights, then its input by the schema of the
 * equivalent REST route, and calls the same function as that route: in this order, as REST does (rule G1).
 */

/** The request (`request` is yoga's own), and the headers of the answer, to which limits are added. */
export interface Context {
  incoming: Request;
  headers: Parameters<typeof countSignInOf>[2];
}

interface Args {
  input?: object | null;
  [name: string]: unknown;
}

type Resolver = (parent: unknown, args: Args, context: Context) => unknown;

/**
 * The input under REST's field names, checked against the schema. Null in an optional field counts as absent.
 */
function read<T extends TSchema>(schema: T, input: object | null | undefined) {
  const given = Object.entries(snakeCased(input ?? {})).filter(([, value]) => value !== null);
  const fields = Object.fromEntries(given);
  canonicalUuids(fields, isReference);
  return checked(schema, fields);
}

const anybody = ({ incoming }: Context) => requireCaller(incoming, "authenticated");

/** The caller of a mutation, which counts as a write. Ending credentials doesn't, as in REST. */
function writer(context: Context) {
  const caller = anybody(context);
  countWrite(caller, context.headers);
  return caller;
}

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
    requireCaller(incoming, "roles:read");
    return listRoles().map(camelCased);
  },

  findUserByPlatform(_, args, { incoming }) {
    requireCaller(incoming, "users:read");
    const { platform_slug, platform_user_id } = read(PlatformIdentity, args);
    return findUserByPlatform(platform_slug, platform_user_id);
  },
};

const Mutation: Record<string, Resolver> = {
  async setupTwoFactor(_, { input }, context) {
    const caller = writer(context);
    const { user_id, ...given } = read(SetupInput, input);
    const user = subjectOf(caller, user_id, "two_factor:write");
    countProof(caller, given, clientOf(context.incoming), context.headers);
    const setup = await setUpTwoFactor(caller, user, given, clientOf(context.incoming));
    // Called where the field is selected; several aliases share one drawing.
    return { ...camelCased(setup), qrCodeImage: lazy(() => qrCodeOf(setup)) };
  },

  async verifyTwoFactor(_, { input }, context) {
    const caller = writer(context);
    const { user_id, ...given } = read(EnableInput, input);
    const client = clientOf(context.incoming);
    const user = countedSubject(caller, user_id, client, context.headers);
    countProof(caller, { password: given.password }, client, context.headers);
    return camelCased(await enableTwoFactor(caller, user, given, client));
  },

  async disableTwoFactor(_, { input }, context) {
    const caller = writer(context);
    const { user_id, code } = read(DisableInput, input);
    const user = countedSubject(caller, user_id, clientOf(context.incoming), context.headers);
    await disableTwoFactor(caller, user, code, clientOf(context.incoming));
    return true;
  },

  async regenerateBackupCodes(_, { input }, context) {
    const caller = writer(context);
    const { user_id, code } = read(TotpInput, input);
    const user = countedSubject(caller, user_id, clientOf(context.incoming), context.headers);
    return camelCased(await regenerateBackupCodes(caller, user, code, clientOf(context.incoming)));
  },

  async verifyTwoFactorLogin(_, { input }, { incoming, headers }) {
    countSignInFrom(clientAddress(incoming), headers);
    const challenge = read(ChallengeInput, input);
    const client = clientOf(incoming);
    countSignInOf(challenge.temp_token, client, headers);
    return camelCased(await verifyTwoFactorLogin(challenge, client));
  },

  async logout(_, _args, { incoming }) {
    await logoutEverywhere(requireCaller(incoming, "session") as SessionCaller, clientOf(incoming));
    return true;
  },

  async oauthSignin(_, { input }, { incoming }) {
    requireCaller(incoming, "system");
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
