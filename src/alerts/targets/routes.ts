import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { CreatedTarget, NewTarget, NotificationTarget, TargetChange } from "./schema";
import { createTarget, deleteTarget, getTarget, listTargets, rotateSecret, updateTarget } from "./service";

const path = "/v1/notification-targets";
const DEFAULT_LIMIT = 20;

export const targetRoutes = new Elysia({ prefix: path, tags: ["Notification targets"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listTargets(asked), request);
    },
    {
      access: "alerts:write",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("NotificationTargetPage", NotificationTarget) },
      detail: {
        operationId: "listNotificationTargets",
        summary: "List notification targets",
        description: "The places that alerts are sent to, newest first.",
      },
    },
  )
  .get("/:id", ({ params }) => single(getTarget(params.id), `${path}/${params.id}`), {
    access: "alerts:write",
    params: IdParams,
    response: { 200: Single(NotificationTarget), ...errors(404) },
    detail: {
      operationId: "getNotificationTarget",
      summary: "Get a notification target",
      description: "One place that alerts are sent to, without its secrets.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const target = await createTarget(actor, body);
      set.status = 201;
      return single(target, `${path}/${target.id}`);
    },
    {
      access: "alerts:write",
      body: NewTarget,
      response: { 201: Single(CreatedTarget), ...errors(409) },
      detail: {
        operationId: "createNotificationTarget",
        summary: "Create a notification target",
        description:
          "`kind` decides which fields are needed: `url` for a webhook, `to` for an email, `topic` for ntfy (with `server_url` and `token` where they are needed), `bot_token` and `chat_id` for Telegram, `topic` for MQTT, whose broker the operator has to have configured (`mqtt.url`); a field of another kind is 400. The secret of a webhook is made here and shown only once. Needs the permission `alerts:read` too: a target tells no more than its maker may see. An address of the server's own machine, of its link or of a cloud's metadata service is 400, one of a private network too unless `notifications.allow_private_addresses` is true; `notifications.allowed_hosts` lists exceptions. A name that doesn't resolve now is accepted. There can be at most 100 targets (409).",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateTarget(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "alerts:write",
      params: IdParams,
      body: TargetChange,
      response: { 200: Single(NotificationTarget), ...errors(404) },
      detail: {
        operationId: "changeNotificationTarget",
        summary: "Change a notification target",
        description:
          "Changes the fields that are sent; at least one is required. What waits for the target is tried again at once; where it is switched off, what waits is given up. Whoever changes where it leads needs `alerts:read` too, and from then on it tells what that one may see. The kind stays.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteTarget(actor, params.id);
      set.status = 204;
    },
    {
      access: "alerts:write",
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteNotificationTarget",
        summary: "Delete a notification target",
        description:
          "Nothing is sent to it any more; what waits for it is given up. Rules and anchor watches that named it don't any more: one that named no other tells nobody, until it is given others.",
      },
    },
  )
  .post(
    "/:id/rotate-secret",
    async ({ actor, params }) => single(await rotateSecret(actor, params.id), `${path}/${params.id}`),
    {
      access: "alerts:write",
      params: IdParams,
      response: { 200: Single(CreatedTarget), ...errors(404, 409) },
      detail: {
        operationId: "rotateSecretOfNotificationTarget",
        summary: "Rotate the secret of a webhook",
        description:
          "Makes a new secret, shown only once. For 24 hours each request is signed with the former one too, and after several rotations with each former one until its own 24 hours are over. 409 for a target of another kind, and while five former secrets count.",
      },
    },
  );
