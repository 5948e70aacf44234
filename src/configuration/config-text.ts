import { type ConfigKey, config, configFile, configSources, OPTIONS } from "./config";
import type { Option } from "./option-kinds";

/** Hides the parts of an address that may be secret: user, password and query. */
const withoutSecrets = (text: string): string =>
  text.replace(/^([a-z]+:\/\/)[^/?#@]*@/, "$1(hidden)@").replace(/^([a-z]+:\/\/[^?#]*)[?#].*/, "$1?(hidden)");

function show(key: ConfigKey): string {
  const value = config[key];
  if (value === null) return "(none)";
  if ((OPTIONS[key] as Option<unknown>).secret) return "(set, hidden)";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "(none)";
  return typeof value === "object" ? `${value.requests}/${value.seconds}` : withoutSecrets(String(value));
}

/**
 * The effective configuration as lines for a person, secrets hidden: each key with its value and source, below
 * a comment with its meaning.
 */
export function describeConfig(): string {
  const keys = Object.keys(OPTIONS) as ConfigKey[];
  const width = Math.max(...keys.map((key) => key.length));
  const lines = keys.map((key) => {
    const { meaning, values } = OPTIONS[key] as Option<unknown>;
    const comment = `# ${meaning}${values === undefined ? "" : ` (${values})`}`;
    return `\n${comment}\n${key.padEnd(width)}  ${show(key)}  [${configSources[key]}]`;
  });
  return [
    `# file: ${configFile ?? "(none)"}`,
    "# A key a.b_c is FAIRLEAD_A_B_C in the environment, and b_c under [a] in the file.",
    ...lines,
  ].join("\n");
}
