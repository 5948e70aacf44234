import { type BrowserContext, chromium as driver, type Page } from "playwright-core";
import { chromium } from "./chromium";
import { endAfterTest } from "./cleanup";
import { temporaryDirectory } from "./server";

/**
 * Headless Chromium, driven by Playwright, in which a page reaches nothing but the server that it came from.
 */

export { chromium };

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

/** The name of this machine that makes a secure context over plain http: passkeys work there. */
export const LOCAL = "localhost";

/**
 * Off: what Playwright switches off too (a later list replaces its own), and the two pages of the address bar that each window
 * would load unseen.
 */
const FEATURES_OFF = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider"],
  ...["GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding", "Translate"],
  ...["ThirdPartyStoragePartitioning", "BlockOriginHeaderModificationOnRedirect", "OptimizationHints"],
  ...["AvoidCorsURLLoaderRestartOnRedirect", "NetworkTimeServiceQuerying", "AimEnabled"],
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
];

const FLAGS = [
  "--disable-extensions",
  `--disable-features=${FEATURES_OFF.join(",")}`,
  // A map is drawn by WebGL, here without a graphics card; all else is drawn quicker without its imitation.
  ...["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  ...["--disable-gpu-compositing", "--disable-gpu-rasterization"],
  "--disable-dev-shm-usage",
  // Chromium's own sandbox refuses root, and containers run as root; only our own pages are opened.
  "--no-sandbox",
  `--host-resolver-rules=MAP ${BOAT} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
  // Whatever goes to another host goes nowhere: nothing listens at this port.
  ...["--proxy-server=http://127.0.0.1:9", `--proxy-bypass-list=127.0.0.1;localhost;${BOAT}`],
];

/** A page, and its violations. */
export interface Visit {
  page: Page;
  /** Requests to other origins; those to other hosts led nowhere. */
  foreign: string[];
  /** Errors in the page's console: uncaught exceptions, and violations of its policy. */
  errors: string[];
}

export interface Browser {
  /**
   * Opens an address in a page of its own; without its cookies and choices where `isFresh`. One that a test opens is closed after
   * it: a page goes on drawing its map and asking its server, whoever looks.
   */
  visit: (url: string, isFresh?: boolean) => Promise<Visit>;
  stop: () => Promise<void>;
}

export async function startBrowser(executablePath: string): Promise<Browser> {
  const browser = await driver.launch({
    executablePath,
    args: FLAGS,
    env: { ...process.env, HOME: temporaryDirectory() },
  });
  const open = async () => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 1600 },
      // A quarter of the pixels, which nobody looks at, takes half of the time. Lengths are in CSS pixels, as ever.
      deviceScaleFactor: 0.5,
      locale: "en",
    });
    context.setDefaultTimeout(PAGE_TIMEOUT);
    return context;
  };
  let shared: Promise<BrowserContext> | undefined;
  return {
    visit: async (url, isFresh = false) => {
      shared ??= isFresh ? undefined : open();
      const context = await ((isFresh ? undefined : shared) ?? open());
      const visited = await visit(context, url);
      endAfterTest(() => (isFresh ? context.close() : visited.page.close()));
      return visited;
    },
    stop: () => browser.close(),
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
  // Those that the page's policy refuses aren't made.
  page.on("request", (request) => {
    const asked = request.url().replace(/^blob:/, "");
    if (!asked.startsWith(`${origin}/`) && !asked.startsWith("data:")) foreign.push(asked);
  });
  if (SLOWNESS > 1) {
    await page.route("**/*", async (route) => {
      await Bun.sleep(Math.random() * SLOWNESS * LATE_BY);
      // A request that was given up meanwhile isn't there any more.
      await route.continue().catch(() => {});
    });
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWNESS });
  }
  await page.goto(url);
  return { page, foreign, errors };
}
