import { sourceHash } from "../kernel/crypto/crypto";
import { PAGE_HEADERS, type StaticContent, staticAnswer } from "../kernel/http/static";
import { PATH } from "./path";

/** GraphiQL from the program itself: no script, font or style comes from another host. */

/** Rendered on the first request: most installations never show it. */
async function render(): Promise<StaticContent> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const html = renderGraphiQL({ title: "Fairlead GraphQL", endpoint: PATH, defaultQuery: DEFAULT_QUERY });
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, source = ""]) =>
    sourceHash(source),
  );
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "font-src data:",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    content: html,
    headers: {
      ...PAGE_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": "private, max-age=3600",
      vary: "Accept, Accept-Encoding, Origin",
    },
  };
}

const DEFAULT_QUERY = `# What needs a session or an API key
# reads it from the headers, below:
# { "Authorization": "Bearer ses_…" }

query Platforms {
  platforms {
    slug
    name
    twoFactorSupported
  }
}
`;

/** The page: 9 MB, or a quarter of that compressed. */
export const graphiql = staticAnswer(render);
