import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Answer, RequestOptions } from "../support/api";
import { eventsAbout } from "../support/events";
import { eventually, expectRefused, expectStatus, statuses } from "../support/expectations";
import { freePort } from "../support/program";
import {
  command,
  environment,
  program,
  type StartOptions,
  TestServer,
  temporaryDirectory,
} from "../support/server";
import { MINUTE } from "../support/time";

/** The first administrator, made on the page by the code that the server shows. */

const PATH = "/bridge/first-start";
const headers = { "x-fairlead-page": "1" };
const ANNA = { username: "Anna", email: "Anna@example.org", password: "correct horse battery" };

const fileOf = (server: TestServer) => join(server.dataDir, "first-start-code");
const codeOf = (server: TestServer) => readFileSync(fileOf(server), "utf8").trim();
const ask = (server: TestServer, options: RequestOptions = {}) => server.get(PATH, { headers, ...options });
const make = (server: TestServer, code: string, fields: object = {}) =>
  server.post(PATH, { headers, body: { ...ANNA, code, ...fields } });
const renew = (server: TestServer) => server.post(`${PATH}/code`, { headers });
const NAMES: Record<number, string> = {
  400: "ValidationError",
  401: "Unauthorized",
  403: "Forbidden",
  409: "Conflict",
};
function refused(answer: Answer, status: number): Answer {
  expectRefused(answer, status, NAMES[status] ?? "");
  return answer;
}
const wrong = (code: string) => code.replace(/.$/, (last) => (last === "0" ? "1" : "0"));

let empty: string;
beforeAll(async () => {
  empty = temporaryDirectory();
  expect((await command(["migrate"], { settings: { "data.dir": empty } })).status).toBe(0);
});

/** A data directory without a user. */
function newDirectory(): string {
  const directory = temporaryDirectory();
  cpSync(empty, directory, { recursive: true });
  return directory;
}

/** Starts a server without a user, and waits for the code. */
async function start(options: StartOptions = {}): Promise<TestServer> {
  const server = await TestServer.start({ dataDir: newDirectory(), clock: "movable", ...options });
  await eventually(() => server.output.includes("enter the code"));
  return server;
}

async function withServer(work: (server: TestServer) => Promise<void>, settings = {}): Promise<void> {
  const server = await start({ settings });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

describe("the first administrator", () => {
  test("is made by the code in a file that its owner alone reads, and is signed in", () =>
    withServer(async (server) => {
      const code = codeOf(server);
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
      expect(statSync(fileOf(server)).mode & 0o777).toBe(0o600);
      expect(server.output).toContain(`enter the code in ${fileOf(server)}`);
      expect(expectStatus(await ask(server), 200).body).toEqual({
        is_needed: true,
        // The data directory isn't the default one: no path is told to strangers.
        // By npm from the source, by its name as an executable.
        command: expect.stringMatching(
          /^(npm run -s fairlead --|fairlead) user create --data-dir DIRECTORY$/,
        ),
        code: { shown: "file", file: "first-start-code", expires_at: expect.any(String), tries_left: 5 },
      });
      const { body, headers: answered } = expectStatus(await make(server, code), 200);
      expect(body).toMatchObject({ username: "anna", email: "anna@example.org", requires_2fa: false });
      const cookie = answered.get("set-cookie")?.split(";")[0] ?? "";
      const me = expectStatus(await server.get("/v1/users/me", { headers: { ...headers, cookie } }), 200);
      expect(me.body.data).toMatchObject({ username: "anna" });
      const roles = (await server.get(`/v1/users/${body.user_id}/roles`, { headers: { ...headers, cookie } }))
        .body;
      expect(JSON.stringify(roles)).toContain("Super Admin");
      expect(eventsAbout(server, body.user_id).map(({ event_type }) => event_type)).toEqual([
        "user_created",
        "session_created",
        "login",
      ]);
      expect(existsSync(fileOf(server))).toBe(false);
      expect((await ask(server)).body).toEqual({ is_needed: false, command: null, code: null });
      refused(await make(server, code, { username: "berta", email: "b@example.org" }), 409);
      refused(await renew(server), 409);
      expect(server.output).not.toContain(code);
    }));

  test("may type the code in lower case, without hyphens, and O for 0", () =>
    withServer(async (server) => {
      const typed = ` ${codeOf(server).toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")}`;
      expectStatus(await make(server, typed), 200);
    }));

  test("is one, of parallel requests with the code", () =>
    withServer(async (server) => {
      const code = codeOf(server);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, at) =>
          make(server, code, { username: `anna_${at}`, email: `anna${at}@example.org` }),
        ),
      );
      expect(statuses(answers).toSorted()).toEqual([200, 409, 409, 409, 409]);
    }));

  test("has a password by the rules of all, for which the code stays good", () =>
    withServer(
      async (server) => {
        const code = codeOf(server);
        refused(await make(server, code, { password: "short" }), 400);
        refused(await make(server, code, { password: "anna anna" }), 400);
        refused(await make(server, code, { email: "nobody" }), 400);
        expect((await ask(server)).body.code.tries_left).toBe(5);
        expectStatus(await make(server, code), 200);
      },
      { "security.reject_common_passwords": "true" },
    ));
});

