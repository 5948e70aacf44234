import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ResendStandIn } from "../../stand-ins/resend";
import { SiteVerifyStandIn } from "../../stand-ins/siteverify";
import { decodeQuotedPrintable, SmtpStandIn } from "../../stand-ins/smtp";
import { eventually } from "../../support/expectations";
import { linesOf } from "../../support/log";
import { rows } from "../../support/rows";
import { ADMIN, command, type Settings, TestServer } from "../../support/server";

/** Emails and bot protection as seen from outside: through the endpoints that use them. */

const servers: TestServer[] = [];
let resend: ResendStandIn;

beforeAll(() => {
  resend = new ResendStandIn();
});
beforeEach(() => {
  resend.emails.length = 0;
  resend.requests.length = 0;
});
afterAll(async () => {
  for (const server of servers) await server.stop("SIGKILL");
  await resend.stop();
});

async function start(settings: Settings = resend.settings, dataDir?: string): Promise<TestServer> {
  const server = await TestServer.start({ clock: "movable", settings, ...(dataDir && { dataDir }) });
  servers.push(server);
  return server;
}

const PASSWORD = "a long passphrase";

const register = (server: TestServer, username: string, overrides: object = {}) =>
  server.post("/v1/auth/register", {
    headers: { "accept-language": "de" },
    body: { email: `${username}@Example.org`, username, password: PASSWORD, ...overrides },
  });
const askReset = (server: TestServer, overrides: object = {}) =>
  server.post("/v1/auth/reset-password", { body: { email: ADMIN.email, ...overrides } });
const completeReset = (server: TestServer, token: string, overrides: object = {}) =>
  server.post("/v1/auth/reset-password/complete", {
    body: { token, new_password: "another long passphrase", ...overrides },
  });

const tokenOf = (text: string | undefined) => /#token=([\w-]+)/.exec(text ?? "")?.[1] ?? "";

interface Row {
  id: string;
  message: string | null;
  attempts: number;
  status: string;
  error: string | null;
}
const queueOf = (server: TestServer): Row[] =>
  rows(server, "SELECT * FROM outbox WHERE lane = 'email' ORDER BY number");
const allDelivered = (server: TestServer) => queueOf(server).every(({ status }) => status === "delivered");

describe("a registration", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await start({ ...resend.settings, "log.level": "debug" });
  });

  test("is mailed before it is answered, in the reader's language, with a link that works", async () => {
    expect((await register(server, "Skipper")).status).toBe(200);
    const [email] = resend.emails;
    expect(email?.to).toEqual(["skipper@example.org"]);
    expect(email?.text).toContain("Hallo skipper,");
    expect(email?.text).toContain(`${server.url.replace("127.0.0.1", "localhost")}/verify-email#token=`);
    const body = { token: tokenOf(email?.text) };
    expect((await server.post("/v1/auth/verify-email", { body })).status).toBe(200);
    await server.login("skipper", PASSWORD);
    for (const secret of ["skipper@example.org", body.token, resend.key])
      expect(server.output).not.toContain(secret);
  });

  test("whose email is refused leaves nothing behind, and can be made again", async () => {
    resend.failNext({ status: 422, name: "validation_error" });
    const refused = await register(server, "mate");
    expect(refused.status).toBe(500);
    expect(refused.body.error).toBe("InternalServerError");
    expect(JSON.stringify(refused.body)).not.toContain("resend");
    expect(resend.emails).toEqual([]);
    expect((await register(server, "mate")).status).toBe(200);
    expect(resend.emails.length).toBe(1);
    expect((await register(server, "mate")).status).toBe(409);
    await linesOf(server, "422 validation_error");
    expect(server.output).not.toContain("mate@example.org");
  });

  test("needs no challenge without bot protection, and ignores one", async () => {
    expect((await register(server, "bosun", { challenge_token: "made up" })).status).toBe(200);
  });

  test("is mailed through a mail server, or refused with it", async () => {
    const mail = await SmtpStandIn.start();
    const mailing = await start(mail.settings());
    mail.refuseNext("RCPT", 550);
    expect((await register(mailing, "cook")).status).toBe(500);
    expect((await register(mailing, "cook")).status).toBe(200);
    expect(mail.emails.map(({ to }) => to)).toEqual([["cook@example.org"]]);
    const token = tokenOf(decodeQuotedPrintable(mail.emails[0]?.raw ?? ""));
    expect((await mailing.post("/v1/auth/register/verify", { body: { token } })).status).toBe(201);
    await mail.stop();
  });
});

