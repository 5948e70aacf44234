import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectInvalid, expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { greatCircleKm } from "../support";

/** Polygons and corridors by the API: what is taken, and which corner a refusal names. */

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const post = (fields: object) => server.post("/v1/geofences", { token, body: { name: "zone", ...fields } });
const patch = (id: string, body: object) => server.patch(`/v1/geofences/${id}`, { token, body });

type Corner = [number, number];

const SQUARE: Corner[] = [
  [13, 54],
  [13.2, 54],
  [13.2, 54.1],
  [13, 54.1],
  [13, 54],
];
const HOLE: Corner[] = [
  [13.05, 54.02],
  [13.1, 54.02],
  [13.1, 54.05],
  [13.05, 54.02],
];
const polygon = (...rings: unknown[]) => ({
  kind: "polygon",
  geometry: { type: "Polygon", coordinates: rings },
});
const corridor = (coordinates: unknown, width_m: unknown = 50) => ({
  kind: "corridor",
  geometry: { type: "LineString", coordinates },
  width_m,
});

/** A ring of so many corners on a circle, closed. */
function round(corners: number, [longitude, latitude]: Corner = [13, 54], degrees = 0.1): Corner[] {
  const ring = Array.from({ length: corners }, (_, at): Corner => {
    const turn = (2 * Math.PI * at) / corners;
    return [longitude + degrees * Math.cos(turn), latitude + degrees * Math.sin(turn)];
  });
  return [...ring, ring[0] as Corner];
}

