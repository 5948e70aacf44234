import { done, expectStatus } from "../../support/expectations";
import type { TestServer } from "../../support/server";

export type Level = "now" | "history" | "manage";

export const pathOf = (deviceId: string, userId?: string): string =>
  `/v1/devices/${deviceId}/shares${userId === undefined ? "" : `/${userId}`}`;

/** Shares a device with a user, by default as the admin. */
export async function share(
  server: TestServer,
  deviceId: string,
  userId: string,
  level: Level,
  fields: object = {},
  token?: string,
) {
  const body = { level, ...fields };
  return done(await server.put(pathOf(deviceId, userId), { token: token ?? (await server.admin()), body }))
    .data;
}

/** Ends a share, by default as the admin. */
export const unshare = async (server: TestServer, deviceId: string, userId: string, token?: string) =>
  expectStatus(
    await server.delete(pathOf(deviceId, userId), { token: token ?? (await server.admin()) }),
    204,
  );
