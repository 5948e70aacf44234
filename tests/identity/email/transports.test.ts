import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DeliveryError } from "../../../src/identity/email/delivery-error";
import { smtpServer } from "../../../src/identity/email/smtp";
import { sendEmail } from "../../../src/identity/email/transport";
import { newId } from "../../../src/kernel/crypto/id";
import { ResendStandIn } from "../../stand-ins/resend";
import { decodeQuotedPrintable, SmtpStandIn } from "../../stand-ins/smtp";
import { configure } from "../../support/in-process";
import { outboxOf } from "../../support/mail";
import { ADDRESS, compose, contentOf, TOKEN } from "./support";

const FROM = "Fairlead Flotte <post@mail.fleet.example>";
const email = () => compose(contentOf("registration"), "de");

afterAll(() => {
  configure();
});

/** The reason of a failed delivery, which must reveal nothing of the email; null for a success. */
async function failure(id = newId()): Promise<string | null> {
  try {
    await sendEmail(email(), id);
    return null;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const told = `${error.message} ${error.stack} ${JSON.stringify(error)}`;
    for (const secret of [ADDRESS, "erika", TOKEN, "Bestätige"]) expect(told).not.toContain(secret);
    return `${error.setback}: ${error.message}`;
  }
}

describe("outbox", () => {
  test("writes one file for the operator alone, named by the id, with the fields of the contract", async () => {
    const { "data.dir": dataDir } = configure();
    const id = newId();
    await sendEmail(email(), id);
    const [file, ...others] = outboxOf(dataDir);
    expect(others).toEqual([]);
    expect(Object.keys(file ?? {})).toEqual([
      "id",
      "kind",
      "to",
      "locale",
      "subject",
      "text",
      "html",
      "token",
      "link",
      "created_at",
    ]);
    expect(file as object).toEqual({
      id,
      ...email(),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(readdirSync(join(dataDir, "outbox"))).toEqual([`${id}.json`]);
    expect(statSync(join(dataDir, "outbox")).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, "outbox", `${id}.json`)).mode & 0o777).toBe(0o600);
  });

  test("writes a message that is sent twice once", async () => {
    const { "data.dir": dataDir } = configure();
    const id = newId();
    await sendEmail(email(), id);
    const before = outboxOf(dataDir);
    await sendEmail({ ...email(), subject: "again" }, id);
    expect(outboxOf(dataDir)).toEqual(before);
  });

  test("fails when it can't write, and leaves nothing behind", async () => {
    const { "data.dir": dataDir } = configure();
    writeFileSync(join(dataDir, "outbox"), "a file in the way");
    expect(await failure()).toMatch(/^down: outbox: E[A-Z]+$/);
    rmSync(join(dataDir, "outbox"));
    mkdirSync(join(dataDir, "outbox"));
    expect(await failure()).toBeNull();
    expect(outboxOf(dataDir).length).toBe(1);
  });
});

