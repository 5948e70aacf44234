/**
 * `bun run screenshots`: pictures of the page's main views, with the demo's fleet on it, into docs/screenshots. Needs Debian's
 * Chromium.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { chromium, startBrowser } from "../../support/browser";
import { freePort } from "../../support/program";
import { DESKTOP, type Look, mapReady, PHONE, signInOn, TABLET } from "./support";

const ROOT = join(import.meta.dir, "../../..");
const TARGET = join(ROOT, "docs/screenshots");
const USERNAME = "skipper";

interface Picture {
  name: string;
  /** The place behind the #; `DEVICE` and `TRIP` stand for those of the demo's boat. */
  at: string;
  size: { width: number; height: number };
  look?: Look;
  language?: "en" | "de";
  /** Done before the picture is taken. */
  before?: (page: Page) => Promise<unknown>;
}

const choose = (page: Page) => page.getByRole("button", { name: /Play|Abspielen/ }).focus();

const PICTURES: readonly Picture[] = [
  { name: "map", at: "/map", size: DESKTOP },
  { name: "devices", at: "/devices", size: PHONE, look: "dark" },
  { name: "day", at: "/day/DEVICE", size: DESKTOP, look: "dark", before: choose },
  { name: "zones", at: "/zones", size: TABLET },
  { name: "alerts", at: "/alerts", size: PHONE },
  { name: "anchor", at: "/anchor/ANCHORED", size: PHONE, look: "night" },
  { name: "trip", at: "/trips/TRIP", size: TABLET, language: "de" },
  { name: "statistics", at: "/figures", size: DESKTOP },
];

/** Starts the demo; resolves with its address and password once it tells them. */
async function startDemo() {
  const port = await freePort();
  const demo = Bun.spawn([process.execPath, "src/main.ts", "demo", "--port", String(port)], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "inherit",
  });
  let told = "";
  for await (const part of demo.stdout.pipeThrough(new TextDecoderStream())) {
    told += part;
    const password = new RegExp(`${USERNAME} / (\\S+)`).exec(told)?.[1];
    if (password) return { demo, url: `http://127.0.0.1:${port}`, password };
  }
  throw new Error(`the demo ended: ${told}`);
}

async function main(): Promise<void> {
  if (!chromium) throw new Error("there is no Chromium here: apt-get install chromium");
  mkdirSync(TARGET, { recursive: true });
  const [{ demo, url, password }, browser] = await Promise.all([startDemo(), startBrowser(chromium)]);
  try {
    const { page } = await browser.visit(url);
    await signInOn(page, USERNAME, password);
    const ids = await page.evaluate(async () => {
      const read = async (path: string) =>
        (await fetch(path, { headers: { "x-fairlead-page": "1" } })).json() as Promise<{
          data: Record<string, string>[];
        }>;
      const [trips, anchors] = await Promise.all([read("v1/trips"), read("v1/anchor-watches")]);
      return {
        TRIP: trips.data[0]?.id ?? "",
        DEVICE: trips.data[0]?.device_id ?? "",
        ANCHORED: anchors.data[0]?.device_id ?? "",
      };
    });
    for (const picture of PICTURES) {
      await take(page, picture, ids);
      process.stdout.write(`docs/screenshots/${picture.name}.png\n`);
    }
  } finally {
    demo.kill();
    await Promise.all([browser.stop(), demo.exited]);
  }
}

async function take(page: Page, picture: Picture, ids: Record<string, string>): Promise<void> {
  const { name, at, size, look = "light", language = "en", before } = picture;
  await page.setViewportSize(size);
  await page.evaluate(
    ([look, language, at]) => {
      localStorage.setItem("fairlead.look", look as string);
      localStorage.setItem("fairlead.language", language as string);
      location.hash = at as string;
    },
    [look, language, at.replace(/[A-Z]{4,}/g, (word) => ids[word] ?? word)],
  );
  await page.reload();
  await page.locator(".shell").waitFor();
  // Lists and charts come after the frame, and the map last.
  await page.waitForLoadState("networkidle").catch(() => {});
  if (await page.locator(".maplibregl-canvas").isVisible()) await mapReady(page);
  await before?.(page);
  await page.screenshot({ path: join(TARGET, `${name}.png`) });
}

await main();
