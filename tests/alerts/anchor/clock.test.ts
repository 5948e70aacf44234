import { afterEach, expect, test } from "bun:test";
import { done, eventually } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { DAY, HOUR, SECOND } from "../../support/time";
import { fix } from "../../tracking/support";
import { briefOf, clockWatched, lifeWritten, type Sender, send } from "../support";

/** The anchor watch on a box whose clock is set while it runs: it has no battery, or was wrong. */

const SILENCE = 60;
const { latitude, longitude } = fix();

let server: TestServer;
let boat: Sender;
afterEach(() => server.stop("SIGKILL"));

async function drop(fields: object = {}): Promise<void> {
  server = await TestServer.start({ clock: "movable" });
  boat = await server.device("Vilm");
  await send(server, boat);
  const body = { latitude, longitude, radius_m: 50, silence_seconds: SILENCE, target_ids: [], ...fields };
  done(await server.put(`/v1/devices/${boat.id}/anchor`, { token: await server.admin(), body }));
}

/** Ends the server as a power cut does. The one that starts again shows a time `ahead` of the real one. */
async function restart(ahead: number): Promise<void> {
  await lifeWritten(server);
  const { dataDir } = server;
  await server.stop("SIGKILL");
  server = await TestServer.start({ dataDir, ahead, clock: "movable" });
  await clockWatched(server);
}

const expectSilent = async (): Promise<void> => {
  await eventually(async () => (await briefOf(server, boat.id)).includes("open anchor silent"));
};

test("one that boots in 1970 raises the silence of a source that never speaks", async () => {
  await drop();
  const { ahead, time } = server;
  await restart(10 * SECOND - time);
  await server.leap(ahead - server.ahead + 8 * HOUR);
  await clockWatched(server);
  expect(await briefOf(server, boat.id)).toEqual([]);
  await server.advance(SILENCE * SECOND);
  await expectSilent();
});

test("one that goes on with the time of its end raises nothing when the time is set right", async () => {
  await drop();
  await restart(server.ahead);
  await server.leap(8 * HOUR);
  await clockWatched(server);
  expect(await briefOf(server, boat.id)).toEqual([]);
  await send(server, boat);
  await server.leap(8 * HOUR);
  await clockWatched(server);
  expect(await briefOf(server, boat.id)).toEqual([]);
  await server.advance(SILENCE * SECOND);
  await expectSilent();
});

test("one that is set back counts on", async () => {
  await drop();
  await server.leap(-DAY);
  // The watch counts from the first look after the leap on, which comes within a second.
  await clockWatched(server);
  await server.advance((SILENCE - 10) * SECOND);
  await clockWatched(server);
  expect(await briefOf(server, boat.id)).toEqual([]);
  await server.advance(10 * SECOND);
  await expectSilent();
});
