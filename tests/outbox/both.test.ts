import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { queueEmail } from "../../src/identity/email/service";
import { sqlite } from "../../src/kernel/db/connection";
import { transact } from "../../src/kernel/db/transactions";
import { now, setClock } from "../../src/kernel/time/clock";
import { EMAILS } from "../../src/outbox/words";
import { deliverDue } from "../../src/outbox/worker";
import { advance, openOutbox, stored, target, tell } from "../alerts/deliveries/in-process";
import { compose } from "../identity/email/support";
import { WebhookStandIn } from "../stand-ins/webhook";
import { eventually } from "../support/expectations";
import { configure } from "../support/in-process";
import { temporaryDirectory } from "../support/server";
import { HOUR, MINUTE, SECOND } from "../support/time";

/** Emails and notifications, which wait in one outbox. */

const directory = temporaryDirectory();
const hook = new WebhookStandIn();
let stop: () => Promise<void>;
beforeAll(async () => {
  stop = await openOutbox(directory);
});
afterAll(async () => {
  await stop();
  await hook.stop();
  setClock();
  configure();
});
afterEach(() => {
  sqlite.run("DELETE FROM outbox");
  sqlite.run("DELETE FROM notification_targets");
});

/** Sends emails to a mail server that isn't there, or into files. */
const mailBy = (transport: "smtp" | "outbox") =>
  configure({
    "data.dir": directory,
    "notifications.allowed_hosts": "127.0.0.1",
    "email.transport": transport,
    ...(transport === "smtp" && { "email.smtp_url": "smtp://127.0.0.1:1" }),
  });
const email = () => transact(() => queueEmail(compose(), null));
const first = () => stored()[0];

/** Lets the first row fail until its next attempt is due in minutes. */
async function failed(): Promise<void> {
  for (const [attempts, wait] of [0, 6 * SECOND, 35 * SECOND, 2.5 * MINUTE].entries()) {
    advance(wait);
    deliverDue();
    await eventually(() => first()?.attempts === attempts + 1);
  }
  expect((first()?.next_attempt_at ?? 0) - now()).toBeGreaterThan(5 * MINUTE);
  advance(6 * SECOND);
}

test("a notification that failed is tried at once when an email arrives", async () => {
  mailBy("outbox");
  await tell([target("http://127.0.0.1:1/")], { severity: "info" });
  await failed();
  await email();
  await eventually(() => first()?.attempts === 5);
  expect(stored().map(({ lane, status }) => [lane === EMAILS, status])).toEqual([
    [false, "waiting"],
    [true, "delivered"],
  ]);
});

test("an email that failed goes out at once when a notification arrives", async () => {
  mailBy("smtp");
  await email();
  await failed();
  mailBy("outbox");
  await tell([target(hook.url)], { severity: "info" });
  await eventually(() => first()?.status === "delivered");
  expect(first()).toMatchObject({ lane: EMAILS, attempts: 5, message: null });
});

test("an email that can't go out holds no notification back, nor the other way round", async () => {
  mailBy("smtp");
  hook.answer(() => new Response(null, { status: 429, headers: { "retry-after": String(HOUR / SECOND) } }));
  await email();
  const [busy, free] = [target(hook.url), target(hook.url)];
  await tell([busy]);
  await eventually(() => stored().every(({ attempts }) => attempts === 1));
  hook.answer();
  mailBy("outbox");
  await tell([free]);
  await eventually(() => stored().at(-1)?.status === "delivered");
  advance(6 * SECOND);
  await email();
  await eventually(() => stored().at(-1)?.status === "delivered");
  expect(stored()[1]).toMatchObject({ lane: busy, status: "waiting", attempts: 1 });
});
