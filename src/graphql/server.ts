import { costLimitPlugin } from "@escape.tech/graphql-armor-cost-limit";
import { maxDepthPlugin } from "@escape.tech/graphql-armor-max-depth";
import { maxTokensPlugin } from "@escape.tech/graphql-armor-max-tokens";
import type { ExecutionResult } from "graphql";
import { createSchema, createYoga, type Plugin } from "graphql-yoga";
import { readJson } from "../kernel/body";
import { AppError, badRequest } from "../kernel/errors";
import { toGraphQLError } from "./errors";
import { PATH } from "./path";
import { type Context, resolvers } from "./resolvers";
import { TYPE_DEFS } from "./schema";

/**
 * GraphQL over HTTP, by graphql-yoga itself: @elysiajs/graphql-yoga holds on to yoga 3, which is years old, and adds
 * routes that carry no access mark and read bodies of any size and type.
 */

/**
 * What one request may ask for. Every operation is two or three levels deep and costs some ten points. `size` counts
 * flat, with what fragments stand for, and holds for introspection too, which depth and cost leave out: aliases would
 * multiply its answer without end. The usual one has 331, and its depth is bounded by graphql itself.
 */
const LIMITS = { tokens: 1_000, depth: 8, cost: 300, size: 500 };

/** Gives every error the form of ours, before an answer is written. */
const shapeErrors: Plugin<Context> = {
  onResultProcess({ result, setResult, serverContext }) {
    const { errors, ...rest } = result as ExecutionResult;
    if (!errors) return;
    const { headers } = serverContext as unknown as Context;
    for (const { originalError } of errors)
      if (originalError instanceof AppError && originalError.status === 429)
        Object.assign(headers, originalError.headers);
    setResult({
      ...rest,
      errors: errors.map((error) => toGraphQLError(error, String(headers["x-request-id"]))),
    });
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
  // `shapeErrors` does it, whatever NODE_ENV says.
  maskedErrors: false,
  plugins: [
    maxTokensPlugin({ n: LIMITS.tokens }),
    maxDepthPlugin({ n: LIMITS.depth }),
    costLimitPlugin({ maxCost: LIMITS.cost }),
    costLimitPlugin({ maxCost: LIMITS.size, depthCostFactor: 1, ignoreIntrospection: false }),
    shapeErrors,
  ],
});

/** A query in the URL. Mutations are refused: a link or a picture must change nothing. */
export const answerGet = (context: Context): Promise<Response> =>
  answer(context, async () => {
    const { searchParams } = new URL(context.incoming.url);
    if (!searchParams.get("query")) throw badRequest("Send a query in the parameter query");
    for (const name of ["variables", "extensions"]) checkJson(name, searchParams.get(name));
    return { method: "GET" };
  });

/** Refuses a parameter that isn't JSON: yoga would take its own failure to read it for ours. */
function checkJson(name: string, text: string | null): void {
  try {
    if (text) JSON.parse(text);
  } catch {
    throw badRequest(`${name} is not valid JSON`);
  }
}

/**
 * A request in the body. Only JSON is read, by the rules of REST: a form that another site sends from a browser is
 * none (and no cookie counts here), a list of requests is refused, and fields that nobody knows are ignored.
 */
export const answerPost = (context: Context): Promise<Response> =>
  answer(context, async () => {
    const body: Record<string, unknown> = { ...(await readJson(context.incoming)) };
    const { query, variables, operationName, extensions } = body;
    if (typeof query !== "string") throw badRequest("Send a query in the body");
    return { method: "POST", body: JSON.stringify({ query, variables, operationName, extensions }) };
  });

/** Asks yoga what `read` finds in a request, or answers why that can't be read. */
async function answer(
  context: Context,
  read: () => Promise<{ method: string; body?: string }>,
): Promise<Response> {
  try {
    const headers = { "content-type": "application/json", accept: typeOfAnswer(context.incoming) };
    return await yoga.fetch(new Request(context.incoming.url, { ...(await read()), headers }), context);
  } catch (thrown) {
    const error = toGraphQLError(thrown, String(context.headers["x-request-id"]));
    return Response.json({ errors: [error] }, { status: Number(error.extensions.status) });
  }
}

const TYPES = ["application/json", "application/graphql-response+json"];

/** The one of both that a client names first. Nobody is refused who names neither: REST has one type for all, too. */
function typeOfAnswer(request: Request): string {
  const accepted = (request.headers.get("accept") ?? "").toLowerCase().split(",");
  const types = accepted.map((range) => range.split(";", 1).join("").trim());
  return types.find((type) => TYPES.includes(type)) ?? "application/json";
}
