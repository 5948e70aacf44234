import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { config, loadConfig, providers } from "../../../src/configuration/config";
import { checkSignIns } from "../../../src/server/doctor/sign-ins";
import { newAccount, signInThrough } from "../../identity/oidc/support";
import { newHolder } from "../../identity/passkeys/support";
import { OidcStandIn } from "../../stand-ins/oidc";
import { command, environment, type Settings, TestServer } from "../../support/server";

/** The doctor on installations that lock their users out. */

const NOBODY = {
  signIns: { identities: 0, adminsWithPassword: 0 },
  passkeys: { total: 0, hosts: {} as Record<string, number> },
  roleNames: ["User"],
};

const found = (settings: Settings, facts = NOBODY) => {
  loadConfig({ environment: environment(settings) });
  return checkSignIns(config, providers, facts).map(({ verdict, message }) => `${verdict}: ${message.en}`);
};

const HARBOUR = { "oidc.harbour.issuer": "https://id.example", "oidc.harbour.client_id": "f" };
const NONE = { "auth.password_login": "none" };
const LOCAL = { "auth.password_login": "local_admins" };

describe("sign-ins", () => {
  test("are well where users have passwords, or come in through a provider", () => {
    expect(found({})).toEqual(["ok: users have a way in"]);
    expect(found({ ...HARBOUR, ...NONE, "oidc.harbour.allow_registration": "true" })).toEqual([
      "ok: users have a way in",
    ]);
    const linked = { ...NOBODY, signIns: { identities: 1, adminsWithPassword: 0 } };
    expect(found({ ...HARBOUR, ...NONE }, linked)).toEqual(["ok: users have a way in"]);
  });

  test("are nobody's without passwords and without a provider, or an account at one", () => {
    expect(found(NONE)).toEqual([
      expect.stringMatching(/^problem: .*no OpenID provider.*nobody can sign in.*fairlead user create/),
    ]);
    expect(found({ ...HARBOUR, ...NONE })).toEqual([
      expect.stringMatching(/^warning: .*no account has a passkey or is linked.*fairlead user create/),
    ]);
    expect(found(LOCAL)).toEqual([expect.stringMatching(/^warning: .*no administrator has a password/)]);
    const admin = { ...NOBODY, signIns: { identities: 0, adminsWithPassword: 1 } };
    expect(found(LOCAL, admin)).toEqual(["ok: users have a way in"]);
  });

  test("are by passkeys too, as far as they are for the host that the server has now", () => {
    const settings = { ...NONE, "server.public_url": "https://boat.example" };
    const withPasskeys = (hosts: Record<string, number>, total = 3) =>
      found(settings, { ...NOBODY, passkeys: { total, hosts } });
    expect(withPasskeys({ "boat.example": 3 })).toEqual(["ok: users have a way in"]);
    // Those that were made before hosts were noted count as good.
    expect(withPasskeys({})).toEqual(["ok: users have a way in"]);
    expect(withPasskeys({ "boat.example": 2, "old.example": 1 })).toEqual([
      expect.stringMatching(/^warning: a passkey was made for old\.example, but .* is at boat\.example/),
    ]);
    expect(withPasskeys({ "old.example": 3 })).toEqual([
      expect.stringMatching(/^problem: .*nobody can sign in/),
      expect.stringMatching(/^warning: 3 passkeys were made for old\.example/),
    ]);
    const byNumbers = { "server.public_url": "http://192.0.2.1" };
    expect(found(byNumbers, { ...NOBODY, passkeys: { total: 1, hosts: { "old.example": 1 } } })).toEqual([
      expect.stringMatching(/^warning: a passkey was made .* permits no passkeys/),
    ]);
  });

  test("give roles that exist", () => {
    const mapped = { ...HARBOUR, "oidc.harbour.role_map": "a=User,b=Dekc" };
    expect(found(mapped)).toEqual([
      expect.stringMatching(/^warning: oidc\.harbour\.role_map names the role Dekc/),
    ]);
  });
});

describe("the command", () => {
  let provider: OidcStandIn;
  let server: TestServer;
  beforeAll(async () => {
    provider = await OidcStandIn.start();
    server = await TestServer.start({
      settings: provider.settings("harbour", { allow_registration: "true" }),
    });
    provider.account = newAccount();
    await signInThrough(server, "harbour");
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });

  test("tells of passkeys that were made for another host than the server has now", async () => {
    const { passkey } = await newHolder(server);
    const examine = async (settings: Settings) => {
      const { stdout } = await command(["doctor", "--json", "--data-dir", server.dataDir], { settings });
      const { findings } = JSON.parse(stdout) as { findings: { check: string; message: string }[] };
      return findings.filter(({ check }) => check === "sign-in").map(({ message }) => message);
    };
    expect(passkey).toBeString();
    expect(await examine({})).toEqual(["users have a way in"]);
    expect(await examine({ "server.public_url": "https://moved.example" })).toEqual([
      expect.stringContaining("a passkey was made for localhost, but server.public_url is at moved.example"),
    ]);
  });

  test("counts identities and administrators in the database, and asks whether the provider answers", async () => {
    const examine = async (settings: Settings) => {
      const { stdout } = await command(["doctor", "--json", "--data-dir", server.dataDir], { settings });
      const { findings } = JSON.parse(stdout) as {
        findings: { check: string; verdict: string; message: string }[];
      };
      return findings;
    };
    const isWell = await examine({ ...provider.settings("harbour"), ...NONE });
    expect(isWell.filter(({ check }) => check === "sign-in")).toMatchObject([
      { check: "sign-in", verdict: "ok", message: "users have a way in" },
    ]);
    expect(isWell.map(({ message }) => message)).toContain(`${provider.issuer} answers (sign-in by harbour)`);
    const byPassword = await examine(LOCAL);
    expect(byPassword.filter(({ check }) => check === "sign-in").map(({ verdict }) => verdict)).toEqual([
      "ok",
    ]);
  });
});
