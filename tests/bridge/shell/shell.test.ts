import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { TestServer } from "../../support/server";

/** The documents and files that the page is made of, as the server sends them. */

const SHELL_KB = 60;
const ALL_KB = 520;

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const html = async (path: string) => {
  const { status, headers, body } = await server.get(path);
  expect(status).toBe(200);
  return { headers, text: body as string };
};

/** The addresses of files that a text names, without what is before them. */
const assetsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/[\w-]+-[a-z0-9]{8}\.(?:js|mjs|css)/g)].map(([name]) => name)),
];

/** A file in the coding that browsers ask for over plain http. */
async function zipped(name: string): Promise<{ headers: Headers; text: string; size: number }> {
  const response = await fetch(`${server.url}/bridge/assets/${name}`, {
    headers: { "accept-encoding": "gzip" },
    decompress: false,
  } as RequestInit);
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isZipped = response.headers.get("content-encoding") === "gzip";
  const text = new TextDecoder().decode(isZipped ? gunzipSync(bytes) : bytes);
  return { headers: response.headers, text, size: Bun.gzipSync(text, { level: 9 }).length };
}

/** All files that the documents lead to, by their names. */
async function allFiles() {
  const found = new Map<string, Awaited<ReturnType<typeof zipped>>>();
  const open = [...assetsIn((await html("/")).text), ...assetsIn((await html("/s/")).text)];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const file = await zipped(name);
    found.set(name, file);
    open.push(...assetsIn(file.text));
  }
  return found;
}

describe("the documents of the page", () => {
  test("permit nothing inline, and no other host", async () => {
    for (const path of ["/", "/s/"]) {
      const { headers, text } = await html(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toStartWith(
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'",
      );
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get("cache-control")).toBe("no-cache");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
    }
  });

  test("name their files relative to themselves, so that a proxy may serve them below a path", async () => {
    for (const path of ["/", "/s/"]) {
      const { text } = await html(path);
      const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
      expect(addresses.length).toBeGreaterThan(3);
      for (const address of addresses) {
        const below = new URL(address, `http://boat.example/harbour${path}`).pathname;
        expect(below).toStartWith("/harbour/bridge/");
        const { status } = await server.get(below.replace("/harbour", ""));
        expect({ address, status }).toEqual({ address, status: 200 });
      }
    }
  });

  test("of links has a slash at its end, for the same reason", async () => {
    const { status, headers } = await server.get("/s");
    expect({ status, location: headers.get("location") }).toEqual({ status: 302, location: "s/" });
  });
});

describe("the files of the page", () => {
  test("never change under their names, and weigh no more than they may", async () => {
    const files = await allFiles();
    for (const { headers } of files.values()) {
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    const sum = (names: Iterable<string>) =>
      [...names].reduce((total, name) => total + (files.get(name)?.size ?? 0), 0);
    // With the map's library and its worker; less means that the scan has lost them.
    expect(sum(files.keys())).toBeWithin(300_000, ALL_KB * 1_000);
    const { text } = await html("/");
    const shell = assetsIn(text.replace(/data-worker="[^"]*"/, ""));
    const first = shell.flatMap((name) =>
      [...(files.get(name)?.text ?? "").matchAll(/\bfrom"\.\/([^"]+)"/g)].map(([, each = ""]) => each),
    );
    expect(sum(new Set([...shell, ...first]))).toBeWithin(10_000, SHELL_KB * 1_000);
  });

  test("are nothing but these", async () => {
    for (const name of ["nothing.js", "..%2Fapp.ts", "main.tsx", "document.gen.ts"])
      expect((await server.get(`/bridge/assets/${name}`)).status).toBe(404);
  });

  test("have no page to belong to where the Bridge is switched off", async () => {
    const without = await TestServer.start({ settings: { "bridge.enabled": "false" } });
    try {
      const { status, headers } = await without.get("/");
      expect({ status, location: headers.get("location") }).toEqual({ status: 302, location: "/docs" });
      expect((await without.get("/s/")).status).toBe(404);
      expect((await without.get("/favicon.ico")).status).toBe(200);
    } finally {
      await without.stop();
    }
  });
});
