import type { RequestOptions, Token } from "../../support/api";
import { expectStatus } from "../../support/expectations";
import type { TestServer } from "../../support/server";

/** Notification targets in the tests. */

export const PATH = "/v1/notification-targets";

/** A public address that nothing is sent to: the tests that use it send nothing. */
export const HOOK = "https://1.1.1.1/hook";

let made = 0;

/** A new target as the answer shows it, made by the admin or with another token. */
export async function newTarget(
  server: TestServer,
  fields: object,
  { token, ...options }: RequestOptions & { token?: Token } = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
): Promise<any> {
  const body = { name: `Target ${++made}`, ...fields };
  const answer = await server.post(PATH, { token: token ?? (await server.admin()), body, ...options });
  return expectStatus(answer, 201).body.data;
}

export const newWebhook = (server: TestServer, url = HOOK, fields: object = {}) =>
  newTarget(server, { kind: "webhook", url, ...fields });

/** A target as `GET` shows it. */
export const readTarget = async (server: TestServer, id: string) =>
  expectStatus(await server.get(`${PATH}/${id}`, { token: await server.admin() }), 200).body.data;

/** Changes a target. */
export const change = async (server: TestServer, id: string, body: object, token?: Token) =>
  server.patch(`${PATH}/${id}`, { token: token ?? (await server.admin()), body });

/** Tests a target, and returns the outcome. */
export const tried = async (server: TestServer, id: string) =>
  expectStatus(await server.post(`${PATH}/${id}/test`, { token: await server.admin() }), 200).body;

/** The newest deliveries to a target. */
export const deliveriesTo = async (server: TestServer, id: string, query = "") =>
  expectStatus(await server.get(`${PATH}/${id}/deliveries${query}`, { token: await server.admin() }), 200)
    .body;
