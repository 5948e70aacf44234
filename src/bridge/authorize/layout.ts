import { acceptedLanguage } from "../../kernel/http/accept";
import { PAGE_HEADERS } from "../../kernel/http/static";
import { ENGLISH } from "./english";
import { GERMAN } from "./german";
import { type Html, html } from "./html";
import { LOCALES, type Locale, type Words } from "./words";

/** The frame of the pages, and the headers of every answer that a browser gets here. */

/**
 * Nothing is inline, nothing comes from another host, no page frames these, and their forms go to this server alone
 * (RFC 9700, section 4.16).
 */
const POLICY = [
  ...["default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'", "base-uri 'none'"],
  ...["form-action 'self'", "frame-ancestors 'none'"],
].join("; ");

// A client's window that was opened by another page needs its opener after the sign-in.
const { "cross-origin-opener-policy": _, ...SHARED } = PAGE_HEADERS;

/**
 * Addresses here hold the request of a client, and answers to it a code: they are told to no other server (RFC 9700,
 * section 4.2.4), and kept nowhere. To this server's own the origin is told: by it a form shows where it was sent from.
 */
export const HEADERS = {
  ...SHARED,
  "referrer-policy": "same-origin",
  "content-security-policy": POLICY,
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};

const WORDS: Record<Locale, Words> = { en: ENGLISH, de: GERMAN };

/** A reader: the language, the texts in it, and the address of the same page in the other one, if there is such. */
export interface Reader {
  locale: Locale;
  words: Words;
}

const isLocale = (tag: string): tag is Locale => (LOCALES as readonly string[]).includes(tag);

/** The language that a client asked for (`ui_locales`), else the browser's. */
export function readerOf(request: Request, uiLocales?: string): Reader {
  const asked = uiLocales?.split(" ").map((tag) => tag.toLowerCase().split("-", 1)[0] ?? "");
  const accepted = request.headers.get("accept-language");
  const locale =
    asked?.find(isLocale) ??
    ((accepted === null ? undefined : acceptedLanguage(accepted, [...LOCALES])) as Locale | undefined) ??
    "en";
  return { locale, words: WORDS[locale] };
}

interface Page {
  title: string;
  content: Html;
  status?: number;
  headers?: Record<string, string>;
  /** The page to go on to at once (H76 of WCAG's techniques). */
  onward?: string;
  /** The same page in the other language. */
  inOtherLanguage?: string;
  /** The address of the server's root from that of the page; `../` below `/oauth`. */
  root?: string;
}

/** Answers with a page. Its addresses are relative: a proxy may serve the whole below a path. */
export function answerPage({ locale, words }: Reader, page: Page): Response {
  const other = locale === "de" ? "en" : "de";
  const root = page.root ?? "../";
  const text = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${page.onward !== undefined && html`<meta http-equiv="refresh" content="0; url=${page.onward}">`}
<title>${page.title} – Fairlead</title>
<link rel="icon" href="${root}bridge/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}oauth/style.css">
<script src="${root}oauth/look.js"></script>
</head>
<body>
<div class="hall">
<main class="hall-card">
<img class="mark" src="${root}bridge/icon.svg" alt="" width="48" height="48">
<h1>${page.title}</h1>
${page.content}
</main>
<footer class="hall-foot">
${
  page.inOtherLanguage !== undefined &&
  html`<a class="button quiet" lang="${other}" hreflang="${other}" href="${page.inOtherLanguage}">${words.otherLanguage}</a>`
}
</footer>
</div>
</body>
</html>
`;
  return new Response(text.text, {
    status: page.status ?? 200,
    headers: {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-language": locale,
      vary: "Accept-Language, Cookie",
      ...page.headers,
    },
  });
}

/**
 * Leads a browser that came by GET on to another address: by 303, which never takes a form along (RFC 9700, section 4.12).
 */
export const leadOn = (address: string, headers: Record<string, string> = {}): Response =>
  new Response(null, {
    status: 303,
    headers: { ...HEADERS, "referrer-policy": "no-referrer", location: address, ...headers },
  });
