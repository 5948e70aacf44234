import { Elysia } from "elysia";
import { config } from "../config";
import { guard } from "../identity/access/guard";
import { ErrorBody, nullable, out, record, t } from "../kernel/schema";
import { graphiql } from "./graphiql";
import { PATH } from "./path";
import type { Context } from "./resolvers";

/** Loaded when somebody first asks: it is a third of what a start takes. */
const answer = async (how: "answerGet" | "answerPost", context: Context): Promise<Response> =>
  (await import("./server"))[how](context);

/** A browser that opens the address, rather than a program that asks. GraphiQL keeps what is typed in the address. */
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
    locations: t.Optional(t.Array(t.Object({ line: t.Integer(), column: t.Integer() }))),
    path: t.Optional(t.Array(t.Union([t.String(), t.Integer()]))),
    extensions: t.Object({
      code: out.string("Name of the error, as in REST", "Forbidden"),
      status: out.integer("Status that REST answers for it", 403),
      details: ErrorBody.properties.details,
    }),
  },
  "What went wrong with an operation, or with the request",
);

const Answer = record(
  "GraphQLAnswer",
  {
    data: t.Optional(
      nullable(t.Record(t.String(), t.Unknown(), { description: "By operation", examples: [{}] })),
    ),
    errors: t.Optional(t.Array(GraphQLError)),
  },
  "An answer by the GraphQL specification, section 7",
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
    response: { 200: Answer, 400: Answer, 413: Answer, 415: Answer },
    detail: {
      summary: "Ask by GraphQL",
      description: `The operations of GraphQL call the same functions as REST, with the same rules: open ${PATH} in a browser to read and try them. Errors come in GraphQL's own form, with the REST name and status in \`extensions\`; their HTTP status is 200, or 400 for a request that can't be read, and with \`Accept: application/graphql-response+json\` for one that can't be carried out. A GET with the parameter \`query\` takes queries alone. A request is bounded in length, depth and cost, and lists of requests are refused. Operations say in their descriptions what they need: send \`Authorization\` as with REST.`,
      requestBody: {
        required: true,
        content: { "application/json": { schema: Request as object } },
      },
    },
  });
