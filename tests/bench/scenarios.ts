import { readTrack, toGpsBody, underWay } from "../../src/demo/track";
import { iso, now, SECOND } from "../../src/kernel/time/clock";
import type { Fixture } from "./prepare";

/** Yields the bytes of the next request. They may change once the one after it is asked for. */
export type RequestSource = () => Uint8Array;

/** A request that is made over and over. */
export interface Scenario {
  name: string;
  /** The status of every answer; any other fails the bench. */
  status: number;
  requests: (fixture: Fixture) => RequestSource | Promise<RequestSource>;
  /** Connections that make it; as many as `--connections` says when left out. */
  connections?: number;
  /** WebSocket subscribers of `gps` on the server meanwhile; none when left out. */
  subscribers?: number;
  /** True for requests so slow that a round takes longer; there are fewer rounds of them. */
  isSlow?: true;
  /** Meanwhile CURRENT is asked on one connection; 99 % of it should take no longer than this (milliseconds). */
  readerWithin?: number;
}

// --- Requests ---------------------------------------------------------------------------------------------

const encoder = new TextEncoder();

/** A request with a bearer token, or with none. */
function encode(method: string, path: string, token: string | null, body?: object): Uint8Array {
  const credential = token === null ? "" : `Authorization: Bearer ${token}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${credential}`;
  if (body === undefined) return encoder.encode(`${head}\r\n`);
  const content = JSON.stringify(body);
  return encoder.encode(
    `${head}Content-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n${content}`,
  );
}

const cycle = (requests: Uint8Array[]): RequestSource => {
  let at = 0;
  return () => {
    if (at === requests.length) at = 0;
    return requests[at++] as Uint8Array;
  };
};

const always = (request: Uint8Array): RequestSource => cycle([request]);

/** Requests that GET one path by the fixture's key. */
const get =
  (path: (fixture: Fixture) => string): Scenario["requests"] =>
  (fixture) =>
    always(encode("GET", path(fixture), fixture.key));

/**
 * The fixes of a recorded voyage, over and over, with the present time: the server evaluates no zone for a
 * fix older than the device's newest (rule T3).
 */
