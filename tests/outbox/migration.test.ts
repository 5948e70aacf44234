import { afterAll, expect, test } from "bun:test";
import { queuedEmails } from "../../src/identity/email/service";
import { useMasterKey } from "../../src/kernel/crypto/encryption";
import { compose, contentOf } from "../identity/email/support";
import { configure } from "../support/in-process";
import { emailsOut, outboxOf } from "../support/mail";
import { olderDirectory, someUser } from "../support/older-database";
import { rows } from "../support/rows";
import { TestServer } from "../support/server";

/** Emails of a database in which they had a table of their own. */

configure();
const KEY = Buffer.alloc(32, 5);
useMasterKey(KEY);

const servers: TestServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop();
});

const NOW = Date.now();
const MINUTE = 60_000;

interface Queued {
  attempts: number;
  next_attempt_at?: number;
  delivered_at?: number;
  failed_at?: number;
  last_error?: string;
}

/** A statement that queues an email as the first version did, `minutes` ago. */
function queued(id: string, minutes: number, queue: Queued): string {
  const isWaiting = queue.next_attempt_at !== undefined;
  const message = isWaiting
    ? queuedEmails.seal(JSON.stringify(compose(contentOf("password_reset"))), id)
    : null;
  const columns = { id, kind: "password_reset", user_id: "anna", message, ...queue };
  const row = { ...columns, created_at: NOW - minutes * MINUTE };
  const values = Object.values(row).map((value) => (typeof value === "string" ? `'${value}'` : value));
  return `INSERT INTO email_queue (${Object.keys(row)}) VALUES (${values.map((value) => value ?? "NULL")})`;
}

/** Identifiers whose order is none in time: a clock was set back. */
const [NEW, FAILED, SENT, REFUSED, GONE, TIRED] = [9, 3, 7, 1, 5, 2].map(
  (at) => `0199c0de-0000-7000-8000-00000000000${at}`,
) as [string, string, string, string, string, string];

const STATEMENTS = [
  someUser("anna"),
  queued(SENT, 90, { attempts: 2, delivered_at: NOW - 80 * MINUTE }),
  queued(REFUSED, 80, { attempts: 1, failed_at: NOW - 79 * MINUTE, last_error: "smtp: 550 at RCPT TO" }),
  queued(GONE, 70, { attempts: 0, failed_at: NOW - 69 * MINUTE, last_error: "the account was deleted" }),
  queued(FAILED, 60, { attempts: 3, next_attempt_at: NOW - MINUTE, last_error: "smtp: ECONNREFUSED" }),
  queued(NEW, 1, { attempts: 0, next_attempt_at: NOW - MINUTE }),
  queued(TIRED, 4_000, { attempts: 19, next_attempt_at: NOW + 300 * MINUTE, last_error: "smtp: 450" }),
];

const start = async (statements: string[]): Promise<TestServer> => {
  const server = await TestServer.start({
    clock: "movable",
    dataDir: olderDirectory(...statements),
    settings: { "security.encryption_key": KEY.toString("base64"), "email.outbox_days": "0" },
  });
  servers.push(server);
  return server;
};

test("emails move to the outbox in order, and what waits is delivered once, out of turn where another arrived", async () => {
  const server = await start(STATEMENTS);
  await emailsOut(server);
  const stored = rows<{ id: string; status: string; attempts: number; user_id: string }>(
    server,
    "SELECT * FROM outbox WHERE lane = 'email' AND user_id = 'anna' ORDER BY number",
  );
  expect(stored.map(({ id, status, attempts }) => [id, status, attempts])).toEqual([
    [SENT, "delivered", 2],
    [REFUSED, "failed", 1],
    [GONE, "cancelled", 0],
    [FAILED, "delivered", 4],
    [NEW, "delivered", 1],
    [TIRED, "delivered", 20],
  ]);
  expect(outboxOf(server.dataDir).map(({ id }) => id)).toEqual([TIRED, FAILED, NEW]);
  expect(stored[0]).toMatchObject({ finished_at: NOW - 80 * MINUTE, message: null, error: null });
  expect(stored[1]).toMatchObject({ finished_at: NOW - 79 * MINUTE, error: "smtp: 550 at RCPT TO" });
  expect(rows(server, "SELECT 1 FROM sqlite_schema WHERE name = 'email_queue'")).toEqual([]);
});
