import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  cancelQueuedEmails,
  emailIdsOf,
  forgetOldEmails,
  queueEmail,
} from "../../../src/identity/email/service";
import type { EmailContent } from "../../../src/identity/email/templates";
import { useMasterKey } from "../../../src/kernel/crypto/encryption";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { configureLog } from "../../../src/kernel/logs/log";
import { DAY, HOUR, MINUTE, SECOND, setClock } from "../../../src/kernel/time/clock";
import { endImpossibleWaits } from "../../../src/outbox/queue";
import { EMAILS } from "../../../src/outbox/words";
import { freshen } from "../../../src/outbox/worker";
import { ResendStandIn } from "../../stand-ins/resend";
import { SmtpStandIn } from "../../stand-ins/smtp";
import { eventually } from "../../support/expectations";
import { configure } from "../../support/in-process";
import { logged } from "../../support/log";
import { outboxOf } from "../../support/mail";
import { ADDRESS, compose, contentOf, deliverQueued, openQueue, TOKEN } from "./support";

const START = Date.UTC(2026, 2, 9, 12);
let clock = START;
let dataDir: string;
let stop: () => Promise<void>;
let resend: ResendStandIn;

beforeAll(() => {
  ({ "data.dir": dataDir } = configure());
  stop = openQueue();
  useMasterKey(randomBytes(32));
  configureLog("warn", "json");
  resend = new ResendStandIn();
  setClock(() => clock);
  for (const id of ["anna", "berta"])
    sqlite.run("INSERT INTO users (id, username, created_at, updated_at) VALUES (?1, ?1, 0, 0)", [id]);
});
beforeEach(async () => {
  clock = START;
  sqlite.run("DELETE FROM outbox");
  await freshen(EMAILS);
  configure({ "data.dir": dataDir, ...resend.settings });
  resend.emails.length = 0;
  resend.requests.length = 0;
});
afterAll(async () => {
  await stop();
  setClock();
  closeDatabase();
  await resend.stop();
  configure();
});

interface Row {
  number: number;
  id: string;
  kind: string;
  user_id: string | null;
  message: string | null;
  attempts: number;
  status: string;
  next_attempt_at: number | null;
  finished_at: number | null;
  error: string | null;
  created_at: number;
}
const rows = () => sqlite.query<Row, []>("SELECT * FROM outbox ORDER BY number").all();
const row = () => rows()[0] as Row;

const enqueue = (...contents: EmailContent[]) =>
  transact(() => {
    for (const content of contents) queueEmail(compose(content), "anna");
  });
const subjects = () => resend.emails.map(({ subject }) => subject);
const subjectOf = (kind: EmailContent["kind"]) => compose(contentOf(kind)).subject;

/** Everything that SQLite has written to the disk, the write-ahead log included. */
const bytesOnDisk = () =>
  Buffer.concat(
    readdirSync(dataDir)
      .filter((name) => name.startsWith("fairlead.db"))
      .map((name) => readFileSync(join(dataDir, name))),
  );

