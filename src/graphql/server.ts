import { costLimitPlugin } from "@escape.tech/graphql-armor-cost-limit";
import { maxDepthPlugin } from "@escape.tech/graphql-armor-max-depth";
import { maxTokensPlugin } from "@escape.tech/graphql-armor-max-tokens";
import { type ExecutionResult, type GraphQLError, NoSchemaIntrospectionCustomRule } from "graphql";
import { createSchema, createYoga, type Plugin } from "graphql-yoga";
import { config } from "../config";
import { countAnyone, type RateRule } from "../identity/access/guard";
import { parseJson, readJson } from "../kernel/body";
import { addressBlock, clientAddress } from "../kernel/client";
import { AppError, badRequest } from "../kernel/errors";
import { noteRefusal } from "../kernel/http";
import { requireConnected } from "../kernel/pipelining";
import { inTurns } from "../kernel/turns";
import { boundCost, checkValues } from "./bounds";
import { rememberDocuments } from "./documents";
import { toGraphQLError } from "./errors";
import { PATH } from "./path";
import { type Context, resolvers } from "./resolvers";
import { TYPE_DEFS } from "./schema";

/**
 * GraphQL over HTTP, by graphql-yoga itself: @elysiajs/graphql-yoga is bound to yoga 3, which is years old,
 * and adds routes that carry no access mark and read bodies of any size and type.
 */

/**
 * Bounds of one request (rule G2). Every operation is two or three levels deep and costs some ten points.
 * `size` counts fields with fragments expanded, and also bounds introspection, which depth and cost leave
 * out: aliases would multiply its answer without end. The usual introspection query has 331, and graphql
 * itself bounds its depth.
 */
const LIMITS = { tokens: 1_000, depth: 8, cost: 300, size: 500 };

/**
 * Bytes of a document and of its variables, each. Comments and blanks are no tokens but are read as well, and
 * GraphQL repeats an invalid variable in up to fifty messages.
 */
const MAX_BYTES = 16 * 1024;

/** Bytes of a body: JSON may escape a byte as six, and both parts may have their maximum. */
const MAX_BODY = 2 * 6 * MAX_BYTES + 1024;

/** Counts requests that are refused later, too: parsing and validating documents for strangers costs time. */
const requestLimit: RateRule = { name: "graphql", rate: () => config["rate_limit.graphql"] };

/**
 * An operation takes milliseconds at worst. The usual one takes a fifth of one: a hundred of an address are
 * done in a moment.
 */
const nextTurn = inTurns({
  ofAddress: 100,
  inAll: 500,
  refusal: "Too many GraphQL requests are under way; try again in a moment",
});

/** Statuses whose headers tell the client when to come back. */
const COME_BACK = [429, 503];

/** Copies the limit's headers, such as Retry-After, to the answer. */
function noteLimit(thrown: unknown, headers: Context["headers"]): void {
  if (thrown instanceof AppError && COME_BACK.includes(thrown.status)) Object.assign(headers, thrown.headers);
}

/** Statuses of an operation that is refused for who asks. */
const REFUSED = [401, 403];

/** The answer as a whole may be a success of which only a part was refused: the access log tells it all the same. */
function shape(error: unknown, { incoming, headers }: Context): GraphQLError {
  const shaped = toGraphQLError(error, String(headers["x-request-id"]));
  if (REFUSED.includes(Number(shaped.extensions.status))) noteRefusal(incoming, shaped.message);
  return shaped;
}

/** Gives every error this API's form before an answer is written. */
const shapeErrors: Plugin<Context> = {
  onResultProcess({ result, setResult, serverContext }) {
    const { errors, ...rest } = result as ExecutionResult;
    if (!errors) return;
    const context = serverContext as unknown as Context;
    for (const { originalError } of errors) noteLimit(originalError, context.headers);
    setResult({ ...rest, errors: errors.map((error) => shape(error, context)) });
  },
};

/** An installation that shows no documentation hides its schema as well. */
const hideSchema: Plugin<Context> = {
  onValidate({ addValidationRule }) {
    if (!config["docs.enabled"]) addValidationRule(NoSchemaIntrospectionCustomRule);
  },
};

