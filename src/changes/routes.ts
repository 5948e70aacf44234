import { Elysia } from "elysia";
import { guard } from "../identity/access/guard";
import { binary, errors } from "../kernel/http/answers";
import { giveSeconds } from "../kernel/http/client";
import { noteLargeRead } from "../kernel/http/large-reads";
import { query } from "../kernel/http/schema";
import { countedText, LARGE } from "../kernel/http/unsent";
import { ChangePage, ChangesQuery, DEFAULT_LIMIT, Expired, StreamQuery } from "./schema";
import { COMMENT_SECONDS, pollChanges, startFrom, streamChanges, textOfPage, wantedBy } from "./service";

const SEEN =
  "Each type needs the permission of its channel: `gpsUpdate` and `gpsLate` `gps:read`, `geofenceEvent` and `geofenceCorrection` `geofences:read`, `tripUpdate` `trips:read`, `deviceUpdate` `devices:read`, those of alerts `alerts:read`; 403 if the caller holds none of them. With `device_id`, a session sees the positions of a device that is shared with its user; with a share of the level `now` nothing that came before: 410 with the cursor of the present.";

const JSON_TYPE = "application/json;charset=utf-8";

/** Seconds that a held connection has beyond the time until something comes. */
const LEEWAY_SECONDS = 15;

export const changeRoutes = new Elysia({ prefix: "/v1/changes", tags: ["Changes"] })
  .use(guard)
  .get(
    "",
    async ({ actor: { caller }, query, request }) => {
      const wanted = wantedBy(caller, query);
      const wait = query.wait_seconds ?? 0;
      if (wait > 0) giveSeconds(request, wait + LEEWAY_SECONDS);
      const page = await pollChanges(
        caller,
        startFrom(caller, query.since, wanted),
        wanted,
        query.limit ?? DEFAULT_LIMIT,
        wait,
        request.signal,
      );
      const text = textOfPage(page);
      if (text.length > LARGE) noteLargeRead(caller.id, text.length);
      return countedText(request, text, { "content-type": JSON_TYPE });
    },
    {
      access: "authenticated",
      ...query(ChangesQuery),
      response: { 200: ChangePage, ...errors(403, 503), 410: Expired },
      detail: {
        operationId: "listChanges",
        summary: "List changes",
        description: `The changes after a cursor, in the order of their commits: none is missing, and none comes twice. Begin with \`since=now\` before you read the state, and go on from \`next\`. With \`wait_seconds\` the answer comes as soon as there is a change. A record is told as it is now, or as \`is_deleted\`. Changes are kept for \`changes.retention_hours\` (72) and \`changes.max_rows\`: 410 for an older cursor, and for one from before a backup was restored. ${SEEN}`,
      },
    },
  )
  .get(
    "/stream",
    ({ actor: { caller }, query, request }) => {
      const wanted = wantedBy(caller, query);
      const from = startFrom(caller, request.headers.get("last-event-id") ?? query.since ?? "now", wanted);
      giveSeconds(request, COMMENT_SECONDS + LEEWAY_SECONDS);
      return new Response(streamChanges(caller, from, wanted, request.signal), {
        headers: {
          "content-type": "text/event-stream",
          "cache-control": "no-store",
          "x-accel-buffering": "no",
        },
      });
    },
    {
      access: "authenticated",
      ...query(StreamQuery),
      response: {
        200: binary("text/event-stream", "Server-sent events, without end", "X-Accel-Buffering"),
        ...errors(403, 503),
        410: Expired,
      },
      detail: {
        operationId: "streamChanges",
        summary: "Stream changes",
        description: `The same as server-sent events (HTML Standard, section 9.2): \`id\` is the cursor, \`event\` the type, \`data\` the data. A client that reconnects sends \`Last-Event-ID\`. A comment comes every 15 s while nothing else does. The stream ends when a right ends. Browsers read it by \`fetch\`, since \`EventSource\` sends no credentials. ${SEEN}`,
        "x-header-parameters": [
          {
            name: "Last-Event-ID",
            in: "header",
            required: false,
            description: "The cursor of the last event that came",
            schema: { type: "string", maxLength: 64, examples: ["5f1c9a02b3d4e5f6-1204311"] },
          },
        ],
      },
    },
  );
