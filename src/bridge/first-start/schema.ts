import { RegisterInput } from "../../identity/auth/schema";
import { characters, nullable, oneOf, out, record, t } from "../../kernel/http/schema";

export const FirstStart = record(
  "FirstStart",
  {
    is_needed: out.boolean("True while there is no super admin", true),
    command: nullable(
      out.string(
        "The command that makes an account on the server, without its options",
        "npm run -s fairlead -- user create",
      ),
    ),
    code: nullable(
      t.Object(
        {
          shown: oneOf(["terminal", "file"], "Where the server shows the code", "terminal"),
          file: nullable(out.string("The file in the data directory", "first-start-code")),
          expires_at: out.time("When the code ends"),
          tries_left: t.Integer({
            minimum: 0,
            description: "Wrong codes that may still be entered",
            examples: [5],
          }),
        },
        { description: "The code that can be entered; null where another one has to be made" },
      ),
    ),
  },
  "How the first administrator is made",
);
export type FirstStart = (typeof FirstStart)["static"];

const { email, username, password } = RegisterInput.properties;

export const FirstAdministrator = t.Object(
  {
    code: characters({
      minLength: 1,
      maxLength: 64,
      description: "The code that the server shows; case and hyphens don't matter",
      examples: ["4T7QX-09HJM-ZK2RC-D8WVE"],
    }),
    username,
    email,
    password,
  },
  { title: "FirstAdministrator" },
);
export type FirstAdministrator = (typeof FirstAdministrator)["static"];
