import { beforeAll, describe, expect, test } from "bun:test";
import { Document, type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { Json } from "@stoplight/spectral-parsers";
import { asyncapi } from "@stoplight/spectral-rulesets";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { TestServer } from "../support/server";

/** The AsyncAPI document is valid, says what it promises, and the OpenAPI document has the same messages. */

// biome-ignore lint/suspicious/noExplicitAny: any part of the document
type Any = any;

let document: Any;
let openapi: Any;
let port: string;
beforeAll(async () => {
  const server = await TestServer.start();
  port = new URL(server.url).port;
  document = (await server.get("/v1/asyncapi.json")).body;
  openapi = (await server.get("/v1/openapi.json")).body;
  await server.stop();
});

test("is valid by the JSON Schema of AsyncAPI 3", async () => {
  const schema = (await import("@asyncapi/specs/schemas/3.0.0.json")).default as unknown as object;
  // The schema brings JSON Schema's own with it.
  const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
  addFormats(ajv);
  const isValid = ajv.compile(schema);
  const faults = (candidate: object) => (isValid(candidate) ? [] : (isValid.errors ?? []));
  expect(faults(document)).toEqual([]);
  // A document without what AsyncAPI requires is refused.
  expect(faults({ ...document, info: {} }).length).toBeGreaterThan(0);
});

/** Version 3.0 is the one that generators read, the operator's address is unknown here, and Protobuf isn't checked. */
const UNHELD = [
  "asyncapi-latest-version",
  "asyncapi-info-contact-properties",
  "asyncapi-3-payload-unsupported-schemaFormat",
];

async function spectral(candidate: object) {
  const linter = new Spectral();
  linter.setRuleset({ extends: [asyncapi as RulesetDefinition] });
  const found = await linter.run(new Document(JSON.stringify(candidate), Json, "asyncapi.json"));
  return found
    .map(({ code, path, message }) => ({ code: String(code), at: path.join("/"), message }))
    .filter(({ code }) => !UNHELD.includes(code));
}

test("spectral:asyncapi finds nothing in it, and would find a flaw", async () => {
  expect(await spectral(document)).toEqual([]);
  const { description: _, ...info } = document.info;
  expect((await spectral({ ...document, info })).map(({ code }) => code)).toContain(
    "asyncapi-info-description",
  );
});

describe("the messages", () => {
  test("have a valid example and a summary each", () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema(document, "document");
    const json = Object.entries<Any>(document.components.messages).filter(
      ([, { contentType }]) => contentType === "application/json",
    );
    expect(json.length).toBeGreaterThan(15);
    for (const [name, { payload, examples, summary }] of json) {
      const isValid = ajv.compile({ $ref: `document${payload.$ref}` });
      expect([name, isValid(examples[0].payload), isValid.errors]).toEqual([name, true, null]);
      expect([name, examples[0].payload.type, summary.length > 10]).toEqual([name, name, true]);
    }
  });

  test("are each sent or received by an operation", () => {
    const used = Object.values<Any>(document.operations).flatMap(({ messages }) =>
      messages.map(({ $ref }: { $ref: string }) => $ref.split("/").at(-1)),
    );
    expect([...new Set(used)].sort()).toEqual(Object.keys(document.components.messages).sort());
  });

  test("of Protobuf are the whole definition", () => {
    const { schema } = document.components.messages.WsEnvelope.payload;
    expect(schema).toContain("package fairlead.ws.v1;");
    expect(schema).toContain('option go_package = "fairlead/ws/v1;wsv1";');
  });

  test("are in the OpenAPI document with the same schemas", () => {
    const { sent, received } = openapi.paths["/v1/ws"].get["x-messages"];
    const named = [...sent.oneOf, ...received.oneOf].map(({ $ref }) => $ref.split("/").at(-1));
    expect(named.length).toBeGreaterThan(15);
    for (const name of named)
      expect([name, openapi.components.schemas[name]]).toEqual([name, document.components.schemas[name]]);
  });
});

test("the server is the one of server.public_url", () => {
  expect(document.servers.this).toMatchObject({ host: `localhost:${port}`, protocol: "ws" });
});

test("tells how to reconnect", () => {
  expect(document.info.description).toContain("**Reconnecting.**");
  for (const code of [1001, 1008, 1009, 1013, 4401, 4408])
    expect(document.info.description).toContain(`- ${code}: `);
});
