import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium as driver, type Page } from "playwright-core";
import { temporaryDirectory } from "./server";

/**
 * Headless Chromium, driven by Playwright, in which a page reaches nothing but the server that it came from.
 */

/** Debian's executable, or another system's; null where none starts. */
export const chromium: string | null =
  ["chromium", "chromium-browser", "google-chrome"]
    .map((name) => Bun.which(name))
    .find((path) => path !== null && Bun.spawnSync([path, "--version"]).success) ?? null;

/** Milliseconds that a page may take, on a busy machine, to show the content that a test waits for. */
const PAGE_TIMEOUT = 40_000;

/**
 * `SLOWNESS=6 bun test ./tests/bridge/page/map.test.ts` finds races of a test with its page: scripts take six times as long,
 * and each request up to so many times 50 ms longer.
 */
const SLOWNESS = Number(process.env.SLOWNESS ?? 1);
const LATE_BY = 50;

/** A name that the browser takes for this machine: over plain http it makes no secure context, as a box on a boat. */
export const BOAT = "boat.local";

const FLAGS = [
  "--disable-extensions",
  // A map is drawn by WebGL, here without a graphics card.
  ...["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  "--disable-dev-shm-usage",
  // Chromium's own sandbox refuses root, and containers run as root; only our own pages are opened.
  "--no-sandbox",
  // A host name that gets past the request filter isn't resolved.
  `--host-resolver-rules=MAP ${BOAT} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
];

/** A page, and its violations. */
export interface Visit {
  page: Page;
  /** Requests to other origins; they were blocked. */
  foreign: string[];
  /** Errors in the page's console: uncaught exceptions, and violations of its policy. */
  errors: string[];
}

export interface Browser {
  /** Opens an address in a page of its own; without its cookies and choices where `isFresh`. */
  visit: (url: string, isFresh?: boolean) => Promise<Visit>;
  stop: () => Promise<void>;
}

export async function startBrowser(executablePath: string): Promise<Browser> {
  const home = temporaryDirectory();
  const profile = join(home, "profile");
  mkdirSync(profile);
  const context = await driver.launchPersistentContext(profile, {
    executablePath,
    args: FLAGS,
    viewport: { width: 1280, height: 1600 },
    locale: "en",
    env: { ...process.env, HOME: home },
  });
  context.setDefaultTimeout(PAGE_TIMEOUT);
  const fresh = async () => {
    const made = await context
      .browser()
      ?.newContext({ viewport: { width: 1280, height: 1600 }, locale: "en" });
    if (!made) throw new Error("the browser opens no context of its own");
    made.setDefaultTimeout(PAGE_TIMEOUT);
    return made;
  };
  return {
    visit: async (url, isFresh = false) => visit(isFresh ? await fresh() : context, url),
    stop: () => context.close(),
  };
}

async function visit(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage();
  const { origin } = new URL(url);
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  await page.route("**/*", async (route) => {
    const asked = route.request().url();
    if (asked.startsWith(`${origin}/`)) {
      if (SLOWNESS > 1) await Bun.sleep(Math.random() * SLOWNESS * LATE_BY);
      // A request that was given up meanwhile isn't there any more.
      return route.continue().catch(() => {});
    }
    foreign.push(asked);
    return route.abort("addressunreachable");
  });
  if (SLOWNESS > 1) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWNESS });
  }
  await page.goto(url);
  return { page, foreign, errors };
}