async function posts({ key }: Fixture): Promise<RequestSource> {
  const seconds = () => Math.floor(now() / SECOND);
  const fixes = underWay(await readTrack());
  const stamp = seconds();
  const requests = fixes.map((fix) =>
    encode("POST", "/v1/gps", key, { ...toGpsBody(fix, stamp), altitude: 3.2, hdop: 0.9 }),
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

/** Positions of a batch in the comparison, and of one of a late buffer. */
const BATCH_SIZE = 100;
const LATE_SIZE = 1_000;

/**
 * Batches of the recorded voyage, a second apart from a time on (Unix seconds), each after the one before: written once,
 * with the times filled in.
 */
const batches =
  (size: number, begin: (fixture: Fixture) => number): Scenario["requests"] =>
  async (fixture) => {
    const fixes = underWay(await readTrack());
    const placeholder = 1_000_000_000;
    const templates = Array.from({ length: Math.floor(fixes.length / size) }, (_, at) =>
      encode("POST", "/v1/gps/batch", fixture.key, {
        positions: fixes
          .slice(at * size, (at + 1) * size)
          .map((fix) => ({ ...toGpsBody(fix, placeholder), altitude: 3.2, hdop: 0.9 })),
      }),
    );
    const places = templates.map((template) => {
      const text = Buffer.from(template.buffer);
      const found: number[] = [];
      for (
        let at = text.indexOf(`:${placeholder},`);
        at !== -1;
        at = text.indexOf(`:${placeholder},`, at + 1)
      )
        found.push(at + 1);
      return found;
    });
    let time = begin(fixture);
    let turn = 0;
    return () => {
      const at = turn++ % templates.length;
      const request = templates[at] as Uint8Array;
      for (const place of places[at] as number[]) encoder.encodeInto(String(time++), request.subarray(place));
      return request;
    };
  };

/**
 * Seconds to begin after, a hundred thousand later with each second that passes: no round meets the times of another. It
 * begins anew after fifty minutes.
 */
const unusedTimes = (): number => (now() % 3_000_000) * 100;

// --- Comparisons ------------------------------------------------------------------------------------------

/** A comparison of Fairlead with the baseline. A new row of the table is a new entry in `COMPARED`. */
export interface Compared extends Scenario {
  /** The least ratio of Fairlead's requests/s to the baseline's that is wanted. */
  target: number;
  /** Its positions are ahead of the clock: posted ones would be late after them, and cost more. It comes last of all. */
  isAhead?: true;
}

/** Zones on the server in the comparisons. */
export const ZONES = 1_000;

export const POST: Compared = {
  name: "POST /v1/gps",
  target: 0.7,
  status: 201,
  subscribers: 100,
  requests: posts,
};

export const CURRENT: Compared = {
  name: "GET /v1/gps/current",
  target: 0.7,
  status: 200,
  requests: get(({ deviceId }) => `/v1/gps/current?device_id=${deviceId}`),
};

const BY_ID: Compared = {
  name: "GET /v1/gps/{id}",
  target: 0.7,
  status: 200,
  requests: ({ key, pointIds }) => cycle(pointIds.map((id) => encode("GET", `/v1/gps/${id}`, key))),
};

const USERS_ME: Compared = {
  name: "GET /v1/users/me by session",
  target: 0.65,
  status: 200,
  requests: ({ session }) => always(encode("GET", "/v1/users/me", session)),
};

const LOGIN: Compared = {
  name: "POST /v1/auth/login",
  target: 0.95,
  status: 200,
  isSlow: true,
  readerWithin: 15,
  requests: ({ crew }) => cycle(crew.map((login) => encode("POST", "/v1/auth/login", null, login))),
};

export const BATCH: Compared & { size: number } = {
  name: "POST /v1/gps/batch of 100",
  size: BATCH_SIZE,
  target: 0.6,
  status: 200,
  connections: 8,
  isAhead: true,
  requests: batches(BATCH_SIZE, () => Math.floor(now() / SECOND) + 3_600 + unusedTimes()),
};

export const COMPARED: Compared[] = [
  CURRENT,
  {
    name: "GET /v1/gps?limit=10",
    target: 0.65,
    status: 200,
    requests: get(() => "/v1/gps?limit=10"),
  },
  BY_ID,
  USERS_ME,
  // The last ones, since they change what the others read.
  POST,
  LOGIN,
  BATCH,
];

/** A buffer that comes late: seconds for which the device has mostly no position yet, from its oldest one on. */
export const LATE: Scenario & { size: number } = {
  name: "POST /v1/gps/batch of 1,000 late ones",
  status: 200,
  size: LATE_SIZE,
  requests: batches(LATE_SIZE, ({ points }) => Math.floor(now() / SECOND) - 3_000 - points),
};

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

export const FAN_OUTS: FanOut[] = [fanOut(1_000, 10, 12), fanOut(5_000, 5, 40)];

// --- Scale ------------------------------------------------------------------------------------------------

/** The largest ratio of a request's time to that with the fewest points that is wanted. */
export const GROWTH = 1.3;

/** A request whose time should not grow with the stored points. */
export interface Scaled extends Scenario {
  /** True if its time may grow nevertheless. */
  mayGrow?: true;
}

/** The current position of each device: half of these requests should take no longer (milliseconds). */
export const DEVICES_WITHIN = 1;

export const CURRENT_OF_DEVICES: Scaled = {
  name: "GET /v1/gps/current/devices",
  status: 200,
  connections: 1,
  requests: get(() => "/v1/gps/current/devices"),
};

const LIMIT = 10;
const pages = (records: number): number => Math.ceil(records / LIMIT);

/** A read of pages, whose time should not grow. */
const reads = (name: string, path: (fixture: Fixture) => string): Scaled => ({
  name,
  status: 200,
  requests: get(path),
});

const points = (page: number): string => `/v1/gps?page=${page}&limit=${LIMIT}`;
/** Two times that all positions lie between. */
const ALWAYS = `from=1971-01-01T00:00:01Z&to=${iso(now())}`;
const tripPoints = (tripId: string, page: number): string =>
  `/v1/trips/${tripId}/gps?page=${page}&limit=${LIMIT}`;

export const SCALED: Scaled[] = [
  CURRENT,
  CURRENT_OF_DEVICES,
  reads("page 1", () => points(1)),
  reads("the last page", (fixture) => points(pages(fixture.points))),
  {
    ...reads("the middle page", (fixture) => points(Math.ceil(pages(fixture.points) / 2))),
    mayGrow: true,
    connections: 1,
  },
  reads("a count (limit=1)", () => "/v1/gps?limit=1"),
  reads("a device's page 1", ({ deviceId }) => `/v1/gps?device_id=${deviceId}`),
  {
    ...reads(
      "a device's page 1 between two times",
      ({ deviceId }) => `/v1/gps?device_id=${deviceId}&${ALWAYS}`,
    ),
    // With the spans that are added up, some hundred at most, not with the positions.
    mayGrow: true,
    connections: 1,
  },
  BY_ID,
  reads("trip points, page 1", ({ tripId }) => tripPoints(tripId, 1)),
  reads("trip points, the last page", (fixture) => tripPoints(fixture.tripId, pages(fixture.tripPoints))),
  USERS_ME,
  POST,
  LOGIN,
];

const ALL: Scenario[] = [...COMPARED, ...SCALED, LATE];

/** The scenario of this name. Throws when there is none. */
export function scenarioNamed(name: string): Scenario {
  const scenario = ALL.find((each) => each.name === name);
  if (!scenario) throw new Error(`there is no scenario ${name}`);
  return scenario;
}
