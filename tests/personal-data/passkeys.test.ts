import { afterAll, beforeAll, expect, test } from "bun:test";
import { newHolder, signInBy } from "../identity/passkeys/support";
import { done, expectRefused } from "../support/expectations";
import { rows } from "../support/rows";
import { TestServer } from "../support/server";
import { exported } from "./export/support";

/** Passkeys in the export, and after the deletion of an account. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

test("an export has passkeys without their keys and identifiers", async () => {
  const holder = await newHolder(server);
  const { data } = await exported(server, holder.token);
  expect(data.passkeys).toEqual([
    {
      ...{ id: holder.passkey, name: "Passkey", createdAt: expect.any(String), lastUsedAt: null },
      ...{ transports: ["internal", "hybrid"], isBackedUp: false, authenticator: null },
      aaguid: "00000000-0000-0000-0000-000000000000",
    },
  ]);
  const [stored] = rows<Record<string, string>>(
    server,
    "SELECT credential_id, public_key, user_handle FROM passkeys WHERE user_id = ?",
    holder.id,
  );
  for (const secret of Object.values(stored ?? {})) expect(JSON.stringify(data)).not.toContain(secret);
});

test("a scrubbed account has none, and nothing tells that they were there", async () => {
  const holder = await newHolder(server);
  const token = await server.admin();
  done(await server.post(`/v1/admin/users/${holder.id}/force-delete`, { token, body: {} }));
  expect(rows(server, "SELECT 1 FROM passkeys WHERE user_id = ?", holder.id)).toEqual([]);
  expectRefused(await signInBy(server, holder.authenticator), 401, "Unauthorized");
  const about = rows<{ event_type: string }>(
    server,
    "SELECT event_type FROM audit_events WHERE user_id = ? AND event_type = 'passkey_refused'",
    holder.id,
  );
  expect(about).toEqual([]);
});
