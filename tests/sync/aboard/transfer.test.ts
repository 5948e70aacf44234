import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { forgetOldChanges } from "../../../src/feed/retention";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { Transfer } from "../../../src/sync/aboard/transfer";
import type { SentPosition } from "../../../src/sync/batch/positions";
import type { Rows } from "../../../src/sync/batch/rows";
import { deleteDevice, updateDevice } from "../../../src/tracking/devices/service";
import { deletePoint, markPoint } from "../../../src/tracking/gps/service";
import { writeEntry } from "../../../src/tracking/log/service";
import { deleteTrip } from "../../../src/tracking/trips/service";
import { DAY } from "../../support/time";
import { move, record, SERVICE, voyage } from "../../tracking/in-process";
import {
  alarm,
  copyOfDatabase,
  EVERYTHING,
  exchange,
  goOnWith,
  METERED,
  newBoatDevice,
  openBoat,
  pass,
  SPARING,
  sail,
  tellAll,
} from "./boat";
import { ModelShore, type Told } from "./shore";

/** The transfer aboard against a shore that hears as the real one does, without a network between them. */

let shore: ModelShore;

beforeEach(async () => {
  await openBoat();
  shore = new ModelShore();
});
afterAll(() => {
  closeDatabase();
  setClock();
});

const begin = (include = EVERYTHING) => Transfer.open(include);

const TABLES = {
  device: "devices",
  trip: "trips",
  entry: "log_entries",
  alert: "alerts",
  position: "gps_points",
};
const idsAboard = (kind: keyof typeof TABLES): string[] =>
  sqlite
    .query<{ id: string }, []>(`SELECT id FROM ${TABLES[kind]} ORDER BY id`)
    .all()
    .map(({ id }) => id);

/** Expects the shore to have exactly the box's rows. */
function expectSame(): void {
  for (const kind of Object.keys(TABLES) as (keyof typeof TABLES)[])
    expect({ kind, ids: [...shore.rows(kind).keys()].sort() }).toEqual({ kind, ids: idsAboard(kind) });
}

/** Numbered rows of a lane come once in an epoch. */
function expectOnce(): void {
  const seen = new Set<string>();
  for (const { lane, epoch, number, kind, id } of shore.told) {
    if (number === null) continue;
    const key = `${epoch} ${lane} ${number} ${kind} ${id}`;
    expect(seen.has(key)).toBe(false);
    seen.add(key);
  }
}

const positionsOf = (told: Told[]): SentPosition[] =>
  told.flatMap(({ kind, row }) => (kind === "position" && row ? [row as SentPosition] : []));

describe("the first contact", () => {
  test("tells all that the box held before, each row once, and then what changes", async () => {
    const { device, trip } = await voyage();
    await sail(device, 30);
    await writeEntry(SERVICE, trip, { kind: "note", text: "Cast off." });
    await alarm(device);
    const transfer = await begin();
    await tellAll(transfer, shore);
    expectSame();
    await sail(device, 30);
    await alarm(device);
    await writeEntry(SERVICE, trip, { kind: "note", text: "Anchored." });
    await tellAll(transfer, shore);
    expectSame();
    expectOnce();
    expect(shore.epochs.size).toBe(1);
    expect(transfer.backlog().every(({ rows }) => rows === 0)).toBe(true);
  });

  test("tells records of any length: each part holds no more than a shore reads", async () => {
    const { trip } = await voyage();
    for (let at = 0; at < 70; at++)
      await writeEntry(SERVICE, trip, { kind: "note", text: null, data: { text: "ü".repeat(8_000) } });
    const from = sqlite
      .query<{ at: number }, []>("SELECT max(changed_at) AS at FROM trip_status_history")
      .get()?.at;
    sqlite.run(
      `WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 12000)
       INSERT INTO trip_status_history (id, trip_id, old_status, new_status, changed_at)
       SELECT printf('0192f3a1-5c00-7d1e-9a55-%012d', at), ?, 'active', 'paused', ? + at FROM n`,
      [trip, from ?? 0],
    );
    await tellAll(await begin(), shore);
    expectSame();
    const { history } = shore.rows("trip").get(trip) as unknown as Rows["trip"];
    expect(history).toHaveLength(2_000);
    expect(history.map(({ changed_at }) => changed_at - (from ?? 0)).slice(-2)).toEqual([11_999, 12_000]);
  });

  test("tells positions as they are, letter by letter", async () => {
    const device = await newBoatDevice();
    await sail(device, 3);
    await tellAll(await begin(), shore);
    const stored = sqlite.query<SentPosition, []>("SELECT *, 0 AS number FROM gps_points ORDER BY id").all();
    // The newest may come first.
    const told = ([...shore.rows("position").values()] as SentPosition[]).toSorted(
      (a, b) => a.timestamp - b.timestamp,
    );
    expect(told).toHaveLength(3);
    for (const [at, { number: _, ...position }] of told.entries())
      expect(stored[at] as object).toMatchObject(position);
  });
});

