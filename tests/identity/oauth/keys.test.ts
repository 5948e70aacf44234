import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import { newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { command, TestServer, temporaryDirectory } from "../../support/server";
import { claimsOf, newClient, type TestClient, tokensFor } from "./support";

/** The keys of ID tokens: published before they sign and after, made by the job and by a command, sealed in the database. */
const DAY = 86_400_000;

let server: TestServer;
let user: User;
let client: TestClient;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  user = await newUser(server);
  client = await newClient(server, { is_first_party: true });
});
afterAll(() => server.stop());

const published = async (): Promise<string[]> =>
  (await server.get("/oauth/jwks")).body.keys.map(({ kid }: { kid: string }) => kid);

const idToken = async (): Promise<string> => {
  const { body } = await server.post("/v1/auth/login", {
    body: { identifier: user.username, password: user.password },
  });
  return (await tokensFor(server, client, body.session_token)).id_token;
};

const kidOf = (jwt: string): string =>
  JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()).kid;

/** Waits for no job: the command does what the job does. */
const rotate = async (...args: string[]) => {
  const { stdout, stderr, status } = await command([
    ...["signing-key", "rotate", "--json", "--data-dir", server.dataDir],
    ...args,
  ]);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

const isVerified = async (jwt: string): Promise<boolean> => {
  const { body } = await server.get("/oauth/jwks");
  const currentDate = new Date(claimsOf(jwt).iat * 1_000);
  return jwtVerify(jwt, createLocalJWKSet(body), { currentDate }).then(
    () => true,
    () => false,
  );
};

describe("a key", () => {
  test("is there at once, is of P-256, and its private half is sealed", async () => {
    const { body, headers } = await server.get("/oauth/jwks");
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    expect(body.keys).toHaveLength(1);
    expect(body.keys[0]).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig" });
    expect(body.keys[0]).not.toHaveProperty("d");
    const [row] = rows<{ private_key: string }>(server, "SELECT private_key FROM oauth_signing_keys");
    expect(Buffer.from(row?.private_key ?? "", "base64").toString("latin1")).not.toContain("P-256");
  });

  test("that comes next is published at once and signs a day later; the former one stays for a week", async () => {
    const [former = ""] = await published();
    const before = await idToken();
    expect(kidOf(before)).toBe(former);
    const { kid } = await rotate();
    expect(await published()).toEqual([former, kid]);
    expect(kidOf(await idToken())).toBe(former);
    await server.advance(DAY + 60_000);
    const after = await idToken();
    expect(kidOf(after)).toBe(kid);
    expect(await isVerified(before)).toBe(true);
    expect(await isVerified(after)).toBe(true);
    await server.advance(7 * DAY);
    expect(await published()).toEqual([kid]);
    expect(await isVerified(before)).toBe(false);
    expect(await isVerified(after)).toBe(true);
  });

  test("replaced at once is withdrawn: nothing that it signed is believed", async () => {
    const before = await idToken();
    const { kid } = await rotate("--at-once");
    expect(await published()).toEqual([kid]);
    expect(kidOf(await idToken())).toBe(kid);
    expect(await isVerified(before)).toBe(false);
  });

  test("leaves an event", () => {
    const events = rows<{ resource_type: string; user_id: string | null }>(
      server,
      "SELECT resource_type, user_id FROM audit_events WHERE event_type = 'signing_key_rotated'",
    );
    expect(events).toEqual(
      Array.from({ length: 3 }, () => ({ resource_type: "signing_key", user_id: null })),
    );
  });
});

test("a database whose key is lost gets another signing key, and says so", async () => {
  const own = await TestServer.start();
  const before = (await own.get("/oauth/jwks")).body.keys[0].kid;
  await own.stop();
  const moved = temporaryDirectory();
  const other = Buffer.alloc(32, 7).toString("base64");
  await Bun.$`cp -r ${own.dataDir}/. ${moved} && rm -f ${moved}/master.key`.quiet();
  const again = await TestServer.start({ dataDir: moved, settings: { "security.encryption_key": other } });
  const member = await newUser(again);
  const tokens = await tokensFor(again, await newClient(again, { is_first_party: true }), member.token);
  expect(kidOf(tokens.id_token)).not.toBe(before);
  await again.stop();
  expect(again.output).toContain("a key that signs ID tokens can't be decrypted");
});

describe("the command", () => {
  test("refuses a directory without a database, and one without a key", async () => {
    const missing = await command(["signing-key", "rotate", "--data-dir", temporaryDirectory()]);
    expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining("no database")]);
    const keyless = temporaryDirectory();
    await command(["migrate", "--data-dir", keyless]);
    const refused = await command(["signing-key", "rotate", "--data-dir", keyless]);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("no master key")]);
  });

  test("tells a person when the next one signs", async () => {
    const { stdout } = await command(["signing-key", "rotate", "--data-dir", server.dataDir]);
    expect(stdout).toMatch(/^Made the key [0-9a-f-]{36}, which signs from \S+Z on/);
  });
});
