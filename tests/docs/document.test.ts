import { beforeAll, describe, expect, test } from "bun:test";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Document } from "../support/contract";
import { command } from "../support/server";

/**
 * Properties of the OpenAPI document that linters don't check, but that its readers and generated clients
 * need.
 */

type Json = { [key: string]: unknown };

let document: Document;
let ajv: Ajv2020;
beforeAll(async () => {
  document = JSON.parse((await command(["openapi"])).stdout);
  ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(document, "document");
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** Every object below a node of the document, with its JSON pointer; examples are no part of it. */
function* nodes(node: unknown, pointer = "#"): Generator<[pointer: string, node: Json]> {
  if (!isObject(node)) return;
  yield [pointer, node];
  for (const [key, value] of Object.entries(node))
    if (key !== "example" && key !== "examples")
      yield* nodes(value, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

const validators = new Map<string, ValidateFunction>();

/** Explains why a value is invalid by a schema of the document; undefined when it is valid. */
function fault(where: string, schema: Json, value: unknown): string | undefined {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate(value) ? undefined : `${where}: ${ajv.errorsText(validate.errors)}`;
}

describe("examples", () => {
  test("of schemas and parameters are valid", () => {
    const faults: (string | undefined)[] = [];
    let checked = 0;
    for (const [pointer, node] of nodes(document))
      for (const example of Array.isArray(node.examples) ? node.examples : []) {
        checked++;
        faults.push(fault(pointer, node, example));
      }
    expect(checked).toBeGreaterThan(500);
    expect(faults.filter((each) => each !== undefined)).toEqual([]);
  });

  test("stand beside every JSON body, and are valid", () => {
    const faults: (string | undefined)[] = [];
    let checked = 0;
    for (const [pointer, node] of nodes(document)) {
      if (!pointer.endsWith("json") || !isObject(node.schema)) continue;
      checked++;
      // OtherError stands for any error and has no example of its own.
      if (pointer.includes("OtherError")) continue;
      faults.push("example" in node ? fault(pointer, node.schema, node.example) : `${pointer}: no example`);
    }
    expect(checked).toBeGreaterThan(200);
    expect(faults.filter((each) => each !== undefined)).toEqual([]);
  });

  test("of links name the operation that they stand at", () => {
    const wrong = operations().filter(({ operation }) => JSON.stringify(operation).includes('"/v1/…'));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

describe("words", () => {
  test("describe every parameter and every property", () => {
    const silent: string[] = [];
    for (const [pointer, node] of nodes(document)) {
      const isParameter = typeof node.in === "string" && isObject(node.schema);
      const isProperty = /\/properties\/[^/]+$/.test(pointer);
      if ((isParameter || isProperty) && !describes(node)) silent.push(pointer);
    }
    expect(silent).toEqual([]);
  });

  test("say what each operation does, and who may use it", () => {
    for (const { name, operation } of operations()) {
      expect([name, operation.summary]).toEqual([name, expect.stringMatching(/^[A-Z][^.]{3,60}$/)]);
      const [does, access, ...none] = operation.description.split(/\n\n(?=(?:Needs|Open to) )/);
      expect([name, does?.length]).not.toEqual([name, 0]);
      expect([name, access, none]).toEqual([name, expect.stringMatching(/^(Needs|Open to) .*\.$/), []]);
    }
  });

  test("introduce every section, and each section holds something", () => {
    const used = new Set(operations().flatMap(({ operation }) => operation.tags));
    expect([...used].sort()).toEqual(document.tags.map(({ name }) => name).sort());
    for (const { name, description } of document.tags)
      expect([name, description]).toEqual([name, expect.stringMatching(/./)]);
  });
});

/** A property that refers to a component may leave it to that component's description. */
function describes(node: Json): boolean {
  if (typeof node.description === "string" && node.description !== "") return true;
  const component = typeof node.$ref === "string" && node.$ref.split("/").at(-1);
  return component ? describes(document.components.schemas[component] as Json) : false;
}

describe("generated clients", () => {
  test("get names of operations that read well, each once", () => {
    const names = operations().map(({ operation }) => operation.operationId);
    for (const name of names) expect(name).toMatch(/^[a-z]+(?:[A-Z0-9][A-Za-z0-9]*)*$/);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContainValues([
      "getCurrentPosition",
      "listApiKeys",
      "listOwnOAuthClients",
      "openWebSocket",
      "askByGraphQL",
    ]);
  });

  test("learn of each path's parameters", () => {
    for (const { name, path, operation } of operations()) {
      const told = operation.parameters?.filter((parameter) => parameter.in === "path") ?? [];
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter);
      expect([name, told.map((parameter) => parameter.name)]).toEqual([name, wanted]);
    }
  });
});

describe("challenge_token", () => {
  const PATHS = ["register", "login", "reset-password", "reset-password/complete"];

  test.each(PATHS)(
    "of %s may be anything where no bot protection is set, and the document says so",
    async (name) => {
      const operation = document.paths[`/v1/auth/${name}`]?.post as unknown as {
        requestBody: { content: { "application/json": { schema: Json; example: Json } } };
      };
      const { schema } = operation.requestBody.content["application/json"];
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
      const isValid = ajv.compile(absolute);
      const body = {
        ...{ email: "a@example.org", username: "somebody", password: "a passphrase" },
        ...{ identifier: "somebody", token: "token", new_password: "a passphrase" },
      };
      for (const challenge_token of [5, null, "", {}, ["x"], "x".repeat(5_000)])
        expect([challenge_token, isValid({ ...body, challenge_token })]).toEqual([challenge_token, true]);
      expect(isValid({})).toBe(false);
      const [, said] = [...nodes(absolute)].find(([pointer]) => pointer.endsWith("/challenge_token")) ??
        [...nodes(document.components)].find(([pointer]) => pointer.endsWith("/challenge_token")) ?? ["", {}];
      expect(String((said as Json).description)).toContain("is ignored, whatever its type");
    },
  );
});
