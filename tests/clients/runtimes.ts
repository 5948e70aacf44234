import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as source from "../../clients/ts/src/index";
import { type Browser, chromium, startBrowser } from "../support/browser";
import { temporaryDirectory } from "../support/server";
import { type Line, type Reading, read } from "./reader";

/** Readers in each runtime that the client is made for. */

export interface Reader {
  /** All that was told so far. */
  lines: () => Promise<Line[]>;
  stop: () => Promise<void>;
}

const ROOT = join(import.meta.dir, "../..");

/** The package as it is published, beside the reader as JavaScript. Returns the directory. */
export async function buildPackage(): Promise<string> {
  const directory = temporaryDirectory();
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const child = Bun.spawn(
    [process.execPath, tsc, "-p", join(ROOT, "clients/ts"), "--outDir", join(directory, "client")],
    { stdout: "pipe" },
  );
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`the client doesn't compile: ${output}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  const reader = await Bun.file(join(import.meta.dir, "reader.ts")).text();
  writeFileSync(join(directory, "reader.js"), new Bun.Transpiler({ loader: "ts" }).transformSync(reader));
  writeFileSync(
    join(directory, "main.js"),
    [
      'import * as source from "./client/index.js";',
      'import { read } from "./reader.js";',
      'read(source, JSON.parse(process.argv[2]), (line) => process.stdout.write(JSON.stringify(line) + "\\n"));',
    ].join("\n"),
  );
  return directory;
}

/** In this process, from source. */
export function inBun(reading: Reading): Reader {
  const lines: Line[] = [];
  const client = read(source, reading, (line) => lines.push(line));
  return { lines: async () => lines, stop: async () => client.close() };
}

/** Node's flag for a global WebSocket, which it has by itself from version 22 on; null where there is none at all. */
export const nodeFlags: string[] | null =
  [[], ["--experimental-websocket"]].find((flags) => {
    const node = Bun.which("node");
    if (!node) return false;
    const { success, stdout } = Bun.spawnSync([node, ...flags, "-p", "typeof WebSocket"]);
    return success && stdout.toString().trim() === "function";
  }) ?? null;
export const hasNode = Bun.which("node") !== null;

/** In a process of Node, from the built package. */
export function inNode(directory: string, flags: string[], reading: Reading): Reader {
  const child = Bun.spawn(["node", ...flags, join(directory, "main.js"), JSON.stringify(reading)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors = new Response(child.stderr).text();
  const lines: Line[] = [];
  const reads = (async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      const whole = text.split("\n");
      text = whole.pop() ?? "";
      for (const line of whole) lines.push(JSON.parse(line));
    }
  })();
  return {
    async lines() {
      if (child.exitCode !== null) throw new Error(`node ended: ${await errors}`);
      return lines;
    },
    async stop() {
      child.kill();
      await child.exited;
      await reads;
    },
  };
}

/** In a page of Chromium, from the built package, which the site serves; it is of another origin than the server. */
export async function inChromium(site: string, reading: Reading): Promise<Reader> {
  if (!chromium) throw new Error("there is no Chromium here");
  const browser: Browser = await startBrowser(chromium);
  const { page } = await browser.visit(`${site}/`);
  await page.evaluate(
    `(async () => {
      const [source, { read }] = await Promise.all([import("/client/index.js"), import("/reader.js")]);
      globalThis.lines = [];
      globalThis.client = read(source, ${JSON.stringify(reading)}, (line) => globalThis.lines.push(line));
    })()`,
  );
  return {
    lines: () => page.evaluate("globalThis.lines") as Promise<Line[]>,
    stop: () => browser.stop(),
  };
}

/** Serves a directory to pages. */
export function servePages(directory: string) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch({ url }) {
      const { pathname } = new URL(url);
      if (pathname === "/")
        return new Response("<!doctype html><title>Reader</title>", {
          headers: { "content-type": "text/html" },
        });
      const file = Bun.file(join(directory, pathname));
      return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
    },
  });
}
