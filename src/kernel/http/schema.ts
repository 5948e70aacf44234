import {
  type ArrayOptions,
  FormatRegistry,
  Kind,
  type SchemaOptions,
  type Static,
  type TArray,
  type TProperties,
  type TSchema,
  type TUnsafe,
  TypeRegistry,
  Type as t,
} from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { lazy } from "../values/lazy";

/**
 * The building blocks of the request and response schemas. answers.ts has the answers as a whole, and
 * validation.ts words the errors.
 *
 * Input formats are checked. The format of an output is only documented (`x-format`, which the document turns
 * into `format`): the server makes these strings itself, and checking them again costs a quarter of a page.
 * `x-shown` holds further keywords that only the document has; null takes one away.
 */

/** TypeBox itself: Elysia's own `t` takes the string "5" for an integer, in bodies too. */
export { t };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** RFC 3339, section 5.6, with a real calendar day. */
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function isDateTime(value: string): boolean {
  const parts = DATE_TIME.exec(value);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year);
  const isRealDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  // With its offset a time at the edge may fall into a year that RFC 3339 can't write.
  const utcYear = new Date(value).getUTCFullYear();
  return isRealDay && utcYear >= 0 && utcYear <= 9_999;
}

FormatRegistry.Set("date", (value) => value.length === 10 && isDateTime(`${value}T00:00:00Z`));
FormatRegistry.Set("uuid", (value) => UUID.test(value));
FormatRegistry.Set("date-time", isDateTime);

/** True for a well-formed UUID of any version (rule H8). */
export const isUuid = (value: string): boolean => UUID.test(value);

/** Lower-cases the UUIDs of an input in place: they may come in either case (RFC 9562, section 4). */
export function canonicalUuids(input: Record<string, unknown>, isIdentifier: (key: string) => boolean): void {
  for (const key in input) {
    const value = input[key];
    if (typeof value === "string" && value.length === 36 && isIdentifier(key) && UUID.test(value))
      input[key] = value.toLowerCase();
  }
}

/** Local part and domain of a mailbox that people use (RFC 5321 without quoting); 254 characters at most. */
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** True for an email address. */
export const isEmail = (value: string): boolean => value.length <= 254 && EMAIL.test(value);

FormatRegistry.Set("email", isEmail);

export const EXAMPLE_UUID = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01";
export const EXAMPLE_TIME = "2026-05-04T09:30:00.000Z";

/** A schema of a kind whose check is registered here. */
export const ofKind = <T>(kind: string, schema: object) =>
  ({ ...schema, [Kind]: kind }) as unknown as TUnsafe<T>;

// --- Inputs -----------------------------------------------------------------------------------------------

interface CharactersOptions extends SchemaOptions {
  minLength?: number;
  maxLength: number;
}

/** Counts characters as JSON Schema does, by code point: an emoji is one, although two UTF-16 units long. */
function isWithin({ minLength = 0, maxLength }: CharactersOptions, value: unknown): boolean {
  if (typeof value !== "string" || value.length > 2 * maxLength) return false;
  if (value.length >= 2 * minLength && value.length <= maxLength) return true;
  let characters = 0;
  for (const _ of value) characters++;
  return characters >= minLength && characters <= maxLength;
}

TypeRegistry.Set<CharactersOptions>("Characters", isWithin);

interface VariantsOptions extends SchemaOptions {
  /** The field that names the variant. */
  by: string;
  variants: Record<string, TSchema>;
}

/** The variant that a value says it is; null if it says none. */
export function variantOf({ by, variants }: VariantsOptions, value: unknown): TSchema | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const name = (value as Record<string, unknown>)[by];
  return typeof name === "string" && Object.hasOwn(variants, name) ? (variants[name] as TSchema) : null;
}

TypeRegistry.Set<VariantsOptions>("Variants", (schema, value) => {
  const variant = variantOf(schema, value);
  return variant !== null && Value.Check(variant, value);
});

/**
 * One of several objects, told apart by a field of theirs. A kind of its own, so that an error is one of the variant that was
 * meant, and the document can have it as a discriminated union.
 */
export const variants = <T extends Record<string, TSchema>>(
  title: string,
  by: string,
  of: T,
  options: SchemaOptions,
) =>
  ofKind<Static<T[keyof T]>>("Variants", {
    ...{ title, by, variants: of },
    "x-expected": "must be an object",
    ...options,
  });

/** A check of a schema that runs often, compiled on its first use. */
export function checkerOf<T extends TSchema>(schema: T): (input: unknown) => input is Static<T> {
  const compiled = lazy(() => TypeCompiler.Compile(schema));
  return (input): input is Static<T> => compiled().Check(input);
}

interface UncopiedOptions extends SchemaOptions {
  of: TSchema;
  isOf: (value: unknown) => boolean;
}

TypeRegistry.Set<UncopiedOptions>("Uncopied", ({ isOf }, value) => isOf(value));

/**
 * An object of a busy route that is handed on as it is, with fields that the schema doesn't have. A kind of its own: Elysia copies
 * any other object at each request, to leave them out.
 */
