import createClient from "openapi-fetch";
// Made from the server's document by generated-client.test.ts, which compiles this file beside it and runs it.
import type { components, paths } from "./api";

/**
 * A program by somebody who has the OpenAPI document and nothing else: from signing in to reading positions
 * by page.
 */

type Position = components["schemas"]["GpsPoint"];

interface Outcome {
  posted: Position[];
  read: Position;
  pages: number;
  /** The times of all, in the order of the pages. */
  times: string[];
  unknown: { status: number; error: string };
  invalid: { status: number; paths: string[] };
  stranger: { status: number; error: string };
}

/** Calls a server as the user whose password this is. */
export async function roundTrip(baseUrl: string, identifier: string, password: string): Promise<Outcome> {
  const open = createClient<paths>({ baseUrl });
  const signedIn = await open.POST("/v1/auth/login", { body: { identifier, password } });
  if (!signedIn.data) throw new Error(signedIn.error?.message);
  if (!("session_token" in signedIn.data)) throw new Error("this user has two-factor authentication");
  const { session_token } = signedIn.data;

  const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${session_token}` } });
  const key = await api.POST("/v1/api-keys", {
    body: { name: "Tracker", scopes: ["gps:write", "gps:read"] },
  });
  if (!key.data) throw new Error(key.error?.message);
  const device = await api.POST("/v1/devices", { body: { name: "Greif", api_key_id: key.data.id } });
  if (!device.data) throw new Error(device.error?.message);
  const device_id: string = device.data.data.id;

  const tracker = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key.data.key}` } });
  const speed = { speed_kmh: 9.26, speed_mps: 2.57, speed_mph: 5.75, speed_knots: 5 };
  const start = Math.floor(Date.now() / 1000) - 60;
  const posted: Position[] = [];
  for (let at = 0; at < 3; at++) {
    const body = { latitude: 54.0967, longitude: 13.4553 + at / 1000, timestamp: start + at, ...speed };
    const { data, error } = await tracker.POST("/v1/gps", { body });
    if (!data) throw new Error(error?.message);
    posted.push(data.data);
  }
  const [first] = posted;
  if (!first) throw new Error("nothing was posted");
  const read = await tracker.GET("/v1/gps/{id}", { params: { path: { id: first.id } } });
  if (!read.data) throw new Error(read.error?.message);

  const times: string[] = [];
  let pages = 0;
  for (let page = 1; ; page++) {
    const { data, error } = await api.GET("/v1/gps", { params: { query: { page, limit: 2, device_id } } });
    if (!data) throw new Error(error?.message);
    pages++;
    times.push(...data.data.map((position) => position.timestamp));
    if (data._links.next === undefined) break;
  }

  const unknown = await api.GET("/v1/gps/{id}", { params: { path: { id: device_id } } });
  const invalid = await tracker.POST("/v1/gps", {
    body: { latitude: 91, longitude: 0, timestamp: start, ...speed },
  });
  const stranger = await open.GET("/v1/devices");
  return {
    posted,
    read: read.data.data,
    pages,
    times,
    unknown: { status: unknown.response.status, error: unknown.error?.error ?? "" },
    invalid: {
      status: invalid.response.status,
      paths: invalid.error?.details?.map(({ path }) => path) ?? [],
    },
    stranger: { status: stranger.response.status, error: stranger.error?.error ?? "" },
  };
}

/** Uses that must not compile: each line fails the compilation when it has no error. Never called. */
export async function mistakes(api: ReturnType<typeof createClient<paths>>): Promise<void> {
  // @ts-expect-error: no such path
  await api.GET("/v1/boats");
  // @ts-expect-error: a path without this method
  await api.PUT("/v1/gps");
  // @ts-expect-error: a parameter of the path is missing
  await api.GET("/v1/gps/{id}");
  // @ts-expect-error: a required field of the body is missing
  await api.POST("/v1/devices", { body: { description: "nameless" } });
  // @ts-expect-error: a field of the wrong type
  await api.POST("/v1/devices", { body: { name: 7, api_key_id: "" } });
  // @ts-expect-error: none of the words
  await api.GET("/v1/trips", { params: { query: { status: "lost" } } });
  const { data } = await api.GET("/v1/trips");
  // @ts-expect-error: a field that no trip has
  data?.data[0]?.captain;
  // @ts-expect-error: a value that may be null
  data?.data[0]?.device_id.length;
}
