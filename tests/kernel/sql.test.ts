import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript-5";

/**
 * One rule of when SQL is raw (docs/architecture.md, "Raw SQL or Drizzle"): a file has raw SQL or Drizzle, raw
 * SQL says why it is raw, and each raw statement is prepared once, inside `statement(…)`.
 */

const SRC = join(import.meta.dir, "../../src");

// --- Exceptions -------------------------------------------------------------------------------------------

interface Exception {
  file: string;
  why: string;
}

/** The folder that opens the connection: begin and commit, counters and migrations are beneath both styles. */
const BENEATH = "kernel/db/";

/** Files whose raw statements stand outside of `statement(…)`. */
const UNPREPARED: Exception[] = [
  { file: "identity/audit-log/conditions", why: "the filters of a list make up the text" },
  { file: "operations/community/member-rows", why: "the filters of a list make up the text" },
  { file: "server/keys/rotate", why: "the columns are those of a table, and it runs once" },
  { file: "operations/community/insert", why: "the two stores call it inside `statement(…)`" },
];

/** Files that hand the connection to a function that takes any database. */
const HANDED_ON: Exception[] = [
  { file: "serve", why: "the key is tried on the database that was just opened" },
  { file: "server/backup/before-migration", why: "the size of a database is read before it is migrated" },
  { file: "server/health/clock", why: "the program's own record has one reader, for any database" },
  { file: "server/backup/deep-check", why: "the program's own record has one reader, for any database" },
  { file: "server/backup/schedule", why: "the program's own record has one reader, for any database" },
  { file: "server/keys/rotate", why: "the program's own record has one reader, for any database" },
  { file: "tracking/receiver/own-device", why: "the program's own record has one reader, for any database" },
];

/** Files that open a database of their own or are given one: to Drizzle only the program's own is known. */
const OTHER_DATABASES: Exception[] = [
  { file: "bridge/charts/mbtiles", why: "a chart of this form is a database" },
  { file: "kernel/process/data-lock", why: "the lock is SQLite's own on an empty file" },
  { file: "server/backup/before-migration", why: "the copy and the original have one check" },
  { file: "server/backup/copy-worker", why: "a thread has its own connection" },
  { file: "server/backup/restore", why: "a backup is opened" },
  { file: "server/backup/soundness", why: "backups and the server's database have one check" },
  { file: "server/health/clock", why: "the doctor asks about a database that no server has open" },
  { file: "server/keys/check", why: "backups and the server's database have one check" },
  { file: "server/doctor/database", why: "the doctor reads beside a running server" },
];

// --- Findings ---------------------------------------------------------------------------------------------

/** The use of SQL in one file; the lists hold line numbers. */
interface Findings {
  /** Raw statements: `sqlite.prepare(…)`, `.query(…)`, `.run(…)` and the like. */
  raw: number[];
  /** Those that aren't inside `statement(…)`. */
  unprepared: number[];
  /** Uses of `sqlite` that are no call of a method. */
  handedOn: number[];
  drizzle: number[];
  /** Raw SQL in Drizzle's clothes: `db.run(…)`, `db.all(…)` and the like take a text. */
  disguised: number[];
  namesOtherDatabases: boolean;
  saysWhy: boolean;
}

const DISGUISES = ["run", "all", "get", "values"];

/** A comment that gives the reason; the next line may hold it. */
const REASON = /^\s*(?:\/\/|\/\*\*|\*)(?: .*)? Raw SQL:(?: \S|$)/m;

function findingsIn(source: string): Findings {
  const tree = ts.createSourceFile("file.ts", source, ts.ScriptTarget.Latest, true);
  const found: Findings = {
    ...{ raw: [], unprepared: [], handedOn: [], drizzle: [], disguised: [] },
    namesOtherDatabases: false,
    saysWhy: REASON.test(source),
  };
  /** The exported names of the connection by those that the file gives them. */
  const names = new Map<string, string>();
  for (const { moduleSpecifier, importClause } of tree.statements.filter(ts.isImportDeclaration)) {
    const from = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : "";
    const bindings = importClause?.namedBindings;
    if (!/\/db\/connection$|^bun:sqlite$/.test(from)) continue;
    if (!bindings || !ts.isNamedImports(bindings)) throw new Error(`${from} is not imported by names`);
    for (const { name, propertyName } of bindings.elements)
      if (from !== "bun:sqlite") names.set(name.text, (propertyName ?? name).text);
      else if ((propertyName ?? name).text === "Database") found.namesOtherDatabases = true;
  }

  const visit = (node: ts.Node, isPrepared: boolean): void => {
    if (ts.isImportDeclaration(node)) return;
    const { parent } = node;
    const access = parent && ts.isPropertyAccessExpression(parent) ? parent : null;
    const meant = ts.isIdentifier(node) && access?.name !== node ? names.get(node.text) : undefined;
    const method = access && ts.isCallExpression(access.parent) ? access.name.text : null;
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    if (meant === "sqlite" && method === null) found.handedOn.push(line);
    else if (meant === "sqlite") {
      found.raw.push(line);
      if (!isPrepared) found.unprepared.push(line);
    } else if (meant === "db") {
      found.drizzle.push(line);
      if (method !== null && DISGUISES.includes(method)) found.disguised.push(line);
    }
    const prepares =
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      names.get(node.expression.text) === "statement";
    ts.forEachChild(node, (child) => visit(child, isPrepared || prepares));
  };
  visit(tree, false);
  return found;
}

