import { yoga } from "@elysiajs/graphql-yoga";
import { costLimitPlugin } from "@escape.tech/graphql-armor-cost-limit";
import { maxDepthPlugin } from "@escape.tech/graphql-armor-max-depth";
import { maxTokensPlugin } from "@escape.tech/graphql-armor-max-tokens";
import { Elysia } from "elysia";
import type { GraphQLSchema } from "graphql";
import { type ExecutionResult, type GraphQLError, NoSchemaIntrospectionCustomRule } from "graphql";
import { createSchema, type Plugin } from "graphql-yoga";
import { config } from "../configuration/config";
import type { RateRule } from "../identity/access/limit";
import { countAnyone } from "../identity/access/request-caller";
import { AppError, badRequest } from "../kernel/errors/errors";
import { acceptedType } from "../kernel/http/accept";
import { parseJson, readJson } from "../kernel/http/body";
import { addressBlock, clientAddress } from "../kernel/http/client";
import { noteRefusal } from "../kernel/http/http";
import { requireConnected } from "../kernel/http/pipelining";
import { inTurns } from "../kernel/limits/turns";
import { boundCost, checkValues } from "./bounds";
import { rememberDocuments } from "./documents";
import { toGraphQLError } from "./errors";
import { PATH } from "./path";
import { type Context, resolvers } from "./resolvers";
import { TYPE_DEFS } from "./schema";

/**
 * GraphQL over HTTP by @elysiajs/graphql-yoga. Its routes carry no access mark and read bodies of any size and
 * type: they stand in an application of their own, which is handed requests that were counted, read and
 * measured before. The plugin asks for yoga 3; `overrides` in package.json gives it yoga 5.
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
  line: {
    ofAddress: 100,
    inAll: 500,
    refusal: "Too many GraphQL requests are under way; try again in a moment",
  },
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
const shapeErrors: Plugin = {
  onResultProcess({ result, setResult, request }) {
    const { errors, ...rest } = result as ExecutionResult;
    if (!errors) return;
    const context = contextOf(request);
    for (const { originalError } of errors) noteLimit(originalError, context.headers);
    setResult({ ...rest, errors: errors.map((error) => shape(error, context)) });
  },
};

/** An installation that shows no documentation hides its schema as well. */
const hideSchema: Plugin = {
  onValidate({ addValidationRule }) {
    if (!config["docs.enabled"]) addValidationRule(NoSchemaIntrospectionCustomRule);
  },
};

/** The context of each request that is handed on: the plugin passes nothing but the request itself. */
const contexts = new WeakMap<Request, Context>();

function contextOf(request: Request): Context {
  const context = contexts.get(request);
  if (!context) throw new Error("GraphQL has a request that it was not handed");
  return context;
}

const schema: GraphQLSchema = createSchema<Context>({ typeDefs: TYPE_DEFS, resolvers });

const inner = new Elysia()
  // Elysia would answer an error's own message.
  .onError(({ error, request }) => refuse(error, contextOf(request)))
  .use(
    yoga({
      path: PATH,
      graphqlEndpoint: PATH,
      schema,
      context: ({ request }) => contextOf(request),
      logging: false,
      graphiql: false,
      landingPage: false,
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
    }),
  );

/** The address that the inner application knows, whatever the Host header says. */
const ADDRESS = `http://localhost${PATH}`;

/** A query in the URL. Mutations are refused: a link or a picture must change nothing. */
export const answerGet = (context: Context): Promise<Response> =>
  answer(context, async (headers) => {
    const { search, searchParams } = new URL(context.incoming.url);
    const query = searchParams.get("query");
    if (!query) throw badRequest("Send a query in the parameter query");
    checkSize("query", query);
    for (const name of ["variables", "extensions"]) {
      const text = searchParams.get(name);
      // Checked here: yoga would treat its own failure to parse it as a server error.
      if (text) checkValues(name, parseJson(text, name));
    }
    return new Request(ADDRESS + search, { headers });
  });

/**
 * A request in the body. Only JSON is read, as in REST: a form that another site posts from a browser is
 * refused (and no cookie counts here), as is a list of requests; unknown fields are ignored.
 */
export const answerPost = (context: Context): Promise<Response> =>
  answer(context, async (headers) => {
    const given: Record<string, unknown> = { ...(await readJson(context.incoming, { bytes: MAX_BODY })) };
    await requireConnected(context.incoming);
    const { query, variables, operationName, extensions } = given;
    if (typeof query !== "string") throw badRequest("Send a query in the body");
    checkSize("query", query);
    // Counted first, since writing thousands of values as text takes time.
    checkValues("variables", variables);
    checkValues("extensions", extensions);
    checkValues("operationName", operationName);
    checkSize("variables", JSON.stringify([variables, operationName, extensions]));
    const body = JSON.stringify({ query, variables, operationName, extensions });
    return new Request(ADDRESS, { method: "POST", headers, body });
  });

/** Refuses a part of a request that is too long, before it is parsed. */
function checkSize(part: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new AppError("PayloadTooLarge", `${part} may have ${MAX_BYTES} bytes at most`);
}

/** Hands the request that `read` returns to the inner application, or answers with the error that it throws. */
async function answer(
  context: Context,
  read: (headers: Record<string, string>) => Promise<Request>,
): Promise<Response> {
  try {
    countAnyone(requestLimit, context.incoming, context.headers);
    const request = await read({
      "content-type": "application/json",
      accept: typeOfAnswer(context.incoming),
    });
    contexts.set(request, context);
    await nextTurn(addressBlock(clientAddress(context.incoming)));
    return await inner.handle(request);
  } catch (thrown) {
    return refuse(thrown, context);
  }
}

/** The answer to a request that is not carried out. */
function refuse(thrown: unknown, context: Context): Response {
  // A body that is refused half read ends its connection, and says so in a header.
  if (thrown instanceof AppError) Object.assign(context.headers, thrown.headers);
  const error = shape(thrown, context);
  return Response.json({ errors: [error] }, { status: Number(error.extensions.status) });
}

const JSON_TYPES = ["application/json", "application/graphql-response+json"];
/** `Accept` may name the only charset. */
const FORMS = JSON_TYPES.flatMap((type) => [type, `${type}; charset=utf-8`]);

/**
 * The type that `Accept` prefers. A client that accepts neither is not refused: REST has one type for all, too.
 */
const typeOfAnswer = (request: Request): string =>
  acceptedType(request.headers.get("accept") ?? "*/*", FORMS)?.split(";", 1)[0] ?? "application/json";
