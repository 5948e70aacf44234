import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verify, WebhookStandIn } from "../../stand-ins/webhook";
import { eventually, expectStatus } from "../../support/expectations";
import { newUser } from "../../support/people";
import { rows, write } from "../../support/rows";
import { command, type Settings, TestServer } from "../../support/server";
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

test("is sent on after a clock that was years ahead for a while, and once more for a day that it goes back to", async () => {
  const before = heads().length;
  const dates = () =>
    heads()
      .slice(before)
      .map(({ data }) => data.audit.date);
  const yesterday = (ahead: number) => new Date(Date.now() + ahead - DAY).toISOString().slice(0, 10);
  const expected: string[] = [];
  for (const ahead of [4_000 * DAY, 2 * DAY, DAY]) {
    await restart(ahead);
    expected.push(yesterday(ahead));
    await eventually(() => dates().length === expected.length);
  }
  expect(dates()).toEqual(expected);
});

describe("a target that can't be told", () => {
  const UNKNOWN = "019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5d";
  const doctor = async (own: Settings) => {
    const port = new URL(server.url).port;
    const { stdout } = await command(["doctor", "--port", port], {
      settings: { ...own, "data.dir": server.dataDir },
    });
    return stdout.split("\n").find((line) => line.includes(" notifications ")) ?? "";
  };
  const warnings = () =>
    server.output.split("\n").filter((line) => line.includes("the head of the audit log can't be told"));

  test("is logged once, is a problem to the doctor, and the head is told as soon as another can be", async () => {
    const before = heads().length;
    const right = settings;
    settings = { ...settings, "audit.head_target": UNKNOWN };
    await restart(2 * DAY);
    await eventually(() => warnings().length > 0);
    expect(await doctor(settings)).toMatch(
      /^problem .*nobody is told the head of the audit log: there is no such notification target; set audit\.head_target/,
    );
    settings = right;
    await restart(2 * DAY + MINUTE);
    await eventually(() => heads().length === before + 1);
    expect(await doctor(settings)).toMatch(/^ok /);
  });

  test("because it is switched off, or its maker may not read the audit log, is a problem to the doctor too", async () => {
    const id = settings["audit.head_target"];
    write(server, `UPDATE notification_targets SET is_active = 0 WHERE id = '${id}'`);
    expect(await doctor(settings)).toMatch(/^problem .*: the notification target is switched off/);
    const maker = await newUser(server);
    write(
      server,
      `UPDATE notification_targets SET is_active = 1, user_id = '${maker.id}' WHERE id = '${id}'`,
    );
    expect(await doctor(settings)).toMatch(
      /^problem .*: whoever made the notification target may not read the audit log/,
    );
  });
});
