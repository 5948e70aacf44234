import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/server/doctor/findings";
import { emailsOut } from "../support/mail";
import { NEWEST, schemaOf } from "../support/older-database";
import { ADMIN, command, type Settings, TestServer, temporaryDirectory } from "../support/server";
import { MINUTE } from "../support/time";
import { contentsOf, countsOf } from "./contents";
import { answersOf, databaseOf, type Kept, PAUSE, RELEASES } from "./releases";

/** The way up from the database of each release, and back. */

interface Place {
  dataDir: string;
  settings: Settings;
  /** More of them, for a server alone: see `Kept`. */
  ties: Settings;
}

/** A data directory as the release left it. */
async function place({ version, encryptionKey, settings: ties = {} }: Kept): Promise<Place> {
  const dataDir = join(temporaryDirectory(), "data");
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, "fairlead.db"), await databaseOf(version), { mode: 0o600 });
  const settings = {
    ...{ "security.encryption_key": encryptionKey, "log.level": "info" },
    ...{ "auth.reauthentication_minutes": "10", "security.reject_common_passwords": "true" },
  };
  return { dataDir, settings, ties };
}

/** Starts this version at the time of the release: sessions count, and nothing is due to be forgotten. */
const start = ({ dataDir, settings, ties }: Place, { madeAt }: Kept) =>
  TestServer.start({
    ...{ dataDir, settings: { ...settings, ...ties }, clock: "movable" },
    ahead: madeAt + PAUSE - Date.now(),
  });

const run = (args: string[], { dataDir, settings }: Place) =>
  command(args, { settings: { ...settings, "data.dir": dataDir, "server.port": "0" } });

interface Listing {
  data: { id: string }[];
}

/** Takes the permissions out of the catalogue that the release didn't have. */
function withoutNew(now: Listing, before: unknown): void {
  const known = new Set((before as Listing).data.map(({ id }) => id));
  now.data = now.data.filter(({ id }) => known.has(id));
}

/** To readers of its feed a restored database is another one. */
const withoutFeed = ({ feed_state: _, ...contents }: Record<string, string>) => contents;

/** Ends of a trip that nobody has set are its first and last position now. */
const TRIP_ENDS = ["start_latitude", "start_longitude", "end_latitude", "end_longitude"];

/** An answer of the release without what is known to differ now. */
const expected = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value) => (TRIP_ENDS.includes(name) && value === null ? undefined : value)),
  );

test("what is kept of releases is found", () => {
  expect(RELEASES).toContain("0.1.0");
  expect(RELEASES).toContain("0.2.0");
});

describe.each(RELEASES)("a database of %s", (version) => {
  test("is brought up, answers as before, suits the doctor, and comes back by a rollback", async () => {
    const kept = await answersOf(version);
    expect(kept.answers.length).toBeGreaterThan(50);
    const there = await place(kept);
    const database = join(there.dataDir, "fairlead.db");
    const before = contentsOf(database);
    const counts = countsOf(database);

    // Until a migration follows that of the newest release, there is nothing to migrate, and nothing to take back.
    const isMigrated = schemaOf(database) !== NEWEST;

    const server = await start(there, kept);
    const migrated = /"the database is going to be migrated","migrations":\d+,"rows_at_most":\d+/;
    expect(migrated.test(server.output)).toBe(isMigrated);
    for (const { caller, path, body } of kept.answers) {
      const token = kept.callers.find(({ name }) => name === caller)?.token ?? "";
      const answer = await server.get(path, { token });
      if (path === "/v1/permissions") withoutNew(answer.body, body);
      expect({ path, ...answer }).toMatchObject({ path, status: 200, body: expected(body) } as object);
    }
    // A password that the release has hashed.
    await server.login(ADMIN.username, ADMIN.password);
    const { outbox = 0, ...now } = countsOf(database);
    const files = join(there.dataDir, "outbox");
    const delivered = existsSync(files) ? readdirSync(files).length : 0;
    // Emails of 0.1.0 wait in another table now; this server, which writes them into files, has delivered some.
    const waiting = outbox + delivered;
    const left: Record<string, number> = { ...now, outbox: waiting, email_queue: waiting };
    expect(Object.entries(counts).filter(([table, count]) => count > (left[table] ?? 0))).toEqual([]);
    // An email that waited for its next attempt is due a minute later.
    await server.advance(MINUTE);
    await emailsOut(server);
    await server.stop();
    expect(schemaOf(database)).toBe(NEWEST);

    const doctor = await run(["doctor", "--json"], there);
    const { findings }: { findings: Finding[] } = JSON.parse(doctor.stdout);
    // That none are scheduled.
    const found = findings.filter(({ check, verdict }) => check !== "backups" && verdict !== "ok");
    expect({ checks: findings.length > 10, found }).toEqual({ checks: true, found: [] });

    const { status, stdout } = await run(["rollback"], there);
    if (!isMigrated) {
      expect(status).toBe(1);
      return;
    }
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(`version ${version}:`) });
    expect(withoutFeed(contentsOf(database))).toEqual(withoutFeed(before));
  });
});
