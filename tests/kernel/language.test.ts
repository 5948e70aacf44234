import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Comments are sentences about the code, and cite nothing that a reader of the repository can't open. A
 * question word at the start makes a riddle of a comment, so it is refused; rules are cited by their number
 * in docs/rules.md.
 */

const ROOT = join(import.meta.dir, "../..");
const FOLDERS = ["src", "proto", "tests", ".ci", "drizzle", "clients"];

const filesIn = (folder: string, ending: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));

const sources = FOLDERS.flatMap((folder) => [...filesIn(folder, ".ts"), ...filesIn(folder, ".tsx")]).sort();

// --- Comments ---------------------------------------------------------------------------------------------

interface Line {
  number: number;
  text: string;
}

/** The code before a comment at the end of a line. In a string the mark begins no comment. */
const BEFORE_END = /^(?:[^"'`/]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\/(?!\/))*?\s\/\/ /;

/** The comments of a source, each as its lines without marks. Consecutive lines with `//` are one comment. */
function commentsIn(source: string): Line[][] {
  const comments: Line[][] = [];
  let run: Line[] | null = null;
  let isBlock = false;
  for (const [at, line] of source.split("\n").entries()) {
    const bare = line.trim();
    const opensBlock: boolean = !isBlock && bare.startsWith("/*");
    const isLine = !isBlock && bare.startsWith("//");
    const ending = isBlock || opensBlock || isLine ? null : BEFORE_END.exec(line);
    if (isBlock || opensBlock || isLine || ending) {
      const marked = ending ? line.slice(ending[0].length) : bare;
      const text = marked.replace(/^(?:\/\/|\/\*+|\*(?!\/))/, "").replace(/\*\/.*$/, "");
      if (run === null || opensBlock || ending) {
        run = [];
        comments.push(run);
      }
      run.push({ number: at + 1, text: text.trim() });
    }
    isBlock = (isBlock || opensBlock) && !bare.includes("*/");
    if (!isBlock && !isLine) run = null;
  }
  return comments;
}

/** The matches of a pattern in the comments of a source, also those that a line break divides. */
function matchesIn(source: string, pattern: RegExp): { number: number; match: RegExpExecArray }[] {
  return commentsIn(source).flatMap((lines) => {
    const starts: number[] = [];
    let text = "";
    for (const line of lines) {
      starts.push(text.length);
      text += `${line.text} `;
    }
    return [...text.matchAll(pattern)].map((match) => {
      const at = starts.findLastIndex((start) => start <= match.index);
      return { number: lines[at]?.number ?? 0, match };
    });
  });
}

// --- Faults -----------------------------------------------------------------------------------------------

const OPENS_AS_QUESTION = /^\s*(?:\/\/|\/?\*\*?) +(?:What|Whether|Who|How|Where|Which)(?: |$)/;

/** The lines of comments that open with a question word and ask nothing. */
const riddlesIn = (source: string): string[] =>
  source
    .split("\n")
    .flatMap((line, at) =>
      OPENS_AS_QUESTION.test(line) && !line.includes("?") ? [`${at + 1}: ${line.trim()}`] : [],
    );

/** Documents that were never part of the repository, in the forms in which comments have cited them. */
const PAPER =
  /\b(?:[Dd]ecisions?,? (?:section )?\d+(?:\.\d+)?|Parts? \d+|[Bb]eyond-\d+|(?:external-services|ingest-protocols)\b|[Ii]ssues? #?\d+)/g;

const pages = new Set([
  ...readdirSync(ROOT).filter((file) => file.endsWith(".md")),
  ...["docs", "proto", ...FOLDERS].flatMap((folder) => filesIn(folder, ".md").map((file) => basename(file))),
]);

/** The citations of documents that aren't in the repository. */
const papersIn = (source: string): string[] => [
  ...matchesIn(source, PAPER).map(({ number, match }) => `${number}: ${match[0]}`),
  ...matchesIn(source, /[\w.-]+\.md\b/g).flatMap(({ number, match: [page] }) =>
    pages.has(page) ? [] : [`${number}: ${page}`],
  ),
];

/** The numbers of the rules of a document, such as C4. A rule that was struck out isn't one any more. */
function rulesOf(document: string): Set<string> {
  const rules = new Set<string>();
  let letter = "";
  for (const line of document.split("\n")) {
    letter = /^## ([A-Z]):/.exec(line)?.[1] ?? (line.startsWith("## ") ? "" : letter);
    const number = /^(\d+)\. (?!~~)/.exec(line)?.[1];
    if (letter && number) rules.add(letter + number);
  }
  return rules;
}

const rules = rulesOf(readFileSync(join(ROOT, "docs/rules.md"), "utf8"));

/** One rule or several: with commas, "and", "or", and "to" for a range. */
const CITED = /\b[Rr]ules? ([A-Z]\d+(?:(?:,|,? (?:and|or|to)) [A-Z]\d+)*)/g;

/** The cited rules that aren't among the known ones. */
const lostRulesIn = (source: string, known = rules): string[] =>
  matchesIn(source, CITED).flatMap(({ number, match: [, cited = ""] }) =>
    (cited.match(/[A-Z]\d+/g) ?? [])
      .filter((rule) => !known.has(rule))
      .map((rule) => `${number}: rule ${rule}`),
  );

const faults = (find: (source: string) => string[]): string[] =>
  sources.flatMap((file) => find(readFileSync(join(ROOT, file), "utf8")).map((fault) => `${file}:${fault}`));

// --- Tests ------------------------------------------------------------------------------------------------

const sample = (...lines: string[]): string => lines.join("\n");

describe("comments", () => {
  test("are found, and so are the rules (a scan that finds nothing proves nothing)", () => {
    for (const file of [
      "src/kernel/db/transactions.ts",
      "tests/run.ts",
      ".ci/build.ts",
      "drizzle/generate.ts",
    ])
      expect(sources).toContain(file);
    expect(existsSync(join(ROOT, "docs/rules.md"))).toBe(true);
    for (const rule of ["P1", "C4", "W7"]) expect(rules).toContain(rule);
    const cited = sources.flatMap((file) => matchesIn(readFileSync(join(ROOT, file), "utf8"), CITED));
    expect(cited.length).toBeGreaterThan(50);
  });

  test("open with no question word", () => {
    expect(faults(riddlesIn)).toEqual([]);
  });

  test("cite no document that isn't in the repository", () => {
    expect(faults(papersIn)).toEqual([]);
  });

  test("cite only rules that docs/rules.md has", () => {
    expect(faults((source) => lostRulesIn(source))).toEqual([]);
  });
});

describe("this scan", () => {
  test("reads comments of all forms, and no strings", () => {
    const source = sample(
      "/** One. */",
      'const two = "// not"; // two',
      "/**",
      " * Three",
      " * and more.",
      " */",
      "call(); // four",
      "  // Five",
      "  // and more.",
      "const address = `http://host/ // no`;",
      "/* Six. */",
      "// seven",
    );
    const texts = commentsIn(source).map((lines) => lines.map(({ text }) => text).join(" "));
    expect(texts.map((text) => text.trim())).toEqual([
      ...["One.", "two", "Three and more.", "four", "Five and more.", "Six.", "seven"],
    ]);
  });

  test.each(["What", "Whether", "Who", "How", "Where", "Which"])(
    "finds a comment that opens with %s",
    (word) => {
      const source = sample(
        "let a = 1;",
        `  // ${word} it is.`,
        `/** ${word} it is. */`,
        "/**",
        ` * ${word}`,
        " */",
      );
      expect(riddlesIn(source)).toEqual([
        ...[`2: // ${word} it is.`, `3: /** ${word} it is. */`, `5: * ${word}`],
      ]);
      expect(
        riddlesIn(sample(`// ${word} is it?`, `const text = "${word} it is.";`, `// ${word}ever.`)),
      ).toEqual([]);
    },
  );

  test.each([
    ["decisions 3.9", "1: decisions 3.9"],
    ["Decisions 4.8: each key", "1: Decisions 4.8"],
    ["decisions, section 7", "1: decisions, section 7"],
    ['Part 2, "Bans"', "1: Part 2"],
    ["Parts 1 to 3", "1: Parts 1"],
    ["beyond-1", "1: beyond-1"],
    ["external-services 3", "1: external-services"],
    ["Issue 8", "1: Issue 8"],
    ["issue #12", "1: issue #12"],
    ["nowhere.md", "1: nowhere.md"],
  ])("finds the citation %s", (citation, fault) => {
    expect(papersIn(`/** The limit (${citation}). */`)).toEqual([fault]);
    expect(papersIn(`const limit = 3; // the limit (${citation})`)).toEqual([fault]);
    expect(papersIn(`const text = "${citation}";`)).toEqual([]);
  });

  test("finds a citation that a line break divides, and names its first line", () => {
    expect(papersIn(sample("/**", " * The limit of", " * Part", " * 2.", " */"))).toEqual(["3: Part 2"]);
  });

  test("takes documents of the repository, standards and other projects for what they are", () => {
    const cited =
      "docs/rules.md, README.md, RFC 9110, section 15.6.6; part 2 of 3; an issue; oven-sh/bun#38128";
    expect(papersIn(`// ${cited}`)).toEqual([]);
  });

  test("finds a cited rule that isn't there, struck-out ones too", () => {
    const document = sample(
      "## C: credentials",
      "",
      "1. One.",
      "2. ~~Two.~~",
      "",
      "## Notes",
      "",
      "3. Three.",
    );
    const known = rulesOf(document);
    expect([...known]).toEqual(["C1"]);
    const lost = (text: string) => lostRulesIn(`// It holds (${text}).`, known);
    expect(lost("rule C1")).toEqual([]);
    expect(lost("rule C2")).toEqual(["1: rule C2"]);
    expect(lost("rules C1, C3 and H2")).toEqual(["1: rule C3", "1: rule H2"]);
    expect(lost("rules C1 to C4, or Rule Q1")).toEqual(["1: rule C4", "1: rule Q1"]);
    expect(lostRulesIn(sample("/**", " * It holds (rules C1 and", " * C9).", " */"), known)).toEqual([
      "2: rule C9",
    ]);
  });
});
