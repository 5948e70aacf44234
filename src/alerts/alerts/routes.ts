import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, optionalBody, query, t } from "../../kernel/http/schema";
import { Acknowledgement, Alert, AlertFilter, AlertWithDeliveries } from "./schema";
import { acknowledgeAlert, getAlert, listAlerts } from "./service";

const path = "/v1/alerts";
const DEFAULT_LIMIT = 20;

export const alertRoutes = new Elysia({ prefix: path, tags: ["Alerts"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listAlerts(asked, query), request);
    },
    {
      access: "alerts:read",
      ...query(t.Object({ ...pageQuery(DEFAULT_LIMIT), ...AlertFilter.properties })),
      response: { 200: Page("AlertPage", Alert) },
      detail: {
        operationId: "listAlerts",
        summary: "List alerts",
        description:
          "Alerts, newest first; with filters, those that match all of them. Those that were cleared are kept for `alerts.retention_days` of the system config.",
      },
    },
  )
  .get("/:id", ({ params }) => single(getAlert(params.id), `${path}/${params.id}`), {
    access: "alerts:read",
    params: IdParams,
    response: { 200: Single(AlertWithDeliveries), ...errors(404) },
    detail: {
      operationId: "getAlert",
      summary: "Get an alert",
      description: "One alert, with what was sent of it and what became of each delivery.",
    },
  })
  .post(
    "/:id/acknowledge",
    async ({ actor, params, body }) =>
      single(await acknowledgeAlert(actor, params.id, body?.note ?? null), `${path}/${params.id}`),
    {
      access: "alerts:write",
      params: IdParams,
      body: optionalBody(Acknowledgement),
      response: { 200: Single(Alert), ...errors(404, 409) },
      detail: {
        operationId: "acknowledgeAlert",
        summary: "Acknowledge an alert",
        description:
          "Says that somebody cares: the targets that were told of the alert are told so, and further ones are not. It stays open until its condition ends. One that was acknowledged already is answered as it is.",
      },
    },
  );
