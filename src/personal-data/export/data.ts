import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { targetsMadeBy } from "../../alerts/targets/service";
import { listAccounts } from "../../identity/accounts/service";
import { keysOwnedBy } from "../../identity/api-keys/service";
import { auditEvents } from "../../identity/audit/table";
import { countEventsOf } from "../../identity/audit-log/counts";
import { reportsOf } from "../../identity/audit-log/reports";
import { actionsOf, countActionsOf, eventsOf } from "../../identity/audit-log/service";
import { bansOf } from "../../identity/bans/service";
import { consentsOf } from "../../identity/consents/service";
import { contactAddress } from "../../identity/directory/accounts";
import { existingUser } from "../../identity/directory/users";
import { pendingEmailChange, pendingEmailLink } from "../../identity/email-addresses/service";
import { invitationsAbout } from "../../identity/invitations/service";
import { clientsOwnedBy } from "../../identity/oauth-clients/service";
import { oauthClients } from "../../identity/oauth-clients/table";
import { listPasskeys } from "../../identity/passkeys/service";
import { signInTimes } from "../../identity/passwords/sign-in-addresses";
import { countOpenSessions, openSessions } from "../../identity/sessions/service";
import { twoFactorStatus } from "../../identity/two-factor/service";
import { userRoleList } from "../../identity/users/roles";
import { toUser } from "../../identity/users/service";
import { db } from "../../kernel/db/connection";
import { iso, isoOrNull } from "../../kernel/time/clock";
import { type CamelCased, camelCased } from "../../kernel/values/case";
import { integrationsOf } from "../../operations/integrations/service";
import { linksMadeBy } from "../../tracking/links/service";
import { countEntriesBy, entriesBy } from "../../tracking/log/stored";
import { sharesAbout } from "../../tracking/shares/service";
import { trackersMadeBy } from "../../tracking/trackers/service";
import { getDeletionStatus } from "../deletion/service";
import { countLogs, logsOf } from "../export-logs/service";

/**
 * All data kept about a user, section by section, as the API shows it, without secrets (rule A11); names in
 * camelCase. Every new kind of record about a user needs a section here.
 */

/** A list that may be long: it is read in parts while it is written. */
export class Parts<Item> {
  constructor(
    readonly parts: () => Iterable<Item[]>,
    readonly count: () => number,
  ) {}
}

/** Records read at once of a long list. */
const SIZE = 200;

/** Version of the form of `data.json`. */
const FORMAT_VERSION = "1.0";

export function personalData(userId: string, exportedAt: number) {
  const user = existingUser(userId);
  const twoFactor = twoFactorStatus(user);
  return {
    exportInfo: { exportedAt: iso(exportedAt), format: "json", version: FORMAT_VERSION },
    user: { ...camelCased(toUser(user)), email: contactAddress(user) },
    platformAccounts: listAccounts(userId).map(camelCased),
    pendingEmailChange: camelCased(pendingEmailChange(userId)),
    pendingEmailLink: camelCased(pendingEmailLink(userId)),
    connectedApps: connectedApps(userId),
    consents: consentsOf(userId).map(camelCased),
    integrations: integrationsOf(userId).map(camelCased),
    ownedApps: clientsOwnedBy(userId).map(camelCased),
    apiKeys: keysOwnedBy(userId).map(camelCased),
    trackers: trackersMadeBy(userId).map(camelCased),
    sharesReceived: sharesAbout(userId, "user_id").map(camelCased),
    sharesMade: sharesAbout(userId, "made_by").map(camelCased),
    linksMade: linksMadeBy(userId).map(camelCased),
    invitationsMade: invitationsAbout(userId, "made_by").map(camelCased),
    invitationAccepted: invitationsAbout(userId, "accepted_by").map(camelCased),
    notificationTargets: targetsMadeBy(userId).map(camelCased),
    roles: userRoleList(userId).roles.map(({ name }) => name),
    twoFactorAuth: {
      enabled: twoFactor.enabled,
      enabledAt: twoFactor.enabled_at,
      backupCodesRemaining: twoFactor.backup_codes_remaining,
    },
    passkeys: listPasskeys(userId).map(camelCased),
    signInAddresses: signInTimes(userId).map((at) => ({ lastSignInAt: iso(at) })),
    deletionStatus: camelCased(getDeletionStatus(userId)),
    bans: bansOf(userId).read(0, Number.MAX_SAFE_INTEGER).map(camelCased),
    exportLogs: new Parts(
      () => logsOf(userId, SIZE),
      () => countLogs(userId),
    ),
    sessions: new Parts(
      () => inCamelCase(openSessions(userId, SIZE)),
      () => countOpenSessions(userId),
    ),
    logEntries: new Parts(
      () => inCamelCase(entriesBy(userId, SIZE)),
      () => countEntriesBy(userId),
    ),
    auditReports: reportsOf(userId).map(camelCased),
    auditActions: new Parts(
      () => inCamelCase(actionsOf(userId, SIZE)),
      () => countActionsOf(userId),
    ),
    auditEvents: new Parts(
      () => inCamelCase(eventsOf(userId, SIZE)),
      () => countEventsOf([userId]),
    ),
  };
}

export type PersonalData = ReturnType<typeof personalData>;

function* inCamelCase<Row extends object>(parts: Iterable<Row[]>): Generator<CamelCased<Row>[]> {
  for (const part of parts) yield part.map(camelCased<Row>);
}

/**
 * Applications that may act in the user's name, according to the events of the identity services: the user's
 * latest consent event for each application, where it grants consent.
 */
function connectedApps(userId: string) {
  const newest = db
    .select({ at: sql<number>`max(rowid)`.as("at") })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.user_id, userId),
        inArray(auditEvents.event_type, ["consent_granted", "consent_revoked"]),
        eq(auditEvents.status, "success"),
      ),
    )
    .groupBy(auditEvents.resource_id)
    .as("newest");
  const at = sql`${auditEvents}.rowid`;
  return db
    .select({
      clientId: auditEvents.resource_id,
      name: oauthClients.name,
      connectedAt: auditEvents.created_at,
      details: auditEvents.metadata,
    })
    .from(newest)
    .innerJoin(auditEvents, eq(at, newest.at))
    .leftJoin(oauthClients, eq(oauthClients.id, auditEvents.resource_id))
    .where(eq(auditEvents.event_type, "consent_granted"))
    .orderBy(desc(at))
    .all()
    .map((consent) => ({ ...consent, connectedAt: isoOrNull(consent.connectedAt) }));
}

/** `data.json`, in pieces of some hundred records. */
export function* jsonText(data: Record<string, unknown>): Generator<string> {
  let lead = "{\n";
  for (const [key, value] of Object.entries(data)) {
    yield `${lead}  ${JSON.stringify(key)}: `;
    if (value instanceof Parts) yield* listText(value);
    else yield JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
    lead = ",\n";
  }
  yield "\n}\n";
}

function* listText({ parts }: Parts<unknown>): Generator<string> {
  let lead = "[\n    ";
  for (const part of parts())
    if (part.length > 0) {
      yield lead + part.map((entry) => JSON.stringify(entry)).join(",\n    ");
      lead = ",\n    ";
    }
  yield lead.startsWith("[") ? "[]" : "\n  ]";
}
