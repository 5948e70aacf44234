import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { sourceHash } from "../kernel/crypto";
import { PATH } from "./path";

/** GraphiQL from the program itself: no script, font or style comes from another host. */

const compress = promisify(gzip);

interface Page {
  /** The page takes 9 MB, and a quarter of it on the way. */
  plain: Uint8Array<ArrayBuffer>;
  compressed: Uint8Array<ArrayBuffer>;
  policy: string;
}

let page: Promise<Page> | undefined;

/** Made when somebody first asks: most installations never do. */
async function render(): Promise<Page> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const html = renderGraphiQL({ title: "Fairlead GraphQL", endpoint: PATH, defaultQuery: DEFAULT_QUERY });
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, source = ""]) =>
    sourceHash(source),
  );
  const plain = new TextEncoder().encode(html);
  return {
    plain,
    compressed: new Uint8Array(await compress(plain)),
    policy: [
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
    ].join("; "),
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

export async function graphiql(request: Request): Promise<Response> {
  page ??= render();
  const { plain, compressed, policy } = await page;
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return new Response(takesGzip ? compressed : plain, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": "private, max-age=3600",
      vary: "Accept, Accept-Encoding, Origin",
      ...(takesGzip && { "content-encoding": "gzip" }),
    },
  });
}
