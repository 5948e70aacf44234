import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { share } from "../shares/support";
import { createZone, fix, northOf, type Place, postPoint } from "../support";

/** The zones that devices are in, by the API. */

const { latitude, longitude } = fix();
const HERE: Place = { latitude, longitude };
const FAR: Place = northOf(HERE, 50);

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());

interface Presence {
  device_id: string;
  geofence_name: string;
}

const list = async (query = "", as = token) =>
  expectStatus(await server.get(`/v1/geofence-presence${query}`, { token: as }), 200).body;
const pairs = ({ data }: { data: Presence[] }) =>
  data.map(({ device_id, geofence_name }) => `${device_id} ${geofence_name}`).sort();

test("each device is listed with each zone that it is in, and no more once it has left", async () => {
  expect(await list()).toMatchObject({ data: [], recomputing_from: null });
  const harbour = await createZone(server, { name: "harbour" });
  await createZone(server, { name: "bay", radius_km: 5 });
  const [one, two] = [await server.device("Greif"), await server.device("Wiek")];
  await postPoint(server, one.key, HERE);
  await postPoint(server, two.key, northOf(HERE, 3));
  const all = await list();
  expect(pairs(all)).toEqual([`${one.id} bay`, `${one.id} harbour`, `${two.id} bay`].sort());
  const inHarbour = await list(`?geofence_id=${harbour.id}`);
  expect(inHarbour.data).toEqual([
    {
      ...{ device_id: one.id, device_name: "Greif", geofence_id: harbour.id, geofence_name: "harbour" },
      since: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ]);
  expect(inHarbour.data[0].since).toBe(
    (await server.get(`/v1/geofences/${harbour.id}/devices`, { token })).body.data[0].since,
  );
  expect(pairs(await list(`?device_id=${two.id}`))).toEqual([`${two.id} bay`]);
  expect((await list(`?device_id=${UNKNOWN}`)).data).toEqual([]);

  // The pages hold each of them once.
  const pages = [await list("?limit=1"), await list("?limit=1&page=2"), await list("?limit=1&page=3")];
  expect(pages[0].pagination.total).toBe(3);
  expect(pages.map(({ data }) => data[0])).toEqual(all.data);

  await postPoint(server, one.key, { ...FAR, timestamp: fix().timestamp + 60 });
  expect(pairs(await list())).toEqual([`${two.id} bay`]);
});

test("a share of the history shows the zones of that device alone; one of the present shows none", async () => {
  await createZone(server, { name: "shared bay", radius_km: 5 });
  const [mine, other] = [await server.device("Mine"), await server.device("Other")];
  await postPoint(server, mine.key, HERE);
  await postPoint(server, other.key, HERE);
  const user = await newUser(server);
  const ask = () => server.get("/v1/geofence-presence", { token: user.token });
  expectRefused(await ask(), 403, "Forbidden");
  await share(server, mine.id, user.id, "now");
  expectRefused(await ask(), 403, "Forbidden");
  await share(server, mine.id, user.id, "history");
  const shown = await list("", user.token);
  expect(new Set(shown.data.map(({ device_id }: Presence) => device_id))).toEqual(new Set([mine.id]));
  expect(shown.pagination.total).toBe(shown.data.length);
  expect((await list(`?device_id=${other.id}`, user.token)).data).toEqual([]);
  expect(pairs(await list())).toContain(`${other.id} shared bay`);
});
