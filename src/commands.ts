import type { ParseArgsConfig } from "node:util";
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
  /** True for one that makes much garbage, or sorts much: it starts anew within the bounds of the profile. */
  isLong?: true;
  run: (values: Values, positionals: string[]) => Promise<void> | void;
}

const NO_BACKUP = "no-backup";
const NO_BACKUP_HELP = "  --no-backup       migrate the database without copying it to backup.dir first";

/** The address of the server, for the commands that start or ask one. */
const ADDRESS = { host: { type: "string" }, port: { type: "string" } } as const;
const ADDRESS_HELP = `  --host ADDRESS    listen on this address (default: server.host, 127.0.0.1)
  --port N          listen on this port, or on a free one with 0 (default: server.port, 3000)`;
const ASKED_HELP = ADDRESS_HELP.replaceAll("listen on this", "expect the server on this").replace(
  ", or on a free one with 0",
  "",
);

// --- demo -------------------------------------------------------------------------------------------------

async function runDemo({ speed }: Values): Promise<void> {
  const factor = speed === undefined ? undefined : Number(speed);
  if (factor !== undefined && !(factor > 0 && factor <= 1_000))
    throw new UsageError("--speed must be a number greater than 0 and at most 1000");
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
    isLong: true,
    usage: "serve [--host ADDRESS] [--port N] [--no-backup] [--key-lost]",
    summary: "start the server (the default)",
    description: `Migrates the database if necessary, then serves until it receives SIGTERM or SIGINT. Before a
migration, a database that holds data is copied to backup.dir; \`fairlead rollback\` undoes the
migration by restoring that copy.`,
    options: { ...ADDRESS, [NO_BACKUP]: { type: "boolean" }, "key-lost": { type: "boolean" } },
    optionHelp: `${ADDRESS_HELP}
${NO_BACKUP_HELP}
  --key-lost        start even though the key to the encrypted data is lost: a missing key is created
                    anew, and everything encrypted with the former one stays unreadable`,
    run: async (values) =>
      (await import("./serve")).serveUntilStopped({
        backup: values[NO_BACKUP] !== true,
        keyLost: values["key-lost"] === true,
      }),
  },
  {
    name: "demo",
    usage: "demo [--host ADDRESS] [--port N] [--speed N]",
    summary: "start a throw-away server with a vessel that moves",
    description: `Serves from a temporary data directory, which is removed at the end: an administrator, devices, a trip,
zones and an anchor watch. Sails a recorded voyage through the API, and prints what to open and what to
try. If the configured port is taken, a free one is used.`,
    options: { ...ADDRESS, speed: { type: "string" } },
    optionHelp: `${ADDRESS_HELP}
  --speed N         sail N times as fast as the vessel did, up to 1000 (default: 10)`,
    run: runDemo,
  },
  {
    name: "user create",
    usage: "user create --username U --email E [--role NAME]… [--password-stdin] [--json]",
    summary: "create a user who can sign in at once",
    description: `Creates an active user without sending a confirmation email. The server may be running.`,
    options: {
      username: { type: "string" },
      email: { type: "string" },
      role: { type: "string", multiple: true },
      "password-stdin": { type: "boolean" },
      json: { type: "boolean" },
    },
    optionHelp: `  --username U      username: 3 to 30 letters, digits and underscores
  --email E         email address
  --role NAME       role in addition to User, such as "Super Admin"; may be repeated
  --password-stdin  read the password from standard input instead of generating one
  --json            print one JSON object: id, username, email, password`,
    run: async (values) => (await import("./identity/commands")).createUser(values),
  },
  {
    name: "key create",
    usage: "key create --name N [--system] [--owner USERNAME] [--scope S]… [--json]",
    summary: "create an API key",
    description: "Creates an API key and prints it; it cannot be shown again. The server may be running.",
    options: {
      name: { type: "string" },
      system: { type: "boolean" },
      owner: { type: "string" },
      scope: { type: "string", multiple: true },
      json: { type: "boolean" },
    },
    optionHelp: `  --name N          purpose of the key
  --owner USERNAME  owner of the key, who limits what it may do; required without --system
  --scope S         permission of the key, such as gps:write, gps:* or *:*; may be repeated
  --system          create a system key, which may do everything (*:*), for another service of yours
  --json            print one JSON object: id, key, key_prefix, scopes, is_system`,
    run: async (values) => (await import("./identity/commands")).createKey(values),
  },
  {
    name: "audit verify",
    isLong: true,
    usage: "audit verify [--json]",
    summary: "verify the hash chain of the audit log",
    description: `Computes the hash of each audit event anew. Exits with status 1 and names the first event that is not
what was hashed, or that does not follow from the one before. The server may be running.`,
    options: { json: { type: "boolean" } },
    optionHelp: `  --json            print one JSON object: is_intact, entries, scrubbed, aged_out, head, first_break`,
    run: async (values) => (await import("./identity/audit-log/command")).verifyLog(values),
  },
  {
    name: "key rotate-master",
    usage: "key rotate-master",
    summary: "replace the key that encrypts stored secrets",
    description: `Makes a new master key and encrypts every stored secret with it, while the server runs or is stopped. The
former key is kept beside it (master.key.old) until that is done; if it is interrupted, call it again, or
start the server, and it goes on. Backups made before need the former key: copy it first if you want to
restore their secrets.`,
    run: async () => (await import("./server/keys/command")).rotateKey(),
  },
  {
    name: "signing-key rotate",
    usage: "signing-key rotate [--at-once] [--json]",
    summary: "replace the key that signs ID tokens",
    description: `Makes the next key that signs ID tokens, as the server does by itself every 90 days. It is published
now and signs in a day; the former one stays published for a week after. The server may be running.`,
    options: { "at-once": { type: "boolean" }, json: { type: "boolean" } },
    optionHelp: `  --at-once         sign with it now, and withdraw the former ones: if others may know them
  --json            print one JSON object: kid, signs_from, at_once`,
    run: async (values) => (await import("./identity/oauth/command")).rotateSigningKey(values),
  },
  {
    name: "import",
    isLong: true,
    usage: "import FILE --device ID [--dry-run] [--json]",
    summary: "import the positions of a GPX or CSV file",
    description: `Stores the positions of FILE for a device: of a GPX file (.gpx), or of a CSV file (.csv) whose first line
names the columns; either may be compressed (.gz). Positions that the device has already are left
alone, so that a file may be imported again. The server may be running; maps that are open show the
positions when they are loaded anew.`,
    options: {
      device: { type: "string" },
      "dry-run": { type: "boolean" },
      json: { type: "boolean" },
    },
    optionHelp: `  --device ID       identifier of the device
  --dry-run         tell what would come of it, and store nothing
  --json            print one JSON object: positions, duplicates, rejected, rejections, from, to,
                    distance_km, tracks`,
    positionals: 1,
    run: async (values, [file = ""]) =>
      (await import("./tracking/import/command")).importIntoData(file, values),
  },
  {
    name: "migrate",
    isLong: true,
    usage: "migrate [--no-backup]",
    summary: "apply pending migrations and exit",
    description: `Applies pending migrations to the database and exits; \`fairlead serve\` does the same before it
serves. A database that holds data is first copied to backup.dir; \`fairlead rollback\` undoes the
migration by restoring that copy. The server must be stopped.`,
    options: { [NO_BACKUP]: { type: "boolean" } },
    optionHelp: NO_BACKUP_HELP,
    run: runMigrate,
  },
  {
    name: "backup",
    usage: "backup FILE",
    summary: "copy the database",
    description: `Writes a consistent copy of the database to FILE, which must not exist, and checks the copy. The
server may be running. The key file (master.key) is not included: keep a copy of it as well.`,
    positionals: 1,
    run: async (_, [file = ""]) => (await import("./server/backup/commands")).backup(file),
  },
  {
    name: "restore",
    usage: "restore FILE",
    summary: "replace the database with a backup",
    description: `Checks FILE, a copy made by \`fairlead backup\`, and replaces the database with it. The server must be
stopped. The former database stays beside it under another name, and FILE is left unchanged.`,
    positionals: 1,
    run: async (_, [file = ""]) => (await import("./server/backup/commands")).restore(file),
  },
  {
    name: "rollback",
    usage: "rollback",
    summary: "undo the last migration",
    description: `Restores the latest copy that was made before a migration (before-VERSION-TIME.db in backup.dir), and
tells which version of Fairlead it belongs to. The server must be stopped. The former database stays
beside the restored one under another name, and the copy is left unchanged.`,
    run: async () => (await import("./server/backup/commands")).rollback(),
  },
  {
    name: "doctor",
    usage: "doctor [--host ADDRESS] [--port N] [--json]",
    summary: "check the installation and suggest remedies",
    description: `Checks the configuration, permissions, master key, database, server address, disk, clock, limits,
memory, backups and configured external services. Changes nothing; the server may be running. Exits
with status 1 if it finds a problem; warnings don't count.`,
    options: { ...ADDRESS, json: { type: "boolean" } },
    optionHelp: `${ASKED_HELP}
  --json            print one JSON object: problems, warnings, findings`,
    run: async ({ json }) => (await import("./server/doctor/command")).examineInstallation(json === true),
  },
  {
    name: "health",
    usage: "health [--host ADDRESS] [--port N]",
    summary: "ask the running server if it is ready",
    description: `Asks the server on this machine if it is ready (GET /health/ready). Exits with status 0 if it is, and
with 1 if it isn't or doesn't answer.`,
    options: ADDRESS,
    optionHelp: ASKED_HELP,
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
    summary: "explain the configuration and print its values",
    description: `Prints every configuration key with its meaning, its value and where that value comes from. Secrets
are hidden.`,
    run: async () => print((await import("./configuration/config-text")).describeConfig()),
  },
];

export const COMMANDS: Record<string, Command> = Object.fromEntries(
  ALL.map((command) => [command.name, command]),
);
