import { afterAll, beforeAll, expect, mock, test } from "bun:test";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN, TestServer, temporaryDirectory } from "../support/server";

/** A client that openapi-typescript generates compiles strictly and drives a round trip. */

const root = join(import.meta.dir, "../..");
const directory = temporaryDirectory();
let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  // openapi-typescript writes with the compiler's API, which version 7 of the compiler doesn't have.
  mock.module("typescript", () => import("typescript-5"));
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const document = await (await fetch(`${server.url}/v1/openapi.json`)).json();
  writeFileSync(join(directory, "api.d.ts"), astToString(await openapiTS(document)));
  copyFileSync(join(import.meta.dir, "round-trip.ts"), join(directory, "round-trip.ts"));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
});
afterAll(() => server.stop());

const STRICT = {
  target: "ESNext",
  module: "ESNext",
  moduleResolution: "bundler",
  lib: ["ESNext", "DOM", "DOM.Iterable"],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
};

/** The compiler's output for the generated types and the program that uses them. */
async function compile(options: object): Promise<string> {
  const config = join(directory, "tsconfig.json");
  const files = ["api.d.ts", "round-trip.ts"];
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const child = Bun.spawn([process.execPath, tsc, "-p", config], { cwd: directory, stdout: "pipe" });
  return (await new Response(child.stdout).text()) + ((await child.exited) === 0 ? "" : "failed");
}

test("compiles strictly", async () => {
  expect(await compile({ skipLibCheck: false })).toBe("");
});

test("compiles where an optional field is no field that may be undefined", async () => {
  expect(await compile({ exactOptionalPropertyTypes: true, skipLibCheck: true })).toBe("");
});

test("signs in, makes a key and a device, posts positions, reads them by page, and knows the errors", async () => {
  const { roundTrip } = await import(join(directory, "round-trip.ts"));
  const outcome = await roundTrip(server.url, ADMIN.username, ADMIN.password);
  const [first, second, third] = outcome.posted;
  expect(first).toMatchObject({ latitude: 54.0967, longitude: 13.4553, speed_knots: 5 });
  expect(outcome).toEqual({
    posted: [first, second, third],
    read: first,
    pages: 2,
    times: [third.timestamp, second.timestamp, first.timestamp],
    unknown: { status: 404, error: "NotFound" },
    invalid: { status: 400, paths: ["/latitude"] },
    stranger: { status: 401, error: "Unauthorized" },
  });
});
