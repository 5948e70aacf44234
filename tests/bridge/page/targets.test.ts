import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { RULES, send } from "../../alerts/support";
import { newTarget, PATH } from "../../alerts/targets/support";
import { MqttBroker } from "../../stand-ins/mqtt-broker";
import { NtfyStandIn } from "../../stand-ins/ntfy";
import { decodeQuotedPrintable, SmtpStandIn } from "../../stand-ins/smtp";
import { TelegramStandIn } from "../../stand-ins/telegram";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { done, soon } from "../../support/expectations";
import { ADMIN, TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { createZone, fix, northOf } from "../../tracking/support";
import { DESKTOP, expectAccessible, expectQuiet, gone, openBridge, PHONE, WALK } from "./support";

/** Targets of each kind on the page, their quiet times, and an alarm that goes on to others. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let ntfy: NtfyStandIn;
let telegram: TelegramStandIn;
let smtp: SmtpStandIn;
let broker: MqttBroker;

beforeAll(async () => {
  if (!chromium) return;
  [ntfy, telegram] = [new NtfyStandIn(), new TelegramStandIn()];
  [smtp, broker] = await Promise.all([SmtpStandIn.start(), MqttBroker.start()]);
  const settings = {
    ...telegram.settings,
    ...smtp.settings(),
    "notifications.allowed_hosts": ntfy.host,
    "mqtt.url": broker.url,
  };
  [server, browser] = await Promise.all([
    TestServer.start({ clock: "movable", settings }),
    startBrowser(chromium),
  ]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop(), ntfy.stop(), telegram.stop(), smtp.stop()]);
  await broker.stop();
});

/** Adds the target whose form is filled in, and sends a test there. */
async function addAndTest(page: Page, name: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("heading", { name }).waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/^The test arrived after \d+ ms/).waitFor();
  await page.getByText("Arrived", { exact: true }).first().waitFor();
}

const begin = async (page: Page, kind: string): Promise<void> => {
  await page.evaluate(() => {
    location.hash = "#/alerts/targets/new";
  });
  await page.getByLabel("How is it reached?").selectOption(kind);
};

const targetsOf = async () => done(await server.get(PATH, { token: await server.admin() })).data;

