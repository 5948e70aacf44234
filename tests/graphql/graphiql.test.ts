import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync } from "node:zlib";
import { TestServer } from "../support/server";
import { ask, dataOf, expectError, PATH } from "./support";

/**
 * GraphiQL at the address of GraphQL, in a browser without internet (rule P7). With GraphiQL off:
 * http.test.ts.
 */

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** An answer as it comes over the wire, not decompressed. */
async function raw(headers: Record<string, string>, method = "GET") {
  const options = { method, headers, decompress: false };
  const response = await fetch(server.url + PATH, options);
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
}

describe("GraphiQL", () => {
  let html: string;
  let headers: Headers;
  beforeAll(async () => {
    const page = await raw({ accept: BROWSER, "accept-encoding": "identity" });
    expect(page.status).toBe(200);
    headers = page.headers;
    html = new TextDecoder().decode(page.bytes);
  });

  test("is what a browser gets that opens the address", () => {
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-request-id")).not.toBeNull();
    expect(headers.get("vary")).toContain("Accept");
    expect(html).toMatch(/^\s*<!doctype html>/i);
    expect(html).toContain("<title>Fairlead GraphQL</title>");
    expect(html).toContain(JSON.stringify(PATH));
  });

  test("loads nothing from another host", async () => {
    // Text between the scripts' tags is no markup: an address in it loads nothing.
    const scripts: string[] = [];
    let markup = "";
    await new HTMLRewriter()
      .on("script", {
        element(element) {
          for (const [name, value] of element.attributes) scripts.push(`${name}=${value}`);
        },
      })
      .on("*", {
        element(element) {
          if (element.tagName === "script") return;
          for (const [name, value] of element.attributes) markup += ` ${name}="${value}"`;
        },
      })
      .on("style", {
        text({ text }) {
          markup += text;
        },
      })
      .transform(new Response(html))
      .text();
    expect(scripts.filter((attribute) => attribute.startsWith("src="))).toEqual([]);
    // Links that a person may click load nothing.
    expect(markup.match(/(?:src|srcset|data|action|poster)="[^"]*"/g) ?? []).toEqual([]);
    expect((markup.match(/href="[^"]*"/g) ?? []).filter((each) => !/href="(data:|#)/.test(each))).toEqual([]);
    const loaded = [...markup.matchAll(/url\(\s*["']?([^"')]{1,40})|@import\s+["']?([^"';]{1,40})/g)];
    expect(loaded.map(([, url, file]) => url ?? file).filter((url) => !/^(data:|#)/.test(url ?? ""))).toEqual(
      [],
    );
  });

  test("may run its own scripts alone, by its policy, and ask its own server alone", () => {
    const policy = Object.fromEntries(
      (headers.get("content-security-policy") ?? "").split("; ").map((directive): [string, string[]] => {
        const [name = "", ...sources] = directive.split(" ");
        return [name, sources];
      }),
    );
    expect(policy["default-src"]).toEqual(["'none'"]);
    expect(policy["connect-src"]).toEqual(["'self'"]);
    for (const none of ["base-uri", "form-action", "frame-ancestors"])
      expect(policy[none]).toEqual(["'none'"]);
    const sources = Object.values(policy).flat();
    expect(sources.filter((source) => /https?:|\*|unsafe-eval|^(?!blob|data)\w+:$/.test(source))).toEqual([]);
    const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, source = ""]) => source);
    expect(scripts.length).toBeGreaterThan(0);
    expect(policy["script-src"]).toEqual(
      scripts.map((source) => `'sha256-${new Bun.CryptoHasher("sha256").update(source).digest("base64")}'`),
    );
    // No handler in the markup: the policy would keep it from running.
    expect(html.replaceAll(/<script[^>]*>[\s\S]*?<\/script>/g, "")).not.toMatch(/<[^>]+\son\w+=/);
  });

  test("comes compressed to whoever takes that", async () => {
    const page = await raw({ accept: BROWSER, "accept-encoding": "gzip, deflate, br" });
    expect(page.headers.get("content-encoding")).toBe("br");
    expect(page.headers.get("vary")).toContain("Accept-Encoding");
    expect(page.bytes.length).toBeLessThan(html.length / 3);
    expect(brotliDecompressSync(page.bytes).equals(new TextEncoder().encode(html))).toBe(true);
    expect(headers.get("content-encoding")).toBeNull();
    const again = await raw({ accept: BROWSER, "accept-encoding": "identity" });
    expect(new TextDecoder().decode(again.bytes) === html).toBe(true);
  });

  test("is documented, and isn't sent again to a browser that has it", async () => {
    const page = await server.get(PATH, { headers: { accept: BROWSER } });
    const etag = page.headers.get("etag") ?? "";
    const again = await server.get(PATH, { headers: { accept: BROWSER, "if-none-match": etag } });
    expect([page.status, again.status, again.body]).toEqual([200, 304, null]);
    const { responses } = (await server.contract()).operation("GET", PATH)?.operation ?? {};
    expect(Object.keys(responses?.[200]?.content ?? {})).toEqual([
      "application/json",
      "application/graphql-response+json",
      "text/html",
    ]);
    expect(Object.keys(responses?.[400]?.headers ?? {})).toContain("Allow");
  });

  test("has a HEAD without a body", async () => {
    const head = await raw({ accept: BROWSER, "accept-encoding": "identity" }, "HEAD");
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ["content-type", "content-security-policy", "content-length"])
      expect([name, head.headers.get(name)]).toEqual([name, headers.get(name)]);
  });

  test("is for browsers, which keep in the address what is typed: other clients get GraphQL", async () => {
    for (const accept of [undefined, "*/*", "application/json", "application/graphql-response+json"]) {
      const answer = await server.get(PATH, accept === undefined ? {} : { headers: { accept } });
      expectError(answer, 400, "BadRequest");
    }
    const reloaded = await fetch(`${server.url}${PATH}?query=${encodeURIComponent("{ __typename }")}`, {
      headers: { accept: BROWSER },
    });
    expect(reloaded.headers.get("content-type")).toStartWith("text/html");
    const posted = await ask(server, "{ __typename }", { headers: { accept: BROWSER } });
    expect(dataOf(posted)).toEqual({ __typename: "Query" });
  });
});
