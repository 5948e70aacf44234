/**
 * A process that puts alerts into an outbox and delivers them, until it is killed: `child.ts DIRECTORY URL`. It writes a line
 * with the identifier of each delivery whose commit it was told of. With `drain` in place of an address it puts nothing in
 * any more, and ends once nothing waits.
 */

import { notificationTargets } from "../../../src/alerts/targets/table";
import { newId } from "../../../src/kernel/crypto/id";
import { db, sqlite } from "../../../src/kernel/db/connection";
import { configureLog } from "../../../src/kernel/logs/log";
import { deliverDue } from "../../../src/outbox/worker";
import { openOutbox, target, tell } from "./in-process";

const [directory = "", url = ""] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

configureLog("error", "json");
const stop = await openOutbox(directory);
// Nothing but the clock calls the job here.
setInterval(deliverDue, 20);

if (url === "drain") {
  const waiting = sqlite.query("SELECT 1 FROM outbox WHERE lane <> 'email' AND status = 'waiting' LIMIT 1");
  while (waiting.get() !== null) await Bun.sleep(10);
  await stop();
  process.exit(0);
}

const [known] = db.select({ id: notificationTargets.id }).from(notificationTargets).all();
const id = known?.id ?? target(url);
say("ready");
for (;;) {
  const alertId = newId();
  for (const type of ["alert.raised", "alert.acknowledged"] as const) {
    const payload = { alert: { id: alertId } };
    const [delivery = ""] = await tell([id], { alertId, type, payload, severity: "info" });
    say(delivery);
  }
  if (Math.random() < 0.2) await Bun.sleep(Math.random() * 5);
}
