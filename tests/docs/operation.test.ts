import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/commands";
import { OPTIONS } from "../../src/configuration/config";
import type { Option } from "../../src/configuration/option-kinds";
import { CATALOGUE } from "../../src/runtime-settings/catalogue";
import { command } from "../support/server";

/** The documents hold against the program: commands, options, keys and defaults, links, metrics, operations. */

const ROOT = join(import.meta.dir, "../..");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

const DOCUMENTS = [
  ...["README.md", "CHANGELOG.md"],
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const operation = read("docs/operation.md");
const MINE = ["README.md", "docs/operation.md", "docs/deployment.md", "docs/performance.md"];
/** The documents that tell how it is now. */
const PRESENT = DOCUMENTS.filter((name) => name !== "CHANGELOG.md");

/** The first words of keys. */
const sections = new Set(
  [...Object.keys(OPTIONS), ...Object.keys(CATALOGUE)].map((key) => key.split(".")[0]),
);

describe("the README", () => {
  const readme = read("README.md");

  test("has at most 150 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  test("names the command with which CI tests, and how its last line reads", () => {
    const [, named = ""] = /^(npm test) +# .*the last line reads "N passed, M failed"$/m.exec(readme) ?? [];
    expect(named).toBe("npm test");
    expect(read(".ci/run").trimEnd()).toEndWith(`&& ${named}`);
    expect(read("tests/run.ts")).toMatch(/`\\n\$\{passed\} passed, \$\{failed\} failed\\n`/);
  });

  test("leads to every document for operators", () => {
    for (const name of MINE.slice(1)) expect(readme).toContain(`](${name})`);
  });
});

const LINK = /\]\(([^)\s]+)\)/g;

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (document: string): Set<string> =>
  new Set(
    [...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    ),
  );

test("links are found (a scan that finds nothing proves nothing)", () => {
  expect(DOCUMENTS.flatMap((name) => read(name).match(LINK) ?? []).length).toBeGreaterThan(60);
});

test.each(DOCUMENTS)("%s links only to parts and files that there are", (name) => {
  const lost = [...read(name).matchAll(LINK)].flatMap(([, target = ""]) => {
    if (/^https?:/.test(target)) return [];
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? name : join(dirname(name), path);
    if (!existsSync(join(ROOT, file))) return [target];
    return anchor === undefined || anchorsOf(read(file)).has(anchor) ? [] : [target];
  });
  expect(lost).toEqual([]);
});

