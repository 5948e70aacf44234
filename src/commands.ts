import type { ParseArgsConfig } from "node:util";
import { describeConfig } from "./configuration/config";
import { UsageError } from "./kernel/process/operator";
import { print } from "./kernel/process/print";

/**
 * The program's commands. A command's code is loaded when it is called: `fairlead health`, which a container
 * runs twice a minute, needs no routes, and neither does a help text.
 */

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Command {
  name: string;
  /** The whole command line; the overview shows only the name if this is long. */
  usage: string;
  summary: string;
  description: string;
  options?: NonNullable<ParseArgsConfig["options"]>;
  optionHelp?: string;
  /** Number of arguments without a dash; none by default. */
  positionals?: number;
  run: (values: Values, positionals: string[]) => Promise<void> | void;
}

const NO_BACKUP = "no-backup";
const NO_BACKUP_HELP =
  "  --no-backup       migrate a database that holds data without copying it to backup.dir before";

// --- demo -------------------------------------------------------------------------------------------------

async function runDemo({ speed }: Values): Promise<void> {
  const factor = speed === undefined ? undefined : Number(speed);
  if (factor !== undefined && !(factor > 0 && factor <= 1_000))
    throw new UsageError("--speed must be a number above 0 and at most 1000");
  const { demo } = await import("./demo");
  await demo(factor);
}

// --- migrate ------------------------------------------------------------------------------------------------

async function runMigrate(values: Values): Promise<void> {
  const { migrateData } = await import("./server/backup/before-migration");
  await migrateData(values[NO_BACKUP] !== true);
}

// --- openapi, config ----------------------------------------------------------------------------------------

async function printDocument(): Promise<void> {
  const { createApp } = await import("./app");
  const document = await createApp().document();
  await print(JSON.stringify(JSON.parse(document), null, 2));
}

// --- The table ----------------------------------------------------------------------------------------------

const ALL: Command[] = [
  {
    name: "serve",
    usage: "serve [--no-backup]",
    summary: "migrate the database, then serve (the default)",
    description:
      "Migrates the database, then serves until SIGTERM or SIGINT. A database that holds data is copied to backup.dir before it is migrated; `rollback` puts the copy back.",
    options: { [NO_BACKUP]: { type: "boolean" }, "key-lost": { type: "boolean" } },
    optionHelp: `${NO_BACKUP_HELP}
  --key-lost        start although the key of what is encrypted in the database is lost: a missing one is made
                    anew, and what the former one encrypted stays unreadable`,
    run: async (values) =>
      (await import("./serve")).serveUntilStopped({
        backup: values[NO_BACKUP] !== true,
        keyLost: values["key-lost"] === true,
      }),
  },
  {
    name: "demo",
    usage: "demo [--speed N]",
    summary: "serve a throw-away fleet with a vessel that moves",
    description:
      "Serves on a data directory that is removed at the end, with an admin, a device, a trip and zones, and sails a recorded voyage through the API. Prints what to open and to try.",
    options: { speed: { type: "string" } },
    optionHelp: "  --speed N         times as fast as the vessel sailed, up to 1000 (default: 10)",
    run: runDemo,
  },
  {
    name: "user create",
    usage: "user create --username U --email E [--role NAME]… [--password-stdin] [--json]",
    summary: "create an active user without an email round trip",
    description: "Creates an active user. Works beside the running server.",
    options: {
      username: { type: "string" },
      email: { type: "string" },
      role: { type: "string", multiple: true },
      "password-stdin": { type: "boolean" },
      json: { type: "boolean" },
    },
    optionHelp: `  --username U      3 to 30 letters, digits and underscores
  --email E         email address
  --role NAME       a role beside User, such as "Super Admin"; may be repeated
  --password-stdin  read the password from standard input; else one is made and printed once
  --json            print one JSON object: id, username, email, password`,
    run: async (values) => (await import("./identity/commands")).createUser(values),
  },
  {
    name: "key create",
    usage: "key create --name N [--system] [--owner USERNAME] [--scope S]… [--json]",
    summary: "create an API key and print it once",
    description: "Creates an API key. Works beside the running server.",
    options: {
      name: { type: "string" },
      system: { type: "boolean" },
      owner: { type: "string" },
      scope: { type: "string", multiple: true },
      json: { type: "boolean" },
    },
    optionHelp: `  --name N          what the key is for
  --system          a system key: holds *:*, for other services of the installation
  --owner USERNAME  whose key it is; its permissions narrow the key's
  --scope S         a permission such as gps:write, gps:* or *:*; may be repeated
  --json            print one JSON object: id, key, key_prefix, scopes, is_system`,
    run: async (values) => (await import("./identity/commands")).createKey(values),
  },
  {
    name: "migrate",
    usage: "migrate [--no-backup]",
    summary: "apply pending migrations and exit",
    description:
      "Applies pending migrations of the database and exits. `serve` does the same before it serves. A database that holds data is copied to backup.dir before; `rollback` puts the copy back.",
    options: { [NO_BACKUP]: { type: "boolean" } },
    optionHelp: NO_BACKUP_HELP,
    run: runMigrate,
  },
  {
    name: "backup",
    usage: "backup FILE",
    summary: "copy the database while the server runs",
    description:
      "Writes a consistent, checked copy of the database to FILE, which must not exist. The server may run. The key file (master.key) is not in it: keep a copy of that too.",
    positionals: 1,
    run: async (_, [file = ""]) => (await import("./server/backup/commands")).backup(file),
  },
  {
    name: "restore",
    usage: "restore FILE",
    summary: "put a backup in place of the database",
    description:
      "Checks FILE, a copy that `backup` made, and puts it in place of the database. The server must be stopped. The former database is kept beside it under another name, and FILE is left as it is.",
    positionals: 1,
    run: async (_, [file = ""]) => (await import("./server/backup/commands")).restore(file),
  },
  {
    name: "rollback",
    usage: "rollback",
    summary: "put the database from before the last migration back",
    description:
      "Puts the newest copy that was made before a migration (before-VERSION-TIME.db in backup.dir) back in place of the database, and says which version of Fairlead it belongs to. The server must be stopped. The former database is kept beside it under another name, and the copy is left as it is.",
    run: async () => (await import("./server/backup/commands")).rollback(),
  },
  {
    name: "doctor",
    usage: "doctor [--json]",
    summary: "check the installation, and say what to do",
    description:
      "Checks configuration, permissions, database, address, disk, clock, limits, backups and the outside addresses that are configured, beside a running server or without one, and changes nothing. Exit status 0 unless it finds a problem.",
    options: { json: { type: "boolean" } },
    optionHelp: "  --json            print one JSON object: problems, warnings, findings",
    run: async ({ json }) => (await import("./server/doctor/command")).examineInstallation(json === true),
  },
  {
    name: "health",
    usage: "health",
    summary: "ask the running server whether it is ready",
    description:
      "Asks the server of this configuration, on this machine, whether it is ready (GET /health/ready). Exit status 0 when it is, 1 when it is not or does not answer.",
    run: async () => (await import("./server/health/command")).askHealth(),
  },
  {
    name: "openapi",
    usage: "openapi",
    summary: "print the OpenAPI document",
    description: "Prints the OpenAPI 3.1 document of the API.",
    run: printDocument,
  },
  {
    name: "config",
    usage: "config",
    summary: "print the effective configuration",
    description:
      "Prints every configuration key, its effective value and where that came from. Secrets are hidden.",
    run: () => print(describeConfig()),
  },
];

export const COMMANDS: Record<string, Command> = Object.fromEntries(
  ALL.map((command) => [command.name, command]),
);
