import { describe, expect, test } from "bun:test";
import { Contract, type Document } from "../support/contract";

/** The contract, which judges every answer in the tests, must find each kind of fault. */

const error = { type: "object", properties: { error: { type: "string" } }, required: ["error"] };
const requestId = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
const boat = { $ref: "#/components/schemas/Boat" };

const contract = new Contract({
  openapi: "3.1.0",
  paths: {
    "/v1/boats/{id}": {
      get: {
        operationId: "getBoat",
        responses: {
          200: { headers: requestId, content: { "application/json": { schema: boat } } },
          404: { $ref: "#/components/responses/NotFound" },
          429: { headers: requestId },
        },
      },
      delete: { operationId: "deleteBoat", responses: { 204: { headers: requestId } } },
    },
    "/v1/boats/plan": {
      get: {
        operationId: "getPlan",
        responses: { 200: { headers: requestId, content: { "image/png": {} } } },
      },
    },
  },
  components: {
    headers: {
      "X-Request-Id": { schema: { type: "string" } },
      "Retry-After": { schema: { type: "integer" } },
    },
    responses: {
      NotFound: {
        headers: { ...requestId, "Retry-After": { $ref: "#/components/headers/Retry-After" } },
        content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } },
      },
    },
    schemas: {
      ErrorBody: error,
      Boat: {
        type: "object",
        properties: {
          name: { type: "string" },
          crew: { type: "array", items: { $ref: "#/components/schemas/Sailor" } },
        },
        required: ["name"],
      },
      Sailor: { type: "object", properties: { id: { type: "string", format: "uuid" } } },
    },
  },
  tags: [],
} as unknown as Document);

const JSON_TYPE = { "content-type": "application/json;charset=utf-8", "x-request-id": "1" };

const check =
  (
    method: string,
    path: string,
    status: number,
    body: unknown,
    headers: Record<string, string> = JSON_TYPE,
  ) =>
  () =>
    contract.check(method, path, { status, body, headers: new Headers(headers) });
const getBoat = (body: unknown, headers?: Record<string, string>) =>
  check("GET", "/v1/boats/7", 200, body, headers);

describe("an answer as it is declared passes:", () => {
  test.each([
    ["a record", getBoat({ name: "Greif", crew: [{}] })],
    [
      "headers of HTTP, and of the limit",
      getBoat({ name: "Greif" }, { ...JSON_TYPE, "ratelimit-limit": "3", vary: "Origin" }),
    ],
    ["an error", check("GET", "/v1/boats/7", 404, { error: "NotFound" })],
    ["no body", check("DELETE", "/v1/boats/7", 204, null, { "x-request-id": "1" })],
    [
      "a picture",
      check("GET", "/v1/boats/plan", 200, "…", { "x-request-id": "1", "content-type": "image/png" }),
    ],
    ["HEAD", check("HEAD", "/v1/boats/7", 200, null)],
    ["an unknown path", check("GET", "/v1/cars", 404, { error: "NotFound" })],
    ["a page for people", check("GET", "/docs", 200, "<html>", {})],
  ])("%s", (_, judge) => {
    judge();
  });
});

describe("an answer that isn't what is declared throws:", () => {
  test.each([
    [
      "an undeclared status",
      check("GET", "/v1/boats/7", 500, { error: "x" }),
      "does not declare this status",
    ],
    ["an undeclared field", getBoat({ name: "Greif", owner: "Anna" }), "additional properties"],
    [
      "an undeclared field within",
      getBoat({ name: "G", crew: [{ password: "x" }] }),
      "additional properties",
    ],
    ["a missing field", getBoat({}), "required property 'name'"],
    ["a wrong type", getBoat({ name: 7 }), "must be string"],
    ["a wrong format", getBoat({ name: "G", crew: [{ id: "7" }] }), "format"],
    ["a body that has gone", getBoat(null), "not as documented"],
    [
      "an undeclared header",
      getBoat({ name: "G" }, { ...JSON_TYPE, "x-secret": "1" }),
      "the header x-secret",
    ],
    ["a missing header", getBoat({ name: "G" }, { "content-type": "application/json" }), "no X-Request-Id"],
    [
      "a header of the wrong type",
      check("GET", "/v1/boats/7", 404, { error: "x" }, { ...JSON_TYPE, "retry-after": "soon" }),
      "Retry-After is soon",
    ],
    [
      "another content type",
      getBoat("<html>", { ...JSON_TYPE, "content-type": "text/html" }),
      "the type text/html",
    ],
    ["a body where none is declared", check("DELETE", "/v1/boats/7", 204, { a: 1 }), "declares no body"],
    ["a body after HEAD", check("HEAD", "/v1/boats/7", 200, "x"), "there is a body"],
    [
      "an undeclared field of an error",
      check("GET", "/v1/boats/7", 404, { error: "x", stack: "at" }),
      "additional",
    ],
    ["success where there is no operation", check("PUT", "/v1/boats/7", 200, {}), "no such operation"],
    ["no error where there is no operation", check("PUT", "/v1/boats/7", 405, { oops: 1 }), "is no error"],
  ])("%s", (_, judge, why) => {
    expect(judge).toThrow(why);
  });
});
