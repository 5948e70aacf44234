import type { CDPSession, Page } from "playwright-core";
import { bundlePage } from "../../src/bridge/shell/bundle";
import { launchChromium } from "../support/chromium";
import type { Fixture, Place } from "./prepare";
import { type Server, startFairlead } from "./processes";
import { progress } from "./progress";

/**
 * The page of the Bridge in Chromium, with a software renderer: what it weighs, how soon it is there, and what a large fleet costs
 * its main thread. Times of the main thread are processor time, so that other programs on the machine hardly count.
 */

const FLEET = 500;
/** Seconds that the fleet is watched. */
const WATCHED = 20;
/** A day in the year of the long track. */
const DATE_IN_YEAR = "2025-06-15";

export interface PageFigures extends Paint {
  /** Bytes with gzip -9: what the sign-in needs, and all files. */
  shell: number;
  all: number;
  /** Milliseconds of the main thread in a second: while nothing moves, and while the fleet does. */
  still: number;
  moving: number;
  /** Positions a second that came, and drawings of the fleet. */
  positions: number;
  /** Positions of a year, and milliseconds until their track is drawn. */
  year: { positions: number; milliseconds: number };
}

// --- Sizes --------------------------------------------------------------------------------------------------

const STATIC = /(?:from|import)\s*"\.\/([^"]+\.js)"/g;

/** Bytes with gzip -9 of the first script with all that it imports at once and the style, and of all files. */
async function sizes(): Promise<{ shell: number; all: number }> {
  const { files, entries } = await bundlePage();
  const weights = new Map<string, { gzipped: number; imports: string[] }>();
  for (const { name, bytes } of files) {
    const content = await bytes();
    const text = name.endsWith(".js") ? new TextDecoder().decode(content) : "";
    const imports = [...text.matchAll(STATIC)].map(([, imported]) => imported as string);
    weights.set(name, { gzipped: Bun.gzipSync(content, { level: 9 }).byteLength, imports });
  }
  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const imported of weights.get(name)?.imports ?? []) need(imported);
  };
  need(entries.script);
  need(entries.style);
  const sum = (names: Iterable<string>) =>
    [...names].reduce((bytes, name) => bytes + (weights.get(name)?.gzipped ?? 0), 0);
  return { shell: sum(needed), all: sum(weights.keys()) };
}

// --- The fleet ----------------------------------------------------------------------------------------------

interface Sender {
  post: (path: string, body: object) => Promise<{ data: { id: string } }>;
}

