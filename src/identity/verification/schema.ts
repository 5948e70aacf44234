import { characters } from "../../kernel/http/schema";

export const verificationToken = characters({
  minLength: 1,
  maxLength: 128,
  description: "The token of the email",
  examples: ["0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
});
