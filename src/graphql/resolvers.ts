import type { TSchema } from "@sinclair/typebox";
import { actorOf, sessionActor } from "../identity/access/actor";
import { requireActor } from "../identity/access/guard";
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
import { clientAddress } from "../kernel/http/client";
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

const anybody = ({ incoming }: Context) => requireActor(incoming, "authenticated");

/** The actor of a mutation, which counts as a write. Ending credentials doesn't, as in REST. */
function writer(context: Context) {
  const actor = anybody(context);
  countWrite(actor.caller, context.headers);
  return actor;
}

const Query: Record<string, Resolver> = {
  twoFactorStatus(_, args, context) {
    const { caller } = anybody(context);
    const { user_id } = read(SubjectQuery, args);
    return camelCased(twoFactorStatus(subjectOf(caller, user_id, "two_factor:read")));
  },

  userRequiresTwoFactor(_, args, context) {
    const { caller } = anybody(context);
    const { user_id } = read(SubjectQuery, args);
    return camelCased(twoFactorRequirement(subjectOf(caller, user_id, "two_factor:read")));
  },

  platforms: () => listPlatforms().map(camelCased),

  roles(_, _args, { incoming }) {
    requireActor(incoming, "roles:read");
    return listRoles().map(camelCased);
  },

  findUserByPlatform(_, args, { incoming }) {
    requireActor(incoming, "users:read");
    const { platform_slug, platform_user_id } = read(PlatformIdentity, args);
    return findUserByPlatform(platform_slug, platform_user_id);
  },
};

const Mutation: Record<string, Resolver> = {
  async setupTwoFactor(_, { input }, context) {
    const actor = writer(context);
    const { user_id, ...given } = read(SetupInput, input);
    const user = subjectOf(actor.caller, user_id, "two_factor:write");
    countProof(actor, given, context.headers);
    const setup = await setUpTwoFactor(actor, user, given);
    // Called where the field is selected; several aliases share one drawing.
    return { ...camelCased(setup), qrCodeImage: lazy(() => qrCodeOf(setup)) };
  },

  async verifyTwoFactor(_, { input }, context) {
    const actor = writer(context);
    const { user_id, ...given } = read(EnableInput, input);
    const user = countedSubject(actor, user_id, context.headers);
    countProof(actor, { password: given.password }, context.headers);
    return camelCased(await enableTwoFactor(actor, user, given));
  },

  async disableTwoFactor(_, { input }, context) {
    const actor = writer(context);
    const { user_id, code } = read(DisableInput, input);
    const user = countedSubject(actor, user_id, context.headers);
    await disableTwoFactor(actor, user, code);
    return true;
  },

  async regenerateBackupCodes(_, { input }, context) {
    const actor = writer(context);
    const { user_id, code } = read(TotpInput, input);
    const user = countedSubject(actor, user_id, context.headers);
    return camelCased(await regenerateBackupCodes(actor, user, code));
  },

  async verifyTwoFactorLogin(_, { input }, { incoming, headers }) {
    countSignInFrom(clientAddress(incoming), headers);
    const challenge = read(ChallengeInput, input);
    const actor = actorOf(null, incoming);
    countSignInOf(challenge.temp_token, actor.client, headers);
    return camelCased(await verifyTwoFactorLogin(actor, challenge));
  },

  async logout(_, _args, { incoming }) {
    await logoutEverywhere(sessionActor(requireActor(incoming, "session")));
    return true;
  },

  async oauthSignin(_, { input }, { incoming }) {
    const actor = requireActor(incoming, "system");
    const { emailVerified, ...login } = input as { emailVerified?: boolean | null };
    const verified =
      emailVerified === undefined || emailVerified === null ? {} : { email_verified: emailVerified };
    const user = await upsertExternalLogin(actor, checked(ExternalLogin, { ...login, ...verified }));
    const { preferred_locale: preferredLocale } = getUser(user.id);
    return { user: { ...camelCased(user), preferredLocale }, message: "Signed in" };
  },
};

export const resolvers = { Query, Mutation };
