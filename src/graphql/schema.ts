/**
 * The GraphQL operations. GraphiQL shows the descriptions.
 *
 * Operations are nullable, so that the refusal of one leaves its neighbours in a request. Identifiers are `ID` in answers
 * alone: a variable that a client declares as `String`, as the operations always took it, fits no input of the type `ID`.
 */
export const TYPE_DEFS = /* GraphQL */ `
"Identity and look-ups: two-factor authentication, the second step of a sign-in, sign-ins through other platforms, and the records that an identity app or a bot looks up, several in one request. Everything else is in REST, registration, password sign-in and password reset included; live updates come over the WebSocket."
schema {
  query: Query
  mutation: Mutation
}

"A time in ISO 8601, in UTC"
scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339")

"Operations that only read. A refused one is null, with an error of its path; the others are answered."
type Query {
  "The state of two-factor authentication: on or off, since when, and the backup codes that are left. \`userId\` is required with a system key; another user than the caller needs \`two_factor:manage\`, and the own one \`two_factor:read\` with an API key."
  twoFactorStatus(userId: String): TwoFactorStatus
  "The roles that require two-factor authentication of a user, if any. Access as for the status."
  userRequiresTwoFactor(userId: String): TwoFactorRequirement
  "The platforms that sign-in works through. Open to anyone."
  platforms: [Platform!]
  "All roles. Needs \`roles:read\`."
  roles: [Role!]
  "Identifier of the user whose platform account this is; null when it is linked to nobody. Needs \`users:read\`, which system keys have."
  findUserByPlatform(platformSlug: String!, platformUserId: String!): ID
}

"Operations that change something, carried out one after the other. A refused one is null, with an error of its path; those after it are carried out."
type Mutation {
  "Starts to set up two-factor authentication: a secret for an authenticator app, valid for 10 minutes."
  setupTwoFactor(input: SetupTwoFactorInput): TwoFactorSetup
  "Turns two-factor authentication on with a code of the app, and returns ten backup codes, shown only once."
  verifyTwoFactor(input: VerifyTwoFactorInput!): BackupCodes
  "Turns two-factor authentication off with a code of the app or a backup code."
  disableTwoFactor(input: DisableTwoFactorInput!): Boolean
  "Replaces all backup codes; takes a code of the app alone."
  regenerateBackupCodes(input: RegenerateBackupCodesInput!): BackupCodes
  "Completes a sign-in with the second factor, and opens the session. Open to anyone: the token is the credential."
  verifyTwoFactorLogin(input: VerifyTwoFactorLoginInput!): Login
  "Ends all sessions of the user whose session makes the request."
  logout: Boolean
  "Records a sign-in through an external provider: updates the account, links it, or creates the user. Needs a system key."
  oauthSignin(input: OauthSigninInput!): OauthSignin
}

"The state of a user's two-factor authentication"
type TwoFactorStatus {
  enabled: Boolean!
  "Since when; null while it is off"
  enabledAt: DateTime
  "Slug of the platform that it was set up from; null while it is off"
  setupPlatform: String
  backupCodesRemaining: Int!
}

"The demand for two-factor authentication that the roles and platforms of a user make"
type TwoFactorRequirement {
  "True if a role or a linked platform requires it"
  required: Boolean!
  "Names of the user's roles that require it"
  requiredByRoles: [String!]!
  "True if it is on"
  enabled: Boolean!
  "True if the user can turn it on now"
  canEnable: Boolean!
  "Explanation for the user, with the next step"
  reason: String
}

"A set-up that has begun; a code of the app completes it"
type TwoFactorSetup {
  "For typing into an app by hand"
  secret: String!
  "otpauth URI"
  qrCodeUrl: String!
  "PNG as a data URI"
  qrCodeImage: String!
  "End of the set-up's validity"
  expiresAt: DateTime!
  platformSlug: String!
}

"Backup codes that were just made"
type BackupCodes {
  "Ten codes, each good for one sign-in; shown only once"
  backupCodes: [String!]!
  message: String!
  platformSlug: String!
}

"A sign-in that is complete, and the session that it opened"
type Login {
  userId: ID!
  "Empty for a user without an address"
  email: String!
  username: String!
  "The credential of the requests that follow; shown only once"
  sessionToken: String!
  sessionId: ID!
  expiresAt: DateTime!
  "Slug of the platform signed in with"
  provider: String
  preferredLocale: String
}

"A sign-in through an external provider that was recorded"
type OauthSignin {
  user: OauthUser!
  message: String!
}

"The user who signed in through an external provider"
type OauthUser {
  id: ID!
  username: String!
  email: String
  avatarUrl: String
  "Slug of the primary platform"
  platform: String
  preferredLocale: String
}

"A platform that sign-in works through"
type Platform {
  id: ID!
  name: String!
  slug: String!
  "True if two-factor authentication can be set up from it"
  twoFactorSupported: Boolean!
  "True if its users must have two-factor authentication"
  twoFactorRequired: Boolean!
}

"A set of permissions that users are given"
type Role {
  id: ID!
  name: String!
  "True if its holders are asked to turn two-factor authentication on"
  requiresTwoFactor: Boolean!
}

"Input of \`setupTwoFactor\`"
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

"Input of \`verifyTwoFactor\`"
input VerifyTwoFactorInput {
  "Six digits of the authenticator app"
  code: String!
  "The user: required with a system key, else the caller"
  userId: String
  "The caller's password, in place of a recent sign-in where one is asked for"
  password: String
  "True to end the user's other sessions"
  endOtherSessions: Boolean
}

"Input of \`disableTwoFactor\`"
input DisableTwoFactorInput {
  "Code of the authenticator app, or a backup code"
  code: String!
  "The user: required with a system key, else the caller"
  userId: String
}

"Input of \`regenerateBackupCodes\`"
input RegenerateBackupCodesInput {
  "Six digits of the authenticator app"
  code: String!
  "The user: required with a system key, else the caller"
  userId: String
}

"Input of \`verifyTwoFactorLogin\`"
input VerifyTwoFactorLoginInput {
  "The token that the first step answered"
  tempToken: String!
  "Code of the authenticator app, or a backup code"
  code: String!
}

"Input of \`oauthSignin\`"
input OauthSigninInput {
  email: String
  "False if the platform doesn't vouch for the address; true when left out"
  emailVerified: Boolean
  "Name on the platform"
  name: String!
  "Slug of the platform"
  oauthProvider: String!
  "The user's identifier on the platform"
  oauthProviderId: String!
  "Address of a picture"
  image: String
}
`;
