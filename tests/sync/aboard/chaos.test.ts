import { afterAll, describe, expect, test } from "bun:test";
import { forgetOldChanges } from "../../../src/feed/retention";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { Transfer } from "../../../src/sync/aboard/transfer";
import { deleteDevice, updateDevice } from "../../../src/tracking/devices/service";
import { deletePoint, markPoint } from "../../../src/tracking/gps/service";
import { writeEntry } from "../../../src/tracking/log/service";
import { randomFrom } from "../../support/random";
import { DAY, HOUR } from "../../support/time";
import { SERVICE, voyage } from "../../tracking/in-process";
import {
  alarm,
  copyOfDatabase,
  EVERYTHING,
  exchange,
  FREE,
  goOnWith,
  METERED,
  newBoatDevice,
  openBoat,
  pass,
  SPARING,
  sail,
  tellAll,
} from "./boat";
import { ModelShore } from "./shore";

/** Whatever happens aboard, ashore and between them, in any order: in the end the shore has what the box has. */

const SEEDS = Number(process.env.SEEDS ?? 4);
const STEPS = 150;

afterAll(() => {
  closeDatabase();
  setClock();
});

type Found = Map<string, string>;

const aboard = (table: string, what: string): Found =>
  new Map(
    sqlite
      .query<{ id: string; what: string }, []>(`SELECT id, ${what} AS what FROM ${table} ORDER BY id`)
      .all()
      .map(({ id, what: value }) => [id, String(value)]),
  );
const ashore = (shore: ModelShore, kind: string, field: string): Found =>
  new Map(
    [...shore.rows(kind)]
      .map(([id, row]): [string, string] => [id, String((row as Record<string, unknown>)[field] ?? null)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const COMPARED = [
  ["device", "devices", "name"],
  ["trip", "trips", "status"],
  ["entry", "log_entries", "hash"],
  ["alert", "alerts", "status"],
  ["position", "gps_points", "judgement"],
] as const;

/**
 * A shore that the box told everything anew may hold rows of before that are gone aboard: of their end it does not hear, since the
 * feed has forgotten it.
 */
function expectSame(shore: ModelShore): void {
  const whole = shore.pushes.filter(
    ({ parent, sections }) => parent === null && sections.some(({ begins }) => begins),
  );
  const isToldAnew = new Set(whole.map(({ epoch }) => epoch)).size > 1;
  for (const [kind, table, field] of COMPARED) {
    const rows = aboard(table, field);
    const told = [...ashore(shore, kind, field)].filter(([id]) => !isToldAnew || rows.has(id));
    expect({ kind, rows: new Map(told) }).toEqual({ kind, rows });
  }
}

describe("a box and its shore come to hold the same", () => {
  for (let seed = 1; seed <= SEEDS; seed++)
    test(`(seed ${seed})`, async () => {
      await openBoat();
      const random = randomFrom(seed);
      const below = (limit: number) => Math.floor(random() * limit);
      const one = <T>(from: readonly T[]): T | undefined => from[below(from.length)];
      const shore = new ModelShore();
      const { trip, device } = await voyage();
      const devices = [device];
      let transfer = await Transfer.open(EVERYTHING);
      let backup = shore.snapshot();
      const bodies: Uint8Array[] = [];
      const anyPoint = () =>
        sqlite
          .query<{ id: string }, []>(
            "SELECT id FROM gps_points WHERE trip_id IS NULL ORDER BY random() LIMIT 1",
          )
          .get()?.id;

      const request = async () => {
        const mode = one([FREE, FREE, FREE, METERED, SPARING]) ?? FREE;
        const limit = one([1_000, 3_000, 30_000]) ?? 1_000;
        const prepared = await transfer.prepare(limit, mode);
        bodies.push(prepared.body);
        if (bodies.length > 5) bodies.shift();
        const fate = below(10);
        if (fate === 0) return;
        const answer = shore.take(prepared.body);
        if (fate === 1) return;
        await transfer.settle(prepared, answer, 0);
      };

      const acts: [weight: number, act: () => unknown][] = [
        [36, request],
        [12, () => sail(one(devices) ?? device, 1 + below(40))],
        [6, () => alarm(one(devices) ?? device)],
        [3, async () => devices.push(await newBoatDevice(`device ${below(1_000)}`))],
        [3, () => updateDevice(SERVICE, one(devices) ?? device, { name: `renamed ${below(1_000)}` })],
        [3, () => writeEntry(SERVICE, trip, { kind: "note", text: `note ${below(1_000)}` })],
        [
          3,
          async () => {
            const id = anyPoint();
            if (id) await (random() < 0.5 ? deletePoint(SERVICE, id) : markPoint(SERVICE, id, true));
          },
        ],
        [
          3,
          async () => {
            if (devices.length < 3) return;
            const [gone] = devices.splice(1 + below(devices.length - 1), 1);
            await deleteDevice(SERVICE, gone as string);
          },
        ],
        // An old request arrives at last, or comes once more.
        [6, () => bodies.length > 0 && shore.take(one(bodies) as Uint8Array)],
        [
          3,
          async () => {
            await goOnWith(copyOfDatabase());
            transfer = await Transfer.open(EVERYTHING);
          },
        ],
        [
          2,
          () => {
            backup = shore.snapshot();
          },
        ],
        [2, () => backup()],
        [1, () => shore.forget()],
        [3, () => pass(below(HOUR))],
        // The clock was wrong, or is now.
        [2, () => pass(below(60 * DAY) - 30 * DAY)],
        [
          2,
          async () => {
            pass(below(4 * DAY));
            await forgetOldChanges();
          },
        ],
      ];
      // Each act as often as its weight says.
      const hat = acts.flatMap(([weight, act]) => Array<typeof act>(weight).fill(act));
      for (let step = 0; step < STEPS; step++) await one(hat)?.();
      await tellAll(transfer, shore);
      expectSame(shore);
      expect(transfer.waiting(FREE)).toEqual({ alert: false, some: false, much: false });
      await exchange(transfer, shore);
    });
});
