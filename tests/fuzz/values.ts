import fc from "fast-check";

/** Values made from the JSON Schemas of the OpenAPI document, and values that no schema foresees. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** JSON text that goes into a body unchanged, for forms in which no JavaScript value would be written. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value as JSON, with the `Raw` parts of it as they are. Keys come in the order in which they were added. */
export function jsonOf(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${jsonOf(member)}`).join()}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** Identifiers to draw for a field or parameter of this name; undefined if it refers to nothing. */
export type Identifiers = (name: string) => fc.Arbitrary<string> | undefined;

/** Values that a schema accepts. */
export class Values {
  readonly #components: Record<string, Schema>;
  readonly #identifiers: Identifiers;

  constructor(components: Record<string, object>, identifiers: Identifiers) {
    this.#components = components;
    this.#identifiers = identifiers;
  }

  /** The schema that a reference stands for. */
  resolve(schema: Schema): Schema {
    return schema.$ref === undefined
      ? schema
      : (this.#components[schema.$ref.split("/").at(-1) ?? ""] ?? schema);
  }

  /** A value that the schema accepts, for the field or parameter of this name. */
  valid(given: Schema, name = ""): fc.Arbitrary<unknown> {
    const schema = this.resolve(given);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.const !== undefined) return fc.constant(schema.const);
    const members = schema.anyOf ?? schema.oneOf;
    if (members) return fc.oneof(...members.map((member) => this.valid(member, name)));
    if (schema.type === undefined) return fc.jsonValue({ maxDepth: 3, noUnicodeString: false });
    if (!Array.isArray(schema.type)) return this.#ofType(schema.type, schema, name);
    return fc.oneof(
      ...schema.type.map((type) => ({
        weight: type === "null" ? 1 : 4,
        arbitrary: this.#ofType(type, schema, name),
      })),
    );
  }

  #ofType(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return integer(schema);
      case "number":
        return fc.oneof(number(schema), integer(schema));
      case "string": {
        const known = this.#identifiers(name);
        if (!known) return text(schema);
        return fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: text(schema) });
      }
      case "array": {
        const { items = {}, minItems: minLength = 0, maxItems: maxLength = 5 } = schema;
        return fc.array(this.valid(items, name), { minLength, maxLength, size: "xsmall" });
      }
      default:
        return this.#object(schema);
    }
  }

  #object({ properties, required = [] }: Schema): fc.Arbitrary<unknown> {
    if (!properties) return fc.dictionary(fc.string({ unit: "binary", maxLength: 12 }), fc.jsonValue());
    const members = Object.fromEntries(
      Object.entries(properties).map(([key, schema]) => [key, this.valid(schema, key)]),
    );
    return fc.record(members, { requiredKeys: required, noNullPrototype: true });
  }

  /** A value just outside of what the schema accepts, where it has such a bound. */
  outOfBounds(given: Schema): fc.Arbitrary<unknown> {
    const schema = this.resolve(given);
    const values: unknown[] = [];
    const { minimum, exclusiveMinimum, maximum, minLength, maxLength, maxItems } = schema;
    if (minimum !== undefined) values.push(minimum - 1, minimum - 1e-9);
    if (exclusiveMinimum !== undefined) values.push(exclusiveMinimum, exclusiveMinimum - 1);
    if (maximum !== undefined) values.push(maximum + 1, maximum + 1e-9, 1e308);
    if (minLength !== undefined && minLength > 0) values.push("x".repeat(minLength - 1));
    if (maxLength !== undefined) values.push("x".repeat(maxLength + 1), "🚢".repeat(maxLength + 1));
    if (maxItems !== undefined) values.push(Array(maxItems + 1).fill("abc"));
    return values.length === 0 ? hostile : fc.constantFrom(...values);
  }
}

function integer({ minimum, exclusiveMinimum, maximum }: Schema): fc.Arbitrary<number> {
  const min = Math.ceil(minimum ?? (exclusiveMinimum === undefined ? -1e12 : exclusiveMinimum + 1));
  return fc.integer({ min, max: Math.floor(maximum ?? 1e12) });
}

function number({ minimum, exclusiveMinimum, maximum }: Schema): fc.Arbitrary<number> {
  return fc.double({
    min: minimum ?? exclusiveMinimum ?? -Number.MAX_VALUE,
    minExcluded: exclusiveMinimum !== undefined,
    max: maximum ?? Number.MAX_VALUE,
    noNaN: true,
    noDefaultInfinity: true,
  });
}

/** Any text: letters of all scripts, emoji of several code points, control characters, NUL. */
const anyText = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      // At the maximum length: JSON Schema counts a ship as one character, JavaScript as two.
      fc.constantFrom("🚢", "x").map((character) => character.repeat(Math.min(maxLength, 10_000))),
      ...(["grapheme", "binary", "grapheme-ascii"] as const).map((unit) =>
        fc.string({ unit, minLength, maxLength, size: "small" }),
      ),
    )
    // A grapheme may be several code points, and JSON Schema counts code points.
    .map((value) => [...value].slice(0, maxLength).join(""));

const time = fc
  .tuple(
    fc.date({ min: new Date("1970-01-01"), max: new Date("9990-01-01"), noInvalidDate: true }),
    fc.constantFrom("Z", "+00:00", "-12:30", "+14:00"),
    fc.constantFrom("", ".5", ".123456789"),
  )
  .map(([date, offset, fraction]) => date.toISOString().slice(0, 19) + fraction + offset);

function text(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = 300 } = schema;
  const ofFormat: Record<string, fc.Arbitrary<string>> = {
    uuid: fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
    ),
    email: fc.emailAddress(),
    uri: fc.webUrl({ withQueryParameters: true, withFragments: true }),
    "date-time": time,
    date: time.map((value) => value.slice(0, 10)),
  };
  const known = format === undefined ? undefined : ofFormat[format];
  if (known) return known.filter((value) => value.length <= maxLength);
  if (pattern === undefined) return anyText(minLength, maxLength);
  return fc
    .stringMatching(new RegExp(pattern), { size: "small" })
    .filter((value) => value.length >= minLength && value.length <= maxLength);
}

/** Numbers in unusual notations, some of which aren't even JSON. */
const numbers = [
  ..."1e400 -1e400 -0 0.0 1E+2 9007199254740993 -9007199254740993 5e-324 1e-400".split(" "),
  ..."NaN Infinity 01 0x10 1. .5 +1 1_0".split(" "),
].map((literal) => new Raw(literal));

const texts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u202egnp.exe",
  "e\u0301\u0301\u0301",
  "\ufeffx",
  "\ufffd",
  "x".repeat(70_000),
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  "%s%n%x",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "../../../../etc/passwd",
  "1e400",
  "true",
  "null",
  "__proto__",
  "constructor",
  "\r\nSet-Cookie: a=b",
];

/** Lone surrogates can't be written as bytes: they are escaped. */
const halves = ["\\ud800", "\\udfff", "x\\ud83d", "\\udea2\\ud83d"].map((half) => new Raw(`"${half}"`));

const nested = (depth: number) => new Raw(`${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`);

/** Values that hardly any field takes. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, [], {}, [[]], [null], { a: 1 }),
  fc.constantFrom<unknown>(...numbers),
  fc.constantFrom<unknown>(...texts),
  fc.constantFrom<unknown>(...halves, nested(20), nested(40), nested(5_000)),
  fc.constantFrom<unknown>(new Raw('{"__proto__":{"a":1}}'), new Raw('{"constructor":{"prototype":{}}}')),
  fc.jsonValue({ noUnicodeString: false }),
  fc.string({ unit: "binary" }),
);

/** Names that have a meaning for JavaScript, SQL or a framework. */
export const hostileName = fc.constantFrom(
  ..."__proto__ constructor prototype toString hasOwnProperty valueOf then length id password_hash is_super_admin".split(
    " ",
  ),
  "",
  "\0",
  "a.b",
  "a[b]",
  "x".repeat(5_000),
  "🚢",
);
