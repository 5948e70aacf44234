import type { Locale } from "../../kernel/values/bilingual";

/** Layout of an email, as text and as HTML for mail clients: tables, inline styles, nothing remote. */

/** A button, with the same link in full for readers who can't press it. */
export interface Action {
  label: string;
  link: string;
  hint: string;
}

/** Parts of a message. All are plain text: `renderHtml` escapes every one. */
export interface Message {
  locale: Locale;
  subject: string;
  greeting: string;
  paragraphs: string[];
  quote: string | null;
  action: Action | null;
  otherwise: string;
  footer: string;
}

const CONTROL = /[^\P{Cc}\n]|[\u2028\u2029]/gu;

/** The text with line breaks kept and other control characters turned into spaces. */
const printable = (text: string) => text.replaceAll("\r\n", "\n").replaceAll(CONTROL, " ");

export function renderText(message: Message): string {
  const { greeting, paragraphs, quote, action, otherwise, footer } = message;
  const quoted = quote === null ? [] : [printable(quote).replaceAll(/^/gm, "> ")];
  const parts = [
    ...[greeting, ...paragraphs].map(printable),
    ...quoted,
    ...(action ? [`${action.label}:\n${action.link}`] : []),
    printable(otherwise),
    `-- \n${printable(footer)}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string) =>
  printable(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const BODY = `${FONT};font-size:16px;line-height:1.5;color:#1a1a1a`;

const paragraph = (html: string, style = "") => `<p style="margin:0 0 16px;${style}">${html}</p>`;

export function renderHtml(message: Message): string {
  const { locale, subject, greeting, paragraphs, quote, action, otherwise, footer } = message;
  const body = [
    paragraph(escaped(greeting)),
    ...paragraphs.map((text) => paragraph(escaped(text))),
    ...(quote === null ? [] : [quotation(quote)]),
    ...(action ? [button(action)] : []),
    paragraph(escaped(otherwise)),
  ].join("\n");
  // Inboxes show the hidden line beside the subject.
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escaped(subject)}</title>
</head>
<body style="margin:0;padding:0;background-color:#ffffff">
<div style="display:none;max-height:0;overflow:hidden">${escaped(paragraphs[0] ?? "")}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#ffffff">
<tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px">
<tr><td align="left" style="${BODY}">
${body}
${paragraph(escaped(footer), "margin-top:32px;padding-top:16px;border-top:1px solid #d9d9d9;font-size:13px;color:#595959")}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

const quotation = (text: string) =>
  `<blockquote style="margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid #d9d9d9">${escaped(text).replaceAll("\n", "<br>\n")}</blockquote>`;

function button({ label, link, hint }: Action): string {
  const href = escaped(link);
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px">
<tr><td bgcolor="#0b4f8a" style="border-radius:6px"><a href="${href}" style="${FONT};display:inline-block;padding:12px 20px;font-size:16px;font-weight:600;color:#ffffff;text-decoration:none">${escaped(label)}</a></td></tr>
</table>
${paragraph(`${escaped(hint)}<br>\n<a href="${href}" style="color:#0b4f8a;word-break:break-all">${href}</a>`, "font-size:13px;color:#595959")}`;
}
