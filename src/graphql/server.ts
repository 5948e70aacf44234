import { costLimitPlugin } from "@escape.tech/graphql-armor-cost-limit";
import { maxDepthPlugin } from "@escape.tech/graphql-armor-max-depth";
import { maxTokensPlugin } from "@escape.tech/graphql-armor-max-tokens";
import type { ExecutionResult } from "graphql";
import { createSchema, createYoga, type Plugin } from "graphql-yoga";
import { readJson } from "../kernel/body";
import { badRequest } from "../kernel/errors";
import { toGraphQLError } from "./errors";
import { type Context, resolvers } from "./resolvers";
import { TYPE_DEFS } from "./schema";

/**
 * GraphQL over HTTP, by graphql-yoga itself: @elysiajs/graphql-yoga holds on to yoga 3, which is years old, and adds
 * routes that carry no access mark and read bodies of any size and type.
 */

export const PATH = "/v1/graphql";

/** What one request may ask for. Every operation is two or three levels deep and costs some ten points. */
const LIMITS = { tokens: 1_000, depth: 8, cost: 300 };

/** Gives every error the form of ours, before an answer is written. */
const shapeErrors: Plugin<Context> = {
  onResultProcess({ result, setResult, serverContext }) {
    const { errors, ...rest } = result as ExecutionResult;
    const { headers } = serverContext as unknown as Context;
    if (errors)
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
    shapeErrors,
  ],
});

/** A query in the URL. Mutations are refused: a link or a picture must change nothing. */
export const answerGet = (context: Context): Promise<Response> => ask(context, null);

/**
 * A request in the body. Only JSON is read, by the rules of REST: a form that another site sends from a browser is
 * none (and no cookie counts here), and a list of requests is refused.
 */
export async function answerPost(context: Context): Promise<Response> {
  try {
    const body = await readJson(context.incoming);
    if (body === null) throw badRequest("Send a query in the body");
    return await ask(context, JSON.stringify(body));
  } catch (thrown) {
    const error = toGraphQLError(thrown, String(context.headers["x-request-id"]));
    return Response.json({ errors: [error] }, { status: Number(error.extensions.status) });
  }
}

async function ask(context: Context, body: string | null): Promise<Response> {
  const { url, method } = context.incoming;
  const headers = new Headers(body === null ? {} : { "content-type": "application/json" });
  const accept = context.incoming.headers.get("accept");
  if (accept !== null) headers.set("accept", accept);
  return yoga.fetch(new Request(url, { method, body, headers }), context);
}
