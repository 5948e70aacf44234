/** Imported first: Elysia reads NODE_ENV when it loads, and shows more of an error's insides outside production. */
process.env.NODE_ENV = "production";

export {};