test.each(DOCUMENTS)("%s names all its parts where it names some at its beginning", (name) => {
  const [beginning = "", ...parts] = read(name)
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .split(/^## /m);
  const last = beginning.trimEnd().split("\n\n").at(-1) ?? "";
  const named = last.match(/\]\(#[^)]+\)/g)?.map((link) => link.slice(3, -1)) ?? [];
  const headings = parts.flatMap((part) => [...anchorsOf(`## ${part.split("\n")[0]}`)]);
  if (named.length > 0) expect(named).toEqual(headings);
});

describe("the table of commands", () => {
  // Files of the data directory stand in a later table.
  const [table = ""] = operation.split("Every command accepts");
  const rows = [...table.matchAll(/^\| `([a-z -]+?)(?: FILE)?` \| ([^|]+) \|$/gm)];

  test("has each command once, with the summary that --help prints", () => {
    const told = Object.fromEntries(rows.map(([, name = "", purpose = ""]) => [name, purpose]));
    const own = Object.values(COMMANDS).map(({ name, summary }) => [
      name,
      summary.replace(" (the default)", "; the default"),
    ]);
    expect(told).toEqual(Object.fromEntries(own));
    expect(rows).toHaveLength(own.length);
  });
});

describe("the table of keys", () => {
  /** The defaults that follow from another value, or are none because leaving the key out means something. */
  const DERIVED: Record<string, string> = {
    "server.public_url": "http://localhost:PORT",
    "backup.dir": "`backups/` in data.dir",
    "integrations.allowed_redirects": "server.public_url",
    "sync.include": "all",
  };
  const show = (value: unknown): string =>
    value === null || (Array.isArray(value) && value.length === 0)
      ? "none"
      : typeof value === "object"
        ? Object.values(value).join("/")
        : String(value);
  const rows = [...operation.matchAll(/^\| `([a-z_]+\.[a-z_.]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];

  test("names keys that there are, with their defaults", () => {
    expect(rows.length).toBeGreaterThan(30);
    for (const [, key = "", told] of rows) {
      const option = ({ ...OPTIONS, ...CATALOGUE } as Record<string, Pick<Option<unknown>, "default">>)[key];
      expect([key, told]).toEqual([key, DERIVED[key] ?? (option ? show(option.default) : "not a key")]);
    }
  });

  test("and that of the system config, which has all entries, with their defaults", () => {
    const keys = rows.flatMap(([, key = ""]) => (Object.hasOwn(CATALOGUE, key) ? [key] : []));
    expect(keys.toSorted()).toEqual(Object.keys(CATALOGUE).toSorted());
  });

  test("names each key once", () => {
    const keys = rows.map(([, key]) => key);
    expect(keys).toEqual([...new Set(keys)]);
  });
});

describe.each(PRESENT)("%s", (name) => {
  const document = read(name);

  test("names keys that there are", () => {
    const keys = [...document.matchAll(/`([a-z][a-z_]*(?:\.[a-z0-9_]+)+)(?: = [^`]*)?`/g)]
      .map(([, key = ""]) => key)
      .filter((key) => !/\.(?:db|key|old|lock|json|md|toml|proto|mmdb|ts|js|yml|yaml|xml)$/.test(key))
      // Elsewhere a word with a point may be a field or a type of message too.
      .filter(
        (key) => MINE.includes(name) || (sections.has(key.split(".")[0] ?? "") && key !== "audit.head"),
      );
    const unknown = keys.filter((key) => !Object.hasOwn(OPTIONS, key) && !Object.hasOwn(CATALOGUE, key));
    expect(unknown).toEqual([]);
  });

  test("calls commands and scripts that there are, with options that they have", () => {
    const text = document.replaceAll(/\\\n\s*/g, "");
    const common = ["--config", "--data-dir", "--help", "--version"];
    for (const [, line = ""] of text.matchAll(/(?:^|[ `/])fairlead(?: --)? ((?:[a-z]+ ?)+[^`\n&|#]*)/gm)) {
      const words = line.split(" ");
      const command = COMMANDS[words.slice(0, 2).join(" ")] ?? COMMANDS[words[0] ?? ""];
      // "fairlead" may also be the name of a container or an image, which a command line follows.
      if (!command) continue;
      const options = Object.keys(command.options ?? {}).map((option) => `--${option}`);
      for (const option of line.match(/(?<= )--[a-z-]+/g) ?? [])
        expect([line, [...options, ...common]]).toEqual([line, expect.arrayContaining([option])]);
    }
    const scripts = [...text.matchAll(/(?:npm|bun) run (?:-s )?([a-z:]+)/g)].map(([, script = ""]) => script);
    expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
    const bench = read("tests/bench/options.ts");
    for (const [line] of text.matchAll(/run bench[^`\n]*/g))
      for (const option of line.match(/--[a-z]+/g) ?? []) expect(bench).toContain(`  ${option} `);
  });

  test("names metrics that there are", () => {
    const registered = [...new Bun.Glob("src/**/*.ts").scanSync(ROOT)].map(read).join("\n");
    for (const [, metric] of document.matchAll(/`((?:fairlead|process)_[a-z_]+)[`{]/g))
      expect(registered).toContain(`"${metric}"`);
  });
});

describe("operations", () => {
  const METHODS = ["get", "post", "put", "patch", "delete"];
  const NAMED = /\b(GET|POST|PUT|PATCH|DELETE) `?(\/[\w/{}.-]*\w\}?|\/)/g;
  /** The page at which browsers begin a sign-in at a provider. The API's document has no pages. */
  const PAGES = ["GET /v1/auth/oidc/{name}"];
  let paths: [path: RegExp, methods: string[]][] = [];

  beforeAll(async () => {
    const document: { paths: Record<string, object> } = JSON.parse((await command(["openapi"])).stdout);
    paths = Object.entries(document.paths).map(([path, operations]) => [
      new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
      METHODS.filter((method) => method in operations).map((method) => method.toUpperCase()),
    ]);
  });

  test("are named in many places (a scan that finds nothing proves nothing)", () => {
    expect(DOCUMENTS.flatMap((name) => read(name).match(NAMED) ?? []).length).toBeGreaterThan(150);
  });

  test.each(DOCUMENTS)("%s names only those that there are", (name) => {
    const lost = [...read(name).matchAll(NAMED)].filter(
      ([, method = "", path = ""]) =>
        !paths.some(([pattern, methods]) => methods.includes(method) && pattern.test(path)),
    );
    expect(
      lost.map(([, method, path]) => `${method} ${path}`).filter((text) => !PAGES.includes(text)),
    ).toEqual([]);
  });
});
