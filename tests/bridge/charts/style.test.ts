import { describe, expect, test } from "bun:test";
import { layersOf } from "../../../src/bridge/charts/style";

/** Styles of charts, as they stand beside them. */

const layers = (...given: unknown[]) => JSON.stringify({ layers: given });

describe("a style", () => {
  test("may have each kind of layer", () => {
    for (const type of ["background", "fill", "line", "symbol", "circle", "raster", "fill-extrusion"])
      expect(layersOf(layers({ id: "a", type }))).toEqual([{ id: "a", type }]);
    expect(layersOf(layers())).toEqual([]);
  });

  test("gives nothing of a layer that is not known, also by the names of objects' own fields", () => {
    const text =
      '{"layers":[{"id":"a","type":"fill","__proto__":{"x":1},"constructor":1,"source":"s","ref":"b"}]}';
    expect(layersOf(text)).toEqual([{ id: "a", type: "fill" }]);
  });

  test.each([
    ["{", "is no JSON"],
    ["null", "is no MapLibre style: it has no layers"],
    ["[]", "is no MapLibre style: it has no layers"],
    ['{"layers":{}}', "is no MapLibre style: it has no layers"],
    [layers(null), "has a layer that is no object, at index 0"],
    [layers({ type: "fill" }), "has a layer whose id is missing or wrong, at index 0"],
    [layers({ id: "", type: "fill" }), "has a layer whose id is missing or wrong, at index 0"],
    [layers({ id: "a" }), "has a layer whose type is missing or wrong, at index 0"],
    [layers({ id: "a", type: "custom" }), "has a layer whose type is missing or wrong, at index 0"],
    [
      layers({ id: "a", type: "fill", paint: "red" }),
      "has a layer whose paint is missing or wrong, at index 0",
    ],
    [
      layers({ id: "a", type: "fill", layout: [] }),
      "has a layer whose layout is missing or wrong, at index 0",
    ],
    [
      layers({ id: "a", type: "fill", filter: "x" }),
      "has a layer whose filter is missing or wrong, at index 0",
    ],
    [
      layers({ id: "a", type: "fill", minzoom: -1 }),
      "has a layer whose minzoom is missing or wrong, at index 0",
    ],
    [layers({ id: "a", type: "fill" }, { id: "a", type: "line" }), 'has two layers "a"'],
    [layers(...Array(1_001).fill({})), "has more than 1000 layers"],
  ])("that is none is refused: %.70s", (text, reason) => {
    expect(() => layersOf(text)).toThrow(reason);
  });
});
