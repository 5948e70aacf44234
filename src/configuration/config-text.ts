import {
  type ConfigKey,
  config,
  configFile,
  configSources,
  OPTIONS,
  providerSources,
  providers,
} from "./config";
import type { Option } from "./option-kinds";
import { PROVIDER_OPTIONS, type ProviderOption } from "./provider-options";

/** Hides the parts of an address that may be secret: user, password and query. */
const withoutSecrets = (text: string): string =>
  text.replace(/^([a-z]+:\/\/)[^/?#@]*@/, "$1(hidden)@").replace(/^([a-z]+:\/\/[^?#]*)[?#].*/, "$1?(hidden)");

type Value = (typeof config)[ConfigKey] | (typeof providers)[number][ProviderOption];

function show(value: Value, { secret }: Option<unknown>): string {
  if (value === null) return "(none)";
  if (secret) return "(set, hidden)";
  if (Array.isArray(value))
    return value.length > 0 ? value.map((item) => [item].flat().join("=")).join(", ") : "(none)";
  return typeof value === "object" && "requests" in value
    ? `${value.requests}/${value.seconds}`
    : withoutSecrets(String(value));
}

const commentOf = ({ meaning, values }: Option<unknown>): string =>
  `${meaning}${values === undefined ? "" : ` (${values})`}`;

/** The options of providers, which any name may stand in, and their values for those that are named. */
function describeProviders(): string[] {
  const options = Object.entries(PROVIDER_OPTIONS) as [ProviderOption, Option<unknown>][];
  return [
    "\n# An OpenID provider that users sign in with, under a name of your choice:",
    ...options.map(([option, kind]) => `#   oidc.NAME.${option.padEnd(18)}  ${commentOf(kind)}`),
    ...providers.flatMap((provider) => [
      "",
      ...options.map(([option, kind]) => {
        const key = `oidc.${provider.name}.${option}`;
        return `${key}  ${show(provider[option], kind)}  [${providerSources[key] ?? "default"}]`;
      }),
    ]),
  ];
}

/**
 * The effective configuration as lines for a person, secrets hidden: each key with its value and source, below
 * a comment with its meaning.
 */
export function describeConfig(): string {
  const keys = Object.keys(OPTIONS) as ConfigKey[];
  const width = Math.max(...keys.map((key) => key.length));
  const lines = keys.map((key) => {
    const option = OPTIONS[key] as Option<unknown>;
    return `\n# ${commentOf(option)}\n${key.padEnd(width)}  ${show(config[key], option)}  [${configSources[key]}]`;
  });
  return [
    `# file: ${configFile ?? "(none)"}`,
    "# A key a.b_c is FAIRLEAD_A_B_C in the environment, and b_c under [a] in the file.",
    ...lines,
    ...describeProviders(),
  ].join("\n");
}
