import { afterEach, expect, test } from "bun:test";
import { expectStatus } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { TestServer } from "../../support/server";
import { newTracker } from "./support";

/** Warnings about tokens that came over plain http through the internet. */

const WARNING = "an app sends its token in clear text through the internet";

let server: TestServer;
afterEach(() => server.stop());

/** Sends a message as a proxy passes it on, and tells if the log warns. */
async function isWarned(headers: Record<string, string>, settings: Record<string, string> = {}) {
  server = await TestServer.start({ settings: { "server.trusted_proxies": "127.0.0.1", ...settings } });
  const { token } = await newTracker(server, "owntracks");
  const body = { _type: "lwt" };
  expectStatus(await server.post("/v1/ingest/owntracks", { token, headers, body }), 200);
  expectStatus(await server.get("/health"), 200);
  const output = await outputOfWholeRun(server);
  expect(output).not.toContain(token);
  return output.includes(WARNING);
}

test("come for an address of the internet whose proxy was asked by http", async () => {
  expect(await isWarned({ "x-forwarded-for": "203.0.113.5", "x-forwarded-proto": "http" })).toBe(true);
});

test("don't come for https, for the local network, nor where the proxy doesn't say", async () => {
  for (const headers of [
    { "x-forwarded-for": "203.0.113.5", "x-forwarded-proto": "https" },
    { "x-forwarded-for": "192.168.1.7", "x-forwarded-proto": "http" },
    { "x-forwarded-for": "203.0.113.5" },
  ] as Record<string, string>[]) {
    expect(await isWarned(headers)).toBe(false);
  }
});

test("don't come for what a stranger claims without a proxy", async () => {
  const headers = { "x-forwarded-for": "203.0.113.5", "x-forwarded-proto": "http" };
  expect(await isWarned(headers, { "server.trusted_proxies": "" })).toBe(false);
});
