import { sourceHash } from "../kernel/crypto/crypto";
import { PAGE_HEADERS, type StaticContent, staticAnswer } from "../kernel/http/static";
import style from "./graphiql.css" with { type: "text" };
import { PATH } from "./path";

/** GraphiQL from the program itself: no script, font or style comes from another host. */

/** Rendered on the first request: most installations never show it. */
async function render(): Promise<StaticContent> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const page = renderGraphiQL({ title: "Fairlead GraphQL", endpoint: PATH, defaultQuery: DEFAULT_QUERY });
  // Last in the head, after the page's own styles.
  const html = page.replace("</head>", () => `${HEAD}</head>`);
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

const HEAD = `<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${style}</style>
`;

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
