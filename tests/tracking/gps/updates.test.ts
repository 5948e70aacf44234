import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { told } from "../../support/told";
import { fix, postPoint } from "../support";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

/** A client that hears these channels. */
const listen = async (...channels: string[]) =>
  (await Client.open(server, { bearer: await server.key("gps:read") })).subscribe(...channels);

describe("gpsUpdate", () => {
  test("brings each new point as it is stored, in the order of posting, older ones too", async () => {
    const { key } = await server.device();
    const client = await listen("gps");
    const points = [
      await postPoint(server, key, { timestamp: 2_000, pdop: 1.5, altitude: null }),
      await postPoint(server, key, { timestamp: 1_000 }),
      await postPoint(server, token, { timestamp: 3_000 }),
      await postPoint(server, key, { timestamp: 2_000 }),
    ];
    expect(await client.heard()).toEqual(points.map((point) => ({ type: "gpsUpdate", data: told(point) })));
    await client.close();
  });

  test("reaches the channel of the point's device and no other device's", async () => {
    const [one, two] = [await server.device(), await server.device()];
    const client = await listen(`gps:${one.id}`);
    const point = await postPoint(server, one.key);
    await postPoint(server, two.key);
    await postPoint(server, token);
    expect(await client.heard()).toEqual([{ type: "gpsUpdate", data: told(point) }]);
    await client.close();
  });

  test("is not sent for a refused, a read or a deleted point", async () => {
    const point = await postPoint(server, token);
    const client = await listen("gps");
    await server.post("/v1/gps", { token, body: fix({ latitude: 91 }) });
    await server.post("/v1/gps", { body: fix() });
    await server.get(`/v1/gps/${point.id}`, { token });
    await server.delete(`/v1/gps/${point.id}`, { token });
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});
