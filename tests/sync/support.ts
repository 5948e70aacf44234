import type { Token } from "../support/api";
import { expectStatus } from "../support/expectations";
import { write } from "../support/rows";
import type { TestServer } from "../support/server";

/** Boxes in the tests of the shore. */

export const SHORE = "https://shore.example.org";

export interface MadeBox {
  id: string;
  token: Token;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
  answer: any;
}

let made = 0;

/** A new box, made by the admin. */
export async function newBox(server: TestServer, fields: object = {}): Promise<MadeBox> {
  const body = { name: `Box ${++made}`, base_url: SHORE, ...fields };
  const answer = await server.post("/v1/sync/boxes", { token: await server.admin(), body });
  const { data } = expectStatus(answer, 201).body;
  return { id: data.id, token: data.token, answer: data };
}

/** A box as `GET` shows it. */
export const readBox = async (server: TestServer, id: string) =>
  expectStatus(await server.get(`/v1/sync/boxes/${id}`, { token: await server.admin() }), 200).body.data;

/** Makes records a box's own, as if it had sent them. */
export const giveTo = (
  server: TestServer,
  boxId: string,
  table: "devices" | "trips" | "alerts",
  ...ids: string[]
) => write(server, ...ids.map((id) => `UPDATE ${table} SET box_id = '${boxId}' WHERE id = '${id}'`));
