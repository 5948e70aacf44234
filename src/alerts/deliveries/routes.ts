import { Elysia } from "elysia";
import { guard, type RateRule } from "../../identity/access/guard";
import { errors, Page, Single } from "../../kernel/http/answers";
import { letWait } from "../../kernel/http/client";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { MINUTE, SECOND } from "../../kernel/time/clock";
import { Delivery, TestResult } from "./schema";
import { listDeliveries, retryDelivery, testTarget } from "./service";

const DEFAULT_LIMIT = 20;
const deliveriesPath = (targetId: string) => `/v1/notification-targets/${targetId}/deliveries`;

/** Each test is a request to somebody else. */
const testLimit: RateRule = {
  name: "notification-test",
  rate: () => ({ requests: 60, seconds: (10 * MINUTE) / SECOND }),
};

export const deliveryRoutes = new Elysia({ prefix: "/v1", tags: ["Notification targets"] })
  .use(guard)
  .post(
    "/notification-targets/:id/test",
    // An attempt is bounded: by 10 seconds, or by the mail server's own bounds.
    ({ actor, params, request }) => letWait(request, () => testTarget(actor, params.id)),
    {
      access: { requires: "alerts:write", limit: testLimit },
      params: IdParams,
      response: { 200: TestResult, ...errors(404) },
      detail: {
        operationId: "testNotificationTarget",
        summary: "Test a notification target",
        description:
          "Sends a test at once, also to a target that is switched off and in its quiet time, and tells what became of it, but nothing of what the other side said. It is not tried again.",
      },
    },
  )
  .get(
    "/notification-targets/:id/deliveries",
    ({ params, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(deliveriesPath(params.id), asked, listDeliveries(params.id, asked), request);
    },
    {
      access: "alerts:read",
      params: IdParams,
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("DeliveryPage", Delivery), ...errors(404) },
      detail: {
        operationId: "listDeliveriesOfNotificationTarget",
        summary: "List the deliveries to a notification target",
        description:
          "The newest 200 deliveries, newest first. Each is made at least once, in order for each alert, alarms before the rest. One that fails is tried again after 5 seconds, 30 seconds, 2 minutes, 10 minutes, an hour, then every 3 hours for 3 days; one of an alarm every 2 minutes for 24 hours before its pauses grow; and at once when any delivery succeeds after an outage. They are deleted after `alerts.delivery_retention_days` of the system config.",
      },
    },
  )
  .post(
    "/deliveries/:id/retry",
    async ({ actor, params }) => {
      const delivery = await retryDelivery(actor, params.id);
      return single(delivery, deliveriesPath(delivery.target_id));
    },
    {
      access: "alerts:write",
      params: IdParams,
      response: { 200: Single(Delivery), ...errors(404, 409) },
      detail: {
        operationId: "retryDelivery",
        summary: "Try a delivery again",
        description:
          "Tries one that waits or failed again at once, and from the first pause on. 409 for one that arrived, that is no longer needed, that later news of its alert have overtaken, or whose target is switched off.",
      },
    },
  );
