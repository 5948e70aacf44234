import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

/**
 * PEGELONLINE's REST API v2 on loopback, as its documentation describes it (pegelonline.wsv.de, "REST-API").
 */

interface Series {
  shortname: string;
  unit?: unknown;
  currentMeasurement?: unknown;
}

export interface PegelStation {
  uuid: string;
  number?: string;
  shortname: string;
  longname: string;
  km?: number;
  agency?: string;
  longitude?: number;
  latitude?: number;
  water: { shortname: string; longname: string };
  timeseries?: Series[];
}

const recorded = (name: string) =>
  JSON.parse(gunzipSync(readFileSync(join(import.meta.dir, "pegel", name))).toString()) as PegelStation[];

/** Three stations on the Aller with levels, of 2026-09-27. */
export const ALLER: readonly PegelStation[] = recorded("stations-aller-2026-09-27.json.gz");
/** All 605 stations of 2014-05-01, without time series. */
export const ALL: readonly PegelStation[] = recorded("stations-2014-05-01.json.gz");

/**
 * A station with a level in a recorded station's form; `current` and `series` replace its measurement and
 * unit.
 */
export const station = (
  fields: object = {},
  { current = {}, series = {} }: { current?: object; series?: object } = {},
): PegelStation => ({
  uuid: crypto.randomUUID(),
  number: "1",
  shortname: "STATION",
  longname: "STATION",
  km: 1,
  agency: "AGENCY",
  latitude: 52.6,
  longitude: 10,
  water: { shortname: "WATER", longname: "WATER" },
  timeseries: [
    {
      shortname: "W",
      unit: "cm",
      currentMeasurement: { timestamp: "2026-09-27T21:00:00+02:00", value: 100, ...current },
      ...series,
    },
  ],
  ...fields,
});

/** Measurements of a station: values in its unit, one every quarter of an hour up to `end`. */
export const measured = (values: unknown[], end = "2026-09-27T21:00:00+02:00") =>
  values.map((value, at) => ({
    timestamp: new Date(Date.parse(end) - (values.length - 1 - at) * 900_000).toISOString(),
    value,
  }));

export type PegelAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** An answer with this status, body and headers. */
export const answering =
  (status: number, body: string | Uint8Array = "", headers: Record<string, string> = {}): PegelAnswer =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

const json = (value: unknown) =>
  answering(200, JSON.stringify(value), { "content-type": "application/json;charset=UTF-8" });

const MEBIBYTE = 1_048_576;
/** More than Fairlead reads, and valid JSON all the same. */
const tooMuch = (): Buffer => Buffer.from(JSON.stringify([station({ longname: "x".repeat(17 * MEBIBYTE) })]));
const cut: PegelAnswer = (_, response) => {
  response.writeHead(200, { "content-length": "100000" });
  response.write('[{"uuid":"', () => response.socket?.destroy());
};

/**
 * Faulty answers to the request for stations, apart from silence. The bodies hold `SECRET`, which must not be
 * passed on.
 */
export const SECRET = "what-the-source-said";
export const FAILURES: Record<string, PegelAnswer> = {
  "status 500": answering(500, JSON.stringify({ status: 500, message: SECRET })),
  "status 404": answering(404, JSON.stringify({ status: 404, msg: SECRET })),
  "status 403 with a page": answering(403, `<html>${SECRET}</html>`, { "content-type": "text/html" }),
  "status 204": answering(204),
  "status 429": answering(429, SECRET),
  "status 503": answering(503, SECRET),
  "a page with status 200": answering(200, `<html>${SECRET}</html>`, { "content-type": "text/html" }),
  "an empty body": answering(200),
  "JSON that ends too early": answering(200, `[{"uuid":"${SECRET}"`),
  "JSON nested too deep": answering(200, "[".repeat(200_000)),
  "an object": json({ status: 200, message: SECRET }),
  "a number": json(7),
  "a text": json(SECRET),
  null: json(null),
  "a list of things that are no stations": json([null, 1, SECRET, [SECRET], {}, { uuid: 7 }, { uuid: "" }]),
  "a connection that is cut": (request) => request.socket.destroy(),
  "an answer that is cut in the middle": cut,
  "more than the bound, as it says": (_, response) => {
    const body = tooMuch();
    response.writeHead(200, { "content-length": String(body.length) });
    response.end(body);
  },
  "more than the bound, without saying so": (_, response) => {
    response.writeHead(200);
    response.write(tooMuch());
    response.end();
  },
  "more than the bound, once it is unpacked": (request, response) =>
    answering(200, gzipSync(tooMuch()), { "content-encoding": "gzip" })(request, response),
};

/** The source looks back 31 days at most. */
const DAYS = /^P([1-9]|[12]\d|3[01])D$/;

const isTrue = (query: URLSearchParams, name: string) => query.get(name) === "true";

