/** The GraphQL operations. GraphiQL shows the descriptions. */
export const TYPE_DEFS = /* GraphQL */ `
"A time in ISO 8601, in UTC"
scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339")

type Query {
  "Whether two-factor authentication is on, since when, and how many backup codes are left. \`userId\` is required with a system key; another user than the caller needs \`two_factor:manage\`, and the own one \`two_factor:read\` with an API key."
  twoFactorStatus(userId: String): TwoFactorStatus!
  "Whether a role or a linked platform requires two-factor authentication. Access as for the status."
  userRequiresTwoFactor(userId: String): TwoFactorRequirement!
  "The platforms that sign-in works through. Open to anyone."
  platforms: [Platform!]!
  "All roles. Needs \`roles:read\`."
  roles: [Role!]!
  "Identifier of the user whose platform account this is; null when it is linked to nobody. Needs \`users:read\`, which system keys have."
  findUserByPlatform(platformSlug: String!, platformUserId: String!): String
}

type Mutation {
  "Starts to set up two-factor authentication: a secret for an authenticator app, valid for 10 minutes."
  setupTwoFactor(input: SetupTwoFactorInput): TwoFactorSetup!
  "Turns two-factor authentication on with a code of the app, and answers ten backup codes this once."
  verifyTwoFactor(input: VerifyTwoFactorInput!): BackupCodes!
  "Turns two-factor authentication off with a code of the app or a backup code."
  disableTwoFactor(input: DisableTwoFactorInput!): Boolean!
  "Replaces all backup codes; takes a code of the app alone."
  regenerateBackupCodes(input: RegenerateBackupCodesInput!): BackupCodes!
  "Completes a sign-in with the second factor, and opens the session. Open to anyone: the token is the credential."
  verifyTwoFactorLogin(input: VerifyTwoFactorLoginInput!): Login!
  "Ends all sessions of the user whose session makes the request."
  logout: Boolean!
  "Notes a sign-in through an external provider: updates the account, links it, or creates the user. Needs a system key."
  oauthSignin(input: OauthSigninInput!): OauthSignin!
}

type TwoFactorStatus {
  enabled: Boolean!
  "Since when; null while it is off"
  enabledAt: DateTime
  "Slug of the platform that it was set up from; null while it is off"
  setupPlatform: String
  backupCodesRemaining: Int!
}

type TwoFactorRequirement {
  required: Boolean!
  "Names of the user's roles that require it"
  requiredByRoles: [String!]!
  enabled: Boolean!
  "Whether the user can turn it on now"
  canEnable: Boolean!
  "Why, in words"
  reason: String
}

type TwoFactorSetup {
  "For typing into an app by hand"
  secret: String!
  "otpauth URI"
  qrCodeUrl: String!
  "PNG as a data URI"
  qrCodeImage: String!
  "When the set-up expires"
  expiresAt: DateTime!
  platformSlug: String!
}

type BackupCodes {
  "Ten codes, each good for one sign-in; shown this once"
  backupCodes: [String!]!
  message: String!
  platformSlug: String!
}

type Login {
  userId: String!
  "Empty for a user without an address"
  email: String!
  username: String!
  sessionToken: String!
  sessionId: String!
  expiresAt: DateTime!
  "Slug of the platform signed in with"
  provider: String
  preferredLocale: String
}

type OauthSignin {
  user: OauthUser!
  message: String!
}

type OauthUser {
  id: String!
  username: String!
  email: String
  avatarUrl: String
  "Slug of the primary platform"
  platform: String
  preferredLocale: String
}

type Platform {
  id: String!
  name: String!
  slug: String!
  "Whether two-factor authentication can be set up from it"
  twoFactorSupported: Boolean!
  "Whether its users must have two-factor authentication"
  twoFactorRequired: Boolean!
}

type Role {
  id: String!
  name: String!
  "Whether its holders are asked to turn two-factor authentication on"
  requiresTwoFactor: Boolean!
}

input SetupTwoFactorInput {
  "Platform to set it up from; \`email\` when left out"
  platformId: String
  "The user: required with a system key, else the caller"
  userId: String
  "The caller's password, in place of a recent sign-in where one is asked for"
  password: String
  "A code of the caller's app or a backup code, in place of a recent sign-in where two-factor authentication is on"
  code: String
}

input VerifyTwoFactorInput {
  "Six digits of the authenticator app"
  code: String!
  userId: String
  "The caller's password, in place of a recent sign-in where one is asked for"
  password: String
  "Whether the user's other sessions end"
  endOtherSessions: Boolean
}

input DisableTwoFactorInput {
  "Code of the authenticator app, or a backup code"
  code: String!
  userId: String
}

input RegenerateBackupCodesInput {
  "Six digits of the authenticator app"
  code: String!
  userId: String
}

input VerifyTwoFactorLoginInput {
  "The token that the first step answered"
  tempToken: String!
  "Code of the authenticator app, or a backup code"
  code: String!
}

input OauthSigninInput {
  email: String
  "Whether the platform vouches for the address; true when left out"
  emailVerified: Boolean
  "Name on the platform"
  name: String!
  "Slug of the platform"
  oauthProvider: String!
  "Who the user is on the platform"
  oauthProviderId: String!
  "Address of a picture"
  image: String
}
`;
