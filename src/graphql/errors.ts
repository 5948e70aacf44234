import { GraphQLError } from "graphql";
import { toCamelCase } from "../kernel/case";
import { type AppError, toAppError } from "../kernel/errors";
import { logFailure } from "../kernel/trouble";

/**
 * An error in GraphQL's own form, with the REST name and status in `extensions` (decisions 6.5). What nobody expected
 * becomes a bland one, and is told to the operator.
 */
export function toGraphQLError(error: unknown, requestId: string): GraphQLError {
  // Something that was thrown comes inside an error that says where in the query.
  const thrown = error instanceof GraphQLError ? error.originalError : error;
  if (error instanceof GraphQLError && isOwnRefusal(error)) return withCode(error);
  const refusal = toAppError(thrown, requestId);
  if (refusal.status >= 500 && refusal.cause !== undefined)
    logFailure("a GraphQL operation failed", refusal.cause, { request_id: requestId });
  const place = error instanceof GraphQLError ? { nodes: error.nodes, path: error.path } : {};
  return new GraphQLError(inCamelCase(refusal), { ...place, extensions: extensionsOf(refusal) });
}

/**
 * Whether GraphQL itself refuses: what can't be parsed, doesn't fit the schema or asks for too much. A variable that
 * doesn't fit has another such error inside; what is thrown while an operation runs has a path.
 */
const isOwnRefusal = ({ originalError, path }: GraphQLError): boolean =>
  !originalError || (!path && originalError instanceof GraphQLError);

/** Yoga's word for the HTTP status; with `spec` it is for clients that take application/graphql-response+json. */
interface Http {
  status?: number;
  spec?: boolean;
}

function withCode(error: GraphQLError): GraphQLError {
  const http = (error.extensions.http as Http | undefined) ?? { status: 400, spec: true };
  const status = http.status ?? 400;
  // What is too much parses well enough.
  error.message = error.message.replace(/^Syntax Error: (?=(Query|Token) )/, "");
  Object.assign(error.extensions, { http, code: CODES[status] ?? "BadRequest", status });
  return error;
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

/** The message, which begins with the name of a field where it is about one. */
function inCamelCase({ message, details }: AppError): string {
  const field = details?.[0]?.path.slice(1).replaceAll("/", ".");
  return field && message.startsWith(field) ? toCamelCase(field) + message.slice(field.length) : message;
}
