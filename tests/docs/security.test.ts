import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OPTIONS } from "../../src/configuration/config";
import { CATALOGUE } from "../../src/runtime-settings/catalogue";

/**
 * docs/security.md names the requirements that hold and the tests that show it. This checks that both are
 * still there.
 */

const ROOT = join(import.meta.dir, "../..");
const document = readFileSync(join(ROOT, "docs/security.md"), "utf8");

/**
 * The levels of the requirements of ASVS 5.0.0, by section, in their order: "1.2" begins with 1.2.1, which is of level 1.
 * From OWASP_Application_Security_Verification_Standard_5.0.0_en.flat.json of the tag v5.0.0_release.
 */
const LEVELS: Record<string, string> = {
  ...{ "1.1": "22", "1.2": "1111122223", "1.3": "112222222223", "1.4": "222", "1.5": "123" },
  ...{ "2.1": "122", "2.2": "112", "2.3": "12223", "2.4": "23" },
  ...{ "3.1": "3", "3.2": "113", "3.3": "12223", "3.4": "11222233", "3.5": "11122333", "3.6": "3" },
  ...{ "3.7": "22333", "4.1": "12233", "4.2": "23333", "4.3": "22", "4.4": "1222" },
  ...{ "5.1": "2", "5.2": "112333", "5.3": "113", "5.4": "222" },
  ...{ "6.1": "122", "6.2": "111111112222", "6.3": "11223333", "6.4": "112233", "6.5": "22222333" },
  ...{ "6.6": "2223", "6.7": "33", "6.8": "2222" },
  ...{ "7.1": "222", "7.2": "1111", "7.3": "22", "7.4": "11222", "7.5": "223", "7.6": "22" },
  ...{ "8.1": "1233", "8.2": "1123", "8.3": "133", "8.4": "23", "9.1": "111", "9.2": "1222" },
  ...{ "10.1": "22", "10.2": "223", "10.3": "22223", "10.4": "1111122222233333", "10.5": "22222" },
  ...{ "10.6": "22", "10.7": "222" },
  ...{ "11.1": "2233", "11.2": "22233", "11.3": "11233", "11.4": "1222", "11.5": "23", "11.6": "23" },
  ...{ "11.7": "33", "12.1": "12233", "12.2": "11", "12.3": "22223" },
  ...{ "13.1": "2333", "13.2": "222223", "13.3": "2233", "13.4": "1222233" },
  ...{ "14.1": "22", "14.2": "12223333", "14.3": "122", "15.1": "12233", "15.2": "12233" },
  ...{ "15.3": "1222222", "15.4": "3333" },
  ...{ "16.1": "2", "16.2": "22222", "16.3": "2222", "16.4": "222", "16.5": "2223" },
  ...{ "17.1": "23", "17.2": "22223333", "17.3": "22" },
};

const expected = Object.entries(LEVELS).flatMap(([section, levels]) =>
  [...levels].flatMap((level, at) => (level === "3" ? [] : [`${section}.${at + 1} of level ${level}`])),
);

const rows = [...document.matchAll(/^\| (\d+\.\d+\.\d+) \| (\d) \| (.*?) \| (.*) \|$/gm)].map(
  ([, number = "", level = "", requirement = "", verdict = ""]) => ({ number, level, requirement, verdict }),
);

const VERDICT = /^(Held|Partly|Documented|Operator|Not held|Not applicable)\b/;
const kindOf = (verdict: string) => VERDICT.exec(verdict)?.[1] ?? `none: ${verdict}`;

