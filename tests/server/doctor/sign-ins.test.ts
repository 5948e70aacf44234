import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { config, loadConfig, providers } from "../../../src/configuration/config";
import { checkSignIns } from "../../../src/server/doctor/sign-ins";
import { newAccount, signInThrough } from "../../identity/oidc/support";
import { OidcStandIn } from "../../stand-ins/oidc";
import { command, environment, type Settings, TestServer } from "../../support/server";

/** The doctor on installations that lock their users out. */

const NOBODY = { signIns: { identities: 0, adminsWithPassword: 0 }, roleNames: ["User"] };

const found = (settings: Settings, facts = NOBODY) => {
  loadConfig({ environment: environment(settings) });
  return checkSignIns(config, providers, facts).map(({ verdict, message }) => `${verdict}: ${message}`);
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
      expect.stringMatching(/^warning: .*no account is linked.*fairlead user create/),
    ]);
    expect(found(LOCAL)).toEqual([expect.stringMatching(/^warning: .*no administrator has a password/)]);
    const admin = { ...NOBODY, signIns: { identities: 0, adminsWithPassword: 1 } };
    expect(found(LOCAL, admin)).toEqual(["ok: users have a way in"]);
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

  test("counts identities and administrators in the database, and asks whether the provider answers", async () => {
    const examine = async (settings: Settings) => {
      const { stdout } = await command(["doctor", "--json", "--data-dir", server.dataDir], { settings });
      const { findings } = JSON.parse(stdout) as {
        findings: { check: string; verdict: string; message: string }[];
      };
      return findings;
    };
    const isWell = await examine({ ...provider.settings("harbour"), ...NONE });
    expect(isWell.filter(({ check }) => check === "sign-in")).toEqual([
      { check: "sign-in", verdict: "ok", message: "users have a way in" },
    ]);
    expect(isWell.map(({ message }) => message)).toContain(`${provider.issuer} answers (sign-in by harbour)`);
    const byPassword = await examine(LOCAL);
    expect(byPassword.filter(({ check }) => check === "sign-in").map(({ verdict }) => verdict)).toEqual([
      "ok",
    ]);
  });
});