describe("the lanes", () => {
  test("tell an alert first, then the newest position, and the backlog last", async () => {
    const device = await newBoatDevice();
    const transfer = await begin();
    await tellAll(transfer, shore);
    await sail(device, 500);
    const alert = await alarm(device);
    const before = shore.told.length;
    const [newest] = sqlite
      .query<{ id: string }, []>("SELECT id FROM gps_points ORDER BY id DESC LIMIT 1")
      .all();
    const { prepared } = await exchange(transfer, shore, { limit: 2_000 });
    expect(prepared.hasAlert).toBe(true);
    expect(prepared.body.length).toBeLessThan(4_000);
    const numbered = shore.told.slice(before).filter(({ number }) => number !== null);
    expect(numbered.slice(0, 2)).toMatchObject([
      { lane: "alerts", kind: "alert", id: alert },
      { lane: "newest", kind: "position", id: newest?.id },
    ]);
    expect(numbered.slice(2).every(({ lane }) => lane === "backlog")).toBe(true);
    const times = positionsOf(numbered.slice(2)).map(({ timestamp }) => timestamp);
    expect(times.length).toBeGreaterThan(10);
    expect(times).toEqual(times.toSorted());
    await tellAll(transfer, shore);
    expectSame();
  });

  test("bring along what a row refers to, before it", async () => {
    await tellAll(await begin(), shore);
    const transfer = await begin();
    const device = await newBoatDevice();
    const alert = await alarm(device);
    const before = shore.told.length;
    await exchange(transfer, shore, { mode: SPARING });
    expect(shore.told.slice(before).map(({ kind, id }) => [kind, id])).toEqual([
      ["device", device],
      ["alert", alert],
    ]);
  });

  test("tell alerts alone while the bytes of the day are used up", async () => {
    const device = await newBoatDevice();
    const transfer = await begin();
    await tellAll(transfer, shore);
    await sail(device, 10);
    expect(transfer.waiting(SPARING)).toEqual({ alert: false, some: false, much: false });
    await alarm(device);
    expect(transfer.waiting(SPARING)).toMatchObject({ alert: true, some: true });
    const before = shore.told.length;
    await exchange(transfer, shore, { mode: SPARING });
    expect(
      shore.told
        .slice(before)
        .filter(({ number }) => number !== null)
        .map(({ kind }) => kind),
    ).toEqual(["alert"]);
    await tellAll(transfer, shore);
    expectSame();
  });
});

describe("over a metered line", () => {
  test("one position of each device and minute is told, and the rest once it costs nothing", async () => {
    const [one, other] = [await newBoatDevice("one"), await newBoatDevice("other")];
    const transfer = await begin();
    await tellAll(transfer, shore);
    const before = shore.told.length;
    for (let at = 0; at < 60; at++) {
      const [time] = await sail(one, 1);
      await record(other, time as number);
    }
    await tellAll(transfer, shore, { mode: METERED });
    const told = positionsOf(shore.told.slice(before));
    for (const device of [one, other]) {
      const minutes = told
        .filter(({ device_id }) => device_id === device)
        .map(({ timestamp }) => Math.floor(timestamp / 60_000));
      expect(minutes.length).toBeWithin(10, 13);
      expect(new Set(minutes).size).toBe(minutes.length);
    }
    await tellAll(transfer, shore);
    expectSame();
    expect(positionsOf(shore.told.filter(({ lane }) => lane === "backlog")).length).toBe(120);
  });

  test("records of before the first contact are told, and older positions wait", async () => {
    const { device } = await voyage();
    await sail(device, 20);
    const alert = await alarm(device);
    const transfer = await begin();
    await tellAll(transfer, shore, { mode: METERED });
    expect([...shore.rows("alert").keys()]).toEqual([alert]);
    expect(shore.rows("trip").size).toBe(1);
    expect(shore.rows("position").size).toBe(1);
    await tellAll(transfer, shore);
    expectSame();
  });
});

