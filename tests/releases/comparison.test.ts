import { describe, expect, test } from "bun:test";
import { entriesOf, namedIncompatible } from "./changelog";
import { type ApiDocument, incompatibilities } from "./compatibility";

/** The comparison of documents itself, on small ones. */

type Schema = Record<string, unknown>;

/** A document with one operation that takes and answers what these schemas say, by names or in place. */
const document = (request: Schema, answer: Schema, schemas: Record<string, Schema> = {}): ApiDocument => ({
  paths: {
    "/trips/{id}": {
      patch: {
        operationId: "changeTrip",
        requestBody: { required: true, content: { "application/json": { schema: request } } },
        responses: { "200": { content: { "application/json": { schema: answer } } } },
      },
    },
  },
  components: { schemas },
});

const texts = (older: ApiDocument, newer: ApiDocument) =>
  incompatibilities(older, newer).map(({ text }) => text);
const object = (properties: Schema, ...required: string[]) => ({ type: "object", properties, required });
const [string, number, empty] = [{ type: "string" }, { type: "number" }, object({})];

describe("a schema that changes", () => {
  /** The older and the newer schema, and what becomes of it in a request and in an answer. */
  const changes: [
    what: string,
    older: Schema,
    newer: Schema,
    request: string | null,
    answer: string | null,
  ][] = [
    ["not at all", object({ a: string }, "a"), object({ a: string }, "a"), null, null],
    ["by an optional property more", empty, object({ a: string }), null, null],
    ["by a required property more", empty, object({ a: string }, "a"), ".a is required now", null],
    ["by a property less", object({ a: string }), empty, ".a is not taken any more", ".a is gone"],
    [
      "by a property that is required now",
      object({ a: string }),
      object({ a: string }, "a"),
      ".a is required now",
      null,
    ],
    [
      "by a property that is optional now",
      object({ a: string }, "a"),
      object({ a: string }),
      null,
      ".a may be missing now",
    ],
    [
      "to another type",
      string,
      number,
      " can't be of the type string any more",
      " may be of the type number now",
    ],
    ["from an integer to a number", { type: "integer" }, number, null, " may be of the type number now"],
    ["to be null too", string, { type: ["string", "null"] }, null, " may be null now"],
    ["to be null no more", { anyOf: [string, { type: "null" }] }, string, " can't be null any more", null],
    ["by a value more", { enum: ["a"] }, { enum: ["a", "b"] }, null, ' may be "b" now'],
    ["by a value less", { enum: ["a", "b"] }, { enum: ["a"] }, ` can't be "b" any more`, null],
    [
      "in the form of its values alone",
      { enum: ["a", "b"] },
      { anyOf: [{ const: "b" }, { const: "a" }] },
      null,
      null,
    ],
    [
      "to values alone",
      string,
      { type: "string", enum: ["a"] },
      ` can't be another value than "a" any more`,
      null,
    ],
    [
      "by a wider bound",
      { ...number, maximum: 1 },
      { ...number, maximum: 2 },
      null,
      " has another maximum: 2 (1 before)",
    ],
    [
      "by a narrower bound",
      { ...string, minLength: 1 },
      { ...string, minLength: 2 },
      " has another minLength: 2 (1 before)",
      null,
    ],
    ["by a bound that says nothing", string, { ...string, minLength: 0 }, null, null],
    [
      "by a new pattern",
      string,
      { ...string, pattern: "^a" },
      ` has another pattern: "^a" (none before)`,
      null,
    ],
    ["by the format of a number", { type: "integer" }, { type: "integer", format: "int32" }, null, null],
    [
      "by another default",
      { ...number, default: 1 },
      { ...number, default: 2 },
      " has another default: 2 (1 before)",
      null,
    ],
    [
      "in its items",
      { type: "array", items: string },
      { type: "array", items: number },
      "[] can't be of the type string any more",
      "[] may be of the type number now",
    ],
    [
      "in one variant",
      { oneOf: [object({ kind: { const: "a" }, x: number }), object({ kind: { const: "b" } })] },
      { oneOf: [object({ kind: { const: "a" }, x: string }), object({ kind: { const: "b" } })] },
      ".x can't be of the type number any more",
      ".x may be of the type string now",
    ],
    [
      "to be closed",
      { type: "object", additionalProperties: true },
      { type: "object", additionalProperties: false },
      ".* can't be there any more",
      null,
    ],
    [
      "in the values of any name",
      { type: "object", additionalProperties: string },
      { type: "object", additionalProperties: number },
      ".* can't be of the type string any more",
      ".* may be of the type number now",
    ],
    [
      "from any value to all types",
      {},
      { type: ["object", "array", "string", "number", "boolean", "null"] },
      null,
      null,
    ],
  ];
  test.each(changes)("%s", (_, older, newer, request, answer) => {
    const told = (place: string, what: string | null) =>
      what === null ? [] : [`changeTrip ${place}${what}`];
    expect(texts(document(older, empty), document(newer, empty))).toEqual(told("body", request));
    expect(texts(document(empty, older), document(empty, newer))).toEqual(told("200", answer));
  });

  test("has its own name told once, with the place in it", () => {
    const reference = { $ref: "#/components/schemas/Trip" };
    const both = (trip: Schema) =>
      document(object({ trip: reference }), object({ a: reference, b: reference }), { Trip: trip });
    const older = both(object({ next: reference, name: string }));
    const newer = both(object({ next: reference, name: { type: ["string", "null"] } }));
    expect(incompatibilities(older, newer)).toEqual([
      { name: "Trip.name", text: "Trip.name may be null now" },
    ]);
  });

  test("into what can't be compared is refused", () => {
    const odd = document({ not: string }, empty);
    expect(() => incompatibilities(odd, odd)).toThrow("schemas with not can't be compared");
  });
});