describe("a polygon", () => {
  test.each([
    ["with a hole", polygon(SQUARE, HOLE)],
    ["of either winding", polygon(SQUARE.toReversed())],
    [
      "of several parts",
      { kind: "polygon", geometry: { type: "MultiPolygon", coordinates: [[SQUARE], [HOLE]] } },
    ],
    ["of three corners", polygon([...HOLE])],
    ["of 2,000 corners", polygon(round(2_000))],
    [
      "across the 180th meridian",
      polygon([
        [179, 0],
        [-179, 0],
        [-179, 1],
        [179, 1],
        [179, 0],
      ]),
    ],
    [
      "with a corner at a pole",
      polygon([
        [0, 80],
        [20, 80],
        [0, 90],
        [0, 80],
      ]),
    ],
    ["as wide as a continent", polygon(round(50, [0, 0], 60))],
    [
      "of parts on either side of the Earth",
      {
        kind: "polygon",
        geometry: {
          type: "MultiPolygon",
          coordinates: [[round(5, [10, 54])], [round(5, [-170, -54])], [round(5, [-80, 10])]],
        },
      },
    ],
    [
      "that touches itself",
      polygon([
        [13, 54],
        [13.1, 54.1],
        [13.2, 54],
        [13.2, 54.2],
        [13.1, 54.1],
        [13, 54.2],
        [13, 54],
      ]),
    ],
  ])("%s is kept as it was sent, with a circle around it", async (_, fields) => {
    const { data } = expectStatus(await post(fields), 201).body;
    expect(data).toMatchObject({ ...fields, width_m: null });
    const { latitude, longitude, radius_km } = data;
    const corners = (fields.geometry.coordinates as unknown[]).flat(
      fields.geometry.type === "Polygon" ? 1 : 2,
    );
    for (const [lon, lat] of corners as Corner[])
      expect(greatCircleKm({ latitude, longitude }, { latitude: lat, longitude: lon })).toBeLessThanOrEqual(
        radius_km,
      );
  });

  const CROSSED: Corner[] = [
    [13, 54],
    [13.2, 54.1],
    [13.2, 54],
    [13, 54.1],
    [13, 54],
  ];
  const AROUND_THE_POLE: Corner[] = [
    [0, 80],
    [120, 80],
    [-120, 80],
    [0, 80],
  ];
  const far = SQUARE.map(([longitude, latitude]): Corner => [longitude + 3, latitude]);

  test.each([
    ["without geometry", { kind: "polygon" }, "/geometry"],
    ["whose geometry is null", { kind: "polygon", geometry: null }, "/geometry"],
    [
      "that is a line",
      { kind: "polygon", geometry: { type: "LineString", coordinates: SQUARE } },
      "/geometry",
    ],
    ["that is no geometry", { kind: "polygon", geometry: 7 }, "/geometry"],
    ["without rings", polygon(), "/geometry/coordinates"],
    ["whose ring is no list", polygon({ a: 1 }), "/geometry/coordinates/0"],
    [
      "whose corner is no place",
      polygon([
        [13, 54],
        [13, "54"],
        [14, 54],
        [13, 54],
      ]),
      "/geometry/coordinates/0/1",
    ],
    [
      "whose corner is beyond the pole",
      polygon([
        [13, 54],
        [13, 55],
        [14, 90.1],
        [13, 54],
      ]),
      "/geometry/coordinates/0/2",
    ],
    [
      "whose corner is beyond 180",
      polygon([
        [13, 54],
        [181, 55],
        [14, 54],
        [13, 54],
      ]),
      "/geometry/coordinates/0/1",
    ],
    ["whose ring is open", polygon(SQUARE.slice(0, -1)), "/geometry/coordinates/0/3"],
    [
      "of two corners",
      polygon([
        [13, 54],
        [14, 54],
        [13, 54],
      ]),
      "/geometry/coordinates/0/2",
    ],
    [
      "of the same corners",
      polygon([
        [13, 54],
        [14, 54],
        [13, 54],
        [14, 54],
        [13, 54],
      ]),
      "/geometry/coordinates/0/4",
    ],
    ["of 2,001 corners", polygon(round(1_000), round(1_001, [13, 54], 0.05)), "/geometry/coordinates/1/1000"],
    ["that crosses itself", polygon(CROSSED), "/geometry/coordinates/0/0"],
    [
      "that crosses itself in a corner",
      polygon([
        [13, 54],
        [13.1, 54.1],
        [13.2, 54.2],
        [13.2, 54],
        [13.1, 54.1],
        [13, 54.2],
        [13, 54],
      ]),
      "/geometry/coordinates/0/0",
    ],
    ["that goes round twice", polygon([...SQUARE, ...SQUARE.slice(1)]), "/geometry/coordinates/0/0"],
    ["whose hole is all of it", polygon(SQUARE, SQUARE), "/geometry/coordinates/0/0"],
    [
      "without area",
      polygon([
        [13, 54],
        [13, 55],
        [13, 56],
        [13, 54],
      ]),
      "/geometry/coordinates/0/0",
    ],
    [
      "whose hole crosses the ring",
      polygon(
        SQUARE,
        HOLE.map(([lon, lat]) => [lon + 0.11, lat]),
      ),
      "/geometry/coordinates/0/1",
    ],
    ["whose hole lies elsewhere", polygon(SQUARE, far), "/geometry/coordinates/1/0"],
    ["around a pole", polygon(AROUND_THE_POLE), "/geometry/coordinates/0/0"],
    [
      "around the other pole",
      polygon(AROUND_THE_POLE.map(([lon, lat]) => [lon, -lat])),
      "/geometry/coordinates/0/0",
    ],
    [
      "larger than 80 degrees",
      polygon([
        [-90, 0],
        [0, -5],
        [90, 0],
        [0, 5],
        [-90, 0],
      ]),
      "/geometry/coordinates/0/0",
    ],
    ["with a width", { ...polygon(SQUARE), width_m: 5 }, "/width_m"],
  ])("%s is refused", async (_, fields, path) => {
    const before = (await server.get("/v1/geofences", { token })).body.pagination.total;
    expectInvalid(await post(fields), path);
    expect((await server.get("/v1/geofences", { token })).body.pagination.total).toBe(before);
  });

  test("of which an ordinary field is changed stays, and read-only ones are left out of account", async () => {
    const { data } = expectStatus(await post(polygon(SQUARE)), 201).body;
    const changed = await patch(data.id, { name: "yard", latitude: 1, longitude: 2, radius_km: 3 });
    expect(expectStatus(changed, 200).body.data).toEqual({
      ...data,
      name: "yard",
      updated_at: changed.body.data.updated_at,
    });
  });
});

