/** Path of GraphQL and, in a browser, of GraphiQL. */
export const PATH = "/v1/graphql";
