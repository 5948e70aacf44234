import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Compression, TileType } from "pmtiles";
import { writeArchive } from "./archive";
import { placesNear } from "./places";
import { shapesOf } from "./shapes";
import { readShore } from "./shore";
import { cut, MAX_ZOOM } from "./tiles";

/** Makes the base map anew: see README.md. */

const TARGET = join(import.meta.dir, "../../src/bridge/coast/coast.pmtiles");

const METADATA = {
  name: "Coast",
  description: "Coastlines, lakes and towns of the world. Not for navigation.",
  version: "1",
  type: "baselayer",
  attribution: "GSHHG (LGPL 3.0), GeoNames (CC BY 4.0)",
  vector_layers: [
    { id: "land", fields: {}, minzoom: 0, maxzoom: MAX_ZOOM },
    { id: "lake", fields: {}, minzoom: 0, maxzoom: MAX_ZOOM },
    { id: "places", fields: { name: "String", population: "Number" }, minzoom: 0, maxzoom: MAX_ZOOM },
  ],
};

const scratch = mkdtempSync(join(tmpdir(), "fairlead-coast-"));
try {
  const file = join(scratch, "shore.txt");
  const pens = [1, 2, 3].map((level) => `-W${level}/0.1p`);
  const gmt = Bun.spawnSync(["gmt", "pscoast", "-Rg", "-Df", "-M", ...pens], {
    stdout: Bun.file(file),
    cwd: scratch,
  });
  if (gmt.exitCode !== 0) throw new Error(`gmt failed: ${gmt.stderr}`);
  const rings = await readShore(file);
  const tiles = cut(shapesOf(rings), placesNear(rings));
  const archive = writeArchive(tiles, {
    tileType: TileType.Mvt,
    tileCompression: Compression.Gzip,
    minZoom: 0,
    maxZoom: MAX_ZOOM,
    metadata: METADATA,
  });
  await Bun.write(TARGET, archive);
  process.stdout.write(`${TARGET}: ${tiles.length} tiles, ${archive.length} bytes\n`);
} finally {
  rmSync(scratch, { recursive: true });
}
