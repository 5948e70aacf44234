import { afterAll, beforeAll, expect, test } from "bun:test";
import { login } from "../../support/credentials";
import { newPerson, newUser, registered } from "../../support/people";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";

/**
 * A password is used exactly as sent: nothing is trimmed, folded, normalized or cut off, and it doesn't
 * expire.
 */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

test.each([
  ["blanks at its ends", "  a harbour at night ", (it: string) => it.trim()],
  ["blanks within", "a  harbour  at  night", (it: string) => it.replaceAll("  ", " ")],
  ["capitals", "A Harbour At Night", (it: string) => it.toLowerCase()],
  ["letters that Unicode can spell in two ways", "Bücherei am Kai", (it: string) => it.normalize("NFD")],
  ["a NUL within", "a harbour\0at night", (it: string) => it.slice(0, it.indexOf("\0"))],
  ["a last letter after 127 others", `${"x".repeat(127)}y`, (it: string) => it.slice(0, -1)],
  ["a last letter after 72 bytes", `${"x".repeat(72)}y`, (it: string) => it.slice(0, 72)],
  ["what the web writes otherwise", "a <harbour> & a pier", (it: string) => it.replace("&", "&amp;")],
])("a password with %s is that password alone", async (_, password, altered) => {
  const user = await registered(server, newPerson({ password }));
  expect(altered(password)).not.toBe(password);
  expect((await login(server, user.username, altered(password))).status).toBe(401);
  expect((await login(server, user.username, password)).status).toBe(200);
});

test("a password of three years ago signs in, and nobody is asked to change it", async () => {
  const user = await newUser(server);
  await server.advance(3 * 365 * DAY);
  const { status, body } = await login(server, user.username, user.password);
  expect(status).toBe(200);
  const { body: own } = await server.get("/v1/users/me", { token: body.session_token });
  expect(own.data.username).toBe(user.username);
});
