import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { done, eventually, expectPermission, expectStatus } from "../../support/expectations";
import { freePort } from "../../support/program";
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

describe("in a language", () => {
  const inLanguage = async (query: string, headers: Record<string, string> = {}) => {
    const token = await server.admin();
    return done(await server.get(`${PATH}${query}`, { token, headers })).data.findings as Told[];
  };
  interface Told {
    check: string;
    title: string;
    message: string;
  }

  test("are German or English: as asked for, else as accepted, else English", async () => {
    const [english, german] = [await inLanguage(""), await inLanguage("?locale=de")];
    expect(english.map(({ check }) => check)).toEqual(german.map(({ check }) => check));
    const find = (findings: Told[], of: string) => findings.find(({ check }) => check === of);
    expect(find(english, "data directory")).toMatchObject({
      ...{ title: "Data directory", message: expect.stringContaining("other users can read") },
    });
    expect(find(german, "data directory")).toMatchObject({
      ...{ title: "Datenordner", message: expect.stringContaining("andere Benutzer können") },
    });
    expect(find(german, "disk")?.message).toMatch(/^\d+,\d GB frei für /);
    // None was left as it was.
    for (const [at, { message }] of german.entries()) expect(message).not.toBe(english[at]?.message ?? "");
    expect(await inLanguage("", { "accept-language": "de-AT, en;q=0.5" })).toEqual(german);
    expect(await inLanguage("", { "accept-language": "fr" })).toEqual(english);
    expect(await inLanguage("?locale=en", { "accept-language": "de" })).toEqual(english);
    const token = await server.admin();
    expectStatus(await server.get(`${PATH}?locale=fr`, { token }), 400);
  });

  test("are in health and of failed backups too, and of the own receiver by the port that the server got", async () => {
    const nobody = `127.0.0.1:${await freePort()}`;
    const troubled = await TestServer.start({
      settings: {
        ...{ "mqtt.url": `mqtt://${nobody}`, "position.source": "nmea", "position.url": `tcp://${nobody}` },
        ...{ "backup.interval_hours": "24", "backup.dir": join(server.dataDir, "unplugged") },
      },
    });
    try {
      const services = async (query: string) => done(await troubled.get(`/health${query}`)).services;
      const refused = "die Verbindung wird abgelehnt";
      await eventually(async () => (await services("?locale=de")).mqtt.trouble === refused);
      expect((await services("")).mqtt.trouble).toBe("the connection is refused");
      expect((await services("?locale=de")).position.trouble).toBe(refused);
      const token = await troubled.admin();
      const backups = async (query: string) =>
        done(await troubled.get(`/v1/admin/backups${query}`, { token })).data.error;
      await eventually(async () => (await backups("")) !== null);
      expect(await backups("")).toStartWith("ENOENT: no such file or directory");
      expect(await backups("?locale=de")).toBe("die Datei oder der Ordner fehlt (ENOENT)");
      const { findings } = done(await troubled.get(`${PATH}?locale=de`, { token })).data;
      expect(findings).toContainEqual(
        expect.objectContaining({
          ...{ check: "MQTT broker", verdict: "problem" },
          message: expect.stringContaining("0 Änderungen warten auf ihn. Prüfe mqtt.url"),
        }),
      );
    } finally {
      await troubled.stop();
    }
  });
});
