import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { AlertRule, AlertRuleChange, NewAlertRule } from "./schema";
import { createRule, deleteRule, getRule, listRules, updateRule } from "./service";

const path = "/v1/alert-rules";
const DEFAULT_LIMIT = 20;

export const alertRuleRoutes = new Elysia({ prefix: path, tags: ["Alert rules"] })
  .use(guard)
  .get(
    "",
    ({ query, request, visible }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listRules(asked, visible), request);
    },
    {
      access: { requires: "alerts:read", orShare: "manage" },
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("AlertRulePage", AlertRule) },
      detail: {
        operationId: "listAlertRules",
        summary: "List alert rules",
        description: "The rules by which alerts are raised, newest first.",
      },
    },
  )
  .get("/:id", ({ params, visible }) => single(getRule(params.id, visible), `${path}/${params.id}`), {
    access: { requires: "alerts:read", orShare: "manage" },
    params: IdParams,
    response: { 200: Single(AlertRule), ...errors(404) },
    detail: {
      operationId: "getAlertRule",
      summary: "Get an alert rule",
      description: "One rule by its identifier.",
    },
  })
  .post(
    "",
    async ({ actor, body, set, visible }) => {
      const rule = await createRule(actor, body, visible);
      set.status = 201;
      return single(rule, `${path}/${rule.id}`);
    },
    {
      access: { requires: "alerts:write", orShare: "manage" },
      body: NewAlertRule,
      response: { 201: Single(AlertRule), ...errors(409) },
      detail: {
        operationId: "createAlertRule",
        summary: "Create an alert rule",
        description:
          "From now on an alert is raised when the condition begins to hold: one for each device, zone, station or measure, however often it flickers. Positions that come late, or are older than ten minutes when they arrive, raise nothing by themselves; the next younger one raises once what has changed for good. A rule tells no more than its maker may see: it needs `alerts:read` too, and `gps:read`, `geofences:read`, `pegel:read` or `settings:read`, as the condition has it. By a share of the level `manage` it names devices that are shared so, and tells the default targets or nobody. With `box_ids`, which needs the permission `sync:manage` too, these boxes watch by it as well: with the zones that it names and those of its devices that they have, and they tell their own default targets. There are at most 20,000 rules, and 200 of a box (409).",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body, visible }) =>
      single(await updateRule(actor, params.id, body, visible), `${path}/${params.id}`),
    {
      access: { requires: "alerts:write", orShare: "manage" },
      params: IdParams,
      body: AlertRuleChange,
      response: { 200: Single(AlertRule), ...errors(404, 409) },
      detail: {
        operationId: "changeAlertRule",
        summary: "Change an alert rule",
        description:
          "Changes the fields that are sent; at least one is required. Open alerts are cleared where the rule is switched off, has another condition or has lost their device. Whoever changes its devices, condition or targets needs to be allowed to see what it tells. `box_ids` needs the permission `sync:manage` too; 409 where a box would have more than 200 rules or zones. One that the shore handed down is changed there (409 `OwnedByShore`).",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set, visible }) => {
      await deleteRule(actor, params.id, visible);
      set.status = 204;
    },
    {
      access: { requires: "alerts:delete", orShare: "manage" },
      params: IdParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        operationId: "deleteAlertRule",
        summary: "Delete an alert rule",
        description:
          "Its open alerts are cleared; all of them stay in the list. One that the shore handed down is deleted there (409 `OwnedByShore`).",
      },
    },
  );
