import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { expectStatus } from "../../support/expectations";
import { freePort } from "../../support/program";
import { ADMIN, TestServer, temporaryDirectory } from "../../support/server";
import { boatUrl, expectAccessible, expectQuiet, gone, openBridge, PHONE, WALK } from "./support";

/** A server to which much goes wrong, on the German page: it tells of all of it in German. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  if (!chromium) return;
  const nobody = `127.0.0.1:${await freePort()}`;
  const charts = join(temporaryDirectory(), "charts");
  mkdirSync(charts);
  writeFileSync(join(charts, "harbour.mbtiles"), "no database at all");
  const settings = {
    "mqtt.url": `mqtt://${nobody}`,
    "position.source": "nmea",
    "position.url": `tcp://${nobody}`,
    "sync.url": `http://${nobody}`,
    "sync.token": `flb_${"a".repeat(43)}`,
    "vessels.source": "nmea",
    "vessels.url": `tcp://${nobody}`,
    "backup.interval_hours": "24",
    "backup.dir": join(temporaryDirectory(), "unplugged"),
    "map.charts": charts,
    "rate_limit.enabled": "false",
    "server.cors_origins": "*",
  };
  [server, browser] = await Promise.all([TestServer.start({ settings }), startBrowser(chromium)]);
  const token = await server.admin();
  expectStatus(await server.post("/v1/devices", { token, body: { name: "Greif" } }), 201);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

/** Words that no German sentence has, and hardly any English one lacks. */
const ENGLISH = /\b(the|is|are|of|and|not|with|which|cannot|has|it|to)\b/;

const VIEWS = [
  ...["", "devices", "day", "zones", "alerts", "alerts/rules", "alerts/targets", "anchor", "trips", "water"],
  ...[
    "figures",
    "links",
    "admin/users",
    "admin/invitations",
    "admin/roles",
    "admin/keys",
    "admin/audit",
    "admin/clients",
  ],
  ...["admin/configuration", "admin/integrations", "admin/boxes", "admin/server", "me"],
];

/** The texts of the page, each by itself. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const [texts, found] = [document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), [] as string[]];
    while (texts.nextNode()) found.push(texts.currentNode.textContent ?? "");
    return found;
  });

describe.skipIf(!chromium)("a server in trouble", () => {
  test("is told of in German, in every view", async () => {
    const visit = await openBridge(browser, server, ADMIN, { language: "de", size: PHONE });
    const { page } = visit;
    const english: string[] = [];
    for (const view of VIEWS) {
      await page.goto("about:blank");
      await page.goto(`${boatUrl(server)}/#/${view}`);
      await page.locator("h1").first().waitFor({ state: "attached" });
      await gone(page.locator(".loading"));
      english.push(
        ...(await textsOf(page)).filter((line) => ENGLISH.test(line)).map((line) => `${view}: ${line}`),
      );
    }
    expect(english).toEqual([]);
    expectQuiet(visit);
  });

  test("says in each language what is wrong and what to do, and keeps to the one that is chosen", async () => {
    const visit = await openBridge(browser, server, ADMIN, { language: "de", at: "/admin/server" });
    const { page } = visit;
    const row = (title: string, text: string) =>
      page.locator(".row", { hasText: title }).filter({ hasText: text }).first().waitFor();
    await page.getByRole("button", { name: "Jetzt eine machen" }).click();
    await page
      .getByText(/Die letzte ist misslungen .*: die Datei oder der Ordner fehlt \(ENOENT\)/)
      .waitFor();
    await row("MQTT-Broker", "die Verbindung wird abgelehnt");
    await row("Empfänger des Schiffs", "prüfe den Empfänger, seine Antenne und position.url");
    await row("Verbindung zum Land", "die letzte Anfrage ist gescheitert: die Verbindung wird abgelehnt");
    await row("Karten", "harbour.mbtiles ist keine MBTiles-Datei");
    await row("Sicherungen", "hänge den Ordner ein oder lege ihn an");
    await row("Externe Dienste", "ist nicht erreichbar (MQTT-Broker): die Verbindung wird abgelehnt");
    await row("Speicherplatz", " GB frei für ");
    await expectAccessible(page);
    await page.evaluate(() => localStorage.setItem("fairlead.language", "en"));
    await page.reload();
    await row("MQTT broker", "the connection is refused");
    await row("Charts", "harbour.mbtiles is no MBTiles file");
    await page.getByText(/The last one failed .*: ENOENT: no such file or directory/).waitFor();
    expectQuiet(visit);
  });
});
