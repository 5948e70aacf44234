import { afterAll, beforeAll, expect, test } from "bun:test";
import { done, eventually } from "../../support/expectations";
import { write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { alertsOf, brief, newRule, send } from "../support";

/** Alerts age out by `alerts.retention_days`. The job runs at the start, and hourly. */

const FAST = { type: "speed", above_knots: 5 };

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** The alerts after another start with a retention of so many days. */
async function withRetention(days: number): Promise<string[]> {
  const body = { value: days };
  done(await server.patch("/v1/system-config/alerts.retention_days", { token: await server.admin(), body }));
  const { dataDir } = server;
  await server.stop();
  server = await TestServer.start({ dataDir });
  return (await alertsOf(server)).map(brief);
}

test("0 days keep all; of more days, those that were cleared and are older go, with what was told of them", async () => {
  const [over, lasting, young] = [await server.device(), await server.device(), await server.device()];
  await newRule(server, FAST, { cooldown_seconds: 0 });
  for (const device of [over, lasting, young]) await send(server, device, {}, 5);
  for (const device of [over, young]) await send(server, device, { speed_knots: 1 });
  const old = `id IN (SELECT id FROM alerts WHERE device_id IN ('${over.id}', '${lasting.id}'))`;
  write(server, `UPDATE alerts SET raised_at = raised_at - ${400 * DAY} WHERE ${old}`);
  write(
    server,
    `UPDATE alerts SET cleared_at = cleared_at - ${400 * DAY} WHERE ${old} AND cleared_at IS NOT NULL`,
  );

  const all = ["cleared speed", "open speed", "cleared speed"];
  expect(await withRetention(0)).toEqual(all);
  expect(await withRetention(401)).toEqual(all);
  await withRetention(365);
  await eventually(async () => (await alertsOf(server)).length === 2);
  expect((await alertsOf(server)).map(brief)).toEqual(["open speed", "cleared speed"]);
  // It has lasted for more than a year, and whoever hears of its end finds it.
  await send(server, lasting, { speed_knots: 1 });
  expect(await withRetention(365)).toEqual(["cleared speed", "cleared speed"]);
  await Bun.sleep(500);
  expect(await alertsOf(server)).toHaveLength(2);
});
