import { EVENT_TYPES } from "../audit/event-types";
import type { Words } from "./words";

const number = new Intl.NumberFormat("en-GB");

export const english: Words = {
  title: (site) => `Your data on ${site}`,
  subtitle: (username, at) => `${username} · exported ${at}`,
  intro:
    "What this installation keeps about you, in short. The file data.json beside this one holds all of it. Passwords, keys and codes are not shown: they are kept as one-way hashes, or encrypted. Times are in UTC.",
  page: (current, all) => `Page ${current} of ${all}`,
  none: "None",
  yes: "Yes",
  no: "No",
  never: "Never",
  shown: (shown, all) =>
    shown < all ? `The newest ${shown} of ${number.format(all)}` : `${number.format(all)} in all`,
  sections: {
    account: "Account",
    accounts: "Platform accounts",
    roles: "Roles",
    twoFactor: "Two-factor authentication",
    apiKeys: "API keys",
    connectedApps: "Connected applications",
    ownedApps: "Own applications",
    sessions: "Open sessions",
    events: "Activity",
    exports: "Earlier exports",
    deletion: "Deletion",
  },
  fields: {
    username: "Username",
    id: "Identifier",
    email: "Email address",
    created: "Created",
    lastLogin: "Last sign-in",
    locale: "Language",
    privacyMode: "Privacy mode",
    platform: "Platform",
    name: "Name",
    primary: "Primary",
    enabled: "Switched on",
    enabledAt: "Since",
    backupCodes: "Backup codes left",
    prefix: "Begins with",
    scopes: "Scopes",
    expires: "Expires",
    lastUsed: "Last used",
    connected: "Connected",
    type: "Type",
    active: "Active",
    device: "Device",
    address: "Address",
    lastActive: "Last active",
    when: "When",
    what: "What",
    where: "From where",
    result: "Result",
    size: "Size",
    language: "Language",
    scheduled: "Scheduled for",
  },
  status: { success: "Done", failure: "Refused" },
  languages: { en: "English", de: "German" },
  events: Object.fromEntries(Object.entries(EVENT_TYPES).map(([type, { meaning }]) => [type, meaning])),
  readme: (site, at) => `Your data on ${site}
Exported ${at}

This archive holds what this installation keeps about you.

data.json    All of it, for programs: your account, platform accounts, roles,
             two-factor status, API keys, applications, sessions, activity,
             reports, bans, and earlier exports. Times are in ISO 8601, in UTC.
report.pdf   A summary to read. Long lists are cut to their newest entries.

Passwords, session tokens, API keys, client secrets and the secrets of your
authenticator app are not in here: this installation keeps them as one-way
hashes, or encrypted, and shows them to nobody. Of each API key you find its
name and its first characters.

Treat this archive as confidential: it holds addresses that you signed in from.
`,
};
