import "./production";
import { parseArgs } from "node:util";
import { COMMANDS, type Command } from "./commands";
import { ConfigError, loadConfig } from "./configuration/config";
import { VERSION } from "./configuration/version";
import { dataTrouble, OperatorError, UsageError } from "./kernel/process/operator";
import { print } from "./kernel/process/print";

/** The commands of the operator's contract. Exit status: 0 done, 1 failed, 2 wrong usage or configuration. */

const COMMON = {
  config: { type: "string" },
  "data-dir": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

const COMMON_HELP = `  --config FILE     configuration file (default: FAIRLEAD_CONFIG, else fairlead.toml in the data directory)
  --data-dir DIR    database, key file and outbox (default: data.dir, ./data)
  -h, --help        this text
  --version         the version`;

/** A longer command line has options, which its own help explains. */
const MAX_USAGE = 20;

function help(): string {
  const shown = (command: Command) => (command.usage.length > MAX_USAGE ? command.name : command.usage);
  const width = Math.max(...Object.values(COMMANDS).map((command) => shown(command).length));
  const lines = Object.values(COMMANDS).map(
    (command) => `  ${shown(command).padEnd(width)}  ${command.summary}`,
  );
  return `Fairlead ${VERSION}: one backend for vessels, depots and small fleets.

Usage: fairlead [command] [options]

Commands:
${lines.join("\n")}

Options of every command (each has more: fairlead COMMAND --help, or fairlead help COMMAND):
${COMMON_HELP}

\`fairlead config\` lists every configuration key with its value. A key a.b_c is FAIRLEAD_A_B_C in the
environment and b_c under [a] in the file.`;
}

const commandHelp = (command: Command) => `Usage: fairlead ${command.usage}

${command.description}

Options:
${command.optionHelp ? `${command.optionHelp}\n` : ""}${COMMON_HELP}`;

/** Every option of any command by its name. */
const ALL_OPTIONS: NonNullable<Command["options"]> = Object.assign(
  { ...COMMON },
  ...Object.values(COMMANDS).map((command) => command.options),
);

/**
 * Number of arguments that an option before the command takes up: 2 with its value, 1 if that follows a `=`.
 */
function span(argument: string): number {
  if (argument === "-h") return 1;
  const [name = ""] = argument.slice(2).split("=");
  const option = argument.startsWith("--") && Object.hasOwn(ALL_OPTIONS, name) ? ALL_OPTIONS[name] : null;
  if (!option) throw new UsageError(`unknown option '${argument}'; see fairlead --help`);
  return option.type === "string" && !argument.includes("=") ? 2 : 1;
}

/**
 * The command that the arguments name, possibly behind options, and the remaining arguments; `serve` by
 * default.
 */
function chooseCommand(args: string[]): { command: Command | null; rest: string[] } {
  let at = 0;
  while (args[at]?.startsWith("-")) at += span(args[at] ?? "");
  const words = args.slice(at, at + 2).filter((word) => !word.startsWith("-"));
  if (words.length === 0) return { command: null, rest: args };
  const name = [words.join(" "), words[0] ?? ""].find((candidate) => Object.hasOwn(COMMANDS, candidate));
  if (name === undefined)
    throw new UsageError(`there is no command "${words.join(" ")}"; ${alikeTo(words[0] ?? "")}`);
  return { command: COMMANDS[name] ?? null, rest: args.toSpliced(at, name.split(" ").length) };
}

/** The next step after a word that begins commands ("user") or none. */
function alikeTo(word: string): string {
  const begun = Object.keys(COMMANDS).filter((name) => name.startsWith(`${word} `));
  return begun.length > 0 ? `there is ${begun.join(", ")}` : "see fairlead --help";
}

async function run(args: string[]): Promise<void> {
  const { command, rest } = chooseCommand(args[0] === "help" ? [...args.slice(1), "--help"] : args);
  const chosen = command ?? (COMMANDS.serve as Command);
  const { values, positionals } = parse(chosen, rest);
  if (values.help) return print(command ? commandHelp(command) : help());
  if (values.version) return print(VERSION);
  if (positionals.length !== (chosen.positionals ?? 0) || positionals.includes(""))
    throw new UsageError(`usage: fairlead ${chosen.usage}`);
  loadConfig({
    config: values.config as string | undefined,
    dataDir: values["data-dir"] as string | undefined,
  });
  await chosen.run(values, positionals);
}

function parse(command: Command, args: string[]) {
  try {
    return parseArgs({
      args,
      options: { ...COMMON, ...command.options },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const why = (error as Error).message.split(". ")[0] ?? "";
    throw new UsageError(
      `${why.charAt(0).toLowerCase()}${why.slice(1)}; see fairlead ${command.name} --help`,
    );
  }
}

/** Prints one line on standard error, for any failure, and sets the exit status (rule P1). */
function fail(error: unknown): never {
  const wrongUse = error instanceof UsageError || error instanceof ConfigError;
  const known = wrongUse || error instanceof OperatorError;
  const message = error instanceof Error ? error.message : String(error);
  const line = known ? message : (dataTrouble(error)?.message ?? `unexpected: ${message}`);
  process.stderr.write(`fairlead: ${line.replaceAll(/\s*\n\s*/g, " ")}\n`);
  process.exit(wrongUse ? 2 : 1);
}

// A log line that can't be written (the disk is full, the terminal or the reader is gone) is dropped: that is
// no reason to stop serving. `print` reports its own failures. Without a listener either would end the
// process.
process.stdout.on("error", () => {});
// Database, key file, outbox and backups are the operator's alone.
process.umask(0o077);
run(process.argv.slice(2)).catch(fail);