test("what sync.include leaves out is not told, and nothing of it waits", async () => {
  const { device, trip } = await voyage();
  await writeEntry(SERVICE, trip, { kind: "note", text: "Cast off." });
  const transfer = await begin(["device", "alert"]);
  await tellAll(transfer, shore);
  await sail(device, 10);
  await writeEntry(SERVICE, trip, { kind: "note", text: "Anchored." });
  const alert = await alarm(device);
  await tellAll(transfer, shore);
  expect(new Set(shore.told.map(({ kind }) => kind))).toEqual(new Set(["device", "alert"]));
  expect([...shore.rows("alert").keys()]).toEqual([alert]);
  expect(transfer.waiting({ isMetered: false, alertsOnly: false }).some).toBe(false);
  // A kind that is added later is told from its beginning on.
  const wider = await begin(EVERYTHING);
  await tellAll(wider, shore);
  expectSame();
});

test("accounts, keys, secrets and targets stay aboard", async () => {
  const { device, trip } = await voyage();
  await writeEntry(SERVICE, trip, { kind: "note", text: "Cast off." });
  await alarm(device);
  await sail(device, 3);
  await tellAll(await begin(), shore);
  const fields = new Set(shore.told.flatMap(({ row }) => Object.keys(row ?? {})));
  for (const field of ["box_id", "token_hash", "told", "is_told", "acknowledged_by", "origin_id"])
    expect(fields.has(field)).toBe(false);
});

test("deletions and changes go ashore as rows like others", async () => {
  const { trip } = await voyage();
  const [device, other] = [await newBoatDevice("one"), await newBoatDevice("other")];
  await sail(device, 10);
  const transfer = await begin();
  await tellAll(transfer, shore);
  const [first, second] = idsAboard("position");
  await deletePoint(SERVICE, first as string);
  await markPoint(SERVICE, second as string, true);
  await updateDevice(SERVICE, device, { name: "renamed" });
  await deleteDevice(SERVICE, other);
  await tellAll(transfer, shore);
  expectSame();
  expect(shore.rows("position").get(second as string)).toMatchObject({ judgement: "hand" });
  expect(shore.rows("device").get(device)).toMatchObject({ name: "renamed" });
  await move(trip, "completed");
  await deleteTrip(SERVICE, trip);
  await tellAll(transfer, shore);
  expect(shore.rows("trip").size).toBe(0);
});

