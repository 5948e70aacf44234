import type { DocumentNode, OperationDefinitionNode } from "graphql";
import { execute, GraphQLError, Kind, type SelectionSetNode, validate } from "graphql";
import type { Plugin } from "graphql-yoga";
import { config } from "../configuration/config";
import { badRequest } from "../kernel/errors/errors";

/** Bounds of what GraphQL's own rules would cost (rule G2): some compare each field with all others. */

/**
 * Fields and fragments as written; the usual introspection query has 81. Depth and cost are checked beside
 * GraphQL's own rules, too late for those.
 */
const MAX_SELECTIONS = 120;

/** Mutations of one request: each is a write of its own. */
const MAX_MUTATIONS = 5;

/** Errors that one request is told. Each repeats the value that is wrong. */
const MAX_ERRORS = 5;

/** Fields and items of all variables together; the largest operation has seven. */
const MAX_VALUES = 100;

/** A suggestion would reveal names of a schema that is not public here. */
const hideSuggestions = !config["docs.enabled"];

/** Refuses costly documents before they are validated, and stops at a few errors. */
export const boundCost: Plugin = {
  onValidate({ setValidationFn }) {
    // Documents that were valid before aren't validated again: see documents.ts.
    setValidationFn((schema, document, rules, typeInfo, options) => {
      const refusal = refusalOf(document);
      return refusal
        ? [new GraphQLError(refusal)]
        : validate(schema, document, rules, { ...options, maxErrors: MAX_ERRORS, hideSuggestions }, typeInfo);
    });
  },
  onExecute({ setExecuteFn }) {
    // Yoga's own function takes no bound of the errors in variables.
    setExecuteFn((args) => execute({ ...args, hideSuggestions, options: { maxCoercionErrors: MAX_ERRORS } }));
  },
};

function refusalOf(document: DocumentNode): string | null {
  let selections = 0;
  for (const definition of document.definitions)
    if ("selectionSet" in definition) selections += count(definition.selectionSet);
  if (selections > MAX_SELECTIONS)
    return `A document may have ${MAX_SELECTIONS} fields and fragments at most`;
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION && mutations(definition, document) > MAX_MUTATIONS)
      return `A request may carry out ${MAX_MUTATIONS} mutations at most`;
  return null;
}

function count({ selections }: SelectionSetNode): number {
  let found = selections.length;
  for (const selection of selections)
    if ("selectionSet" in selection && selection.selectionSet) found += count(selection.selectionSet);
  return found;
}

/** Fields on the first level of a mutation; execution takes a fragment once, too. */
function mutations({ operation, selectionSet }: OperationDefinitionNode, document: DocumentNode): number {
  if (operation !== "mutation") return 0;
  const seen = new Set<string>();
  const fieldsOf = (set: SelectionSetNode): number =>
    set.selections.reduce((found, selection) => {
      if (selection.kind === Kind.FIELD) return found + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT) return found + fieldsOf(selection.selectionSet);
      const name = selection.name.value;
      if (seen.has(name)) return found;
      seen.add(name);
      const fragment = document.definitions.find(
        (other) => other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === name,
      );
      return fragment && "selectionSet" in fragment ? found + fieldsOf(fragment.selectionSet) : found;
    }, 0);
  return fieldsOf(selectionSet);
}

/** Refuses a part of a request with more values than any operation takes: an error prints them. Throws 400. */
export function checkValues(part: string, value: unknown): void {
  let values = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const members: unknown[] = Object.values(next);
    values += members.length;
    if (values > MAX_VALUES) throw badRequest(`${part} may have ${MAX_VALUES} values at most`);
    waiting.push(...members);
  }
}