describe("an operation that changes", () => {
  type Operation = ApiDocument["paths"][string][string];
  const base: Operation = {
    operationId: "listTrips",
    parameters: [
      { name: "id", in: "path", required: true, schema: string },
      { name: "limit", in: "query", schema: number },
    ],
    responses: { "200": { headers: { ETag: {} } }, "404": { $ref: "#/components/responses/NotFound" } },
    security: [{ bearer: [] }],
  };
  const alone = (operation: Operation, path = "/trips/{id}"): ApiDocument => ({
    paths: { [path]: { get: operation } },
    components: { responses: { NotFound: { content: { "application/json": { schema: string } } } } },
  });
  const changes: [what: string, change: Partial<Operation>, ...texts: string[]][] = [
    ["in nothing", {}],
    ["by its name", { operationId: "trips" }, "listTrips has the name trips now"],
    [
      "by a permission",
      { "x-permission": "trips:read" },
      "listTrips needs the permission trips:read now (none before)",
    ],
    ["by its credentials", { security: [{ cookie: [] }] }, "listTrips does not take bearer any more"],
    ["to be open", { security: [{}] }],
    [
      "by its parameters",
      {
        parameters: [
          { name: "trip", in: "path", required: true, schema: string },
          { name: "to", in: "query", required: true },
        ],
      },
      "listTrips query limit is not taken any more",
      "listTrips query to is required now",
    ],
    [
      "by its answers",
      { responses: { "200": {}, "202": {} } },
      "listTrips 200 has no header ETag any more",
      "listTrips 202 may be answered now",
      "listTrips 404 is not answered any more",
    ],
    ["by one more refusal", { responses: { ...base.responses, "409": {} } }],
    [
      "by a body",
      { requestBody: { required: true, content: { "application/json": { schema: string } } } },
      "listTrips body is required now",
    ],
    [
      "by the type of an answer",
      { responses: { ...base.responses, "404": { content: { "text/plain": {} } } } },
      "listTrips 404 is not answered as application/json any more",
    ],
  ];
  test.each(changes)("%s", (_, change, ...expected) => {
    expect(texts(alone(base), alone({ ...base, ...change }))).toEqual(expected);
  });

  test("its address, which is another one then, but for the name of a parameter", () => {
    expect(texts(alone(base), alone(base, "/trips/{trip_id}"))).toEqual([]);
    expect(texts(alone(base), alone(base, "/voyages/{id}"))).toEqual(["listTrips (GET /trips/{}) is gone"]);
  });
});

test("a changelog names by the first sentence of items about incompatible changes alone", () => {
  const changelog = `# Changelog

## [Unreleased]

### Changed

#### For clients

- **Incompatible:** \`GpsPoint.speed_kmh\`,
  \`listTrips\`: null, as \`createTrip\` says.
- \`listDevices\`: is faster.

### Added

- **Incompatible:** \`deleteTrip\`: stands at the wrong place.

## [1.0.0] - 2026-12-01

### Removed

- **Incompatible:** \`listBans\`. Use another one.
`;
  const [unreleased, ...released] = entriesOf(changelog);
  expect([unreleased?.version, unreleased?.date, released[0]?.version, released[0]?.date]).toEqual([
    ...["Unreleased", null],
    ...["1.0.0", "2026-12-01"],
  ]);
  expect(namedIncompatible(unreleased ? [unreleased] : [])).toEqual(
    new Set(["GpsPoint.speed_kmh", "listTrips"]),
  );
  expect(namedIncompatible(released)).toEqual(new Set(["listBans"]));
});
