import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, loadConfig, providers } from "../../src/configuration/config";
import { describeConfig } from "../../src/configuration/config-text";
import { temporaryDirectory } from "../support/server";

/** OpenID providers in the configuration: each under a name of the operator's. */

function load(environment: Record<string, string>, toml?: string) {
  const config = toml === undefined ? undefined : join(temporaryDirectory(), "some.toml");
  if (config !== undefined && toml !== undefined) writeFileSync(config, toml);
  loadConfig({ environment, ...(config && { config }) });
  return providers;
}

function fault(environment: Record<string, string>, toml?: string): string {
  try {
    load(environment, toml);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("the configuration was taken");
}

const NEEDED = {
  FAIRLEAD_OIDC_AUTHELIA_ISSUER: "https://auth.example",
  FAIRLEAD_OIDC_AUTHELIA_CLIENT_ID: "f",
};

describe("a provider", () => {
  test("comes from the environment, also by a name with underscores", () => {
    const [provider, ...others] = load({
      FAIRLEAD_OIDC_POCKET_ID_ISSUER: "https://id.example/",
      FAIRLEAD_OIDC_POCKET_ID_CLIENT_ID: "fairlead",
      FAIRLEAD_OIDC_POCKET_ID_CLIENT_SECRET: "hush",
      FAIRLEAD_OIDC_POCKET_ID_SCOPES: "profile, groups",
      FAIRLEAD_OIDC_POCKET_ID_DISPLAY_NAME: "Pocket ID",
      FAIRLEAD_OIDC_POCKET_ID_ROLE_MAP: "admins=Super Admin, crew = Deck",
      FAIRLEAD_OIDC_POCKET_ID_ALLOW_REGISTRATION: "true",
    });
    expect(others).toEqual([]);
    expect(provider).toEqual({
      name: "pocket_id",
      // A slash at its end is part of an issuer.
      issuer: "https://id.example/",
      client_id: "fairlead",
      client_secret: "hush",
      scopes: ["openid", "profile", "groups"],
      display_name: "Pocket ID",
      groups_claim: "groups",
      role_map: [
        ["admins", "Super Admin"],
        ["crew", "Deck"],
      ],
      allow_registration: true,
      trust_email: false,
    });
  });

  test("comes from the file, its roles as a table, a list or a text; the environment wins", () => {
    const made = load(
      { FAIRLEAD_OIDC_ONE_CLIENT_ID: "of the environment" },
      `[oidc.one]
issuer = "https://one.example"
client_id = "of the file"
[oidc.one.role_map]
"cn=admins,ou=groups" = "Super Admin"
[oidc.two]
issuer = "http://192.168.1.10:8080/realms/boat"
client_id = "two"
role_map = ["cn=crew,ou=groups=Deck"]
trust_email = true
`,
    );
    expect(
      made.map(({ name, client_id, role_map, display_name }) => [name, client_id, role_map, display_name]),
    ).toEqual([
      ["one", "of the environment", [["cn=admins,ou=groups", "Super Admin"]], "one"],
      ["two", "two", [["cn=crew,ou=groups", "Deck"]], "two"],
    ]);
  });

  test("is printed without its secret", () => {
    load({ ...NEEDED, FAIRLEAD_OIDC_AUTHELIA_CLIENT_SECRET: "hush-hush-4711" });
    const text = describeConfig();
    expect(text).not.toContain("hush-hush-4711");
    expect(text).toContain("oidc.authelia.client_secret  (set, hidden)  [environment]");
    expect(text).toContain("oidc.authelia.issuer  https://auth.example  [environment]");
    expect(text).toContain("#   oidc.NAME.trust_email");
  });
});

describe("a fault", () => {
  test("of a key is answered with the right one", () => {
    expect(fault({ ...NEEDED, FAIRLEAD_OIDC_AUTHELIA_ISUER: "x" })).toBe(
      "FAIRLEAD_OIDC_AUTHELIA_ISUER is not a known variable; did you mean FAIRLEAD_OIDC_AUTHELIA_ISSUER?",
    );
    expect(fault({}, '[oidc.authelia]\ncliend_id = "x"')).toContain("did you mean oidc.authelia.client_id?");
  });

  test("of a name says what a name may be", () => {
    expect(fault({}, '[oidc.Pocket-ID]\nissuer = "https://x.example"')).toContain(
      "the name of a provider has up to 32 letters in lower case",
    );
  });

  test("is half a provider", () => {
    expect(fault({ FAIRLEAD_OIDC_AUTHELIA_CLIENT_ID: "f" })).toBe(
      "oidc.authelia.issuer is required for the provider authelia",
    );
    expect(fault({ FAIRLEAD_OIDC_AUTHELIA_ISSUER: "https://auth.example" })).toBe(
      "oidc.authelia.client_id is required for the provider authelia",
    );
  });

  for (const [option, value, words] of [
    ["ISSUER", "auth.example", "must be a URL"],
    ["ISSUER", "https://auth.example/?x=1", "must be a URL without user, password, query and fragment"],
    ["ISSUER", "https://me:secret@auth.example", "must be a URL without user, password, query and fragment"],
    ["ROLE_MAP", "admins", "must list pairs such as group=Role"],
    ["ALLOW_REGISTRATION", "yes", "must be true or false"],
    ["SCOPES", 'a"b', "must list scopes"],
  ] as const)
    test(`of ${option} is told: ${value}`, () => {
      const message = fault({ ...NEEDED, [`FAIRLEAD_OIDC_AUTHELIA_${option}`]: value });
      expect(message).toContain(`FAIRLEAD_OIDC_AUTHELIA_${option} ${words}`);
      expect(message).not.toContain("secret");
    });
});
