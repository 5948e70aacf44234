import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Frame, Locator, Page, Request } from "playwright-core";
import { BOAT, type Browser, type LOCAL, type Visit } from "../../support/browser";
import { eventually } from "../../support/expectations";
import type { TestServer } from "../../support/server";

/** The page as a user walks through it, in a browser that reaches nothing but the server. */

/**
 * Milliseconds that a walk through the page may take on a machine with much else to do. Whatever the page doesn't show in less is
 * told by the wait for it.
 */
export const WALK = 240_000;

export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 820, height: 1180 };
export const DESKTOP = { width: 1440, height: 900 };

export const LOOKS = ["light", "dark", "night"] as const;
export type Look = (typeof LOOKS)[number];

interface Options {
  size?: { width: number; height: number };
  /** The place behind the #, such as `/devices`. */
  at?: string;
  look?: Look;
  language?: "en" | "de";
  /** The path of the document below the server's address. */
  path?: string;
  /** The name by which the browser opens it: by default one that makes no secure context. */
  host?: typeof BOAT | typeof LOCAL;
}

/** The server's address by an invented name, over plain http: what a browser takes for no secure context. */
export const boatUrl = (server: Pick<TestServer, "url">): string => urlBy(BOAT, server);

export const urlBy = (host: string, server: Pick<TestServer, "url">): string =>
  `http://${host}:${new URL(server.url).port}`;

/** Opens the page as whoever has never been here. */
export async function openPage(
  browser: Browser,
  server: Pick<TestServer, "url">,
  { size = DESKTOP, at = "", look = "light", language = "en", path = "/", host = BOAT }: Options = {},
): Promise<Visit> {
  // A proxy serves what is below its path alone: there its own document is the page.
  const first = path.startsWith("/s") || path === "/" ? "/health/live" : `${path}health/live`;
  const base = urlBy(host, server);
  const visit = await browser.visit(base + first, true);
  const { page } = visit;
  await page.setViewportSize(size);
  // A colour that is on its way to another has the contrast of neither.
  await page.emulateMedia({ reducedMotion: "reduce" });
  // Choices are there before the page begins.
  await page.evaluate(
    ([look, language]) => {
      localStorage.setItem("fairlead.look", look as string);
      localStorage.setItem("fairlead.language", language as string);
    },
    [look, language],
  );
  await page.goto(`${base}${path}${at ? `#${at}` : ""}`);
  return visit;
}

/** Signs in by the form that the page shows. */
export async function signInOn(page: Page | Frame, username: string, password: string): Promise<void> {
  await page.getByLabel(/^(Username or email|Benutzername)/).fill(username);
  await page.getByLabel(/^(Password|Passwort)/).fill(password);
  await page.getByRole("button", { name: /^(Sign in|Anmelden)$/ }).click();
  await page.locator(".shell").waitFor();
}

/** Opens the page, and signs in. */
export async function openBridge(
  browser: Browser,
  server: Pick<TestServer, "url">,
  { username, password }: { username: string; password: string },
  options: Options = {},
): Promise<Visit> {
  const visit = await openPage(browser, server, options);
  await signInOn(visit.page, username, password);
  return visit;
}

/**
 * Watches a page's requests of the API. What it returns waits until none is under way: one that is when the session ends is
 * refused, which the browser tells of. "networkidle" of the browser says nothing once a page has moved on by its hash, and of
 * scripts that wait for each other the driver reports no end.
 */
export function apiRequestsOf(page: Page): () => Promise<void> {
  const underWay = new Set<Request>();
  const end = (request: Request) => void underWay.delete(request);
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/v1/")) underWay.add(request);
  });
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  return () => eventually(() => underWay.size === 0);
}

/** Waits until the page shows none of these. */
export const gone = (locator: Locator): Promise<void> => locator.first().waitFor({ state: "detached" });

/** Waits until the map has drawn all that it has. */
export async function mapReady(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { stage } = document.querySelector("#map") as unknown as {
      stage?: { map: { loaded: () => boolean; areTilesLoaded: () => boolean } };
    };
    return stage?.map.loaded() === true && stage.map.areTilesLoaded();
  });
}

