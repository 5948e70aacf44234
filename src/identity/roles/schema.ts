import { name, nullable, optional, out, record, t, text, uuid } from "../../kernel/http/schema";
import { proofFields } from "../proof/schema";

const roleName = name("Name, unique", "Crew");
const description = optional(text("What the role is for", "Sails, and keeps the log"));
const requires_two_factor = t.Optional(
  t.Boolean({ description: "Whether its holders are prompted to enable 2FA", examples: [false] }),
);

export const Role = record(
  "Role",
  {
    id: out.string("Identifier", "role_user"),
    name: out.string("Name", "User"),
    description: nullable(out.string("What the role is for", "Crew")),
    is_system: out.boolean("Whether it came with Fairlead and cannot be deleted"),
    requires_two_factor: out.boolean("Whether its holders are prompted to enable 2FA", false),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A named set of permissions",
);
export type Role = (typeof Role)["static"];

export const NewRole = t.Object({ name: roleName, description, requires_two_factor }, { title: "NewRole" });
export type NewRole = (typeof NewRole)["static"];

export const RoleChange = t.Object(
  { name: t.Optional(roleName), description, requires_two_factor },
  { title: "RoleChange" },
);
export type RoleChange = (typeof RoleChange)["static"];

/** Roles that came with Fairlead have readable identifiers (rule H12). */
const roleId = (what: string) =>
  t.String({
    minLength: 1,
    maxLength: 64,
    pattern: "^(role_[a-z_]+|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$",
    "x-expected": "must be the identifier of a role",
    description: what,
    examples: ["role_user"],
  });

export const roleParameter = () => roleId("The role");
export const RoleParams = t.Object({ id: roleId("The role") });
export const RolePermissionParams = t.Object({
  id: roleId("The role"),
  permission_id: uuid("The permission"),
});

export const RoleAssignment = t.Object(
  { role_id: roleId("The role"), ...proofFields },
  { title: "RoleAssignment" },
);
export type RoleAssignment = (typeof RoleAssignment)["static"];

export const Permission = record(
  "Permission",
  {
    id: out.uuid("Identifier"),
    resource: out.string("What it is about; `*` for everything", "gps"),
    action: out.string("What it permits; `*` for everything", "read"),
    description: nullable(out.string("What it is for", "Read positions and hear new ones")),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "Something that a role or a key may permit: `<resource>:<action>`",
);
export type Permission = (typeof Permission)["static"];

export const NewPermission = t.Object(
  {
    resource: t.String({
      pattern: "^[a-z][a-z0-9_]{0,63}$",
      maxLength: 64,
      "x-expected": "must be 1 to 64 lower-case letters, digits or underscores, a letter first",
      description: "What it is about",
      examples: ["cargo"],
    }),
    action: t.String({
      pattern: "^(\\*|[a-z][a-z0-9_.]{0,63})$",
      maxLength: 64,
      "x-expected": "must be * or 1 to 64 lower-case letters, digits, underscores or dots, a letter first",
      description: "What it permits; `*` for everything",
      examples: ["read"],
    }),
    description: optional(text("What it is for", "Read cargo lists")),
  },
  { title: "NewPermission" },
);
export type NewPermission = (typeof NewPermission)["static"];

export const PermissionAssignment = t.Object(
  { permission_id: uuid("The permission"), ...proofFields },
  { title: "PermissionAssignment" },
);
export type PermissionAssignment = (typeof PermissionAssignment)["static"];