/** The tests that a text names, in the form `file`: "name", "name". */
const testsIn = (text: string) =>
  [...text.matchAll(/`(tests\/[\w/-]+\.test\.ts)`:((?:,? "[^"]+")+)/g)].flatMap(([, file = "", names = ""]) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => ({ file, name })),
  );

/** True if a test file has this name: at the start of a `test` or `describe`, or in a table of tests. */
function hasTest(file: string, name: string): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const opening = new Set(['"', "`", "'"]);
  const source = readFileSync(path, "utf8");
  for (let at = source.indexOf(name); at !== -1; at = source.indexOf(name, at + 1))
    if (opening.has(source[at - 1] ?? "")) return true;
  return false;
}

/** The anchors of a document's headings, as GitHub makes them. */
const anchors = new Set(
  [...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  ),
);

describe("the list of ASVS", () => {
  test("has each requirement of levels 1 and 2 once, in order, and no other", () => {
    expect(expected).toHaveLength(253);
    expect(rows.map(({ number, level }) => `${number} of level ${level}`)).toEqual(expected);
  });

  test("says of each in a few words what is asked", () => {
    for (const { number, requirement } of rows)
      expect([number, requirement.length > 10 && requirement.length < 120]).toEqual([number, true]);
    // A row that the pattern above doesn't understand would be missing in silence.
    expect(document.match(/^\| \d+\.\d+\.\d+ /gm)).toHaveLength(rows.length);
  });

  test("says of each by what it is held, or why not", () => {
    const numbers = rows.map(({ number }) => number);
    for (const { number, verdict } of rows) {
      const kind = kindOf(verdict);
      expect([number, kind]).toEqual([number, expect.stringMatching(VERDICT)]);
      // A row that means another one names it: "as 9.1.1".
      const other = /: as (\d+\.\d+\.\d+)/.exec(verdict)?.[1];
      if (other !== undefined) expect([number, numbers.indexOf(other) >= 0]).toEqual([number, true]);
      else expect([number, verdict.length > kind.length + 16]).toEqual([number, true]);
      if (kind === "Held") expect([number, testsIn(verdict).length > 0]).toEqual([number, true]);
      if (kind === "Documented")
        expect([number, testsIn(verdict).length > 0 || verdict.includes("](#")]).toEqual([number, true]);
    }
  });

  test("names tests that there are", () => {
    const named = rows.flatMap(({ number, verdict }) =>
      testsIn(verdict).map(({ file, name }) => ({ number, file, name })),
    );
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ file, name }) => !hasTest(file, name))).toEqual([]);
    // Every path that looks like a test file is among them.
    const mentioned = rows.flatMap(({ verdict }) => verdict.match(/tests\/[\w/.-]+/g) ?? []);
    expect(new Set(mentioned)).toEqual(new Set(named.map(({ file }) => file)));
  });

  test("would miss a test that there isn't", () => {
    const file = "tests/docs/security.test.ts";
    expect(hasTest(file, "would miss a test that there isn't")).toBe(true);
    expect(hasTest(file, ["no", "such", "test"].join(" "))).toBe(false);
    expect(hasTest("tests/docs/nothing.test.ts", "x")).toBe(false);
  });
});

describe("the document", () => {
  test("leads only to parts and files that there are", () => {
    const links = [...document.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    const isThere = (target: string) =>
      target.startsWith("https://") ||
      (target.startsWith("#")
        ? anchors.has(target.slice(1))
        : existsSync(join(ROOT, "docs", target.split("#")[0] ?? "")));
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((target) => !isThere(target))).toEqual([]);
  });

  test("names keys that there are", () => {
    const keys = [...document.matchAll(/`([a-z][a-z_]*(?:\.[a-z0-9_]+)+)(?: = [^`]*)?`/g)]
      .map(([, key = ""]) => key)
      .filter((key) => !/\.(?:db|key|lock|json|md|toml|proto)$/.test(key));
    expect(keys.length).toBeGreaterThan(30);
    const unknown = keys.filter((key) => !Object.hasOwn(OPTIONS, key) && !Object.hasOwn(CATALOGUE, key));
    expect([...new Set(unknown)]).toEqual([]);
  });

  test("tells the limits that are the default", () => {
    const limits = [...document.matchAll(/^\|.*`(rate_limit\.\w+)` \| (\d+) in (60 s|an hour)/gm)];
    expect(limits.length).toBeGreaterThan(7);
    for (const [, key = "", requests, window] of limits)
      expect([key, Object.entries(OPTIONS).find(([name]) => name === key)?.[1].default]).toEqual([
        key,
        { requests: Number(requests), seconds: window === "60 s" ? 60 : 3_600 },
      ]);
  });
});

describe("the libraries", () => {
  interface Lock {
    packages: Record<string, [spec: string, registry: string, about: object, integrity: string]>;
  }
  const lock: Lock = JSON.parse(
    readFileSync(join(ROOT, "bun.lock"), "utf8").replaceAll(/,(\s*[}\]])/g, "$1"),
  );

  test("every library is named with its exact version and hash, from the npm registry", () => {
    const packages = Object.entries(lock.packages);
    expect(packages.length).toBeGreaterThan(100);
    for (const [name, [spec, registry, , integrity]] of packages)
      expect([name, spec, registry, integrity]).toEqual([
        name,
        expect.stringMatching(/^(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*$/),
        "",
        expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/),
      ]);
  });

  test("those asked for are asked for in one version", async () => {
    const { dependencies, devDependencies } = await Bun.file(join(ROOT, "package.json")).json();
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([name, version]).toEqual([name, expect.stringMatching(/^(?:npm:[\w.-]+@)?\d+\.\d+\.\d+$/)]);
  });
});