const yoga = createYoga<Context>({
  schema: createSchema<Context>({ typeDefs: TYPE_DEFS, resolvers }),
  graphqlEndpoint: PATH,
  logging: false,
  graphiql: false,
  landingPage: false,
  cors: false,
  multipart: false,
  batching: false,
  // `shapeErrors` masks errors itself, independently of NODE_ENV.
  maskedErrors: false,
  // Yoga's own cache would keep a thousand documents and a thousand refusals for an hour, with no bound on
  // their size.
  parserAndValidationCache: false,
  plugins: [
    rememberDocuments(),
    maxTokensPlugin({ n: LIMITS.tokens }),
    maxDepthPlugin({ n: LIMITS.depth }),
    boundCost,
    costLimitPlugin({ maxCost: LIMITS.cost }),
    costLimitPlugin({ maxCost: LIMITS.size, depthCostFactor: 1, ignoreIntrospection: false }),
    hideSchema,
    shapeErrors,
  ],
});

/** A query in the URL. Mutations are refused: a link or a picture must change nothing. */
export const answerGet = (context: Context): Promise<Response> =>
  answer(context, async () => {
    const { searchParams } = new URL(context.incoming.url);
    const query = searchParams.get("query");
    if (!query) throw badRequest("Send a query in the parameter query");
    checkSize("query", query);
    for (const name of ["variables", "extensions"]) {
      const text = searchParams.get(name);
      // Checked here: yoga would treat its own failure to parse it as a server error.
      if (text) checkValues(name, parseJson(text, name));
    }
    return { method: "GET" };
  });

/**
 * A request in the body. Only JSON is read, as in REST: a form that another site posts from a browser is
 * refused (and no cookie counts here), as is a list of requests; unknown fields are ignored.
 */
export const answerPost = (context: Context): Promise<Response> =>
  answer(context, async () => {
    const body: Record<string, unknown> = { ...(await readJson(context.incoming, MAX_BODY)) };
    await requireConnected(context.incoming);
    const { query, variables, operationName, extensions } = body;
    if (typeof query !== "string") throw badRequest("Send a query in the body");
    checkSize("query", query);
    // Counted first, since writing thousands of values as text takes time.
    checkValues("variables", variables);
    checkValues("extensions", extensions);
    checkValues("operationName", operationName);
    checkSize("variables", JSON.stringify([variables, operationName, extensions]));
    return { method: "POST", body: JSON.stringify({ query, variables, operationName, extensions }) };
  });

/** Refuses a part of a request that is too long, before it is parsed. */
function checkSize(part: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new AppError("PayloadTooLarge", `${part} may have ${MAX_BYTES} bytes at most`);
}

/** Passes the request that `read` returns to yoga, or answers with the error that it throws. */
async function answer(
  context: Context,
  read: () => Promise<{ method: string; body?: string }>,
): Promise<Response> {
  try {
    countAnyone(requestLimit, context.incoming, context.headers);
    const headers = { "content-type": "application/json", accept: typeOfAnswer(context.incoming) };
    const request = new Request(context.incoming.url, { ...(await read()), headers });
    await nextTurn(addressBlock(clientAddress(context.incoming)));
    return await yoga.fetch(request, context);
  } catch (thrown) {
    // A body that is refused half read ends its connection, and says so in a header.
    if (thrown instanceof AppError) Object.assign(context.headers, thrown.headers);
    const error = shape(thrown, context);
    return Response.json({ errors: [error] }, { status: Number(error.extensions.status) });
  }
}

const TYPES = ["application/json", "application/graphql-response+json"];

/**
 * The first of the two types in `Accept`. A client that names neither is not refused: REST has one type for
 * all, too.
 */
function typeOfAnswer(request: Request): string {
  const accepted = (request.headers.get("accept") ?? "").toLowerCase().split(",");
  const types = accepted.map((range) => range.split(";", 1).join("").trim());
  return types.find((type) => TYPES.includes(type)) ?? "application/json";
}
