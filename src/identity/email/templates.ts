import { config, publicUrl } from "../../configuration/config";
import type { Locale } from "../../kernel/values/bilingual";
import { english } from "./english";
import { german } from "./german";
import { type Action, renderHtml, renderText } from "./layout";

/** Content of emails; wording is in english.ts and german.ts, layout in layout.ts. No database, no clock. */

export interface Recipient {
  address: string;
  /** Null for somebody who has no account yet. */
  username: string | null;
  locale: Locale;
}

/**
 * Times are epoch milliseconds. `deletedAt` is when the account will be deleted, `remaining` counts backup
 * codes and `failures` wrong codes or passwords in a row; `locked` means that no more codes are accepted. Until
 * `silentUntil` no further email about keys, or about clients, is sent.
 */
export type EmailContent =
  | {
      kind: "registration" | "password_reset" | "email_change" | "email_link";
      token: string;
      expiresAt: number;
    }
  | { kind: "invitation"; token: string; invitedBy: string | null; note: string | null; expiresAt: number }
  | { kind: "deletion_scheduled"; deletedAt: number }
  | { kind: "two_factor_enabled" | "two_factor_disabled"; platformName: string; at: number }
  | { kind: "passkey_added" | "passkey_removed"; name: string; at: number }
  | { kind: "backup_codes_regenerated" | "password_changed"; at: number }
  | { kind: "email_change_requested" | "email_changed"; address: string; at: number }
  | {
      kind: "api_key_created" | "api_key_regenerated" | "api_key_widened";
      name: string;
      prefix: string;
      isSystem: boolean;
      at: number;
      silentUntil: number | null;
    }
  | {
      kind: "client_secret_changed" | "client_redirected";
      name: string;
      at: number;
      silentUntil: number | null;
    }
  | { kind: "identity_linked"; provider: string; at: number }
  | { kind: "backup_codes_low"; remaining: number }
  | { kind: "two_factor_failures"; failures: number; locked: boolean; at: number }
  | { kind: "password_failures"; failures: number; at: number }
  | { kind: "audit_report_updated"; status: string; notes: string | null };

/**
 * A message to one mailbox, in both forms. `token` and `link` are null where there is nothing to act on. An alert's is
 * composed where alerts are sent.
 */
export interface Email {
  kind: EmailContent["kind"] | "alert";
  to: string;
  locale: Locale;
  subject: string;
  text: string;
  html: string;
  token: string | null;
  link: string | null;
}

/** The words of one email. Paragraphs are plain text; the first says why the email came. */
export interface Words {
  subject: string;
  paragraphs: string[];
  /** Label of the button, if the email has one. */
  button?: string;
  /** Text by somebody else, set apart. */
  quote?: string;
  /** Advice for the case that it wasn't the reader. */
  otherwise: string;
}

/** The words of all emails in one language. `site` is the host by which users know the installation. */
export interface Language {
  greeting: (username: string | null) => string;
  linkHint: string;
  footer: (site: string) => string;
  words: (content: EmailContent, site: string) => Words;
}

const LANGUAGES: Record<Locale, Language> = { en: english, de: german };

export function composeEmail(recipient: Recipient, content: EmailContent): Email {
  const { address, username, locale } = recipient;
  const site = new URL(publicUrl()).host;
  const language = LANGUAGES[locale];
  const words = language.words(content, site);
  const link = linkOf(content);
  const action: Action | null =
    link && words.button ? { label: words.button, link, hint: language.linkHint } : null;
  const message = {
    locale,
    subject: words.subject,
    greeting: language.greeting(username),
    paragraphs: words.paragraphs,
    quote: words.quote ?? null,
    action,
    otherwise: words.otherwise,
    footer: language.footer(site),
  };
  return {
    kind: content.kind,
    to: address,
    locale,
    subject: words.subject,
    text: renderText(message),
    html: renderHtml(message),
    token: "token" in content ? content.token : null,
    link,
  };
}

/** The pages of links that don't prove an address. */
const PAGES: Partial<Record<EmailContent["kind"], string>> = {
  password_reset: "reset-password",
  invitation: "invitation",
};

/** The token is in the fragment, which a browser sends to no server, so that it reaches no log on the way. */
function linkOf(content: EmailContent): string | null {
  if (!("token" in content)) return null;
  const page = PAGES[content.kind] ?? "verify-email";
  const base = config["email.link_base_url"] ?? publicUrl();
  return `${base}/${page}#token=${encodeURIComponent(content.token)}`;
}
