import type { SQLQueryBindings } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import JSZip from "jszip";
import { extractText, getDocumentProxy } from "unpdf";
import { changePassword, completeReset, requestEmailChange, resetToken } from "../../identity/auth/support";
import { challenge, nextCode, regenerate, turnOn, verifyLogin } from "../../identity/two-factor/support";
import type { Answer, RequestOptions, Token } from "../../support/api";
import { done, eventually } from "../../support/expectations";
import { emailsOut, outboxOf } from "../../support/mail";
import { externalLogin, newUser, signInExternally, type User } from "../../support/people";
import { newRole } from "../../support/roles";
import { onDatabase, reading, rows } from "../../support/rows";
import type { TestServer } from "../../support/server";
import { APP_KEY } from "../../support/server";

/** Shared by the tests of the export. */

export const path = "/v1/user/export";

/** Settings of a server that trusts X-Forwarded-For and knows the identity web app. */
export const SETTINGS = {
  "security.id_app_key": APP_KEY,
  "server.trusted_proxies": "127.0.0.1",
};

// --- Asking -----------------------------------------------------------------------------------------------

/** The export's answer: the archive's bytes with 200, else an error that is checked against the document. */
export async function ask(
  server: TestServer,
  token: Token | undefined,
  {
    headers,
    method = "GET",
    signal,
  }: { headers?: Record<string, string>; method?: string; signal?: AbortSignal } = {},
): Promise<Answer & { bytes: Buffer }> {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(signal && { signal }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isArchive = response.headers.get("content-type") === "application/zip";
  const body = isArchive || bytes.length === 0 ? null : JSON.parse(bytes.toString());
  const answer = { status: response.status, headers: response.headers, body };
  (await server.contract()).check(method, path, answer);
  return { ...answer, bytes };
}

export interface Archive {
  headers: Headers;
  bytes: Buffer;
  names: string[];
  files: Record<"data.json" | "report.pdf" | "README.txt", Buffer>;
  /** `data.json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on any part of it
  data: any;
}

/** Exports and unpacks the archive; every file's checksum is checked. Throws when there is no archive. */
export async function exported(
  server: TestServer,
  token: Token,
  headers: Record<string, string> = {},
): Promise<Archive> {
  const answer = await ask(server, token, { headers });
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return { headers: answer.headers, bytes: answer.bytes, ...(await unpack(answer.bytes)) };
}

/** The files of an archive. Throws when a checksum is wrong. */
export async function unpack(bytes: Buffer) {
  const zip = await JSZip.loadAsync(bytes, { checkCRC32: true });
  const read = async (name: string) => (await zip.file(name)?.async("nodebuffer")) ?? Buffer.alloc(0);
  const files = {
    "data.json": await read("data.json"),
    "report.pdf": await read("report.pdf"),
    "README.txt": await read("README.txt"),
  };
  return { names: Object.keys(zip.files).sort(), files, data: JSON.parse(files["data.json"].toString()) };
}

export const logs = (
  server: TestServer,
  token: Token | undefined,
  query = "",
  options: RequestOptions = {},
) => server.get(`${path}/logs${query}`, { ...(token !== undefined && { token }), ...options });

/** Everything that an export may write. */
export const written = (server: TestServer) => ({
  logs: rows(server, "SELECT * FROM export_logs ORDER BY id"),
  events: rows(server, "SELECT * FROM audit_events WHERE event_type = 'data_exported' ORDER BY id"),
});

/** The files in the data directory's `exports`. */
export function leftovers(server: TestServer): string[] {
  const directory = join(server.dataDir, "exports");
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** The archives that the server holds open: they no longer have a name. */
export function openArchives(server: TestServer): number {
  const directory = `/proc/${server.pid}/fd`;
  return readdirSync(directory).filter((fd) => {
    try {
      return /\/exports\/.*\(deleted\)$/.test(readlinkSync(join(directory, fd)));
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}

// --- The report -------------------------------------------------------------------------------------------

/** The text of each page, without the places at which long words may be broken. */
export async function pagesOf(pdf: Buffer): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: false });
  return text.map((page) => page.replaceAll("\u200b", ""));
}

/** A text without blanks, which stand wherever a line is broken. */
export const squeeze = (text: string): string => text.replaceAll(/[\s\u200b]+/g, "");

/** The whole text of a report, squeezed. */
export const textOf = async (pdf: Buffer): Promise<string> => squeeze((await pagesOf(pdf)).join(""));

// --- A user with every kind of record -----------------------------------------------------------------------

/** Names in the scripts that the report must be able to write. */
export const NAMES = {
  discord: "Łukasz Żółć-Ærøskøbing ÿ",
  twitch: "Юрий Ёжиков",
  youtube: "Ελένη Παπαδοπούλου Ήχος",
};

export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

export interface Rich extends User {
  /** All secrets that the user ever had, in the forms in which they were shown and stored. */
  secrets: Set<string>;
  /** Identifiers of the user's own applications. */
  clientId: string;
  totp: string;
}

/** A user with something in every section of an export. */
export async function richUser(server: TestServer): Promise<Rich> {
  const admin = await server.admin();
  const keyHolder = await newRole(server, "api_keys:read", "api_keys:write", "api_keys:delete");
  const user = await newUser(server, "role_moderator", keyHolder.id);
  const secrets = new Set<string>();
  /** Notes the secrets that were shown, and those stored now. */
  const note = (...shown: string[]) => {
    for (const secret of [...shown, ...storedSecrets(server)]) secrets.add(secret);
  };
  note(user.password, user.token);

  const byAdmin = { token: admin };
  const ban = { reason: "Spam in the harbour", duration_seconds: 3600 };
  done(await server.post(`/v1/users/${user.id}/ban`, { ...byAdmin, body: ban }));
  done(await server.delete(`/v1/users/${user.id}/ban`, byAdmin));

  const signInWith = async (password: string, headers: Record<string, string> = {}) =>
    done(await server.post("/v1/auth/login", { body: { identifier: user.username, password }, headers }));
  const changed = `changed ${user.password}`;
  const first = await signInWith(user.password);
  done(await changePassword(server, first.session_token, user.password, changed));
  note(changed, first.session_token);

  const reset = await resetToken(server, user);
  const password = `reset ${user.password}`;
  done(await completeReset(server, reset, password));
  note(reset, password);

  const phone = await signInWith(password, { "user-agent": FIREFOX, "x-forwarded-for": "203.0.113.77" });
  const second = await signInWith(password);
  const token: Token = second.session_token;
  note(phone.session_token, token, await resetToken(server, user));

  for (const [oauthProvider, name] of Object.entries(NAMES))
    await signInExternally(server, externalLogin({ email: user.email, oauthProvider, name }));

  const post = async (where: string, body?: object) => done(await server.post(where, { token, body }));
  const expires_at = "2099-12-31T23:00:00.000Z";
  const key = await post("/v1/api-keys", { name: "Ключ · Boje 7", scopes: ["two_factor:read"], expires_at });
  const regenerated = await post(`/v1/api-keys/${key.id}/regenerate`);
  const deleted = await post("/v1/api-keys", { name: "short-lived", scopes: [] });
  done(await server.delete(`/v1/api-keys/${deleted.id}`, { token }));
  const idle = await post("/v1/api-keys", { name: "without scopes", description: "For nothing" });
  note(key.key, regenerated.key, deleted.key, idle.key);

  const app = { name: "Crew app", redirect_uris: ["https://app.example/callback"] };
  const { client, client_secret } = await post("/v1/oauth/clients", { ...app, allowed_scopes: ["openid"] });
  const again = await post(`/v1/oauth/clients/${client.id}/regenerate-secret`);
  await post("/v1/oauth/clients", { ...app, name: "Öffentliche App", client_type: "public" });
  note(client_secret, again.client_secret);

  const guarded = await turnOn(server, { ...user, password, token, sessionId: second.session_id });
  note(guarded.secret, ...guarded.backupCodes);
  const spent = await challenge(server, guarded);
  const third = done(await verifyLogin(server, spent, guarded.backupCodes[0]));
  const code = () => nextCode(server, guarded.secret);
  const fresh = done(await regenerate(server, token, { code: await code() }));
  note(spent, third.session_token, ...fresh.backup_codes, await challenge(server, guarded));

  note(await requestEmailChange(server, { ...guarded }, `next.${user.email}`));

  const { events } = done(await server.get("/v1/users/me/audit?event_type=login", { token }));
  const report = { reason: "not_me", description: "Das war ich nicht" };
  await post(`/v1/users/me/audit/${events[0].id}/report`, report);

  const consent = (type: "granted" | "revoked", resource_id: string, metadata: object) =>
    writeConsent(server, user.id, type, resource_id, metadata);
  done(await consent("granted", client.id, { scopes: ["openid"], first_time: true }));
  done(await consent("granted", "an app that is gone", {}));
  done(await consent("revoked", "an app that is gone", {}));
  done(await consent("granted", "elsewhere", { round: 1 }));
  done(await consent("revoked", "elsewhere", {}));
  done(await consent("granted", "elsewhere", { round: 2 }));

  await exported(server, token);
  await exported(server, token, { "accept-language": "de", "x-forwarded-for": "2001:db8::17" });

  done(await server.post("/v1/users/me/deletion", { token, body: { password, code: await code() } }));
  await emailsOut(server);
  for (const { token: sent } of outboxOf(server.dataDir)) if (sent !== null) secrets.add(sent);
  note();
  secrets.delete("");
  return { ...guarded, totp: guarded.secret, secrets, clientId: client.id };
}

/** Tells of a consent, as the identity web app does. */
export const writeConsent = (
  server: TestServer,
  user_id: string,
  type: "granted" | "revoked",
  resource_id: string,
  metadata: object | null,
  status = "success",
) =>
  server.post("/v1/internal/audit", {
    headers: { "x-id-app-key": APP_KEY },
    body: {
      user_id,
      event_type: `consent_${type}`,
      resource_type: "client",
      resource_id,
      status,
      source_service: "id",
      metadata,
    },
  });

/** Columns that hold hashes and encrypted texts. */
const SECRET_COLUMN = /hash|^secret$|^message$|^(access|refresh)_token$|^code_verifier$/;

/** All hashes and encrypted texts that are stored now, and the master key. */
export function storedSecrets(server: TestServer): string[] {
  const found = reading(server, (database) =>
    database
      .query<{ t: string; c: string }, []>(
        "SELECT m.name AS t, i.name AS c FROM sqlite_schema m JOIN pragma_table_info(m.name) i WHERE m.type = 'table'",
      )
      .all()
      .filter(({ c }) => SECRET_COLUMN.test(c))
      .flatMap(({ t, c }) =>
        database.query<{ value: unknown }, []>(`SELECT ${c} AS value FROM ${t} WHERE ${c} IS NOT NULL`).all(),
      ),
  );
  return [
    // The hashes of the audit log's chain are bytes, and no secrets.
    ...found.flatMap(({ value }) => (typeof value === "string" ? [value] : [])),
    readFileSync(join(server.dataDir, "master.key"), "utf8").trim(),
  ];
}

// --- Much of it ---------------------------------------------------------------------------------------------

export interface Amounts {
  events?: number;
  sessions?: number;
  logs?: number;
  /** Characters that don't compress in each event. */
  padding?: number;
}

/** Inserts records of a user past the server. Returns their identifiers, newest first. */
export function fill(
  server: TestServer,
  userId: string,
  { events = 0, sessions = 0, logs = 0, padding = 0 }: Amounts,
) {
  const noise = () => randomBytes(Math.ceil((padding * 3) / 4)).toString("base64url");
  // Many at the same millisecond, so that only their order of arrival tells them apart.
  const time = (n: number) => Date.now() - 60_000 + Math.floor(n / 150);
  return onDatabase(server, (database) => {
    const insert = (count: number, sql: string, values: (id: string, n: number) => SQLQueryBindings[]) => {
      const statement = database.prepare(sql);
      return Array.from({ length: count }, (_, n) => {
        const id = Bun.randomUUIDv7();
        statement.run(id, userId, ...values(id, n));
        return id;
      }).reverse();
    };
    return {
      events: insert(
        events,
        `INSERT INTO audit_events (id, user_id, event_type, resource_type, resource_id, ip_address, user_agent, metadata, status, source_service, is_reported, created_at)
         VALUES (?, ?, 'login', 'session', ?, '203.0.113.7', ?, ?, 'success', 'api', 0, ?)`,
        (id, n) => [id, FIREFOX, JSON.stringify({ provider: "email", noise: noise() }), time(n)],
      ),
      sessions: insert(
        sessions,
        `INSERT INTO sessions (id, user_id, token_hash, provider, ip_address, user_agent, created_at, last_activity_at, expires_at)
         VALUES (?, ?, 'hash ' || ?, 'email', '203.0.113.7', ?, ?, ?, ?)`,
        (id, n) => [id, FIREFOX, time(n), time(n), Date.now() + 86_400_000],
      ),
      logs: insert(
        logs,
        `INSERT INTO export_logs (id, user_id, exported_at, ip_address, user_agent, export_format, file_size_bytes, locale, created_at)
         VALUES (?, ?, ?, '203.0.113.7', ?, 'zip', 1000, 'en', ?)`,
        (_id, n) => [time(n), FIREFOX, time(n)],
      ),
    };
  });
}

/** Enough that making the archive takes some hundred milliseconds. */
export const HEAVY: Amounts = { events: 5_000, padding: 600 };

/** Enough that the archive exceeds the buffers between the server and a client that does not read. */
export const LARGE: Amounts = { events: 8_000, padding: 1_500 };

/** Begins the export of a user with many records, and returns as soon as the archive is being written. */
export async function beginExport(server: TestServer, token: Token, signal?: AbortSignal) {
  const answer = ask(server, token, signal ? { signal } : {});
  answer.catch(() => undefined);
  await eventually(() => openArchives(server) > 0);
  return { answer };
}
