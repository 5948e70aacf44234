/** Where GraphQL answers, and GraphiQL in a browser. */
export const PATH = "/v1/graphql";
