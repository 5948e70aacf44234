import type { RateRule } from "../../identity/access/limit";

/** Requests with links from one address. */
export const sharedLimit: RateRule = { name: "shared", rate: () => ({ requests: 60, seconds: 60 }) };
