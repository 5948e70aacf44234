import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readTrack } from "../../../src/demo/track";
import { done, eventually } from "../../support/expectations";
import { randomFrom } from "../../support/random";
import { TestServer } from "../../support/server";
import { HOUR, SECOND } from "../../support/time";
import { greatCircleKm, northOf, type Place } from "../../tracking/support";
import { alertsOf, lifeWritten, type Sender, send } from "../support";

/**
 * The anchor watch for a night. The boat swings as a recorded one did at its berth, in 77 minutes of its receiver's own noise,
 * played to and fro and twice as wide; with gaps and outliers at random.
 */

const EVERY = 15;
const RADIUS = 60;
const SILENCE = 120;

let berth: Place;
let swing: Place[];
beforeAll(async () => {
  const track = await readTrack();
  berth = track[0] as Place;
  const moored = track.slice(
    0,
    track.findIndex((fix) => greatCircleKm(berth, fix) > 0.025),
  );
  expect(moored.length).toBeGreaterThan(4_000);
  swing = moored
    .filter((_, at) => at % EVERY === 0)
    .map(({ latitude, longitude }) => ({
      latitude: berth.latitude + 2 * (latitude - berth.latitude),
      longitude: berth.longitude + 2 * (longitude - berth.longitude),
    }));
});

let server: TestServer;
let boat: Sender;
afterEach(() => server.stop("SIGKILL"));

const start = async (): Promise<void> => {
  server = await TestServer.start({ clock: "movable" });
  boat = await server.device("Vilm");
};

/** Ends the server as a power cut does, and starts it again at once. */
async function cutPower(): Promise<void> {
  const { dataDir, ahead } = server;
  await server.stop("SIGKILL");
  server = await TestServer.start({ dataDir, ahead, clock: "movable" });
}

async function drop(): Promise<void> {
  await send(server, boat, berth);
  const body = { ...berth, radius_m: RADIUS, silence_seconds: SILENCE, target_ids: [] };
  done(await server.put(`/v1/devices/${boat.id}/anchor`, { token: await server.admin(), body }));
}

/** The place of the swinging boat at a step of the night. */
const placeAt = (step: number): Place => {
  const [round, at] = [Math.floor(step / swing.length), step % swing.length];
  return swing[round % 2 === 0 ? at : swing.length - 1 - at] as Place;
};

/** Sends the position of a step, `seconds` after the one before. */
async function sendAt(place: Place, seconds = EVERY): Promise<void> {
  await server.advance(seconds * SECOND);
  await send(server, boat, place);
}

/** Plays a part of the night; now and then positions are missing for a while, and one is far away. */
async function play(
  from: number,
  until: number,
  random: () => number,
): Promise<{ gaps: number; outliers: number }> {
  const seen = { gaps: 0, outliers: 0 };
  let wait = 0;
  let wasStray = false;
  for (let step = from; step < until; step++) {
    wait += EVERY;
    if (wait < SILENCE - 2 * EVERY && random() < 0.03) {
      seen.gaps++;
      continue;
    }
    const isStray: boolean = !wasStray && random() < 0.02;
    if (isStray) seen.outliers++;
    wasStray = isStray;
    await sendAt(isStray ? northOf(placeAt(step), 0.3 + random()) : placeAt(step), wait);
    wait = 0;
  }
  return seen;
}

const alerts = async () =>
  (await alertsOf(server, `&device_id=${boat.id}`)).map(({ subject, status }) => `${status} ${subject}`);

describe("the anchor watch", () => {
  test("raises nothing in a night, power cuts among it", async () => {
    await start();
    await drop();
    const steps = (8 * HOUR) / SECOND / EVERY;
    const random = randomFrom(7);
    const total = { gaps: 0, outliers: 0 };
    for (const part of [0, 1, 2]) {
      const { gaps, outliers } = await play((steps / 3) * part, (steps / 3) * (part + 1), random);
      total.gaps += gaps;
      total.outliers += outliers;
      await cutPower();
    }
    expect(await alerts()).toEqual([]);
    expect(total.gaps).toBeGreaterThan(20);
    expect(total.outliers).toBeGreaterThan(20);
  });

  test.each([
    ["", false],
    [", with a power cut in between", true],
  ])("raises within two positions beyond the radius once the anchor drags%s", async (_, isCut) => {
    await start();
    await drop();
    await play(0, 100, randomFrom(8));
    let beyond = 0;
    for (let step = 100; beyond < 2; step++) {
      // Half a metre a second to the north.
      const place = northOf(placeAt(step), (0.5 * EVERY * (step - 100)) / 1_000);
      const isBeyond = greatCircleKm(berth, place) * 1_000 > RADIUS;
      if (beyond > 0) expect(isBeyond).toBe(true);
      expect(await alerts()).toEqual([]);
      await sendAt(place);
      if (isBeyond && ++beyond === 1 && isCut) await cutPower();
    }
    expect(await alerts()).toEqual(["open dragging"]);
  });

  test.each([
    ["", false],
    [", with a power cut in between", true],
  ])("raises after the time of silence, to two seconds, once the source is cut%s", async (_, isCut) => {
    await start();
    await drop();
    await play(0, 20, randomFrom(9));
    await sendAt(berth);
    const last = server.time;
    await server.advance(50 * SECOND);
    if (isCut) {
      // By its clock it has just leapt.
      await lifeWritten(server);
      await cutPower();
    }
    await server.advance(last + (SILENCE - 3) * SECOND - server.time);
    await eventually(async () => {
      await server.runJobs();
      return (await alerts()).length > 0;
    });
    const [alert] = await alertsOf(server, `&device_id=${boat.id}`);
    expect(alert).toMatchObject({ status: "open", subject: "silent", severity: "alarm" });
    expect(Math.abs(Date.parse(alert.raised_at) - last - SILENCE * SECOND)).toBeLessThanOrEqual(2 * SECOND);
    await sendAt(berth, 30);
    expect(await alerts()).toEqual(["cleared silent"]);
  });

  test("waits for a position after a long night without power, and then raises", async () => {
    await start();
    await drop();
    await lifeWritten(server);
    const { dataDir, ahead } = server;
    await server.stop("SIGKILL");
    server = await TestServer.start({ dataDir, ahead: ahead + 6 * HOUR, clock: "movable" });
    await server.advance((SILENCE - 20) * SECOND);
    await server.runJobs();
    expect(await alerts()).toEqual([]);
    await server.advance(20 * SECOND);
    await eventually(async () => (await alerts()).length > 0);
    expect(await alerts()).toEqual(["open silent"]);
  });
});
