import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { camelCased } from "../../support/camel-case";
import { commandLineKey } from "../../support/credentials";
import { done } from "../../support/expectations";
import { externalUser, newUser, staff } from "../../support/people";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { newTracker } from "../../tracking/doors/support";
import {
  type Archive,
  exported,
  fill,
  NAMES,
  path,
  type Rich,
  richUser,
  SETTINGS,
  writeConsent,
} from "./support";

let server: TestServer;
let user: Rich;
/** The REST API's answers about the user just before. */
let rest: Awaited<ReturnType<typeof everythingOf>>;
let archive: Archive;

beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings: SETTINGS });
  user = await richUser(server);
  rest = await everythingOf(user.id, user.token);
  archive = await exported(server, user.token, { "accept-language": "en" });
});
afterAll(() => server.stop());

/** All answers of the API about a user, to the user and to an administrator. */
async function everythingOf(id: string, token: Token) {
  const own = async (where: string) => done(await server.get(where, { token }));
  const asSystem = async (where: string) => done(await server.get(where, { token: server.systemKey }));
  const events = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const body = await own(`/v1/users/me/audit?limit=100&page=${page}`);
    events.push(...body.events);
    pages = body.total_pages;
  }
  return {
    user: (await own("/v1/users/me")).data,
    platformAccounts: (await asSystem(`/v1/users/${id}/accounts`)).data,
    pendingEmailChange: await asSystem(`/v1/users/${id}/email/pending`),
    pendingEmailLink: await asSystem(`/v1/users/${id}/email-link/pending`),
    ownedApps: (await own("/v1/oauth/clients")).data,
    apiKeys: (await own("/v1/api-keys")).data,
    roles: (await asSystem(`/v1/users/${id}/roles`)).roles.map(({ name }: { name: string }) => name),
    twoFactor: await own("/v1/users/me/2fa/status"),
    deletionStatus: await own("/v1/users/me/deletion"),
    bans: (await asSystem(`/v1/users/${id}/bans`)).data,
    exportLogs: (await own(`${path}/logs`)).logs,
    sessions: (await own("/v1/users/me/sessions")).sessions,
    auditReports: await own("/v1/users/me/audit/reports"),
    auditEvents: events,
  };
}

describe("the answer", () => {
  test("is an attachment of type application/zip that nobody caches, named after the server's day", async () => {
    const late = await TestServer.start({ clock: "movable", settings: SETTINGS });
    try {
      await late.advance(3 * 86_400_000);
      const before = new Date(late.time).toISOString().slice(0, 10);
      const { headers } = await exported(late, await late.admin());
      const after = new Date(late.time).toISOString().slice(0, 10);
      expect(headers.get("content-type")).toBe("application/zip");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(
        [before, after].map((day) => `attachment; filename="fairlead-data-export-${day}.zip"`),
      ).toContain(headers.get("content-disposition") ?? "");
    } finally {
      await late.stop();
    }
  });

  test("is declared as application/zip, with every status that it may have", async () => {
    const { operation } = (await server.contract()).operation("GET", path) ?? {};
    expect(Object.keys(operation?.responses["200"]?.content ?? {})).toEqual(["application/zip"]);
    expect(Object.keys(operation?.responses ?? {})).toEqual([
      "200",
      "400",
      "401",
      "403",
      "429",
      "431",
      "500",
      "503",
    ]);
  });

  test("holds three files and nothing else, each whole", () => {
    expect(archive.names).toEqual(["README.txt", "data.json", "report.pdf"]);
    expect(archive.files["report.pdf"].subarray(0, 5).toString()).toBe("%PDF-");
    expect(archive.files["report.pdf"].toString("latin1").trimEnd().endsWith("%%EOF")).toBe(true);
    expect(archive.files["data.json"].toString()).toEndWith("\n}\n");
  });

  test("explains its files in the user's language", async () => {
    const german = await exported(server, user.token, { "accept-language": "de-AT" });
    expect(archive.files["README.txt"].toString()).toStartWith("Your data on localhost");
    expect(german.files["README.txt"].toString()).toStartWith("Deine Daten auf localhost");
    for (const { files } of [archive, german])
      for (const name of archive.names.filter((name) => name !== "README.txt"))
        expect(files["README.txt"].toString()).toContain(name);
    expect(archive.files["README.txt"].toString()).toContain(archive.data.exportInfo.exportedAt);
  });
});

