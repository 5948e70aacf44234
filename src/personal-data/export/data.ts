import { listAccounts } from "../../identity/accounts/service";
import { keysOwnedBy } from "../../identity/api-keys/service";
import { reportsOf } from "../../identity/audit-log/reports";
import { countEventsOf } from "../../identity/audit-log/search";
import { actionsOf, countActionsOf, eventsOf } from "../../identity/audit-log/service";
import { bansOf } from "../../identity/bans/service";
import { contactAddress } from "../../identity/directory/accounts";
import { existingUser } from "../../identity/directory/users";
import { pendingEmailChange, pendingEmailLink } from "../../identity/email-addresses/service";
import { clientsOwnedBy } from "../../identity/oauth-clients/service";
import { signInTimes } from "../../identity/passwords/sign-in-addresses";
import { countOpenSessions, openSessions } from "../../identity/sessions/service";
import { twoFactorStatus } from "../../identity/two-factor/service";
import { userRoleList } from "../../identity/users/roles";
import { toUser } from "../../identity/users/service";
import { sqlite, statement } from "../../kernel/db/connection";
import { iso, isoOrNull } from "../../kernel/time/clock";
import { type CamelCased, camelCased } from "../../kernel/values/case";
import { integrationsOf } from "../../operations/integrations/service";
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
    integrations: integrationsOf(userId).map(camelCased),
    ownedApps: clientsOwnedBy(userId).map(camelCased),
    apiKeys: keysOwnedBy(userId).map(camelCased),
    roles: userRoleList(userId).roles.map(({ name }) => name),
    twoFactorAuth: {
      enabled: twoFactor.enabled,
      enabledAt: twoFactor.enabled_at,
      backupCodesRemaining: twoFactor.backup_codes_remaining,
    },
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
    auditReports: reportsOf(userId).map(camelCased),
    auditActions: new Parts(
      () => inCamelCase(actionsOf(userId, SIZE)),
      () => countActionsOf(userId),
    ),
    auditEvents: new Parts(
      () => inCamelCase(eventsOf(userId, SIZE)),
      () => countEventsOf(userId),
    ),
  };
}

export type PersonalData = ReturnType<typeof personalData>;

function* inCamelCase<Row extends object>(parts: Iterable<Row[]>): Generator<CamelCased<Row>[]> {
  for (const part of parts) yield part.map(camelCased<Row>);
}

interface Consent {
  client_id: string | null;
  name: string | null;
  metadata: string | null;
  created_at: number;
}

/** The user's latest consent event for each application, where it grants consent. */
const grantedConsents = statement(() =>
  sqlite.prepare<Consent, [string]>(
    `SELECT e.resource_id AS client_id, c.name, e.metadata, e.created_at FROM (
       SELECT max(rowid) AS at FROM audit_events
       WHERE user_id = ? AND event_type IN ('consent_granted', 'consent_revoked') AND status = 'success'
       GROUP BY resource_id
     ) AS newest
     JOIN audit_events AS e ON e.rowid = newest.at
     LEFT JOIN oauth_clients AS c ON c.id = e.resource_id
     WHERE e.event_type = 'consent_granted' ORDER BY e.rowid DESC`,
  ),
);

/** Applications that may act in the user's name, according to the events of the identity services. */
function connectedApps(userId: string) {
  return grantedConsents()
    .all(userId)
    .map(({ client_id, name, metadata, created_at }) => ({
      clientId: client_id,
      name,
      connectedAt: isoOrNull(created_at),
      details: metadata === null ? null : JSON.parse(metadata),
    }));
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
