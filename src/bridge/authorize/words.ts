import type { Permission } from "../../identity/access/permissions";

/** Languages of the pages. */
export const LOCALES = ["en", "de"] as const;
export type Locale = (typeof LOCALES)[number];

/** The texts of the pages. A function takes what stands in the middle of a sentence. */
export interface Words {
  signIn: string;
  signInTo: (app: string) => string;
  identifier: string;
  password: string;
  stay: string;
  code: string;
  codeHint: string;
  codeLead: string;
  confirm: string;
  byPasskey: string;
  confirmByPasskey: string;
  /** The browser gave none, or its user stopped it. */
  noPasskey: string;
  startAgain: string;
  consent: (app: string) => string;
  consentLead: string;
  signedInAs: (username: string) => string;
  otherAccount: string;
  notHeld: string;
  backTo: (place: string) => string;
  registeredBy: (username: string) => string;
  revocable: string;
  privacy: string;
  terms: string;
  allow: string;
  deny: string;
  /** The scopes that are no permissions: each says what an application may do by it. */
  scopes: Record<"openid" | "profile" | "email" | "offline_access", string>;
  /** The same of permissions; null for the words of the catalogue. */
  permissions: Record<Permission, string> | null;
  /** Places that an answer goes to. */
  thisDevice: string;
  appOnDevice: (scheme: string) => string;
  onward: string;
  onwardLead: (place: string) => string;
  goOn: string;
  failed: string;
  failedLead: string;
  faulty: (app: string) => string;
  faultyLead: string;
  signOut: string;
  signOutLead: (app: string | null) => string;
  staySignedIn: string;
  signedOut: string;
  signedOutLead: string;
  nothingToEnd: string;
  otherLanguage: string;
  botCheck: string;
  /** Refusals of a sign-in, by the names of their errors. */
  refusals: {
    wrongPassword: string;
    wrongCode: string;
    wrongPasskey: string;
    AccountBanned: string;
    Forbidden: string;
    TwoFactorLocked: string;
    TooManyRequests: (seconds: string) => string;
    ServiceUnavailable: string;
    foreignForm: string;
    other: string;
  };
}