describe("data.json", () => {
  test("says what it is and when it was made", () => {
    const { exportedAt, ...rest } = archive.data.exportInfo;
    expect(rest).toEqual({ format: "json", version: "1.0" });
    expect(new Date(exportedAt).toISOString()).toBe(exportedAt);
    expect(Math.abs(Date.parse(exportedAt) - server.time)).toBeLessThan(600_000);
  });

  test("has these sections", () => {
    expect(Object.keys(archive.data)).toEqual([
      "exportInfo",
      "user",
      "platformAccounts",
      "pendingEmailChange",
      "pendingEmailLink",
      "connectedApps",
      "consents",
      "integrations",
      "ownedApps",
      "apiKeys",
      "trackers",
      "sharesReceived",
      "sharesMade",
      "linksMade",
      "invitationsMade",
      "invitationAccepted",
      "notificationTargets",
      "roles",
      "twoFactorAuth",
      "passkeys",
      "signInAddresses",
      "deletionStatus",
      "bans",
      "exportLogs",
      "sessions",
      "logEntries",
      "auditReports",
      "auditActions",
      "auditEvents",
    ]);
  });

  test("holds the user with the address", () => {
    const { roles: _, permissions: __, ...own } = rest.user;
    expect(archive.data.user).toEqual({ ...camelCased(own), email: user.email });
  });

  test.each(["platformAccounts", "ownedApps", "apiKeys", "bans", "auditReports", "auditEvents"] as const)(
    "holds %s as the API shows them, in its order",
    (section) => {
      expect(archive.data[section].length).toBeGreaterThan(0);
      expect(archive.data[section]).toEqual(rest[section].map(camelCased));
    },
  );

  test("holds the trackers that the user made, without token and secret", async () => {
    const maker = await staff(server, "devices:write", "devices:read", "gps:write");
    const { deviceId, id, token, answer } = await newTracker(server, "owntracks", {
      ...{ token: maker.token, with_encryption: true },
    });
    const { body } = await server.get(`/v1/devices/${deviceId}/trackers/${id}`, { token: maker.token });
    const { data, files } = await exported(server, maker.token);
    expect(data.trackers).toEqual([camelCased(body.data)]);
    for (const secret of [token, answer.encryption_key])
      expect(files["data.json"].toString()).not.toContain(secret);
  });

  test("holds the log entries that the user wrote, oldest first, and nobody else's", async () => {
    const writer = await staff(server, "trips:read", "trips:write");
    const { id } = done(await server.post("/v1/trips", { token: writer.token, body: { name: "trip" } })).data;
    const write = async (text: string, token: Token) =>
      done(await server.post(`/v1/trips/${id}/log`, { token, body: { text } })).data;
    const first = await write("first", writer.token);
    await write("of somebody else", await server.admin());
    const second = await write("second", writer.token);
    const { data } = await exported(server, writer.token);
    expect(data.logEntries).toEqual([camelCased(first), camelCased(second)]);
  });

  test.each(["pendingEmailChange", "pendingEmailLink", "deletionStatus"] as const)(
    "holds %s as the API shows it",
    (section) => expect(archive.data[section]).toEqual(camelCased(rest[section])),
  );

  test("holds what waits: a change of address, and the deletion", () => {
    expect(archive.data.pendingEmailChange).toMatchObject({ pending: true, newEmail: `next.${user.email}` });
    expect(archive.data.deletionStatus.isScheduledForDeletion).toBe(true);
  });

  test("holds an address that waits to be linked", async () => {
    const person = await externalUser(server);
    const body = { email: "linked@example.org", password: "a long passphrase" };
    done(await server.post(`/v1/users/${person.id}/email-link/request`, { token: person.token, body }));
    const { data } = await exported(server, person.token);
    const told = await server.get(`/v1/users/${person.id}/email-link/pending`, { token: server.systemKey });
    expect(data.pendingEmailLink).toEqual(camelCased(told.body));
    expect(data.pendingEmailLink).toMatchObject({ pending: true, email: "linked@example.org" });
  });

  test("holds the names of the roles, whether there is a second factor, and the earlier exports", () => {
    const { enabled, enabled_at, backup_codes_remaining } = rest.twoFactor;
    expect(archive.data.roles.toSorted()).toEqual(rest.roles.toSorted());
    expect(archive.data.roles).toContain("Moderator");
    expect(archive.data.twoFactorAuth).toEqual({
      enabled,
      enabledAt: enabled_at,
      backupCodesRemaining: backup_codes_remaining,
    });
    expect(archive.data.twoFactorAuth).toMatchObject({ enabled: true, backupCodesRemaining: 10 });
    expect(archive.data.exportLogs).toEqual(rest.exportLogs);
    expect(archive.data.exportLogs.map(({ locale }: { locale: string }) => locale)).toEqual(["de", "en"]);
  });

  test("holds the open sessions, without which of them asks", () => {
    expect(archive.data.sessions.length).toBe(3);
    expect(archive.data.sessions).toEqual(
      rest.sessions.map(({ is_current, ...session }: { is_current: boolean }) => camelCased(session)),
    );
  });

  test("holds accounts of several platforms and scripts", () => {
    const named = archive.data.platformAccounts.map((account: { username: string }) => account.username);
    expect(named.toSorted()).toEqual([user.username, ...Object.values(NAMES)].toSorted());
  });

  test("holds names and addresses as they came", async () => {
    const name = 'Zoë "Ω" \\ </script> \u2028 \u{1F6A2} \u0001 \ud83d';
    const person = await externalUser(server, { name: name.slice(0, -1) });
    const { data } = await exported(server, person.token);
    expect(data.platformAccounts[0].username).toBe(name.slice(0, -1));
  });

  test("names its own fields in camelCase all the way", () => {
    const names = new Set<string>();
    const collect = (value: unknown): void => {
      if (value === null || typeof value !== "object") return;
      for (const [name, member] of Object.entries(value)) {
        if (!Array.isArray(value)) names.add(name);
        // Metadata and details of other services' events belong to those services.
        if (name !== "metadata" && name !== "details") collect(member);
      }
    };
    collect(archive.data);
    expect([...names].filter((name) => !/^[a-z]+([A-Z][a-z]*)*$/.test(name))).toEqual([]);
    expect(names.size).toBeGreaterThan(60);
  });

  test("leaves the metadata of events as it was written", () => {
    const [event] = archive.data.auditEvents.filter(
      ({ metadata }: { metadata: { first_time?: boolean } | null }) => metadata?.first_time,
    );
    expect(event.metadata).toEqual({ scopes: ["openid"], first_time: true });
  });
});

