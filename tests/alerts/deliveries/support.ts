import { onDatabase } from "../../support/rows";
import type { TestServer } from "../../support/server";

/** Puts deliveries to a target into a server's outbox, as a commit of its own would; returns their identifiers. */
export function putDeliveries(
  server: TestServer,
  target: string,
  number = 1,
  fields: Record<string, string | number> = {},
): string[] {
  return onDatabase(server, (database) =>
    Array.from({ length: number }, () => {
      const id = Bun.randomUUIDv7();
      const row = {
        ...{ id, target_id: target, alert_id: Bun.randomUUIDv7(), type: "alert.raised", severity: "alarm" },
        ...{ urgency: 0, title: "Alert", body: "The anchor drags.", payload: '{"alert":{}}' },
        ...{ status: "waiting", next_attempt_at: server.time, created_at: server.time, ...fields },
      };
      const names = Object.keys(row);
      database
        .query(`INSERT INTO notification_deliveries (${names}) VALUES (${names.map(() => "?")})`)
        .run(...Object.values(row));
      return id;
    }),
  );
}
