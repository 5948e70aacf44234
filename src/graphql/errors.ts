import { GraphQLError } from "graphql";
import { type AppError, toAppError } from "../kernel/errors/errors";
import { logFailure } from "../kernel/errors/trouble";
import { toCamelCase } from "../kernel/values/case";

/**
 * An error in GraphQL's own form, with the REST name and status in `extensions` (rule G1). An unexpected one
 * becomes a bland InternalError, and is logged for the operator.
 */
export function toGraphQLError(error: unknown, requestId: string): GraphQLError {
  // GraphQL wraps whatever a resolver throws in an error that adds the place in the query.
  const thrown = error instanceof GraphQLError ? error.originalError : error;
  if (error instanceof GraphQLError && isOwnRefusal(error)) return withCode(error);
  const refusal = toAppError(thrown, requestId);
  if (refusal.status >= 500 && refusal.cause !== undefined)
    logFailure("a GraphQL operation failed", refusal.cause, { request_id: requestId });
  const place = error instanceof GraphQLError ? { nodes: error.nodes, path: error.path } : {};
  return new GraphQLError(inCamelCase(refusal), { ...place, extensions: extensionsOf(refusal) });
}

/**
 * True for GraphQL's own refusals: a syntax error, a misfit with the schema, a limit exceeded. The error of
 * an invalid variable wraps another GraphQLError; an error thrown while an operation runs has a path.
 */
const isOwnRefusal = ({ originalError, path }: GraphQLError): boolean =>
  !originalError || (!path && originalError instanceof GraphQLError);

/**
 * Yoga's extension for the HTTP status; `spec` is for clients that take application/graphql-response+json.
 */
interface Http {
  status?: number;
  spec?: boolean;
}

function withCode(error: GraphQLError): GraphQLError {
  const http = (error.extensions.http as Http | undefined) ?? { status: 400, spec: true };
  const status = http.status ?? 400;
  error.message = readable(error.message);
  Object.assign(error.extensions, { http, code: CODES[status] ?? "BadRequest", status });
  return error;
}

/** Longest message of GraphQL's own that is sent: it repeats the client's values, up to fifty times over. */
const MAX_MESSAGE = 500;

function readable(message: string): string {
  const short = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()}…` : message;
  // A document over a limit is no syntax error, though the parser says so.
  return short.replace(/^Syntax Error: (?=(Query|Token) )/, "");
}

const CODES: Record<number, string> = {
  405: "MethodNotAllowed",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  500: "InternalServerError",
};

const extensionsOf = ({ name, status, details }: AppError) => ({
  code: name,
  status,
  ...(details && { details: details.map((detail) => ({ ...detail, path: toCamelCase(detail.path) })) }),
});

/** The message, with the field's name at its start (if any) in camelCase. */
function inCamelCase({ message, details }: AppError): string {
  const field = details?.[0]?.path.slice(1).replaceAll("/", ".");
  return field && message.startsWith(field) ? toCamelCase(field) + message.slice(field.length) : message;
}