describe("whatever happens on the way", () => {
  test("an answer that is lost, again and again, doubles nothing", async () => {
    const { device } = await voyage();
    const transfer = await begin();
    for (let round = 0; round < 6; round++) {
      await sail(device, 40);
      if (round % 2 === 0) await alarm(device);
      // Heard, and its answer lost.
      shore.take(
        (await transfer.prepare(1_500, { isMetered: false, thinSeconds: 60, alertsOnly: false })).body,
      );
      // Never heard.
      await transfer.prepare(3_000, { isMetered: false, thinSeconds: 60, alertsOnly: false });
      await exchange(transfer, shore, { limit: 1_500 });
    }
    await tellAll(transfer, shore, { limit: 1_500 });
    expectSame();
    expectOnce();
  });

  test("a request that comes twice, or late, is stored once", async () => {
    const { device } = await voyage();
    const transfer = await begin();
    await sail(device, 40);
    const bodies: Uint8Array[] = [];
    while (transfer.waiting({ isMetered: false, alertsOnly: false }).some) {
      const { prepared } = await exchange(transfer, shore, { limit: 1_000 });
      bodies.push(prepared.body);
      for (const body of bodies) shore.take(body);
    }
    expectSame();
    expectOnce();
  });

  test("a restart in between goes on where the shore is", async () => {
    const { device } = await voyage();
    await sail(device, 60);
    const first = await begin();
    for (let at = 0; at < 3; at++) await exchange(first, shore, { limit: 1_000 });
    // Heard, and the program ended before the answer came.
    shore.take((await first.prepare(1_000, METERED)).body);
    await goOnWith(copyOfDatabase());
    const second = await begin();
    expect(second.epoch).toBe(first.epoch);
    await sail(device, 10);
    await tellAll(second, shore, { limit: 1_000 });
    expectSame();
    expectOnce();
  });

  test("a shore that was restored gets what it lacks", async () => {
    const { device } = await voyage();
    const transfer = await begin();
    await sail(device, 20);
    await tellAll(transfer, shore);
    const restore = shore.snapshot();
    const { epoch } = transfer;
    await sail(device, 50);
    await alarm(device);
    await tellAll(transfer, shore);
    restore();
    await sail(device, 5);
    const results = new Set<string>();
    while (transfer.waiting({ isMetered: false, alertsOnly: false }).some)
      results.add((await exchange(transfer, shore)).result);
    expect(results).toContain("went back");
    expect(transfer.epoch).toBe(epoch);
    expectSame();
    expectOnce();
  });

  test("a shore that was restored gets no more than that, though its lanes were quiet for longer than the feed keeps", async () => {
    const { device } = await voyage();
    await alarm(device);
    const transfer = await begin();
    await tellAll(transfer, shore);
    const { epoch } = transfer;
    for (let day = 0; day < 8; day++) {
      await sail(device, 20);
      pass(DAY);
      await tellAll(transfer, shore);
      await exchange(transfer, shore);
      await forgetOldChanges();
    }
    const restore = shore.snapshot();
    await sail(device, 20);
    await alarm(device);
    await tellAll(transfer, shore);
    restore();
    const before = shore.told.length;
    await sail(device, 1);
    await tellAll(transfer, shore);
    expect(transfer.epoch).toBe(epoch);
    expect(positionsOf(shore.told.slice(before)).length).toBeLessThan(30);
    expectSame();
  });

  test("a shore that knows nothing is told everything", async () => {
    const { device } = await voyage();
    const transfer = await begin();
    await sail(device, 20);
    await tellAll(transfer, shore);
    shore.forget();
    await alarm(device);
    const { result } = await exchange(transfer, shore);
    expect(result).toBe("begun anew");
    await tellAll(transfer, shore);
    expectSame();
    expectOnce();
  });
});

describe("a box that was copied", () => {
  test("goes on under another epoch, and so does none of what either sent get lost", async () => {
    const { device } = await voyage();
    const original = await begin();
    await sail(device, 20);
    await tellAll(original, shore);
    const copy = copyOfDatabase();
    await sail(device, 20);
    await tellAll(original, shore);
    const ofOriginal = idsAboard("position");
    await goOnWith(copy);
    const twin = await begin();
    expect(twin.epoch).toBe(original.epoch);
    await sail(device, 7);
    const { result } = await exchange(twin, shore);
    expect(result).toBe("forked");
    expect(twin.epoch).not.toBe(original.epoch);
    await tellAll(twin, shore);
    const told = new Set(shore.rows("position").keys());
    for (const id of [...ofOriginal, ...idsAboard("position")]) expect(told.has(id)).toBe(true);
    expectOnce();
  });

  test("and has nothing new goes on behind the sequence of the other one", async () => {
    const device = await newBoatDevice();
    const original = await begin();
    await tellAll(original, shore);
    const copy = copyOfDatabase();
    await goOnWith(copy);
    const second = await begin();
    await exchange(second, shore);
    for (let at = 0; at < 5; at++) await exchange(second, shore);
    await goOnWith(copy);
    const twin = await begin();
    await sail(device, 3);
    await exchange(twin, shore);
    await tellAll(twin, shore);
    expectSame();
  });

  test("is told apart, though the shore names a sequence that no box reaches", async () => {
    await newBoatDevice();
    const transfer = await begin();
    const prepared = await transfer.prepare(10_000, METERED);
    const { epoch } = transfer;
    const answer = { ...shore.take(prepared.body), overtaken_by: Number.MAX_SAFE_INTEGER };
    expect(await transfer.settle(prepared, answer, 0)).toBe("forked");
    expect(transfer.epoch).not.toBe(epoch);
    await tellAll(transfer, shore);
    expectSame();
  });
});

test("a box from which the shore was taken for long tells everything anew", async () => {
  const { device } = await voyage();
  await sail(device, 20);
  const transfer = await begin();
  await tellAll(transfer, shore);
  await sail(device, 20);
  // Nothing was kept for a shore that was not configured.
  sqlite.run("DELETE FROM changes WHERE number < (SELECT max(number) FROM changes)");
  pass(1_000);
  const later = await begin();
  expect(later.epoch).not.toBe(transfer.epoch);
  await tellAll(later, shore);
  expectSame();
});
