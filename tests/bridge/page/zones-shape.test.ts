import { describe, expect, test } from "bun:test";
import { createDrawing } from "../../../src/bridge/page/panels/zones/drawing";
import {
  type Corner,
  cornerAt,
  EMPTY,
  faultOf,
  handlesOf,
  type Shape,
  sentOf,
  shapeOf,
  withCorner,
  withoutCorner,
  withoutRing,
  withRing,
} from "../../../src/bridge/page/panels/zones/shape";

/** Shapes of zones while they are drawn. */

const TRIANGLE: readonly Corner[] = [
  [13.4, 54.1],
  [13.5, 54.1],
  [13.5, 54.2],
];
const INNER: readonly Corner[] = [
  [13.46, 54.12],
  [13.48, 54.12],
  [13.48, 54.14],
];
const polygon = (...rings: Shape["rings"]): Shape => ({ ...EMPTY, rings });
const area = (corners = TRIANGLE) => ({ isHole: false, corners });
const hole = (corners = INNER) => ({ isHole: true, corners });
const closed = (corners: readonly Corner[]) => [...corners, ...corners.slice(0, 1)].map((at) => [...at]);

/** A zone as the API shows it, of what was sent. */
const stored = (sent: ReturnType<typeof sentOf>) =>
  shapeOf({ latitude: 0, longitude: 0, radius_km: 1, ...sent } as Parameters<typeof shapeOf>[0]);

describe("a shape", () => {
  test("is sent as GeoJSON of its kind, and read back as it was", () => {
    const withHole = polygon(area(), hole());
    expect(sentOf(withHole)?.geometry).toEqual({
      type: "Polygon",
      coordinates: [closed(TRIANGLE), closed(INNER)],
    });
    const two = polygon(area(), hole(), area(INNER));
    expect(sentOf(two)?.geometry).toEqual({
      type: "MultiPolygon",
      coordinates: [[closed(TRIANGLE), closed(INNER)], [closed(INNER)]],
    });
    const corridor: Shape = { ...EMPTY, kind: "corridor", rings: [area()], width_m: 80 };
    expect(sentOf(corridor)).toEqual({
      ...{ kind: "corridor", width_m: 80 },
      geometry: { type: "LineString", coordinates: TRIANGLE.map((at) => [...at]) },
    });
    const circle: Shape = { ...EMPTY, kind: "circle", centre: [13.4, 54.1], radius_km: 0.4 };
    for (const shape of [withHole, two, corridor, circle]) expect(stored(sentOf(shape))).toEqual(shape);
  });

  test("isn't sent while something is missing", () => {
    expect(sentOf(EMPTY)).toBeNull();
    expect(sentOf(polygon(area(TRIANGLE.slice(1))))).toBeNull();
    expect(sentOf(polygon(area(), hole(INNER.slice(1))))).toBeNull();
    expect(sentOf({ ...EMPTY, kind: "corridor", rings: [area()], width_m: null })).toBeNull();
    expect(sentOf({ ...EMPTY, kind: "corridor", rings: [area(TRIANGLE.slice(2))] })).toBeNull();
    expect(sentOf({ ...EMPTY, kind: "circle", centre: [1, 1], radius_km: null })).toBeNull();
    // A ring that was begun and has no corner yet is none.
    expect(sentOf(polygon(area(), hole([])))).not.toBeNull();
  });

  test("keeps its corners on the Earth's one turn", () => {
    expect(cornerAt(541, 91)).toEqual([-179, 90]);
    expect(cornerAt(-190.12345678, 10)).toEqual([169.876543, 10]);
  });

  test("finds the corner that a refusal names", () => {
    const refusal = (path: string) => ({ details: [{ path, message: "is wrong" }] });
    const shape = polygon(area(), hole([]), hole());
    const at = (path: string, of = shape) => faultOf(of, refusal(path));
    expect(at("/geometry/coordinates/0/2")).toMatchObject({ ring: 0, corner: 2 });
    // The hole without corners wasn't sent.
    expect(at("/geometry/coordinates/1/1")).toMatchObject({ ring: 2, corner: 1, message: "is wrong" });
    expect(at("/geometry/coordinates/0/3")).toMatchObject({ ring: 0, corner: 0 });
    const two = polygon(area(), hole(), area(INNER));
    expect(at("/geometry/coordinates/1/0/2", two)).toMatchObject({ ring: 2, corner: 2 });
    const corridor: Shape = { ...EMPTY, kind: "corridor", rings: [area()] };
    expect(at("/geometry/coordinates/1", corridor)).toMatchObject({ ring: 0, corner: 1 });
    expect(at("/name")).toBeNull();
  });

  test("has a handle for each corner and for the middle of each edge; a line isn't closed", () => {
    const roles = (shape: Shape) => handlesOf(shape).map(({ role, corner }) => `${role} ${corner}`);
    expect(roles(polygon(area()))).toEqual([
      ...["corner 0", "corner 1", "corner 2"],
      ...["middle 1", "middle 2", "middle 3"],
    ]);
    expect(roles({ ...EMPTY, kind: "corridor", rings: [area(), area()] })).toEqual([
      ...["corner 0", "corner 1", "corner 2"],
      ...["middle 1", "middle 2"],
    ]);
    expect(roles({ ...EMPTY, kind: "circle", centre: [13, 54], radius_km: 1 })).toEqual([
      "radius 0",
      "centre 0",
    ]);
    const across: Corner[] = [
      [179, 10],
      [-179, 10],
    ];
    const middle = handlesOf({ ...EMPTY, kind: "corridor", rings: [area(across)] }).at(-1);
    expect(Math.abs(middle?.place[0] ?? 0)).toBeCloseTo(180, 3);
  });

  test("loses the holes of an area with it, and never its last ring", () => {
    const shape = polygon(area(), hole(), area(INNER));
    expect(withoutRing(shape, 0).rings).toEqual([area(INNER)]);
    expect(withoutRing(shape, 1).rings).toEqual([area(), area(INNER)]);
    expect(withoutRing(polygon(area()), 0).rings).toEqual([area([])]);
    expect(withRing(shape, true).rings.at(-1)).toEqual(hole([]));
  });
});

