import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The container image and the systemd unit, by which the program runs elsewhere. */

const root = join(import.meta.dir, "..");
const read = (name: string) => readFileSync(join(root, name), "utf8");

describe("the Dockerfile", () => {
  const lines = read("Dockerfile").split("\n");

  test("pins every image that it takes from outside by its digest", () => {
    const stages = new Set(lines.flatMap((line) => /^FROM .* AS (\S+)$/.exec(line)?.[1] ?? []));
    const images = lines.flatMap((line) => /(?:^FROM |--from=)(\S+)/.exec(line)?.[1] ?? []);
    const outside = images.filter((image) => !stages.has(image));
    expect(outside).toHaveLength(2);
    for (const image of outside) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    // A syntax line would be one more image, which is fetched by its tag.
    expect(lines.filter((line) => /^#\s*syntax=/.test(line))).toEqual([]);
  });
});

describe("the unit for systemd", () => {
  const unit = read("deploy/fairlead.service");
  const directives = new Map(
    unit
      .split("\n")
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

  test("bounds memory and takes every capability away", () => {
    expect(directives.get("MemoryMax")).toMatch(/^\d+[MG]$/);
    expect(directives.get("CapabilityBoundingSet")).toBe("");
    expect(directives.get("NoNewPrivileges")).toBe("yes");
    expect(unit).toMatch(/^SystemCallFilter=@system-service\nSystemCallFilter=~@privileged @resources$/m);
    // JavaScript is compiled to machine code while it runs.
    expect(directives.has("MemoryDenyWriteExecute")).toBe(false);
  });

  const analyze = Bun.which("systemd-analyze");
  test.skipIf(analyze === null)("is exposed below 2.0, as systemd-analyze sees it", () => {
    const { stdout, stderr } = Bun.spawnSync([
      ...["systemd-analyze", "security", "--offline=true", "--no-pager"],
      join(root, "deploy/fairlead.service"),
    ]);
    const [, level] = /exposure level for fairlead\.service: (\d+\.\d)/.exec(stdout.toString()) ?? [];
    expect(stderr.toString()).not.toMatch(/Unknown|Failed to parse/);
    expect(Number(level)).toBeLessThan(2);
  });
});
