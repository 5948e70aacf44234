import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { seen } from "./seen";

interface Response {
  $ref?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema?: object }>;
}
export interface OperationDocument {
  operationId: string;
  responses: Record<string, Response>;
  "x-permission"?: string;
  "x-further-permission"?: string;
  security: Record<string, string[]>[];
  requestBody?: { required: boolean; content: Record<string, { schema: object; example?: unknown }> };
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  summary: string;
  description: string;
  tags: string[];
}
export interface Document {
  openapi: string;
  paths: Record<string, Record<string, OperationDocument>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, Response>;
    headers: Record<string, { schema: { type: string } }>;
  };
  tags: { name: string; description: string }[];
}

interface Answered {
  status: number;
  headers: Headers;
  /** Null when it is empty. A body that isn't JSON is only checked by its type. */
  body: unknown;
}

/** Headers of HTTP itself, and of every answer: RFC 9110 and 9111, Fetch; no operation declares them. */
const COMMON = new RegExp(
  `^(${[
    ...["date", "allow", "connection", "keep-alive", "transfer-encoding", "vary", "cache-control"],
    ...["content-(type|length|encoding)", "access-control-.+", "referrer-policy", "x-content-type-options"],
    ...["content-security-policy", "strict-transport-security", "cross-origin-(opener|resource)-policy"],
  ].join("|")})$`,
);

/** Headers of every answer of an operation that can answer 429, where limits are on. */
const LIMIT = /^ratelimit-(limit|remaining|reset)$/;

/**
 * Headers that a server may leave out: it knows a time to wait only now and then, and staleness is rare;
 * GraphQL tells the methods only if others would be taken, and its page alone has a validator. A log has a file's name only
 * as a file.
 */
const OPTIONAL = new Set([
  "Allow",
  "ETag",
  "Accept-Encoding",
  // Either of them, by the method.
  "Accept",
  "Accept-Patch",
  "Retry-After",
  // Of an address that answers a list or a file, a file has it.
  "Content-Disposition",
  // A page that has signed in gets it, and over https one that has signed out the other.
  "Set-Cookie",
  "Clear-Site-Data",
  "Warning",
  "Content-Disposition",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
]);

/** Addresses that aren't operations: the document, the pages for people. */
const PAGES =
  /^\/($|s\/?$|favicon\.ico$|bridge\/(assets\/|icon|manifest)|docs|verify-email|reset-password|invitation$|v1\/(open|async)api\.json|v1\/graphql)/;

const ERROR = { $ref: "#/components/schemas/ErrorBody" };

/**
 * Checks a server's answers against its OpenAPI document: every status declared, headers and type as
 * declared, the body valid by its schema and without a field that the schema doesn't name.
 */