describe("the code", () => {
  test("may be tried five times, then another one is made", () =>
    withServer(async (server) => {
      const code = codeOf(server);
      for (const left of [4, 3, 2, 1])
        expect(refused(await make(server, wrong(code)), 403).body.message).toEndWith(`tries left: ${left}`);
      refused(await renew(server), 409);
      refused(await make(server, wrong(code)), 403);
      expect((await ask(server)).body.code).toBeNull();
      refused(await make(server, code), 403);
      expect(expectStatus(await renew(server), 200).body.code.tries_left).toBe(5);
      expect(codeOf(server)).not.toBe(code);
      refused(await make(server, code), 403);
      expectStatus(await make(server, codeOf(server)), 200);
    }));

  test("may be tried five times also by requests that come at once", () =>
    withServer(async (server) => {
      const code = codeOf(server);
      const answers = await Promise.all(Array.from({ length: 20 }, () => make(server, wrong(code))));
      expect(new Set(statuses(answers))).toEqual(new Set([403]));
      refused(await make(server, code), 403);
    }));

  test("ends after thirty minutes, and when the clock is set back", () =>
    withServer(async (server) => {
      const code = codeOf(server);
      await server.advance(30 * MINUTE);
      refused(await make(server, code), 403);
      expectStatus(await renew(server), 200);
      await server.advance(-MINUTE);
      refused(await make(server, codeOf(server)), 403);
      expectStatus(await renew(server), 200);
      await server.advance(29 * MINUTE);
      expectStatus(await make(server, codeOf(server)), 200);
    }));

  test("is void once a command has made an administrator, and not there at the next start", async () => {
    const dataDir = newDirectory();
    const server = await start({ dataDir });
    const code = codeOf(server);
    const settings = { "data.dir": dataDir };
    const who = ["--username", "berta", "--email", "b@example.org", "--role", "Super Admin"];
    expect((await command(["user", "create", ...who], { settings })).status).toBe(0);
    refused(await make(server, code), 409);
    expect((await ask(server)).body).toEqual({ is_needed: false, command: null, code: null });
    expect(existsSync(fileOf(server))).toBe(false);
    await server.stop();
    const again = await TestServer.start({ dataDir });
    expect(existsSync(fileOf(again))).toBe(false);
    await again.stop();
  });

  test("ends with the server, and is another one after a kill", async () => {
    const dataDir = newDirectory();
    const first = await start({ dataDir });
    const code = codeOf(first);
    await first.stop("SIGKILL");
    const second = await start({ dataDir });
    expect(codeOf(second)).not.toBe(code);
    refused(await make(second, code), 403);
    await second.stop();
    expect(existsSync(fileOf(second))).toBe(false);
  });

  test("is shown on a terminal alone where there is one", async () => {
    const dataDir = newDirectory();
    let shown = "";
    const child = Bun.spawn([...program, "serve"], {
      env: environment({ "data.dir": dataDir, "server.port": "0" }),
      terminal: {
        cols: 200,
        rows: 24,
        data: (_, bytes) => {
          shown += new TextDecoder().decode(bytes);
        },
      },
    });
    while (!/enter the code (?:[0-9A-Z]{5}-){3}[0-9A-Z]{5} within 30 minutes/.test(shown)) {
      expect(child.exitCode).toBeNull();
      await Bun.sleep(20);
    }
    expect(existsSync(join(dataDir, "first-start-code"))).toBe(false);
    child.kill();
    await child.exited;
  });
});

describe("nobody else gets there", () => {
  test("by a request of no page, or of another one", () =>
    withServer(async (server) => {
      for (const foreign of [{}, { ...headers, origin: "https://evil.example" }]) {
        refused(await server.get(PATH, { headers: foreign }), 401);
        const body = { ...ANNA, code: codeOf(server) };
        refused(await server.post(PATH, { headers: foreign, body }), 401);
        refused(await server.post(`${PATH}/code`, { headers: foreign }), 401);
      }
      expect((await ask(server)).body.code.tries_left).toBe(5);
    }));

  test("by a name that leads here from outside", () =>
    withServer(
      async (server) => {
        const by = (host: string) => ask(server, { headers: { ...headers, host } });
        for (const host of [
          "evil.example",
          "evil.example:80",
          "192.168.1.5.evil.example",
          "local.evil.example",
        ])
          refused(await by(host), 403);
        for (const host of [
          "boat",
          "boat.local:3000",
          "192.168.1.5",
          "[fd00::5]:3000",
          "LOCALHOST",
          "fleet.example.org",
        ])
          expectStatus(await by(host), 200);
      },
      { "server.public_url": "https://fleet.example.org", "server.port": String(freePort()) },
    ));

  test("by guessing more often than at the sign-in", () =>
    withServer(
      async (server) => {
        const answers = [];
        for (let at = 0; at < 5; at++) answers.push(await make(server, "00000"));
        expect(statuses(answers)).toEqual([403, 403, 403, 429, 429]);
      },
      { "rate_limit.enabled": "true", "rate_limit.login": "3/60" },
    ));
});