/** A layer as the map shows it: the properties of the features that are drawn. */
export const drawn = (page: Page, layer: string): Promise<Record<string, unknown>[]> =>
  page.evaluate((layer) => {
    const { stage } = document.querySelector("#map") as unknown as {
      stage: {
        map: { queryRenderedFeatures: (of: object) => { properties: Record<string, unknown> }[] };
      };
    };
    return stage.map.queryRenderedFeatures({ layers: [layer] }).map(({ properties }) => properties);
  }, layer);

/** Waits until the map has drawn something of a layer at a point of its own, give or take a few pixels. */
export const drawnAt = async (page: Page, layer: string, at: { x: number; y: number }): Promise<void> => {
  await page.waitForFunction(
    ({ layer, at: { x, y } }) => {
      const { stage } = document.querySelector("#map") as unknown as {
        stage: { map: { queryRenderedFeatures: (area: number[][], of: object) => unknown[] } };
      };
      const area = [
        [x - 3, y - 3],
        [x + 3, y + 3],
      ];
      return stage.map.queryRenderedFeatures(area, { layers: [layer] }).length > 0;
    },
    { layer, at },
  );
};

/**
 * Clicks twice at a point of the window, the second time right after the first by the browser's clock, however long the page
 * takes.
 */
export async function doubleClick(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const timestamp = Date.now() / 1_000;
  const presses = [1, 2].flatMap((clickCount) =>
    (["mousePressed", "mouseReleased"] as const).map((type) => ({ type, clickCount })),
  );
  await page.mouse.move(x, y);
  await Promise.all(
    presses.map((press, at) =>
      session.send("Input.dispatchMouseEvent", {
        ...press,
        ...{ x, y, button: "left", buttons: press.type === "mousePressed" ? 1 : 0 },
        timestamp: timestamp + at / 50,
      }),
    ),
  );
  await session.detach();
}

const AXE = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir), "utf8");

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

interface Axe {
  run: (of: Document, options: object) => Promise<{ violations: Violation[] }>;
}

/** Violations of rules of accessibility on the page as it is, each with the elements that it is about; null stands for all rules. */
async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(
    (rules) =>
      (globalThis as unknown as { axe: Axe }).axe.run(document, {
        // Whatever passes is looked at by nobody, and takes most of the time.
        resultTypes: ["violations"],
        ...(rules && { runOnly: rules }),
      }),
    rules,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** The page, as it is, breaks no rule of accessibility in any look. Looks differ in their colours alone, and so in one rule. */
export async function expectAccessible(page: Page): Promise<void> {
  // Colours that are still changing are no look's.
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const look of LOOKS) {
    await page.evaluate((look) => {
      document.documentElement.dataset.look = look;
    }, look);
    const rules = look === "light" ? null : ["color-contrast"];
    expect({ look, violations: await violations(page, rules) }).toEqual({ look, violations: [] });
  }
}

/** The page asked no other host for anything, and its console is clean. */
export const expectQuiet = ({ foreign, errors }: Visit): void =>
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });

interface Sounds {
  started: number;
  stopped: number;
  /** The state of the browser's audio, of which the last sound was; null before the first. */
  state: string | null;
}

/** Counts from now on the sounds that the page starts and stops. */
export const countSounds = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const counted: { started: number; stopped: number; context?: unknown } = { started: 0, stopped: 0 };
    Object.assign(globalThis, { counted });
    const { AudioScheduledSourceNode } = globalThis as unknown as {
      AudioScheduledSourceNode: { prototype: { start: () => void; stop: () => void; context?: unknown } };
    };
    const { start, stop } = AudioScheduledSourceNode.prototype;
    AudioScheduledSourceNode.prototype.start = function () {
      counted.started++;
      counted.context = this.context;
      start.call(this);
    };
    AudioScheduledSourceNode.prototype.stop = function () {
      counted.stopped++;
      stop.call(this);
    };
  });

export const sounds = (page: Page): Promise<Sounds> =>
  page.evaluate(() => {
    const { started, stopped, context } = (
      globalThis as unknown as { counted: Sounds & { context?: { state: string } } }
    ).counted;
    return { started, stopped, state: context?.state ?? null };
  });