describe.skipIf(!chromium)("a target", () => {
  test("is an app by ntfy, a mailbox, a chat of Telegram or a topic of the broker, each tried by its button", async () => {
    const visit = await openBridge(browser, server, ADMIN, { at: "/alerts/targets/new", size: PHONE });
    const { page } = visit;
    await begin(page, "ntfy");
    await page.getByLabel("Topic").fill("boat-alarms-x7");
    await page.getByLabel("Server").fill(ntfy.url);
    await page.getByLabel("Access token").fill(ntfy.token);
    await expectAccessible(page);
    await addAndTest(page, "Skipper's phone");
    expect(ntfy.published).toMatchObject([{ topic: "boat-alarms-x7" }]);

    await begin(page, "email");
    await page.getByLabel("Email address").fill("skipper@example.org");
    await expectAccessible(page);
    await addAndTest(page, "Skipper's mailbox");
    const [mail] = smtp.emails;
    expect(mail?.to).toEqual(["skipper@example.org"]);
    expect(decodeQuotedPrintable(mail?.raw ?? "")).toContain("Skipper's mailbox");

    await begin(page, "telegram");
    await page.getByLabel("The bot's token").fill(telegram.token);
    await page.getByLabel("Chat").fill(telegram.chat);
    await expectAccessible(page);
    await addAndTest(page, "Crew's chat");
    expect(telegram.sent).toMatchObject([{ chat_id: telegram.chat }]);
    // A chat that isn't there is said to be none, in words, and can be changed; the bot's token is kept.
    await page.getByRole("link", { name: "Change" }).click();
    await page.getByLabel("Chat").fill("-5");
    await page.getByText("One is kept. Type another to replace it.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("There is no such chat, or the bot isn't in it.").waitFor();

    await begin(page, "mqtt");
    await page.getByLabel("Topic").fill("boat/alarms");
    await expectAccessible(page);
    await addAndTest(page, "Siren on board");
    expect(broker.at("boat/alarms").length).toBe(1);

    await page.evaluate(() => {
      location.hash = "#/alerts/targets";
    });
    for (const name of ["Skipper's phone", "Skipper's mailbox", "Crew's chat", "Siren on board"])
      await page.getByRole("link", { name }).waitFor();
    const shown = await page.locator("main").textContent();
    for (const secret of [ntfy.token, telegram.token]) expect(shown).not.toContain(secret);
    expectQuiet(visit);
  });

  test("has quiet times, in spans of the week and in a time zone", async () => {
    await newTarget(server, { kind: "ntfy", server_url: ntfy.url, topic: "quiet", name: "Asleep" });
    const visit = await openBridge(browser, server, ADMIN, { at: "/alerts/targets", size: PHONE });
    const { page } = visit;
    await page.getByRole("link", { name: "Asleep" }).click();
    await page.getByRole("link", { name: "Change" }).click();
    await page.getByLabel("Quiet times").check();
    for (const day of ["Saturday", "Sunday"]) await page.getByRole("button", { name: day }).click();
    await page.getByLabel("From").fill("21:30");
    await page.getByLabel("To", { exact: true }).fill("07:00");
    await page.getByText("until the next day").waitFor();
    await page.getByRole("button", { name: "Another span" }).click();
    await page.getByRole("group", { name: "Span 2" }).getByLabel("From").fill("13:00");
    await page.getByRole("group", { name: "Span 2" }).getByLabel("To", { exact: true }).fill("14:00");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Mon, Tue, Wed, Thu, Fri 21:30–07:00; 13:00–14:00").waitFor();
    const quiet = (await targetsOf()).find(({ name }: { name: string }) => name === "Asleep").quiet;
    expect(quiet).toEqual({
      timezone: "Europe/Berlin",
      windows: [
        { days: ["mon", "tue", "wed", "thu", "fri"], from: "21:30", to: "07:00" },
        { days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], from: "13:00", to: "14:00" },
      ],
    });
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("an alarm that nobody acknowledges", () => {
  test("is told to others after a while, as the page shows, and no further once somebody cares", async () => {
    const van = await server.device("Van 3");
    await createZone(server, { name: "Depot" });
    const near = { kind: "ntfy", server_url: ntfy.url, topic: "first", name: "Watch", is_default: true };
    await newTarget(server, near);
    await newTarget(server, { ...near, topic: "second", name: "Owner", is_default: false });
    const visit = await openBridge(browser, server, ADMIN, {
      at: `/devices/${van.id}`,
      size: DESKTOP,
    });
    const { page } = visit;
    // From the device, its rule names it already.
    await page.getByRole("link", { name: "Alert me" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Leaves the depot");
    await soon(async () => expect(await page.getByLabel("Van 3").isChecked()).toBe(true));
    await page.getByLabel("If nobody acknowledges it").check();
    const patience = page.getByLabel("After", { exact: true });
    await patience.fill("10");
    await page.getByRole("checkbox", { name: "Owner" }).check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Make the rule" }).click();
    await page.getByText("leaves any zone · one device").waitFor();
    // Back leads to where the rule was asked for, not to an empty form.
    await page.goBack();
    await page.getByRole("heading", { name: "Van 3" }).waitFor();
    const [rule] = done(await server.get(RULES, { token: await server.admin() })).data;
    expect(rule).toMatchObject({ device_ids: [van.id], escalate_after_seconds: 600 });

    const told = (topic: string) => ntfy.published.filter((each) => each.topic === topic);
    await send(server, van);
    await send(server, van, northOf(fix(), 5));
    const bar = page.getByRole("region", { name: "Open alerts" });
    await bar.getByRole("link", { name: "Van 3" }).click();
    const deliveries = page.locator(".delivery");
    await deliveries.filter({ hasText: "Watch" }).getByText("Arrived").waitFor();
    expect(told("first").length).toBe(1);
    await gone(page.getByText("Further targets told"));
    expect(told("second")).toEqual([]);
    await server.advance(10 * MINUTE);
    await page.getByText("Further targets told").waitFor();
    await deliveries.filter({ hasText: "Owner" }).getByText("Arrived").waitFor();
    expect(told("second").length).toBe(1);
    await page.getByRole("main").getByRole("button", { name: "Acknowledge" }).click();
    await bar.waitFor({ state: "detached" });
    await soon(async () => expect(told("second").length).toBe(2));
    for (const name of ["Watch", "Owner"])
      await deliveries.filter({ hasText: name }).filter({ hasText: "acknowledged" }).waitFor();
    expectQuiet(visit);
  });
});
