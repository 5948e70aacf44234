import { Elysia } from "elysia";
import { clientOf } from "../../kernel/client";
import { page, pageQuery, pageRequest, single } from "../../kernel/envelopes";
import { Done, errors, IdParams, NoContent, Page, query, Single, t, uuid } from "../../kernel/schema";
import { countVerificationEmail, guard } from "../access/guard";
import { deleteUser } from "../deletion/service";
import { sendsVerification, updateUser } from "../email-addresses/service";
import { countProof } from "../reauthentication/limits";
import { NEEDS_RECENT_SIGN_IN } from "../reauthentication/schema";
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
import { changeLocale, changeUsername, getOwnUser, getProfile, getUser, listUsers } from "./service";

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
      response: { 200: Page(User) },
      detail: { summary: "List users", description: "All users, deleted ones too, newest first." },
    },
  )
  .get("/me", ({ caller }) => single(getOwnUser(caller), `${path}/me`), {
    access: "authenticated",
    response: { 200: Single(OwnUser), ...errors(400) },
    detail: {
      summary: "Get the own user",
      description:
        "The user of the session, or the owner of the API key, with address, roles and permissions. A system key without owner gives 400.",
    },
  })
  .get("/:id", ({ params }) => single(getUser(params.id), `${path}/${params.id}`), {
    access: reads,
    params: IdParams,
    response: { 200: Single(User), ...errors(404) },
    detail: { summary: "Get a user", description: "One user by its identifier, deleted ones too." },
  })
  .get("/:id/profile", ({ params }) => getProfile(params.id), {
    access: reads,
    params: IdParams,
    response: { 200: Profile, ...errors(404) },
    detail: {
      summary: "Get a user's profile",
      description: "How the user is shown: name, picture, platforms.",
    },
  })
  .patch(
    "/:id",
    async ({ caller, params, body, request, set }) => {
      if (body.email !== undefined && sendsVerification(caller, params.id, body.email))
        countVerificationEmail(caller, params.id, set.headers);
      if (body.email !== undefined) countProof(caller, body, clientOf(request), set.headers);
      return single(await updateUser(caller, params.id, body, clientOf(request)), `${path}/${params.id}`);
    },
    {
      access: writes,
      params: IdParams,
      body: UserChange,
      response: { 200: Single(User), ...errors(404, 409, 429) },
      detail: {
        summary: "Change a user",
        description: `Changes the fields that are sent. A new \`email\` takes effect at once for a caller with \`users:write\`, and no external sign-in links by it until its user has proved it: by a verified change, or by a password reset; on the own account without it, it starts the verified change of \`/email/request-change\`. \`avatar_url\` goes to the primary platform account. \`avatars_enabled\` false removes all avatars. A username or address in use gives 409; a user who holds permissions that the caller doesn't, 403. Of a new \`email\`: ${NEEDS_RECENT_SIGN_IN.replace("Where", "where")}`,
      },
    },
  )
  .patch(
    "/:id/locale",
    async ({ caller, params, body, request }) =>
      single(await changeLocale(caller, params.id, body.locale, clientOf(request)), `${path}/${params.id}`),
    {
      access: writes,
      params: IdParams,
      body: LocaleChange,
      response: { 200: Single(User), ...errors(404) },
      detail: {
        summary: "Choose a user's locale",
        description:
          "The language of emails to the user: one of `email.supported_locales`, or null for no choice.",
      },
    },
  )
  .patch(
    "/:id/username",
    async ({ caller, params, body, request }) =>
      single(
        await changeUsername(caller, params.id, body.username, clientOf(request)),
        `${path}/${params.id}`,
      ),
    {
      access: writes,
      params: IdParams,
      body: UsernameChange,
      response: { 200: Single(User), ...errors(404, 409) },
      detail: {
        summary: "Change a user's username",
        description: "The new name takes effect at the next sign-in. 409 when it is taken.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ caller, params, request, set }) => {
      await deleteUser(caller, params.id, clientOf(request));
      set.status = 204;
    },
    {
      access: "users:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        summary: "Delete a user",
        description:
          "Sets `deleted_at` and revokes all sessions and API keys at once; the record stays. The last super admin can't be deleted (409), nor can somebody who may do more than the caller (403). Where `auth.reauthentication_minutes` is set, a session needs a sign-in of the last minutes, and a key cannot delete its owner: else 403 `ReauthenticationRequired`.",
      },
    },
  )
  .get("/:id/permissions", ({ params }) => ({ permissions: userPermissions(params.id) }), {
    access: reads,
    params: IdParams,
    response: { 200: PermissionList, ...errors(404) },
    detail: { summary: "List a user's permissions", description: "What the user may do, by all roles held." },
  })
  .get("/:id/roles", ({ params }) => userRoleList(params.id), {
    access: reads,
    params: IdParams,
    response: { 200: RoleList, ...errors(404) },
    detail: { summary: "List a user's roles", description: "The roles that the user holds, newest first." },
  })
  .post(
    "/:id/roles",
    async ({ caller, params, body, request, set }) => {
      countProof(caller, body, clientOf(request), set.headers);
      await assignRole(caller, params.id, body, clientOf(request));
      return { success: true, message: "Role assigned" };
    },
    {
      access: "users:write",
      params: IdParams,
      body: RoleAssignment,
      response: { 200: Done, ...errors(404, 429) },
      detail: {
        summary: "Assign a role to a user",
        description: `Needs, beside \`users:write\`, every permission that the role grants (403); Super Admin is assigned by super admins alone. Assigning a role twice is no error. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .delete(
    "/:id/roles/:role_id",
    async ({ caller, params, request }) => {
      await removeRole(caller, params.id, params.role_id, clientOf(request));
      return { success: true, message: "Role removed" };
    },
    {
      access: "users:write",
      params: UserRoleParams,
      response: { 200: Done, ...errors(404, 409) },
      detail: {
        summary: "Remove a role from a user",
        description:
          "404 when the user does not hold it. Super Admin is removed by super admins alone, and its last holder keeps it (409).",
      },
    },
  );
