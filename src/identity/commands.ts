import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { hashPassword, requirePasswordHash } from "../kernel/crypto/crypto";
import { db } from "../kernel/db/connection";
import { withData } from "../kernel/db/open-data";
import { transact } from "../kernel/db/transactions";
import { isUniqueViolation } from "../kernel/errors/errors";
import { isEmail } from "../kernel/http/schema";
import { OperatorError, UsageError } from "../kernel/process/operator";
import { printBeforeCommit } from "../kernel/process/print";
import { isPermissionForm } from "./access/permissions";
import { insertApiKey } from "./api-keys/service";
import { insertUser } from "./directory/new-user";
import { USERNAME } from "./directory/users";
import { roles } from "./roles/table";
import { seedIdentity } from "./seed";
import { users } from "./users/table";

/** `fairlead user create` and `fairlead key create`. */

type Values = Record<string, unknown>;

/**
 * Runs a command's work on the database, once it holds the roles of every installation. The server may be
 * running on it.
 */
const withRoles = <T>(work: () => Promise<T>): Promise<T> =>
  withData(async () => {
    await transact(seedIdentity);
    return await work();
  });

const MIN_PASSWORD = 8;
const MAX_PASSWORD = 128;

/** Creates an active user and prints it. Throws UsageError or OperatorError. */
export async function createUser(values: Values): Promise<void> {
  const { username, email } = values as { username?: string; email?: string };
  if (!username || !USERNAME.test(username))
    throw new UsageError("--username must be 3 to 30 letters, digits and underscores");
  if (!email || !isEmail(email)) throw new UsageError("--email must be an email address");
  const password = values["password-stdin"] ? await readPassword() : randomBytes(15).toString("base64url");
  if (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD)
    throw new UsageError(`the password must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters long`);
  await requirePasswordHash();
  const passwordHash = await hashPassword(password);
  const shown = values["password-stdin"] ? null : password;
  await withRoles(() =>
    transact(() => {
      const roleIds = ((values.role ?? []) as string[]).map(findRole);
      const user = insertNamed({ username, email, passwordHash, roles: roleIds });
      const lines = [`Creating the user ${user.username} <${user.email}> (id ${user.id})`];
      if (shown !== null) lines.push(`Password (shown only once): ${shown}`);
      printBeforeCommit(values.json ? JSON.stringify({ ...user, password: shown }) : lines.join("\n"));
    }),
  );
}

function insertNamed(user: Parameters<typeof insertUser>[0]): ReturnType<typeof insertUser> {
  try {
    return insertUser(user);
  } catch (error) {
    if (isUniqueViolation(error))
      throw new OperatorError("the username or the email address is already taken");
    throw error;
  }
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
      `there is no role "${wanted}"; choose one of ${all.map(({ name }) => name).join(", ")}`,
    );
  return role.id;
}

/** Creates an API key and prints it, once only. Throws UsageError or OperatorError. */
export async function createKey(values: Values): Promise<void> {
  const { name, owner } = values as { name?: string; owner?: string };
  const isSystem = values.system === true;
  const scopes = (values.scope ?? []) as string[];
  if (!name || name.length > 200) throw new UsageError("--name must be 1 to 200 characters long");
  if (!isSystem && !owner) throw new UsageError("--owner is required unless --system is given");
  if (isSystem && scopes.length > 0)
    throw new UsageError("--scope cannot be combined with --system: a system key has *:*");
  const wrong = scopes.find((scope) => !isPermissionForm(scope));
  if (wrong !== undefined)
    throw new UsageError(`--scope ${wrong} must be <resource>:<action>, <resource>:* or *:*`);
  await withRoles(() =>
    transact(() => {
      const key = insertApiKey({
        name,
        description: null,
        scopes: isSystem ? ["*:*"] : scopes,
        expiresAt: null,
        ownerId: owner === undefined ? null : findOwner(owner),
        isSystem,
      });
      const lines = [
        `Creating the ${isSystem ? "system " : ""}key ${key.name} (id ${key.id}) with scopes ${key.scopes.join(", ") || "none"}`,
        `Key (shown only once): ${key.key}`,
      ];
      const { id, key_prefix, scopes: granted, is_system } = key;
      const shown = { id, key: key.key, key_prefix, scopes: granted, is_system };
      printBeforeCommit(values.json ? JSON.stringify(shown) : lines.join("\n"));
    }),
  );
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