export class Contract {
  readonly document: Document;
  /** By their number of segments. */
  readonly #templates: Map<number, { template: string; segments: string[] }[]>;
  readonly #ajv: Ajv2020;
  /** By schema: all operations share those of errors. */
  readonly #validators = new Map<object, ValidateFunction>();
  /** Names of the document's schemas that the validator knows. */
  readonly #added = new Set<string>();
  /** The same by the text of their schemas. */
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.document = document;
    const templates = Object.keys(document.paths)
      // `/gps/current` before `/gps/{id}`.
      .sort((a, b) => a.split("{").length - b.split("{").length)
      .map((template) => ({ template, segments: template.split("/") }));
    this.#templates = Map.groupBy(templates, ({ segments }) => segments.length);
    // The document itself is validated by another test (tests/docs/lint.test.ts).
    // A file of tests compiles far more than it validates, so that code which runs faster doesn't pay.
    this.#ajv = new Ajv2020({
      ...{ strict: false, allErrors: true, validateSchema: false, inlineRefs: false },
      code: { optimize: false },
    });
    addFormats(this.#ajv);
  }

  /** The documented path and operation of a request; undefined when there is none. */
  operation(method: string, path: string): { template: string; operation: OperationDocument } | undefined {
    const wanted = (path.split("?")[0] ?? "").replace(/(?<=.)\/$/, "").split("/");
    const name = (method === "HEAD" ? "GET" : method).toLowerCase();
    for (const { template, segments } of this.#templates.get(wanted.length) ?? []) {
      const isMeant = segments.every((segment, at) => segment.startsWith("{") || segment === wanted[at]);
      if (!isMeant) continue;
      const operation = this.document.paths[template]?.[name];
      if (operation) return { template, operation };
    }
    return undefined;
  }

  /** Throws unless an answer is as the document says. */
  check(method: string, path: string, answer: Answered): void {
    const found = this.operation(method, path);
    if (!found) {
      this.#checkElsewhere(method, path, answer);
      return;
    }
    const { template, operation } = found;
    const { status } = answer;
    const where = `${method} ${template} → ${status}`;
    const declared = operation.responses[String(status)];
    if (!declared) throw new Error(`${where}: the document does not declare this status`);
    if (method !== "HEAD") seen.add(`${operation.operationId} ${status}`);
    const response = declared.$ref
      ? this.document.components.responses[declared.$ref.split("/").at(-1) ?? ""]
      : declared;
    const isHead = method === "HEAD";
    this.#checkHeaders(where, response?.headers ?? {}, "429" in operation.responses, isHead, answer.headers);
    this.#checkBody(where, response?.content, answer, isHead);
  }

  /** No operation has that path and method: expects an error that says so. */
  #checkElsewhere(method: string, path: string, { status, body }: Answered): void {
    if (PAGES.test(path) || method === "OPTIONS") return;
    const where = `${method} ${path} → ${status}`;
    if (status < 400) throw new Error(`${where}: the document has no such operation`);
    const validate = this.#validator(ERROR);
    if (body !== null && !validate(body)) throw new Error(`${where}: the body is no error`);
  }

  #checkHeaders(
    where: string,
    declared: object,
    isLimited: boolean,
    isHead: boolean,
    headers: Headers,
  ): void {
    const names = Object.keys(declared);
    for (const name of names) {
      const value = headers.get(name);
      // HEAD omits headers that are only known once the content is made (RFC 9110, section 9.3.2).
      if (value === null && (OPTIONAL.has(name) || (isHead && name !== "X-Request-Id"))) continue;
      if (value === null) throw new Error(`${where}: no ${name}`);
      const header = this.document.components.headers[name];
      if (header?.schema.type === "integer" && !/^\d+$/.test(value))
        throw new Error(`${where}: ${name} is ${value}`);
    }
    for (const [name] of headers) {
      const isKnown = COMMON.test(name) || names.some((known) => known.toLowerCase() === name);
      if (!isKnown && !(isLimited && LIMIT.test(name)))
        throw new Error(`${where}: the document does not declare the header ${name}`);
    }
  }

  #checkBody(
    where: string,
    declared: Response["content"],
    { status, headers, body }: Answered,
    isHead: boolean,
  ): void {
    const sent = headers.get("content-type") ?? "";
    // Declared with its parameters or without them.
    const type = declared?.[sent] ? sent : sent.replace(/;.*/, "");
    if (!declared) {
      if (body !== null && status !== 101) throw new Error(`${where}: the document declares no body`);
      return;
    }
    // A download is whatever its path answers.
    const media = declared[type] ?? declared["*/*"];
    if (!media) throw new Error(`${where}: the document does not declare the type ${type || "(none)"}`);
    if (isHead) {
      if (body !== null) throw new Error(`${where}: there is a body`);
      return;
    }
    if (!media.schema) return;
    const validate = this.#validator(media.schema);
    if (!validate(body))
      throw new Error(
        `${where}: the body is not as documented: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
      );
  }

  #validator(schema: object): ValidateFunction {
    let validate = this.#validators.get(schema);
    if (!validate) {
      // Many operations have the same schema.
      const text = JSON.stringify(schema);
      validate = this.#compiled.get(text) ?? this.#ajv.compile(this.#own(text));
      this.#compiled.set(text, validate);
      this.#validators.set(schema, validate);
    }
    return validate;
  }

  /** A schema for the validator, closed, after those of the document that it refers to: the others are never read. */
  #own(text: string): object {
    for (const [, name = ""] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      if (this.#added.has(name)) continue;
      this.#added.add(name);
      this.#ajv.addSchema(this.#own(JSON.stringify(this.document.components.schemas[name])), name);
    }
    return closed(JSON.parse(text.replaceAll('"$ref":"#/components/schemas/', '"$ref":"')));
  }
}

/** The same schemas, in which an object with named fields may have no others. */
export function closed<T extends object>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas), (_, value) =>
    value?.type === "object" && value.properties ? { additionalProperties: false, ...value } : value,
  );
}
