import fc from "fast-check";
import type { OperationDocument } from "../support/contract";
import type { Pool } from "./pool";
import { hostile, hostileName, jsonOf, Raw, type Schema, type Values } from "./values";

/** Requests of one operation, valid and invalid by its schemas. */

export interface Operation {
  method: string;
  template: string;
  document: OperationDocument;
}

export const ROLES = ["nobody", "admin", "narrow key", "system key"] as const;
export type Who = (typeof ROLES)[number];

/**
 * The caller with the most rights to an operation: an administrator, or a service where it is for services
 * alone.
 */
export const rightfulCaller = ({ document }: Operation): Who =>
  document.description.includes("Needs a system API key.") ? "system key" : "admin";

export interface FuzzRequest {
  who: Who;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  /** The body; undefined when there is none. */
  body: string | Uint8Array<ArrayBuffer> | undefined;
  /** True if the whole request is as the document says. */
  isValid: boolean;
}

type Part<T> = fc.Arbitrary<{ value: T; isValid: boolean }>;

const bodySchema = ({ document }: Operation): Schema | undefined =>
  document.requestBody?.content["application/json"]?.schema;

// --- Path and query ---------------------------------------------------------------------------------------

const ESCAPES = [
  "%",
  "%zz",
  "%E0%A4%A",
  "%00",
  "%2F",
  "%2e%2e",
  "%ff%fe",
  "%ED%A0%80",
  "a%0d%0ab",
  "~",
  "x".repeat(3_000),
];

/** One segment in place of a parameter that no record has. */
const strangeSegment = fc.oneof(
  fc.constantFrom(...ESCAPES),
  fc.constantFrom("__proto__", "constructor", "null", "undefined", "-1", "1e400", "me", "*"),
  fc.string({ unit: "binary", minLength: 1 }).map(encodeURIComponent),
);

/** True if a path with this segment leads to the same route: an empty segment or dots change that. */
const keepsPath = (segment: string) =>
  !["", ".", ".."].includes(segment) && !/^(%2e|\.){1,2}$/i.test(segment);

function pathOf({ template, document }: Operation, values: Values, pool: Pool): Part<string> {
  const parameters = (document.parameters ?? []).filter((parameter) => parameter.in === "path");
  // Users of the community's platform aren't users of the service.
  const isOurs = (name: string) => name !== "user_id" || !template.startsWith("/v1/community/");
  const valid = parameters.map(({ name, schema }) =>
    (isOurs(name)
      ? fc.oneof(
          { weight: 5, arbitrary: pool.forParameter(template, name) ?? values.valid(schema, name) },
          { weight: 1, arbitrary: values.valid(schema, name) },
        )
      : values.valid(schema)
    )
      .map((value) => encodeURIComponent(String(value)))
      .filter(keepsPath),
  );
  const fill = (segments: string[]) =>
    parameters.reduce((path, { name }, at) => path.replace(`{${name}}`, () => segments[at] ?? ""), template);
  const good = fc.tuple(...valid).map((segments) => ({ value: fill(segments), isValid: true }));
  if (parameters.length === 0) return good;
  const strange = fc
    .tuple(fc.tuple(...valid), fc.nat({ max: parameters.length - 1 }), strangeSegment.filter(keepsPath))
    .map(([segments, at, other]) => ({ value: fill(segments.with(at, other)), isValid: false }));
  return fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: strange });
}

const pair = (name: string, value: unknown) =>
  `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`;

/** Text without lone surrogates, which encodeURIComponent refuses. */
const strangeValue = fc.oneof(
  hostile.map((value) => (typeof value === "string" ? value : jsonOf(value)).toWellFormed().slice(0, 5_000)),
  fc.constantFrom("0x10", "1e3", "1.0", " 1", "+1", "Infinity", "-0", "１", "9".repeat(400), "true,false"),
);

function queryOf({ document }: Operation, values: Values): Part<string> {
  const parameters = (document.parameters ?? []).filter((parameter) => parameter.in === "query");
  const valid = fc
    .record(Object.fromEntries(parameters.map(({ name, schema }) => [name, values.valid(schema, name)])), {
      requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
      noNullPrototype: true,
    })
    .map((query) => Object.entries(query).map(([name, value]) => pair(name, value)));
  const names = parameters.length > 0 ? fc.constantFrom(...parameters.map(({ name }) => name)) : hostileName;
  const extra = fc.oneof(
    fc.tuple(names, strangeValue).map(([name, value]) => pair(name, value)),
    fc.tuple(hostileName, strangeValue).map(([name, value]) => pair(name, value)),
    names.map((name) => `${name}[]=1&${name}[a]=1&${name}=1&${name}=2&${name}`),
    fc.constantFrom("%", "&&&", "=", "%zz=%zz", "%00=%00", "?", "a=1&".repeat(500)),
  );
  const good = valid.map((pairs) => ({ value: pairs.join("&"), isValid: true }));
  const strange = fc
    .tuple(valid, fc.array(extra, { minLength: 1, maxLength: 3 }))
    .map(([pairs, extras]) => ({ value: [...pairs, ...extras].join("&"), isValid: false }));
  const weight = parameters.length > 0 ? 2 : 9;
  return fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: strange });
}

