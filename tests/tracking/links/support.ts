import { done } from "../../support/expectations";
import type { TestServer } from "../../support/server";
import { DAY } from "../../support/time";

/** Links, as the tests of several rooms make and open them. */

export const BASE = "https://boat.example.org";
export const PATH = "/v1/share-links";

/** Asks for a link of the level live that ends in a day, by default as the admin. */
export const linking = async (server: TestServer, fields: object = {}, token?: string) =>
  server.post(PATH, {
    token: token ?? (await server.admin()),
    body: {
      ...{ level: "live", base_url: BASE },
      expires_at: new Date(server.time + DAY).toISOString(),
      ...fields,
    },
  });

/** A link, and the token in it. */
export async function newLink(server: TestServer, fields: object = {}, token?: string) {
  const { data } = done(await linking(server, fields, token));
  return { ...data, token: new URL(data.url).hash.slice(1) };
}

/** Asks for all that a link shows. */
export const open = (server: TestServer, token: string, path = "") =>
  server.get(`/v1/shared${path}`, { headers: { authorization: `Share ${token}` } });
