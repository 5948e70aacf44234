import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { MEASURES } from "../../../src/alerts/gauges/measures";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { exposition } from "../../../src/kernel/logs/metrics";
import { setClock } from "../../../src/kernel/time/clock";
import { alike } from "../../../src/kernel/values/bilingual";
import { linkState, noteAnswer, noteTrouble, setSources } from "../../../src/sync/aboard/link";
import { openState, wholeEpoch } from "../../../src/sync/aboard/state";
import { Transfer } from "../../../src/sync/aboard/transfer";
import { HOUR, MINUTE } from "../../support/time";
import { alarm, EVERYTHING, newBoatDevice, openBoat, pass, sail, tellAll } from "./boat";
import { ModelShore } from "./shore";

/** The link to the shore as health, metrics and rules see it. */

let transfer: Transfer;
const shore = new ModelShore();

beforeEach(async () => {
  await openBoat();
  transfer = await Transfer.open(EVERYTHING);
  setSources({ backlog: () => transfer.backlog(), acknowledged: () => transfer.acknowledged() });
});
afterEach(() => setSources(null));
afterAll(() => {
  closeDatabase();
  setClock();
});

const figure = (name: string, lane: string): number =>
  Number(new RegExp(`^fairlead_sync_${name}\\{lane="${lane}"\\} (\\d+)$`, "m").exec(exposition())?.[1]);

describe("the state of the link", () => {
  test("is down once requests have failed for five minutes, and as soon as the token is refused", () => {
    expect(linkState()).toMatchObject({ isUp: true, trouble: null });
    expect(noteTrouble(alike("the connection is cut"))).toBe(true);
    pass(5 * MINUTE - 1);
    expect(noteTrouble(alike("it does not answer in time"))).toBe(false);
    expect(linkState()).toMatchObject({ isUp: true, trouble: alike("it does not answer in time") });
    pass(1);
    expect(linkState()).toMatchObject({ isUp: false });
    expect(noteAnswer()).toBe(true);
    expect(linkState()).toMatchObject({ isUp: true, trouble: null });
    expect(noteAnswer()).toBe(false);
    expect(noteTrouble(alike("it refuses the token"), true)).toBe(true);
    expect(linkState()).toMatchObject({ isUp: false, trouble: alike("it refuses the token") });
  });

  test("tells what waits in each lane: rows, bytes, and the age of the oldest", async () => {
    const device = await newBoatDevice();
    await tellAll(transfer, shore);
    await sail(device, 60);
    await alarm(device);
    pass(30 * MINUTE);
    const lanes = Object.fromEntries(linkState()?.lanes.map(({ lane, ...rest }) => [lane, rest]) ?? []);
    expect(lanes.alerts).toMatchObject({ rows: 1, ageSeconds: 1_800 });
    // The first fix was made 590 seconds before the last one.
    expect(lanes.backlog).toMatchObject({ rows: 60, ageSeconds: 2_390 });
    expect(lanes.backlog?.bytes).toBeWithin(600, 3_600);
    expect(lanes.history).toMatchObject({ rows: 0, ageSeconds: 0 });
    expect(figure("backlog_rows", "backlog")).toBe(60);
    expect(figure("backlog_age_seconds", "alerts")).toBe(1_800);
    expect(MEASURES.sync_backlog()).toEqual({ value: 61, isAtLeast: false });
    await tellAll(transfer, shore);
    expect(linkState()?.lanes.every(({ rows, bytes, ageSeconds }) => rows + bytes + ageSeconds === 0)).toBe(
      true,
    );
  });

  test("tells the age of what was there before the first contact", async () => {
    const device = await newBoatDevice();
    await sail(device, 60);
    pass(2 * HOUR);
    const state = await transact(() => wholeEpoch(openState(EVERYTHING), EVERYTHING));
    transfer = new Transfer(state, EVERYTHING);
    const history = () => linkState()?.lanes.find(({ lane }) => lane === "history");
    expect(history()?.rows).toBeGreaterThanOrEqual(61);
    expect(history()?.ageSeconds).toBeWithin(7_200, 8_000);
    await tellAll(transfer, shore);
    expect(history()).toMatchObject({ rows: 0, ageSeconds: 0 });
  });

  test("is nothing where no shore is configured", () => {
    setSources(null);
    expect(linkState()).toBeNull();
    expect(MEASURES.sync_backlog()).toBeNull();
    expect(exposition()).not.toMatch(/^fairlead_sync_backlog_rows\{/m);
  });
});
