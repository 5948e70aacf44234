import { staticAnswer } from "../../kernel/http/static";
import ceremony from "../page/ceremony.js" with { type: "text" };
import base from "../page/css/base.css" with { type: "text" };
import parts from "../page/css/parts.css" with { type: "text" };
import shell from "../page/css/shell.css" with { type: "text" };
import passkey from "./ask-passkey.js" with { type: "text" };
import look from "./look.js" with { type: "text" };
import pages from "./pages.css" with { type: "text" };

/** The style of the pages, that of the Bridge, and their scripts: for the look that was chosen there, and for passkeys. */

/** The colours of the dark look, which a page without the script shows where the system is dark. */
const [, dark = ""] = /:root\[data-look="dark"\] (\{[^}]*\})/.exec(base) ?? [];
const BY_SYSTEM = `@media (prefers-color-scheme: dark) { :root:not([data-look]) ${dark} }`;

const KEPT = { "cross-origin-resource-policy": "same-origin", "cache-control": "public, max-age=3600" };

export const styleAnswer = staticAnswer(async () => ({
  content: [base, BY_SYSTEM, parts, shell, pages].join("\n"),
  headers: { ...KEPT, "content-type": "text/css; charset=utf-8" },
}));

export const lookAnswer = staticAnswer(async () => ({
  content: look,
  headers: { ...KEPT, "content-type": "text/javascript; charset=utf-8" },
}));

export const passkeyAnswer = staticAnswer(async () => ({
  content: `${ceremony}\n${passkey}`,
  headers: { ...KEPT, "content-type": "text/javascript; charset=utf-8" },
}));
