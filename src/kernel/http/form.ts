import { badRequest } from "../errors/errors";
import { readText } from "./body";
import { requireConnected } from "./pipelining";

/** Reads forms, as browsers and OAuth clients send them (WHATWG URL, section 5): any input is safe. */

const FORM = "application/x-www-form-urlencoded";
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Bytes of a form, and its fields: more than any of ours has. */
const MAX_BYTES = 32 * 1024;
const MAX_FIELDS = 64;

/** The fields of a form or a query. A name that stands there twice is ambiguous: it is in `repeated`, with no value. */
export interface Fields {
  values: Record<string, string>;
  repeated: ReadonlySet<string>;
}

/**
 * The form in the body of a request; no fields if there is no body. Returns once the request may act (rule H15). Throws 400,
 * 413 or 415.
 */
export async function readForm(request: Request): Promise<Fields> {
  const text = await readText(request, FORM_TYPE, FORM, MAX_BYTES);
  await requireConnected(request);
  return fieldsOf(text);
}

/** The fields in the query of a request. Throws 400. */
export const queryOf = ({ url }: Request): Fields => {
  const at = url.indexOf("?");
  return fieldsOf(at === -1 ? "" : url.slice(at + 1));
};

/** The fields of a text in the form of a query. Throws 400. */
export function fieldsOf(text: string): Fields {
  const values: Record<string, string> = Object.create(null);
  const repeated = new Set<string>();
  const parameters = new URLSearchParams(text);
  if (parameters.size > MAX_FIELDS) throw badRequest(`A form may have ${MAX_FIELDS} fields at most`);
  for (const [name, value] of parameters) {
    if (name in values || repeated.has(name)) {
      repeated.add(name);
      delete values[name];
    } else values[name] = value;
  }
  return { values, repeated };
}
