import { parseArgs } from "node:util";
import { COMMANDS, type Command } from "./commands";
import { ConfigError, loadConfig } from "./configuration/config";
import { describeBuild, VERSION } from "./configuration/version";
import { boundCollector } from "./kernel/process/collector";
import { dataTrouble, OperatorError, UsageError } from "./kernel/process/operator";
import { print } from "./kernel/process/print";
import { didYouMean, nearest } from "./kernel/values/nearest";

/** The commands of the operator's contract. Exit status: 0 done, 1 failed, 2 wrong usage or configuration. */

const COMMON = {
  config: { type: "string" },
  "data-dir": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

const COMMON_HELP = `  --config FILE     read this configuration file (default: FAIRLEAD_CONFIG, else fairlead.toml in the
                    data directory)
  --data-dir DIR    use this data directory (default: data.dir, which is ./data unless configured)
  -h, --help        show this help
  --version         print version, commit and date of the build`;

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

Options of every command (for the others, see fairlead COMMAND --help):
${COMMON_HELP}

\`fairlead config\` explains every configuration key and shows its value. The key a.b_c is FAIRLEAD_A_B_C
in the environment, and b_c under [a] in the configuration file.`;
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
  if (!option) throw unknownOption(argument, ALL_OPTIONS, "fairlead");
  return option.type === "string" && !argument.includes("=") ? 2 : 1;
}

/** The error for an option that a command doesn't have; `shown` is the command line whose help lists them. */
function unknownOption(argument: string, options: object, shown: string): UsageError {
  const [name = ""] = argument.replace(/^--?/, "").split("=");
  const meant = nearest(name, Object.keys(options));
  const hint = meant === null ? `; see ${shown} --help` : didYouMean(`--${meant}`);
  return new UsageError(`unknown option ${argument}${hint}`);
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
  if (name === undefined) throw new UsageError(`there is no command "${words.join(" ")}"${hintFor(words)}`);
  return { command: COMMANDS[name] ?? null, rest: args.toSpliced(at, name.split(" ").length) };
}

/** The commands that begin with the first word ("user"), or the nearest one, as the end of a line. */
function hintFor(words: string[]): string {
  const [first = ""] = words;
  const begun = Object.keys(COMMANDS).filter((name) => name.startsWith(`${first} `));
  if (begun.length > 0) return `; did you mean ${begun.join(" or ")}?`;
  const meant = nearest(words.join(" "), Object.keys(COMMANDS)) ?? nearest(first, Object.keys(COMMANDS));
  return didYouMean(meant) || "; see fairlead --help";
}

async function run(args: string[]): Promise<void> {
  const { command, rest } = chooseCommand(args[0] === "help" ? [...args.slice(1), "--help"] : args);
  const chosen = command ?? (COMMANDS.serve as Command);
  const { values, positionals } = parse(chosen, rest);
  if (values.help) return print(command ? commandHelp(command) : help());
  if (values.version) return print(await describeBuild());
  if (positionals.length !== (chosen.positionals ?? 0) || positionals.includes(""))
    throw new UsageError(`usage: fairlead ${chosen.usage}`);
  const textOf = (name: string) => values[name] as string | undefined;
  loadConfig({
    ...{ config: textOf("config"), dataDir: textOf("data-dir") },
    ...{ host: textOf("host"), port: textOf("port") },
  });
  if (chosen.isLong) boundCollector();
  await chosen.run(values, positionals);
}

function parse(command: Command, args: string[]) {
  const options: NonNullable<Command["options"]> = { ...COMMON, ...command.options };
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = (error as Error).message;
    const shown = `fairlead ${command.name}`;
    const [, unknown] = /^Unknown option '([^']+)'/.exec(message) ?? [];
    if (unknown !== undefined) throw unknownOption(unknown, options, shown);
    const why = message.split(". ")[0] ?? "";
    throw new UsageError(`${why.charAt(0).toLowerCase()}${why.slice(1)}; see ${shown} --help`);
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