describe("connected applications", () => {
  test("are those whose last word is a consent: once each, the newest first, with its name and what was said", () => {
    const events = archive.data.auditEvents as { eventType: string; resourceId: string; createdAt: string }[];
    const timeOf = (id: string) =>
      events.find(({ eventType, resourceId }) => eventType === "consent_granted" && resourceId === id)
        ?.createdAt;
    expect(archive.data.connectedApps).toEqual([
      { clientId: "elsewhere", name: null, connectedAt: timeOf("elsewhere"), details: { round: 2 } },
      {
        clientId: user.clientId,
        name: "Crew app",
        connectedAt: timeOf(user.clientId),
        details: { scopes: ["openid"], first_time: true },
      },
    ]);
  });

  test("are written by a key with audit:write as well, and not by what failed or is about somebody else", async () => {
    const person = await newUser(server);
    const other = await newUser(server);
    const body = {
      user_id: person.id,
      event_type: "consent_granted",
      resource_type: "client",
      resource_id: "by a key",
      status: "success",
      source_service: "backend",
      metadata: null,
    };
    done(await server.post("/v1/internal/audit", { token: await server.key("audit:write"), body }));
    done(await writeConsent(server, person.id, "granted", "failed", {}, "failure"));
    done(await writeConsent(server, person.id, "granted", "taken back in vain", {}));
    done(await writeConsent(server, person.id, "revoked", "taken back in vain", {}, "failure"));
    done(await writeConsent(server, other.id, "granted", "theirs", {}));
    done(await writeConsent(server, other.id, "revoked", "by a key", {}));
    const { data } = await exported(server, person.token);
    expect(data.connectedApps.map(({ clientId }: { clientId: string }) => clientId)).toEqual([
      "taken back in vain",
      "by a key",
    ]);
    expect(data.connectedApps[1].details).toBeNull();
  });
});

describe("long lists", () => {
  let person: { id: string; username: string };
  /** A key without scope: the export needs neither session nor permission (rule C5). */
  let key: Token;
  beforeAll(async () => {
    person = await externalUser(server);
    key = (await commandLineKey(server, { owner: person.username })).key;
  });

  test.each([0, 1, 200, 201, 650])("of %i are whole, newest first", async (length) => {
    onDatabase(server, (database) => {
      for (const table of ["sessions", "audit_events", "export_logs"])
        database.run(`DELETE FROM ${table} WHERE user_id = ?`, [person.id]);
    });
    const made = fill(server, person.id, { events: length, sessions: length, logs: length });
    const { data } = await exported(server, key);
    const ids = (section: string) => data[section].map(({ id }: { id: string }) => id);
    expect(ids("auditEvents")).toEqual(made.events);
    expect(ids("sessions")).toEqual(made.sessions);
    expect(ids("exportLogs")).toEqual(made.logs);
  });
});

describe("nobody else's data", () => {
  test("is in an archive, however alike two users are", async () => {
    const twins = await Promise.all([richUser(server), richUser(server)]);
    const archives = await Promise.all(twins.map(({ token }) => exported(server, token)));
    const marks = twins.map((twin) => [
      twin.id,
      twin.username,
      twin.clientId,
      ...rows<{ id: string }>(
        server,
        `SELECT id FROM sessions WHERE user_id = ?1 UNION SELECT id FROM api_keys WHERE owner_id = ?1
         UNION SELECT id FROM platform_accounts WHERE user_id = ?1 UNION SELECT id FROM bans WHERE user_id = ?1
         UNION SELECT id FROM audit_events WHERE user_id = ?1 UNION SELECT id FROM audit_reports WHERE user_id = ?1
         UNION SELECT id FROM export_logs WHERE user_id = ?1 UNION SELECT id FROM oauth_clients WHERE owner_id = ?1`,
        twin.id,
      ).map(({ id }) => id),
    ]);
    const found = archives.map(({ files }) => {
      const content = Object.values(files).map(String).join("\n");
      return marks.map((of) => of.filter((mark) => content.includes(mark)).length);
    });
    // The last export can't contain its own entries, which were written after it.
    const own = marks.map((of) => of.length - 2);
    expect(found).toEqual([
      [own[0] ?? 0, 0],
      [0, own[1] ?? 0],
    ]);
  });
});
