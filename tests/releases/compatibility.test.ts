import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { semver } from "bun";
import manifest from "../../package.json" with { type: "json" };
import { command } from "../support/server";
import { entriesOf, namedIncompatible } from "./changelog";
import { type ApiDocument, incompatibilities } from "./compatibility";
import { documentOf, RELEASES } from "./releases";

/** The OpenAPI document beside those of the releases: what breaks a client is named in the changelog. */

const entries = entriesOf(readFileSync(join(import.meta.dir, "../../CHANGELOG.md"), "utf8"));

const currentDocument = async (): Promise<ApiDocument> => JSON.parse((await command(["openapi"])).stdout);

describe("CHANGELOG.md", () => {
  test("has what isn't released first, then each version with its date, newest first", () => {
    const [first, ...released] = entries;
    expect(first).toMatchObject({ version: "Unreleased", date: null });
    const versions = released.map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted(semver.order).reverse());
    expect(versions).toContain(manifest.version);
    for (const { version, date } of released)
      expect({ version, date }).toEqual({ version, date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  });

  test("has the kinds of Keep a Changelog alone, what changes first", () => {
    const order = ["Changed", "Removed", "Deprecated", "Security", "Added", "Fixed"];
    for (const { version, kinds } of entries)
      expect({ version, kinds: [...kinds.keys()] }).toEqual({
        version,
        kinds: order.filter((kind) => kinds.has(kind)),
      });
  });

  test("has a kept document and database of each version that is released", () => {
    expect(RELEASES.toReversed()).toEqual(entries.slice(1).map(({ version }) => version));
  });
});

describe("incompatible changes of the document", () => {
  test.each(RELEASES)("since %s are named in the changelog", async (since) => {
    const until = RELEASES[RELEASES.indexOf(since) + 1];
    const later = until === undefined ? await currentDocument() : await documentOf(until);
    const between = entries.filter(({ version }) => version === (until ?? "Unreleased"));
    const named = namedIncompatible(between);
    const breaks = incompatibilities(await documentOf(since), later);
    expect(breaks.filter(({ name }) => !named.has(name)).map(({ text }) => text)).toEqual([]);
    // A name that is misspelt, or whose change was taken back, names nothing.
    const broken = new Set(breaks.map(({ name }) => name));
    expect([...named].filter((name) => !broken.has(name))).toEqual([]);
  });
});
