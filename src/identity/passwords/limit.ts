import { config } from "../../configuration/config";
import type { RateRule } from "../access/limit";

/** Passwords that one session may try: as many as a stranger at the login. */
export const passwordLimit: RateRule = { name: "password", rate: () => config["rate_limit.login"] };
