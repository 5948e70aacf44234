import { Elysia } from "elysia";
import { Done, errors, List, NoContent, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { inMemory, list, WholeListQuery } from "../../kernel/http/lists";
import { IdParams, query } from "../../kernel/http/schema";
import { guard } from "../access/guard";
import { NEEDS_RECENT_SIGN_IN } from "../proof/schema";
import { countProof } from "../reauthentication/limits";
import {
  NewPermission,
  NewRole,
  Permission,
  PermissionAssignment,
  Role,
  RoleChange,
  RoleParams,
  RolePermissionParams,
} from "./schema";
import {
  addRolePermission,
  createPermission,
  createRole,
  deleteRole,
  getPermission,
  getRole,
  listPermissions,
  listRolePermissions,
  listRoles,
  removeRolePermission,
  updateRole,
} from "./service";

const path = "/v1/roles";

export const roleRoutes = new Elysia({ prefix: path, tags: ["Roles and permissions"] })
  .use(guard)
  .get("", ({ query, request }) => list(path, query, inMemory(listRoles()), request), {
    access: "roles:read",
    ...query(WholeListQuery),
    response: { 200: List("RoleListing", Role) },
    detail: { operationId: "listRoles", summary: "List roles", description: "All roles, newest first." },
  })
  .get("/:id", ({ params }) => single(getRole(params.id), `${path}/${params.id}`), {
    access: "roles:read",
    params: RoleParams,
    response: { 200: Single(Role), ...errors(404) },
    detail: { operationId: "getRole", summary: "Get a role", description: "One role by its identifier." },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const role = await createRole(actor, body);
      set.status = 201;
      return single(role, `${path}/${role.id}`);
    },
    {
      access: "roles:write",
      body: NewRole,
      response: { 201: Single(Role), ...errors(409) },
      detail: {
        operationId: "createRole",
        summary: "Create a role",
        description:
          "A role that grants nothing yet. 409 when the name is taken, or there are 200 roles already.",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateRole(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "roles:write",
      params: RoleParams,
      body: RoleChange,
      response: { 200: Single(Role), ...errors(404, 409) },
      detail: {
        operationId: "changeRole",
        summary: "Change a role",
        description:
          "Changes the fields that are sent. A new name needs all that the role grants, as does the end of `requires_two_factor` and any change of a role that came with Fairlead, and Super Admin is changed by super admins alone (403). 409 when the name is taken.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteRole(actor, params.id);
      set.status = 204;
    },
    {
      access: "roles:delete",
      params: RoleParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteRole",
        summary: "Delete a role",
        description:
          "Users and keys that hold it lose it at once. A role that came with Fairlead cannot be deleted, nor one that grants what the caller does not hold (403).",
      },
    },
  )
  .get(
    "/:id/permissions",
    ({ params, query, request }) =>
      list(`${path}/${params.id}/permissions`, query, inMemory(listRolePermissions(params.id)), request),
    {
      access: "roles:read",
      params: RoleParams,
      ...query(WholeListQuery),
      response: { 200: List("PermissionListing", Permission), ...errors(404) },
      detail: {
        operationId: "listPermissionsOfRole",
        summary: "List the permissions of a role",
        description: "What the role grants, by name.",
      },
    },
  )
  .post(
    "/:id/permissions",
    async ({ actor, params, body, set }) => {
      countProof(actor, body, set.headers);
      await addRolePermission(actor, params.id, body);
      return { success: true, message: "Permission added" };
    },
    {
      access: "roles:write",
      params: RoleParams,
      body: PermissionAssignment,
      response: { 200: Done, ...errors(404, 429) },
      detail: {
        operationId: "addPermissionToRole",
        summary: "Add a permission to a role",
        description: `Needs, beside \`roles:write\`, the permission itself (403). Effective at once for all holders, on live sockets too. Adding it twice is no error. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .delete(
    "/:id/permissions/:permission_id",
    async ({ actor, params }) => {
      await removeRolePermission(actor, params.id, params.permission_id);
      return { success: true, message: "Permission removed" };
    },
    {
      access: "roles:write",
      params: RolePermissionParams,
      response: { 200: Done, ...errors(404) },
      detail: {
        operationId: "removePermissionFromRole",
        summary: "Remove a permission from a role",
        description:
          "Needs, beside `roles:write`, the permission itself (403). Effective at once for all holders, on live sockets too. 404 when the role does not grant it.",
      },
    },
  );

export const permissionRoutes = new Elysia({ prefix: "/v1/permissions", tags: ["Roles and permissions"] })
  .use(guard)
  .get("", ({ query, request }) => list("/v1/permissions", query, inMemory(listPermissions()), request), {
    access: "permissions:read",
    ...query(WholeListQuery),
    response: { 200: List("PermissionListing", Permission) },
    detail: {
      operationId: "listPermissions",
      summary: "List permissions",
      description:
        "The catalogue: the permissions that Fairlead's operations ask for, and the operator's own.",
    },
  })
  .get("/:id", ({ params }) => single(getPermission(params.id), `/v1/permissions/${params.id}`), {
    access: "permissions:read",
    params: IdParams,
    response: { 200: Single(Permission), ...errors(404) },
    detail: {
      operationId: "getPermission",
      summary: "Get a permission",
      description: "One permission by its identifier.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const permission = await createPermission(actor, body);
      set.status = 201;
      return single(permission, `/v1/permissions/${permission.id}`);
    },
    {
      access: "permissions:write",
      body: NewPermission,
      response: { 201: Single(Permission), ...errors(409) },
      detail: {
        operationId: "createPermission",
        summary: "Create a permission",
        description:
          "Adds a permission of your own to the catalogue, for the roles and keys of other services. 409 when it exists already, or when there are 500 permissions.",
      },
    },
  );