export const uncopied = <T extends TSchema>(of: T) =>
  ofKind<Static<T>>("Uncopied", { of, isOf: checkerOf(of) });

/** A string whose length is counted in characters. */
export const characters = (options: CharactersOptions) =>
  ofKind<string>("Characters", { type: "string", ...options });

TypeRegistry.Set(
  "JsonObjectOrNull",
  (_schema, value) => value === null || (typeof value === "object" && !Array.isArray(value)),
);

/**
 * Any JSON object, or null. A kind of its own: for a `t.Record`, Elysia's clean-up makes an object of any
 * value before it is checked.
 */
export const jsonObjectOrNull = (options: SchemaOptions) =>
  ofKind<Record<string, unknown> | null>("JsonObjectOrNull", {
    type: ["object", "null"],
    "x-expected": "must be an object, or null",
    ...options,
  });

TypeRegistry.Set<TArray>(
  "ObjectsOrNull",
  (schema, value) => value === null || Value.Check(arrayOf(schema), value),
);

/** The plain array schema of one that may be null. */
export const arrayOf = ({ items, maxItems }: TArray): TArray => t.Array(items, { maxItems: maxItems ?? 0 });

/**
 * An array of objects, or null. A kind of its own: for a `t.Array`, Elysia's clean-up makes objects of any
 * values before they are checked.
 */
export const objectsOrNull = <T extends TSchema>(items: T, options: ArrayOptions & { maxItems: number }) =>
  ofKind<Static<T>[] | null>("ObjectsOrNull", {
    type: ["array", "null"],
    items,
    "x-expected": `must be an array of at most ${options.maxItems} items, or null`,
    ...options,
  });

TypeRegistry.Set("Json", (_schema, value) => value !== undefined && holdsNumbers(value));

/**
 * True if all numbers in a parsed JSON value are finite: 1e400 becomes Infinity, and would be stored as null.
 */
function holdsNumbers(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(holdsNumbers);
}

/** Any JSON value, null among them. */
export const json = (options: SchemaOptions) =>
  ofKind<unknown>("Json", {
    "x-expected": "must not hold a number beyond 1.8e308",
    "x-shown": { type: ["object", "array", "string", "number", "boolean", "null"], items: {} },
    ...options,
  });

TypeRegistry.Set("Ignorable", () => true);

/** A field that counts only under some configuration, where the service checks it; else any value passes. */
export const ignorable = (options: SchemaOptions) => ofKind<unknown>("Ignorable", options);

export const uuid = (description: string, options: SchemaOptions = {}) =>
  t.String({ format: "uuid", description, examples: [EXAMPLE_UUID], ...options });

export const dateTime = (description: string, options: SchemaOptions = {}) =>
  t.String({ format: "date-time", description, examples: [EXAMPLE_TIME], ...options });

/** A time or a day (`2026-05-04`), for the bounds of a list. */
export const moment = (description: string) =>
  t.Union([t.String({ format: "date-time" }), t.String({ format: "date" })], {
    description,
    examples: [EXAMPLE_TIME],
    "x-expected":
      "must be a date, or a date and time, in ISO 8601, such as 2026-05-04 or 2026-05-04T09:30:00Z",
  });

/** The bounds of a list by time: `from` and `to`, each a time or a day. `what` is the plural of its records. */
export const fromTo = (what: string) => ({
  from: t.Optional(moment(`Only ${what} at or after this time, or from this day (UTC) on`)),
  to: t.Optional(moment(`Only ${what} at or before this time, or up to the end of this day (UTC)`)),
});

/** A name: 1 to 200 characters (rule H9). */
export const name = (description: string, example: string) =>
  characters({ minLength: 1, maxLength: 200, description, examples: [example] });

/** A text: at most 10,000 characters (rule H9). */
export const text = (description: string, example: string) =>
  characters({ maxLength: 10_000, description, examples: [example] });

export const latitude = (description: string) =>
  t.Number({ minimum: -90, maximum: 90, description, examples: [54.0967] });

export const longitude = (description: string) =>
  t.Number({ minimum: -180, maximum: 180, description, examples: [13.4553] });

/** A value or null. In an input, null clears the field. */
export const nullable = <T extends TSchema>(schema: T) => t.Union([schema, t.Null()], lift(schema));

/**
 * The body of a PATCH that must hold a field, which `checkChanged` checks where it is changed: it counts known
 * fields alone. Only the document shows the bound here.
 */
export const change = <T extends TProperties>(title: string, properties: T, examples?: object[]) =>
  t.Object(properties, { title, "x-shown": { minProperties: 1 }, ...(examples && { examples }) });

/** A body that may be left out, since no field of it is required. */
export const optionalBody = <T extends TSchema>(schema: T) =>
  t.Optional({ ...schema, "x-optional": true } as T);

/** A field that may be left out or null. */
export const optional = <T extends TSchema>(schema: T) => t.Optional(nullable(schema));

