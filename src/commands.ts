import { randomBytes } from "node:crypto";
import type { ParseArgsConfig } from "node:util";
import { eq } from "drizzle-orm";
import { createApp } from "./app";
import { config, configSources, describeConfig } from "./config";
import { demo } from "./demo/demo";
import { isPermissionForm } from "./identity/access/permissions";
import { insertApiKey } from "./identity/api-keys/service";
import { roles } from "./identity/roles/table";
import { seedIdentity } from "./identity/seed";
import { insertUser, USERNAME } from "./identity/users/service";
import { users } from "./identity/users/table";
import { hashPassword } from "./kernel/crypto";
import { OperatorError, openData, prepareDataDirectory } from "./kernel/data-dir";
import { closeDatabase, db, transact } from "./kernel/db";
import { isUniqueViolation } from "./kernel/errors";
import { print, printJson } from "./kernel/print";
import { isEmail } from "./kernel/schema";
import { backup, restore } from "./operations/backup/commands";
import { examineInstallation } from "./operations/doctor/command";
import { askHealth } from "./operations/health/command";
import { serve, stopOnSignals } from "./serve";

/** Wrong arguments; the program ends with status 2. */
export class UsageError extends Error {}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Command {
  name: string;
  /** The whole command line; the overview shows the name alone where this is long. */
  usage: string;
  summary: string;
  description: string;
  options?: NonNullable<ParseArgsConfig["options"]>;
  optionHelp?: string;
  /** How many arguments without a dash it takes; none when left out. */
  positionals?: number;
  run: (values: Values, positionals: string[]) => Promise<void> | void;
}

/** Tells a person beside a server that serves on if nobody hears it. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** How a person calls another command on the same data directory. */
function commandLine(command: string): string {
  const isCompiled = Bun.main.startsWith("/$bunfs/");
  const program = isCompiled ? process.execPath : "npm run -s fairlead --";
  const own = configSources["data.dir"] === "command line" ? ` --data-dir ${config["data.dir"]}` : "";
  return `${program} ${command}${own}`;
}

// --- serve, demo ------------------------------------------------------------------------------------------

async function runServe(): Promise<void> {
  const running = await serve();
  stopOnSignals(running.stop);
  const hasUsers = db.select({ id: users.id }).from(users).limit(1).get() !== undefined;
  say(
    `Fairlead listens on ${running.url}${config["docs.enabled"] ? ` and explains itself at ${running.url}/docs` : ""}`,
  );
  if (!hasUsers)
    say(
      `There is no user yet. Make the first one beside the running server: ${commandLine("user create")} --username NAME --email ADDRESS --role "Super Admin"`,
    );
}

async function runDemo({ speed }: Values): Promise<void> {
  const factor = speed === undefined ? undefined : Number(speed);
  if (factor !== undefined && !(factor > 0 && factor <= 1_000))
    throw new UsageError("--speed must be a number above 0 and at most 1000");
  await demo(factor);
}

// --- user create, key create --------------------------------------------------------------------------------

/** Opens the data directory for a command; the server may be running on it. */
async function withData<T>(work: () => Promise<T>): Promise<T> {
  prepareDataDirectory();
  openData(false);
  await transact(seedIdentity);
  try {
    return await work();
  } finally {
    closeDatabase();
  }
}

const MIN_PASSWORD = 8;
const MAX_PASSWORD = 128;

async function createUser(values: Values): Promise<void> {
  const { username, email } = values as { username?: string; email?: string };
  if (!username || !USERNAME.test(username))
    throw new UsageError("--username must be 3 to 30 letters, digits and underscores");
  if (!email || !isEmail(email)) throw new UsageError("--email must be an email address");
  const password = values["password-stdin"] ? await readPassword() : randomBytes(15).toString("base64url");
  if (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD)
    throw new UsageError(`the password must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters long`);
  const passwordHash = await hashPassword(password);
  const user = await withData(() =>
    transact(() => {
      const roleIds = ((values.role ?? []) as string[]).map(findRole);
      try {
        return insertUser({ username, email, passwordHash, roles: roleIds });
      } catch (error) {
        if (isUniqueViolation(error)) throw new OperatorError("the username or the email address is taken");
        throw error;
      }
    }),
  );
  const generated = !values["password-stdin"];
  if (values.json) {
    await printJson({ ...user, password: generated ? password : null });
    return;
  }
  await print(`Created the user ${user.username} <${user.email}>, id ${user.id}`);
  if (generated) await print(`Password, shown this once: ${password}`);
}

async function readPassword(): Promise<string> {
  const [line = ""] = (await Bun.stdin.text()).split(/\r?\n/);
  return line;
}

