import type { Map as MapLibre } from "maplibre-gl";
import type { Age } from "../age";
import { drawingOf } from "./canvas";
import type { Palette } from "./palette";

/**
 * The signs of devices and vessels. The age of a position is their form: full, half full, hollow. Pictures are drawn when they are
 * first needed in a look.
 */

/** Pixels of a side of a picture, at twice the size that it has on the map. */
const SIZE = 64;

export type Form = "arrow" | "disc";

const OUTLINES: Record<Form | "vessel" | "moored" | "ahead", (path: Path2D) => void> = {
  arrow: (path) => {
    path.moveTo(32, 7);
    path.lineTo(51, 54);
    path.lineTo(32, 43);
    path.lineTo(13, 54);
    path.closePath();
  },
  disc: (path) => path.arc(32, 32, 17, 0, 2 * Math.PI),
  vessel: (path) => {
    path.moveTo(32, 12);
    path.quadraticCurveTo(43, 24, 42, 50);
    path.lineTo(22, 50);
    path.quadraticCurveTo(21, 24, 32, 12);
    path.closePath();
  },
  ahead: (path) => {
    path.moveTo(32, 16);
    path.lineTo(47, 46);
    path.lineTo(32, 38);
    path.lineTo(17, 46);
    path.closePath();
  },
  moored: (path) => {
    path.moveTo(32, 18);
    path.lineTo(46, 32);
    path.lineTo(32, 46);
    path.lineTo(18, 32);
    path.closePath();
  },
};

function draw(
  outline: keyof typeof OUTLINES,
  colour: string,
  paper: string,
  fill: "full" | "half" | "hollow",
): ImageData {
  const context = drawingOf(SIZE);
  const path = new Path2D();
  OUTLINES[outline](path);
  context.lineJoin = "round";
  // An edge in the colour of the ground keeps signs apart that lie on each other.
  context.strokeStyle = paper;
  context.lineWidth = fill === "full" ? 5 : 10;
  context.stroke(path);
  context.fillStyle = fill === "full" ? colour : paper;
  context.fill(path);
  if (fill === "full") return context.getImageData(0, 0, SIZE, SIZE);
  if (fill === "half") {
    context.save();
    context.clip(path);
    context.fillStyle = colour;
    context.fillRect(SIZE / 2, 0, SIZE / 2, SIZE);
    context.restore();
  }
  context.strokeStyle = colour;
  context.lineWidth = 5;
  context.stroke(path);
  return context.getImageData(0, 0, SIZE, SIZE);
}

const FILLS = { fresh: "full", old: "half", lost: "hollow", none: "hollow" } as const;

function put(map: MapLibre, name: string, make: () => ImageData): string {
  if (!map.hasImage(name)) map.addImage(name, make(), { pixelRatio: 2 });
  return name;
}

/** The name of a device's sign, which is on the map then. */
export const craftSign = (map: MapLibre, palette: Palette, hue: number, form: Form, age: Age): string =>
  put(map, `craft-${hue}-${form}-${age}`, () =>
    draw(form, palette.hues[hue] as string, palette.paper, FILLS[age]),
  );

/** The name of a vessel's sign, which is on the map then. */
export const vesselSign = (map: MapLibre, palette: Palette, isAtRest: boolean): string =>
  put(map, `vessel-${isAtRest ? "moored" : "moving"}`, () =>
    draw(isAtRest ? "moored" : "vessel", palette.vessel, palette.paper, isAtRest ? "full" : "hollow"),
  );

/** The name of the sign that lies on a way and shows its direction; it is on the map then. */
export const aheadSign = (map: MapLibre, palette: Palette, hue: number): string =>
  put(map, `ahead-${hue}`, () => draw("ahead", palette.hues[hue] as string, palette.paper, "full"));