/** The first pauses between attempts, before those of three hours. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

const down = { status: 500, name: "internal_server_error" };
const refused = { status: 422, name: "validation_error" };

describe("a queued email", () => {
  test("goes out by itself once its transaction is committed", async () => {
    const arrival = resend.nextEmail();
    await enqueue(contentOf("password_reset"));
    expect((await arrival).subject).toBe(subjectOf("password_reset"));
    await deliverQueued();
    expect(resend.emails.length).toBe(1);
  });

  test("doesn't exist if its transaction fails", async () => {
    const failing = transact(() => {
      queueEmail(compose(), "anna");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await deliverQueued();
    expect(rows()).toEqual([]);
    expect(resend.requests).toEqual([]);
  });

  test("is encrypted on the disk while it waits, and erased once it is delivered", async () => {
    resend.failNext(down);
    await enqueue(contentOf("password_reset"));
    await logged(deliverQueued);
    expect(row()).toMatchObject({ kind: "password_reset", user_id: "anna", status: "waiting" });
    expect(row().message).toBeString();
    const onDisk = bytesOnDisk();
    expect(onDisk.includes(row().id)).toBeTrue();
    for (const secret of [TOKEN, ADDRESS, "erika", "Choose a new password"])
      expect(onDisk.includes(secret)).toBeFalse();

    clock += 1 * MINUTE;
    await deliverQueued();
    expect(row()).toMatchObject({
      message: null,
      attempts: 2,
      status: "delivered",
      next_attempt_at: null,
      finished_at: clock,
      error: null,
    });
    expect(resend.emails[0]?.text).toContain(TOKEN);
  });

  test("can't be read in another row's place", async () => {
    resend.failNext(down);
    await enqueue(contentOf("password_reset"), contentOf("backup_codes_low"));
    await logged(deliverQueued);
    const [first, second] = rows();
    clock += 5 * SECOND;
    sqlite.run("UPDATE outbox SET message = ?, next_attempt_at = ? WHERE id = ?", [
      first?.message ?? "",
      clock,
      second?.id ?? "",
    ]);
    sqlite.run("DELETE FROM outbox WHERE id = ?", [first?.id ?? ""]);
    await logged(deliverQueued);
    expect(resend.emails).toEqual([]);
    expect(row()).toMatchObject({ attempts: 1, error: expect.stringContaining("can't be decrypted") });
  });

  test("leaves in the order in which they were queued", async () => {
    const kinds = [
      "two_factor_enabled",
      "backup_codes_low",
      "two_factor_disabled",
      "password_reset",
    ] as const;
    await enqueue(...kinds.map(contentOf));
    await deliverQueued();
    expect(subjects()).toEqual(kinds.map(subjectOf));
  });

  test("is delivered once by workers that are started at the same time", async () => {
    await enqueue(contentOf("password_reset"), contentOf("backup_codes_low"));
    await Promise.all([deliverQueued(), deliverQueued(), deliverQueued()]);
    expect(resend.requests.length).toBe(2);
    expect(rows().map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  test("that is queued while the worker delivers is delivered by the same worker", async () => {
    const letGo = resend.holdAnswers();
    const arrival = resend.nextEmail();
    await enqueue(contentOf("password_reset"));
    const working = deliverQueued();
    await arrival;
    await enqueue(contentOf("backup_codes_low"));
    letGo();
    await working;
    expect(subjects()).toEqual([subjectOf("password_reset"), subjectOf("backup_codes_low")]);
  });
});

describe("when the transport takes nothing", () => {
  test("a message that waits for a time which a clock set back has left behind goes out at once", async () => {
    clock = START + 400 * DAY;
    resend.failNext(down);
    await enqueue(contentOf("password_reset"));
    await logged(deliverQueued);
    clock = START;
    await endImpossibleWaits();
    await deliverQueued();
    expect(row()).toMatchObject({ attempts: 2, status: "delivered", finished_at: START });
  });

  test("the pauses grow from 5 seconds to 3 hours, and nothing is tried before they are over", async () => {
    await enqueue(contentOf("password_reset"));
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 13; attempts++) {
      resend.failNext(down);
      await logged(deliverQueued);
      expect(row().attempts).toBe(attempts);
      const due = row().next_attempt_at ?? 0;
      pauses.push(due - clock);
      clock = due - 1;
      await deliverQueued();
      expect(row().attempts).toBe(attempts);
      clock = due;
    }
    for (const [at, pause] of pauses.entries()) {
      const expected = PAUSES[at] ?? 3 * HOUR;
      // The transport itself is left alone for five seconds.
      expect(pause).toBeWithin(Math.max(0.9 * expected - 1, 5 * SECOND), 1.1 * expected + 1);
    }
    await deliverQueued();
    expect(subjects()).toEqual([subjectOf("password_reset")]);
  });

  test("it is given up after three days, and its body erased", async () => {
    await enqueue(contentOf("password_reset"));
    let attempts = 0;
    const log = await logged(async () => {
      while (row().next_attempt_at !== null) {
        clock = row().next_attempt_at ?? 0;
        resend.failNext(down);
        await deliverQueued();
        attempts++;
        expect(attempts).toBeLessThan(50);
      }
    });
    expect(clock - START).toBeWithin(3 * DAY, 3 * DAY + 5 * HOUR);
    expect(attempts).toBeWithin(15, 35);
    expect(row()).toMatchObject({
      message: null,
      attempts,
      status: "failed",
      finished_at: clock,
      error: "resend: 500 internal_server_error",
    });
    expect(log).toContain("is given up");
    expect(resend.emails).toEqual([]);
  });

  test("the others wait untried for the next round, and then all go", async () => {
    resend.failNext(down);
    await enqueue(
      contentOf("password_reset"),
      contentOf("backup_codes_low"),
      contentOf("two_factor_enabled"),
    );
    await logged(deliverQueued);
    expect(rows().map(({ attempts }) => attempts)).toEqual([1, 0, 0]);
    expect(resend.requests.length).toBe(1);
    await deliverQueued();
    expect(resend.requests.length).toBe(1);
    clock += 5 * SECOND;
    await deliverQueued();
    expect(subjects().toSorted()).toEqual(
      [
        subjectOf("password_reset"),
        subjectOf("backup_codes_low"),
        subjectOf("two_factor_enabled"),
      ].toSorted(),
    );
  });

  test.each([401, 403, 429])("status %i is tried again", async (status) => {
    resend.failNext({ status, name: "some_reason" });
    await enqueue(contentOf("password_reset"));
    await logged(deliverQueued);
    expect(row()).toMatchObject({ status: "waiting", error: `resend: ${status} some_reason` });
    clock += 1 * MINUTE;
    await deliverQueued();
    expect(row()).toMatchObject({ status: "delivered", finished_at: clock });
  });

  test("it is tried again when nobody answers", async () => {
    const gone = new ResendStandIn();
    await gone.stop();
    configure({ "data.dir": dataDir, ...gone.settings });
    await enqueue(contentOf("password_reset"));
    await logged(deliverQueued);
    expect(row()).toMatchObject({ attempts: 1, status: "waiting", error: "resend: no answer" });
    configure({ "data.dir": dataDir });
    clock += 1 * MINUTE;
    await deliverQueued();
    expect(outboxOf(dataDir).at(-1)).toMatchObject({ id: row().id, kind: "password_reset", token: TOKEN });
  });
});

describe("when a message is refused for good", () => {
  test("it is given up at once and erased, the others go on, and nothing of it is told", async () => {
    resend.failNext(refused);
    await enqueue(contentOf("password_reset"), contentOf("backup_codes_low"));
    const log = await logged(deliverQueued);
    expect(rows().map(({ message, status, finished_at: at }) => [message, status, at])).toEqual([
      [null, "failed", START],
      [null, "delivered", START],
    ]);
    expect(row().error).toBe("resend: 422 validation_error");
    expect(log).toContain(row().id);
    for (const secret of [TOKEN, ADDRESS, "erika"]) {
      expect(log).not.toContain(secret);
      expect(JSON.stringify(rows())).not.toContain(secret);
    }
    clock += 1 * DAY;
    await deliverQueued();
    expect(subjects()).toEqual([subjectOf("backup_codes_low")]);
  });

  test("by a mail server's 5xx to the recipient, where a 4xx makes it wait without holding up others", async () => {
    const mail = await SmtpStandIn.start();
    configure({ "data.dir": dataDir, ...mail.settings() });
    mail.refuseNext("RCPT", 550);
    mail.refuseNext("RCPT", 450);
    await enqueue(
      contentOf("password_reset"),
      contentOf("backup_codes_low"),
      contentOf("two_factor_enabled"),
    );
    await logged(deliverQueued);
    expect(rows().map(({ error, status }) => [error, status])).toEqual([
      ["smtp: 550 at RCPT TO", "failed"],
      ["smtp: 450 at RCPT TO", "waiting"],
      [null, "delivered"],
    ]);
    expect(mail.emails.length).toBe(1);
    clock += 1 * MINUTE;
    await deliverQueued();
    expect(mail.emails.length).toBe(2);
    await mail.stop();
  });
});

describe("a crash between delivery and mark", () => {
  /** As if the mark had never reached the disk. */
  const forgetDelivery = (message: string | null) =>
    sqlite.run("UPDATE outbox SET message = ?, status = 'waiting', finished_at = NULL, next_attempt_at = ?", [
      message,
      clock,
    ]);

  test("sends no second email through Resend, thanks to the key", async () => {
    await enqueue(contentOf("password_reset"));
    const { message } = row();
    await deliverQueued();
    forgetDelivery(message);
    await deliverQueued();
    expect(resend.requests.map((headers) => headers.get("idempotency-key"))).toEqual([row().id, row().id]);
    expect(resend.emails.length).toBe(1);
    expect(row()).toMatchObject({ status: "delivered", finished_at: clock });
  });

  test("writes no second file into the outbox", async () => {
    configure({ "data.dir": dataDir });
    await enqueue(contentOf("password_reset"));
    const { message } = row();
    await deliverQueued();
    const before = outboxOf(dataDir);
    expect(before.at(-1)?.id).toBe(row().id);
    clock += 1 * SECOND;
    forgetDelivery(message);
    await deliverQueued();
    expect(outboxOf(dataDir)).toEqual(before);
  });
});