describe("resend", () => {
  let resend: ResendStandIn;

  beforeEach(() => {
    resend = new ResendStandIn();
    configure({ ...resend.settings, "email.from": FROM });
  });
  afterEach(() => resend.stop());

  test("hands over sender, recipient, subject and both bodies, with key, agent and idempotency key", async () => {
    const id = newId();
    await sendEmail(email(), id);
    const { to, subject, text, html } = email();
    expect(resend.emails).toEqual([
      {
        from: FROM,
        to: [to],
        subject,
        text,
        html,
        headers: { "Auto-Submitted": "auto-generated", "Content-Language": "de" },
        tags: [{ name: "kind", value: "registration" }],
      },
    ]);
    const [headers] = resend.requests;
    expect(headers?.get("user-agent")).toStartWith("resend-node:");
    expect(headers?.get("idempotency-key")).toBe(id);
    expect(headers?.get("content-type")).toBe("application/json");
  });

  test("sends a message twice with the same key, so that it arrives once", async () => {
    const id = newId();
    await sendEmail(email(), id);
    await sendEmail(email(), id);
    expect(resend.requests.length).toBe(2);
    expect(resend.emails.length).toBe(1);
  });

  test.each([
    [400, "validation_error"],
    [422, "missing_required_field"],
    [422, "invalid_from_address"],
    [451, "security_error"],
  ])("takes %i %s as final", async (status, name) => {
    resend.failNext({ status, name });
    expect(await failure()).toBe(`refused: resend: ${status} ${name}`);
  });

  test.each([
    [401, "restricted_api_key"],
    [403, "validation_error"],
    [404, "not_found"],
    [429, "rate_limit_exceeded"],
    [429, "monthly_quota_exceeded"],
    [500, "application_error"],
    [500, "internal_server_error"],
  ])("takes %i %s as passing, and as the same for every message", async (status, name) => {
    resend.failNext({ status, name });
    expect(await failure()).toBe(`down: resend: ${status} ${name}`);
    expect(await failure()).toBeNull();
  });

  test("takes a key in use as passing, for this message", async () => {
    resend.failNext({ status: 409, name: "concurrent_idempotent_requests" });
    expect(await failure()).toBe("later: resend: 409 concurrent_idempotent_requests");
    const id = newId();
    await sendEmail(email(), id);
    configure({ ...resend.settings, "email.from": "other@fleet.example" });
    expect(await failure(id)).toBe("later: resend: 409 invalid_idempotent_request");
  });

  test("takes a wrong API key as passing, since the operator can mend it", async () => {
    configure({ ...resend.settings, "email.resend_api_key": "re_wrong" });
    expect(await failure()).toBe("down: resend: 403 invalid_api_key");
    configure({ ...resend.settings, "email.resend_api_key": "nonsense" });
    expect(await failure()).toBe("down: resend: 401 missing_api_key");
    expect(resend.emails).toEqual([]);
  });

  test("takes an answer that is no JSON as passing", async () => {
    resend.failNext("broken");
    expect(await failure()).toBe("down: resend: 502 application_error");
  });

  test("doesn't follow a redirect, which would carry the key elsewhere", async () => {
    const elsewhere = new ResendStandIn();
    using redirecting = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => Response.redirect(`${elsewhere.url}/emails`, 307),
    });
    configure({ ...resend.settings, "email.resend_base_url": `http://127.0.0.1:${redirecting.port}` });
    expect(await failure()).toBe("down: resend: 307 application_error");
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  test("fails when nobody answers, and reads no address from the SDK's own variables", async () => {
    await resend.stop();
    expect(await failure()).toBe("down: resend: no answer");
  });
});

describe("the stand-in for Resend", () => {
  test("refuses a request without user agent, as Resend does", async () => {
    const resend = new ResendStandIn();
    const headers = { "user-agent": "", authorization: `Bearer ${resend.key}` };
    const answer = await fetch(`${resend.url}/emails`, { method: "POST", headers, body: "{}" });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("1010");
    await resend.stop();
  });
});