export class PegelonlineStandIn {
  /** The answer of `/stations.json`: usually a list of stations. */
  stations: unknown = ALLER;
  /** The answers of `/stations/{uuid}/W/measurements.json`, by uuid; others get 404. */
  readonly measurements = new Map<string, unknown>();
  /** Every request: its path, query and headers. */
  readonly requests: { path: string; query: string; headers: IncomingHttpHeaders }[] = [];
  readonly #server = createServer((request, response) => this.#take(request, response));
  #instead: PegelAnswer | null = null;
  #insteadOfMeasurements: PegelAnswer | null = null;
  #asked: () => void = () => {};
  #hold: Promise<void> | null = null;
  #port = 0;

  static async start(): Promise<PegelonlineStandIn> {
    const standIn = new PegelonlineStandIn();
    await standIn.listen();
    return standIn;
  }

  /** Listens, on the same port again after a stop. */
  async listen(): Promise<void> {
    await new Promise<void>((listening) => {
      this.#server.listen(this.#port, "127.0.0.1", listening);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/webservices/rest-api/v2`;
  }

  /** The settings that make Fairlead use this stand-in; by default nothing is cached. */
  settings(cacheSeconds = 0) {
    return {
      "pegel.enabled": "true",
      "pegel.base_url": this.url,
      "pegel.cache_seconds": String(cacheSeconds),
    };
  }

  /** Answers requests for the stations like this from now on; without an argument, by the contract again. */
  answer(instead: PegelAnswer | null = null): void {
    this.#instead = instead;
  }

  /** Answers requests for measurements like this from now on; without an argument, by the contract again. */
  answerMeasurements(instead: PegelAnswer | null = null): void {
    this.#insteadOfMeasurements = instead;
  }

  /** Takes requests in, but doesn't answer until the returned function is called. */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hold = promise;
    return () => {
      this.#hold = null;
      resolve();
    };
  }

  /** Resolves once this many requests came in all. */
  async questions(count: number): Promise<void> {
    while (this.requests.length < count)
      await new Promise<void>((asked) => {
        this.#asked = asked;
      });
  }

  /** The requests for stations, or for the measurements of one. */
  get stationRequests() {
    return this.requests.filter(({ path }) => path.endsWith("/stations.json"));
  }
  get measurementRequests() {
    return this.requests.filter(({ path }) => path.endsWith("/measurements.json"));
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((done) => {
      this.#server.close(() => done());
    });
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? "", this.url);
    this.requests.push({ path: pathname, query: search, headers: request.headers });
    this.#asked();
    await this.#hold;
    const path = pathname.slice(new URL(this.url).pathname.length);
    const uuid = /^\/stations\/([^/]+)\/W\/measurements\.json$/.exec(path)?.[1];
    if (path === "/stations.json" && this.#instead) this.#instead(request, response);
    else if (path === "/stations.json") this.#send(request, response, this.#list(searchParams));
    else if (uuid && this.#insteadOfMeasurements) this.#insteadOfMeasurements(request, response);
    else if (uuid && this.measurements.has(uuid) && DAYS.test(searchParams.get("start") ?? ""))
      this.#send(request, response, this.measurements.get(uuid));
    else answering(404, JSON.stringify({ status: 404, message: "station not found" }))(request, response);
  }

  /** Time series and measurements are included on request. */
  #list(query: URLSearchParams): unknown {
    if (!Array.isArray(this.stations)) return this.stations;
    const wanted = query.get("timeseries")?.split(",");
    return this.stations.map((station: unknown) => {
      if (typeof station !== "object" || station === null || !("timeseries" in station)) return station;
      const { timeseries, ...rest } = station;
      if (!isTrue(query, "includeTimeseries")) return rest;
      if (!Array.isArray(timeseries)) return station;
      const series = timeseries
        .filter((one) => !wanted || typeof one?.shortname !== "string" || wanted.includes(one.shortname))
        .map((one) =>
          isTrue(query, "includeCurrentMeasurement") ? one : { ...one, currentMeasurement: undefined },
        );
      return { ...rest, timeseries: series };
    });
  }

  /** Sends an answer with an ETag, compressed. */
  #send({ headers }: IncomingMessage, response: ServerResponse, value: unknown): void {
    const body = JSON.stringify(value);
    const etag = `"${Bun.hash(body).toString(16)}"`;
    if (headers["if-none-match"] === etag) {
      response.writeHead(304, { etag });
      response.end();
      return;
    }
    const isPacked = /\bgzip\b/.test(headers["accept-encoding"] ?? "");
    response.writeHead(200, {
      etag,
      "content-type": "application/json;charset=UTF-8",
      ...(isPacked && { "content-encoding": "gzip" }),
    });
    response.end(isPacked ? gzipSync(body) : body);
  }
}
