import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page, Request } from "playwright-core";
import { newRule } from "../../alerts/support";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { done, eventually } from "../../support/expectations";
import { newUser, staff, type User } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { type Level, share } from "../../tracking/shares/support";
import { createTrip, createZone, fix, moveTrip, northOf, postPoint } from "../../tracking/support";
import { expectQuiet, openBridge, PHONE, WALK } from "./support";

/**
 * Users with few rights on the page, each through all that it offers them: no request is refused, which a browser would report as an
 * error, and nothing says that it failed.
 */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let boat: { id: string; key: string };
/** Names of what the server keeps, which users without a right to it never see. */
const SECRETS = { zone: "Depot of the firm", trip: "Voyage of the firm", rule: "Rule of the firm" };

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
  const token = await server.admin();
  boat = await server.device("Greif");
  await server.device("Hidden");
  await createZone(server, { name: SECRETS.zone });
  const { id } = await createTrip(server, { name: SECRETS.trip, device_id: boat.id });
  await moveTrip(server, id, "active");
  const time = Math.floor(Date.now() / 1_000);
  for (const at of [0, 1, 2])
    await postPoint(server, boat.key, { ...northOf(fix(), at), timestamp: time - 200 + at * 60 });
  await newRule(server, { type: "zone", event: "exit", geofence_ids: [] }, { name: SECRETS.rule });
  const anchor = { radius_m: 50, silence_seconds: 86_400 };
  done(await server.put(`/v1/devices/${boat.id}/anchor`, { token, body: anchor }));
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

/** Milliseconds without a request after which a page has asked for all that it shows. */
const PAUSE = 150;

/**
 * Counts the requests of a page. Returns the function that waits until none is under way and nothing is said to be loading. It asks
 * the page when it may be so, not all the time: each question makes the page draw.
 */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let last = Date.now();
  page.on("request", (request) => open.add(request));
  const end = (request: Request) => {
    open.delete(request);
    last = Date.now();
  };
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  const isQuiet = () => open.size === 0 && Date.now() - last > PAUSE;
  return () =>
    eventually(async () => {
      await eventually(isQuiet);
      // A frame that is drawn asks for more in the next one.
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            const { requestAnimationFrame } = globalThis as unknown as {
              requestAnimationFrame: (then: () => void) => void;
            };
            requestAnimationFrame(() => setTimeout(resolve));
          }),
      );
      const isLoading = (await page.locator("main .loading, main [aria-busy=true]").count()) > 0;
      return !isLoading && isQuiet();
    });
}

/** The places in the page that it offers from where it is. */
const offered = (page: Page): Promise<string[]> =>
  page
    .locator("a[href^='#/']")
    .evaluateAll((links) =>
      links.map((link) => (link as unknown as { getAttribute: (of: string) => string }).getAttribute("href")),
    );

/** Goes through every place that the page offers, and every place that these offer. Resolves with all of them, and what they say. */
async function walk(
  page: Page,
  look: (place: string) => Promise<void> = async () => {},
): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const settled = watchRequests(page);
  const open = ["#/menu"];
  for (let place = open.shift(); place !== undefined; place = open.shift()) {
    if (seen.has(place)) continue;
    await page.evaluate((hash) => {
      location.hash = hash;
    }, place);
    await settled();
    const main = page.locator("main");
    seen.set(place, (await main.textContent()) ?? "");
    const refusals = await page.locator("main .notice.bad, main [role=alert]").allTextContents();
    expect({ place, refusals: refusals.filter(Boolean) }).toEqual({ place, refusals: [] });
    await look(place);
    open.push(...(await offered(page)));
  }
  return seen;
}

const VIEWS = ["admin", "alerts", "anchor", "figures", "links", "trips", "water", "zones"];

/** The views that a walk led through. */
const viewsOf = (seen: Map<string, string>): string[] =>
  [...new Set([...seen.keys()].map((place) => place.split(/[/?]/)[1] ?? ""))].sort();

/** Walks through the page as a user, and expects these views, and no errors. */
async function expectWalk(user: User, views: string[]): Promise<string> {
  const visit = await openBridge(browser, server, user, { size: PHONE });
  const seen = await walk(visit.page);
  expect(viewsOf(seen)).toEqual(views);
  // An address may be typed, or kept from before a right was lost.
  for (const hidden of VIEWS.filter((view) => !views.includes(view))) {
    await visit.page.evaluate((hash) => {
      location.hash = hash;
    }, `#/${hidden}`);
    await visit.page.getByText("This view isn't for this account.").waitFor();
  }
  expectQuiet(visit);
  return [...seen.values()].join("\n");
}