describe("a corridor", () => {
  test.each([
    [
      "of two points",
      corridor([
        [13, 54],
        [14, 54],
      ]),
    ],
    ["of 500 points", corridor(round(499))],
    [
      "across the 180th meridian",
      corridor(
        [
          [179, 0],
          [-179, 0.5],
        ],
        100_000,
      ),
    ],
    [
      "around the Earth",
      corridor(
        [
          [10, 54],
          [100, 0],
          [-170, -54],
          [-80, 0],
          [10, 54],
        ],
        100_000,
      ),
    ],
    ["whose points are the same", corridor([SQUARE[0], SQUARE[0]])],
    [
      "of one metre",
      corridor(
        [
          [13, 54],
          [13.1, 54],
        ],
        1,
      ),
    ],
  ])("%s is kept as it was sent", async (_, fields) => {
    expect(expectStatus(await post(fields), 201).body.data).toMatchObject(fields);
  });

  test.each([
    ["of one point", corridor([[13, 54]]), "/geometry/coordinates/0"],
    ["of 501 points", corridor(round(500)), "/geometry/coordinates/500"],
    ["whose point is none", corridor([[13, 54], null]), "/geometry/coordinates/1"],
    [
      "from one side of the Earth to the other",
      corridor([
        [10, 50],
        [10, 54],
        [-170, -54],
      ]),
      "/geometry/coordinates/2",
    ],
    [
      "without width",
      {
        kind: "corridor",
        geometry: {
          type: "LineString",
          coordinates: [
            [13, 54],
            [14, 54],
          ],
        },
      },
      "/width_m",
    ],
    [
      "of no width",
      corridor(
        [
          [13, 54],
          [14, 54],
        ],
        0,
      ),
      "/width_m",
    ],
    [
      "wider than 100 km",
      corridor(
        [
          [13, 54],
          [14, 54],
        ],
        100_001,
      ),
      "/width_m",
    ],
    ["that is a polygon", { ...polygon(SQUARE), kind: "corridor", width_m: 50 }, "/geometry"],
  ])("%s is refused", async (_, fields, path) => {
    expectInvalid(await post(fields), path);
  });
});

test("a circle without its fields is refused with all of them named", async () => {
  const { body } = expectStatus(await post({ longitude: 13 }), 400);
  const required = (path: string) => ({ path, message: "is required" });
  expect(body.details).toEqual([required("/latitude"), required("/radius_km")]);
});

describe("a zone", () => {
  test("becomes another kind with what that needs, and a circle with what it has", async () => {
    const circle = { latitude: 54, longitude: 13, radius_km: 1 };
    const { data } = expectStatus(await post(circle), 201).body;
    expectInvalid(await patch(data.id, { kind: "polygon" }), "/geometry");
    expectInvalid(await patch(data.id, { geometry: polygon(SQUARE).geometry }), "/geometry");
    const line = corridor(SQUARE.slice(0, 2), 100);
    expect(expectStatus(await patch(data.id, line), 200).body.data).toMatchObject(line);
    const wider = expectStatus(await patch(data.id, { width_m: 200 }), 200).body.data;
    expect(wider).toMatchObject({ ...line, width_m: 200 });
    expectInvalid(await patch(data.id, { width_m: null }), "/width_m");
    const round = expectStatus(await patch(data.id, { kind: "circle" }), 200).body.data;
    const { latitude, longitude, radius_km } = wider;
    expect(round).toMatchObject({
      kind: "circle",
      geometry: null,
      width_m: null,
      latitude,
      longitude,
      radius_km,
    });
  });

  test.each([
    ["enter_after_s", [0, 86_400], [-1, 86_401, 1.5, null]],
    ["exit_after_s", [0, 86_400], [-1, 86_401, "1", null]],
    ["confirm_fixes", [1, 10], [0, 11, null]],
    ["exit_margin_m", [0, 100_000, null], [-1, 100_001]],
    ["max_accuracy_m", [0, 12.5, null], [-1]],
    ["dwell_seconds", [1, 86_400, null], [0, 1.5]],
    ["color", ["#ff8800", null], ["", 7]],
    ["kind", ["circle"], ["square", null]],
  ])("takes %s within its bounds", async (field, right, wrong) => {
    const circle = { latitude: 54, longitude: 13, radius_km: 1 };
    for (const value of right)
      expect(expectStatus(await post({ ...circle, [field]: value }), 201).body.data[field]).toBe(value);
    for (const value of wrong) expectInvalid(await post({ ...circle, [field]: value }), `/${field}`);
  });
});
