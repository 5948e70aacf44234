import { Elysia } from "elysia";
import { requireStillAdmitted } from "../../identity/access/actor";
import { type Caller, isUnchanged } from "../../identity/access/caller";
import { guard } from "../../identity/access/guard";
import { requireDevice, type VisibleDevices, visibleDevices } from "../../identity/access/visible-devices";
import { acceptedType } from "../../kernel/http/accept";
import { errors, SelfLink } from "../../kernel/http/answers";
import { giveSeconds } from "../../kernel/http/client";
import { single } from "../../kernel/http/envelopes";
import { isKnown } from "../../kernel/http/etag";
import { noteLargeRead } from "../../kernel/http/large-reads";
import { IdParams, query, t } from "../../kernel/http/schema";
import { headOfStreamed, streamed } from "../../kernel/http/streamed";
import { countedText, LARGE } from "../../kernel/http/unsent";
import { requireTrip } from "../shares/trips";
import { MEDIA_TYPES, TRACK_FORMATS, Track, type TrackFormat, TrackQuery } from "./schema";
import { type Course, courseOfDevice, courseOfTrip, etagOf, fileName, fileOf, trackOf } from "./service";

/** The form that a request asks for: by name, else by what it accepts. */
const formatOf = ({ format }: TrackQuery, request: Request): TrackFormat => {
  if (format !== undefined) return format;
  const best = acceptedType(request.headers.get("accept") ?? "", Object.values(MEDIA_TYPES));
  return TRACK_FORMATS.find((each) => MEDIA_TYPES[each] === best) ?? "json";
};

/** A long track takes seconds to read. */
const READING_SECONDS = 120;

/** Answers with a track, as long as its caller sees it: a long one is sent for minutes. */
async function answer(
  request: Request,
  caller: Caller,
  course: Course,
  asked: TrackQuery,
  self: string,
  seen: (visible: VisibleDevices) => void,
): Promise<Response> {
  const format = formatOf(asked, request);
  const etag = etagOf(course, asked, format);
  const caching = { etag, "cache-control": "private, no-cache", vary: "Accept, Origin" };
  if (isKnown(etag, request.headers.get("if-none-match")))
    return new Response(null, { status: 304, headers: caching });
  const headers = {
    ...caching,
    "content-disposition": `${format === "json" ? "inline" : "attachment"}; filename="${fileName(course, format)}"`,
    "content-type": format === "json" ? "application/json;charset=utf-8" : MEDIA_TYPES[format],
  };
  giveSeconds(request, READING_SECONDS);
  const permission = "device" in course.owner ? "gps:read" : "trips:read";
  const check = () => {
    if (!isUnchanged(caller)) requireStillAdmitted(caller);
    seen(visibleDevices(caller, permission, "history"));
  };
  if (format === "json") {
    const text = JSON.stringify(single(await trackOf(course, asked, caller.id, check), self));
    if (text.length > LARGE) noteLargeRead(caller.id, text.length);
    return countedText(request, text, headers);
  }
  if (request.method === "HEAD") return headOfStreamed(headers);
  return streamed(request, caller.id, fileOf(course, format, asked, caller.id, check), headers);
}

const Answer = t.Object(
  { data: Track, _links: SelfLink },
  {
    title: "TrackAnswer",
    description: "The track; a file in another form than JSON",
    "x-content-types": Object.values(MEDIA_TYPES),
    "x-headers": ["ETag", "Content-Disposition"],
  },
);
const Known = t.Void({ description: "The client has this track already", "x-headers": ["ETag"] });

const FORMS =
  "Between two positions further apart in time than `gap_seconds` it is cut into pieces. Without `tolerance_m` it is reduced to `max_points` points, which keep its shape. As a file (`format`, or `Accept`) it has all positions and is sent while it is read: GeoJSON (RFC 7946, a line for each piece, cut at the 180th meridian, with the times in `coordinateProperties`), GPX 1.1 (speed and course in Garmin's TrackPointExtension), KML 2.2 with gx:Track, and CSV with the columns that the import reads. Outliers are left out. Asked again with `If-None-Match`, a track that is unchanged is 304.";

export const trackRoutes = new Elysia({ prefix: "/v1", tags: ["Tracks"] })
  .use(guard)
  .get(
    "/devices/:id/track",
    ({ actor: { caller }, params: { id }, query: asked, request }) =>
      answer(request, caller, courseOfDevice(id, asked), asked, `/v1/devices/${id}/track`, (visible) =>
        requireDevice(caller, visible, id),
      ),
    {
      access: { requires: "gps:read", orShare: "history" },
      params: IdParams,
      ...query(TrackQuery),
      response: { 200: Answer, 304: Known, ...errors(404) },
      detail: {
        operationId: "getTrackOfDevice",
        summary: "Get the track of a device",
        description: `The way of a device between two times, by default in the last 24 hours. ${FORMS}`,
      },
    },
  )
  .get(
    "/trips/:id/track",
    ({ actor: { caller }, params: { id }, query: asked, request, visible }) =>
      answer(request, caller, courseOfTrip(id, asked, visible), asked, `/v1/trips/${id}/track`, (visible) =>
        requireTrip(id, visible),
      ),
    {
      access: { requires: "trips:read", orShare: "history" },
      params: IdParams,
      ...query(TrackQuery),
      response: { 200: Answer, 304: Known, ...errors(404) },
      detail: {
        operationId: "getTrackOfTrip",
        summary: "Get the track of a trip",
        description: `The way of a trip, or its part between two times. ${FORMS}`,
      },
    },
  );
