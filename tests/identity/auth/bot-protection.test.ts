import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { checkBotProtection } from "../../../src/identity/auth/bot-protection";
import { AppError } from "../../../src/kernel/errors/errors";
import { configureLog } from "../../../src/kernel/logs/log";
import { SiteVerifyStandIn } from "../../stand-ins/siteverify";
import { configure } from "../../support/in-process";
import { outputOfWholeRun } from "../../support/log";
import { TestServer } from "../../support/server";

let provider: SiteVerifyStandIn;
const lines: string[] = [];
let written: { mockRestore: () => void };

beforeAll(() => {
  provider = new SiteVerifyStandIn();
  configureLog("warn", "json");
});
beforeEach(() => {
  lines.length = 0;
  written = spyOn(process.stdout, "write").mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  configure(provider.settings("turnstile"));
});
afterEach(() => {
  written.mockRestore();
  provider.answer();
  provider.asked.length = 0;
});
afterAll(async () => {
  await provider.stop();
  configure({});
});

const client = { address: "203.0.113.7", userAgent: null, acceptLanguage: null };
const check = (token: string | null | undefined) => checkBotProtection(token, client);

/** The refusal that the caller would get; null when the challenge counts as solved. */
async function refusal(token: string | null | undefined) {
  try {
    await check(token);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: error.status, name: error.name };
  }
}

const failed = { status: 400, name: "BadRequest" };
const unavailable = { status: 503, name: "ServiceUnavailable" };

describe.each(["turnstile", "hcaptcha", "recaptcha"] as const)("%s", (name) => {
  beforeEach(() => configure(provider.settings(name)));

  test("is asked by a form with secret, answer and address, and lets a solved challenge pass", async () => {
    const response = `solved +&=ü ${name}`;
    expect(await refusal(response)).toBeNull();
    expect(provider.asked).toEqual([{ secret: provider.secret, response, remoteip: "203.0.113.7" }]);
  });

  test("refuses one that wasn't solved, and one that is used again", async () => {
    expect(await refusal("made up")).toEqual(failed);
    expect(await refusal(`once solved is not enough ${name}`)).toEqual(failed);
    expect(await refusal(`solved once ${name}`)).toBeNull();
    expect(await refusal(`solved once ${name}`)).toEqual(failed);
  });
});

test.each([undefined, null, ""])("refuses a missing answer (%p) without asking", async (token) => {
  expect(await refusal(token)).toEqual(failed);
  expect(provider.asked).toEqual([]);
});

test("refuses an answer longer than Turnstile's are without asking, where hCaptcha is asked", async () => {
  expect(await refusal("solved".padEnd(2_049, "x"))).toEqual(failed);
  expect(provider.asked).toEqual([]);
  expect(await refusal("solved".padEnd(2_048, "x"))).toBeNull();
  configure(provider.settings("hcaptcha"));
  expect(await refusal("solved".padEnd(2_049, "x"))).toBeNull();
});

test("asks nobody where no provider is configured", async () => {
  configure({ "bot_protection.verify_url": provider.url });
  expect(await refusal(undefined)).toBeNull();
  expect(await refusal("made up")).toBeNull();
  expect(provider.asked).toEqual([]);
});

test("leaves out an address that isn't known", async () => {
  await checkBotProtection("solved without address", { ...client, address: "unknown" });
  expect(provider.asked[0]).not.toHaveProperty("remoteip");
});

describe("fails closed", () => {
  const answers: [why: string, answer: () => Response][] = [
    ["status 500", () => Response.json({ success: true }, { status: 500 })],
    ["status 429", () => new Response("slow down", { status: 429 })],
    ["an answer that is no JSON", () => new Response("<html>success</html>")],
    ["an empty answer", () => new Response("")],
    ["an answer that is no object", () => Response.json(true)],
    ["an answer without verdict", () => Response.json({ "error-codes": [] })],
    ["a verdict that is no boolean", () => Response.json({ success: "true" })],
    [
      "a trouble of the provider's own",
      () => Response.json({ success: false, "error-codes": ["internal-error"] }),
    ],
  ];
  test.each(answers)("at %s", async (_, answer) => {
    provider.answer(answer);
    expect(await refusal("solved")).toEqual(unavailable);
    expect(lines.join("")).toContain('"level":"warn"');
  });

  test("at a redirect, which it doesn't follow", async () => {
    provider.answer(() => Response.redirect(provider.url, 307));
    expect(await refusal("solved")).toEqual(unavailable);
    expect(provider.asked.length).toBe(1);
  });

  test("when nobody answers at the address", async () => {
    const gone = new SiteVerifyStandIn();
    await gone.stop();
    configure(gone.settings("turnstile"));
    expect(await refusal("solved")).toEqual(unavailable);
  });

  test("when the answer doesn't come in time", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    provider.answer(() => promise);
    expect(await refusal("solved")).toEqual(unavailable);
    resolve(Response.json({ success: true }));
  });

  test.each([
    "invalid-input-secret",
    "missing-input-secret",
    "sitekey-secret-mismatch",
    "bad-request",
    "new-code",
  ])("at the code %s, which the operator must mend, and tells them so", async (code) => {
    provider.answer(() => Response.json({ success: false, "error-codes": [code] }));
    expect(await refusal("solved")).toEqual(unavailable);
    expect(lines.join("")).toContain('"level":"error"');
    expect(lines.join("")).toContain(code);
  });

  test("with a secret that the provider doesn't know", async () => {
    configure({ ...provider.settings("recaptcha"), "bot_protection.secret": "another" });
    expect(await refusal("solved with the wrong secret")).toEqual(unavailable);
    expect(lines.join("")).toContain("invalid-input-secret");
  });
});

test("a provider's trouble leaves one warning in the server's log, and no error", async () => {
  provider.answer(() => new Response("", { status: 500 }));
  const settings = { ...provider.settings("turnstile"), "log.level": "info" };
  const server = await TestServer.start({ settings });
  const body = { identifier: "admin", password: "not the password", challenge_token: "solved" };
  const { status } = await server.post("/v1/auth/login", { body });
  const logged = (await outputOfWholeRun(server))
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { level: string });
  expect(status).toBe(503);
  expect(logged.map(({ level }) => level).filter((level) => level !== "info")).toEqual(["warn"]);
});

test("a plain refusal, with codes or without, is the visitor's", async () => {
  for (const codes of [[], ["invalid-or-already-seen-response"], ["timeout-or-duplicate"]]) {
    provider.answer(() => Response.json({ success: false, "error-codes": codes }));
    expect(await refusal("solved")).toEqual(failed);
  }
  provider.answer(() => Response.json({ success: false }));
  expect(await refusal("solved")).toEqual(failed);
  expect(lines).toEqual([]);
});

test("writes neither secret nor answer to the log", async () => {
  provider.answer(() => new Response(`${provider.secret} solved-token`, { status: 200 }));
  await refusal("solved-token");
  provider.answer(() => Response.json({ success: false, "error-codes": ["invalid-input-secret"] }));
  await refusal("solved-token");
  expect(lines.length).toBe(2);
  expect(lines.join("")).not.toContain(provider.secret);
  expect(lines.join("")).not.toContain("solved-token");
});
