import { fits, type Problem, type Side } from "./schemas";

/** Comparing two OpenAPI documents as a client of the older one sees them. */

/** The part of an OpenAPI 3.1 document that is compared. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, unknown>>;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Answer | Reference>;
  security?: Record<string, string[]>[];
  "x-permission"?: string;
  "x-further-permission"?: string;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: unknown;
}
interface Reference {
  $ref: string;
}
interface Answer {
  headers?: Record<string, unknown>;
  content?: Content;
}
type Content = Record<string, { schema?: unknown }>;

/** A change that a program written for the older document may stumble over. */
export interface Break {
  /** The name that a changelog has to give: the `operationId` of an operation, or the place in a schema, as GpsPoint.speed_kmh. */
  name: string;
  /** The change in words, which begin with its place: "GpsPoint.speed_kmh may be null now". */
  text: string;
}

/**
 * The incompatible changes from one OpenAPI document to a later one: requests that were valid and aren't any more, answers
 * that were not to be expected, and names of generated clients that are gone. What a schema with a name changes is found
 * once, and named after the schema. Sorted, each once; empty if every client of the older one can stay as it is.
 */
export function incompatibilities(older: ApiDocument, newer: ApiDocument): Break[] {
  const found = new Map<string, Break>();
  const add = ({ subject, path, what }: Problem) => {
    const text = `${subject}${path} ${what}`;
    // The way into an operation's request or answer begins with a space.
    found.set(text, { name: path.startsWith(" ") ? subject : subject + path, text });
  };
  const comparison = new Comparison(older, newer, add);
  const there = operationsOf(newer);
  for (const [address, operation] of operationsOf(older)) {
    const now = there.get(address);
    const subject = operation.operationId;
    if (!now) add({ subject, path: "", what: `(${address}) is gone` });
    else comparison.operation(operation, now);
  }
  return [...found.values()].sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** The operations by method and path. The name of a parameter in a path isn't part of any address. */
const operationsOf = ({ paths }: ApiDocument): Map<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`,
        operation,
      ]),
    ),
  );

class Comparison {
  readonly #older: ApiDocument;
  readonly #newer: ApiDocument;
  readonly #add: (problem: Problem) => void;
  readonly #known = new Map<string, Problem[]>();

  constructor(older: ApiDocument, newer: ApiDocument, add: (problem: Problem) => void) {
    this.#older = older;
    this.#newer = newer;
    this.#add = add;
  }

  operation(older: Operation, newer: Operation): void {
    const subject = older.operationId;
    const tell = (path: string, what: string) => this.#add({ subject, path, what });
    if (newer.operationId !== subject) tell("", `has the name ${newer.operationId} now`);
    this.#access(older, newer, tell);
    this.#parameters(subject, older.parameters ?? [], newer.parameters ?? [], tell);
    this.#body(subject, older.requestBody, newer.requestBody, tell);
    for (const [status, answer] of Object.entries(older.responses)) {
      const now = newer.responses[status];
      if (now) this.#answer(subject, status, answer, now, tell);
      else tell(` ${status}`, "is not answered any more");
    }
    for (const status of Object.keys(newer.responses))
      if (/^[123]/.test(status) && !older.responses[status]) tell(` ${status}`, "may be answered now");
  }

  #access(older: Operation, newer: Operation, tell: Tell): void {
    for (const key of ["x-permission", "x-further-permission"] as const)
      if (newer[key] !== undefined && newer[key] !== older[key])
        tell("", `needs the permission ${newer[key]} now (${older[key] ?? "none"} before)`);
    const ways = (operation: Operation) =>
      (operation.security ?? [{}]).map((way) => Object.keys(way).sort().join(" and ") || "no credential");
    for (const way of ways(older))
      if (!ways(newer).includes(way) && !ways(newer).includes("no credential"))
        tell("", `does not take ${way} any more`);
  }

  #parameters(subject: string, older: Parameter[], newer: Parameter[], tell: Tell): void {
    const there = named(newer);
    const before = named(older);
    for (const [name, parameter] of before) {
      const now = there.get(name);
      const path = ` ${name}`;
      if (!now) tell(path, "is not taken any more");
      else {
        if (now.required && !parameter.required) tell(path, "is required now");
        this.#schema("request", subject, path, parameter.schema, now.schema);
      }
    }
    for (const [name, { required }] of there)
      if (required && !before.has(name)) tell(` ${name}`, "is required now");
  }

  #body(subject: string, older: Operation["requestBody"], newer: Operation["requestBody"], tell: Tell): void {
    if (newer?.required && !older?.required) tell(" body", "is required now");
    for (const [type, { schema }] of Object.entries(older?.content ?? {})) {
      const now = newer?.content[type];
      if (now) this.#schema("request", subject, " body", schema, now.schema);
      else tell(" body", `is not taken as ${type} any more`);
    }
  }

  #answer(
    subject: string,
    status: string,
    older: Answer | Reference,
    newer: Answer | Reference,
    tell: Tell,
  ): void {
    const before = answerOf(older, this.#older);
    const now = answerOf(newer, this.#newer);
    const path = ` ${status}`;
    for (const [type, { schema }] of Object.entries(before.content ?? {})) {
      const content = now.content?.[type];
      if (content) this.#schema("answer", subject, path, schema, content.schema);
      else tell(path, `is not answered as ${type} any more`);
    }
    for (const header of Object.keys(before.headers ?? {}))
      if (!now.headers?.[header]) tell(path, `has no header ${header} any more`);
  }

  #schema(direction: "request" | "answer", subject: string, path: string, older: unknown, newer: unknown) {
    const before: Side = { schema: older, root: this.#older };
    const now: Side = { schema: newer, root: this.#newer };
    const [sent, expected] = direction === "request" ? [before, now] : [now, before];
    const place = { subject, path };
    for (const problem of fits(sent, expected, { direction, known: this.#known }, place)) this.#add(problem);
  }
}

type Tell = (path: string, what: string) => void;

/** Parameters by their places: those of a path by their order, since their names reach no server. */
function named(parameters: Parameter[]): Map<string, Parameter> {
  let inPath = 0;
  return new Map(
    parameters.map((parameter) => [
      parameter.in === "path" ? `path ${++inPath}` : `${parameter.in} ${parameter.name}`,
      parameter,
    ]),
  );
}

function answerOf(answer: Answer | Reference, { components }: ApiDocument): Answer {
  if (!("$ref" in answer)) return answer;
  const name = answer.$ref.replace("#/components/responses/", "");
  return (components?.responses?.[name] ?? {}) as Answer;
}