// --- Body -------------------------------------------------------------------------------------------------

type Fields = Record<string, unknown>;

/** Changes that turn the fields of a valid body into something else. */
function mutated(schema: Schema, values: Values): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = values.resolve(schema);
  const names = Object.keys(properties);
  const fields = values.valid(schema) as fc.Arbitrary<Fields>;
  const with_ = (name: string, value: fc.Arbitrary<unknown>) =>
    fc.tuple(fields, value).map(([body, other]) => ({ ...body, [name]: other }));
  const one = names.length > 0 ? fc.constantFrom(...names) : fc.constant("x");
  const raw = (text: string) => (body: Fields) => new Raw(text + jsonOf(body).slice(1));
  return fc.oneof(
    one.chain((name) => with_(name, hostile)),
    one.chain((name) => with_(name, values.outOfBounds(properties[name] ?? {}))),
    one.chain((name) => with_(name, fc.array(values.valid(properties[name] ?? {}, name), { maxLength: 3 }))),
    fc
      .tuple(fields, fc.constantFrom("", ...required))
      .map(([{ ...body }, name]) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))),
    fc
      .tuple(fields, hostileName, hostile)
      .map(([body, name, value]) => raw(`{${JSON.stringify(name)}:${jsonOf(value)},`)(body)),
    fc
      .tuple(fields, one, hostile)
      .map(([body, name, value]) => raw(`{${JSON.stringify(name)}:${jsonOf(value)},`)(body)),
    hostile,
  );
}

const NOT_JSON: (string | Uint8Array<ArrayBuffer>)[] = [
  "",
  " ",
  "{",
  '{"a"',
  "{'a':1}",
  "\ufeff{}",
  "[[[[",
  "{}{}",
  "a=1&b=2",
  "<xml/>",
  `${"[".repeat(100_000)}`,
  `{"name":"${"x".repeat(1_100_000)}"}`,
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  new Uint8Array([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
];

const TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/xml",
  "APPLICATION/JSON",
  "application/problem+json",
  "json",
  "*/*",
];

interface Sent {
  body: string | Uint8Array<ArrayBuffer> | undefined;
  contentType: string;
}

function bodyOf(operation: Operation, values: Values): Part<Sent> {
  const contentType = "application/json";
  const schema = bodySchema(operation);
  const none = fc.constant({
    value: { body: undefined, contentType: "" },
    isValid: operation.document.requestBody?.required !== true,
  });
  if (operation.method === "GET") return none;
  if (!schema)
    return fc.oneof(
      { weight: 4, arbitrary: none },
      {
        weight: 1,
        arbitrary: hostile.map((body) => ({ value: { body: jsonOf(body), contentType }, isValid: false })),
      },
    );
  const sent = (body: unknown, isValid: boolean) => ({ value: { body: jsonOf(body), contentType }, isValid });
  const good = values.valid(schema).map((body) => sent(body, true));
  return fc.oneof(
    { weight: 10, arbitrary: good },
    { weight: 8, arbitrary: mutated(schema, values).map((body) => sent(body, false)) },
    { weight: 1, arbitrary: none },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...NOT_JSON)
        .map((body) => ({ value: { body, contentType }, isValid: false })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(good, fc.constantFrom(...TYPES))
        .map(([{ value }, other]) => ({ value: { ...value, contentType: other }, isValid: false })),
    },
  );
}

// --- Headers and the whole --------------------------------------------------------------------------------

/** Bytes that a header can carry over the wire: no line breaks and no NUL. */
const headerValue = fc.oneof(
  fc.constantFrom("", "*", "x".repeat(4_000), "\u00ff\u00e9", "../../etc/passwd", "1, 2, 3", "-1", "'"),
  fc.string({ unit: "grapheme-ascii" }).map((value) => value.trim()),
);

const HEADERS =
  "x-request-id x-forwarded-for x-forwarded-proto x-source-service x-id-app-key accept accept-language accept-encoding cookie origin range if-none-match if-modified-since user-agent access-control-request-method content-language prefer x-http-method-override".split(
    " ",
  );

const strangeHeaders = fc.dictionary(fc.constantFrom(...HEADERS), headerValue, {
  maxKeys: 4,
  noNullPrototype: true,
});

/** Random requests of an operation. */
export function requestsOf(operation: Operation, values: Values, pool: Pool): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      who: fc.oneof(
        { weight: 6, arbitrary: fc.constant(rightfulCaller(operation)) },
        { weight: 3, arbitrary: fc.constantFrom<Who>(...ROLES) },
      ),
      path: pathOf(operation, values, pool),
      query: queryOf(operation, values),
      body: bodyOf(operation, values),
      headers: fc.oneof(
        { weight: 4, arbitrary: fc.constant<Record<string, string>>({}) },
        { weight: 1, arbitrary: strangeHeaders },
      ),
    })
    .map(({ who, path, query, body, headers }) => ({
      who,
      path: query.value === "" ? path.value : `${path.value}?${query.value}`,
      headers: {
        "user-agent": "fuzz",
        ...headers,
        ...(body.value.contentType !== "" && { "content-type": body.value.contentType }),
      },
      body: body.value.body,
      isValid: path.isValid && query.isValid && body.isValid && Object.keys(headers).length === 0,
    }));
}