describe("drawing", () => {
  test("adds corners by taps: at the end, or behind the one that is chosen", () => {
    const drawing = createDrawing(EMPTY);
    for (const corner of TRIANGLE) drawing.tap(corner, 1);
    expect(drawing.shape.value.rings[0]?.corners).toEqual([...TRIANGLE]);
    drawing.choose({ ring: 0, corner: 0 });
    drawing.tap([13.45, 54.05], 1);
    expect(drawing.shape.value.rings[0]?.corners[1]).toEqual([13.45, 54.05]);
    // The next one comes behind it.
    expect(drawing.chosen.value).toEqual({ ring: 0, corner: 1 });
  });

  test("undoes a whole move at once, back to the beginning and no further", () => {
    const drawing = createDrawing(polygon(area()));
    const handle = handlesOf(drawing.shape.value).find(({ role }) => role === "middle");
    if (!handle) throw new Error("there is no middle");
    const move = drawing.grab(handle);
    move([13.45, 54]);
    move([13.45, 53.9]);
    expect(drawing.shape.value.rings[0]?.corners).toEqual([
      TRIANGLE[0] as Corner,
      [13.45, 53.9],
      ...TRIANGLE.slice(1),
    ]);
    expect(drawing.isChanged()).toBe(true);
    drawing.undo();
    expect(drawing.shape.value).toEqual(polygon(area()));
    expect(drawing.isUndoable.value).toBe(false);
    drawing.undo();
    expect(drawing.isChanged()).toBe(false);
  });

  test("sets a circle by its centre, and its radius by the handle on the rim", () => {
    const drawing = createDrawing({ ...EMPTY, kind: "circle" });
    drawing.tap([13.4, 54.1], 2.5);
    expect(drawing.shape.value).toMatchObject({ centre: [13.4, 54.1], radius_km: 2.5 });
    const rim = handlesOf(drawing.shape.value).find(({ role }) => role === "radius");
    if (!rim) throw new Error("there is no rim");
    drawing.grab(rim)([13.4, 54.11]);
    expect(drawing.shape.value.radius_km).toBeCloseTo(1.112, 3);
    // Another tap moves it, and keeps its size.
    drawing.tap([13.5, 54.1], 2.5);
    expect(drawing.shape.value.radius_km).toBeCloseTo(1.112, 3);
    expect(drawing.shape.value.centre).toEqual([13.5, 54.1]);
  });

  test("forgets the fault once something changes, and who is chosen once that is deleted", () => {
    const drawing = createDrawing(polygon(area()));
    drawing.fault.value = { ring: 0, corner: 1, message: "is wrong" };
    drawing.choose({ ring: 0, corner: 1 });
    drawing.remove({ ring: 0, corner: 1 });
    expect(drawing.fault.value).toBeNull();
    expect(drawing.chosen.value).toBeNull();
    expect(drawing.shape.value).toEqual(withoutCorner(polygon(area()), { ring: 0, corner: 1 }));
    drawing.change(withCorner(drawing.shape.value, { ring: 0, corner: 1 }, TRIANGLE[1] as Corner));
    expect(drawing.shape.value).toEqual(polygon(area()));
  });
});