/** One of a few words. */
export const oneOf = <const T extends string>(words: readonly T[], description: string, example = words[0]) =>
  t.Union(
    words.map((word) => t.Literal(word)),
    { description, examples: [example] },
  ) as unknown as TUnsafe<T>;

/** Carries description and examples from a schema to the union that wraps it. */
function lift(schema: TSchema): SchemaOptions {
  const options: SchemaOptions = {};
  if (schema.description) options.description = schema.description;
  if (schema.examples) options.examples = schema.examples as unknown[];
  return options;
}

/** The path parameters of a record: `{id}`, a UUID. */
export const IdParams = t.Object({ id: uuid("Identifier of the record") });

// --- Query parameters -------------------------------------------------------------------------------------

interface QueryNumberOptions extends SchemaOptions {
  minimum?: number;
  maximum?: number;
}

const inBounds = (schema: QueryNumberOptions, value: unknown): boolean =>
  typeof value === "number" &&
  Number.isFinite(value) &&
  value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
  value <= (schema.maximum ?? Number.POSITIVE_INFINITY);

TypeRegistry.Set<QueryNumberOptions>("QueryInteger", (s, v) => inBounds(s, v) && Number.isInteger(v));
TypeRegistry.Set<QueryNumberOptions>("QueryNumber", inBounds);
TypeRegistry.Set("QueryBoolean", (_schema, value) => typeof value === "boolean");

/**
 * Numbers and booleans of a query string. They are kinds of their own because Elysia's coercion takes `0x10`
 * and `1e3` for whole numbers and loses the parameter's name when a bound is broken. Use with `query()`.
 */
export const queryInteger = (options: QueryNumberOptions) =>
  ofKind<number>("QueryInteger", { type: "integer", ...options });
export const queryNumber = (options: QueryNumberOptions) =>
  ofKind<number>("QueryNumber", { type: "number", ...options });
export const queryBoolean = (options: SchemaOptions) =>
  ofKind<boolean>("QueryBoolean", { type: "boolean", ...options });

const INTEGER = /^-?\d{1,300}$/;
/** As many digits as programs write: 0.1 + 0.2 has 17 decimals. */
const DECIMAL = /^-?\d{1,15}(\.\d{1,30})?$/;

const READERS: Record<string, (raw: string) => unknown> = {
  QueryInteger: (raw) => (INTEGER.test(raw) ? Number(raw) : Number.NaN),
  QueryNumber: (raw) => (DECIMAL.test(raw) ? Number(raw) : Number.NaN),
  QueryBoolean: (raw) => (raw === "true" ? true : raw === "false" ? false : raw),
};

/** True for a field that refers to a record, by its name. */
export const isReference = (key: string): boolean => key.endsWith("_id");

/** Reads the numbers and booleans of a schema's fields from their texts, in place. */
function textReader({ properties }: { properties: TProperties }) {
  const readers = Object.entries(properties).flatMap(([key, property]) => {
    const reader = READERS[property[Kind]];
    return reader ? [[key, reader] as const] : [];
  });
  return (texts: Record<string, unknown>) => {
    for (const [key, read] of readers) {
      const raw = texts[key];
      if (typeof raw === "string") texts[key] = read(raw);
    }
  };
}

/** Route options for a query: the schema, and the step that reads its numbers and booleans from their text. */
export function query<T extends TProperties>(schema: ReturnType<typeof t.Object<T>>) {
  const readTexts = textReader(schema);
  return {
    query: schema,
    transform({ query }: { query: Record<string, unknown> }) {
      canonicalUuids(query, isReference);
      readTexts(query);
    },
  } as const;
}

/** The same for numbers in a path. A route has this or `query()`. */
export function path<T extends TProperties>(schema: ReturnType<typeof t.Object<T>>) {
  const readTexts = textReader(schema);
  return {
    params: schema,
    transform({ params }: { params: Record<string, unknown> }) {
      readTexts(params);
    },
  } as const;
}

// --- Outputs ----------------------------------------------------------------------------------------------

export const out = {
  uuid: (description: string, options: SchemaOptions = {}) =>
    t.String({ "x-format": "uuid", description, examples: [EXAMPLE_UUID], ...options }),
  time: (description: string) => t.String({ "x-format": "date-time", description, examples: [EXAMPLE_TIME] }),
  string: (description: string, example: string) => t.String({ description, examples: [example] }),
  /** A web address that was checked when it came in, or that the server made. */
  uri: (description: string, example: string) =>
    t.String({ "x-format": "uri", description, examples: [example] }),
  /** An email address that was checked when it came in. */
  email: (description: string, example: string) =>
    t.String({ "x-format": "email", description, examples: [example] }),
  number: (description: string, example: number) => t.Number({ description, examples: [example] }),
  integer: (description: string, example: number) => t.Integer({ description, examples: [example] }),
  boolean: (description: string, example = true) => t.Boolean({ description, examples: [example] }),
};

/** A record schema under the name that the document's components give it. */
export const record = <T extends TProperties>(title: string, properties: T, description: string) =>
  t.Object(properties, { title, description });
