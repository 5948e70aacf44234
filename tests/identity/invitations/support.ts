import { done } from "../../support/expectations";
import { newPerson, type Person } from "../../support/people";
import { ADMIN, type TestServer } from "../../support/server";

/** Invitations, as the tests of several rooms make and accept them. */

export const BASE = "https://boat.example.org";
export const PATH = "/v1/invitations";

/** Invites by a link to hand over, by default as the admin. */
export const inviting = async (server: TestServer, fields: object = {}, token?: string) =>
  server.post(PATH, {
    token: token ?? (await server.admin()),
    body: {
      ...("email" in fields ? {} : { base_url: BASE }),
      ...(token === undefined && { password: ADMIN.password }),
      ...fields,
    },
  });

/** The token of a link. */
export const tokenIn = (url: string): string =>
  new URLSearchParams(new URL(url).hash.slice(1)).get("token") ?? "";

/** An invitation with a link to hand over, and the token in it. */
export async function newInvitation(server: TestServer, fields: object = {}, token?: string) {
  const { data } = done(await inviting(server, fields, token));
  return { ...data, token: data.url === null ? "" : tokenIn(data.url) };
}

/** Accepts as a new person with an address, unless the fields say otherwise. */
export const accepting = (server: TestServer, token: string, fields: object = {}) =>
  server.post(`${PATH}/${encodeURIComponent(token)}/accept`, { body: { ...newPerson(), ...fields } });

/** The user that an invitation makes. */
export async function accepted(server: TestServer, token: string, person: Person = newPerson()) {
  const { user_id, session_token } = done(await accepting(server, token, person));
  return { ...person, id: user_id as string, token: session_token as string };
}