/** A role by its name, in any case, or its identifier. */
function findRole(wanted: string): string {
  const all = db.select({ id: roles.id, name: roles.name }).from(roles).all();
  const role = all.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (!role)
    throw new OperatorError(
      `there is no role "${wanted}"; there are ${all.map(({ name }) => name).join(", ")}`,
    );
  return role.id;
}

async function createKey(values: Values): Promise<void> {
  const { name, owner } = values as { name?: string; owner?: string };
  const isSystem = values.system === true;
  const scopes = (values.scope ?? []) as string[];
  if (!name || name.length > 200) throw new UsageError("--name must be 1 to 200 characters long");
  if (!isSystem && !owner) throw new UsageError("--owner is needed, unless the key is made with --system");
  if (isSystem && scopes.length > 0)
    throw new UsageError("--scope is not for a --system key, which holds *:*");
  const wrong = scopes.find((scope) => !isPermissionForm(scope));
  if (wrong !== undefined)
    throw new UsageError(`--scope ${wrong} must be <resource>:<action>, <resource>:* or *:*`);
  const key = await withData(() =>
    transact(() =>
      insertApiKey(
        {
          name,
          description: null,
          scopes: isSystem ? ["*:*"] : scopes,
          expiresAt: null,
          ownerId: owner === undefined ? null : findOwner(owner),
          isSystem,
        },
        null,
      ),
    ),
  );
  if (values.json) {
    const { id, key: value, key_prefix, scopes: granted, is_system } = key;
    await printJson({ id, key: value, key_prefix, scopes: granted, is_system });
    return;
  }
  await print(
    `Created the ${isSystem ? "system " : ""}key ${key.name}, id ${key.id}, scopes ${key.scopes.join(", ") || "none"}`,
  );
  await print(`Key, shown this once: ${key.key}`);
}

function findOwner(username: string): string {
  const user = db
    .select({ id: users.id, deletedAt: users.deleted_at })
    .from(users)
    .where(eq(users.username, username.toLowerCase()))
    .get();
  if (!user || user.deletedAt !== null) throw new OperatorError(`there is no user "${username}"`);
  return user.id;
}

// --- migrate ------------------------------------------------------------------------------------------------

async function runMigrate(): Promise<void> {
  prepareDataDirectory();
  const applied = openData(false);
  closeDatabase();
  await print(applied.length === 0 ? "The database is up to date" : `Applied ${applied.join(", ")}`);
}

// --- openapi, config ----------------------------------------------------------------------------------------

async function printDocument(): Promise<void> {
  const document = await createApp().document();
  await print(JSON.stringify(JSON.parse(document), null, 2));
}

// --- The table ----------------------------------------------------------------------------------------------

const ALL: Command[] = [
  {
    name: "serve",
    usage: "serve",
    summary: "migrate the database, then serve (the default)",
    description: "Migrates the database, then serves until SIGTERM or SIGINT.",
    run: runServe,
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
    run: createUser,
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
    run: createKey,
  },
  {
    name: "migrate",
    usage: "migrate",
    summary: "apply pending migrations and exit",
    description:
      "Applies pending migrations of the database and exits. `serve` does the same before it serves.",
    run: runMigrate,
  },
  {
    name: "backup",
    usage: "backup FILE",
    summary: "copy the database while the server runs",
    description:
      "Writes a consistent, checked copy of the database to FILE, which must not exist. The server may run. The key file (master.key) is not in it: keep a copy of that too.",
    positionals: 1,
    run: (_, [file = ""]) => backup(file),
  },
  {
    name: "restore",
    usage: "restore FILE",
    summary: "put a backup in place of the database",
    description:
      "Checks FILE, a copy that `backup` made, and puts it in place of the database. The server must be stopped. The former database is kept beside it under another name, and FILE is left as it is.",
    positionals: 1,
    run: (_, [file = ""]) => restore(file),
  },
  {
    name: "doctor",
    usage: "doctor [--json]",
    summary: "check the installation, and say what to do",
    description:
      "Checks configuration, permissions, database, disk, clock, limits, backups and the outside addresses that are configured, beside a running server or without one, and changes nothing. Exit status 0 unless it finds a problem.",
    options: { json: { type: "boolean" } },
    optionHelp: "  --json            print one JSON object: problems, warnings, findings",
    run: ({ json }) => examineInstallation(json === true),
  },
  {
    name: "health",
    usage: "health",
    summary: "ask the running server whether it is ready",
    description:
      "Asks the server of this configuration, on this machine, whether it is ready (GET /health/ready). Exit status 0 when it is, 1 when it is not or does not answer.",
    run: askHealth,
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
