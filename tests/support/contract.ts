import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";

interface Schemas {
  $ref?: string;
}
interface Response extends Schemas {
  content?: Record<string, { schema: object }>;
}
export interface OperationDocument {
  operationId: string;
  responses: Record<string, Response>;
  "x-permission"?: string;
  security: Record<string, string[]>[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  summary: string;
  description: string;
  tags: string[];
}
export interface Document {
  openapi: string;
  paths: Record<string, Record<string, OperationDocument>>;
  components: { schemas: Record<string, object>; responses: Record<string, Response> };
  tags: { name: string; description: string }[];
}

interface Answered {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The server's OpenAPI document as a judge of its answers: every status declared, every body as declared. */
export class Contract {
  readonly document: Document;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.document = document;
    // Whether the document itself is valid is another test's question (operations/commands.test.ts).
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
    addFormats(this.#ajv);
    this.#ajv.addSchema(document, "document");
  }

  /** The documented path and operation of a request; undefined when there is none. */
  operation(method: string, path: string): { template: string; operation: OperationDocument } | undefined {
    const wanted = (path.split("?")[0] ?? "").replace(/(?<=.)\/$/, "").split("/");
    const matching = Object.keys(this.document.paths)
      .filter((template) => {
        const segments = template.split("/");
        return (
          segments.length === wanted.length &&
          segments.every((segment, at) => segment.startsWith("{") || segment === wanted[at])
        );
      })
      // `/gps/current` before `/gps/{id}`.
      .sort((a, b) => a.split("{").length - b.split("{").length);
    const name = (method === "HEAD" ? "GET" : method).toLowerCase();
    for (const template of matching) {
      const operation = this.document.paths[template]?.[name];
      if (operation) return { template, operation };
    }
    return undefined;
  }

  /** Throws when an answer isn't what the document says. */
  check(method: string, path: string, { status, headers, body }: Answered): void {
    const found = this.operation(method, path);
    if (!found) return;
    const { template, operation } = found;
    const where = `${method} ${template} → ${status}`;
    const declared = operation.responses[String(status)];
    if (!declared) throw new Error(`${where}: the document does not declare this status`);
    if (!headers.get("x-request-id")) throw new Error(`${where}: no X-Request-Id`);
    const response = declared.$ref
      ? this.document.components.responses[declared.$ref.split("/").at(-1) ?? ""]
      : declared;
    const schema = response?.content?.["application/json"]?.schema;
    const [type] = Object.keys(response?.content ?? {});
    if (type && !schema) {
      if (headers.get("content-type") !== type) throw new Error(`${where}: the body is not ${type}`);
      return;
    }
    if (!schema) {
      if (body !== null && status !== 101) throw new Error(`${where}: the document declares no body`);
      return;
    }
    if (method === "HEAD") return;
    const validate = this.#validator(where, schema);
    if (!validate(body))
      throw new Error(
        `${where}: the body is not as documented: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
      );
  }

  #validator(where: string, schema: object): ValidateFunction {
    let validate = this.#validators.get(where);
    if (!validate) {
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
      validate = this.#ajv.compile(absolute);
      this.#validators.set(where, validate);
    }
    return validate;
  }
}
