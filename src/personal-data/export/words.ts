import type { Locale } from "../../kernel/values/bilingual";
import { english } from "./english";
import { german } from "./german";

/** The words of an export's report and README. `event` names an audit event by its type. */
export interface Words {
  title: (site: string) => string;
  subtitle: (username: string, at: string) => string;
  intro: string;
  page: (current: number, all: number) => string;
  none: string;
  yes: string;
  no: string;
  never: string;
  /** Line that tells how many rows of a long list are shown. */
  shown: (shown: number, all: number) => string;
  sections: Record<
    | "account"
    | "accounts"
    | "roles"
    | "twoFactor"
    | "identities"
    | "passkeys"
    | "apiKeys"
    | "consents"
    | "connectedApps"
    | "ownedApps"
    | "sessions"
    | "events"
    | "exports"
    | "deletion",
    string
  >;
  fields: Record<
    | "username"
    | "id"
    | "email"
    | "created"
    | "lastLogin"
    | "locale"
    | "privacyMode"
    | "platform"
    | "provider"
    | "authenticator"
    | "name"
    | "primary"
    | "enabled"
    | "enabledAt"
    | "backupCodes"
    | "prefix"
    | "scopes"
    | "expires"
    | "lastUsed"
    | "connected"
    | "type"
    | "active"
    | "device"
    | "address"
    | "lastActive"
    | "when"
    | "what"
    | "where"
    | "result"
    | "size"
    | "language"
    | "scheduled",
    string
  >;
  unknownDevice: string;
  clientTypes: Record<"public" | "confidential", string>;
  status: Record<"success" | "failure", string>;
  languages: Record<Locale, string>;
  events: Record<string, string>;
  readme: (site: string, at: string) => string;
}

export const WORDS: Record<Locale, Words> = { en: english, de: german };
