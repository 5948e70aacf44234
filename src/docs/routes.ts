import { Elysia } from "elysia";
import icon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import css from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import bundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { config } from "../config";
import { guard } from "../identity/access/guard";
import { staticAnswer } from "../kernel/static";
import { VERSION } from "../version";
import start from "./swagger-start.js" with { type: "text" };
import style from "./swagger-style.css" with { type: "text" };

/** Swagger UI from the program itself: no script, font or style comes from another host. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Fairlead API</title>
<link rel="icon" href="/docs/assets/favicon.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css?${VERSION}">
<link rel="stylesheet" href="/docs/assets/style.css?${VERSION}">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself is at <a href="/docs/json">/docs/json</a>.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js?${VERSION}"></script>
<script src="/docs/assets/start.js?${VERSION}"></script>
</body>
</html>
`;

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const hidden = { open: true, detail: { hide: true } } as const;

const KEPT_AN_HOUR = "public, max-age=3600";

/** A file of the program, or a text, at an address of its own. */
const asset = (read: () => Promise<string | Uint8Array<ArrayBuffer>>, type: string) => {
  const headers = { "content-type": type, "cache-control": KEPT_AN_HOUR };
  const answer = staticAnswer(async () => ({ content: await read(), headers }));
  return ({ request }: { request: Request }) => answer(request);
};

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
    .get("/v1/asyncapi.json", ({ request }) => asyncApi(request), hidden)
    .get("/", ({ redirect }) => redirect(config["docs.enabled"] ? "/docs" : "/v1", 302), hidden);
  if (!config["docs.enabled"]) return routes;
  return routes
    .get(
      "/docs",
      () =>
        new Response(PAGE, {
          headers: {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": POLICY,
            "referrer-policy": "no-referrer",
            "cache-control": "no-cache",
          },
        }),
      hidden,
    )
    .get("/docs/json", json, hidden)
    .get(
      "/docs/assets/swagger-ui-bundle.js",
      asset(() => Bun.file(bundle).bytes(), "text/javascript; charset=utf-8"),
      hidden,
    )
    .get(
      "/docs/assets/swagger-ui.css",
      asset(() => Bun.file(css).bytes(), "text/css; charset=utf-8"),
      hidden,
    )
    .get(
      "/docs/assets/style.css",
      asset(async () => style, "text/css; charset=utf-8"),
      hidden,
    )
    .get(
      "/docs/assets/favicon.png",
      asset(() => Bun.file(icon).bytes(), "image/png"),
      hidden,
    )
    .get(
      "/docs/assets/start.js",
      asset(async () => start, "text/javascript; charset=utf-8"),
      hidden,
    );
}
