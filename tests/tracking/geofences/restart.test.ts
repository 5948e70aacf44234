import { expect, test } from "bun:test";
import { expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";

/** The moment at which a zone began to watch, as it outlives positions and runs of the server. */

const HARBOUR = { latitude: 54.1, longitude: 13.4 };
const SEA = { latitude: 54.3, longitude: 13.4 };
const SPEEDS = { speed_kmh: 0, speed_mps: 0, speed_mph: 0, speed_knots: 0 };

test("a zone watches on after a restart, though all positions were deleted meanwhile", async () => {
  const first = await TestServer.start();
  const { systemKey: token, dataDir } = first;
  const boat = await first.device("laid up");
  let timestamp = Math.floor(Date.now() / 1_000) - 60;
  const post = async (server: TestServer, place: typeof SEA): Promise<string> => {
    const body = { ...place, ...SPEEDS, timestamp: ++timestamp };
    const answer = await server.post("/v1/gps", { token: boat.key, body });
    expectStatus(answer, 201);
    return answer.body.data.id;
  };
  const posted: string[] = [];
  for (let at = 0; at < 6; at++) posted.push(await post(first, SEA));
  const zone = { name: "Harbour", ...HARBOUR, radius_km: 1 };
  expectStatus(await first.post("/v1/geofences", { token, body: zone }), 201);
  for (const id of posted) expectStatus(await first.delete(`/v1/gps/${id}`, { token }), 204);
  await first.stop();

  const second = await TestServer.start({ dataDir });
  timestamp = Math.floor(Date.now() / 1_000) + 1;
  for (const place of [SEA, HARBOUR, SEA]) await post(second, place);
  const { body } = await second.get("/v1/geofence-events", { token });
  expect(body.data.map(({ event }: { event: string }) => event)).toEqual(["exit", "enter"]);
  await second.stop();
});
