import { isDeepStrictEqual } from "node:util";

/** Comparing the schemas (JSON Schema 2020-12, as TypeBox makes them) of what one side sends and the other expects. */

type Json = Record<string, unknown>;

/** A schema and the document that its references lead into. */
export interface Side {
  schema: unknown;
  root: { components?: Record<string, Record<string, unknown>> };
}

export interface Place {
  /** The operation or the schema that a change is named after. */
  subject: string;
  /** The way from there. */
  path: string;
}

export interface Problem extends Place {
  what: string;
}

export interface Reading {
  /** `request`: the older side sends, and the newer one expects; `answer`: the reverse. */
  direction: "request" | "answer";
  /** The problems of each pair of named schemas that was compared already, which also ends circles. */
  known: Map<string, Problem[]>;
}

/**
 * The reasons why a value that is sent may not be what is expected; none if each such value is. Further properties in an
 * answer are to be expected unless the older schema excludes them; a property that is gone is told in both directions. For
 * unions the nearest alternative is told. Keywords that TypeBox doesn't write (`not`, `if`, `allOf`) make it throw.
 */
export function fits(sent: Side, expected: Side, reading: Reading, place: Place): Problem[] {
  const [one, other] = [nameOf(sent), nameOf(expected)];
  if (one === null || other === null) return fitsAny(sent, expected, reading, place);
  const key = `${reading.direction} ${one} ${other} ${one === other ? "" : place.subject + place.path}`;
  const known = reading.known.get(key);
  if (known) return known;
  reading.known.set(key, []);
  // A schema that replaces another one is a change of the place where that is.
  const within = one === other ? { subject: one, path: "" } : place;
  const found = fitsAny(sent, expected, reading, within);
  reading.known.set(key, found);
  return found;
}

function fitsAny(sent: Side, expected: Side, reading: Reading, place: Place): Problem[] {
  const wanted = alternatives(expected);
  const parts = alternatives(sent).flatMap((part) => (wanted.length > 1 ? valueByValue(part) : [part]));
  return parts.flatMap((part) => {
    const tries = wanted.map((want) => ({ want, found: fitsOne(part, want, reading, place) }));
    if (tries.some(({ found }) => found.length === 0)) return [];
    const near = tries.filter(({ want }) => isAlike(part, want));
    const [nearest] = near.sort((one, next) => one.found.length - next.found.length);
    return nearest ? nearest.found : [problem(place, reading, inWords(part))];
  });
}

const nameOf = ({ schema }: Side): string | null => {
  const reference = (schema as Json | undefined)?.$ref;
  return typeof reference === "string" ? reference.replace("#/components/schemas/", "") : null;
};

function resolved(side: Side): Json {
  const name = nameOf(side);
  if (name === null) return (side.schema ?? {}) as Json;
  const schema = side.root.components?.schemas?.[name];
  if (!schema) throw new Error(`there is no schema ${name}`);
  return resolved({ ...side, schema });
}

/** One of the ways in which a value may be formed: a schema without references and unions at its head. */
interface Way {
  schema: Json;
  side: Side;
}

function alternatives(side: Side): Way[] {
  const schema = resolved(side);
  for (const keyword of ["allOf", "not", "if"])
    if (keyword in schema) throw new Error(`schemas with ${keyword} can't be compared`);
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members)) return members.flatMap((member) => alternatives({ ...side, schema: member }));
  const kind = kindOf(schema) ?? KINDS;
  return (Array.isArray(kind) ? kind : [kind]).map((type) => ({ schema: withType(schema, type), side }));
}

const KINDS = ["object", "array", "string", "number", "boolean", "null"];

function withType(schema: Json, type: unknown): Json {
  if (schema.type === type) return schema;
  const values = valuesOf(schema)?.filter((value) => typeOf(value) === type);
  const { enum: _, ...rest } = schema;
  return { ...rest, type, ...(values && { enum: values }) };
}

/** A way for each value, where they are listed. */
function valueByValue({ schema, side }: Way): Way[] {
  const values = valuesOf(schema);
  return values
    ? values.map((value) => ({ schema: { ...schema, enum: [value] }, side }))
    : [{ schema, side }];
}

const typeOf = (value: unknown) => (value === null ? "null" : typeof value);

function valuesOf(schema: Json): unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.type === "null" ? [null] : schema.type === "boolean" ? [false, true] : undefined;
}

/** The types of a schema; without any those of its values, if it lists them. */
function kindOf(schema: Json): unknown {
  if (schema.type !== undefined) return schema.type;
  const values = valuesOf(schema);
  return values && [...new Set(values.map(typeOf))];
}

const isOfKind = (kind: unknown, wanted: unknown): boolean =>
  kind === wanted || (kind === "integer" && wanted === "number");

/** True for ways between which a difference is worth to be told: of one type and, for objects, of one variant. */
function isAlike(sent: Way, expected: Way): boolean {
  if (!isOfKind(sent.schema.type, expected.schema.type)) return false;
  const own = propertiesOf(sent.schema);
  return Object.entries(propertiesOf(expected.schema)).every(([name, property]) => {
    const [one, other] = [(own[name] ?? {}) as Json, property as Json];
    return !("const" in one && "const" in other) || one.const === other.const;
  });
}

const propertiesOf = (schema: Json): Json => (schema.properties ?? {}) as Json;

function inWords({ schema }: Way): string {
  const values = schema.type === "boolean" ? undefined : valuesOf(schema);
  return values?.map((value) => JSON.stringify(value)).join(", ") ?? `of the type ${schema.type}`;
}

const problem = (place: Place, { direction }: Reading, what: string): Problem => ({
  ...place,
  what: direction === "request" ? `can't be ${what} any more` : `may be ${what} now`,
});

const LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const MOST = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const EXACT = ["pattern", "format", "multipleOf", "uniqueItems"];

function fitsOne(sent: Way, expected: Way, reading: Reading, place: Place): Problem[] {
  const [own, want] = [sent.schema, expected.schema];
  if (!isOfKind(own.type, want.type)) return [problem(place, reading, inWords(sent))];
  const [values, wanted] = [valuesOf(own), valuesOf(want)];
  if (wanted && !values)
    return [
      problem(
        place,
        reading,
        `another value than ${wanted.map((value) => JSON.stringify(value)).join(", ")}`,
      ),
    ];
  if (values && wanted) {
    const further = values.filter((value) => !wanted.some((one) => isDeepStrictEqual(one, value)));
    if (further.length > 0)
      return [problem(place, reading, further.map((value) => JSON.stringify(value)).join(", "))];
  }
  return [
    ...(values ? [] : bounds(own, want, reading, place)),
    ...defaults(own, want, reading, place),
    ...items(sent, expected, reading, place),
    ...properties(sent, expected, reading, place),
  ];
}

/** The older and the newer value of a keyword, in words. */
function changed(keyword: string, own: Json, want: Json, { direction }: Reading, place: Place): Problem {
  const [before, now] = direction === "request" ? [own, want] : [want, own];
  const told = (schema: Json) => (keyword in schema ? JSON.stringify(schema[keyword]) : "none");
  return { ...place, what: `has another ${keyword}: ${told(now)} (${told(before)} before)` };
}

function bounds(own: Json, want: Json, reading: Reading, place: Place): Problem[] {
  const isBeyond = (keyword: string, factor: 1 | -1) => {
    const bound = want[keyword];
    // A length or a count is never less than 0.
    const value = own[keyword] ?? (/^min[A-Z]/.test(keyword) ? 0 : undefined);
    return typeof bound === "number" && (typeof value !== "number" || (value - bound) * factor < 0);
  };
  const differs = (keyword: string) =>
    keyword in want &&
    !isDeepStrictEqual(own[keyword], want[keyword]) &&
    !(keyword === "format" && isRequestedNumber(want, reading));
  return [
    ...LEAST.filter((keyword) => isBeyond(keyword, 1)),
    ...MOST.filter((keyword) => isBeyond(keyword, -1)),
    ...EXACT.filter(differs),
  ].map((keyword) => changed(keyword, own, want, reading, place));
}

/** The format of a number, such as int32, is a hint for a type that holds it: its bounds alone decide what is taken. */
const isRequestedNumber = (want: Json, { direction }: Reading) =>
  direction === "request" && ["integer", "number"].includes(String(want.type));

/** A client that leaves a value out relies on the one that the older document names. */
function defaults(own: Json, want: Json, reading: Reading, place: Place): Problem[] {
  const isSame = !("default" in own) || isDeepStrictEqual(own.default, want.default);
  return reading.direction === "answer" || isSame ? [] : [changed("default", own, want, reading, place)];
}

function items(sent: Way, expected: Way, reading: Reading, place: Place): Problem[] {
  if (!("items" in expected.schema)) return [];
  const within = { ...place, path: `${place.path}[]` };
  return fits(
    { ...sent.side, schema: sent.schema.items },
    { ...expected.side, schema: expected.schema.items },
    reading,
    within,
  );
}

function properties(sent: Way, expected: Way, reading: Reading, place: Place): Problem[] {
  const [own, want] = [propertiesOf(sent.schema), propertiesOf(expected.schema)];
  const isRequest = reading.direction === "request";
  const required = (schema: Json) => new Set((schema.required ?? []) as string[]);
  const [always, needed] = [required(sent.schema), required(expected.schema)];
  const others = (way: Way) => (way.schema.additionalProperties ?? true) as Json | boolean;
  const found: Problem[] = [];
  for (const name of new Set([...Object.keys(own), ...Object.keys(want)])) {
    const within = { ...place, path: `${place.path}.${name}` };
    const tell = (what: string) => found.push({ ...within, what });
    const [has, wants] = [name in own, name in want];
    if (has && wants)
      found.push(
        ...fits(
          { ...sent.side, schema: own[name] },
          { ...expected.side, schema: want[name] },
          reading,
          within,
        ),
      );
    else if (has && isRequest) tell("is not taken any more");
    else if (has && others(expected) === false) tell("is there now, where further properties were excluded");
    else if (wants && !isRequest) tell("is gone");
    if (needed.has(name) && !always.has(name) && (isRequest || has))
      tell(isRequest ? "is required now" : "may be missing now");
  }
  return [...found, ...records(sent, expected, reading, place)];
}

/** Objects with properties of any name: those of a pattern, and further ones. */
function records(sent: Way, expected: Way, reading: Reading, place: Place): Problem[] {
  const patterns = ({ schema }: Way) => (schema.patternProperties ?? {}) as Json;
  const within = { ...place, path: `${place.path}.*` };
  const [own, want] = [patterns(sent), patterns(expected)];
  const found = Object.entries(own).flatMap(([pattern, schema]) =>
    pattern in want
      ? fits({ ...sent.side, schema }, { ...expected.side, schema: want[pattern] }, reading, within)
      : [problem(within, reading, `named by the pattern ${pattern}`)],
  );
  const [further, wanted] = [sent.schema.additionalProperties, expected.schema.additionalProperties];
  if (typeof wanted === "object" && typeof further === "object")
    return [
      ...found,
      ...fits({ ...sent.side, schema: further }, { ...expected.side, schema: wanted }, reading, within),
    ];
  const isClosed = wanted === false && further !== false && sent.schema.type === "object";
  if (isClosed && (reading.direction === "request" || further !== undefined))
    found.push(problem(within, reading, "there"));
  return found;
}
