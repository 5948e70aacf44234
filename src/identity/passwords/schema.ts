import { characters } from "../../kernel/http/schema";

export const newPasswordField = characters({
  minLength: 8,
  maxLength: 128,
  description: "Password: 8 to 128 characters",
  examples: ["a long passphrase"],
});

/** A password to compare with the stored one. No password that was ever accepted is longer. */
export const passwordField = characters({
  minLength: 1,
  maxLength: 128,
  description: "Password",
  examples: ["a long passphrase"],
});
