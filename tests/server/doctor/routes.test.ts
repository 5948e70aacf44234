import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expectPermission, expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";

/** The doctor's findings over the API. */

const PATH = "/v1/admin/doctor";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

const examine = async () => {
  const token = await server.admin();
  return expectStatus(await server.get(PATH, { token }), 200).body.data;
};
const verdict = (findings: { check: string; verdict: string }[], check: string) =>
  findings.find((finding) => finding.check === check)?.verdict;

test("are those of the command, in this installation, kept for a minute", async () => {
  const first = await examine();
  const count = (kind: string) =>
    first.findings.filter(({ verdict }: { verdict: string }) => verdict === kind).length;
  expect([first.problems, first.warnings]).toEqual([count("problem"), count("warning")]);
  expect(verdict(first.findings, "database")).toBe("ok");
  expect(verdict(first.findings, "data directory")).toBe("ok");
  expect(JSON.stringify(first)).toContain(server.dataDir);

  chmodSync(join(server.dataDir, "fairlead.db"), 0o644);
  expect(await examine()).toEqual(first);
  await server.advance(2 * MINUTE);
  const later = await examine();
  expect(later.examined_at > first.examined_at).toBe(true);
  expect(verdict(later.findings, "data directory")).not.toBe("ok");
});

test("are given for settings:read", () =>
  expectPermission(server, "settings:read", 200, (token) => server.get(PATH, { token })));

test("are the same for many who ask at once, who cost one examination", async () => {
  await server.advance(2 * MINUTE);
  const answers = await Promise.all(Array.from({ length: 6 }, examine));
  expect(new Set(answers.map(({ examined_at }) => examined_at)).size).toBe(1);
});
