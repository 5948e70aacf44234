import type { Answer, Token } from "../support/api";
import { expectStatus } from "../support/expectations";
import { rows } from "../support/rows";
import type { TestServer } from "../support/server";

/** A change as GET /v1/changes tells it. */
export interface Told {
  cursor: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on any record's shape
  data: any;
}

/** GET /v1/changes with these parameters, as the admin unless a token is given. */
export async function getChanges(
  server: TestServer,
  query: Record<string, string | number>,
  token?: Token,
): Promise<Answer> {
  const parameters = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return server.get(`/v1/changes?${parameters}`, { token: token ?? (await server.admin()) });
}

/** The cursor of now. */
export const nowOf = async (server: TestServer): Promise<string> =>
  expectStatus(await getChanges(server, { since: "now" }), 200).body.next;

/** All changes after a cursor, page by page. */
export async function changesSince(
  server: TestServer,
  since: string,
  query: Record<string, string | number> = {},
  token?: Token,
): Promise<Told[]> {
  const all: Told[] = [];
  for (let next = since; ; ) {
    const { body } = expectStatus(await getChanges(server, { since: next, ...query }, token), 200);
    all.push(...body.changes);
    if (body.is_complete) return all;
    next = body.next;
  }
}

/** The changes that `act` makes. */
export async function changesBy(server: TestServer, act: () => Promise<unknown>): Promise<Told[]> {
  const since = await nowOf(server);
  await act();
  return changesSince(server, since);
}

/** Type and record of changes, for comparison. */
export const brief = (changes: Told[]): [type: string, id: string][] =>
  changes.map(({ type, data }) => [type, data.id]);

export const numberOf = (cursor: string): number => Number(cursor.split("-")[1]);

export const epochOf = (cursor: string): string => String(cursor.split("-")[0]);

interface Numbers {
  low: number | null;
  high: number | null;
  count: number;
}

/** The numbers of the feed in the database: without a gap, if `high - low + 1` is `count`. */
export const numbersOf = (server: TestServer): Numbers =>
  rows<Numbers>(
    server,
    "SELECT min(number) AS low, max(number) AS high, count(*) AS count FROM changes",
  )[0] as Numbers;
