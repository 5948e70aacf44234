import { afterAll, beforeAll, expect, test } from "bun:test";
import { emailPauseAfter } from "../../../src/identity/auth/password-reset";
import type { Answer } from "../../support/api";
import { mailsTo } from "../../support/mail";
import { newPerson, newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { askReset, completeReset } from "./support";

/** Strangers who request resets neither keep the owner from a working link nor fill the mailbox. */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "rate_limit.enabled": "true", "server.trusted_proxies": "127.0.0.1" },
  });
});
afterAll(() => server.stop());

let used = 0;
const ask = (email: string) => askReset(server, email, { "x-forwarded-for": `198.18.0.${++used}` });

const links = async ({ email }: User) =>
  (await mailsTo(server, email)).filter(({ kind }) => kind === "password_reset").map(({ token }) => token);

const shown = ({ status, headers, body }: Answer) => ({
  status,
  body,
  headers: [...headers].filter(([name]) => !["x-request-id", "date"].includes(name)).sort(),
});

test("the pauses between emails grow and stay below the hour that a link lives", () => {
  const minutes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 40].map((emails) => emailPauseAfter(emails) / MINUTE);
  expect(minutes).toEqual([0, 1, 2, 4, 8, 16, 32, 45, 45, 45]);
});

test("a reset is never refused for its email address: twenty strangers, and the owner has a link", async () => {
  const user = await newUser(server);
  const [nobody, ...answers] = await Promise.all([
    ask(newPerson().email),
    ...Array.from({ length: 20 }, () => ask(user.email)),
  ]);
  for (const answer of answers) expect(shown(answer)).toEqual(shown(nobody as Answer));
  const sent = await links(user);
  expect(sent).toHaveLength(1);
  expect((await completeReset(server, sent[0], "a new passphrase")).status).toBe(200);
});

test("a link replaces the one before it, and goes on working while no other one is sent", async () => {
  const user = await newUser(server);
  await ask(user.email);
  await server.advance(MINUTE);
  await ask(user.email);
  const [first, second] = await links(user);
  expect(second).toBeString();
  expect((await completeReset(server, first, "a new passphrase")).status).toBe(400);
  // The pause is two minutes now.
  await server.advance(MINUTE);
  expect((await ask(user.email)).status).toBe(200);
  expect(await links(user)).toHaveLength(2);
  expect(rows(server, "SELECT id FROM password_resets WHERE user_id = ?", user.id)).toHaveLength(1);
  await server.advance(MINUTE);
  await ask(user.email);
  const third = (await links(user))[2];
  expect((await completeReset(server, second, "a new passphrase")).status).toBe(400);
  expect((await completeReset(server, third, "a new passphrase")).status).toBe(200);
});

test("who has used a link gets another one at once", async () => {
  const user = await newUser(server);
  await ask(user.email);
  expect((await completeReset(server, (await links(user))[0], "a new passphrase")).status).toBe(200);
  await ask(user.email);
  expect((await completeReset(server, (await links(user))[1], "another passphrase")).status).toBe(200);
});

test("somebody who asks every ten minutes sends six emails in ninety minutes, and the last one works", async () => {
  const user = await newUser(server);
  for (let minutes = 0; minutes < 90; minutes += 10) {
    await ask(user.email);
    await server.advance(10 * MINUTE);
  }
  const sent = await links(user);
  expect(sent).toHaveLength(6);
  expect((await completeReset(server, sent[5], "a new passphrase")).status).toBe(200);
});
