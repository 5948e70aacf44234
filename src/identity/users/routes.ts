import { Elysia } from "elysia";
import { Done, errors, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t, uuid } from "../../kernel/http/schema";
import { guard } from "../access/guard";
import { countVerificationEmail } from "../email-addresses/limit";
import { sendsVerification } from "../email-addresses/service";
import { NEEDS_RECENT_SIGN_IN } from "../proof/schema";
import { countProof } from "../reauthentication/limits";
import { RoleAssignment, roleParameter } from "../roles/schema";
import { assignRole, removeRole, userPermissions, userRoleList } from "./roles";
import {
  LocaleChange,
  OwnUser,
  PermissionList,
  Profile,
  RoleList,
  User,
  UserChange,
  UsernameChange,
} from "./schema";
import {
  changeLocale,
  changeUsername,
  getOwnUser,
  getProfile,
  getUser,
  listUsers,
  updateUser,
} from "./service";

const path = "/v1/users";
const DEFAULT_LIMIT = 20;

const UserRoleParams = t.Object({
  id: uuid("The user"),
  role_id: roleParameter(),
});

const reads = { requires: "users:read", orSelf: true } as const;
const writes = { requires: "users:write", orSelf: true } as const;

export const userRoutes = new Elysia({ prefix: path, tags: ["Users"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listUsers(asked), request);
    },
    {
      access: "users:read",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("UserPage", User) },
      detail: {
        operationId: "listUsers",
        summary: "List users",
        description: "All users, deleted ones too, newest first.",
      },
    },
  )
  .get("/me", ({ actor }) => single(getOwnUser(actor.caller), `${path}/me`), {
    access: "authenticated",
    response: { 200: Single(OwnUser), ...errors(400, 403) },
    detail: {
      operationId: "getOwnUser",
      summary: "Get the current user",
      description:
        "The user of the session, or the owner of the API key, with address, roles and permissions. An access token shows its user with the scope `profile` (else 403), and the address with `email` (else null). A system key without owner gives 400.",
    },
  })
  .get("/:id", ({ params }) => single(getUser(params.id), `${path}/${params.id}`), {
    access: reads,
    params: IdParams,
    response: { 200: Single(User), ...errors(404) },
    detail: {
      operationId: "getUser",
      summary: "Get a user",
      description: "One user by its identifier, deleted ones too.",
    },
  })
  .get("/:id/profile", ({ params }) => getProfile(params.id), {
    access: reads,
    params: IdParams,
    response: { 200: Profile, ...errors(404) },
    detail: {
      operationId: "getUserProfile",
      summary: "Get a user's profile",
      description: "How the user is shown: name, picture, platforms.",
    },
  })
  .patch(
    "/:id",
    async ({ actor, params, body, set }) => {
      if (body.email !== undefined && sendsVerification(actor.caller, params.id, body.email))
        countVerificationEmail(actor.caller, params.id, set.headers);
      if (body.email !== undefined) countProof(actor, body, set.headers);
      return single(await updateUser(actor, params.id, body), `${path}/${params.id}`);
    },
    {
      access: writes,
      params: IdParams,
      body: UserChange,
      response: { 200: Single(User), ...errors(404, 409, 429) },
      detail: {
        operationId: "changeUser",
        summary: "Change a user",
        description: `Changes the fields that are sent. A new \`email\` takes effect at once for a caller with \`users:write\`, and no external sign-in links by it until its user has proved it: by a verified change, or by a password reset; on the caller's own account without it, it starts the verified change of \`/email/request-change\`. \`avatar_url\` goes to the primary platform account. \`avatars_enabled\` false removes all avatars. A username or address in use gives 409; a user who holds permissions that the caller doesn't, 403. Of a new \`email\`: ${NEEDS_RECENT_SIGN_IN.replace("Where", "where")}`,
      },
    },
  )
  .patch(
    "/:id/locale",
    async ({ actor, params, body }) =>
      single(await changeLocale(actor, params.id, body.locale), `${path}/${params.id}`),
    {
      access: writes,
      params: IdParams,
      body: LocaleChange,
      response: { 200: Single(User), ...errors(404) },
      detail: {
        operationId: "chooseUserLocale",
        summary: "Choose a user's locale",
        description:
          "The language of emails to the user: one of `email.supported_locales`, or null for no choice.",
      },
    },
  )
  .patch(
    "/:id/username",
    async ({ actor, params, body }) =>
      single(await changeUsername(actor, params.id, body.username), `${path}/${params.id}`),
    {
      access: writes,
      params: IdParams,
      body: UsernameChange,
      response: { 200: Single(User), ...errors(404, 409) },
      detail: {
        operationId: "changeUserUsername",
        summary: "Change a user's username",
        description: "The new name takes effect at the next sign-in. 409 when it is taken.",
      },
    },
  )
  .get("/:id/permissions", ({ params }) => ({ permissions: userPermissions(params.id) }), {
    access: reads,
    params: IdParams,
    response: { 200: PermissionList, ...errors(404) },
    detail: {
      operationId: "listUserPermissions",
      summary: "List a user's permissions",
      description: "What the user may do, by all roles held.",
    },
  })
  .get("/:id/roles", ({ params }) => userRoleList(params.id), {
    access: reads,
    params: IdParams,
    response: { 200: RoleList, ...errors(404) },
    detail: {
      operationId: "listUserRoles",
      summary: "List a user's roles",
      description: "The roles that the user holds, newest first.",
    },
  })
  .post(
    "/:id/roles",
    async ({ actor, params, body, set }) => {
      countProof(actor, body, set.headers);
      await assignRole(actor, params.id, body);
      return { success: true, message: "Role assigned" };
    },
    {
      access: "users:write",
      params: IdParams,
      body: RoleAssignment,
      response: { 200: Done, ...errors(404, 429) },
      detail: {
        operationId: "assignRoleToUser",
        summary: "Assign a role to a user",
        description: `Needs, beside \`users:write\`, every permission that the role grants (403); Super Admin is assigned by super admins alone. Assigning a role twice is no error. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .delete(
    "/:id/roles/:role_id",
    async ({ actor, params }) => {
      await removeRole(actor, params.id, params.role_id);
      return { success: true, message: "Role removed" };
    },
    {
      access: "users:write",
      params: UserRoleParams,
      response: { 200: Done, ...errors(404, 409) },
      detail: {
        operationId: "removeRoleFromUser",
        summary: "Remove a role from a user",
        description:
          "404 when the user does not hold it. Super Admin is removed by super admins alone, and its last holder keeps it (409).",
      },
    },
  );
