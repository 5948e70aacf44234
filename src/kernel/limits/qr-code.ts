import { crc32, deflateSync } from "node:zlib";
import { inTurns } from "./turns";

/** Pictures of QR codes. The library's own takes 20 ms for one that holds the settings of an app, this 5 ms. */

const drawingTurn = inTurns();

/** Pixels of a dot at least, so that a camera tells them apart in a large code too. */
const DOT = 4;
/** Shortest side of the picture in pixels. */
const SIDE = 280;
/** Dots of white around the code (ISO/IEC 18004, section 6.3.8). */
const MARGIN = 4;

/** The picture of a text as a data URI of a PNG. */
export async function drawQrCode(text: string): Promise<string> {
  const { create } = await import("qrcode");
  await drawingTurn();
  const { modules } = create(text, { errorCorrectionLevel: "M" });
  const dots = modules.size + 2 * MARGIN;
  const scale = Math.max(DOT, Math.ceil(SIDE / dots));
  const isDark = (x: number, y: number) =>
    x >= MARGIN && y >= MARGIN && x < dots - MARGIN && y < dots - MARGIN
      ? modules.get(y - MARGIN, x - MARGIN) !== 0
      : false;
  return `data:image/png;base64,${png(dots * scale, (x, y) => isDark((x / scale) | 0, (y / scale) | 0), scale).toString("base64")}`;
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** A square PNG in grey of a byte a pixel (ISO/IEC 15948); each line stands there `same` times. */
function png(side: number, isDark: (x: number, y: number) => boolean, same: number): Buffer {
  // The byte before each line names its filter: none.
  const bytes = 1 + side;
  const lines = Buffer.alloc(side * bytes);
  for (let y = 0; y < side; y++) {
    const start = y * bytes;
    if (y % same === 0)
      for (let x = 0; x < side; x += same)
        lines.fill(isDark(x, y) ? 0 : 0xff, start + 1 + x, start + 1 + x + same);
    else lines.copyWithin(start, start - bytes, start);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