const files = new Map<string, Findings>(
  readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter(
      (file) =>
        file.endsWith(".ts") &&
        !file.endsWith(".d.ts") &&
        !file.startsWith("bridge/page/") &&
        !file.startsWith(BENEATH),
    )
    .sort()
    .map((file) => [file.replace(/\.ts$/, ""), findingsIn(readFileSync(join(SRC, file), "utf8"))]),
);

/** The names of the files that `pick` picks. */
const those = (pick: (found: Findings) => boolean): string[] =>
  [...files].filter(([, found]) => pick(found)).map(([file]) => file);

const sorted = (exceptions: Exception[]) => exceptions.map(({ file }) => file).sort();

// --- Tests ------------------------------------------------------------------------------------------------

describe("the scan", () => {
  const HEAD = 'import { db, sqlite, statement } from "../../kernel/db/connection";\n';
  const PREPARED = 'const find = statement(() => sqlite.prepare("SELECT 1"));\n';

  test("tells raw SQL from Drizzle", () => {
    expect(findingsIn(HEAD + PREPARED)).toMatchObject({ raw: [2], unprepared: [], drizzle: [] });
    expect(findingsIn(`${HEAD}db\n  .select()\n  .from(users);`)).toMatchObject({ raw: [], drizzle: [2] });
    expect(findingsIn(HEAD + PREPARED + PREPARED.replace("sqlite", "db.select()"))).toMatchObject({
      ...{ raw: [2], drizzle: [3], disguised: [] },
    });
    // Another `db` or `sqlite`, a comment, a text.
    const others =
      '// sqlite.run("x")\nconst text = "db.select()";\nfile.sqlite.run("x");\nfile.db.select();';
    expect(findingsIn(HEAD + others)).toMatchObject({ raw: [], handedOn: [], drizzle: [] });
    expect(findingsIn('sqlite.run("x");')).toMatchObject({ raw: [] });
  });

  test("finds raw statements that are prepared each time, however they are written", () => {
    const calls = 'const read = () => sqlite.query("SELECT 1").get();\nsqlite\n  .run("DELETE FROM users");';
    expect(findingsIn(HEAD + calls)).toMatchObject({ raw: [2, 3], unprepared: [2, 3] });
    const nested =
      'const both = (t) => statement(() => { const c = f(t); return [sqlite.prepare("a" + c)]; });';
    expect(findingsIn(HEAD + nested)).toMatchObject({ raw: [2], unprepared: [] });
    expect(findingsIn(HEAD.replace("sqlite", "sqlite as s") + calls.replaceAll("sqlite", "s"))).toMatchObject(
      {
        unprepared: [2, 3],
      },
    );
  });

  test("finds a connection that is handed on, raw SQL through Drizzle and another database", () => {
    expect(findingsIn(`${HEAD}const rows = all(sqlite);\nconst { run } = sqlite;`)).toMatchObject({
      ...{ raw: [], handedOn: [2, 3] },
    });
    expect(findingsIn(`${HEAD}db.all("SELECT 1");\ndb.select().all();`)).toMatchObject({ disguised: [2] });
    expect(findingsIn('import type { Database } from "bun:sqlite";').namesOtherDatabases).toBe(true);
    expect(findingsIn('import type { Statement } from "bun:sqlite";').namesOtherDatabases).toBe(false);
    expect(() => findingsIn('import * as base from "../../kernel/db/connection";')).toThrow("by names");
  });

  test("finds the reason in a comment alone", () => {
    expect(findingsIn("// Raw SQL: each position runs it.\n").saysWhy).toBe(true);
    expect(findingsIn("/**\n * The index. Raw SQL:\n * it is virtual.\n */\n").saysWhy).toBe(true);
    expect(findingsIn("// Raw SQL\n").saysWhy).toBe(false);
    expect(findingsIn('const text = "Raw SQL: no";\n').saysWhy).toBe(false);
  });

  test("reaches the program (one that finds nothing proves nothing)", () => {
    expect(those(({ raw }) => raw.length > 0)).toContain("tracking/gps/service");
    expect(those(({ drizzle }) => drizzle.length > 0).length).toBeGreaterThan(40);
  });
});

describe("a file", () => {
  test("has raw SQL or Drizzle, not both", () => {
    expect(
      those(
        ({ raw, drizzle, namesOtherDatabases }) =>
          (raw.length > 0 || namesOtherDatabases) && drizzle.length > 0,
      ),
    ).toEqual([]);
    expect(those(({ disguised }) => disguised.length > 0)).toEqual([]);
  });

  test("with raw SQL says why", () => {
    expect(those(({ raw, saysWhy }) => raw.length > 0 && !saysWhy)).toEqual([]);
    // A reason that outlived its statements.
    expect(those(({ raw, saysWhy }) => raw.length === 0 && saysWhy)).toEqual([]);
  });

  test("prepares its raw statements once, but for the exceptions above", () => {
    expect(those(({ unprepared }) => unprepared.length > 0)).toEqual(sorted(UNPREPARED));
  });

  test("keeps the connection to itself, and opens no other, but for the exceptions above", () => {
    expect(those(({ handedOn }) => handedOn.length > 0)).toEqual(sorted(HANDED_ON));
    expect(those(({ namesOtherDatabases }) => namesOtherDatabases)).toEqual(sorted(OTHER_DATABASES));
  });
});