function senderTo(address: string, session: string): Sender {
  return {
    post: async (path, body) => {
      const answer = await fetch(address + path, {
        method: "POST",
        headers: { authorization: `Bearer ${session}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as { data: { id: string } };
    },
  };
}

const KNOTS = 8;

/** The position of a boat of the fleet at a time: each sails a circle of its own. */
function positionOf(at: number, time: number) {
  const angle = time / 600 + at;
  const [row, column] = [Math.floor(at / 25), at % 25];
  const heading = ((-angle * 180) / Math.PI) % 360;
  return {
    latitude: 54 + row * 0.02 + 0.006 * Math.sin(angle),
    longitude: 13 + column * 0.035 + 0.01 * Math.cos(angle),
    heading: (heading + 360) % 360,
    timestamp: Math.floor(time),
    ...{ speed_knots: KNOTS, speed_kmh: KNOTS * 1.852, speed_mps: KNOTS * 0.514, speed_mph: KNOTS * 1.151 },
  };
}

/** Posts a position of every boat each second, spread over it. Returns the function that ends it, with their number. */
function sail(to: Sender, ids: readonly string[]): () => Promise<number> {
  let isOver = false;
  let posted = 0;
  const run = async () => {
    while (!isOver) {
      const second = Date.now();
      for (let from = 0; from < ids.length && !isOver; from += 50) {
        const some = ids.slice(from, from + 50);
        await Promise.all(
          some.map((device_id, at) =>
            to.post("/v1/gps", { device_id, ...positionOf(from + at, Date.now() / 1_000) }),
          ),
        );
        posted += some.length;
        const due = second + ((from + 50) / ids.length) * 950;
        if (due > Date.now()) await Bun.sleep(due - Date.now());
      }
      await Bun.sleep(Math.max(0, second + 1_000 - Date.now()));
    }
  };
  const running = run();
  return async () => {
    isOver = true;
    await running;
    return posted;
  };
}

// --- The page -----------------------------------------------------------------------------------------------

/** Milliseconds of the main thread so far. */
async function mainThread(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
}

/** Milliseconds of the main thread in a second. */
async function cost(session: CDPSession, seconds: number): Promise<number> {
  const before = await mainThread(session);
  await Bun.sleep(seconds * 1_000);
  return ((await mainThread(session)) - before) / seconds;
}

interface Held {
  stage?: {
    map: {
      once: (event: "idle", then: () => void) => void;
      getLayer: (id: string) => object | undefined;
      queryRenderedFeatures: (of: { layers: string[] }) => unknown[];
      triggerRepaint: () => void;
    };
  };
}

/** Resolves to the milliseconds since the page was asked for once the map is idle. */
const idle = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          const { stage } = (document.querySelector("#map") ?? {}) as Held;
          if (!stage) return setTimeout(look, 5);
          stage.map.once("idle", () => resolve(performance.now()));
          stage.map.triggerRepaint();
        };
        look();
      }),
  );

/** Layers that show the track: of one with a position an hour, nothing is a line. */
const WAYS = ["day-lines", "day-gaps", "day-stops"];
/** Milliseconds after which the year is given up. */
const PATIENCE = 60_000;

/** Chooses a year in the view of a day, and resolves to the milliseconds until its track is drawn. */
const openYear = (page: Page, deviceId: string): Promise<number> =>
  page.evaluate(
    ([deviceId, date, layers, patience]) =>
      new Promise<number>((resolve, reject) => {
        const begun = performance.now();
        location.hash = `#/day/${deviceId}/${date}?span=year`;
        const { map } = (document.querySelector("#map") as unknown as Required<Held>).stage;
        const look = () => {
          const isDrawn = map.getLayer("day-lines") && map.queryRenderedFeatures({ layers }).length > 0;
          if (isDrawn) resolve(performance.now() - begun);
          else if (performance.now() - begun > patience) reject(new Error("the year isn't drawn"));
          else setTimeout(look, 10);
        };
        look();
      }),
    [deviceId, DATE_IN_YEAR, WAYS, PATIENCE] as const,
  );

/** Waits until the timeline of a device is computed: it is, long before anybody looks back at a year. */
async function computed(address: string, { deviceId, session }: Fixture): Promise<void> {
  const url = `${address}/v1/devices/${deviceId}/timeline?from=2025-01-01&to=2025-12-31&limit=1`;
  for (let isDone = false; !isDone; await Bun.sleep(500)) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${session}` } });
    isDone = ((await answer.json()) as { recomputing_from: string | null }).recomputing_from === null;
  }
}

async function signIn(page: Page, { login }: Fixture): Promise<void> {
  await page.getByLabel(/^Username or email/).fill(login.identifier);
  await page.getByLabel(/^Password/).fill(login.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".shell").waitFor();
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Loads of the page whose times are taken; a first one doesn't count. */
const LOADS = 5;

/** Milliseconds from the request for the page on. */
export interface Paint {
  firstPaint: number;
  mapReady: number;
}

/** Opens the page, signs in, and loads it some times over; medians. */
async function loadOften(page: Page, address: string, fixture: Fixture): Promise<Paint> {
  await page.goto(`${address}/`);
  await signIn(page, fixture);
  await idle(page);
  const loads: Paint[] = [];
  for (let load = 0; load < LOADS; load++) {
    progress(`loading the page: ${load + 1} of ${LOADS}`);
    await page.reload();
    const mapReady = await idle(page);
    const firstPaint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    );
    loads.push({ firstPaint, mapReady });
  }
  return {
    firstPaint: median(loads.map((load) => load.firstPaint)),
    mapReady: median(loads.map((load) => load.mapReady)),
  };
}

/** The start of the page of a server in a browser. */
export async function paintOf({ port, fixture }: Server): Promise<Paint> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 }, locale: "en" });
    return await loadOften(page, `http://127.0.0.1:${port}`, fixture);
  } finally {
    await browser.close();
  }
}

/** Measures the page of a place whose first device has so many positions in a year. */
export async function measurePage(place: Place, positions: number): Promise<PageFigures> {
  progress("bundling the page");
  const weights = await sizes();
  const { port, fixture } = await startFairlead(place);
  const address = `http://127.0.0.1:${port}`;
  const sender = senderTo(address, fixture.session);
  progress(`making ${FLEET} devices`);
  progress("computing the timeline of the year");
  await computed(address, fixture);
  const ids: string[] = [];
  for (let at = 0; at < FLEET; at++) {
    const { data } = await sender.post("/v1/devices", { name: `Boat ${at + 1}` });
    ids.push(data.id);
    await sender.post("/v1/gps", { device_id: data.id, ...positionOf(at, Date.now() / 1_000) });
  }

  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 }, locale: "en" });
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    const paint = await loadOften(page, address, fixture);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    progress("watching a fleet that stands still");
    // The trails of today are asked for first.
    await Bun.sleep(15_000);
    const still = await cost(session, WATCHED);
    progress("watching a fleet that moves");
    const stop = sail(sender, ids);
    await Bun.sleep(5_000);
    const begun = Date.now();
    const moving = await cost(session, WATCHED);
    const seconds = (Date.now() - begun + 5_000) / 1_000;
    const posted = await stop();
    progress(`${still.toFixed(1)} ms still, ${moving.toFixed(1)} ms moving; opening a year`);
    const milliseconds = await openYear(page, fixture.deviceId);
    if (errors.length > 0) throw new Error(`the page's console has errors: ${errors.join("; ")}`);
    return {
      ...weights,
      ...paint,
      ...{ still, moving, positions: posted / seconds, year: { positions, milliseconds } },
    };
  } finally {
    await browser.close();
  }
}

