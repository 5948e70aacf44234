import { onDatabase } from "../../support/rows";
import type { TestServer } from "../../support/server";

const CONTENT = { title: "Alert", body: "The anchor drags.", data: { alert: {} } as Record<string, unknown> };

/** Puts deliveries to a target into a server's outbox, as a commit of its own would; returns their identifiers. */
export function putDeliveries(
  server: TestServer,
  target: string,
  number = 1,
  fields: Record<string, string | number> = {},
  content: Partial<typeof CONTENT> = {},
): string[] {
  return onDatabase(server, (database) =>
    Array.from({ length: number }, () => {
      const id = Bun.randomUUIDv7();
      const row = {
        ...{ id, lane: target, alert_id: Bun.randomUUIDv7(), kind: "alert.raised", severity: "alarm" },
        ...{ urgency: 0, message: JSON.stringify({ ...CONTENT, ...content }) },
        ...{ status: "waiting", next_attempt_at: server.time, created_at: server.time, ...fields },
      };
      const names = Object.keys(row);
      database
        .query(`INSERT INTO outbox (${names}) VALUES (${names.map(() => "?")})`)
        .run(...Object.values(row));
      return id;
    }),
  );
}
