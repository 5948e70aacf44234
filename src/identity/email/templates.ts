import { config, publicUrl } from "../../config";
import { english } from "./english";
import { german } from "./german";
import { type Action, renderHtml, renderText } from "./layout";
import type { Locale } from "./locale";

/**
 * What there is to say, and to whom. The words are in english.ts and german.ts, the looks in layout.ts. No database,
 * no clock.
 */

export interface Recipient {
  address: string;
  username: string;
  locale: Locale;
}

/** Times are epoch milliseconds. `deletedAt` is when the account will be deleted, `remaining` counts backup codes. */
export type EmailContent =
  | {
      kind: "registration" | "password_reset" | "email_change" | "email_link";
      token: string;
      expiresAt: number;
    }
  | { kind: "deletion_scheduled"; deletedAt: number }
  | { kind: "two_factor_enabled" | "two_factor_disabled"; platformName: string; at: number }
  | { kind: "backup_codes_regenerated"; at: number }
  | { kind: "backup_codes_low"; remaining: number }
  | { kind: "audit_report_updated"; status: string; notes: string | null };

/** A message to one person, in both forms. `token` and `link` are what the reader acts with, where there is one. */
export interface Email {
  kind: EmailContent["kind"];
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
  /** The label of the button, where there is something to press. */
  button?: string;
  /** What somebody else wrote, set apart. */
  quote?: string;
  /** What to do if it wasn't the reader. */
  otherwise: string;
}

/** The words of all emails in one language. `site` is the host that users know the installation by. */
export interface Language {
  greeting: (username: string) => string;
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

/** The token stands in the fragment, which a browser sends to no server: it reaches no log on the way. */
function linkOf(content: EmailContent): string | null {
  if (!("token" in content)) return null;
  const page = content.kind === "password_reset" ? "reset-password" : "verify-email";
  const base = config["email.link_base_url"] ?? publicUrl();
  return `${base}/${page}#token=${encodeURIComponent(content.token)}`;
}
