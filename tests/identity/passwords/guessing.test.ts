import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { statuses } from "../../support/expectations";
import { mailsTo } from "../../support/mail";
import { newUser, type User } from "../../support/people";
import { assign, newRole } from "../../support/roles";
import { TestServer } from "../../support/server";
import { HOUR, SECOND } from "../../support/time";
import { changePassword } from "../auth/support";

/** Whoever stole a session guesses the password no faster than a stranger, and the owner hears of it. */
const WRONG = "not the password";

let server: TestServer;
let keyRole: string;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: {
      "rate_limit.enabled": "true",
      "rate_limit.login": "100000/60",
      "rate_limit.register": "1000/60",
      "auth.reauthentication_minutes": "10",
    },
  });
  keyRole = (await newRole(server, "api_keys:read", "api_keys:write")).id;
});
afterAll(() => server.stop());

const reauthenticate = (token: Token, password: string) =>
  server.post("/v1/auth/reauthenticate", { token, body: { password } });

/** The operations of a session that look at the password. */
const WAYS: ((token: Token, password: string) => Promise<Answer>)[] = [
  reauthenticate,
  (token, password) => changePassword(server, token, password, "a new passphrase"),
  (token, password) => server.post("/v1/users/me/deletion", { token, body: { password } }),
];

const warnings = async ({ email }: User) =>
  (await mailsTo(server, email)).filter(({ kind }) => kind === "password_failures");

/** Another session of a user. */
const another = async ({ username, password }: User): Promise<Token> =>
  (await server.login(username, password)).session_token;

describe("wrong passwords in sessions", () => {
  test("are followed by growing pauses, whatever the session and the operation", async () => {
    const user = await newUser(server);
    const [first, second, third] = [user.token, await another(user), await another(user)];
    for (const token of [first, second, third])
      for (const way of WAYS) expect((await way(token, WRONG)).status).toBe(400);
    expect((await reauthenticate(first, WRONG)).status).toBe(400);
    for (const longest of [1, 2, 4, 8]) {
      for (const way of WAYS) {
        const refused = await way(third, user.password);
        expect([refused.status, refused.body.error]).toEqual([429, "TooManyRequests"]);
        expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(longest);
      }
      await server.advance(longest * SECOND);
      expect((await reauthenticate(second, WRONG)).status).toBe(400);
    }
    await server.advance(16 * SECOND);
    expect((await reauthenticate(third, user.password)).status).toBe(200);
  });

  test("are a hundred an hour at most", async () => {
    const user = await newUser(server);
    let tried = 0;
    for (let requests = 0; requests < 250; requests++) {
      const { status, headers } = await reauthenticate(user.token, WRONG);
      if (status === 400) tried++;
      const wait = Number(headers.get("retry-after") ?? 0);
      if (wait > 61) break;
      await server.advance(wait * SECOND);
    }
    expect(tried).toBe(100);
    const refused = await reauthenticate(await another(user), user.password);
    expect(refused.status).toBe(429);
    await server.advance(Number(refused.headers.get("retry-after")) * SECOND);
    expect((await reauthenticate(user.token, user.password)).status).toBe(200);
  });

  test("that come at once are no more than are allowed one after another", async () => {
    const user = await newUser(server);
    const tokens = [user.token, await another(user), await another(user), await another(user)];
    const tries = tokens.flatMap((token) => Array.from({ length: 8 }, () => reauthenticate(token, WRONG)));
    expect(statuses(await Promise.all(tries))).toEqual([...Array(10).fill(400), ...Array(22).fill(429)]);
  });

  test("count where a proof is sent along, too", async () => {
    const user = await newUser(server);
    await assign(server, user.id, keyRole);
    const withProof = (password: string) =>
      server.post("/v1/api-keys", { token: user.token, body: { name: "Thief", password } });
    for (let failure = 0; failure < 10; failure++) expect((await withProof(WRONG)).status).toBe(400);
    expect((await withProof(user.password)).status).toBe(429);
    expect((await reauthenticate(await another(user), user.password)).status).toBe(429);
  });

  test("neither keep the owner from signing in nor hear of strangers' failures there", async () => {
    const user = await newUser(server);
    for (let failure = 0; failure < 10; failure++)
      expect((await reauthenticate(user.token, WRONG)).status).toBe(400);
    const body = { identifier: user.username, password: WRONG };
    for (let failure = 0; failure < 5; failure++)
      expect((await server.post("/v1/auth/login", { body })).status).toBe(401);
    expect(await another(user)).toStartWith("ses_");
  });
});

describe("ten wrong passwords in a row", () => {
  const fail = async (user: User, times: number, pause = 0) => {
    for (let failure = 0; failure < times; failure++) {
      expect((await reauthenticate(user.token, WRONG)).status).toBe(400);
      await server.advance(pause);
    }
  };

  test("send the user one email, until a right one starts the count anew", async () => {
    const user = await newUser(server);
    await fail(user, 9, 31 * SECOND);
    expect(await warnings(user)).toEqual([]);
    await fail(user, 5, 31 * SECOND);
    expect(await warnings(user)).toMatchObject([{ token: null, link: null }]);
    expect((await warnings(user))[0]?.text).toContain("10 wrong passwords in a row");
    expect((await reauthenticate(user.token, user.password)).status).toBe(200);
    await fail(user, 9, 31 * SECOND);
    expect(await warnings(user)).toHaveLength(1);
    await fail(user, 1);
    expect(await warnings(user)).toHaveLength(2);
  });

  test("send it also to the victim of a patient thief", async () => {
    const user = await newUser(server);
    await fail(user, 10, 4 * HOUR);
    expect(await warnings(user)).toHaveLength(1);
  });
});
