/**
 * `bun run screenshots`: pictures of the page's main views, with the demo's fleet on it, into docs/screenshots. Needs Debian's
 * Chromium.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchChromium } from "../../support/chromium";

const ROOT = join(import.meta.dir, "../../..");
const TARGET = join(ROOT, "docs/screenshots");
const USERNAME = "skipper";

const PHONE = { width: 390, height: 844 };
const TABLET = { width: 820, height: 1180 };
const DESKTOP = { width: 1440, height: 900 };

/** Milliseconds until a view has drawn all that it has, on a slow machine. */
const MOMENT = 12_000;

interface Picture {
  name: string;
  /** The place behind the #; `DEVICE` and `TRIP` stand for those of the demo's boat. */
  at: string;
  size: { width: number; height: number };
  look?: "light" | "dark" | "night";
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

/** A port that is free now. */
function freePort(): number {
  const server = Bun.serve({ port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port ?? 0;
}

/** Starts the demo; resolves with its address and password once it tells them. */
async function startDemo() {
  const port = freePort();
  // At its own pace: else the average of a trip is ten times the speed that its boat reports.
  const demo = Bun.spawn([process.execPath, "src/main.ts", "demo", "--port", String(port), "--speed", "1"], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "inherit",
  });
  let told = "";
  for await (const part of demo.stdout) {
    told += new TextDecoder().decode(part);
    const password = new RegExp(`${USERNAME} / (\\S+)`).exec(told)?.[1];
    if (password) return { demo, url: `http://127.0.0.1:${port}`, password };
  }
  throw new Error(`the demo ended: ${told}`);
}

async function main(): Promise<void> {
  mkdirSync(TARGET, { recursive: true });
  const browser = await launchChromium();
  const { demo, url, password } = await startDemo();
  try {
    const page = await browser.newPage({ locale: "en", reducedMotion: "reduce" });
    await page.goto(url);
    await page.getByLabel("Username or email address").fill(USERNAME);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".shell").waitFor();
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
    await Promise.all([browser.close(), demo.exited]);
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
  // Lists and charts come after the frame, and the map last: a picture a moment later has them all.
  await page.waitForTimeout(MOMENT);
  // The page asks for a first touch, which whoever looks at it has given it.
  const sound = page.getByRole("button", { name: /^(Switch the sound on|Ton einschalten)$/ });
  if (await sound.isVisible()) await sound.click();
  await sound.waitFor({ state: "detached" });
  await before?.(page);
  await page.screenshot({ path: join(TARGET, `${name}.png`) });
}

await main();
