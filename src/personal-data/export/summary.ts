import type { Locale } from "../../kernel/values/bilingual";
import type { ExportLog } from "../export-logs/schema";
import type { Parts, PersonalData } from "./data";

/** The newest rows of a list, and their total number. */
interface Newest<Row> {
  rows: Row[];
  total: number;
}

/** Content of the report. Plain data: it goes to another thread. */
export interface Summary {
  locale: Locale;
  /** The host by which users know the installation. */
  site: string;
  exportedAt: string;
  user: PersonalData["user"];
  twoFactor: PersonalData["twoFactorAuth"];
  /** Time at which the account will be deleted; null when no deletion is planned. */
  deletion: string | null;
  roles: string[];
  accounts: Newest<PersonalData["platformAccounts"][number]>;
  identities: Newest<PersonalData["identities"][number]>;
  passkeys: Newest<PersonalData["passkeys"][number]>;
  apiKeys: Newest<PersonalData["apiKeys"][number]>;
  consents: Newest<PersonalData["consents"][number]>;
  connectedApps: Newest<PersonalData["connectedApps"][number]>;
  ownedApps: Newest<PersonalData["ownedApps"][number]>;
  sessions: Newest<ItemOf<PersonalData["sessions"]>>;
  events: Newest<ItemOf<PersonalData["auditEvents"]>>;
  exports: Newest<ExportLog>;
}

type ItemOf<T> = T extends Parts<infer Item> ? Item : never;

/** Rows of each list in the report. */
const SHOWN = 40;

const newestOf = <Row>(rows: Row[]): Newest<Row> => ({ rows: rows.slice(0, SHOWN), total: rows.length });

/** The newest rows of a long list: its first part is read, the rest only counted. */
function newestPart<Row>({ parts, count }: Parts<Row>): Newest<Row> {
  const [first] = parts();
  return { rows: (first ?? []).slice(0, SHOWN), total: count() };
}

export function summarize(data: PersonalData, locale: Locale, site: string): Summary {
  return {
    locale,
    site,
    exportedAt: data.exportInfo.exportedAt,
    user: data.user,
    twoFactor: data.twoFactorAuth,
    deletion: data.deletionStatus.scheduledDeletionAt,
    roles: data.roles,
    accounts: newestOf(data.platformAccounts),
    identities: newestOf(data.identities),
    passkeys: newestOf(data.passkeys),
    apiKeys: newestOf(data.apiKeys),
    consents: newestOf(data.consents),
    connectedApps: newestOf(data.connectedApps),
    ownedApps: newestOf(data.ownedApps),
    sessions: newestPart(data.sessions),
    events: newestPart(data.auditEvents),
    exports: newestPart(data.exportLogs),
  };
}
