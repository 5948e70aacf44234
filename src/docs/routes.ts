import { Elysia } from "elysia";
import icon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import css from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import bundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { config } from "../configuration/config";
import { guard } from "../identity/access/guard";
import { PAGE_HEADERS, type StaticFile, staticAnswer, staticFile } from "../kernel/http/static";
import start from "./swagger-start.js" with { type: "text" };
import style from "./swagger-style.css" with { type: "text" };

const KEPT_AN_HOUR = "public, max-age=3600";

/** A file of the program, or a text. */
const asset = (read: () => Promise<string | Uint8Array<ArrayBuffer>>, type: string): StaticFile => {
  const headers = {
    "content-type": type,
    "cache-control": KEPT_AN_HOUR,
    "cross-origin-resource-policy": "same-origin",
  };
  return staticFile(async () => ({ content: await read(), headers }));
};

const ASSETS = {
  "swagger-ui-bundle.js": asset(() => Bun.file(bundle).bytes(), "text/javascript; charset=utf-8"),
  "swagger-ui.css": asset(() => Bun.file(css).bytes(), "text/css; charset=utf-8"),
  "style.css": asset(async () => style, "text/css; charset=utf-8"),
  "favicon.png": asset(() => Bun.file(icon).bytes(), "image/png"),
  "start.js": asset(async () => start, "text/javascript; charset=utf-8"),
};

/**
 * Swagger UI from the program itself: no script, font or style comes from another host. Until its scripts are here, a
 * reader on a slow network sees the title and where the document is.
 */
async function page(): Promise<string> {
  const address = async (name: keyof typeof ASSETS) => `/docs/assets/${name}?${await ASSETS[name].tag()}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="color-scheme" content="light dark">
<title>Fairlead API</title>
<link rel="icon" href="${await address("favicon.png")}">
<link rel="stylesheet" href="${await address("swagger-ui.css")}">
<link rel="stylesheet" href="${await address("style.css")}">
<script defer src="${await address("swagger-ui-bundle.js")}"></script>
<script defer src="${await address("start.js")}"></script>
</head>
<body>
<div id="swagger-ui">
<div class="swagger-ui"><div class="wrapper"><div class="info">
<h1 class="title">Fairlead API</h1>
<p>The documentation is loading. The document itself is at <a href="/docs/json">/docs/json</a>.</p>
</div></div></div>
</div>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`;
}

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const hidden = { open: true, detail: { hide: true } } as const;

const shownPage = staticAnswer(async () => ({
  content: await page(),
  headers: {
    ...PAGE_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
    "cache-control": "no-cache",
  },
}));

/**
 * The document and Swagger UI. `document` returns the text that `/docs/json` and `/v1/openapi.json` answer.
 */
export function docsRoutes(document: () => Promise<string>) {
  const text = staticAnswer(async () => ({
    content: await document(),
    headers: { "content-type": "application/json", "cache-control": "no-cache" },
  }));
  const asyncApi = staticAnswer(async () => ({
    content: JSON.stringify((await import("./asyncapi")).buildAsyncApi()),
    headers: { "content-type": "application/json", "cache-control": "no-cache" },
  }));
  const json = ({ request }: { request: Request }) => text(request);
  const routes = new Elysia()
    .use(guard)
    .get("/v1/openapi.json", json, hidden)
    .get("/v1/asyncapi.json", ({ request }) => asyncApi(request), hidden);
  if (!config["docs.enabled"]) return routes;
  routes.get("/docs", ({ request }) => shownPage(request), hidden).get("/docs/json", json, hidden);
  for (const [name, { answer }] of Object.entries(ASSETS))
    routes.get(`/docs/assets/${name}`, ({ request }) => answer(request), hidden);
  return routes;
}
