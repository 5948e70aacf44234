import { done } from "../../support/expectations";
import type { TestServer } from "../../support/server";
import { fix } from "../support";

/** Fixes at times relative to the server's clock. */

export interface At {
  latitude: number;
  longitude: number;
  /** Seconds before now. */
  ago: number;
}

/** Posts a fix with a device's key, so many seconds old. */
export const post = async (server: TestServer, key: string, { ago, ...place }: At, fields: object = {}) =>
  done(
    await server.post("/v1/gps", {
      token: key,
      body: fix({ ...place, timestamp: Math.floor(server.time / 1_000) - ago, ...fields }),
    }),
  ).data;

export const HARBOUR = { latitude: 54.1, longitude: 13.4 };
/** Two kilometres from the harbour, and further. */
export const OUTSIDE = { latitude: 54.12, longitude: 13.4 };
export const FARTHER = { latitude: 54.14, longitude: 13.4 };
export const FARTHEST = { latitude: 54.16, longitude: 13.4 };