const sharing = async (level: Level): Promise<User> => {
  const user = await newUser(server);
  await share(server, boat.id, user.id, level);
  return user;
};

/** Elements of the view that are wider than it, but for rows that are scrolled on purpose. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number }; querySelectorAll: (of: string) => Iterable<Box> };
      innerWidth: number;
    };
    interface Box {
      className: string;
      getBoundingClientRect: () => { right: number; width: number };
      closest: (of: string) => unknown;
    }
    const found = [...document.querySelectorAll("main *")].filter(
      (each) =>
        each.getBoundingClientRect().width > 0 &&
        each.getBoundingClientRect().right > innerWidth + 1 &&
        !each.closest(".tabs, .scroll"),
    );
    const page = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
    return [...page, ...found.map(({ className }) => String(className))];
  });

describe.skipIf(!chromium)("the page of an administrator", () => {
  test("fits a phone in every place that it offers, in the longest words, and nothing is refused", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE, language: "de" });
    const seen = await walk(visit.page, async (place) => {
      expect({ place, tooWide: await tooWide(visit.page) }).toEqual({ place, tooWide: [] });
    });
    expectQuiet(visit);
    expect(viewsOf(seen)).toEqual(["day", "devices", "map", "me", "menu", ...VIEWS].sort());
  });
});

describe.skipIf(!chromium)("the page of a user", () => {
  test("without any right shows who they are, and says that nothing is shared with them", async () => {
    const said = await expectWalk(await newUser(server), ["day", "devices", "map", "me", "menu"]);
    expect(said).toContain("Nobody has added a device yet, or shared one with you.");
    for (const secret of ["Greif", ...Object.values(SECRETS)]) expect(said).not.toContain(secret);
  });

  test("who may read positions alone shows them by the ends of their devices' identifiers", async () => {
    const user = await staff(server, "gps:read");
    const views = ["day", "devices", "figures", "map", "me", "menu", "water"];
    const said = await expectWalk(user, views);
    expect(said).toContain(boat.id.slice(-6));
    for (const secret of ["Greif", ...Object.values(SECRETS)]) expect(said).not.toContain(secret);
  });

  test("who may read devices alone, or alerts, hears no positions, and asks for none again and again", async () => {
    const said = await expectWalk(await staff(server, "devices:read"), [
      "day",
      "devices",
      "map",
      "me",
      "menu",
    ]);
    expect(said).toContain("Greif");
    const views = ["alerts", "anchor", "day", "devices", "map", "me", "menu"];
    expect(await expectWalk(await staff(server, "devices:read", "alerts:read"), views)).toContain(
      SECRETS.rule,
    );
  });

  test("who may write trips and zones, and read no categories or devices, is offered both", async () => {
    const user = await staff(server, "trips:read", "trips:write", "geofences:read", "geofences:write");
    const views = ["day", "devices", "map", "me", "menu", "trips", "zones"];
    expect(await expectWalk(user, views)).toContain(SECRETS.zone);
  });

  test("who may read water levels alone is told that there is no source of them", async () => {
    const said = await expectWalk(await staff(server, "pegel:read"), [
      "day",
      "devices",
      "map",
      "me",
      "menu",
      "water",
    ]);
    expect(said).toContain("Water levels are switched off");
  });

  test("with whom a place is shared shows where it is, and no past", async () => {
    const said = await expectWalk(await sharing("now"), ["day", "devices", "map", "me", "menu"]);
    expect(said).toContain("Greif");
    for (const secret of ["Hidden", ...Object.values(SECRETS)]) expect(said).not.toContain(secret);
  });

  test("with whom a history is shared shows its days, trips and figures", async () => {
    const views = ["day", "devices", "figures", "map", "me", "menu", "trips"];
    const said = await expectWalk(await sharing("history"), views);
    expect(said).toContain(SECRETS.trip);
    for (const secret of ["Hidden", SECRETS.rule]) expect(said).not.toContain(secret);
  });

  test("who manages a device by a share shows its anchor watch, rules, apps and shares too", async () => {
    const views = ["alerts", "anchor", "day", "devices", "figures", "map", "me", "menu", "trips"];
    const said = await expectWalk(await sharing("manage"), views);
    for (const secret of ["Hidden", SECRETS.rule]) expect(said).not.toContain(secret);
  });
});
