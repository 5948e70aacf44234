import { EARTH_RADIUS_KM, type Position } from "../../kernel/values/great-circle";
import type { TrackPoint } from "./track";

/** The picture of a track, as SVG: a Mercator chart with a graticule, scale bars and north. */

const [WIDTH, HEIGHT, MARGIN] = [499, 270, 34];
const RADIANS = Math.PI / 180;
const KM_PER_MILE = 1.852;
/** Degrees: a chart of a boat at rest shows its surroundings. */
const LEAST_EXTENT = 0.004;

const COLORS = { track: "#0b4f8a", soft: "#595959", grid: "#dfe3e8", frame: "#8a929c" };

export interface Mark extends Position {
  label: string;
}

export interface MapWords {
  start: string;
  end: string;
  north: string;
  /** The unit of nautical miles. */
  miles: string;
}

interface Point {
  x: number;
  y: number;
}

/** The Mercator latitude, in radians. */
const mercator = (latitude: number): number =>
  Math.asinh(Math.tan(Math.max(-85, Math.min(85, latitude)) * RADIANS));

/** The picture of a way with some marks beside it; null without a point. */
export function trackPicture(track: TrackPoint[], marks: Mark[], words: MapWords): string | null {
  const [first] = track;
  if (!first) return null;
  const unwrapped = unwrap(track);
  const chart = chartOf(unwrapped);
  const points = unwrapped.map((point) => chart.place(point));
  const placed = marks.map(({ label, ...mark }) => ({ ...chart.place(nearTo(chart, mark)), label }));
  const parts = [
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" fill="#ffffff" stroke="${COLORS.frame}" stroke-width="0.7"/>`,
    ...graticule(chart),
    ...lines(points, track),
    ...numbers(placed),
    ...ends(points, words),
    northArrow(words.north),
    ...scaleBars(chart, words.miles),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${parts.join("")}</svg>`;
}

/** Longitudes without a leap at the 180th meridian. */
function unwrap<P extends Position>(track: P[]): P[] {
  let turns = 0;
  let last: number | undefined;
  return track.map((point) => {
    if (last !== undefined && Math.abs(point.longitude - last) > 180)
      turns += point.longitude < last ? 360 : -360;
    last = point.longitude;
    return { ...point, longitude: point.longitude + turns };
  });
}

/** A position in the turn of longitudes that a chart shows. */
function nearTo({ west, east }: Chart, { latitude, longitude }: Position): Position {
  const turns = Math.round(((west + east) / 2 - longitude) / 360);
  return { latitude, longitude: longitude + 360 * turns };
}

interface Chart {
  place: (position: Position) => Point;
  west: number;
  east: number;
  south: number;
  north: number;
  /** Kilometres of a unit of the picture, at the middle latitude. */
  kmPerUnit: number;
}

const inverse = (y: number): number => Math.atan(Math.sinh(y)) / RADIANS;

/** The chart on which a way fits, in whole. */
function chartOf(track: Position[]): Chart {
  const [west, east] = boundsOf(track.map(({ longitude }) => longitude));
  const [south, north] = boundsOf(track.map(({ latitude }) => mercator(latitude)));
  const [middleX, middleY] = [(west + east) / 2, (south + north) / 2];
  const extent = LEAST_EXTENT * RADIANS;
  const unit = Math.min(
    (WIDTH - 2 * MARGIN) / Math.max((east - west) * RADIANS, extent),
    (HEIGHT - 2 * MARGIN) / Math.max(north - south, extent),
  );
  const halfX = WIDTH / 2 / unit / RADIANS;
  const halfY = HEIGHT / 2 / unit;
  const place = ({ latitude, longitude }: Position): Point => ({
    x: WIDTH / 2 + (longitude - middleX) * RADIANS * unit,
    y: HEIGHT / 2 - (mercator(latitude) - middleY) * unit,
  });
  return {
    place,
    ...{ west: middleX - halfX, east: middleX + halfX },
    ...{ south: inverse(middleY - halfY), north: inverse(middleY + halfY) },
    kmPerUnit: (EARTH_RADIUS_KM * Math.cos(inverse(middleY) * RADIANS)) / unit,
  };
}

function boundsOf(values: number[]): [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

const at = (value: number): string => value.toFixed(1);

// --- The way ------------------------------------------------------------------------------------------------

/** The way in full lines, and dashed across pauses. */
function lines(points: Point[], track: TrackPoint[]): string[] {
  let known = "";
  let unknown = "";
  let last: Point | undefined;
  for (const [index, point] of points.entries()) {
    const isAfterGap = track[index]?.isAfterGap ?? false;
    if (last === undefined) known += `M${at(point.x)} ${at(point.y)}`;
    else if (isAfterGap) {
      unknown += `M${at(last.x)} ${at(last.y)}L${at(point.x)} ${at(point.y)}`;
      known += `M${at(point.x)} ${at(point.y)}`;
    } else if (Math.hypot(point.x - last.x, point.y - last.y) < 0.2 && index < points.length - 1) continue;
    else known += `L${at(point.x)} ${at(point.y)}`;
    last = point;
  }
  const path = (d: string, dash: string) =>
    `<path d="${d}" fill="none" stroke="${COLORS.track}" stroke-width="1.4" stroke-linejoin="round" stroke-linecap="round"${dash}/>`;
  return [path(known, ""), ...(unknown === "" ? [] : [path(unknown, ' stroke-dasharray="2 3"')])];
}

function ends(points: Point[], words: MapWords): string[] {
  const [first, last] = [points[0], points.at(-1)] as [Point, Point];
  return [
    `<circle cx="${at(first.x)}" cy="${at(first.y)}" r="3.4" fill="#ffffff" stroke="${COLORS.track}" stroke-width="1.4"/>`,
    label(first, words.start, 9),
    `<circle cx="${at(last.x)}" cy="${at(last.y)}" r="3.4" fill="${COLORS.track}"/>`,
    Math.hypot(first.x - last.x, first.y - last.y) < 12 ? "" : label(last, words.end, 9),
  ];
}

/** A word beside a point, on the side where the picture has room. */
function label({ x, y }: Point, word: string, size: number): string {
  const isRight = x > WIDTH - 70;
  return text(x + (isRight ? -6 : 6), y - 5, word, size, isRight ? "end" : "start", "#1a1a1a");
}

const text = (
  x: number,
  y: number,
  words: string,
  size: number,
  anchor: "start" | "middle" | "end",
  color = COLORS.soft,
): string =>
  `<text x="${at(x)}" y="${at(y)}" font-family="Roboto" font-size="${size}" text-anchor="${anchor}" fill="${color}">${words}</text>`;

/** Units between two numbers on the way, so that both can be read. */
const ROOM = 22;

/** The entries with a position, each with a dot and those that have room with their number. */
function numbers(marks: (Point & { label: string })[]): string[] {
  const shown: Point[] = [];
  return marks.map((mark) => {
    const dot = `<circle cx="${at(mark.x)}" cy="${at(mark.y)}" r="1.8" fill="#ffffff" stroke="${COLORS.track}" stroke-width="0.8"/>`;
    if (shown.some(({ x, y }) => Math.hypot(x - mark.x, y - mark.y) < ROOM)) return dot;
    shown.push(mark);
    return dot + text(mark.x + 4, mark.y + 9, mark.label, 7, "start");
  });
}

// --- Graticule, scale and north ---------------------------------------------------------------------------

/** Steps of a graticule, in minutes of arc. */
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600];
const MOST_LINES = 5;

/** The multiples of a nice step between two angles (degrees), in minutes of arc. */
function linesBetween(low: number, high: number): { minutes: number[]; step: number } {
  const span = (high - low) * 60;
  const step = STEPS.find((candidate) => span / candidate <= MOST_LINES) ?? 3_600;
  const from = Math.ceil((low * 60) / step);
  const count = Math.max(0, Math.floor((high * 60) / step) - from + 1);
  return { minutes: Array.from({ length: count }, (_, index) => (from + index) * step), step };
}

function graticule({ place, west, east, south, north }: Chart): string[] {
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" stroke="${COLORS.grid}" stroke-width="0.6"/>`;
  const meridians = linesBetween(west, east);
  const parallels = linesBetween(south, north);
  const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  return [
    ...meridians.minutes.flatMap((minutes) => {
      const { x } = place({ ...middle, longitude: minutes / 60 });
      return [
        line(x, 1, x, HEIGHT - 1),
        Math.min(x, WIDTH - x) < 22
          ? ""
          : text(x, 9, angle(minutes, meridians.step, ["E", "W"], 180), 6.5, "middle"),
      ];
    }),
    ...parallels.minutes.flatMap((minutes) => {
      const { y } = place({ ...middle, latitude: minutes / 60 });
      return [
        line(1, y, WIDTH - 1, y),
        // The arrow stands in this corner.
        y < 62 ? "" : text(WIDTH - 4, y - 2, angle(minutes, parallels.step, ["N", "S"], 90), 6.5, "end"),
      ];
    }),
  ];
}

/** "54°05.5′N", with no more of it than the step has; the equator and the meridians of 0° and 180° are on no side. */
function angle(minutes: number, step: number, [plus, minus]: [string, string], half: number): string {
  const wrapped = minutes > half * 60 ? minutes - 21_600 : minutes < -half * 60 ? minutes + 21_600 : minutes;
  const tenths = Math.round(Math.abs(wrapped) * 10);
  const degrees = Math.floor(tenths / 600);
  const rest = (tenths % 600) / 10;
  const fraction = step >= 60 ? "" : `${rest.toFixed(step < 1 ? 1 : 0).padStart(step < 1 ? 4 : 2, "0")}′`;
  const side = Math.abs(wrapped) % (180 * 60) === 0 ? "" : wrapped < 0 ? minus : plus;
  return `${degrees}°${fraction}${side}`;
}

const northArrow = (letter: string): string => {
  const [x, y] = [WIDTH - 20, 20];
  return (
    `<path d="M${x} ${y}L${x + 6} ${y + 20}L${x} ${y + 15}L${x - 6} ${y + 20}Z" fill="#1a1a1a"/>` +
    text(x, y + 31, letter, 10, "middle", "#1a1a1a")
  );
};

const LONGEST_BAR = 130;

/** The longest of 1, 2, 5, 10 … that fits. */
function niceBelow(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return ([5, 2, 1].find((digit) => digit * power <= most) ?? 1) * power;
}

function scaleBars({ kmPerUnit }: Chart, miles: string): string[] {
  const bar = (kmOfUnit: number, unit: string, y: number) => {
    const length = niceBelow((LONGEST_BAR * kmPerUnit) / kmOfUnit);
    const width = (length * kmOfUnit) / kmPerUnit;
    const x = 12;
    return (
      `<path d="M${x} ${y - 4}L${x} ${y}L${at(x + width)} ${y}L${at(x + width)} ${y - 4}" fill="none" stroke="#1a1a1a" stroke-width="1"/>` +
      text(x + width + 4, y, `${Number(length.toPrecision(1))} ${unit}`, 8, "start", "#1a1a1a")
    );
  };
  return [
    `<rect x="5" y="${HEIGHT - 36}" width="190" height="31" fill="#ffffff" fill-opacity="0.8"/>`,
    bar(KM_PER_MILE, miles, HEIGHT - 23),
    bar(1, "km", HEIGHT - 9),
  ];
}
