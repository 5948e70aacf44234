import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Document, type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { Json } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import { command, temporaryDirectory } from "../support/server";

/** The OpenAPI document passes `redocly lint` (recommended) and `spectral:oas`, both offline. */

const root = join(import.meta.dir, "../..");

/** A document in which both linters find a fault. */
const FLAWED = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Flawed", version: "1" },
  servers: [{ url: "/" }],
  paths: { "/flaw": { get: { operationId: "flaw", responses: { 200: { description: "OK" } } } } },
});

interface Verdict {
  totals: { errors: number; warnings: number; ignored: number };
  problems: { ruleId: string; severity: string; message: string; location: { pointer: string }[] }[];
}

/** `redocly lint` without a configuration, in a directory that holds the document and the list of known exceptions. */
async function redocly(document: string): Promise<Verdict> {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "openapi.json"), document);
  copyFileSync(join(root, ".redocly.lint-ignore.yaml"), join(cwd, ".redocly.lint-ignore.yaml"));
  const cli = join(root, "node_modules/@redocly/cli/bin/cli.js");
  const child = Bun.spawn([process.execPath, cli, "lint", "openapi.json", "--format=json"], {
    cwd,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(stderr).toContain("built in recommended configuration");
  return JSON.parse(stdout);
}

async function spectral(document: string) {
  const linter = new Spectral();
  linter.setRuleset({ extends: [oas as RulesetDefinition] });
  const found = await linter.run(new Document(document, Json, "openapi.json"));
  return found.map(({ code, path, message }) => ({ code, at: path.join("/"), message }));
}

let document: string;
beforeAll(async () => {
  document = (await command(["openapi"])).stdout;
});

describe("redocly lint, recommended", () => {
  test("finds nothing but addresses that the specification gives", async () => {
    const { totals, problems } = await redocly(document);
    // Redocly doesn't follow extensions: `x-messages` of the WebSocket names these.
    const isMessage = ({ ruleId, location }: Verdict["problems"][number]) =>
      ruleId === "no-unused-components" &&
      location.every(({ pointer }) => pointer.startsWith("#/components/schemas/Socket"));
    expect(problems.filter((problem) => !isMessage(problem))).toEqual([]);
    const exceptions = await Bun.file(join(root, ".redocly.lint-ignore.yaml")).text();
    expect(exceptions.match(/^ {2}\S+:$/gm)).toEqual(["  no-ambiguous-paths:"]);
    expect(totals).toMatchObject({ ignored: exceptions.match(/^ +- /gm)?.length });
  });

  test("would find a flaw", async () => {
    const { problems } = await redocly(FLAWED);
    expect(problems.map(({ ruleId }) => ruleId)).toContainValues([
      "operation-4xx-response",
      "operation-summary",
      "security-defined",
    ]);
  });
});

describe("spectral:oas", () => {
  test("finds nothing but operations that never succeed", async () => {
    const unsuccessful = (path: string) => ({
      code: "operation-success-response",
      at: `paths/${path}/post/responses`,
      message: 'Operation must have at least one "2xx" or "3xx" response.',
    });
    expect(await spectral(document)).toEqual([
      unsuccessful("/v1/auth/signin"),
      unsuccessful("/v1/auth/validate"),
    ]);
  });

  test("would find a flaw", async () => {
    const found = await spectral(FLAWED);
    expect(found.map(({ code }) => String(code)).sort()).toEqual([
      "info-contact",
      "info-description",
      "operation-description",
      "operation-tags",
    ]);
  });
});
