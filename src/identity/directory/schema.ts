import { t } from "../../kernel/http/schema";

const LOGIN_NAME = { pattern: "^[A-Za-z0-9_]{3,30}$" };

export const usernameField = t.String({
  ...LOGIN_NAME,
  minLength: 3,
  maxLength: 30,
  "x-expected": "must be 3 to 30 letters, digits or underscores",
  description: "3 to 30 letters, digits and underscores; unique, kept in lower case",
  examples: ["skipper"],
});

export const emailField = t.String({
  format: "email",
  maxLength: 254,
  description: "Email address, kept in lower case",
  examples: ["skipper@example.org"],
});
