import { Elysia } from "elysia";
import { config } from "../configuration/config";
import { guard } from "../identity/access/guard";
import { acceptedType } from "../kernel/http/accept";
import { ErrorBody } from "../kernel/http/answers";
import { nullable, out, record, t } from "../kernel/http/schema";
import { countedAnswer } from "../kernel/http/unsent";
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
  config["docs.enabled"] &&
  acceptedType(request.headers.get("accept") ?? "*/*", ["application/json", "text/html"]) === "text/html";

const Request = t.Object(
  {
    query: t.String({ description: "The document", examples: ["{ platforms { slug name } }"] }),
    variables: t.Optional(
      nullable(t.Record(t.String(), t.Unknown(), { description: "Values of its variables", examples: [{}] })),
    ),
    operationName: t.Optional(
      nullable(t.String({ description: "One of its operations, where it has several", examples: [null] })),
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
        { description: "Places in the document" },
      ),
    ),
    path: t.Optional(
      t.Array(t.Union([t.String(), t.Integer()]), {
        description: "Field of `data` that it concerns",
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

/** The client's `Accept` header decides between both types: see server.ts. */
const TYPES = ["application/json", "application/graphql-response+json"];

const LIMITED = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "Accept-Encoding",
];

const Errors = t.Array(GraphQLError, { description: "What went wrong" });

const answerOf = (types: string[], ...headers: string[]) =>
  t.Object(
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
      "x-content-types": types,
      "x-headers": [...LIMITED, ...headers],
    },
  );

/** A refusal; `Allow` comes with one that other methods or parameters would not meet. */
const refusal = (...headers: string[]) =>
  t.Object(
    { errors: Errors },
    {
      title: "GraphQLRefusal",
      description: "A request that is not carried out",
      "x-content-types": TYPES,
      "x-headers": [...LIMITED, ...headers],
    },
  );

const REFUSALS = { 400: refusal("Allow"), 413: refusal(), 429: refusal(), 503: refusal() };

/** A parameter of the URL. It is read in server.ts, which refuses it in GraphQL's form. */
const parameter = (name: string, required: boolean, description: string, example: string) => ({
  name,
  in: "query",
  required,
  description,
  schema: { type: "string" as const, examples: [example] },
});

const PARAMETERS = [
  parameter("query", true, "The document; queries alone", "{ platforms { slug name } }"),
  parameter("variables", false, "Values of its variables, as a JSON object", "{}"),
  parameter("operationName", false, "One of its operations, where it has several", "Platforms"),
];

/** The place of GraphQL beside REST, and the form of its errors: the same for both methods. */
const RULES = `It covers identity and look-ups: two-factor authentication, the second step of a sign-in, sign-ins through other platforms, and the platforms, roles and users that an identity app or a bot looks up. Such programs need a few fields of several records in one request; everything else, registration and password sign-in included, is in REST alone. Its operations call the same functions as REST, with the same rules: open ${PATH} in a browser to read and try them.

A refused operation is null in \`data\`, and the others of the request are answered. Errors come in GraphQL's own form, with the REST name and status in \`extensions\`; their HTTP status is 200, or 4xx for a request that can't be read, and with \`Accept: application/graphql-response+json\` for one that can't be carried out.`;

export const graphqlRoutes = new Elysia({ tags: ["GraphQL"] })
  .use(guard)
  .get(
    PATH,
    ({ request, set: { headers } }) =>
      isBrowser(request) ? graphiql(request) : answer("answerGet", { incoming: request, headers }),
    {
      open: { someNeedCredential: true },
      response: {
        200: answerOf([...TYPES, "text/html"], "ETag"),
        304: t.Void({ description: "The browser has this page already", "x-headers": ["ETag"] }),
        ...REFUSALS,
        405: refusal("Allow"),
        503: t.Union([refusal(), ErrorBody], {
          description: "Too much is under way; the page GraphiQL is refused in REST's form",
          "x-headers": LIMITED,
          "x-content-types": TYPES,
        }),
      },
      detail: {
        operationId: "queryByGraphQL",
        summary: "Run a GraphQL query",
        description: `${RULES}\n\nThe URL takes queries only: a mutation gets 405. The bounds are those of POST. A browser, which accepts \`text/html\`, gets the GraphiQL page where \`docs.enabled\` is true.`,
        parameters: PARAMETERS,
      },
    },
  )
  .post(PATH, ({ request, set: { headers } }) => answer("answerPost", { incoming: request, headers }), {
    open: { someNeedCredential: true },
    response: { 200: answerOf(TYPES), ...REFUSALS, 415: refusal() },
    detail: {
      operationId: "askByGraphQL",
      summary: "Run a GraphQL operation",
      description: `${RULES}\n\nA query is bounded in length (16 KiB, and its variables as much; beyond that 413), depth and cost, has at most 120 fields and fragments, five mutations and 100 values in its variables, and lists of requests are refused. More requests than \`rate_limit.graphql\` of the configuration permits get 429, as do more mutations than \`rate_limit.write\` permits writes; beyond a hundred waiting requests from one address, further ones get 503. Operations say in their descriptions what they need: send \`Authorization\` as with REST.`,
      requestBody: {
        required: true,
        content: { "application/json": { schema: Request as object } },
      },
    },
  });