test("cancelQueuedEmails takes back what waits for one user, and nothing else", async () => {
  await enqueue(contentOf("two_factor_enabled"));
  await deliverQueued();
  resend.failNext(down);
  await transact(() => {
    queueEmail(compose(contentOf("password_reset")), "anna");
    queueEmail(compose(contentOf("backup_codes_low")), "berta");
    queueEmail(compose(contentOf("email_change")), null);
  });
  await logged(deliverQueued);
  expect(rows().length).toBe(4);
  await transact(() => cancelQueuedEmails("anna"));
  expect(
    rows().map(({ kind, message, next_attempt_at: at }) => [kind, message !== null, at !== null]),
  ).toEqual([
    ["two_factor_enabled", false, false],
    ["password_reset", false, false],
    ["backup_codes_low", true, true],
    ["email_change", true, true],
  ]);
  clock += 1 * MINUTE;
  await deliverQueued();
  expect(subjects()).toEqual(
    ["two_factor_enabled", "backup_codes_low", "email_change"].map((kind) =>
      subjectOf(kind as EmailContent["kind"]),
    ),
  );
});

test.each([null, down])("an email that is taken back on its way stays so: %p", async (failure) => {
  const letGo = resend.holdAnswers();
  if (failure) resend.failNext(failure);
  await enqueue(contentOf("password_reset"));
  await eventually(() => resend.requests.length === 1);
  await transact(() => cancelQueuedEmails("anna"));
  letGo();
  await logged(deliverQueued);
  expect(rows()).toMatchObject([{ message: null, next_attempt_at: null }]);
  clock += 1 * DAY;
  await deliverQueued();
  expect(resend.requests.length).toBe(1);
});

