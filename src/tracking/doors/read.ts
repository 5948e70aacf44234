import type { Message } from "../../kernel/http/message";
import { isObject } from "../../kernel/values/json";
import type { Reading, Rejection } from "../ingest/fix";
import { readGeneric } from "../ingest/formats/generic";
import { readGpsLogger } from "../ingest/formats/gpslogger";
import { readOsmAnd, readTraccarJson } from "../ingest/formats/osmand";
import { readOverland } from "../ingest/formats/overland";
import { readOwnTracks } from "../ingest/formats/owntracks";
import { type ForwardedPosition, readTraccarForward } from "../ingest/formats/traccar-server";
import { whileTurnLasts } from "../ingest/turn";
import type { Reporter } from "../trackers/authenticate";
import { formOf, isJson, jsonOf, queryOf } from "./content";

/** Messages of each door as readings; the tracker's format decides where a door has two dialects. */

type Read<T> = T | Rejection;

/** The bytes of a message that was read whole. */
const bytesOf = (message: Message): Uint8Array | Rejection =>
  typeof message !== "string" ? message : message === "malformed" ? "malformed" : "too_large";

function fromJson<T>(message: Message, read: (value: unknown) => T): Read<T> {
  const bytes = bytesOf(message);
  if (typeof bytes === "string") return bytes;
  const content = jsonOf(bytes);
  return "reason" in content ? content.reason : read(content.value);
}

/** Elements of a long message that are read at once, in a fraction of a millisecond. */
const PIECE = 200;

const nextTurn = () => new Promise((resume) => setImmediate(resume));

/** Reads a message that may be long piece by piece, with other requests in between. */
async function inPieces(
  message: Message,
  split: (value: unknown) => unknown[],
  read: (value: unknown) => Reading[],
): Promise<Read<Reading[]>> {
  const pieces = fromJson(message, split);
  if (typeof pieces === "string") return pieces;
  if (pieces.length > 1) await nextTurn();
  const readings: Reading[] = [];
  for (let at = 0; at < pieces.length; ) {
    whileTurnLasts(() => {
      for (const reading of read(pieces[at++])) readings.push(reading);
      return at < pieces.length;
    });
    if (at < pieces.length) await nextTurn();
  }
  return readings;
}

const piecesOf = (elements: unknown[]): unknown[][] =>
  Array.from({ length: Math.ceil(elements.length / PIECE) }, (_, at) =>
    elements.slice(at * PIECE, (at + 1) * PIECE),
  );

const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > PIECE;

/** A long batch as several shorter ones. */
function splitBatch(value: unknown): unknown[] {
  if (!isObject(value) || !isLong(value.locations)) return [value];
  const { locations, current } = value;
  return [
    ...piecesOf(locations).map((piece) => ({ locations: piece })),
    ...(current === undefined || current === null ? [] : [{ locations: [], current }]),
  ];
}

/** A long array or collection as several shorter ones. */
function splitGeneric(value: unknown): unknown[] {
  if (isLong(value)) return piecesOf(value);
  if (!isObject(value) || value.type !== "FeatureCollection" || !isLong(value.features)) return [value];
  return piecesOf(value.features).map((features) => ({ type: "FeatureCollection", features }));
}

export const ownTracks = (message: Message, { encryptionKey }: Reporter): Read<Reading[]> =>
  fromJson(message, (value) => readOwnTracks(value, encryptionKey));

export const overland = (message: Message): Promise<Read<Reading[]>> =>
  inPieces(message, splitBatch, (value) => readOverland(value, "overland"));

export const dawarich = (message: Message): Promise<Read<Reading[]>> =>
  inPieces(message, splitBatch, (value) => readOverland(value, "dawarich"));

export const generic = (message: Message): Promise<Read<Reading[]>> =>
  inPieces(message, splitGeneric, readGeneric);

export const traccar = (message: Message): Read<ForwardedPosition> => fromJson(message, readTraccarForward);

/** JSON is of Traccar Client 9. Else the query counts, and the form in the body where there is none. */
export function osmAnd(message: Message, { format }: Reporter, request: Request): Read<Reading[]> {
  const bytes = bytesOf(message);
  if (typeof bytes === "string") return bytes;
  if (isJson(request, bytes)) return fromJson(bytes, readTraccarJson);
  const params = queryOf(request);
  return readOsmAnd(
    params.size > 0 ? params : formOf(bytes),
    format === "osmand" ? "osmand" : "traccar_client",
  );
}

/** Parameters of the query and of the body, which may be a form or JSON; the body's win. */
export function gpsLogger(message: Message, _: Reporter, request: Request): Read<Reading[]> {
  const bytes = bytesOf(message);
  if (typeof bytes === "string") return bytes;
  if (isJson(request, bytes)) return fromJson(bytes, readGpsLogger);
  const params = queryOf(request);
  for (const [name, value] of formOf(bytes)) params.append(name, value);
  return readGpsLogger(params);
}

/** True for an address that a person opened in a browser: without a place, none of it is meant to be a position. */
export const isVisit = (request: Request): boolean => {
  const params = queryOf(request);
  return request.method !== "POST" && !["lat", "lon", "location"].some((name) => params.has(name));
};
