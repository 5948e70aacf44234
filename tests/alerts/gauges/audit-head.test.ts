import { afterAll, beforeAll, expect, test } from "bun:test";
import { verify, WebhookStandIn } from "../../stand-ins/webhook";
import { eventually, expectStatus } from "../../support/expectations";
import { rows } from "../../support/rows";
import { type Settings, TestServer } from "../../support/server";
import { DAY, MINUTE } from "../../support/time";
import { newTarget } from "../targets/support";

/** The head of the audit log's chain, told to a target each day (`audit.head_target`). */

let hook: WebhookStandIn;
let server: TestServer;
let secret: string;
let settings: Settings;
beforeAll(async () => {
  hook = new WebhookStandIn();
  const first = await TestServer.start({ settings: { "notifications.allowed_hosts": hook.host } });
  const target = await newTarget(first, { kind: "webhook", url: hook.url });
  secret = target.secret;
  await first.stop();
  settings = { "notifications.allowed_hosts": hook.host, "audit.head_target": target.id };
  server = await TestServer.start({ dataDir: first.dataDir, settings });
});
afterAll(async () => {
  await server.stop();
  await hook.stop();
});

/** The job looks at the start. */
async function restart(ahead: number): Promise<void> {
  const { dataDir } = server;
  await server.stop();
  server = await TestServer.start({ dataDir, settings, clock: "movable", ahead });
}

const heads = () => hook.bodies.filter(({ type }) => type === "audit.head");

test("is sent once for each day, and is the hash of an event that the log still has", async () => {
  await eventually(() => heads().length === 1);
  // That of today is signed by today's clock.
  const [signed] = hook.received;
  expect(() => signed && verify(secret, signed)).not.toThrow();
  await restart(DAY);
  await eventually(() => heads().length === 2);
  const [, second] = heads();
  expect(second.data).toEqual({
    audit: {
      date: new Date(Date.now() + server.ahead - DAY).toISOString().slice(0, 10),
      number: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  });
  const [event] = rows<{ hash: Uint8Array }>(
    server,
    "SELECT hash FROM audit_events WHERE number = ?",
    second.data.audit.number,
  );
  expect(Buffer.from(event?.hash ?? []).toString("hex")).toBe(second.data.audit.hash);
  await restart(DAY + MINUTE);
  const verified = await server.get("/v1/admin/audit/verify", { token: server.systemKey });
  expect(expectStatus(verified, 200).body.is_intact).toBe(true);
  expect(heads()).toHaveLength(2);
});
