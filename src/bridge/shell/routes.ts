import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { guard } from "../../identity/access/guard";
import { notFound } from "../../kernel/errors/errors";
import { ingressPath } from "../../kernel/http/client";
import { PAGE_HEADERS, type StaticFile, staticAnswer, staticFile } from "../../kernel/http/static";
import { lazy } from "../../kernel/values/lazy";
import { pageBundle } from "./bundle";
import { bridgePage, MANIFEST, sharedPage } from "./html";
import icon from "./icon.svg" with { type: "text" };

/** Nothing is inline, and nothing comes from another host. Pictures of the map are drawn in the page: `data:` and `blob:`. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "worker-src 'self'", "style-src 'self'"],
  ...["img-src 'self' data: blob:", "connect-src 'self'", "font-src 'self'", "manifest-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "object-src 'none'"],
].join("; ");

/** Home Assistant shows its add-ons in a frame of its own origin. */
const FRAMED_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'");

// A browser logs an error where this header comes over plain http from another host than localhost.
const { "cross-origin-opener-policy": _, ...HEADERS } = PAGE_HEADERS;

function html(make: () => Promise<string>): (request: Request) => Promise<Response> {
  const under = (policy: string) =>
    staticAnswer(async () => ({
      content: await make(),
      headers: {
        ...HEADERS,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "cache-control": "no-cache",
      },
    }));
  const [alone, framed] = [under(POLICY), under(FRAMED_POLICY)];
  return (request) => (ingressPath(request) === null ? alone : framed)(request);
}

const bridge = html(async () => bridgePage((await pageBundle()).entries));
const shared = html(async () => sharedPage((await pageBundle()).entries));

const TYPES: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

const KEPT = { "cross-origin-resource-policy": "same-origin" };

/** The files of the page by their names. */
const files = lazy(async () => {
  const found = new Map<string, StaticFile["answer"]>();
  for (const { name, bytes } of (await pageBundle()).files) {
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    const headers = {
      ...KEPT,
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      // A worker is held to the policy of its own script.
      "content-security-policy": POLICY,
    };
    found.set(name, staticFile(async () => ({ content: await bytes(), headers })).answer);
  }
  return found;
});

const drawn = staticAnswer(async () => ({
  content: icon,
  headers: { ...KEPT, "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" },
}));
const manifest = staticAnswer(async () => ({
  content: JSON.stringify(MANIFEST),
  headers: { ...KEPT, "content-type": "application/manifest+json", "cache-control": "no-cache" },
}));

const hidden = { open: true, detail: { hide: true } } as const;

/** The page itself: `/`, the page of shared links, and the files of both. Without the Bridge `/` leads to the documents. */
export function shellRoutes() {
  const routes = new Elysia()
    .use(guard)
    .get("/favicon.ico", ({ request }) => drawn(request), hidden)
    .get("/bridge/icon.svg", ({ request }) => drawn(request), hidden);
  if (!config["bridge.enabled"])
    return routes.get("/", ({ redirect }) => redirect(config["docs.enabled"] ? "/docs" : "/v1", 302), hidden);
  return routes
    .get("/", ({ request }) => bridge(request), hidden)
    .get("/bridge/manifest.webmanifest", ({ request }) => manifest(request), hidden)
    .get(
      // Serves the path without the slash too, and sends it to the one with it: addresses in the page are relative.
      "/s/",
      ({ request, redirect }) =>
        new URL(request.url).pathname === "/s" ? redirect("s/", 302) : shared(request),
      hidden,
    )
    .get(
      "/bridge/assets/:name",
      async ({ params, request }) => {
        const answer = (await files()).get(params.name);
        if (!answer) throw notFound("File");
        return answer(request);
      },
      hidden,
    );
}
