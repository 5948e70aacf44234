import { Kind, type Static, type TArray, type TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { AppError, type ErrorDetail, invalid } from "../errors/errors";
import { arrayOf, variantOf } from "./schema";

/** Checks of inputs, and the wording of their errors. */

/** Maximum size of `metadata` (rule H9). */
const MAX_METADATA_BYTES = 16_384;

/** Refuses `metadata` of more than 16 KiB. Throws 400. */
export function checkMetadata(metadata: Record<string, unknown> | null | undefined): void {
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    throw invalid("/metadata", "must be at most 16 KiB of JSON");
}

/** At most this many details in one answer. */
const MAX_DETAILS = 20;

/** One detail per invalid path, worded here: the texts never repeat the client's values. */
export function explain(found: Iterable<ValueError>): ErrorDetail[] {
  const details = new Map<string, string>();
  for (const { path, value, schema } of innermost(found)) {
    if (details.size >= MAX_DETAILS) break;
    const where = path || "/";
    if (!details.has(where)) details.set(where, value === undefined ? "is required" : expected(schema));
  }
  return [...details].map(([path, message]) => ({ path, message }));
}

/** The refusal of an input for the errors found in it; `whole` names the input itself. */
export function validationError(found: Iterable<ValueError>, whole: string): AppError {
  const details = explain(found);
  const first = details[0];
  const subject = !first || first.path === "/" ? whole : first.path.slice(1).replaceAll("/", ".");
  return new AppError("ValidationError", `${subject} ${first?.message ?? "is not valid"}`, { details });
}

/** Checks an input that no route checks. Throws 400. */
export function checked<T extends TSchema>(schema: T, input: unknown): Static<T> {
  if (!Value.Check(schema, input)) throw validationError(Value.Errors(schema, input), "The input");
  return input;
}

/**
 * The errors inside an array or object that may also be null, or is of a custom kind; else the error itself.
 */
function* innermost(found: Iterable<ValueError>): Iterable<ValueError> {
  for (const error of found) {
    if (error.schema[Kind] === "ObjectsOrNull" && Array.isArray(error.value)) {
      for (const nested of Value.Errors(arrayOf(error.schema as TArray), error.value))
        yield { ...nested, path: error.path + nested.path };
      continue;
    }
    if (error.schema[Kind] === "Variants") {
      yield* ofVariant(error);
      continue;
    }
    if (error.schema[Kind] === "Uncopied") {
      yield* within(error, error.schema.of as TSchema);
      continue;
    }
    const [only, ...others] = ((error.schema.anyOf ?? []) as TSchema[]).filter(
      (member) => member.type !== "null",
    );
    const inside = only && others.length === 0 ? [...(error.errors[0] ?? [])] : [];
    if (inside.some((nested) => nested.path !== error.path)) yield* innermost(inside);
    else yield error;
  }
}

/** The errors of a value by the schema that it should have. */
function* within({ path, value }: ValueError, schema: TSchema): Iterable<ValueError> {
  for (const nested of innermost(Value.Errors(schema, value))) yield { ...nested, path: path + nested.path };
}

/** The errors of the variant that a value says it is, or the one that it says none. */
function* ofVariant(error: ValueError): Iterable<ValueError> {
  const { by, variants } = error.schema as unknown as Parameters<typeof variantOf>[0];
  const variant = variantOf({ by, variants }, error.value);
  if (variant) {
    yield* within(error, variant);
    return;
  }
  const isObject = typeof error.value === "object" && error.value !== null && !Array.isArray(error.value);
  if (!isObject) yield error;
  else
    yield {
      ...error,
      path: `${error.path}/${by}`,
      value: null,
      schema: { ...error.schema, "x-expected": `must be one of ${Object.keys(variants).join(", ")}` },
    };
}

const FORMATS: Record<string, string> = {
  uuid: "must be a UUID",
  "date-time": "must be a date and time in ISO 8601, such as 2026-05-04T09:30:00Z",
  email: "must be an email address",
  uri: "must be an absolute URL",
};

/**
 * A description of the values that a schema accepts, as the end of a sentence that begins with the field's
 * name.
 */
function expected(schema: TSchema): string {
  if (typeof schema["x-expected"] === "string") return schema["x-expected"];
  if (schema.const !== undefined) return `must be ${schema.const}`;
  if (schema.anyOf) return expectedUnion(schema.anyOf as TSchema[]);
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems } = schema;
  switch (schema.type) {
    case "string":
      if (schema.format) return FORMATS[schema.format] ?? `must be a ${schema.format}`;
      if (minLength !== undefined && maxLength !== undefined)
        return `must be a string of ${minLength} to ${maxLength} characters`;
      if (minLength !== undefined) return `must be a string of at least ${minLength} characters`;
      return maxLength === undefined
        ? "must be a string"
        : `must be a string of at most ${maxLength} characters`;
    case "integer":
    case "number": {
      const what = schema.type === "integer" ? "must be a whole number" : "must be a number";
      if (exclusiveMinimum !== undefined)
        return `${what} above ${exclusiveMinimum}${maximum === undefined ? "" : ` and at most ${maximum}`}`;
      if (minimum !== undefined && maximum !== undefined) return `${what} from ${minimum} to ${maximum}`;
      if (minimum !== undefined) return `${what} of at least ${minimum}`;
      return maximum === undefined ? what : `${what} of at most ${maximum}`;
    }
    case "boolean":
      return "must be true or false";
    case "array":
      if (minItems !== undefined && maxItems !== undefined)
        return `must be an array of ${minItems} to ${maxItems} items`;
      return maxItems === undefined ? "must be an array" : `must be an array of at most ${maxItems} items`;
    case "object":
      return "must be an object";
    default:
      return "is not valid";
  }
}

function expectedUnion(members: TSchema[]): string {
  const rest = members.filter((member) => member.type !== "null");
  const words = rest.every((member) => member.const !== undefined)
    ? `must be one of ${rest.map((member) => member.const).join(", ")}`
    : rest.map(expected).join(", or ");
  return rest.length === members.length ? words : `${words}, or null`;
}

/** Refuses a PATCH in which no known field remains, where a field is required (rule H7). */
export function checkChanged(input: object): void {
  if (Object.values(input).every((value) => value === undefined))
    throw new AppError("ValidationError", "At least one field is required", {
      details: [{ path: "/", message: "must hold at least one known field" }],
    });
}
