import { nearest } from "../kernel/values/nearest";
import { asScope, boolean, issuer, list, type Option, type Pair, pairs, secret, text } from "./option-kinds";

/**
 * The options of OpenID providers that users sign in with. The operator gives each provider a name, which stands in its keys:
 * `oidc.NAME.issuer` is FAIRLEAD_OIDC_NAME_ISSUER, and `issuer` under `[oidc.NAME]`.
 */
export const PROVIDER_OPTIONS = {
  issuer: issuer("issuer of the provider, as its discovery document names it"),
  client_id: text(null, "client ID of this installation at the provider"),
  client_secret: secret("client secret of this installation there; without it, it is a public client"),
  scopes: list(["openid", "profile", "email"], asScope, "scopes that are asked for"),
  display_name: text(null, "name of the provider on the sign-in page; NAME by default"),
  groups_claim: text(
    "groups",
    "claim that lists the groups of a user; a path such as realm_access.roles works",
  ),
  role_map: pairs("roles that groups stand for: given and taken at each sign-in, all other roles left alone"),
  allow_registration: boolean(false, "make an account for whoever signs in and has none"),
  trust_email: boolean(
    false,
    "take an address that the provider calls verified as proved, and link it to the account that has proved the same one",
  ),
} satisfies Record<string, Option<unknown>>;

type Options = typeof PROVIDER_OPTIONS;
export type ProviderOption = keyof Options;

/** An OpenID provider, as it is configured. */
export type Provider = {
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly display_name: string;
  readonly role_map: readonly Pair[];
} & {
  readonly [K in Exclude<ProviderOption, "issuer" | "client_id" | "display_name" | "role_map">]:
    | ReturnType<Options[K]["read"]>
    | Options[K]["default"];
};

const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const PREFIX = "oidc.";
const VARIABLE = "FAIRLEAD_OIDC_";

const NAMES = Object.keys(PROVIDER_OPTIONS) as ProviderOption[];
const isOption = (name: string): name is ProviderOption => Object.hasOwn(PROVIDER_OPTIONS, name);

/** The provider and the option that a key is about; null for the key of something else, and for an unknown one. */
export function providerKey(key: string): { name: string; option: ProviderOption } | null {
  const [, name = "", option = ""] = /^oidc\.([^.]+)\.([^.]+)$/.exec(key) ?? [];
  return NAME.test(name) && isOption(option) ? { name, option } : null;
}

/** The key of a variable of the environment; null for one that is about no provider. Names may hold underscores themselves. */
export function keyOfVariable(variable: string): string | null {
  if (!variable.startsWith(VARIABLE)) return null;
  const rest = variable.slice(VARIABLE.length);
  if (rest !== rest.toUpperCase()) return null;
  const option = NAMES.filter((each) => rest.endsWith(`_${each.toUpperCase()}`)).sort(
    (one, other) => other.length - one.length,
  )[0];
  if (option === undefined) return null;
  const name = rest.slice(0, -option.length - 1).toLowerCase();
  return NAME.test(name) ? `${PREFIX}${name}.${option}` : null;
}

/** The key, or the variable, that an unknown one about a provider was meant to be; null for one about something else. */
export function meantProviderKey(unknown: string): string | null {
  const [, name] = /^oidc\.([^.]+)\./.exec(unknown) ?? [];
  if (name !== undefined)
    return NAME.test(name)
      ? nearest(
          unknown,
          NAMES.map((option) => `${PREFIX}${name}.${option}`),
        )
      : null;
  if (!unknown.startsWith(VARIABLE)) return null;
  const parts = unknown.slice(VARIABLE.length).split("_");
  const names = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("_"));
  return nearest(
    unknown,
    names.flatMap((each) => NAMES.map((option) => `${VARIABLE}${each}_${option.toUpperCase()}`)),
  );
}

/** A name that can't be one, as the end of a message; empty for a key about something else, or with a good name. */
export function nameFault(key: string): string {
  const [, name] = /^oidc\.([^.]+)\./.exec(key) ?? [];
  return name === undefined || NAME.test(name)
    ? ""
    : ": the name of a provider has up to 32 letters in lower case, digits and _, and begins with a letter";
}

type Values = Record<string, unknown>;

/** The providers that values by their keys make, in the order in which they were named, and what is missing of them. */
export function providersOf(values: Values): { providers: Provider[]; problems: string[] } {
  const names = new Set(Object.keys(values).flatMap((key) => providerKey(key)?.name ?? []));
  const problems: string[] = [];
  const providers = [...names].map((name) => {
    const own: Values = Object.fromEntries(
      NAMES.map((option) => [
        option,
        values[`${PREFIX}${name}.${option}`] ?? PROVIDER_OPTIONS[option].default,
      ]),
    );
    for (const option of ["issuer", "client_id"])
      if (own[option] === null)
        problems.push(`${PREFIX}${name}.${option} is required for the provider ${name}`);
    const scopes = [...new Set(["openid", ...(own.scopes as string[])])];
    return { ...own, name, scopes, display_name: own.display_name ?? name } as Provider;
  });
  return { providers, problems };
}