test("an email that is deleted on its way leaves the next one alone, which may have its number", async () => {
  const letGo = resend.holdAnswers();
  await enqueue(contentOf("password_reset"));
  await eventually(() => resend.requests.length === 1);
  const { number } = row();
  sqlite.run("DELETE FROM outbox");
  await enqueue(contentOf("backup_codes_low"));
  expect(row().number).toBe(number);
  letGo();
  await deliverQueued();
  expect(subjects()).toEqual([subjectOf("password_reset"), subjectOf("backup_codes_low")]);
  expect(row()).toMatchObject({ kind: "backup_codes_low", status: "delivered", attempts: 1 });
});

test("an email that is taken back while its file is written is found by its identifier", async () => {
  configure({ "data.dir": dataDir, "email.transport": "outbox" });
  await enqueue(contentOf("email_changed"));
  const delivered = deliverQueued();
  await transact(() => cancelQueuedEmails("anna"));
  await delivered;
  expect(emailIdsOf("anna")).toContain(outboxOf(dataDir).at(-1)?.id as string);
});

test("forgetOldEmails forgets what has been over for 30 days, and nothing that waits", async () => {
  resend.failNext(refused);
  await enqueue(contentOf("password_reset"), contentOf("backup_codes_low"));
  await logged(deliverQueued);
  resend.failNext(down);
  await enqueue(contentOf("two_factor_enabled"));
  await logged(deliverQueued);
  clock += 30 * DAY;
  await forgetOldEmails();
  expect(rows().length).toBe(3);
  clock += 1;
  await forgetOldEmails();
  expect(rows().map(({ kind }) => kind)).toEqual(["two_factor_enabled"]);
});

describe("forgetOldEmails, where there is an outbox whose files are found by their identifiers,", () => {
  const outbox = () => join(dataDir, "outbox");
  beforeEach(() => mkdirSync(outbox(), { recursive: true }));
  afterEach(() => rmSync(outbox(), { recursive: true }));

  test.each([
    [90, 90, 91],
    [7, 30, 31],
  ])("forgets nothing before the files go: with %p days after %p", async (days, kept, gone) => {
    configure({ "data.dir": dataDir, "email.transport": "outbox", "email.outbox_days": String(days) });
    await enqueue(contentOf("email_changed"));
    await deliverQueued();
    clock += kept * DAY;
    await forgetOldEmails();
    expect(rows()).toHaveLength(1);
    clock += (gone - kept) * DAY;
    await forgetOldEmails();
    expect(rows()).toEqual([]);
  });

  test("forgets nothing where the files stay", async () => {
    configure({ "data.dir": dataDir, "email.transport": "outbox", "email.outbox_days": "0" });
    await enqueue(contentOf("email_changed"));
    await deliverQueued();
    clock += 10_000 * DAY;
    await forgetOldEmails();
    expect(rows()).toHaveLength(1);
  });
});

test("forgetOldEmails takes more rows than one step holds", async () => {
  sqlite.run(
    "INSERT INTO outbox (id, lane, kind, urgency, status, finished_at, created_at) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT 'old-' || i, 'email', 'password_reset', 1, 'delivered', 0, 0 FROM n",
  );
  await forgetOldEmails();
  expect(rows()).toEqual([]);
});
