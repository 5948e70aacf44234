import { readTrack, toGpsBody, underWay } from "../../src/demo/track";
import { now, SECOND } from "../../src/kernel/clock";
import type { Fixture } from "./prepare";

/** Yields the bytes of the next request. They may change once the one after it is asked for. */
export type RequestSource = () => Uint8Array;

/** A comparison of Fairlead with the baseline. A new row of the table is a new entry here. */
export interface Scenario {
  name: string;
  /** The least ratio of Fairlead's requests/s to the baseline's that is wanted. */
  target: number;
  /** The status of every answer; any other fails the bench. */
  status: number;
  /** WebSocket subscribers of `gps` on both servers meanwhile. */
  subscribers: number;
  requests: (fixture: Fixture) => RequestSource | Promise<RequestSource>;
}

const encoder = new TextEncoder();

function encode(method: string, path: string, key: string, body?: string): Uint8Array {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
  const content =
    body === undefined
      ? "\r\n"
      : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return encoder.encode(head + content);
}

const cycle = (requests: Uint8Array[]): RequestSource => {
  let at = 0;
  return () => {
    if (at === requests.length) at = 0;
    return requests[at++] as Uint8Array;
  };
};

const always =
  (request: Uint8Array): RequestSource =>
  () =>
    request;

/**
 * The fixes of a recorded voyage, over and over, as if the device sent them now: were they older than its newest
 * position, no zone would be looked at.
 */
async function posts({ key }: Fixture): Promise<RequestSource> {
  const seconds = () => Math.floor(now() / SECOND);
  const fixes = underWay(await readTrack());
  const stamp = seconds();
  const requests = fixes.map((fix) =>
    encode("POST", "/v1/gps", key, JSON.stringify({ ...toGpsBody(fix, stamp), altitude: 3.2, hdop: 0.9 })),
  );
  const places = requests.map((request) => Buffer.from(request.buffer).indexOf(`:${stamp},`) + 1);
  const next = cycle(requests);
  const stampAll = () => {
    const digits = encoder.encode(String(seconds()));
    for (const [at, request] of requests.entries()) request.set(digits, places[at]);
  };
  setInterval(stampAll, SECOND).unref();
  return next;
}

/** Zones on the server in the comparisons. */
export const ZONES = 1_000;

export const POST: Scenario = {
  name: "POST /v1/gps",
  target: 0.7,
  status: 201,
  subscribers: 100,
  requests: posts,
};

export const CURRENT: Scenario = {
  name: "GET /v1/gps/current",
  target: 0.7,
  status: 200,
  subscribers: 0,
  requests: ({ key, deviceId }) => always(encode("GET", `/v1/gps/current?device_id=${deviceId}`, key)),
};

export const SCENARIOS: Scenario[] = [
  CURRENT,
  {
    name: "GET /v1/gps?limit=10",
    target: 0.65,
    status: 200,
    subscribers: 0,
    requests: ({ key }) => always(encode("GET", "/v1/gps?limit=10", key)),
  },
  {
    name: "GET /v1/gps/{id}",
    target: 0.7,
    status: 200,
    subscribers: 0,
    requests: ({ key, pointIds }) => cycle(pointIds.map((id) => encode("GET", `/v1/gps/${id}`, key))),
  },
  // Last, since it adds to what the others read.
  POST,
];

/** A point posted, stored and delivered to every subscriber of `gps`. */
export interface FanOut {
  name: string;
  subscribers: number;
  /** The least ratio of Fairlead's deliveries/s to the baseline's that is wanted. */
  target: number;
  /** Points a second at which the time of a delivery is taken, and the longest wanted (p99, milliseconds). */
  perSecond: number;
  within: number;
}

const fanOut = (subscribers: number, perSecond: number, within: number): FanOut => {
  const name = `fanout to ${subscribers.toLocaleString("en")} sockets`;
  return { name, subscribers, target: 0.9, perSecond, within };
};

export const FAN_OUTS: FanOut[] = [fanOut(100, 10, 12), fanOut(1_000, 10, 12), fanOut(5_000, 5, 40)];