describe("smtp", () => {
  let mail: SmtpStandIn;

  beforeAll(async () => {
    mail = await SmtpStandIn.start();
  });
  beforeEach(() => {
    mail.emails.length = 0;
    configure({ ...mail.settings(), "email.from": FROM });
  });
  afterAll(() => mail.stop());

  test("signs in over STARTTLS and hands over a message in two forms with a stable identifier", async () => {
    const id = newId();
    await sendEmail(email(), id);
    await sendEmail(email(), id);
    expect(mail.emails.length).toBe(2);
    for (const { from, to, secure, user, raw } of mail.emails) {
      expect({ from, to, secure, user }).toEqual({
        from: "post@mail.fleet.example",
        to: [ADDRESS],
        secure: true,
        user: mail.user,
      });
      expect(raw).toContain(`Message-ID: <${id}@mail.fleet.example>`);
      expect(raw).toContain(`From: ${FROM}`);
      expect(raw).toContain(`To: ${ADDRESS}`);
      expect(raw).toContain("Auto-Submitted: auto-generated");
      expect(raw).toContain("Content-Language: de");
      expect(raw).toContain("multipart/alternative");
      const decoded = decodeQuotedPrintable(raw);
      expect(decoded).toContain(`/verify-email#token=${TOKEN}`);
      expect(decoded).toContain("Hallo erika,");
      expect(decoded).toContain('<html lang="de">');
    }
  });

  test.each([550, 554])("takes %i to the recipient or the message as final", async (code) => {
    mail.refuseNext("RCPT", code);
    expect(await failure()).toBe(`refused: smtp: ${code} at RCPT TO`);
    mail.refuseNext("DATA", code);
    expect(await failure()).toBe(`refused: smtp: ${code} at DATA`);
    expect(mail.emails).toEqual([]);
  });

  test.each([450, 452])(
    "takes %i to the recipient or the message as passing, for this message",
    async (code) => {
      mail.refuseNext("RCPT", code);
      expect(await failure()).toBe(`later: smtp: ${code} at RCPT TO`);
      mail.refuseNext("DATA", code);
      expect(await failure()).toBe(`later: smtp: ${code} at DATA`);
    },
  );

  test("takes a refusal of the sender as passing, and as the same for every message", async () => {
    mail.refuseNext("MAIL", 553);
    expect(await failure()).toBe("down: smtp: 553 at MAIL FROM");
    expect(await failure()).toBeNull();
  });

  test("takes a wrong password as passing, and says nothing of it", async () => {
    configure(mail.settings(mail.url({ password: "sesame" })));
    expect(await failure()).toMatch(/^down: smtp: 535 at AUTH/);
    expect(mail.emails).toEqual([]);
  });

  test("fails when nobody answers", async () => {
    const gone = await SmtpStandIn.start();
    const settings = gone.settings();
    await gone.stop();
    configure(settings);
    expect(await failure()).toMatch(/^down: smtp: E[A-Z]+ at CONN$/);
  });

  test("takes no certificate that nobody signed for smtps://", async () => {
    const secure = await SmtpStandIn.start({ secure: true });
    configure(secure.settings(secure.url({ protocol: "smtps" })));
    expect(await failure()).toMatch(/^down: smtp: \w+ at CONN$/);
    expect(secure.emails).toEqual([]);
    await secure.stop();
  });

  test("insists on TLS and a certificate where a password would leave this machine", () => {
    const how = (url: string) => {
      const { secure, requireTLS, tls } = smtpServer(url);
      return { secure, requireTLS, checks: tls.rejectUnauthorized };
    };
    expect(how("smtp://u:p@mail.example:587")).toEqual({ secure: false, requireTLS: true, checks: true });
    expect(how("smtps://u:p@mail.example")).toEqual({ secure: true, requireTLS: false, checks: true });
    expect(how("smtp://mail.example")).toEqual({ secure: false, requireTLS: false, checks: false });
    for (const local of ["localhost", "127.0.0.1", "127.8.9.1", "[::1]"])
      expect(how(`smtp://u:p@${local}:25`)).toEqual({ secure: false, requireTLS: false, checks: false });
    expect(how("smtp://u:p@localhost.mail.example").requireTLS).toBe(true);
    expect(how("smtps://127.0.0.1").checks).toBe(true);
  });

  test("takes host, port and credentials from the URL, ports by protocol", () => {
    expect(smtpServer("smtps://a%40b:c%3Ad@[::1]")).toMatchObject({
      host: "::1",
      port: 465,
      auth: { user: "a@b", pass: "c:d" },
    });
    expect(smtpServer("smtp://mail.example")).toMatchObject({ host: "mail.example", port: 587 });
    expect(smtpServer("smtp://mail.example")).not.toHaveProperty("auth");
  });

  test("needs neither TLS nor password of a mail server on this machine", async () => {
    const plain = await SmtpStandIn.start({ hideSTARTTLS: true, authOptional: true });
    configure(plain.settings(`smtp://127.0.0.1:${plain.port}`));
    await sendEmail(email(), newId());
    expect(plain.emails).toEqual([expect.objectContaining({ secure: false, to: [ADDRESS] })]);
    await plain.stop();
  });
});