describe("a queued email", () => {
  test("is answered for at once, and tried again when its pause is over", async () => {
    const server = await start();
    resend.failNext({ status: 500, name: "internal_server_error" });
    expect((await askReset(server)).status).toBe(200);
    await eventually(() => queueOf(server)[0]?.attempts === 1);
    expect(queueOf(server)[0]).toMatchObject({
      status: "waiting",
      error: "resend: 500 internal_server_error",
    });
    expect(resend.emails).toEqual([]);
    await server.advance(60_000);
    // The next queued email wakes the worker for both.
    await askReset(server);
    await eventually(() => allDelivered(server));
    expect(queueOf(server).map(({ attempts, message }) => ({ attempts, message }))).toEqual([
      { attempts: 2, message: null },
      { attempts: 1, message: null },
    ]);
    expect(resend.emails.length).toBe(2);
    expect(server.output).not.toContain(ADMIN.email);
  });

  test("survives kill -9 during its delivery and while it waits, and arrives once", async () => {
    const server = await start();
    const letGo = resend.holdAnswers();
    const arrival = resend.nextEmail();
    await askReset(server);
    await arrival;
    await askReset(server);
    await server.stop("SIGKILL");
    letGo();
    expect(queueOf(server).map(({ attempts }) => attempts)).toEqual([0, 0]);
    expect(resend.emails.length).toBe(1);

    const again = await start(resend.settings, server.dataDir);
    await eventually(() => allDelivered(again));
    expect(resend.requests.length).toBe(3);
    expect(resend.emails.length).toBe(2);
    expect((await completeReset(again, tokenOf(resend.emails[1]?.text))).status).toBe(200);
  });

  test("that is on its way when the server is told to stop is delivered and marked first", async () => {
    const server = await start({ ...resend.settings, "log.level": "info" });
    const letGo = resend.holdAnswers();
    const arrival = resend.nextEmail();
    await askReset(server);
    await arrival;
    const stopped = server.stop();
    await eventually(() => server.output.includes("stopping"));
    letGo();
    expect(await stopped).toBe(0);
    expect(queueOf(server)[0]).toMatchObject({
      attempts: 1,
      message: null,
      error: null,
      status: "delivered",
    });
  });
});

describe("with bot protection and password rules", () => {
  let provider: SiteVerifyStandIn;
  let server: TestServer;
  let solutions = 0;

  beforeAll(async () => {
    provider = new SiteVerifyStandIn();
    server = await start({
      ...resend.settings,
      ...provider.settings("turnstile"),
      "security.reject_common_passwords": "true",
    });
  });
  afterEach(() => provider.answer());
  afterAll(() => provider.stop());

  const solved = () => ({ challenge_token: `solved ${++solutions}` });
  const login = (overrides: object) =>
    server.post("/v1/auth/login", {
      body: { identifier: ADMIN.username, password: ADMIN.password, ...overrides },
    });

  /** A token from a reset email for the admin. */
  async function resetToken(): Promise<string> {
    const email = resend.nextEmail();
    expect((await askReset(server, solved())).status).toBe(200);
    return tokenOf((await email).text);
  }

  test.each([{}, { challenge_token: null }, { challenge_token: "made up" }])(
    "register, login, reset and its completion answer 400 to %p, and change nothing",
    async (challenge) => {
      const token = await resetToken();
      resend.requests.length = 0;
      const answers = [
        await register(server, "skipper", challenge),
        await login(challenge),
        await askReset(server, challenge),
        await completeReset(server, token, challenge),
      ];
      expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
        Array(4).fill([400, "BadRequest"]),
      );
      expect(resend.requests).toEqual([]);
      expect((await login(solved())).status).toBe(200);
    },
  );

  test("they answer 503 and change nothing while the provider is out of order", async () => {
    const token = await resetToken();
    resend.requests.length = 0;
    provider.answer(() => new Response("oops", { status: 500 }));
    const answers = [
      await register(server, "skipper", solved()),
      await login(solved()),
      await askReset(server, solved()),
      await completeReset(server, token, solved()),
    ];
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
      Array(4).fill([503, "ServiceUnavailable"]),
    );
    expect(resend.requests).toEqual([]);
    provider.answer();
    expect((await login(solved())).status).toBe(200);
  });

  test("a challenge counts once, and the provider is told the client's address", async () => {
    const solution = solved();
    expect((await login(solution)).status).toBe(200);
    expect((await login(solution)).status).toBe(400);
    expect(provider.asked.at(-1)).toEqual({
      secret: provider.secret,
      response: solution.challenge_token,
      remoteip: "127.0.0.1",
    });
  });

  test("registration and reset refuse common passwords, and such that contain the username", async () => {
    for (const password of ["Password", "my skipper's boat"]) {
      const { status, body } = await register(server, "skipper", { ...solved(), password });
      expect([status, body.details[0].path]).toEqual([400, "/password"]);
    }
    expect(resend.emails).toEqual([]);
    expect((await register(server, "skipper", solved())).status).toBe(200);

    const token = await resetToken();
    const refused = await completeReset(server, token, { ...solved(), new_password: "administrator" });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, "/new_password"]);
    expect((await login(solved())).status).toBe(200);
    expect((await completeReset(server, token, solved())).status).toBe(200);
    expect((await login(solved())).status).toBe(401);
  });
});

describe("a server doesn't start", () => {
  test.each([
    ["email.transport", "resend", "email.resend_api_key"],
    ["email.transport", "smtp", "email.smtp_url"],
    ["bot_protection.provider", "hcaptcha", "bot_protection.secret"],
  ])("with %s = %s and without %s", async (key, value, missing) => {
    const dataDir = join("/nonexistent", "fairlead");
    const { status, stderr, stdout } = await command(["serve", "--data-dir", dataDir], {
      settings: { [key]: value },
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      `fairlead: ${missing} is required ${key === "email.transport" ? `for ${key} = ${value}` : `with ${key}`}\n`,
    );
    expect(existsSync(dataDir)).toBeFalse();
  });
});
