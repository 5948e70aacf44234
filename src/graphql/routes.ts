import { Elysia } from "elysia";
import { config } from "../config";
import { guard } from "../identity/access/guard";
import { ErrorBody, nullable, out, record, t } from "../kernel/schema";
import { countedAnswer } from "../kernel/unsent";
import { graphiql } from "./graphiql";
import { PATH } from "./path";
import type { Context } from "./resolvers";

/** Loaded on the first request: it would take a third of the start-up time. */
const answer = async (how: "answerGet" | "answerPost", context: Context): Promise<Response> =>
  countedAnswer(context.incoming, await (await import("./server"))[how](context));

/**
 * True for a browser that opens the address, false for a program. GraphiQL keeps the query in the address.
 */
const isBrowser = (request: Request) =>
  config["docs.enabled"] && request.headers.get("accept")?.includes("text/html") === true;

const Request = t.Object(
  {
    query: t.String({ description: "The document", examples: ["{ platforms { slug name } }"] }),
    variables: t.Optional(
      nullable(t.Record(t.String(), t.Unknown(), { description: "Values of its variables", examples: [{}] })),
    ),
    operationName: t.Optional(
      nullable(t.String({ description: "Which of its operations, where it has several", examples: [null] })),
    ),
  },
  { title: "GraphQLRequest" },
);

const GraphQLError = record(
  "GraphQLError",
  {
    message: out.string("What went wrong, for a person", "This needs the permission roles:read"),
    locations: t.Optional(
      t.Array(
        t.Object({ line: out.integer("Counted from 1", 1), column: out.integer("Counted from 1", 3) }),
        { description: "Where in the document" },
      ),
    ),
    path: t.Optional(
      t.Array(t.Union([t.String(), t.Integer()]), {
        description: "Which field of `data` it concerns",
        examples: [["roles"]],
      }),
    ),
    extensions: t.Object(
      {
        code: out.string("Name of the error, as in REST", "Forbidden"),
        status: out.integer("Status that REST answers for it", 403),
        details: ErrorBody.properties.details,
      },
      { description: "The error as REST answers it", examples: [{ code: "Forbidden", status: 403 }] },
    ),
  },
  "What went wrong with an operation, or with the request",
);

/** The document lists both types: the client's `Accept` header decides, see server.ts. */
const TYPES = { "x-content-types": ["application/json", "application/graphql-response+json"] };

const LIMITED = { "x-headers": ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After"] };

const Errors = t.Array(GraphQLError, { description: "What went wrong" });

const Answer = t.Object(
  {
    data: t.Optional(
      nullable(t.Record(t.String(), t.Unknown(), { description: "By operation", examples: [{}] })),
    ),
    errors: t.Optional(Errors),
  },
  {
    title: "GraphQLAnswer",
    description: "An answer by the GraphQL specification, section 7",
    examples: [{ data: { platforms: [{ slug: "discord", name: "Discord" }] } }],
    ...TYPES,
    ...LIMITED,
  },
);

const Refusal = t.Object(
  { errors: Errors },
  { title: "GraphQLRefusal", description: "A request that is not carried out", ...TYPES, ...LIMITED },
);

export const graphqlRoutes = new Elysia({ tags: ["GraphQL"] })
  .use(guard)
  .get(
    PATH,
    ({ request, set: { headers } }) =>
      isBrowser(request) ? graphiql(request) : answer("answerGet", { incoming: request, headers }),
    { open: true, detail: { hide: true } },
  )
  .post(PATH, ({ request, set: { headers } }) => answer("answerPost", { incoming: request, headers }), {
    open: { someNeedCredential: true },
    response: { 200: Answer, 400: Refusal, 413: Refusal, 415: Refusal, 429: Refusal, 503: Refusal },
    detail: {
      operationId: "askByGraphQL",
      summary: "Ask by GraphQL",
      description: `The operations of GraphQL call the same functions as REST, with the same rules: open ${PATH} in a browser to read and try them. Errors come in GraphQL's own form, with the REST name and status in \`extensions\`; their HTTP status is 200, or 4xx for a request that can't be read, and with \`Accept: application/graphql-response+json\` for one that can't be carried out. A GET with the parameter \`query\` takes queries alone. A query is bounded in length (16 KiB, and its variables as much; beyond that 413), depth and cost, has at most 120 fields and fragments, five mutations and 100 values in its variables, and lists of requests are refused. More requests than \`rate_limit.graphql\` of the configuration permits get 429, as do more mutations than \`rate_limit.write\` permits writes; more than a hundred of one address that wait at once get 503. Operations say in their descriptions what they need: send \`Authorization\` as with REST.`,
      requestBody: {
        required: true,
        content: { "application/json": { schema: Request as object } },
      },
    },
  });
