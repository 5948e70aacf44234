import { createHash } from "node:crypto";
import type { Token } from "../../support/api";
import { expectStatus } from "../../support/expectations";
import type { TestServer } from "../../support/server";

// biome-ignore lint/suspicious/noExplicitAny: entries come as JSON
export type Entry = any;

/** Writes an entry and returns it. */
export async function write(server: TestServer, tripId: string, body: object, token?: Token): Promise<Entry> {
  const answer = await server.post(`/v1/trips/${tripId}/log`, {
    token: token ?? (await server.admin()),
    body,
  });
  return expectStatus(answer, 201).body.data;
}

export async function strike(
  server: TestServer,
  tripId: string,
  id: string,
  reason = "wrong",
): Promise<Entry> {
  const token = await server.admin();
  const answer = await server.post(`/v1/trips/${tripId}/log/${id}/strike`, { token, body: { reason } });
  return expectStatus(answer, 201).body.data;
}

/** The whole page of a short log. */
export async function readLog(server: TestServer, tripId: string): Promise<Entry[]> {
  const token = await server.admin();
  return expectStatus(await server.get(`/v1/trips/${tripId}/log?limit=100`, { token }), 200).body.data;
}

export async function verify(server: TestServer, tripId: string) {
  const token = await server.admin();
  return expectStatus(await server.get(`/v1/trips/${tripId}/log/verify`, { token }), 200).body;
}

/** The hash of an entry, whose values are all simple, by another way than the server's. */
export function hashByHand({ hash: _, ...entry }: Entry): string {
  const sorted = (value: unknown): unknown =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted((value as Record<string, unknown>)[key])]),
        )
      : value;
  return createHash("sha256")
    .update(JSON.stringify(sorted(entry)))
    .digest("hex");
}
