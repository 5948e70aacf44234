import { out, record, t } from "../../kernel/schema";

const description = t.Union([t.String(), t.Null()], {
  description: "What the role is for",
  examples: ["Crew"],
});

export const Role = record(
  "Role",
  {
    id: out.string("Identifier", "role_user"),
    name: out.string("Name", "User"),
    description,
    is_system: out.boolean("Whether it came with Fairlead and cannot be deleted"),
    requires_two_factor: out.boolean("Whether its holders are prompted to enable 2FA", false),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A named set of permissions",
);
export type Role = (typeof Role)["static"];

export const RoleAssignment = t.Object(
  {
    role_id: t.String({
      minLength: 1,
      maxLength: 64,
      description: "Identifier of the role",
      examples: ["role_user"],
    }),
  },
  { title: "RoleAssignment" },
);