/** Opens the page and signs in, and leaves it open; `tell` hears of its errors. */
export async function openPage(
  { port, fixture }: Server,
  tell: (message: string) => void,
): Promise<{ close: () => Promise<void> }> {
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 }, locale: "en" });
  page.on("pageerror", ({ message }) => tell(message));
  await page.goto(`http://127.0.0.1:${port}/`);
  await signIn(page, fixture);
  await idle(page);
  return browser;
}

export function describePage(figures: PageFigures & { machine: string }): string {
  const { machine, shell, all, firstPaint, mapReady, still, moving, positions, year } = figures;
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`;
  const lines = [
    `The page of the Bridge in headless Chromium with a software renderer, on ${machine}`,
    `shell, gzip -9: ${kilobytes(shell)} (wanted: 60 kB)`,
    `all files, gzip -9: ${kilobytes(all)} (wanted: 520 kB)`,
    `first paint: ${Math.round(firstPaint)} ms (wanted: 1,000 ms)`,
    `map idle: ${Math.round(mapReady)} ms (wanted: 2,500 ms)`,
    `main thread, ${FLEET} devices at rest: ${still.toFixed(1)} ms a second`,
    `main thread, ${FLEET} devices moving, ${Math.round(positions)} positions a second: ${moving.toFixed(1)} ms a second (wanted: 40 ms)`,
    `the track of a year, ${year.positions.toLocaleString("en")} positions, until it is drawn: ${Math.round(year.milliseconds)} ms (wanted: 2,000 ms)`,
  ];
  return `${lines.join("\n")}\n`;
}
