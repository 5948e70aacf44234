import { afterAll, beforeAll, expect, test } from "bun:test";
import { address, ask, head } from "../support/connections";
import { ADMIN, TestServer } from "../support/server";

/** Strangers whose wrong passwords keep the processor busy. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ hashes: "full" });
});
afterAll(() => server.stop());

function signIn(identifier: string, password: string, from: string) {
  const body = JSON.stringify({ identifier, password });
  const request = head(
    "POST /v1/auth/login",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  );
  return ask(server, request + body, from);
}

test("sign-ins of one address wait for themselves, and let those of others go before them", async () => {
  const FLOOD = 300;
  let answered = 0;
  const flood = Array.from({ length: FLOOD }, async (_, at) => {
    const { status } = await signIn(`nobody${at}`, "wrong password", address(2));
    answered++;
    return status;
  });
  // The first answer shows that the others wait.
  await Promise.race(flood);
  const before = answered;
  expect((await signIn(ADMIN.username, ADMIN.password, address(3))).status).toBe(200);
  expect(answered - before).toBeLessThan(FLOOD / 3);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
});
