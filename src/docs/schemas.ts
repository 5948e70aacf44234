/** The schemas of the routes, rewritten as OpenAPI 3.1 has them, and the examples that follow from them. */

export type Json = { [key: string]: unknown };

/** A schema as OpenAPI 3.1 writes it; one that has a title becomes a component and is referred to. */
export function finishSchema(schema: Json, schemas: Json): Json {
  const {
    "x-format": format,
    "x-shown": shown,
    "x-expected": _,
    "x-optional": __,
    "x-headers": ___,
    "x-content-types": ____,
    title,
    by,
    variants,
    of,
    ...rest
  } = schema;
  if (of) return finishSchema(of as Json, schemas);
  let finished: Json = { ...rest, ...(format !== undefined && { format }), ...(shown as Json | undefined) };
  for (const [keyword, value] of Object.entries(finished)) if (value === null) delete finished[keyword];
  // Elysia writes it into the schemas of a route when it compiles it, at its first request.
  delete finished.additionalProperties;
  // Without it, generated clients take an object of no named fields for an empty one.
  if (isOf(finished, "object") && !finished.properties && !finished.patternProperties)
    finished.additionalProperties = true;
  if (finished.properties)
    finished.properties = Object.fromEntries(
      Object.entries(finished.properties as Record<string, Json>).map(([key, value]) => [
        key,
        finishSchema(value, schemas),
      ]),
    );
  if (finished.items) finished.items = finishSchema(finished.items as Json, schemas);
  if (variants) finished = finishVariants(finished, by as string, variants as Record<string, Json>, schemas);
  if (finished.anyOf) finished = finishUnion(finished, schemas);
  if (finished.format === undefined && isOf(finished, "integer")) finished.format = integerFormat(finished);
  if (typeof title !== "string") return finished;
  schemas[title] ??= finished;
  // Another schema of the same title is written out in place: a reference would point to the first one.
  if (JSON.stringify(schemas[title]) !== JSON.stringify(finished)) return finished;
  return { $ref: `#/components/schemas/${title}` };
}

const isOf = ({ type }: Json, wanted: string): boolean =>
  type === wanted || (Array.isArray(type) && type.includes(wanted));

const INT32 = 2 ** 31;

/** A whole number whose bounds fit into 32 bits is an `int32`, any other an `int64`. */
function integerFormat({ minimum, maximum, enum: words, const: only }: Json): string {
  const bounds = [...((words as unknown[] | undefined) ?? [only ?? minimum, only ?? maximum])];
  return bounds.every((bound) => bound === null || (typeof bound === "number" && Math.abs(bound) < INT32))
    ? "int32"
    : "int64";
}

/** `string or null` is one schema with two types; a choice of words is an enumeration. */
function finishUnion({ anyOf, ...rest }: Json, schemas: Json): Json {
  const members = (anyOf as Json[]).map((member) => finishSchema(member, schemas));
  const words = members.filter((member) => member.const !== undefined).map((member) => member.const);
  if (words.length === members.length) return { type: "string", enum: words, ...rest };
  const [only, ...others] = members.filter((member) => member.type !== "null");
  if (only && others.length === 0 && typeof only.type === "string")
    return {
      ...only,
      ...rest,
      type: [only.type, "null"],
      ...(only.enum ? { enum: [...(only.enum as unknown[]), null] } : {}),
    };
  return { anyOf: members, ...rest };
}

/** Objects that a field tells apart are a discriminated union of components. */
function finishVariants(rest: Json, by: string, variants: Record<string, Json>, schemas: Json): Json {
  const members = Object.entries(variants).map(
    ([name, schema]) => [name, finishSchema(schema, schemas)] as const,
  );
  return {
    ...rest,
    oneOf: members.map(([, member]) => member),
    discriminator: {
      propertyName: by,
      mapping: Object.fromEntries(members.map(([name, { $ref }]) => [name, $ref])),
    },
  };
}

/** An example made of the examples of a schema's parts; undefined when a required part has none. */
export function exampleOf(schema: Json, schemas: Json): unknown {
  if (typeof schema.$ref === "string")
    return exampleOf(schemas[schema.$ref.slice("#/components/schemas/".length)] as Json, schemas);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.type === "null") return null;
  if (schema.items) {
    const item = exampleOf(schema.items as Json, schemas);
    return item === undefined ? undefined : [item];
  }
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members)) return exampleOf(members[0] as Json, schemas);
  if (!schema.properties) return undefined;
  const parts = Object.entries(schema.properties as Record<string, Json>).map(
    ([key, value]) => [key, exampleOf(value, schemas)] as const,
  );
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}
