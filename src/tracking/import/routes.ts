import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { guard } from "../../identity/access/guard";
import { errors, fileBody } from "../../kernel/http/answers";
import { IdParams, query } from "../../kernel/http/schema";
import { uploadOf } from "../../kernel/http/upload";
import type { Format } from "./reader";
import { ImportQuery, ImportReport } from "./schema";
import { importFile } from "./service";

const FORMAT_OF = {
  "application/gpx+xml": "gpx",
  "application/xml": "gpx",
  "text/xml": "gpx",
  "text/csv": "csv",
} as const satisfies Record<string, Format>;
const TYPES = Object.keys(FORMAT_OF) as (keyof typeof FORMAT_OF)[];

const MEBIBYTE = 1_048_576;

export const importRoutes = new Elysia({ prefix: "/v1/devices", tags: ["GPS data"] }).use(guard).post(
  "/:id/import",
  ({ actor, params: { id }, query: { dry_run: isDryRun = false }, request }) => {
    const { type, ...file } = uploadOf(request, TYPES, config["ingest.max_import_mb"] * MEBIBYTE);
    return importFile(actor, id, { format: FORMAT_OF[type], ...file }, isDryRun);
  },
  {
    access: { requires: "gps:write", and: "devices:write" },
    params: IdParams,
    ...query(ImportQuery),
    response: { 200: ImportReport, ...errors(404, 409) },
    detail: {
      operationId: "importPositions",
      summary: "Import positions from a file",
      description: `Stores the positions of a GPX file (1.0 or 1.1) or of a CSV file for a device. The file is the body itself, at most \`ingest.max_import_mb\` of the configuration large (200 MiB), also in the coding gzip, deflate or zstd; it is read as it arrives.

- **GPX**: points of tracks, with \`ele\`, \`time\`, \`speed\`, \`course\`, \`hdop\`, \`vdop\`, \`pdop\`, and speed and course of the known extensions. Waypoints and routes are left alone, points without a time rejected.
- **CSV**: the first line names the columns, by the names of a position's fields: \`latitude\`, \`longitude\` and \`timestamp\` (Unix seconds, or ISO 8601), and any of \`altitude\`, \`heading\`, \`speed_kmh\`, \`speed_mps\`, \`speed_mph\`, \`speed_knots\`, \`pdop\`, \`hdop\`, \`vdop\`, \`accuracy_m\`, \`battery_percent\`; others are left alone. Fields are separated by commas or semicolons.

A device has at most one position a second by imports; the first one stays. So a file may be sent again without harm, whole or in part. Positions are stored as they come: a file that breaks off, or is broken, is 400 with the same numbers in its message, and what came before is stored. Neither limits of writes and positions nor \`server.max_body_bytes\` count here; too many imports at once are 503. A device that belongs to a box gets its positions from there alone (409 \`OwnedByBox\`).`,
      requestBody: fileBody(TYPES, "The file"),
    },
  },
);
