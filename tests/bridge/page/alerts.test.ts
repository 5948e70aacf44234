import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { alertsOf, newRule, RULES, send } from "../../alerts/support";
import { newWebhook } from "../../alerts/targets/support";
import { WebhookStandIn } from "../../stand-ins/webhook";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { done, eventually, soon } from "../../support/expectations";
import { newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { share } from "../../tracking/shares/support";
import { createZone, fix, northOf } from "../../tracking/support";
import {
  countSounds,
  DESKTOP,
  expectAccessible,
  expectQuiet,
  gone,
  openBridge,
  PHONE,
  sounds,
  WALK,
} from "./support";

/** Alerts, rules and targets on the page. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let hook: WebhookStandIn;

beforeAll(async () => {
  if (!chromium) return;
  hook = new WebhookStandIn();
  [server, browser] = await Promise.all([
    TestServer.start({ settings: { "notifications.allowed_hosts": "127.0.0.1" } }),
    startBrowser(chromium),
  ]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop(), hook.stop()]);
});

const bar = (page: Page) => page.getByRole("region", { name: "Open alerts" });
const goTo = (page: Page, place: string) =>
  page.evaluate((place) => {
    location.hash = place;
  }, place);

/** Makes the browser refuse sound before a touch, whatever it thinks of a page that a test has opened. */
function silentUntilTouched(): void {
  let isTouched = false;
  addEventListener(
    "click",
    () => {
      isTouched = true;
    },
    true,
  );
  const { BaseAudioContext } = globalThis as unknown as { BaseAudioContext: { prototype: object } };
  const { prototype } = BaseAudioContext;
  const state = Object.getOwnPropertyDescriptor(prototype, "state")?.get;
  Object.defineProperty(prototype, "state", {
    get() {
      return isTouched ? state?.call(this) : "suspended";
    },
  });
}

describe.skipIf(!chromium)("a rule", () => {
  test("is made by the form; its alarm is on top of everything, is heard, and is acknowledged with a note", async () => {
    const van = await server.device("Van 3");
    await createZone(server, { name: "Depot" });
    await newWebhook(server, hook.url, { name: "Crew", is_default: true });
    const visit = await openBridge(browser, server, ADMIN, { at: "/alerts/rules", size: DESKTOP });
    const { page } = visit;
    await page.getByText("No rules yet").waitFor();
    await page.getByRole("link", { name: "New rule" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Leaves the depot");
    await page.getByLabel("Which zones?").selectOption("some");
    await page.getByRole("button", { name: "Make the rule" }).click();
    // An empty list would mean all zones: it is asked for before anything is sent.
    await page.getByRole("alert").getByText("Choose at least one").waitFor();
    await page.getByLabel("Depot").check();
    await page.getByLabel("Which devices?").selectOption("some");
    await page.getByLabel("Van 3").check();
    await page.getByRole("button", { name: "Device {device}" }).click();
    await page.getByLabel("In your own words").press("End");
    await page.keyboard.type(" has left!");
    await page.getByText("Van 3 has left!", { exact: true }).waitFor();
    await page.getByText("Times and patience").click();
    await page.getByLabel("Only at certain times").check();
    await page.getByLabel("From").fill("00:00");
    await page.getByLabel("To", { exact: true }).fill("00:00");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Make the rule" }).click();
    await page.getByText("leaves a zone · one device · 00:00–00:00").waitFor();
    const [rule] = done(await server.get(RULES, { token: await server.admin() })).data;
    expect(rule).toMatchObject({ message: "{device} has left!", target_ids: null, device_ids: [van.id] });

    await countSounds(page);
    await send(server, van);
    await send(server, van, northOf(fix(), 5));
    await bar(page).getByText("Van 3 has left!").waitFor();
    await bar(page).getByText("Alarm", { exact: true }).waitFor();
    await eventually(async () => (await sounds(page)).started > 0);
    await soon(async () => expect(await page.title()).toStartWith("ALARM: Van 3 has left!"));
    await soon(async () =>
      expect(await page.locator("[aria-live=assertive]").textContent()).toBe("Alarm: Van 3 has left!"),
    );
    await goTo(page, "#/alerts/open");
    await page.getByRole("link", { name: "Van 3 has left!" }).nth(1).waitFor();
    await expectAccessible(page);
    await bar(page).getByRole("button", { name: "Mute" }).click();
    await eventually(async () => (await sounds(page)).stopped > 0);
    // The browser's audio rests while there is nothing to sound.
    await eventually(async () => (await sounds(page)).state === "suspended");
    // It is above other views too.
    await goTo(page, "#/devices");
    await bar(page).getByRole("button", { name: "Acknowledge" }).click();
    await bar(page).getByLabel("Note for the others").fill("On my way");
    await bar(page).getByRole("button", { name: "Acknowledge" }).click();
    await bar(page).waitFor({ state: "detached" });
    const [alert] = await alertsOf(server, `&device_id=${van.id}`);
    expect(alert).toMatchObject({ status: "acknowledged", acknowledge_note: "On my way" });
    await soon(async () => expect(await page.title()).toBe("Devices – Fairlead"));
    await goTo(page, `#/alerts/${alert.id}`);
    await page.getByText("On my way").waitFor();
    await page.getByText("Acknowledged by you").waitFor();
    await page.getByText("Crew").first().waitFor();
    await page.getByText("Arrived").first().waitFor();
    // The van comes back: the alert is over by itself.
    await goTo(page, "#/alerts/cleared");
    await page.getByText("No alerts so far").waitFor();
    await send(server, van);
    await page.getByRole("link", { name: "Van 3 has left!" }).waitFor();
    expectQuiet(visit);
  });

  test("has its open alerts by pages, of which the last that is left is shown once the one after it is empty", async () => {
    const rule = await newRule(server, { type: "speed", above_knots: 5 });
    const boats = await Promise.all(Array.from({ length: 21 }, () => server.device()));
    for (const boat of boats) await send(server, boat, { speed_knots: 9 });
    await eventually(async () => (await alertsOf(server, "&status=open")).length === 21);
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE, at: "/alerts/open" });
    const { page } = visit;
    const listed = page.locator("main ul.rows > li");
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("Page 2 of 2").waitFor();
    await soon(async () => expect(await listed.count()).toBe(1));
    // Another list begins with its own first page.
    await page.getByRole("link", { name: "Acknowledged", exact: true }).click();
    await page.getByText("Nothing that somebody cares for").waitFor();
    await page.getByRole("link", { name: "Open", exact: true }).click();
    await page.getByText("Page 1 of 2").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await soon(async () => expect(await listed.count()).toBe(1));
    const [oldest] = await alertsOf(server, "&status=open");
    const path = `/v1/alerts/${oldest.id}/acknowledge`;
    done(await server.post(path, { token: await server.admin(), body: {} }));
    await soon(async () => expect(await listed.count()).toBe(20));
    expectQuiet(visit);
    await server.delete(`${RULES}/${rule.id}`, { token: await server.admin() });
  });

  test("of every kind has its form, in the reader's units, and can be switched off and deleted", async () => {
    const rule = await newRule(server, { type: "speed", above_knots: 10 }, { name: "Too fast" });
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE });
    const { page } = visit;
    await page.evaluate(() => localStorage.setItem("fairlead.speed", "kmh"));
    await page.goto(`${page.url().replace(/#.*/, "")}#/alerts/rules/${rule.id}`);
    await page.reload();
    const field = page.getByLabel("Faster than (km/h)");
    await soon(async () => expect(await field.inputValue()).toBe("18.52"));
    await field.fill("37.04");
    await page.getByRole("button", { name: "Save the rule" }).click();
    await page.getByText("faster than 37 km/h").waitFor();
    const read = async () =>
      done(await server.get(`${RULES}/${rule.id}`, { token: await server.admin() })).data;
    expect((await read()).condition.above_knots).toBeCloseTo(20, 6);
    await page.getByRole("link", { name: "Too fast" }).click();
    const labels: Record<string, string> = {
      silence: "No position for",
      battery: "Below (%)",
      system: "Megabytes",
      anchor: "Which devices?",
    };
    for (const [type, label] of Object.entries(labels)) {
      await page.getByLabel("What is to be told?").selectOption(type);
      await page.getByLabel(label, { exact: true }).waitFor();
    }
    await page.getByLabel("What is to be told?").selectOption("battery");
    await page.getByLabel("Below (%)").fill("30");
    await page.getByRole("button", { name: "Save the rule" }).click();
    await page.getByText("battery below 30 %").waitFor();
    await page.getByRole("link", { name: "Too fast" }).click();
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("button", { name: "Switch on" }).waitFor();
    expect(await read()).toMatchObject({
      is_active: false,
      condition: { type: "battery", below_percent: 30 },
    });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Delete this rule" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("link", { name: "New rule" }).waitFor();
    await gone(page.getByText("Too fast"));
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("a target", () => {
  test("is added with its secret shown once, tested in words, and tried again", async () => {
    const visit = await openBridge(browser, server, ADMIN, { at: "/alerts/targets/new", size: PHONE });
    const { page } = visit;
    await page.getByLabel("How is it reached?").selectOption("webhook");
    await page.getByLabel("Name", { exact: true }).fill("Hook");
    await page.getByLabel("Address to post to").fill(hook.url);
    await page.getByLabel("Use it wherever").uncheck();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const secret = page.locator(".copyable code");
    await secret.waitFor();
    expect(await secret.textContent()).toStartWith("whsec_");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText(/^The test arrived after \d+ ms/).waitFor();
    hook.answer(() => new Response(null, { status: 500 }));
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText(/^The test failed/).waitFor();
    hook.answer();
    await page.getByText("Sent there").waitFor();
    await page.getByRole("button", { name: "New secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
    await secret.waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("link", { name: "Change" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Hook of the crew");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Hook of the crew" }).waitFor();
    await page.getByRole("button", { name: "Delete this target" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("link", { name: "Add a target" }).waitFor();
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("a user without rights to alerts", () => {
  test("makes rules for devices that they manage, and sees nothing else", async () => {
    const [boat, user] = [await server.device("Vilm"), await newUser(server)];
    await server.device("Somebody else's");
    await share(server, boat.id, user.id, "manage");
    const visit = await openBridge(browser, server, user, { at: "/alerts", size: DESKTOP });
    const { page } = visit;
    await page.getByText("No rules yet").waitFor();
    await soon(async () => expect(await page.locator(".tabs a").allTextContents()).toEqual(["Rules"]));
    await page.getByRole("link", { name: "New rule" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Falls silent");
    await page.getByLabel("Vilm").check();
    expect(await page.locator(".choices label").allTextContents()).toEqual(["Vilm"]);
    await page.getByRole("button", { name: "Make the rule" }).click();
    await page.getByText("silent for 1 h 00 min · one device").waitFor();
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("alarms that can't be heard", () => {
  test("are told of: before the page was touched, and while the connection is lost", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE });
    const { page } = visit;
    // A page that opens by itself, as a display at the helm does.
    const untouched = await page.context().newPage();
    await untouched.addInitScript(silentUntilTouched);
    await untouched.goto(page.url());
    await untouched.getByText("Alarms make no sound here until you touch this page.").waitFor();
    await expectAccessible(untouched);
    await untouched.getByRole("button", { name: "Switch the sound on" }).click();
    await untouched.getByText("Alarms make no sound here").waitFor({ state: "detached" });
    expectQuiet(visit);
    await server.stop("SIGKILL");
    await untouched.getByText("New alarms can't be heard here until it is back.").waitFor();
  });
});
