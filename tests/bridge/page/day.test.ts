import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Fix, readTrack, reversed, underWay } from "../../../src/demo/track";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { eventually, soon } from "../../support/expectations";
import { newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import {
  DESKTOP,
  drawn,
  expectAccessible,
  expectQuiet,
  gone,
  mapReady,
  openBridge,
  PHONE,
  WALK,
} from "./support";

/** A day on the page: a recorded voyage is imported, looked at, replayed, and taken along. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let greif: string;
let tender: string;
/** Positions of the voyage that the server keeps. */
let positions: number;

/** Imports fixes for a new device, as a file. Resolves with its identifier and the number of positions. */
async function imported(name: string, fixes: readonly Fix[]): Promise<[id: string, positions: number]> {
  const token = await server.admin();
  const { id } = (await server.post("/v1/devices", { token, body: { name } })).body.data;
  const lines = fixes.map((fix) => [fix.time, fix.latitude, fix.longitude, fix.heading, fix.speed].join(","));
  const raw = ["timestamp,latitude,longitude,heading,speed_mps", ...lines].join("\n");
  const headers = { "content-type": "text/csv" };
  const { status, body } = await server.post(`/v1/devices/${id}/import`, { token, raw, headers });
  expect(status).toBe(200);
  return [id, body.positions];
}

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
  const voyage = underWay(await readTrack());
  [greif, positions] = await imported("Greif", voyage);
  [tender] = await imported("Tender", reversed(voyage.filter((_, at) => at % 10 === 0)));
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

const slider = (page: Page) => page.getByRole("slider");
const timeOf = async (page: Page): Promise<number> => Number(await slider(page).inputValue());
/** Waits until the slider stands at a time. */
const standsAt = (page: Page, time: number) => soon(async () => expect(await timeOf(page)).toBe(time));
/** Waits until the date is this one. */
const showsDay = (page: Page, date: string) =>
  soon(async () => expect(await page.getByLabel("Date").inputValue()).toBe(date));

/** The places at which the replayed devices are drawn, by their names. */
const places = (page: Page): Promise<Record<string, [number, number]>> =>
  page.evaluate(() => {
    const { stage } = document.querySelector("#map") as unknown as {
      stage: {
        map: {
          querySourceFeatures: (source: string) => {
            properties: { name: string };
            geometry: { coordinates: [number, number] };
          }[];
        };
      };
    };
    return Object.fromEntries(
      stage.map
        .querySourceFeatures("day-now")
        .map(({ properties: { name }, geometry: { coordinates } }) => [name, coordinates]),
    );
  });

describe.skipIf(!chromium)("a skipper", () => {
  test("looks at a voyage, replays it at sixty times its pace, and takes it along", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: DESKTOP, at: `/day/${greif}` });
    const { page } = visit;
    // The day of the newest position is what is opened.
    await slider(page).waitFor();
    await showsDay(page, "2013-06-30");
    await page.getByRole("heading", { name: "In all" }).waitFor();
    await mapReady(page);
    await eventually(async () => (await drawn(page, "day-lines")).length > 0);
    await soon(async () => expect((await places(page)).Greif?.[1]).toBeCloseTo(54.34, 1));
    const before = (await places(page)).Greif;

    // Played, the boat leaves for the south.
    await page.getByRole("button", { name: "60 times" }).click();
    const begun = await timeOf(page);
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(
      (begun) =>
        Number((document.querySelector("input[type=range]") as { value: string } | null)?.value) >
        begun + 120,
      begun,
    );
    await page.getByRole("button", { name: "Pause" }).click();
    await soon(async () => {
      const { Greif } = await places(page);
      expect(Greif).toBeDefined();
      expect(Greif).not.toEqual(before);
    });
    expect(await slider(page).getAttribute("aria-valuetext")).toMatch(/^\d\d:\d\d:\d\d, \d+\.\d kn$/);

    // By the keyboard.
    await slider(page).focus();
    await page.keyboard.press("End");
    const end = Number(await slider(page).getAttribute("max"));
    await standsAt(page, end);
    await page.keyboard.press("Home");
    await standsAt(page, begun);
    await page.keyboard.press("ArrowRight");
    await soon(async () => expect(await timeOf(page)).toBeGreaterThan(begun));
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Play" }).waitFor();

    // By a tap on the graph, and on an entry of the list.
    const graph = await page.locator(".speed-graphs svg").boundingBox();
    if (!graph) throw new Error("there is no graph");
    await page.mouse.click(graph.x + graph.width / 2, graph.y + 20);
    await soon(async () => expect((await timeOf(page)) / 2 - (begun + end) / 4).toBeWithin(-60, 60));
    await page.locator(".moves button").first().click();
    await standsAt(page, begun);
    await expectAccessible(page);

    // Another boat joins, by the same clock.
    await page.getByText("Show other devices too").click();
    await page.getByLabel("Tender").check();
    await page.getByRole("heading", { name: "Tender: Moves and stops" }).waitFor();
    await slider(page).focus();
    await page.keyboard.press("PageUp");
    await page.waitForFunction(() =>
      /Greif: .*Tender: /.test(
        document.querySelector("input[type=range]")?.getAttribute("aria-valuetext") ?? "",
      ),
    );
    await soon(async () => {
      const { Greif, Tender } = await places(page);
      expect(Greif?.[1]).toBeGreaterThan(Tender?.[1] ?? Number.POSITIVE_INFINITY);
    });
    await page.getByLabel("Tender").uncheck();
    await page.getByRole("heading", { name: "Moves and stops", exact: true }).waitFor();

    // All of it, not only what is drawn.
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "GPX" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toEndWith(".gpx");
    const text = await Bun.file(await file.path()).text();
    expect(text.match(/<trkpt/g)?.length).toBe(positions);

    // A day on which nothing was recorded says what to do.
    await page.getByRole("button", { name: "Previous day" }).click();
    await page.getByText("No positions in this time").waitFor();
    await showsDay(page, "2013-06-29");
    await expectAccessible(page);
    await page.getByRole("button", { name: /^Show the last day with positions/ }).click();
    await slider(page).waitFor();
    // A year is opened as well, and replayed faster.
    await page.getByLabel("Span").selectOption("Year");
    await page.getByRole("button", { name: "Previous year" }).waitFor();
    await page.getByText("No positions in this time").waitFor({ state: "hidden" });
    await slider(page).waitFor();
    await soon(async () => expect(new URL(page.url()).hash).toContain("span=year"));
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("somebody with whom a device is shared", () => {
  test("replays it on a phone where its history is shared, and else is told why not", async () => {
    const user = await newUser(server);
    const token = await server.admin();
    const share = (id: string, level: string) =>
      server.put(`/v1/devices/${id}/shares/${user.id}`, { token, body: { level } });
    await share(greif, "history");
    await share(tender, "now");
    const options = { size: PHONE, at: "/day", language: "de" } as const;
    const visit = await openBridge(browser, server, user, options);
    const { page } = visit;
    // The one whose past may be seen is opened.
    await slider(page).waitFor();
    await page.getByRole("heading", { name: "Insgesamt" }).waitFor();
    await page.getByRole("button", { name: "60-fach" }).click();
    const begun = await timeOf(page);
    await page.getByRole("button", { name: "Abspielen" }).click();
    await page.waitForFunction(
      (begun) =>
        Number((document.querySelector("input[type=range]") as { value: string } | null)?.value) > begun + 30,
      begun,
    );
    await page.getByRole("button", { name: "Anhalten" }).click();
    await expectAccessible(page);
    await page.getByLabel("Gerät", { exact: true }).selectOption({ label: "Tender" });
    await page.getByText("Du darfst sehen, wo Tender jetzt ist, aber nicht, wo das Gerät war.").waitFor();
    await gone(slider(page));
    expectQuiet(visit);
  });
});
