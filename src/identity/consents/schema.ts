import { nullable, out, record, t } from "../../kernel/http/schema";

const url = (description: string, example: string) => nullable(out.uri(description, example));

export const Consent = record(
  "Consent",
  {
    id: out.uuid("Identifier"),
    client: t.Object(
      {
        id: out.uuid("Identifier; the `client_id`"),
        name: out.string("Name", "Crew app"),
        homepage_url: url("Where the application is at home", "https://app.example"),
        privacy_policy_url: url("Its privacy policy", "https://app.example/privacy"),
        is_first_party: out.boolean(
          "Whether it belongs to the installation, so that nobody was asked",
          false,
        ),
        is_active: out.boolean("Whether it may be used"),
      },
      { description: "The application" },
    ),
    scopes: t.Array(t.String(), {
      description:
        "What the user has agreed to. A permission counts as far as the application may still ask for it and the user holds it",
      examples: [["openid", "profile", "gps:read"]],
    }),
    last_used_at: nullable(out.time("When the application last acted for the user; null if it never did")),
    created_at: out.time("When the user first agreed"),
    updated_at: out.time("When the user last agreed to more"),
  },
  "What a user lets an application do",
);
export type Consent = (typeof Consent)["static"];
